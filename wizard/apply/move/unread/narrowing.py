"""Reading a window in which sectors cannot be read: which physical blocks those are.

A drive tries for many seconds before it gives a sector up. So a read that failed is narrowed down in few
steps, each place is tried once a step, and after so many failed reads nothing is tried any more.
"""

from collections.abc import Iterator, Sequence
from mmap import mmap
from typing import Protocol

from wizard.apply.block.extents import merged
from wizard.model.errors import Failed
from wizard.model.machine import Extent
from wizard.model.said import Sentences, t
from wizard.model.units import KIB, MIB

UNREADABLE = Sentences(
    "1 physical block cannot be read.", "{count} stretches of physical blocks cannot be read."
)

STEPS = (MIB, 64 * KIB)
"""In which pieces a read is tried again that failed, before single physical blocks."""
MOST_FAILED = 256
"""So many reads may fail in one window."""


class Unread(Failed):
    """The drive says that a sector cannot be read."""


class Unreadable(Failed):
    """Physical blocks of the content cannot be read; `places` are theirs, counted from its start. The journal
    on the drive has them."""

    def __init__(self, places: tuple[Extent, ...]) -> None:
        super().__init__(UNREADABLE(count=len(places)))
        self.places = places


class Reads(Protocol):
    """A drive, as far as it is read from."""

    def read_into(self, offset_bytes: int, buffer: memoryview) -> None:
        """Fill the buffer. Raises Unread and Failed."""


def filled(
    drive: Reads, at_bytes: int, buffer: memoryview, block_bytes: int, passed: Sequence[Extent] = ()
) -> tuple[Extent, ...]:
    """Fill a buffer with what the drive holds from a place on: the physical blocks that cannot be read, as
    far as they lie there. They are zeros in the buffer, and so is what is `passed` over, which is not tried.
    Extents count from the drive's start. Raises Failed where more fails than is tried."""
    narrowing = _Narrowing(drive, at_bytes, buffer, block_bytes)
    for start, end in _between(at_bytes, buffer, passed):
        narrowing.read(start, end)
    return merged(narrowing.found, 1, at_bytes + len(buffer))


def seen(drive: Reads, at_bytes: int, wanted: bytes, block_bytes: int) -> tuple[bool, tuple[Extent, ...]]:
    """Whether a place holds these bytes, as far as it can be read, and the physical blocks that cannot.
    Extents count from the drive's start. Raises Failed where more fails than is tried."""
    # Direct reading wants memory that begins at a page.
    held = memoryview(mmap(-1, len(wanted)))
    unread = filled(drive, at_bytes, held, block_bytes)
    kept = bytearray(wanted)
    for place in unread:
        start = place.start_bytes - at_bytes
        kept[start : start + place.size_bytes] = bytes(place.size_bytes)
    return held == kept, unread


def read_but(drive: Reads, at_bytes: int, buffer: memoryview, passed: Sequence[Extent]) -> None:
    """Fill a buffer with what the drive holds from a place on, and with zeros for what is passed over. Raises
    Failed."""
    for start, end in _between(at_bytes, buffer, passed):
        drive.read_into(start, buffer[start - at_bytes : end - at_bytes])


def _between(at_bytes: int, buffer: memoryview, passed: Sequence[Extent]) -> Iterator[tuple[int, int]]:
    """What of the drive is read into the buffer; what is not is zeros there."""
    position, end = at_bytes, at_bytes + len(buffer)
    for place in passed:
        start, after = max(place.start_bytes, position), min(place.end_bytes, end)
        if start < after:
            if position < start:
                yield position, start
            buffer[start - at_bytes : after - at_bytes] = bytes(after - start)
            position = after
    if position < end:
        yield position, end


class _Narrowing:
    def __init__(self, drive: Reads, at_bytes: int, buffer: memoryview, block_bytes: int) -> None:
        self._drive, self._at, self._buffer = drive, at_bytes, buffer
        self._steps = (*(step for step in STEPS if step > block_bytes), block_bytes)
        self._failed = 0
        self.found: list[Extent] = []

    def empty(self, start: int, end: int) -> None:
        self._buffer[start - self._at : end - self._at] = bytes(end - start)

    def read(self, start: int, end: int, depth: int = 0) -> None:
        """What lies between, in smaller pieces where that fails."""
        try:
            self._drive.read_into(start, self._buffer[start - self._at : end - self._at])
        except Unread as error:
            self._failed += 1
            if self._failed > MOST_FAILED:
                raise Failed(
                    t(
                        "{why} More than {count} reads failed there, so no more are tried: the drive "
                        "may be dying.",
                        why=str(error),
                        count=MOST_FAILED,
                    )
                ) from None
            self._read_smaller(start, end, depth)

    def _read_smaller(self, start: int, end: int, depth: int) -> None:
        while depth < len(self._steps) and start // self._steps[depth] == (end - 1) // self._steps[depth]:
            depth += 1
        if depth == len(self._steps):
            self.found.append(Extent(start, end - start))
            self.empty(start, end)
            return
        step = self._steps[depth]
        while start < end:
            after = min((start // step + 1) * step, end)
            self.read(start, after, depth + 1)
            start = after
