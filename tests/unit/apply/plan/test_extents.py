"""Ranges in files and on drives: intersections, and explicitly allocated zeros in files."""

import ctypes
import os
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from wizard.apply.block.extents import (
    GRAIN_BYTES,
    chunks,
    clipped,
    differing,
    gaps,
    held,
    merged,
    seeking_finds,
)
from wizard.model.machine import Extent
from wizard.model.said import MIB

ZERO_RANGE = 0x10
"""FALLOC_FL_ZERO_RANGE of linux/falloc.h: what BLKZEROOUT on a loop device becomes."""


def some_places(dice: Random, end: int) -> tuple[Extent, ...]:
    """Return random ranges in order, without overlaps."""
    edges = sorted(dice.sample(range(end + 1), 2 * dice.randrange(0, 7)))
    return tuple(Extent(edges[at], edges[at + 1] - edges[at]) for at in range(0, len(edges), 2))


def bytes_of(places: tuple[Extent, ...]) -> set[int]:
    """Return the offset of every byte in the ranges."""
    return {byte for place in places for byte in range(place.start_bytes, place.end_bytes)}


@pytest.mark.parametrize("seed", range(300))
def test_intersection_contains_the_common_bytes(seed: int) -> None:
    """Byte by byte, including ranges within several others, and several within one."""
    dice = Random(seed)
    places, allowed = some_places(dice, 40), some_places(dice, 40)

    found = tuple(clipped(places, allowed))

    assert bytes_of(found) == bytes_of(places) & bytes_of(allowed)
    assert bytes_of(tuple(clipped(places, gaps(allowed, 40)))) == bytes_of(places) - bytes_of(allowed)


def test_requested_zeros_count_as_changes_without_reading(tmp_path: Path) -> None:
    """mkfs requests such zeros for a journal. They count as changes and need no reading."""
    file = tmp_path / "stand-in"
    fd = os.open(file, os.O_RDWR | os.O_CREAT)
    try:
        os.ftruncate(fd, 64 * MIB)
        os.pwrite(fd, b"\xff" * 8192, MIB)
        libc = ctypes.CDLL(None, use_errno=True)
        libc.fallocate.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64)
        if libc.fallocate(fd, ZERO_RANGE, 8 * MIB, 16 * MIB):
            pytest.skip("this filesystem takes no room for zeros")
        os.pwrite(fd, b"\x01", 9 * MIB + 5)

        everything, written = held(fd), seeking_finds(fd, 64 * MIB)

        assert pages_of(everything) >= {MIB // 4096, MIB // 4096 + 1, *range(2048, 6144)}
        assert pages_of(written) == {MIB // 4096, MIB // 4096 + 1, 9 * MIB // 4096}
        assert not any(os.pread(fd, 16 * MIB, 8 * MIB)[: MIB + 5])
    finally:
        os.close(fd)


def pages_of(places: tuple[Extent, ...]) -> set[int]:
    """Return the numbers of all 4096-byte pages that the ranges touch."""
    return {
        page
        for place in merged(places, 4096, 64 * MIB)
        for page in range(place.start_bytes // 4096, place.end_bytes // 4096)
    }


@pytest.mark.parametrize("seed", range(20))
def test_differences_are_found_and_saved_in_one_reading(seed: int) -> None:
    """Block by block, with nearby blocks within 1 MiB joined to one range."""
    dice = Random(seed)
    size = 3 * MIB + 512 * dice.randrange(4)
    changed = {at for at in range(-(-size // GRAIN_BYTES)) if seed == 0 or dice.random() < 0.5}
    here, there = bytes(size), bytearray(size)
    for at in changed:
        there[at * GRAIN_BYTES] = 1
    asked: list[Extent] = []

    def drive(start_bytes: int, length_bytes: int) -> bytes:
        asked.append(Extent(start_bytes, length_bytes))
        return here[start_bytes : start_bytes + length_bytes]

    found = list(differing((Extent(0, size),), drive, lambda start, length: bytes(there[start:][:length])))

    blocks = [range(place.start_bytes // GRAIN_BYTES, -(-place.end_bytes // GRAIN_BYTES)) for place in found]
    assert sorted(changed) == [block for each in blocks for block in each]
    assert all(
        one.end_bytes < next_one.start_bytes or next_one.start_bytes % MIB == 0
        for one, next_one in pairwise(found)
    )
    assert asked == list(chunks((Extent(0, size),)))
