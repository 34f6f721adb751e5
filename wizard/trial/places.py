"""Where a trial reads or writes: fresh random places, in pairs of neighbours."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from wizard.model.machine import Extent
from wizard.model.units import KIB, MIB

NARROWEST_BYTES, WIDEST_BYTES = 64 * KIB, 32 * MIB
REGIONS_WANTED = 1024
BLOCKS_A_REGION = 16
MOST_REGIONS = 20_000


@dataclass(frozen=True, slots=True)
class Grid:
    """What is aligned: multiples of `block_bytes` from `offset_bytes` on. Misaligned accesses lie
    `shift_bytes` behind one."""

    block_bytes: int
    shift_bytes: int
    offset_bytes: int


@dataclass(frozen=True, slots=True)
class Place:
    """The starts of an aligned and of a misaligned access of one block each."""

    aligned_bytes: int
    misaligned_bytes: int


def region_bytes(extents: Sequence[Extent], grid: Grid) -> int:
    """How wide the neighbourhood of a pair is: far enough apart that a drive's read-ahead of one seldom
    covers the other."""
    share = sum(extent.size_bytes for extent in extents) // REGIONS_WANTED
    wide = min(max(share, NARROWEST_BYTES, BLOCKS_A_REGION * grid.block_bytes), WIDEST_BYTES)
    return wide // (2 * grid.block_bytes) * 2 * grid.block_bytes


def draw_places(extents: Sequence[Extent], grid: Grid, random: Random) -> Iterator[Place]:
    """Without end, pairs of places: each pair in a region of its own until all have been used, every access
    whole within its extent.

    Nothing where no extent holds a region.
    """
    width = region_bytes(extents, grid)
    firsts = [_align(extent.start_bytes, grid) for extent in extents]
    counts = [
        max(0, (extent.end_bytes - first) // width) for extent, first in zip(extents, firsts, strict=True)
    ]
    total = sum(counts)
    while total:
        for drawn in random.sample(range(total), min(total, MOST_REGIONS)):
            index = drawn
            for first, count in zip(firsts, counts, strict=True):
                if index < count:
                    yield _place(first + index * width, width, grid, random)
                    break
                index -= count


def _align(position_bytes: int, grid: Grid) -> int:
    return (
        grid.offset_bytes
        + max(0, -(-(position_bytes - grid.offset_bytes) // grid.block_bytes)) * grid.block_bytes
    )


def _place(start_bytes: int, width: int, grid: Grid, random: Random) -> Place:
    """One access in each half of the region, a block away from its ends."""
    half = width // 2
    lower, upper = (
        start_bytes + base + random.randrange(1, half // grid.block_bytes - 2) * grid.block_bytes
        for base in (0, half)
    )
    aligned, other = (lower, upper) if random.random() < 0.5 else (upper, lower)
    return Place(aligned, other + grid.shift_bytes)
