"""Resize an NTFS with ntfsresize, rehearsed on a scratch copy: files stay, and undo restores every bit."""

import os
import re
from pathlib import Path

import pytest

from tests.daily import one_in
from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, ended, story
from tests.loop.partition.shrinking import ENDINGS, gone_on_with, killed_by_tool, killed_while_it_writes
from tests.loop.partition.test_grown import CHECKS, files_of, filled
from tests.loop.partition.test_one_partition import Shared
from tests.loop.partition.test_shrunk import at_the_end
from tests.loop.program import MIB, Refused, RunState, undo

NEW, LARGER = 54 * MIB, 69 * MIB
"""Of 64 MiB."""


def with_films(work: Work, make_drive: MakeDrive, kind: str = "gpt") -> tuple[Shared, str]:
    """Return a drive with an NTFS in the middle and files beyond the new end, and their fingerprint."""
    drive = Shared(work, make_drive, kind, 512)
    return drive, at_the_end(drive, "ntfs", 9 * MIB if drive.probed()[1].size_bytes < 100 * MIB else 50 * MIB)


def clear_mark(drive: Shared) -> None:
    """Clear the dirty flag, like a check by Windows."""
    drive.work.bench.own(drive.path)
    tool("ntfsfix", "--clear-dirty", drive.node(2))


def check_of_size(drive: Shared, size: int) -> None:
    """Check that filesystem, partition and backup boot sector end together."""
    part = drive.probed()[1]
    assert part.size_bytes == part.kernel_size_bytes == size
    tool(*CHECKS["ntfs"], drive.node(2))
    tool("ntfsfix", "-n", drive.node(2))
    told = re.search(r"Current volume size: (\d+)", tool("ntfsresize", "-f", "-P", "--info", drive.node(2)))
    assert told and size - 64 * 1024 - 512 < int(told[1]) <= size
    with Path(drive.node(2)).open("rb") as device:
        first = device.read(512)
        device.seek(-512, os.SEEK_END)
        assert device.read(512) == first and first[3:7] == b"NTFS"


CASES = [
    ("gpt", NEW),
    ("mbr", LARGER),
    ("askew", 700 * MIB),
    ("mbr", NEW),
    ("askew", 200 * MIB),
    ("gpt", LARGER),
]


@pytest.mark.parametrize(("kind", "size"), one_in(3, CASES))
def test_files_and_neighbours_stay_and_undo_is_bit_for_bit(
    work: Work, make_drive: MakeDrive, kind: str, size: int
) -> None:
    drive, files = with_films(work, make_drive, kind)
    old = drive.probed()[1]
    was = work.digest(drive.path)
    make = drive.shrink_plan if size < old.size_bytes else drive.grow_plan
    plan = make(size)
    assert any("chkdsk" in str(doubt) for doubt in plan.doubts)
    run, state = work.apply(plan, keep=False)
    assert state is RunState.WAITING, story(run)
    assert not drive.probed()[1].signatures
    undo(run)
    assert ended(run) is RunState.UNDONE, story(run)
    assert work.digest(drive.path) == was
    assert files_of(drive) == files
    with drive.mounted(1), drive.mounted(3):
        others = drive.others()
        run, state = work.apply(make(size))
        assert state is RunState.DONE, story(run)
        assert drive.others() == others
    check_of_size(drive, size if kind != "askew" else drive.probed()[1].size_bytes)
    assert abs(drive.probed()[1].size_bytes - size) < MIB and drive.probed()[1].start_bytes == old.start_bytes
    assert files_of(drive) == files


def test_volume_marked_for_a_check_is_left_unchanged(work: Work, make_drive: MakeDrive) -> None:
    """Check a volume marked dirty, as ntfsresize leaves it until Windows has checked it."""
    drive = Shared(work, make_drive, "gpt", 512)
    files = filled(drive, "ntfs")
    run, state = work.apply(drive.grow_plan(LARGER))
    assert state is RunState.DONE, story(run)
    was = work.digest(drive.path)
    with pytest.raises(Refused, match=r"is scheduled for a check\. Start Windows twice"):
        drive.shrink_plan(NEW)
    assert work.digest(drive.path) == was
    clear_mark(drive)
    run, state = work.apply(drive.shrink_plan(NEW))
    assert state is RunState.DONE, story(run)
    assert files_of(drive) == files


def test_volume_of_a_hibernated_windows_is_left_unchanged(work: Work, make_drive: MakeDrive) -> None:
    drive = Shared(work, make_drive, "gpt", 512)
    filled(drive, "ntfs")
    with drive.mounted(2) as place:
        (place / "hiberfil.sys").write_bytes(b"hibr" + bytes(100_000))
    was = work.digest(drive.path)
    run, state = work.apply(drive.grow_plan(LARGER))
    assert state is RunState.FAILED and f"Windows is hibernated on {drive.node(2)}" in story(run), story(run)
    assert work.digest(drive.path) == was


def test_volume_with_a_dirty_journal_is_left_unchanged(work: Work, make_drive: MakeDrive) -> None:
    """Check a volume whose $LogFile restart areas show an unclean shutdown."""
    drive = Shared(work, make_drive, "gpt", 512)
    filled(drive, "ntfs")
    cut_off(drive)
    was = work.digest(drive.path)
    run, state = work.apply(drive.grow_plan(LARGER))
    assert state is RunState.FAILED and "has unfinished changes by Windows" in story(run), story(run)
    assert work.digest(drive.path) == was


def cut_off(drive: Shared) -> None:
    """Write two restart pages as of a journal in use: no `clean` flag, and a client (ntfs-3g, logfile.h)."""
    drive.work.bench.own(drive.path)
    node = drive.node(2)
    run = re.search(
        r"(?m)^\s+0x0\s+0x([0-9a-f]+)\s+0x", tool("ntfsinfo", "-v", "-i", "2", node).split("$DATA")[1]
    )
    assert run
    page = bytearray(4096)
    page[0:4] = b"RSTR"
    # Update sequence: at 0x1e, 9 words; check LSN; page sizes; restart area at 0x30; version 1.1.
    page[4:8] = (0x1E).to_bytes(2, "little") + (9).to_bytes(2, "little")
    page[16:30] = b"".join(
        (
            (4096).to_bytes(4, "little"),
            (4096).to_bytes(4, "little"),
            (0x30).to_bytes(2, "little"),
            (1).to_bytes(2, "little"),
            (1).to_bytes(2, "little"),
        )
    )
    area = bytearray(0x30 + 0xA0)
    area[0:8] = (1000).to_bytes(8, "little")
    # One client, none free, the first in use; not clean.
    area[8:16] = (
        (1).to_bytes(2, "little")
        + (0xFFFF).to_bytes(2, "little")
        + (0).to_bytes(2, "little")
        + (0).to_bytes(2, "little")
    )
    size = int(tool("ntfsinfo", "-v", "-i", "2", node).split("Data size:")[1].split()[0])
    area[16:20] = (67 - size.bit_length() + 1).to_bytes(4, "little")
    area[20:24] = (0x30 + 0xA0).to_bytes(2, "little") + (0x30).to_bytes(2, "little")
    area[24:32] = size.to_bytes(8, "little")
    area[36:40] = (0x30).to_bytes(2, "little") + (0x40).to_bytes(2, "little")
    client = area[0x30:]
    client[16:20] = (0xFFFF).to_bytes(2, "little") + (0xFFFF).to_bytes(2, "little")
    client[28:32] = (8).to_bytes(4, "little")
    client[32:40] = "NTFS".encode("utf-16-le")
    area[0x30:] = client
    page[0x30 : 0x30 + len(area)] = area
    page[0x1E:0x20] = b"\x01\x00"
    for sector in range(8):
        at = sector * 512 + 510
        page[0x20 + 2 * sector : 0x22 + 2 * sector] = page[at : at + 2]
        page[at : at + 2] = b"\x01\x00"
    with Path(node).open("r+b") as device:
        for number in range(2):
            device.seek(int(run[1], 16) * 4096 + number * 4096)
            device.write(page)
        device.flush()
        os.fsync(device.fileno())
    tool("blockdev", "--flushbufs", node)


def test_size_too_small_for_the_files_is_refused_with_the_minimum(work: Work, make_drive: MakeDrive) -> None:
    drive = Shared(work, make_drive, "gpt", 512)
    filled(drive, "ntfs")
    was = work.digest(drive.path)
    run, state = work.apply(drive.shrink_plan(20 * MIB))
    assert state is RunState.FAILED and "cannot be that small: choose" in story(run), story(run)
    assert work.digest(drive.path) == was


def test_run_killed_while_shrinking_the_scratch_copy_resumes(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive, files = with_films(work, make_drive)
    is_resize = 'echo "$*" | grep --quiet -e "--force.*--size"'
    run = killed_by_tool(drive, drive.shrink_plan(NEW), monkeypatch, "ntfsresize", is_resize)
    gone_on_with(run)
    check_of_size(drive, NEW)
    assert files_of(drive) == files


@pytest.mark.parametrize(("seed", "way"), ENDINGS)
def test_run_killed_at_any_moment_resumes_or_is_undone(
    work: Work, make_drive: MakeDrive, seed: int, way: str
) -> None:
    drive, files = with_films(work, make_drive)
    killed_while_it_writes(drive, drive.shrink_plan(NEW), seed, way, files, lambda: check_of_size(drive, NEW))
