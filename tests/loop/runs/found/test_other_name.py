"""Drives that wait or are half written, attached again under another name: the run continues there."""

from pathlib import Path

import pytest

from tests.devices import MakeDrive, backing_file, forget_partitions, tool
from tests.loop.applying import Work, diskwright, fill, old_gpt, spec, story, until
from tests.loop.program import (
    MIB,
    Environment,
    Mode,
    Refused,
    RunState,
    keep,
    load_plan,
    read_entries,
    state,
    undo,
)

pytestmark = pytest.mark.alone


def moved(work: Work, drive: str, taken_by: str) -> str:
    """Swap the names of two test drives, and return the first drive's new name."""
    image, other = work.bench.image_of(drive), work.bench.image_of(taken_by)
    for node in (drive, taken_by):
        forget_partitions(node)
        tool("losetup", "--detach", node)
        until(lambda node=node: backing_file(node) is None)  # type: ignore[misc]
    for node, file in ((taken_by, image), (drive, other)):
        tool("losetup", node, str(file))
        work.bench.images[node] = file
        work.bench.own(node)
        forget_partitions(node)
        tool("sh", "-c", f"partx --add {node} || true")
    return taken_by


@pytest.fixture
def waiting(work: Work, make_drive: MakeDrive) -> tuple[str, str, str, Path, Path]:
    """A drive with a waiting run, another one of equal size, the first one's old content, the run and its
    mount point."""
    drive, other = make_drive(96 * MIB), make_drive(96 * MIB)
    fill(drive, work.bench)
    old_gpt(drive)
    tool("mkfs.ext4", "-q", "-F", other)
    before, place = work.digest(drive), work.place("media")
    plan = work.plan(drive, spec("ext4", mount_point=place), mode=Mode.REPLACE)
    both = Environment(fstab=work.fstab, only=frozenset((drive, other)))
    run, end = work.apply(plan, both, keep=False)
    assert end is RunState.WAITING, story(run)
    return drive, other, before, run, place


def test_run_is_undone_under_its_new_name(work: Work, waiting: tuple[str, str, str, Path, Path]) -> None:
    drive, other, before, run, _ = waiting
    stranger = work.digest(other)
    assert moved(work, drive, other) == other
    undo(run)
    assert state(run) is RunState.UNDONE, story(run)
    assert work.digest(other) == before
    assert work.digest(drive) == stranger
    assert any(drive in entry.sentence and other in entry.sentence for entry in read_entries(run))


def test_run_is_kept_under_its_new_name(work: Work, waiting: tuple[str, str, str, Path, Path]) -> None:
    drive, other, _, run, place = waiting
    stranger = work.digest(other)
    moved(work, drive, other)
    said = diskwright(work, "keep", str(run))
    assert said.returncode == 0, said.stderr + story(run)
    assert f"The drive {drive} is now {other}" in said.stderr + said.stdout
    assert state(run) is RunState.KEPT, story(run)
    assert tool("findmnt", "-n", "-o", "SOURCE", str(place)).strip() == f"{other}p1"
    assert load_plan(run).drive.path == other
    tool("umount", str(place))
    assert work.digest(drive) == stranger


def test_other_drive_at_the_node_stays_unchanged(
    work: Work, waiting: tuple[str, str, str, Path, Path]
) -> None:
    """Check that another drive of equal size at the missing drive's node stays unchanged."""
    drive, other, _, run, _ = waiting
    stranger = work.digest(other)
    moved(work, drive, other)
    forget_partitions(other)
    tool("losetup", "--detach", other)
    until(lambda: backing_file(other) is None)
    for command in (keep, undo):
        with pytest.raises(Refused):
            command(run)
    assert work.digest(drive) == stranger


def test_run_waits_without_its_medium(work: Work, waiting: tuple[str, str, str, Path, Path]) -> None:
    """Remove the medium, like a card from its reader: the run is unchanged, and can be undone once the
    medium is back."""
    drive, _, before, run, _ = waiting
    image = work.bench.image_of(drive)
    forget_partitions(drive)
    tool("losetup", "--detach", drive)
    until(lambda: backing_file(drive) is None)
    for command in ("keep", "undo"):
        refused = diskwright(work, command, str(run))
        assert (refused.returncode, state(run)) == (3, RunState.WAITING), refused.stderr
        assert f"No medium in {drive}." in refused.stderr, refused.stderr
    tool("losetup", drive, str(image))
    work.bench.images[drive] = image
    work.bench.own(drive)
    undo(run)
    assert state(run) is RunState.UNDONE and work.digest(drive) == before
