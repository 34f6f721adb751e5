"""A volume that replaces its source: fstab changes as shown, resumes after a kill at any moment, and is
undone, also after a reboot and without the drive."""

import os
import random
import stat
from pathlib import Path

import pytest

from tests.devices import tool
from tests.loop.applying import carry_out, diskwright, ended, said, story
from tests.loop.bring.bringing import Volume, Ways, assert_alike, contents, killed_at
from tests.loop.program import Event, Purpose, Refused, RunState, read_entries, resume, state, undo
from tests.unit.apply.copy_calls import count_calls, small
from wizard.apply.copy.survey import work_out
from wizard.apply.run.journal import done_steps
from wizard.plan.changes import Bring
from wizard.plan.copy import fstab_difference

OTHERS = "# by hand\nUUID=11111111-2222-4333-8444-555555555555 / ext4 defaults 0 1\n"


def uuid_of(volume: Volume) -> str:
    return tool("blkid", "-p", "-s", "UUID", "-o", "value", volume.drive).strip()


def with_lines(ways: Ways, source: Volume, target: Volume, *, own: bool = True) -> str:
    """Write the initial scratch fstab and return it."""
    text = OTHERS
    text += f"UUID={uuid_of(target)} {target.place} xfs nofail,noatime 0 0\n" if own else ""
    text += f"UUID={uuid_of(source)} {source.place} ext4 nosuid,errors=remount-ro 0 2\n"
    text += f"tmpfs {source.place}/inner tmpfs size=1m 0 0\n"
    ways.work.fstab.write_text(text)
    return text


def taking(ways: Ways, source: Volume, target: Volume) -> Bring:
    return work_out(str(source.place), str(target.place), None, ways.work.environment, takes_place=True)


def wanted(source: Volume, target: Volume) -> str:
    before = f"UUID={uuid_of(source)} {source.place} ext4 nosuid,errors=remount-ro 0 2"
    return (
        OTHERS
        + f"# before diskwright: {before}\n"
        + f"UUID={uuid_of(target)} {source.place} xfs noatime,nosuid 0 0\n"
        + f"tmpfs {source.place}/inner tmpfs size=1m 0 0\n"
    )


def restarted(source: Volume, target: Volume) -> None:
    """Mount the volumes like the next boot would."""
    tool("umount", str(source.place))
    tool("umount", str(target.place))
    tool("mount", target.drive, str(source.place))


def test_volume_replaces_its_source_and_undo_reverts_that(ways: Ways) -> None:
    source, target = ways.source(), ways.target()
    was, text = contents(target.place), with_lines(ways, source, target)
    os.chown(source.place, 12, 34)
    source.place.chmod(0o2751)
    top = target.place.stat()
    bring = taking(ways, source, target)
    shown = fstab_difference(bring)
    assert ways.work.fstab.read_text() == text
    run = ways.start(bring)
    assert ended(run) is RunState.DONE, story(run)
    assert ways.work.fstab.read_text() == wanted(source, target)
    # What was shown is what was written: patch(1) makes the same of it.
    (ways.work.folder / "shown").write_text("\n".join(shown) + "\n")
    copy = ways.work.folder / "copy"
    copy.write_text(text)
    tool("patch", "--quiet", str(copy), str(ways.work.folder / "shown"))
    assert copy.read_text() == wanted(source, target)
    assert stat.S_IMODE(ways.work.fstab.stat().st_mode) == 0o640
    assert_alike(ways, source.place, target.place, "xfs")
    now = target.place.stat()
    assert (now.st_uid, now.st_gid, stat.S_IMODE(now.st_mode)) == (12, 34, 0o2751)
    assert done_steps(read_entries(run)) == {1, 2, 3, 4} and len(said(run, Event.VERIFIED)) == 2
    last = read_entries(run)[-1].sentence
    assert source.drive in last and "Reboot soon" in last, last
    undo(run)
    assert ways.work.fstab.read_text() == text and contents(target.place) == was, story(run)
    back = target.place.stat()
    assert (back.st_uid, back.st_gid, back.st_mode) == (top.st_uid, top.st_gid, top.st_mode)


def test_undo_after_a_reboot_leaves_the_volume_in_use(ways: Ways) -> None:
    source, target = ways.source(), ways.target()
    text = with_lines(ways, source, target)
    run = ways.start(taking(ways, source, target))
    assert ended(run) is RunState.DONE, story(run)
    restarted(source, target)
    (source.place / "since").write_text("only here")
    was = contents(source.place)
    told = undo(run)
    assert "at the new mount point" in told, told
    assert ways.work.fstab.read_text() == text and contents(source.place) == was
    assert state(run) is RunState.UNDONE


def test_undo_leaves_a_volume_mounted_over_the_source(ways: Ways) -> None:
    """Check undo after `mount -a` without a reboot: the volume is mounted at both places."""
    source, target = ways.source(), ways.target()
    text = with_lines(ways, source, target)
    run = ways.start(taking(ways, source, target))
    assert ended(run) is RunState.DONE, story(run)
    tool("mount", target.drive, str(source.place))
    try:
        was = contents(target.place)
        assert "at the new mount point" in undo(run)
        assert ways.work.fstab.read_text() == text and contents(target.place) == was
    finally:
        tool("umount", str(source.place))


def test_undo_restores_fstab_without_the_drive(ways: Ways) -> None:
    source, target = ways.source(), ways.target()
    text = with_lines(ways, source, target)
    run = ways.start(taking(ways, source, target))
    assert ended(run) is RunState.DONE, story(run)
    tool("umount", str(target.place))
    tool("wipefs", "-a", target.drive)
    ways.work.fstab.write_text(ways.work.fstab.read_text() + "tmpfs /by/hand tmpfs\n")
    undo(run)
    assert ways.work.fstab.read_text() == text + "tmpfs /by/hand tmpfs\n"
    assert state(run) is RunState.UNDONE


def test_volume_without_an_fstab_line_gets_one(ways: Ways) -> None:
    source, target = ways.source(), ways.target()
    text = with_lines(ways, source, target, own=False)
    run = ways.start(taking(ways, source, target))
    assert ended(run) is RunState.DONE, story(run)
    lines = ways.work.fstab.read_text().splitlines()
    assert f"UUID={uuid_of(target)} {source.place} xfs nosuid 0 0" == lines[2]
    assert lines[-1].startswith("# before diskwright: UUID=")
    undo(run)
    assert ways.work.fstab.read_text() == text


@pytest.mark.parametrize("seed", range(3))
def test_run_killed_at_any_moment_resumes_or_is_undone(
    ways: Ways, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = ways.source(), ways.target()
    was, text = contents(target.place), with_lines(ways, source, target)
    with monkeypatch.context() as patch:
        small(patch)
        run = ways.begin(taking(ways, source, target))
        calls = count_calls(patch, lambda _now: None)
        carry_out(run, Purpose.APPLY, ())
        assert state(run) is RunState.DONE, story(run)
        whole = calls()
    undo(run)
    assert contents(target.place) == was and ways.work.fstab.read_text() == text
    drawn = random.Random(seed)
    # The last calls are those that change fstab.
    for number in (drawn.randrange(1, whole), whole - drawn.randrange(4)):
        for goes_on in (True, False):
            run = ways.begin(taking(ways, source, target))
            killed_at(run, number)
            assert ways.work.fstab.read_text() in (text, wanted(source, target)), "half of a file"
            if goes_on:
                resume(run)
                assert ended(run) is RunState.DONE, (number, story(run))
                assert ways.work.fstab.read_text() == wanted(source, target)
                assert_alike(ways, source.place, target.place, "xfs")
            undo(run)
            assert ways.work.fstab.read_text() == text, (number, story(run))
            assert contents(target.place) == was, (number, story(run))


def test_run_resumes_after_a_reboot_with_only_fstab_changed(
    ways: Ways, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Interrupt the run after fstab was replaced and before the record, then mount the volume in its new
    place."""
    source, target = ways.source(), ways.target()
    with_lines(ways, source, target)
    with monkeypatch.context() as patch:
        small(patch)
        run = ways.begin(taking(ways, source, target))
        calls = count_calls(patch, lambda _now: None)
        carry_out(run, Purpose.APPLY, ())
        whole = calls()
    undo(run)
    run = ways.begin(taking(ways, source, target))
    killed_at(run, whole)
    assert ways.work.fstab.read_text() == wanted(source, target)
    assert done_steps(read_entries(run)) == {1, 2, 3}
    restarted(source, target)
    resume(run)
    assert ended(run) is RunState.DONE, story(run)


def test_sources_that_cannot_be_replaced_are_refused(ways: Ways) -> None:
    source, target = ways.volume("old", "ext4"), ways.target()
    (source.place / "folder/in").mkdir(parents=True)
    text = with_lines(ways, source, target)

    def refused(why: str, from_: object, into: str | None = None) -> None:
        with pytest.raises(Refused, match=why):
            work_out(str(from_), str(target.place), into, ways.work.environment, takes_place=True)

    refused("boot loader", "/")
    refused("not the mount point", source.place / "folder")
    refused("not the mount point", source.drive)
    refused("not the top", source.place, "in")
    ways.work.fstab.write_text(text.replace(f" {source.place} ", " /elsewhere "))
    refused("has 0 lines for", source.place)
    ways.work.fstab.write_text(text + f"LABEL=x {source.place} ext4 defaults 0 0\n")
    refused("has 2 lines for", source.place)
    ways.work.fstab.write_text(text)
    bring = taking(ways, source, target)
    ways.work.fstab.write_text(text + "tmpfs /new tmpfs\n")
    with pytest.raises(Refused, match="fstab was changed"):
        ways.start(bring)
    assert not contents(target.place).keys() & {"folder"}


def test_replace_the_source_by_command(ways: Ways) -> None:
    source, target = ways.source(), ways.target()
    text = with_lines(ways, source, target)
    words = ("bring", str(source.place), str(target.place), "--take-place", "--fstab", str(ways.work.fstab))
    done = diskwright(ways.work, *words)
    assert "+# before diskwright: UUID=" in done.stdout and "remains only on" in " ".join(
        done.stdout.split()
    ), done
    assert ways.work.fstab.read_text() == text
    token = taking(ways, source, target).drive.token
    done = diskwright(ways.work, *words, "--confirm", token)
    assert done.returncode == 0, done.stderr
    assert ways.work.fstab.read_text() == wanted(source, target)
    assert "4 of 4 steps" in diskwright(ways.work, "status").stdout
    assert diskwright(ways.work, "undo").returncode == 0
    assert ways.work.fstab.read_text() == text


def test_copy_of_the_old_fstab_remains(ways: Ways) -> None:
    """Check that a copy of the old fstab remains."""
    source, target = ways.source(), ways.target()
    text = with_lines(ways, source, target)
    run = ways.start(taking(ways, source, target))
    assert ended(run) is RunState.DONE, story(run)
    (kept,) = Path(ways.work.fstab.parent).glob("fstab.diskwright-*")
    assert kept.read_text() == text
