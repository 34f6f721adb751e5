"""Reading what a drive holds of a content that lies at two places. What cannot be read of it and was given up
is zeros; what was not, stops the move; and of what is not its own nothing is given up."""

from collections.abc import Iterable, Iterator

from wizard.apply.block.extents import merged, without
from wizard.apply.move.mover.state import Course, State
from wizard.apply.move.unread.narrowing import Reads, Unread, Unreadable, filled
from wizard.model.machine import Extent
from wizard.model.said import t


def fill(drive: Reads, state: State, boundary_bytes: int, at_bytes: int, buffer: memoryview) -> None:
    """Fill the buffer with what the drive holds from `at_bytes` on, while the content lies so by this
    boundary. Raises Unreadable for physical blocks of the content that nobody has given up, and Failed."""
    course = state.course
    passed = tuple(_on_drive(course, boundary_bytes, state.given_up))
    found = filled(drive, at_bytes, buffer, course.physical_bytes, passed)
    if not found:
        return
    # All of a physical block at once, so that it is not met again by the next window.
    whole = merged(found, course.physical_bytes, found[-1].end_bytes + course.physical_bytes)
    own = merged(_in_content(course, boundary_bytes, whole), 1, course.size_bytes)
    others = [*_on_drive(course, boundary_bytes, own), *_needless(course, boundary_bytes)]
    if beside := next((piece for place in found for piece in without(place, others)), None):
        raise Unread(
            t(
                "The drive could not be read at byte {byte}, in a block that the partition "
                "shares with its neighbour.",
                byte=beside.start_bytes,
            )
        )
    # What is barred is zeros meanwhile, and comes from the journal.
    known = (*course.pieces.barred, *state.given_up)
    if unknown := tuple(piece for place in own for piece in without(place, known)):
        raise Unreadable(unknown)


def _sides(course: Course, boundary: int) -> tuple[tuple[int, Extent], ...]:
    """What of the content lies where, and how much further on the drive."""
    head, size = course.head_bytes, course.size_bytes
    return (
        (course.lo, Extent(head, max(boundary - head, 0))),
        (course.hi, Extent(boundary, size - boundary)),
    )


def _on_drive(course: Course, boundary: int, places: Iterable[Extent]) -> Iterator[Extent]:
    """In order, as the places are."""
    known = tuple(places)
    for shift, held in _sides(course, boundary):
        for piece in _within(known, held):
            yield Extent(shift + piece.start_bytes, piece.size_bytes)


def _in_content(course: Course, boundary: int, extents: Iterable[Extent]) -> Iterator[Extent]:
    known = tuple(extents)
    for shift, held in _sides(course, boundary):
        there = Extent(shift + held.start_bytes, held.size_bytes)
        for piece in _within(known, there):
            yield Extent(piece.start_bytes - shift, piece.size_bytes)


def _needless(course: Course, boundary: int) -> Iterator[Extent]:
    """The hole, and where the head lies or will, of which the journal has all bytes."""
    yield Extent(course.lo + boundary, course.hi - course.lo)
    yield from (Extent(start, course.head_bytes) for start in (course.lo, course.hi))


def _within(places: Iterable[Extent], bound: Extent) -> Iterator[Extent]:
    for place in places:
        start, end = max(place.start_bytes, bound.start_bytes), min(place.end_bytes, bound.end_bytes)
        if start < end:
            yield Extent(start, end - start)
