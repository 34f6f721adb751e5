"""Undo restores a drive full of data bit for bit, until `keep`."""

import hashlib
import os
from pathlib import Path

import pytest

from tests.daily import one_in
from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, diskwright, fill, old_gpt, spec, story
from tests.loop.program import (
    GIB,
    MIB,
    Event,
    Failed,
    Journal,
    Mode,
    Phase,
    Refused,
    RunState,
    commands_for,
    keep,
    load_record,
    power_now,
    state,
    undo,
)
from tests.loop.runs.found.test_replugged import attach, detach
from wizard.apply.block.devices import partition_nodes
from wizard.apply.engine import exchange
from wizard.apply.plan import rehearsed
from wizard.apply.run.job import RunWork
from wizard.apply.run.process import Purpose
from wizard.filesystems.registry import MADE
from wizard.process.program import find


def full_drive(work: Work, make_drive: MakeDrive, size_bytes: int, block_bytes: int = 512) -> str:
    """Create a drive full of a pattern, then with a table, an ext4 and swap."""
    drive = make_drive(size_bytes, block_bytes)
    fill(drive, work.bench)
    old_gpt(drive)
    tool("mkswap", "-q", f"{drive}p2")
    return drive


def shown(drive: str) -> list[str]:
    """Return the signatures and partitions on a drive, as tools report them."""
    tool("blockdev", "--flushbufs", drive)
    marks = tool("wipefs", "--no-act", "--noheadings", drive).split()
    return [*marks, *(entry.name for entry in Path("/sys/block", Path(drive).name).glob("*/partition"))]


@pytest.mark.parametrize(
    ("filesystem", "block_bytes"),
    one_in(2, ((name, block) for name in sorted(MADE) for block in (512, 4096))),
)
def test_every_filesystem_waits_hidden_and_undo_is_bit_for_bit(
    filesystem: str, block_bytes: int, work: Work, make_drive: MakeDrive
) -> None:
    kind = MADE[filesystem]
    assert find(kind.tool), f"{kind.tool} is missing"
    drive = full_drive(work, make_drive, max(kind.minimum_bytes, 300 * MIB) + 8 * MIB, block_bytes)
    before = work.digest(drive)
    plan = work.plan(drive, spec(filesystem, options=()), mode=Mode.REPLACE)
    run, end = work.apply(plan, keep=False)
    assert end is RunState.WAITING, story(run)
    assert shown(drive) == []
    assert work.digest(drive) != before
    undo(run)
    assert state(run) is RunState.UNDONE
    assert work.digest(drive) == before
    assert tool("blkid", "-p", "-o", "value", "-s", "LABEL", f"{drive}p1").strip() == "old"
    with pytest.raises(Refused, match="already undone"):
        undo(run)


def test_kept_volume_is_mounted_and_cannot_be_undone(work: Work, make_drive: MakeDrive) -> None:
    drive = full_drive(work, make_drive, 256 * MIB)
    place = work.place("media")
    run, end = work.apply(work.plan(drive, spec("ext4", mount_point=place), mode=Mode.REPLACE), keep=False)
    assert end is RunState.WAITING, story(run)
    assert not place.exists()
    assert str(place) not in work.fstab.read_text()
    keep(run)
    assert state(run) is RunState.KEPT
    (place / "hello").write_text("a file on the new drive")
    assert work.fstab.read_text().count(str(place)) == 1
    assert not (run / "engine").exists()
    with pytest.raises(Refused, match="Undo is no longer possible"):
        undo(run)
    tool("umount", str(place))
    before = work.digest(drive)
    with pytest.raises(Refused, match="already kept"):
        keep(run)
    assert work.digest(drive) == before


def test_files_written_after_an_interrupted_keep_stay(work: Work, make_drive: MakeDrive) -> None:
    """Fail the mount, use the volume by hand, and run keep again."""
    drive = full_drive(work, make_drive, 256 * MIB)
    place, other = work.place("media"), work.folder / "other"
    run, end = work.apply(work.plan(drive, spec("ext4", mount_point=place), mode=Mode.REPLACE), keep=False)
    assert end is RunState.WAITING, story(run)
    place.mkdir(parents=True)
    (place / "in the way").touch()
    with pytest.raises(Failed, match="not empty"):
        keep(run)
    other.mkdir()
    tool("mount", f"{drive}p1", str(other))
    data = os.urandom(8 * MIB)
    (other / "mine").write_bytes(data)
    tool("umount", str(other))
    (place / "in the way").unlink()
    keep(run)
    assert (place / "mine").read_bytes() == data
    tool("umount", str(place))


def cut_off_at(phase: Phase, run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Interrupt `keep` before it overwrites the notice, or before the mount."""
    if not (child := os.fork()):
        try:
            if phase is Phase.RELEASING:
                monkeypatch.setattr(exchange, "overwrite_notice", lambda side: os._exit(0))
            journal = Journal(run)
            journal.add(Event.STARTED, "Putting it to use.")
            monkeypatch.setattr(rehearsed, "finish", lambda work, **_: os._exit(0))
            rehearsed.release(RunWork(run, Purpose.KEEP, journal, ()))
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    record = load_record(run)
    assert record is not None and record.phase is phase


@pytest.mark.alone
def test_kept_drive_is_known_after_use_and_reattachment(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reboot after an interrupted `keep`: fstab mounts the volume, and the saved bytes are gone."""
    drive = full_drive(work, make_drive, 256 * MIB)
    place, other = work.place("media"), work.folder / "other"
    run, end = work.apply(work.plan(drive, spec("ext4", mount_point=place), mode=Mode.REPLACE), keep=False)
    assert end is RunState.WAITING, story(run)
    cut_off_at(Phase.KEPT, run, monkeypatch)
    other.mkdir()
    tool("mount", f"{drive}p1", str(other))
    (other / "mine").write_bytes(os.urandom(64 * MIB))
    tool("umount", str(other))
    attach(work, drive, detach(work, drive))
    listed = diskwright(work, "status").stdout
    assert "another drive" not in listed and f"diskwright resume {run}" in listed, listed
    done = diskwright(work, "resume", str(run))
    assert done.returncode == 0, done.stderr
    assert (place / "mine").stat().st_size == 64 * MIB
    tool("umount", str(place))


@pytest.mark.parametrize("phase", [Phase.RELEASING, Phase.KEPT])
def test_interrupted_keep_continues_with_resume(
    phase: Phase, work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Interrupt `keep` before it overwrites the notice, and before the mount."""
    drive = full_drive(work, make_drive, 256 * MIB)
    place = work.place("media")
    run, end = work.apply(work.plan(drive, spec("ext4", mount_point=place), mode=Mode.REPLACE), keep=False)
    assert end is RunState.WAITING, story(run)
    cut_off_at(phase, run, monkeypatch)
    assert "`diskwright resume`" in power_now(run) and commands_for(run, RunState.INTERRUPTED)[0] == "resume"
    done = diskwright(work, "resume", str(run))
    assert done.returncode == 0, done.stderr
    assert tool("findmnt", "-n", "-o", "SOURCE", str(place)).strip() == f"{drive}p1" and not power_now(run)
    tool("umount", str(place))


def test_keep_discards_free_space_of_the_new_volume(work: Work, make_drive: MakeDrive) -> None:
    """Check that keep discards free space like mkfs does, but not earlier, because undo needs the blocks."""
    drive = full_drive(work, make_drive, 256 * MIB)
    image = work.bench.image_of(drive)
    taken = image.stat().st_blocks
    run, end = work.apply(work.plan(drive, spec("ext4"), mode=Mode.REPLACE), keep=False)
    assert end is RunState.WAITING, story(run)
    assert image.stat().st_blocks >= taken
    keep(run)
    tool("sync", str(image))
    assert image.stat().st_blocks < taken / 4
    tool("e2fsck", "-f", "-n", f"{drive}p1")


def test_empty_drive_is_finished_immediately(work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(256 * MIB)
    place = work.place("media")
    run, end = work.apply(work.plan(drive, spec("ext4", mount_point=place)), keep=False)
    assert end is RunState.DONE, story(run)
    (place / "hello").write_text("a file on the new drive")
    tool("umount", str(place))


def test_unrecognised_data_is_saved_for_undo(work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(256 * MIB)
    fill(drive, work.bench)
    before = work.digest(drive)
    run, end = work.apply(work.plan(drive, spec("ext4")), keep=False)
    assert end is RunState.WAITING, story(run)
    undo(run)
    assert work.digest(drive) == before


@pytest.mark.parametrize("table", ["gpt", "dos"])
def test_undo_next_to_preserved_partitions_at_odd_sectors(
    table: str, work: Work, make_drive: MakeDrive
) -> None:
    drive = make_drive(GIB)
    fill(drive, work.bench)
    script = f"label: {table}\\nstart=2048,size=100001\\nstart=600001,size=100003\\n"
    tool("sh", "-c", f"printf '{script}' | sfdisk --quiet --no-reread --wipe always {drive} || true")
    tool("partx", "--update", drive)
    before, kept = (
        work.digest(drive),
        _partition(drive, work, 2048, 100001) + _partition(drive, work, 600001, 100003),
    )
    for number in (1, 2):
        assert Path(f"{drive}p{number}").exists()
    run, end = work.apply(
        work.plan(drive, spec("ext4", 100 * MIB), spec("btrfs", 150 * MIB), mode=Mode.USE_FREE), keep=False
    )
    assert end is RunState.WAITING, story(run)
    assert len(shown(drive)) >= 2, "the old table stays in force"
    assert not Path(f"{drive}p3").exists()
    undo(run)
    assert work.digest(drive) == before
    again, end = work.apply(
        work.plan(drive, spec("ext4", 100 * MIB), spec("btrfs", 150 * MIB), mode=Mode.USE_FREE)
    )
    assert end is RunState.DONE, story(again)
    assert _partition(drive, work, 2048, 100001) + _partition(drive, work, 600001, 100003) == kept
    assert tool("blkid", "-p", "-o", "value", "-s", "TYPE", f"{drive}p3", f"{drive}p4").split() == [
        "ext4",
        "btrfs",
    ]


def _partition(drive: str, work: Work, start: int, size: int) -> str:
    tool("blockdev", "--flushbufs", drive)
    with work.bench.image_of(drive).open("rb") as image:
        image.seek(start * 512)
        return hashlib.sha256(image.read(size * 512)).hexdigest()


def test_zeroed_table_with_partitions_known_to_the_kernel(work: Work, make_drive: MakeDrive) -> None:
    """Zero the start of the drive, as with dd, without the kernel's knowledge: the scratch copy shows the
    kernel's partitions."""
    drive = full_drive(work, make_drive, 256 * MIB)
    with work.bench.image_of(drive).open("r+b") as image:
        for at in (0, 255 * MIB):
            os.pwrite(image.fileno(), bytes(MIB), at)
    tool("blockdev", "--flushbufs", drive)
    before = work.digest(drive)
    assert Path(f"{drive}p1").exists()
    plan = work.plan(drive, spec("ext4"), mode=Mode.REPLACE)
    assert plan.before.table == "none" and len(plan.before.partitions) == 2
    run, end = work.apply(plan, keep=False)
    assert end is RunState.WAITING, story(run)
    assert shown(drive) == []
    undo(run)
    assert state(run) is RunState.UNDONE and work.digest(drive) == before


def test_kernel_knows_every_old_partition_after_undo(work: Work, make_drive: MakeDrive) -> None:
    """Check partition scans too: a kernel without support for this table reports success and finds no
    partition."""
    made = make_drive(96 * MIB)
    image = work.bench.images.pop(made)
    tool("losetup", "--detach", made)
    drive = tool("losetup", "--partscan", "--find", "--show", str(image)).strip()
    work.bench.images[drive] = image
    work.bench.own(drive)
    old_gpt(drive)
    tool("mkswap", "-q", f"{drive}p2")
    assert partition_nodes(drive) == (f"{drive}p1", f"{drive}p2")
    run, end = work.apply(work.plan(drive, spec("ext4"), mode=Mode.REPLACE), keep=False)
    assert end is RunState.WAITING, story(run)
    undo(run)
    assert partition_nodes(drive) == (f"{drive}p1", f"{drive}p2")
