"""What a run notes of sectors that could not be read, by what the journal on the drive has of them. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from wizard.apply.block.extents import without
from wizard.apply.move.mover.state import State
from wizard.apply.move.noted import Bad, Noted
from wizard.model.machine import Extent


def with_bad(noted: Noted, state: State) -> Noted:
    """Of one move; what it knows from an earlier move of the same partition stays."""
    known = {one.content.start_bytes: one.drive_bytes for one in noted.bad}

    def found(places: tuple[Extent, ...], *, is_zeros: bool) -> Iterator[Bad]:
        for place in places:
            at = known.get(place.start_bytes, _on_drive(state, place, is_zeros=is_zeros))
            is_kept = not is_zeros and place.end_bytes <= state.course.head_bytes
            yield Bad(place, at, is_zeros, is_kept)

    now = (
        *found(state.zeros, is_zeros=True),
        *found(state.given_up, is_zeros=False),
        *found(state.unread, is_zeros=False),
    )
    earlier = (one for one in noted.bad if one.is_zeros and without(one.content, state.lost))
    bad = sorted((*earlier, *now), key=lambda one: one.content.start_bytes)
    return replace(noted, bad=tuple(bad), over=state.given_up)


def with_unread_at(noted: Noted, places: Iterable[Extent], start_bytes: int, *, is_kept: bool) -> Noted:
    """What could not be read of a content that lies whole at `start_bytes`, beside what was known before."""
    known = {one.content for one in noted.bad}
    new = [Bad(at, start_bytes + at.start_bytes, is_kept=is_kept) for at in places if at not in known]
    return replace(noted, bad=tuple(sorted((*noted.bad, *new), key=lambda one: one.content.start_bytes)))


def _on_drive(state: State, place: Extent, *, is_zeros: bool) -> int:
    """Where it lay when it could not be read: what is zeros now came from the other place."""
    course = state.course
    if place.end_bytes <= course.head_bytes:
        return course.start(state.barred_at) + place.start_bytes
    is_low = (place.end_bytes <= state.boundary_bytes) != is_zeros
    return (course.lo if is_low else course.hi) + place.start_bytes
