"""Where a write probe for shingled recording writes: one long stretch in order, and many short pieces all
over the rest, each once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from wizard.model.machine import Extent
from wizard.model.units import KIB, MIB

PIECE_BYTES = 64 * KIB
"""Of a random write: small against a band, and large enough to fill a cache of tens of GB before patience
ends."""

STRETCH_BYTES = MIB
"""Read at once, since reading each piece by itself would take several times as long as writing it. Longer
ones would put many pieces into one band, whose rewriting then serves them all."""

STRETCHES_HELD = 64
PIECES_A_PASS = STRETCH_BYTES // PIECE_BYTES // 2
"""Every second piece of a stretch, so that no cache can put them together to one long write."""

ORDERED_SHARE = 4
"""At most this part of the largest free extent is written in order."""

FEWEST_STRETCHES = STRETCHES_HELD


@dataclass(frozen=True, slots=True)
class Batch:
    """The stretches to hold, and the pieces of them to write: (start of the stretch, offset in it), in random
    order."""

    starts_bytes: tuple[int, ...]
    pieces: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Ground:
    """The starts of whole stretches in free space: those written in order, one after the other, and as ranges
    those written at random."""

    ordered: range
    random: tuple[range, ...]

    @property
    def random_bytes(self) -> int:
        """All that can be written at random without writing any byte twice."""
        return sum(map(len, self.random)) * STRETCH_BYTES


def lay_ground(extents: Sequence[Extent], offset_bytes: int, ordered_bytes: int) -> Ground | None:
    """Part free space, for at most `ordered_bytes` in order; None where it is too small. `offset_bytes` is
    where aligned blocks begin."""
    whole = [_stretches(extent, offset_bytes) for extent in extents]
    largest = max(whole, key=len, default=range(0))
    count = min(max(1, ordered_bytes // STRETCH_BYTES), len(largest) // ORDERED_SHARE)
    rest = tuple(stretches[count:] if stretches is largest else stretches for stretches in whole)
    if not count or sum(map(len, rest)) < FEWEST_STRETCHES:
        return None
    return Ground(largest[:count], rest)


def draw_batches(ground: Ground, most_bytes: int, random: Random) -> Iterator[Batch]:
    """Random pieces all over the ground, at least `most_bytes` if it has them, every one once: first all even
    ones, then all odd ones."""
    total = sum(map(len, ground.random))
    wanted = -(-most_bytes // (PIECES_A_PASS * PIECE_BYTES))
    for parity in (0, 1):
        drawn = random.sample(range(total), min(total, wanted))
        wanted -= len(drawn)
        for first in range(0, len(drawn), STRETCHES_HELD):
            starts = tuple(_start(ground.random, index) for index in drawn[first : first + STRETCHES_HELD])
            pieces = [
                (start, (2 * piece + parity) * PIECE_BYTES)
                for start in starts
                for piece in range(PIECES_A_PASS)
            ]
            random.shuffle(pieces)
            yield Batch(starts, tuple(pieces))


def _stretches(extent: Extent, offset_bytes: int) -> range:
    """Aligned to whole MiB behind the drive's alignment offset, as partitions are."""
    first = offset_bytes + max(0, -(-(extent.start_bytes - offset_bytes) // MIB)) * MIB
    count = max(0, (extent.end_bytes - first) // STRETCH_BYTES)
    return range(first, first + count * STRETCH_BYTES, STRETCH_BYTES)


def _start(ranges: Sequence[range], index: int) -> int:
    for one in ranges:
        if index < len(one):
            return one[index]
        index -= len(one)
    raise IndexError(index)
