"""Translate a requested partition place into a move, growth or shrink, or two jobs. Pure."""

from enum import StrEnum

from wizard.model.errors import FrozenStruct, why_not
from wizard.model.machine import Drive, Extent, Machine, Partition
from wizard.model.said import GIB, MIB, Message, Sentence, t
from wizard.plan.partition import move_target, possible
from wizard.plan.refusals import measured
from wizard.plan.settings.possible import places_of

STAYS = t("No change.")


class Meaning(FrozenStruct):
    """Effect of a requested place: a sentence, and why it is not possible, or empty. For two jobs, `first` is
    the place after the first one."""

    says: Message
    why_not: Message | str = ""
    first: Extent | None = None


def meaning_of(machine: Machine, drive: Drive, part: Partition, wanted: Extent) -> Meaning:
    """Return the effect of a requested place. Raises Refused for a drive of unknown size."""
    room = move_target.room_around(drive, part)
    start, size = wanted.start_bytes, wanted.size_bytes
    shift, by = start - part.start_bytes, size - part.size_bytes
    if size <= 0 or not wanted.is_within(room) or not (shift or by):
        why = STAYS
        if size <= 0:
            why = t("The end must be after the start.")
        elif shift or by:
            why = move_target.OCCUPIED(low=room.start_bytes, high=room.end_bytes)
        return Meaning(why, why)
    if shift and by:
        # Shrink before moving, or grow after.
        first = Extent(start, part.size_bytes) if by > 0 else Extent(part.start_bytes, size)
        form = Sentence("Two jobs: shrink to {size:round}, then move to {start:round}.")
        if by > 0:
            form = Sentence("Two jobs: move to {start:round}, then grow to {size:round}.")
        says = form(start=start, size=size)
        return Meaning(says, meaning_of(machine, drive, part, first).why_not or says, first)
    if shift:
        says = t(
            "Moves by {shift:round} {direction}, preserving all files.",
            shift=abs(shift),
            direction=move_target.direction(shift),
        )
        return Meaning(says, why_not(move_target.planned_move, machine, drive, part, start))
    cannot = why_not_larger(drive, part) if by > 0 else possible.why_not_shrink(drive, part)
    says = t("Grows by {by:round} to {size:round}, preserving all files.", by=by, size=size)
    if by < 0:
        says = t(
            "Shrinks by {by:round} to {size:round}, preserving all files and freeing the end.",
            by=-by,
            size=size,
        )
    return Meaning(says, cannot or possible.why_not_size(drive, part, size, grows=by > 0) or "")


def why_not_adjust(drive: Drive, part: Partition) -> Message | str | None:
    """Return why the partition can neither be moved nor resized, or None."""
    if unknown := why_not(measured, drive):
        return unknown
    reasons = (
        possible.why_not_shrink(drive, part),
        why_not_larger(drive, part),
        move_target.why_not_move(drive, part),
    )
    return None if None in reasons else reasons[0]


def why_not_larger(drive: Drive, part: Partition) -> Message | None:
    """Return why the partition cannot grow by a rehearsed plan, or None."""
    if places_of(drive, part.path) and possible.why_not_grow_mounted(drive, part) is None:
        return t(
            "{part} is mounted and can only grow into all adjacent free space: `diskwright grow {part}`.",
            part=part,
        )
    return possible.why_not_grow(drive, part)


LARGE_DRIVE_BYTES = 64 * GIB
"""Drives of this size or more have long steps of 1 GiB."""


class Border(StrEnum):
    """The border to adjust. START moves the partition; END and SIZE keep the start."""

    START = "start"
    END = "end"
    SIZE = "size"


def steps_of(drive: Drive) -> tuple[int, int]:
    """Return a short and a long step in bytes. Raises Refused for a drive of unknown size."""
    size_bytes, geometry = measured(drive)
    grain = geometry.grain_bytes
    return grain, max(grain, GIB if size_bytes >= LARGE_DRIVE_BYTES else 64 * MIB)


def stepped(drive: Drive, part: Partition, place: Extent, border: Border, by: int) -> Extent:
    """Return the place after a step of `by` bytes to another aligned border, within the available range."""
    _, geometry = measured(drive)
    room = move_target.room_around(drive, part)
    starts = border is Border.START
    now = place.start_bytes if starts else place.end_bytes
    low = geometry.align_up(room.start_bytes) if starts else place.start_bytes + geometry.grain_bytes
    high = geometry.align_down(room.end_bytes - (place.size_bytes if starts else 0))
    at = geometry.align_down(now + by) if by > 0 else geometry.align_up(now + by)
    at = min(max(at, low), high)
    if (at - now) * by <= 0:
        return place
    return Extent(at, place.size_bytes) if starts else Extent(place.start_bytes, at - place.start_bytes)


def asked(drive: Drive, place: Extent, border: Border, value: int) -> Extent:
    """Return the place with a border at the value entered, in bytes. Ends are rounded up to alignment, as in
    the commands; starts are used as entered."""
    if border is Border.START:
        return Extent(value, place.size_bytes)
    _, geometry = measured(drive)
    end = value if border is Border.END else place.start_bytes + value
    if end == place.end_bytes:
        return place
    return Extent(place.start_bytes, geometry.align_up(end) - place.start_bytes)
