"""What a drive can hold after a power cut, by the log of its writes. Pure.

What was written before a flush is there. Of what was written since, any part may have arrived, in any order,
sector by sector: a drive may keep a later write and lose an earlier one, and a long write may arrive in
pieces.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from tests.lab.power.blocklog import Write

SECTOR_BYTES = 512
TORN_BYTES = 2048
"""A long write is cut after each of so many bytes."""
SHUFFLED = 8
"""So many times between two flushes, which sectors arrived is left to the dice."""


@dataclass
class Content:
    """What a drive holds, and how often it held the same before."""

    drive: bytearray
    _mark: int = 0

    def __post_init__(self) -> None:
        self._seen = {self._mark}

    def take(self, writes: Iterable[Write]) -> None:
        """They arrive."""
        for sector in sectors_of(writes):
            held = self.drive[sector.place]
            if held != sector.data:
                # What changes it and what changes it back cancel each other out.
                self._mark ^= hash((sector.offset_bytes, bytes(held))) ^ hash(
                    (sector.offset_bytes, sector.data)
                )
                self.drive[sector.place] = sector.data

    def held(self, writes: Iterable[Write]) -> list[Write]:
        """What lies where these would be written."""
        return [Write(sector.offset_bytes, bytes(self.drive[sector.place])) for sector in sectors_of(writes)]

    def is_new(self) -> bool:
        """Whether this is asked for the first time with this content."""
        known = self._mark in self._seen
        self._seen.add(self._mark)
        return not known


def sectors_of(writes: Iterable[Write]) -> Iterator[Write]:
    """The same, each of them sector by sector."""
    return itertools.chain.from_iterable(write.in_pieces(SECTOR_BYTES) for write in writes)


def power_cuts(content: Content, writes: Sequence[Write], dice: Random) -> Iterator[tuple[int, str]]:
    """Every state that is looked at, each once, from what `content` holds now on; it holds that state while
    this says how many of the writes were begun, and in words what of them arrived.
    """
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
    for _ in range(SHUFFLED):
        yield (
            f"some sectors of {len(writes)} since the flush",
            [sector for sector in sectors_of(writes) if dice.random() < 0.5],
        )
