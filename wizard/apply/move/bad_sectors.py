"""Read a window with unreadable sectors, and find which physical blocks are unreadable.

A drive retries a bad sector for many seconds. So a failed read is narrowed down in few steps, and each place
is tried once per step. After a fixed number of failed reads, reading stops.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from mmap import mmap
from pathlib import Path
from typing import Protocol
from uuid import uuid4

from wizard.apply.block.extents import merged, without
from wizard.apply.move.mover.journal import Course, MoveState
from wizard.apply.run.backup_store import read_kept, replace_document
from wizard.documents.codec import JSON, from_json, parse_document, to_json
from wizard.model.errors import Failed
from wizard.model.machine import Extent
from wizard.model.migration import Moves
from wizard.model.said import KIB, MIB, Sentences, t

UNREADABLE = Sentences(
    "1 physical block cannot be read.", "{count} ranges of physical blocks cannot be read."
)

STEPS = (MIB, 64 * KIB)
"""In which pieces a read is tried again that failed, before single physical blocks."""
MOST_FAILED = 256
"""So many reads may fail in one window."""


class UnreadSector(Failed):
    """The drive says that a sector cannot be read."""


class UnreadableBlocks(Failed):
    """Physical blocks of the content cannot be read; `places` are theirs, counted from its start. The journal
    on the drive has them."""

    def __init__(self, places: tuple[Extent, ...]) -> None:
        super().__init__(UNREADABLE(count=len(places)))
        self.places = places


class DriveReader(Protocol):
    """A drive, as far as it is read from."""

    def read_into(self, offset_bytes: int, buffer: memoryview) -> None:
        """Fill the buffer. Raises Unread and Failed."""


def filled(
    drive: DriveReader, at_bytes: int, buffer: memoryview, block_bytes: int, passed: Sequence[Extent] = ()
) -> tuple[Extent, ...]:
    """Fill a buffer with what the drive holds from a place on: the physical blocks that cannot be read, as
    far as they lie there. They are zeros in the buffer, and so is what is `passed` over, which is not tried.
    Extents count from the drive's start. Raises Failed where more fails than is tried."""
    narrowing = _Narrowing(drive, at_bytes, buffer, block_bytes)
    for start, end in _between(at_bytes, buffer, passed):
        narrowing.read(start, end)
    return merged(narrowing.found, 1, at_bytes + len(buffer))


def seen(
    drive: DriveReader, at_bytes: int, wanted: bytes, block_bytes: int
) -> tuple[bool, tuple[Extent, ...]]:
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


def read_but(drive: DriveReader, at_bytes: int, buffer: memoryview, passed: Sequence[Extent]) -> None:
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
    def __init__(self, drive: DriveReader, at_bytes: int, buffer: memoryview, block_bytes: int) -> None:
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
        except UnreadSector as error:
            self._failed += 1
            if self._failed > MOST_FAILED:
                raise Failed(
                    t(
                        "{why} More than {count} reads failed there, so the scan stopped: the drive "
                        "may be failing.",
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


FILE, SCHEMA = "moved.json", "diskwright.moved/1"


@dataclass(frozen=True, slots=True)
class Bad:
    """Physical blocks that could not be read: where in the content, and where on the drive that was.
    `is_zeros`: they are zeros now, wherever the content lies. `is_kept`: the journal on the drive has what
    was there."""

    content: Extent
    drive_bytes: int
    is_zeros: bool = False
    is_kept: bool = False


@dataclass(frozen=True, slots=True)
class Noted:
    """One move. `content` is the digest of what the partition holds, empty until it was read, and `pieces`
    are those of equal parts of it; `superblocks` are where a repair of XFS would find one; `name` and
    `back` are by what the journal on the drive knows it, forward, and where a later move's journal has taken
    its place, back; `stood` is the digest of its head and tail at the new place, once it was compared.
    `is_begun`: a journal of it may be on the drive. `is_back`: it is where it was. `bad` is what could not be
    read on the way, and of that somebody gave up what is `over`, by the same extents of the content."""

    name: str
    content: str = ""
    is_begun: bool = False
    stood: str = ""
    back: str = ""
    is_back: bool = False
    pieces: tuple[str, ...] = ()
    superblocks: tuple[int, ...] = ()
    bad: tuple[Bad, ...] = ()
    over: tuple[Extent, ...] = ()

    @property
    def stops(self) -> tuple[Bad, ...]:
        """What it stops at: it could not be read, and nobody has given it up."""
        return tuple(one for one in self.bad if not one.is_zeros and one.content not in self.over)

    @property
    def giving_up(self) -> "Noted":
        """With what it stops at given up."""
        return replace(self, over=(*self.over, *(one.content for one in self.stops)))

    @property
    def lost(self) -> tuple[Extent, ...]:
        """What of the content is not known any more."""
        return tuple(one.content for one in self.bad)


@dataclass(frozen=True, slots=True)
class Notes:
    """As many as there are moves, in their order."""

    moves: tuple[Noted, ...]


def new_name() -> str:
    """By which a journal on a drive is known for this run's."""
    return uuid4().hex


def load_notes(run: Path, moves: Moves) -> tuple[Noted, ...]:
    """What was noted; names alone where nothing was. Raises BadInput where that is damaged."""
    text = read_kept(run / FILE)
    if text is None:
        return tuple(Noted(new_name()) for _ in moves.moves)
    return notes_of(parse_document(text, SCHEMA, str(run / FILE)), str(run / FILE))


def notes_of(data: JSON, where: str) -> tuple[Noted, ...]:
    """From what a document holds; raises BadInput."""
    return from_json(data, Notes, where).moves


def as_json(notes: Iterable[Noted]) -> JSON:
    """As a document holds it."""
    document: JSON = to_json(Notes(tuple(notes)))
    return document


def save_notes(run: Path, notes: Sequence[Noted]) -> None:
    """On the medium on return. Raises Failed."""
    replace_document(run / FILE, SCHEMA, Notes(tuple(notes)))


def fill(
    drive: DriveReader, state: MoveState, boundary_bytes: int, at_bytes: int, buffer: memoryview
) -> None:
    """Fill the buffer with what the drive holds from `at_bytes` on, while the content lies so by this
    boundary. Raises Unreadable for physical blocks of the content that nobody has given up, and Failed."""
    course = state.course
    passed = tuple(_reading_on_drive(course, boundary_bytes, state.given_up))
    found = filled(drive, at_bytes, buffer, course.physical_bytes, passed)
    if not found:
        return
    # All of a physical block at once, so that it is not met again by the next window.
    whole = merged(found, course.physical_bytes, found[-1].end_bytes + course.physical_bytes)
    own = merged(_in_content(course, boundary_bytes, whole), 1, course.size_bytes)
    others = [*_reading_on_drive(course, boundary_bytes, own), *_needless(course, boundary_bytes)]
    if beside := next((piece for place in found for piece in without(place, others)), None):
        raise UnreadSector(
            t(
                "Cannot read the drive at byte {byte}, in a block shared by the partition and its neighbour.",
                byte=beside.start_bytes,
            )
        )
    # What is barred is zeros meanwhile, and comes from the journal.
    known = (*course.pieces.barred, *state.given_up)
    if unknown := tuple(piece for place in own for piece in without(place, known)):
        raise UnreadableBlocks(unknown)


def _sides(course: Course, boundary: int) -> tuple[tuple[int, Extent], ...]:
    """What of the content lies where, and how much further on the drive."""
    head, size = course.head_bytes, course.size_bytes
    return (
        (course.lo, Extent(head, max(boundary - head, 0))),
        (course.hi, Extent(boundary, size - boundary)),
    )


def _reading_on_drive(course: Course, boundary: int, places: Iterable[Extent]) -> Iterator[Extent]:
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


def with_bad(noted: Noted, state: MoveState) -> Noted:
    """Of one move; what it knows from an earlier move of the same partition stays."""
    known = {one.content.start_bytes: one.drive_bytes for one in noted.bad}

    def found(places: tuple[Extent, ...], *, is_zeros: bool) -> Iterator[Bad]:
        for place in places:
            at = known.get(place.start_bytes, _noting_on_drive(state, place, is_zeros=is_zeros))
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


def _noting_on_drive(state: MoveState, place: Extent, *, is_zeros: bool) -> int:
    """Where it lay when it could not be read: what is zeros now came from the other place."""
    course = state.course
    if place.end_bytes <= course.head_bytes:
        return course.start(state.barred_at) + place.start_bytes
    is_low = (place.end_bytes <= state.boundary_bytes) != is_zeros
    return (course.lo if is_low else course.hi) + place.start_bytes
