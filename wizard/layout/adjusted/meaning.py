"""From where a partition is wanted to what that means: it moves, grows or shrinks, or that takes two jobs.
Pure."""

from dataclasses import dataclass
from enum import StrEnum

from wizard.layout.adjusted import words
from wizard.layout.changes.possible import places_of
from wizard.layout.moving.planned import planned_move
from wizard.layout.moving.possible import why_not_move
from wizard.layout.moving.target import room_around
from wizard.layout.one.possible import (
    why_not_grow,
    why_not_grow_mounted,
    why_not_grow_to,
    why_not_shrink,
    why_not_shrink_to,
)
from wizard.layout.room.refusals import measured
from wizard.model.errors import Refused
from wizard.model.machine import Drive, Extent, Machine, Partition
from wizard.model.said import Said


class Does(StrEnum):
    """What becomes of the partition."""

    NOTHING = "nothing"
    MOVE = "move"
    GROW = "grow"
    SHRINK = "shrink"
    TWO_JOBS = "two-jobs"


@dataclass(frozen=True, slots=True)
class Meaning:
    """What it means, in a sentence, and why it cannot be; empty where it can. Of what takes two jobs, `first`
    is where the first of them leads, which means something itself."""

    does: Does
    says: Said
    why_not: Said | str = ""
    first: Extent | None = None


def meaning_of(machine: Machine, drive: Drive, part: Partition, wanted: Extent) -> Meaning:
    """What it means that a partition is to lie here. Raises Refused for a drive of unknown size."""
    if why := _why_not_there(drive, part, wanted):
        return Meaning(Does.NOTHING, why, why)
    start, size = wanted.start_bytes, wanted.size_bytes
    by = size - part.size_bytes
    if start != part.start_bytes:
        return _elsewhere(machine, drive, part, wanted) if by else _moved(machine, drive, part, start)
    if by > 0:
        why_grow = why_not_larger(drive, part) or why_not_grow_to(drive, part, size)
        return Meaning(Does.GROW, words.GROWS(by=by, size=size), why_grow or "")
    if by < 0:
        why_shrink = why_not_shrink(drive, part) or why_not_shrink_to(drive, part, size)
        return Meaning(Does.SHRINK, words.SHRINKS(by=-by, size=size), why_shrink or "")
    return Meaning(Does.NOTHING, words.STAYS(), words.STAYS())


def _elsewhere(machine: Machine, drive: Drive, part: Partition, wanted: Extent) -> Meaning:
    """Another start and another size are two jobs: what is smaller has room to move, and what has moved has
    room to grow."""
    start, size = wanted.start_bytes, wanted.size_bytes
    smaller = size < part.size_bytes
    first = Extent(part.start_bytes, size) if smaller else Extent(start, part.size_bytes)
    says = (words.SHRINKS_FIRST if smaller else words.MOVES_FIRST)(start=start, size=size)
    return Meaning(Does.TWO_JOBS, says, meaning_of(machine, drive, part, first).why_not or says, first)


def _moved(machine: Machine, drive: Drive, part: Partition, start: int) -> Meaning:
    shift = start - part.start_bytes
    said = words.MOVES_BACK if shift > 0 else words.MOVES_FORTH
    try:
        planned_move(machine, drive, part, start)
    except Refused as refusal:
        return Meaning(Does.MOVE, said(shift=abs(shift)), str(refusal))
    return Meaning(Does.MOVE, said(shift=abs(shift)))


def why_not_adjust(drive: Drive, part: Partition) -> Said | str | None:
    """Why nothing of where the partition lies can be another; None where something can."""
    try:
        measured(drive)
    except Refused as refusal:
        return str(refusal)
    reasons = (why_not_shrink(drive, part), why_not_larger(drive, part), why_not_move(drive, part))
    return None if None in reasons else reasons[0]


def why_not_larger(drive: Drive, part: Partition) -> Said | None:
    """Why the partition cannot grow by a plan that is tried out first."""
    if places_of(drive, part.path) and why_not_grow_mounted(drive, part) is None:
        return words.GROWS_IN_USE(part=part.path)
    return why_not_grow(drive, part)


def _why_not_there(drive: Drive, part: Partition, wanted: Extent) -> Said | None:
    """Why no partition can lie there."""
    room = room_around(drive, part, measured(drive)[1])
    if wanted.size_bytes <= 0:
        return words.NO_SIZE()
    if wanted.start_bytes < room.start_bytes or wanted.end_bytes > room.end_bytes:
        return words.TAKEN(low=room.start_bytes, high=room.end_bytes)
    return None
