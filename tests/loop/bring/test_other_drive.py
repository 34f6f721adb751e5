"""Files are copied to and removed from their own volume only: after a reboot, with another drive in its
place, and with a clone. Loop devices have no serial numbers."""

from pathlib import Path

import pytest

from tests.devices import tool
from tests.loop.applying import ended, story
from tests.loop.bring.bringing import Ways, assert_alike, contents, killed_at
from tests.loop.bring.swapping import clone, swap
from tests.loop.program import DiskwrightError, Refused, RunState, resume, state, undo
from wizard.apply.copy.survey import work_out


def few(place: Path) -> None:
    for number in range(40):
        (place / f"file{number}").write_bytes(b"%d" % number * 3000)


@pytest.mark.parametrize("way", ["resume", "undo"])
def test_resume_and_undo_work_after_a_reboot(ways: Ways, way: str) -> None:
    """Check a run with unmounted volumes, then with both mounted."""
    source, target = ways.volume("old", "ext4"), ways.target("ext4")
    few(source.place)
    was = contents(target.place)
    run = ways.begin(work_out(source.drive, str(target.place), "in"))
    killed_at(run, 30)
    for volume in (source, target):
        tool("umount", str(volume.place))
    held = ways.work.digest(target.drive)
    for command in (resume, undo):
        with pytest.raises(DiskwrightError):
            command(run)
    assert ways.work.digest(target.drive) == held and not [*target.place.iterdir()]
    for volume in (source, target):
        tool("mount", volume.drive, str(volume.place))
    if way == "resume":
        resume(run)
        assert ended(run) is RunState.DONE, story(run)
        assert_alike(ways, source.place, target.place / "in", "ext4")
    undo(run)
    assert state(run) is RunState.UNDONE and contents(target.place) == was, story(run)


@pytest.mark.alone
def test_source_and_target_change_nodes(ways: Ways) -> None:
    """Swap the nodes of source and target, which the document names. Then add a third drive."""
    source, target = ways.volume("old", "ext4"), ways.target("ext4")
    third = ways.volume("third", "ext4")
    few(source.place)
    was = contents(target.place)
    run = ways.begin(work_out(source.drive, str(target.place), "in"))
    killed_at(run, 30)
    for volume in (source, target, third):
        tool("umount", volume.drive)
    held = ways.work.digest(target.drive)
    swap(ways.work.bench, source.drive, target.drive, third.drive)
    # Now the target is at the source's node, the third at the target's, the source at the third's.
    tool("mount", target.drive, str(target.place))
    others = contents(target.place)
    for command in (resume, undo):
        with pytest.raises(DiskwrightError):
            command(run)
    assert contents(target.place) == others and ways.work.digest(source.drive) == held, story(run)
    tool("umount", str(target.place))
    tool("mount", source.drive, str(target.place))
    undo(run)
    assert state(run) is RunState.UNDONE and contents(target.place) == was, story(run)


def test_clone_and_original_are_not_written(ways: Ways) -> None:
    source, target = ways.volume("old", "ext4"), ways.target("ext4")
    few(source.place)
    run = ways.begin(work_out(str(source.place), str(target.place), "in"))
    killed_at(run, 30)
    tool("umount", str(target.place))
    other = ways.make_drive(ways.work.bench.image_of(target.drive).stat().st_size)
    clone(ways.work.bench, target.drive, other)
    held = ways.work.digest(target.drive)
    tool("mount", other, str(target.place))
    was = contents(target.place)
    for command in (resume, undo):
        with pytest.raises(Refused, match=f"{other}.*{target.drive}"):
            command(run)
    assert contents(target.place) == was and ways.work.digest(target.drive) == held, story(run)
    tool("umount", str(target.place))
    tool("wipefs", "--all", "--quiet", other)
    tool("mount", target.drive, str(target.place))
    undo(run)
    assert state(run) is RunState.UNDONE, story(run)
