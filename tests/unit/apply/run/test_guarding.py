"""Locks and their order, the kernel's own check, and the size limit of an MBR."""

import fcntl
import itertools
import os
import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.unit.machines import E512, KN4, N512, drive, mbr, partition, partitioned
from wizard.apply.run import process
from wizard.apply.run.process import lock_drives, unlocked
from wizard.apply.table.write import misalignments
from wizard.findings.tables import find_tables
from wizard.model.errors import Refused
from wizard.model.geometry import Geometry
from wizard.model.said import MIB, TIB
from wizard.plan.free_space import fresh_bounds
from wizard.probe.content.tables import read_mbr
from wizard.process import lock


@pytest.fixture
def drives(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """Paths of two files used as drives, in order of name."""
    first, second = tmp_path / "a", tmp_path / "b"
    first.touch()
    second.touch()
    yield str(first), str(second)


def is_free(path: str) -> bool:
    fd = os.open(path, os.O_RDONLY)
    try:
        with suppress(BlockingIOError):
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        return False
    finally:
        os.close(fd)


@pytest.mark.parametrize("taken", [0, 1])
def test_every_lent_lock_must_be_reacquired(drives: tuple[str, str], taken: int) -> None:
    mine = lock_drives(drives)
    other = os.open(drives[taken], os.O_RDONLY)
    try:
        with pytest.raises(Refused, match="Another program locked"), unlocked(mine, wait_seconds=0):
            assert all(map(is_free, drives))
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        assert not is_free(drives[1 - taken]), "the one that could be had is held"
        fcntl.flock(other, fcntl.LOCK_UN)
        with unlocked(mine, wait_seconds=0):
            pass
        assert not any(map(is_free, drives))
    finally:
        os.close(other)
        process.unlock(mine)


@pytest.mark.parametrize("turned", [False, True])
def test_drives_are_locked_in_name_order(
    drives: tuple[str, str], turned: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise two runs with the same two drives could deadlock."""
    monkeypatch.setattr(lock, "monotonic", itertools.count(0, 100).__next__)
    other = os.open(drives[0], os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)
    try:
        tried: list[str] = []
        real = os.open

        def opening(path: str, flags: int) -> int:
            tried.append(path)
            return real(path, flags)

        monkeypatch.setattr(os, "open", opening)
        with pytest.raises(Refused, match=drives[0]):
            lock_drives(drives[::-1] if turned else drives)
        assert tried == [drives[0]], "while it waits for the first, it holds none"
    finally:
        os.close(other)


@pytest.mark.parametrize(
    ("geometry", "start_bytes", "off"),
    [
        (E512, MIB, 0),
        (E512, 63 * 512, 512),
        (E512, MIB + 3584, 512),
        (N512, 63 * 512, 0),
        (replace(E512, alignment_offset_bytes=3584), 63 * 512, 0),
    ],
)
def test_kernel_rule_applies_to_each_new_partition(geometry: Geometry, start_bytes: int, off: int) -> None:
    found = misalignments(partitioned(partition(1, start_bytes), geometry=geometry), [1])
    assert [*map(str, found)] == ([f"/dev/sda1 is misaligned by {off} bytes"] if off else [])
    assert [*misalignments(partitioned(partition(1), geometry=geometry), [2])]


LAST_BLOCK = (1 << 32) - 1
"""The largest number that an entry of an MBR has room for."""


@pytest.mark.parametrize("geometry", [N512, E512, KN4])
@pytest.mark.parametrize("beyond", [-1, 0, 1, 5])
def test_mbr_reaches_exactly_its_limit(geometry: Geometry, beyond: int) -> None:
    block = geometry.logical_block_bytes
    size = (LAST_BLOCK + 1 + beyond) * block
    bounds = fresh_bounds("mbr", size, geometry)
    last = bounds.end_bytes // block - 1
    assert last == LAST_BLOCK + min(beyond, 0)
    struct.pack("<II", bounds.start_bytes // block, bounds.size_bytes // block)
    sector = bytearray(512)
    sector[510:] = b"\x55\xaa"
    struct.pack_into("<BxxxBxxxII", sector, 446, 0, 0x83, 2048, 2048)
    found = read_mbr(lambda at, length: bytes(sector)[at : at + length], size, block)
    assert found is not None and found.table.end_usable_bytes == bounds.end_bytes


@pytest.mark.parametrize(("blocks", "told"), [(LAST_BLOCK + 1, False), (LAST_BLOCK + 2, True)])
def test_partition_beyond_the_mbr_limit_is_reported(blocks: int, told: bool) -> None:
    on = drive(
        size_bytes=blocks * 512, table=mbr(blocks * 512), partitions=(partition(1, MIB, TIB, type="0x83"),)
    )
    assert ("table-mbr-over-2tib" in {finding.code for finding in find_tables(on)}) is told
