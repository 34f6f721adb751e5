"""Possible contents of a drive after a power cut, from the log of its writes. Pure.

Writes before a flush are durable. Of later writes, any sectors may have arrived: a drive may keep a later
write and lose an earlier one, and a long write may arrive in part.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from tests.lab.power.blocklog import Write

SECTOR_BYTES = 512
TORN_BYTES = 2048
"""A long write is cut after each multiple of this size."""
RANDOM_ORDERS = 8
"""Number of random sector selections between two flushes."""


@dataclass
class Content:
    """Content of a drive, and how often this content occurred before."""

    drive: bytearray
    _mark: int = 0

    def __post_init__(self) -> None:
        self._seen = {self._mark}

    def take(self, writes: Iterable[Write]) -> None:
        """Apply writes."""
        for sector in sectors_of(writes):
            held = self.drive[sector.place]
            if held != sector.data:
                # A change and its reversal cancel each other out.
                self._mark ^= hash((sector.offset_bytes, bytes(held))) ^ hash(
                    (sector.offset_bytes, sector.data)
                )
                self.drive[sector.place] = sector.data

    def held(self, writes: Iterable[Write]) -> list[Write]:
        """Return the current bytes at the places of writes."""
        return [Write(sector.offset_bytes, bytes(self.drive[sector.place])) for sector in sectors_of(writes)]

    def is_new(self) -> bool:
        """Return True the first time with this content."""
        known = self._mark in self._seen
        self._seen.add(self._mark)
        return not known


def sectors_of(writes: Iterable[Write]) -> Iterator[Write]:
    """Split writes into sectors."""
    return itertools.chain.from_iterable(write.in_pieces(SECTOR_BYTES) for write in writes)


def power_cuts(content: Content, writes: Sequence[Write], dice: Random) -> Iterator[tuple[int, str]]:
    """Yield each sampled state once, starting from the current `content`, which has this state meanwhile.
    Values: the number of writes begun, and a description of which arrived."""
    begun = 0
    for _, group in itertools.groupby(writes, key=lambda write: write.flushes):
        together = list(group)
        before = content.held(together)
        for number, write in enumerate(together, begun + 1):
            for length, piece in enumerate(write.in_pieces(TORN_BYTES), 1):
                content.take([piece])
                if content.is_new():
                    yield number, f"write {number} to its piece {length}"
        begun += len(together)
        for what, arrived in _out_of_order(together, dice):
            content.take(before)
            content.take(arrived)
            if content.is_new():
                yield begun, f"up to write {begun}, {what}"
        content.take(before)
        content.take(together)


def _out_of_order(writes: Sequence[Write], dice: Random) -> Iterator[tuple[str, list[Write]]]:
    for number, one in enumerate(writes, 1):
        yield (
            f"all but {number} of {len(writes)} since the flush",
            [write for write in writes if write is not one],
        )
        yield f"only {number} of {len(writes)} since the flush", [one]
    for _ in range(RANDOM_ORDERS):
        yield (
            f"some sectors of {len(writes)} since the flush",
            [sector for sector in sectors_of(writes) if dice.random() < 0.5],
        )
