"""What of a content, away from its head, is zeros while it moves: whatever a repair program would find and
take for the whole. Pure.

The zeros move along with all else. At either place the bytes are taken away and put back in whole physical
blocks: so a torn write takes nothing with it that is not written again.
"""

from collections.abc import Iterable, Iterator

from wizard.apply.block.extents import Read, merged
from wizard.apply.engine.marks import copies_for_repair
from wizard.model.machine import Extent


def places_to_bar(
    read: Read, more: Iterable[Extent], head_bytes: int, size_bytes: int, block_bytes: int
) -> tuple[Extent, ...]:
    """What is to be zeros of a content of this size behind its head, in whole logical blocks: its copies, and
    `more`. Offsets count from its start."""
    found = merged((*copies_for_repair(read, size_bytes), *more), block_bytes, size_bytes)
    return tuple(_clipped(found, head_bytes, size_bytes))


def blocks_around(
    barred: Iterable[Extent], start_bytes: int, head_bytes: int, size_bytes: int, physical_bytes: int
) -> tuple[Extent, ...]:
    """The physical blocks that these have with the content at `start_bytes`, as far as it goes, without its
    head; in order and apart. Offsets count from its start."""
    there = [Extent(start_bytes + place.start_bytes, place.size_bytes) for place in barred]
    whole = merged(there, physical_bytes, start_bytes + size_bytes + physical_bytes)
    back = (Extent(place.start_bytes - start_bytes, place.size_bytes) for place in whole)
    return tuple(_clipped(back, head_bytes, size_bytes))


def _clipped(places: Iterable[Extent], low: int, high: int) -> Iterator[Extent]:
    for place in places:
        start, end = max(place.start_bytes, low), min(place.end_bytes, high)
        if start < end:
            yield Extent(start, end - start)


def with_bars(data: bytes, offset_bytes: int, barred: Iterable[Extent]) -> bytes:
    """Bytes of the content from this offset on, as they are while it moves."""
    shown = bytearray(data)
    for place in barred:
        start = max(place.start_bytes - offset_bytes, 0)
        end = min(place.end_bytes - offset_bytes, len(data))
        if start < end:
            shown[start:end] = bytes(end - start)
    return bytes(shown)
