"""Where a partition can move to, and how. Pure.

A large shift needs no log, since bytes only go where nothing is needed any more: 64 MiB and more move at the
speed of the drive. A shorter one is logged, at half of it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from wizard.filesystems.partitions import CONTAINER_TYPES
from wizard.layout.before import bounds_of
from wizard.layout.moving.starting import gap_of_grub
from wizard.model.documents.move import JOURNALS, LOGGED_WINDOWS, WINDOW_BYTES, Scheme
from wizard.model.geometry import Geometry, align_down, align_up
from wizard.model.machine import Drive, Extent, Partition
from wizard.model.units import MIB

LARGE_SHIFT_BYTES = 64 * MIB
"""From here on a move costs no more than reading and writing once."""

DIRECT_BYTES = 32 * MIB
"""The shortest shift that is not logged."""

IN_FLIGHT = 3
"""So many windows are on their way at most where a flush goes on beside the next write: the one that is
written, the one that is flushed, and the one whose record is flushed with it."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where it goes, what its entry covers meanwhile, where the journal lies, and how it is moved."""

    after: Extent
    span: Extent
    journal: Extent
    scheme: Scheme
    window_bytes: int


def room_around(drive: Drive, part: Partition, geometry: Geometry) -> Extent:
    """All that a partition could take: itself and what is free before and behind it. A logical one stays
    within the extended one that holds it."""
    assert drive.size_bytes is not None
    room = bounds_of(drive, drive.size_bytes, geometry)
    low, high = room.start_bytes, room.end_bytes
    for extent in _obstacles(drive, part):
        if extent.end_bytes <= part.start_bytes:
            low = max(low, extent.end_bytes)
        elif extent.start_bytes >= part.end_bytes:
            high = min(high, extent.start_bytes)
    if (around := extended_around(drive, part)) is not None:
        low, high = max(low, around.start_bytes), min(high, around.end_bytes)
    return Extent(low, high - low)


def extended_around(drive: Drive, part: Partition) -> Partition | None:
    """The extended partition that holds a logical one; None for every other."""
    return next(
        (
            one
            for one in drive.partitions
            if one.type in CONTAINER_TYPES and one.number != part.number and part.is_within(one)
        ),
        None,
    )


def _obstacles(drive: Drive, part: Partition) -> Iterator[Extent]:
    around = extended_around(drive, part)
    for one in drive.partitions:
        if one.number not in (part.number, around.number if around else 0):
            yield one.extent
    # The records of logical partitions lie between them.
    yield from drive.table.own if drive.table else ()
    yield from gap_of_grub(drive)


def aligned_target(room: Extent, part: Partition, geometry: Geometry) -> Target | None:
    """To an aligned place, the fastest way for which there is room; None where there is none."""
    starts = (
        align_up(geometry, part.start_bytes + LARGE_SHIFT_BYTES),
        _lowest(room, part, geometry, LARGE_SHIFT_BYTES),
        _highest(room, part, geometry, DIRECT_BYTES),
        _lowest(room, part, geometry, DIRECT_BYTES),
        align_up(geometry, part.start_bytes),
        align_down(geometry, part.start_bytes),
    )
    return next(filter(None, (target_at(start, room, part, geometry) for start in starts)), None)


def _lowest(room: Extent, part: Partition, geometry: Geometry, shift: int) -> int:
    """The lowest aligned start, with room for a journal before it where there is none behind the partition;
    the partition's own start where the lowest is less than `shift` before that."""
    behind = room.end_bytes - align_up(geometry, part.end_bytes)
    low = room.start_bytes + (0 if behind >= JOURNALS[WINDOW_BYTES] else JOURNALS[WINDOW_BYTES])
    start = align_up(geometry, low)
    return start if start + shift <= part.start_bytes else part.start_bytes


def _highest(room: Extent, part: Partition, geometry: Geometry, shift: int) -> int:
    """The highest aligned start that leaves room for a journal; the partition's own where the highest is less
    than `shift` behind that."""
    journal = align_down(geometry, room.end_bytes - JOURNALS[WINDOW_BYTES])
    start = align_down(geometry, journal - part.size_bytes)
    return start if start >= part.start_bytes + shift else part.start_bytes


def target_at(start: int, room: Extent, part: Partition, geometry: Geometry) -> Target | None:
    """To this start; None where it is its own, or there is no room for it or for the journal."""
    shift = abs(start - part.start_bytes)
    after = Extent(start, part.size_bytes)
    if not shift or start < room.start_bytes or after.end_bytes > room.end_bytes:
        return None
    scheme = Scheme.DIRECT if shift >= DIRECT_BYTES else Scheme.LOGGED
    for window in (WINDOW_BYTES,) if scheme is Scheme.DIRECT else LOGGED_WINDOWS:
        journal = _journal(room, (part.extent, after), geometry, JOURNALS[window])
        if journal is not None:
            span = _span((part.extent, after, journal))
            return Target(after, span, journal, scheme, window)
    return None


def _journal(room: Extent, places: Iterable[Extent], geometry: Geometry, size: int) -> Extent | None:
    """Behind both places, or before them."""
    span = _span(places)
    behind = align_up(geometry, span.end_bytes)
    if behind + size <= room.end_bytes:
        return Extent(behind, size)
    before = align_down(geometry, span.start_bytes - size)
    return Extent(before, size) if before >= room.start_bytes and before + size <= span.start_bytes else None


def _span(places: Iterable[Extent]) -> Extent:
    """From the first byte of any of them to the last."""
    known = [*places]
    start = min(place.start_bytes for place in known)
    return Extent(start, max(place.end_bytes for place in known) - start)


def window_of(scheme: Scheme, shift: int, wanted: int, physical: int, in_flight: int) -> int:
    """How much is moved at a time, in whole physical blocks: where nothing is logged, so little that
    `in_flight` times as much is no more than the shift."""
    if scheme is Scheme.LOGGED:
        return wanted
    return min(wanted, shift // in_flight) // physical * physical
