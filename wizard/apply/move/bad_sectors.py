"""Read a window with bad sectors, and find the unreadable physical blocks.

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
"""Sizes for retrying a failed read, before single physical blocks."""
MOST_FAILED = 256
"""Limit for failed reads in one window."""


class UnreadSector(Failed):
    """The drive reports an unreadable sector."""


class UnreadableBlocks(Failed):
    """Physical blocks of the partition are unreadable; `places` counts from the partition's start. They are
    recorded in the journal on the drive."""

    def __init__(self, places: tuple[Extent, ...]) -> None:
        super().__init__(UNREADABLE(count=len(places)))
        self.places = places


class DriveReader(Protocol):
    """The reading part of a drive."""

    def read_into(self, offset_bytes: int, buffer: memoryview) -> None:
        """Fill the buffer. Raises UnreadSector and Failed."""


def filled(
    drive: DriveReader, at_bytes: int, buffer: memoryview, block_bytes: int, passed: Sequence[Extent] = ()
) -> tuple[Extent, ...]:
    """Fill a buffer from the drive, and return unreadable physical blocks within it. Raises Failed after too
    many failed reads.

    Unreadable blocks are zeros in the buffer, and so are places in `passed`, which are not read. Extents
    count from the drive's start.
    """
    narrowing = _Narrowing(drive, at_bytes, buffer, block_bytes)
    for start, end in _ranges_to_read(at_bytes, buffer, passed):
        narrowing.read(start, end)
    return merged(narrowing.found, 1, at_bytes + len(buffer))


def seen(
    drive: DriveReader, at_bytes: int, wanted: bytes, block_bytes: int
) -> tuple[bool, tuple[Extent, ...]]:
    """Return True if a place contains these bytes, as far as readable, and the unreadable physical blocks.
    Raises Failed after too many failed reads.

    Extents count from the drive's start.
    """
    # Direct I/O requires page-aligned memory.
    held = memoryview(mmap(-1, len(wanted)))
    unread = filled(drive, at_bytes, held, block_bytes)
    kept = bytearray(wanted)
    for place in unread:
        start = place.start_bytes - at_bytes
        kept[start : start + place.size_bytes] = bytes(place.size_bytes)
    return held == kept, unread


def read_but(drive: DriveReader, at_bytes: int, buffer: memoryview, passed: Sequence[Extent]) -> None:
    """Fill a buffer from the drive, with zeros for places in `passed`. Raises Failed."""
    for start, end in _ranges_to_read(at_bytes, buffer, passed):
        drive.read_into(start, buffer[start - at_bytes : end - at_bytes])


def _ranges_to_read(at_bytes: int, buffer: memoryview, passed: Sequence[Extent]) -> Iterator[tuple[int, int]]:
    """Yield the ranges to read, and zero the rest of the buffer."""
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
        """Read a range, in smaller pieces on errors."""
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
    """Unreadable physical blocks: their place in the partition, and on the drive at that time. `is_zeros` is
    True if they have been replaced by zeros. `is_kept` is True if the journal on the drive has their data."""

    content: Extent
    drive_bytes: int
    is_zeros: bool = False
    is_kept: bool = False


@dataclass(frozen=True, slots=True)
class Noted:
    """The progress of one move.

    `content` is the digest of the partition, empty until read, and `pieces` has a digest for each of its
    equal parts. `superblocks` are places in which xfs_repair would find one. `name` and `back` identify the
    journals of the move and, if a later move has overwritten the first one, of the way back. `stood` is the
    digest of head and tail at the new place, after comparison. `is_begun` is True if a journal may be on the
    drive, and `is_back` after undo. `bad` are unreadable places, of which the user has given up `over`.
    """

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
        """Unreadable places that stop the move, because the user has not given them up."""
        return tuple(one for one in self.bad if not one.is_zeros and one.content not in self.over)

    @property
    def giving_up(self) -> "Noted":
        """The same, with all of `stops` given up."""
        return replace(self, over=(*self.over, *(one.content for one in self.stops)))

    @property
    def lost(self) -> tuple[Extent, ...]:
        """The parts of the partition whose data may be lost."""
        return tuple(one.content for one in self.bad)


@dataclass(frozen=True, slots=True)
class Notes:
    """The progress of all moves of a run, in their order."""

    moves: tuple[Noted, ...]


def new_name() -> str:
    """Return a name that identifies a journal on a drive."""
    return uuid4().hex


def load_notes(run: Path, moves: Moves) -> tuple[Noted, ...]:
    """Load the progress of a run, or start with new names. Raises BadInput if the file is damaged."""
    text = read_kept(run / FILE)
    if text is None:
        return tuple(Noted(new_name()) for _ in moves.moves)
    return notes_of(parse_document(text, SCHEMA, str(run / FILE)), str(run / FILE))


def notes_of(data: JSON, where: str) -> tuple[Noted, ...]:
    """Parse the progress of all moves. Raises BadInput."""
    return from_json(data, Notes, where).moves


def as_json(notes: Iterable[Noted]) -> JSON:
    """Return the progress of all moves as JSON."""
    document: JSON = to_json(Notes(tuple(notes)))
    return document


def save_notes(run: Path, notes: Sequence[Noted]) -> None:
    """Save the progress of all moves, and sync. Raises Failed."""
    replace_document(run / FILE, SCHEMA, Notes(tuple(notes)))


def fill(
    drive: DriveReader, state: MoveState, boundary_bytes: int, at_bytes: int, buffer: memoryview
) -> None:
    """Fill the buffer from byte `at_bytes` of the drive, with the partition split at this boundary.

    Raises UnreadableBlocks for physical blocks of the partition that are not given up, and Failed.
    """
    course = state.course
    passed = tuple(_on_drive(course, boundary_bytes, state.given_up))
    found = filled(drive, at_bytes, buffer, course.physical_bytes, passed)
    if not found:
        return
    # Take whole physical blocks, so the next window does not meet the same one again.
    whole = merged(found, course.physical_bytes, found[-1].end_bytes + course.physical_bytes)
    own = merged(_in_content(course, boundary_bytes, whole), 1, course.size_bytes)
    others = [*_on_drive(course, boundary_bytes, own), *_unneeded(course, boundary_bytes)]
    if neighbour := next((piece for place in found for piece in without(place, others)), None):
        raise UnreadSector(
            t(
                "Cannot read the drive at byte {byte}, in a block shared by the partition and its neighbour.",
                byte=neighbour.start_bytes,
            )
        )
    # Zeroed places are restored from the journal later.
    known = (*course.pieces.barred, *state.given_up)
    if unknown := tuple(piece for place in own for piece in without(place, known)):
        raise UnreadableBlocks(unknown)


def _split(course: Course, boundary: int) -> tuple[tuple[int, Extent], ...]:
    """Return both parts of the partition, each with its offset on the drive."""
    head, size = course.head_bytes, course.size_bytes
    return (
        (course.lo, Extent(head, max(boundary - head, 0))),
        (course.hi, Extent(boundary, size - boundary)),
    )


def _on_drive(course: Course, boundary: int, places: Iterable[Extent]) -> Iterator[Extent]:
    """Convert places in the partition to places on the drive, in the same order."""
    known = tuple(places)
    for shift, held in _split(course, boundary):
        for piece in _within(known, held):
            yield Extent(shift + piece.start_bytes, piece.size_bytes)


def _in_content(course: Course, boundary: int, extents: Iterable[Extent]) -> Iterator[Extent]:
    known = tuple(extents)
    for shift, held in _split(course, boundary):
        on_drive = Extent(shift + held.start_bytes, held.size_bytes)
        for piece in _within(known, on_drive):
            yield Extent(piece.start_bytes - shift, piece.size_bytes)


def _unneeded(course: Course, boundary: int) -> Iterator[Extent]:
    """Return ranges without needed data: the hole, and both places of the head, which is in the journal."""
    yield Extent(course.lo + boundary, course.hi - course.lo)
    yield from (Extent(start, course.head_bytes) for start in (course.lo, course.hi))


def _within(places: Iterable[Extent], bound: Extent) -> Iterator[Extent]:
    for place in places:
        start, end = max(place.start_bytes, bound.start_bytes), min(place.end_bytes, bound.end_bytes)
        if start < end:
            yield Extent(start, end - start)


def with_bad(noted: Noted, state: MoveState) -> Noted:
    """Update the bad sectors of a move. Those from an earlier move of the same partition are preserved."""
    known = {one.content.start_bytes: one.drive_bytes for one in noted.bad}

    def found(places: tuple[Extent, ...], *, is_zeros: bool) -> Iterator[Bad]:
        for place in places:
            at = known.get(place.start_bytes, _former_place(state, place, is_zeros=is_zeros))
            is_kept = not is_zeros and place.end_bytes <= state.course.head_bytes
            yield Bad(place, at, is_zeros, is_kept)

    current = (
        *found(state.zeros, is_zeros=True),
        *found(state.given_up, is_zeros=False),
        *found(state.unread, is_zeros=False),
    )
    earlier = (one for one in noted.bad if one.is_zeros and without(one.content, state.lost))
    bad = sorted((*earlier, *current), key=lambda one: one.content.start_bytes)
    return replace(noted, bad=tuple(bad), over=state.given_up)


def with_unread_at(noted: Noted, places: Iterable[Extent], start_bytes: int, *, is_kept: bool) -> Noted:
    """Add unreadable places of a partition that is complete at `start_bytes`."""
    known = {one.content for one in noted.bad}
    new = [Bad(at, start_bytes + at.start_bytes, is_kept=is_kept) for at in places if at not in known]
    return replace(noted, bad=tuple(sorted((*noted.bad, *new), key=lambda one: one.content.start_bytes)))


def _former_place(state: MoveState, place: Extent, *, is_zeros: bool) -> int:
    """Return the place on the drive that was unreadable. Zeroed places came from the other side."""
    course = state.course
    if place.end_bytes <= course.head_bytes:
        return course.start(state.barred_at) + place.start_bytes
    is_low = (place.end_bytes <= state.boundary_bytes) != is_zeros
    return (course.lo if is_low else course.hi) + place.start_bytes
