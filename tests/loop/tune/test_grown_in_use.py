"""Grow a mounted filesystem into the free space after its partition, during writes. Its neighbours and the
rest of the table stay unchanged."""

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.devices import MakeDrive, tool
from tests.loop.applying import PowerCut, Work, carry_out, diskwright, ended, said, story, without_power
from tests.loop.partition.test_grown import CHECKS
from tests.loop.program import (
    MIB,
    Event,
    Purpose,
    Refused,
    RunState,
    probe_drive,
    resume,
    start_document,
    state,
    undo,
)
from tests.loop.tune.tuning import begin
from wizard.apply.block import devices
from wizard.apply.run.job import Start
from wizard.apply.settings.plan_settings import act
from wizard.apply.settings.system import has_capability
from wizard.model.requests import Grow
from wizard.operations.filesystem import SYS_RESOURCE

MAKERS = {
    "ext2": ("mkfs.ext2", "-q", "-F"),
    "ext3": ("mkfs.ext3", "-q", "-F"),
    "ext4": ("mkfs.ext4", "-q", "-F"),
    "xfs": ("mkfs.xfs", "-q", "-f"),
    "btrfs": ("mkfs.btrfs", "-q", "-f", "-M"),
}
OLD, NEW = 320, 511
"""MiB of the partition that grows; a neighbour of 8 MiB lies before it and one behind it."""

SIZE = 530 * MIB
SCRIPT = "start=1MiB,size=8MiB\nstart=9MiB,size=320MiB,{more}\nstart=520MiB,size=8MiB\n"
TABLES = {
    "gpt": "label: gpt\n" + SCRIPT.format(more='name="größer",attrs="GUID:60"'),
    "mbr": "label: dos\n" + SCRIPT.format(more="bootable"),
    "copied": "label: gpt\nstart=1MiB,size=8MiB\nstart=9MiB,size=320MiB\n",
}
"""The last one is made on a drive of 340 MiB, of which the drive is a copy: its backup lies in the middle."""


class Used:
    """A drive with three partitions. The middle one is mounted; its neighbours contain random bytes."""

    def __init__(self, work: Work, make_drive: MakeDrive, kind: str, filesystem: str) -> None:
        self.work, self.path = work, make_drive(SIZE)
        work.bench.own(self.path)
        script = work.folder / "script"
        script.write_text(TABLES[kind])
        self.kind, self.new = kind, NEW
        on = self.path
        if kind == "copied":
            self.new = NEW + 9
            on = str(work.folder / "small")
            tool("truncate", "--size", "340M", on)
        tool("sh", "-c", f"sfdisk --quiet --no-reread --wipe always {on} < {script} || true")
        if on != self.path:
            tool("dd", f"if={on}", f"of={self.path}", "bs=1M", "conv=notrunc", "status=none")
        tool("partx", "--add", self.path)
        for number in (1,) if kind == "copied" else (1, 3):
            Path(f"{self.path}p{number}").write_bytes(os.urandom(8 * MIB))
        self.node = f"{self.path}p2"
        tool(*MAKERS[filesystem], self.node)
        self.place = work.place("used")
        self.place.mkdir(parents=True)
        tool("mount", self.node, str(self.place))
        self.was, self.beside = self.table, self.neighbours

    def at(self, offset: int, length: int) -> bytes:
        """Return bytes of the drive, without the kernel's caches."""
        tool("blockdev", "--flushbufs", self.path)
        with self.work.bench.image_of(self.path).open("rb") as image:
            return os.pread(image.fileno(), length, offset)

    @property
    def table(self) -> bytes:
        """First and last MiB."""
        return self.at(0, MIB) + self.at(SIZE - MIB, MIB)

    @property
    def neighbours(self) -> tuple[object, ...]:
        """The neighbours' bytes, and their entries on the disk and in the kernel."""
        found = probe_drive(self.path).partitions
        entries = [replace(part, superblock_digest=None) for part in found if part.number != 2]
        behind = b"" if self.kind == "copied" else self.at(520 * MIB, 8 * MIB)
        return (self.at(MIB, 8 * MIB), behind, entries)

    @property
    def end(self) -> tuple[int, int | None]:
        """Size of the partition in the table and in the kernel, in MiB."""
        part = probe_drive(self.path).partition(self.node)
        assert part is not None
        kernel = part.kernel_size_bytes
        return part.size_bytes // MIB, None if kernel is None else kernel // MIB

    @property
    def held(self) -> int:
        """Size of the mounted filesystem, in MiB."""
        status = os.statvfs(self.place)
        return status.f_blocks * status.f_frsize // MIB

    def grow(self, *words: str) -> str:
        done = diskwright(self.work, "grow", self.node, "--confirm", Path(self.path).name, *words)
        assert done.returncode == 0, done.stdout + done.stderr
        return " ".join((done.stdout + done.stderr).split())

    def begin(self) -> Path:
        return begin(self.work, act(self.node, Grow(), self.work.environment))

    def check(self, filesystem: str) -> None:
        """Unmount the filesystem and check it."""
        tool("umount", str(self.place))
        tool(*CHECKS[filesystem], self.node)


@pytest.mark.parametrize(
    ("kind", "filesystem"),
    [("gpt", "xfs"), ("mbr", "xfs"), ("gpt", "btrfs"), ("gpt", "ext4"), ("mbr", "ext3"), ("copied", "xfs")],
)
def test_filesystem_grows_during_writes(
    work: Work, make_drive: MakeDrive, kind: str, filesystem: str
) -> None:
    if filesystem.startswith("ext") and not has_capability(SYS_RESOURCE):
        pytest.skip("root may not grow an ext filesystem here; the lab does")
    drive = Used(work, make_drive, kind, filesystem)
    assert drive.end == (OLD, OLD)
    with (drive.place / "open").open("wb") as file:
        file.write(b"before" * 5000)
        shown = drive.grow()
        file.write(b"behind" * 5000)
    assert f"Extend {drive.node} into the free space" in shown
    assert drive.end == (drive.new, drive.new) and drive.held > drive.new * 4 // 5
    assert drive.neighbours == drive.beside
    assert "No errors detected" in tool("sfdisk", "--verify", drive.path)
    drive.check(filesystem)
    tool("mount", drive.node, str(drive.place))
    assert (drive.place / "open").read_bytes() == b"before" * 5000 + b"behind" * 5000
    tool("umount", str(drive.place))


def test_undo_restores_the_old_size_of_a_btrfs(work: Work, make_drive: MakeDrive) -> None:
    drive = Used(work, make_drive, "gpt", "btrfs")
    assert "Undo is not possible" not in drive.grow()
    assert drive.table != drive.was
    undone = diskwright(work, "undo")
    assert undone.returncode == 0, undone.stderr
    assert (drive.table, drive.end) == (drive.was, (OLD, OLD)) and drive.held <= OLD
    drive.check("btrfs")


def test_growth_without_undo_is_announced(work: Work, make_drive: MakeDrive) -> None:
    drive = Used(work, make_drive, "gpt", "xfs")
    told = drive.grow()
    assert "XFS does not shrink while mounted" in told and "Undo is not possible." in told
    grown = drive.table
    undone = diskwright(work, "undo")
    assert undone.returncode == 3 and "XFS does not shrink while mounted" in undone.stderr
    assert drive.table == grown and drive.end == (NEW, NEW)


@pytest.mark.parametrize("step", [1, 2])
def test_growth_without_undo_resumes_after_a_power_cut(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    drive = Used(work, make_drive, "gpt", "xfs")
    runs = [drive.begin() for _ in range(2)]

    def cut(run: Path) -> None:
        without_power(monkeypatch, Event.STEP_DONE, step, lambda: carry_out(run, Purpose.APPLY, ()))

    cut(runs[0])
    assert state(runs[0]) is RunState.INTERRUPTED and drive.end == (NEW, NEW)
    undo(runs[0])
    if step == 2:
        # It has grown, although nobody wrote that down: the partition under it stays.
        assert drive.end == (NEW, NEW) and "The new end of" in story(runs[0])
        drive.check("xfs")
        return
    assert (drive.table, drive.end) == (drive.was, (OLD, OLD)), story(runs[0])
    cut(runs[1])
    resume(runs[1])
    assert ended(runs[1]) is RunState.DONE, story(runs[1])
    assert not said(runs[1], Event.NOT_VERIFIED) and drive.end == (NEW, NEW)
    drive.check("xfs")


@pytest.mark.parametrize("back", [True, False])
@pytest.mark.parametrize(
    ("kind", "written"), [("gpt", 1), ("gpt", 2), ("gpt", 3), ("copied", 2), ("copied", 3)]
)
def test_half_written_table_becomes_complete(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch, kind: str, written: int, back: bool
) -> None:
    """Complete only some of the four writes: entries and header of the backup, then of the primary table."""
    drive = Used(work, make_drive, kind, "xfs")
    run = drive.begin()
    left, real = [written], devices.write_bytes

    def write(path: str, offset: int, data: bytes) -> None:
        if not left[0]:
            raise PowerCut
        left[0] -= 1
        real(path, offset, data)

    with monkeypatch.context() as patched, pytest.raises(PowerCut):
        patched.setattr("wizard.apply.block.devices.write_bytes", write)
        carry_out(run, Purpose.APPLY, ())
    half = drive.table
    assert half != drive.was and drive.end[1] == OLD
    if back:
        undo(run)
        assert state(run) is RunState.UNDONE and drive.end == (OLD, OLD)
        # The backup of one that was copied stays at the end.
        assert (drive.table == drive.was) is (kind == "gpt")
    else:
        resume(run)
        assert ended(run) is RunState.DONE, story(run)
        assert drive.table not in (half, drive.was) and drive.end == (drive.new, drive.new)
    assert "No errors detected" in tool("sfdisk", "--verify", drive.path)
    drive.check("xfs")


def test_space_used_by_others_since_is_left_unchanged(work: Work, make_drive: MakeDrive) -> None:
    drive = Used(work, make_drive, "gpt", "xfs")
    run = drive.begin()
    tool("sh", "-c", f"echo 'start=400MiB,size=8MiB' | sfdisk -q --append --no-reread --force {drive.path}")
    taken = drive.table
    carry_out(run, Purpose.APPLY, ())
    assert state(run) is RunState.REFUSED and "is in use. Prepare the changes again" in story(run)
    assert drive.table == taken and drive.end == (OLD, OLD)


def test_filesystem_smaller_than_its_partition_grows_alone(work: Work, make_drive: MakeDrive) -> None:
    drive = Used(work, make_drive, "gpt", "xfs")
    tool("sh", "-c", f"echo ',511MiB' | sfdisk -q -N 2 --no-reread --force {drive.path}")
    tool("partx", "--update", "--nr", "2:2", drive.path)
    table = drive.table
    assert drive.held < OLD
    shown = drive.grow()
    assert drive.held > NEW * 4 // 5 and drive.table == table and "Extend " not in shown
    again = diskwright(work, "grow", drive.node)
    assert again.returncode == 3 and "No free space directly after" in again.stderr


def test_impossible_growth_is_refused_without_changes(work: Work, make_drive: MakeDrive) -> None:
    drive = Used(work, make_drive, "gpt", "xfs")
    environment = work.environment

    def refused(match: str) -> None:
        with pytest.raises(Refused, match=match):
            act(drive.node, Grow(), environment)

    tool("mount", "-o", "remount,ro", str(drive.place))
    refused("is read-only")
    tool("umount", str(drive.place))
    refused("is not mounted: rehearse with `diskwright plan .* --grow`")
    for filesystem, options, match in (
        ("ext2", (), "contains ext2, which cannot grow while in use"),
        ("ext4", ("-O", "^has_journal"), "cannot grow while in use"),
    ):
        tool(*MAKERS[filesystem], *options, drive.node)
        tool("mount", drive.node, str(drive.place))
        refused(match)
        tool("umount", str(drive.place))
    assert drive.table == drive.was


def test_ext4_growth_without_the_capability_is_refused(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = Used(work, make_drive, "gpt", "ext4")
    status = work.folder / "status"
    status.write_text("Name:\tx\nCapEff:\t000001fffeffffff\n")
    monkeypatch.setattr("wizard.apply.settings.system.PROCESS", status)
    changes = act(drive.node, Grow(), work.environment)
    with pytest.raises(Refused, match="CAP_SYS_RESOURCE"):
        start_document(changes, Start((changes.drive.token,), work.runs, work.environment))
    assert drive.table == drive.was and drive.end == (OLD, OLD)
