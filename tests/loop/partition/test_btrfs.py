"""Shrink a Btrfs: data at its end moves, files stay, and undo restores every bit."""

import random
import re

import pytest

from tests.daily import one_in
from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, ended, story
from tests.loop.partition.shrinking import OTHER_ENDINGS, gone_on_with, killed_by_tool, killed_while_it_writes
from tests.loop.partition.test_grown import CHECKS, MAKERS, files_of, filled
from tests.loop.partition.test_one_partition import Shared
from tests.loop.partition.test_shrunk import at_the_end
from tests.loop.program import MIB, RunState, undo

NEW = 280 * MIB
"""Of 400 MiB."""


DATA = re.compile(
    r"CHUNK_ITEM (\d+)\).*?\n\s+length (\d+) .*? type DATA\|single\n(?:.*\n){2}.*? offset (\d+)\n"
)


def behind(drive: Shared) -> int:
    """Return the number of bytes of files beyond the new end."""
    dump, total = ("btrfs", "inspect-internal", "dump-tree", "--tree"), 0
    chunks = [tuple(map(int, found)) for found in DATA.findall(tool(*dump, "chunk", drive.node(2)))]
    extents = re.findall(r"\((\d+) EXTENT_ITEM (\d+)\)", tool(*dump, "extent", drive.node(2)))
    for start, length in (tuple(map(int, found)) for found in extents):
        for logical, size, offset in chunks:
            if logical <= start < logical + size:
                end = offset + start - logical + length
                total += max(0, end - max(end - length, NEW))
    return total


@pytest.mark.parametrize(
    ("kind", "block_bytes", "filesystem"),
    one_in(3, [("large", 512, "btrfs"), ("large mbr", 4096, "btrfs"), ("large", 512, "old btrfs")]),
)
def test_files_and_neighbours_stay_and_undo_is_bit_for_bit(
    work: Work, make_drive: MakeDrive, kind: str, block_bytes: int, filesystem: str
) -> None:
    drive = Shared(work, make_drive, kind, block_bytes)
    files = at_the_end(drive, filesystem)
    assert behind(drive) > 4 * MIB
    was = work.digest(drive.path)
    run, state = work.apply(drive.shrink_plan(NEW), keep=False)
    assert state is RunState.WAITING, story(run)
    assert not drive.probed()[1].signatures
    undo(run)
    assert ended(run) is RunState.UNDONE and work.digest(drive.path) == was, story(run)
    assert files_of(drive) == files
    with drive.mounted(1), drive.mounted(3):
        others = drive.others()
        run, state = work.apply(drive.shrink_plan(NEW))
        assert state is RunState.DONE, story(run)
        assert drive.others() == others
    part = drive.probed()[1]
    assert part.size_bytes == part.kernel_size_bytes == NEW
    tool(*CHECKS["btrfs"], drive.node(2))
    assert files_of(drive) == files
    with drive.mounted(2) as place:
        assert f" size {NEW} " in tool("btrfs", "filesystem", "show", "--raw", str(place))
        (place / "new").write_bytes(bytes(MIB))


def test_full_filesystem_is_left_unchanged(work: Work, make_drive: MakeDrive) -> None:
    drive = Shared(work, make_drive, "large", 512)
    filled(drive, "btrfs")
    with drive.mounted(2) as place:
        (place / "more").write_bytes(random.Random(5).randbytes(200 * MIB))
    was = work.digest(drive.path)
    run, state = work.apply(drive.shrink_plan(NEW))
    assert state is RunState.FAILED and "Nothing was written" in story(run), story(run)
    assert work.digest(drive.path) == was


def test_filesystem_on_several_devices_is_refused(work: Work, make_drive: MakeDrive) -> None:
    drive, other = Shared(work, make_drive, "large", 512), make_drive(200 * MIB)
    work.bench.own(drive.path)
    work.bench.own(other)
    tool(*MAKERS["btrfs"], "-d", "single", "-m", "dup", drive.node(2), other)
    was = work.digest(drive.path)
    run, state = work.apply(drive.shrink_plan(NEW))
    assert state is RunState.FAILED and "spans 2 devices" in story(run), story(run)
    assert work.digest(drive.path) == was
    tool("btrfs", "device", "scan", "--forget", drive.node(2))
    tool("btrfs", "device", "scan", "--forget", other)


def test_run_killed_while_shrinking_the_scratch_copy_resumes(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = Shared(work, make_drive, "large", 512)
    files = at_the_end(drive, "btrfs")
    run = killed_by_tool(drive, drive.shrink_plan(NEW), monkeypatch, "btrfs", '[ "$2" = resize ]')
    gone_on_with(run)
    tool(*CHECKS["btrfs"], drive.node(2))
    assert files_of(drive) == files


@pytest.mark.parametrize(("seed", "way"), OTHER_ENDINGS)
def test_run_killed_at_any_moment_resumes_or_is_undone(
    work: Work, make_drive: MakeDrive, seed: int, way: str
) -> None:
    drive = Shared(work, make_drive, "large", 512)
    files = at_the_end(drive, "btrfs")
    killed_while_it_writes(
        drive, drive.shrink_plan(NEW), seed, way, files, lambda: tool(*CHECKS["btrfs"], drive.node(2))
    )
