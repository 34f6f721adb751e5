"""Where the quick probe writes: pairs of neighbouring blocks in free space, of which a coin says which one is
written."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from wizard.model.machine import Extent
from wizard.model.units import MIB

SINGLES = 192
"""Pairs all over free space."""

GROUPS, GROUP_PAIRS = 44, 6
"""Groups of pairs within `GROUP_BYTES` each."""

WRITES = SINGLES + GROUPS * GROUP_PAIRS
NEAREST_BYTES, FARTHEST_BYTES = 3 * MIB, 6 * MIB
"""How far apart the two of a single pair lie: beyond a drive's read-ahead, within the same zone."""

GROUP_BYTES = 2 * GROUP_PAIRS * MIB
GROUP_BLOCKS = 64
"""Blocks of a group begin within so many of each MiB."""

LEAST_FREE_BYTES = 1024 * MIB
"""In less, the drive's memory would hold a good part of it."""

STREAM_BYTES = 768 * MIB
"""Read elsewhere, to empty the drive's memory; no drive has more than 512 MiB."""

STREAM_DRAWS = 32


@dataclass(frozen=True, slots=True)
class Pair:
    """The starts of a block that is written, and of its neighbour that is not."""

    written: int
    unwritten: int


@dataclass(frozen=True, slots=True)
class Pairs:
    """Every pair: single ones in random order, and groups in the order of writing. `block_bytes` are the
    size of a block."""

    block_bytes: int
    singles: tuple[Pair, ...]
    groups: tuple[tuple[Pair, ...], ...]

    @property
    def all(self) -> Iterator[Pair]:
        """Single ones first."""
        yield from self.singles
        for group in self.groups:
            yield from group


def free_bytes(extents: Sequence[Extent]) -> int:
    """What of free space is wide enough for a group."""
    return sum(extent.size_bytes for extent in _wide(extents))


def draw_pairs(extents: Sequence[Extent], block_bytes: int, offset_bytes: int, random: Random) -> Pairs:
    """Pairs all over `extents`, which must hold `LEAST_FREE_BYTES` that are wide enough. Blocks begin at
    whole multiples of `block_bytes` from `offset_bytes` on; none is drawn twice."""
    wide = _wide(extents)
    taken: set[int] = set()

    def aligned(place: int) -> int:
        return offset_bytes + max(0, -(-(place - offset_bytes) // block_bytes)) * block_bytes

    def toss(one: int, other: int) -> Pair:
        taken.update((one, other))
        return Pair(one, other) if random.random() < 0.5 else Pair(other, one)

    def single() -> Pair:
        while True:
            start = _place(wide, FARTHEST_BYTES + 2 * block_bytes, random)
            one = aligned(start)
            other = aligned(one + random.randrange(NEAREST_BYTES, FARTHEST_BYTES))
            if not taken & {one, other}:
                return toss(one, other)

    def group() -> tuple[Pair, ...]:
        while True:
            base = _place(wide, GROUP_BYTES + GROUP_BLOCKS * block_bytes, random)
            blocks = [
                aligned(base + slot * MIB + random.randrange(GROUP_BLOCKS) * block_bytes)
                for slot in range(2 * GROUP_PAIRS)
            ]
            if len(set(blocks)) == len(blocks) and not taken.intersection(blocks):
                pairs = [toss(one, other) for one, other in zip(blocks[::2], blocks[1::2], strict=True)]
                random.shuffle(pairs)
                return tuple(pairs)

    return Pairs(block_bytes, tuple(single() for _ in range(SINGLES)), tuple(group() for _ in range(GROUPS)))


def stream_start(size_bytes: int, pairs: Pairs, random: Random) -> tuple[int, int]:
    """Where the long read begins and how long it is: where few of the pairs lie."""
    length = min(STREAM_BYTES, size_bytes // 2) // MIB * MIB
    places = sorted(start for pair in pairs.all for start in (pair.written, pair.unwritten))
    drawn = [random.randrange(max(1, (size_bytes - length) // MIB)) * MIB for _ in range(STREAM_DRAWS)]
    return min(drawn, key=lambda start: sum(start <= place < start + length for place in places)), length


def _wide(extents: Sequence[Extent]) -> list[Extent]:
    return [extent for extent in extents if extent.size_bytes >= 2 * GROUP_BYTES]


def _place(wide: Sequence[Extent], needed_bytes: int, random: Random) -> int:
    """A place all over the extents that has so much behind it."""
    rooms = [extent.size_bytes - needed_bytes for extent in wide]
    drawn = random.randrange(sum(rooms))
    for extent, room in zip(wide, rooms, strict=True):
        if drawn < room:
            return extent.start_bytes + drawn
        drawn -= room
    raise IndexError(drawn)
