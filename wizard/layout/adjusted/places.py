"""Another place for a partition, step by step or as it was asked for, on aligned borders where it can be.
Pure."""

from enum import StrEnum

from wizard.layout.moving.target import room_around
from wizard.layout.room.refusals import measured
from wizard.model.geometry import align_down, align_up, grain_bytes
from wizard.model.machine import Drive, Extent, Partition
from wizard.model.units import GIB, MIB

LARGE_DRIVE_BYTES = 64 * GIB
"""From here on the long step is 1 GiB."""


class Border(StrEnum):
    """What of a place is adjusted. Its start takes the whole along; its end and its size leave the start."""

    START = "start"
    END = "end"
    SIZE = "size"


def steps_of(drive: Drive) -> tuple[int, int]:
    """A short step and a long one, in bytes. Raises Refused for a drive of unknown size."""
    size_bytes, geometry = measured(drive)
    grain = grain_bytes(geometry)
    return grain, max(grain, GIB if size_bytes >= LARGE_DRIVE_BYTES else 64 * MIB)


def stepped(drive: Drive, part: Partition, place: Extent, border: Border, by: int) -> Extent:
    """The place after a step of `by` bytes, from one aligned border to another, within the room there is."""
    _, geometry = measured(drive)
    room = room_around(drive, part, geometry)
    starts = border is Border.START
    now = place.start_bytes if starts else place.end_bytes
    low = align_up(geometry, room.start_bytes) if starts else place.start_bytes + grain_bytes(geometry)
    high = align_down(geometry, room.end_bytes - (place.size_bytes if starts else 0))
    there = align_down(geometry, now + by) if by > 0 else align_up(geometry, now + by)
    there = min(max(there, low), high)
    if (there - now) * by <= 0:
        return place
    return Extent(there, place.size_bytes) if starts else Extent(place.start_bytes, there - place.start_bytes)


def asked(drive: Drive, place: Extent, border: Border, value: int) -> Extent:
    """The place with the value that a person gave to its border, in bytes. An end is aligned upwards, as
    where a size is asked for by command; a start is as it was asked for."""
    if border is Border.START:
        return Extent(value, place.size_bytes)
    _, geometry = measured(drive)
    end = value if border is Border.END else place.start_bytes + value
    if end == place.end_bytes:
        return place
    return Extent(place.start_bytes, align_up(geometry, end) - place.start_bytes)
