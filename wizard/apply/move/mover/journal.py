"""Journal of a move, on the same drive: two alternating state slots, images, a ring of two windows.

A slot is valid if the digest matches. Of two valid slots the higher number counts, so a torn write of one
leaves the other.

The ring has exactly two windows. With three, an outdated window could be valid again after a loss. It could
not be distinguished from a newer one.
"""

import hashlib
import json
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

from wizard.apply.block.extents import merged, without
from wizard.documents.codec import from_json, to_json
from wizard.model.errors import BadInput, Failed
from wizard.model.machine import Extent
from wizard.model.migration import Scheme
from wizard.model.said import rounded_up, t
from wizard.probe.content.notices import HEADER, MAGIC, SLOT_BYTES, SLOTS, digest_of, read_slot


class MovePhase(StrEnum):
    """What is being done. Each can be done again from its beginning, and each can be turned from.

    PREPARED: the journal is whole, and nothing else was written. UNTABLING: the table's entry becomes one
    that covers both places. BARRING: the head and all copies of it become zeros, so that nobody recognises,
    or repairs, half of a filesystem. MOVING: windows move. PLACING: head and copies come to the new place.
    TABLING: the table's entry becomes that of the place. DONE: it is whole at `MoveState.target`."""

    PREPARED = "prepared"
    UNTABLING = "untabling"
    BARRING = "barring"
    MOVING = "moving"
    PLACING = "placing"
    TABLING = "tabling"
    DONE = "done"


class PartitionSide(StrEnum):
    """The two places of the partition."""

    OLD = "old"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class ImagePiece:
    """What is to stand at a place: `image` is where its bytes begin among the journal's images. Whole
    physical blocks of a table; of a partition's content, whose offsets count from its start, whole logical
    blocks."""

    offset_bytes: int
    size_bytes: int
    image: int


@dataclass(frozen=True, slots=True)
class JournalImages:
    """The journal's images by what they are of: the table before, meanwhile and after, and what of the
    content is written at either place when all else is there, the head first. `barred` is what of the content
    behind the head is zeros until then, in bytes from its start; the images hold it with the rest of its
    physical blocks."""

    table_old: tuple[ImagePiece, ...]
    table_moving: tuple[ImagePiece, ...]
    table_new: tuple[ImagePiece, ...]
    placed_old: tuple[ImagePiece, ...]
    placed_new: tuple[ImagePiece, ...]
    barred: tuple[Extent, ...]
    document: ImagePiece
    total_bytes: int
    sha256: str

    def table(self, side: PartitionSide) -> tuple[ImagePiece, ...]:
        """The table that has the partition at this place."""
        return self.table_old if side is PartitionSide.OLD else self.table_new

    def placed(self, side: PartitionSide) -> tuple[ImagePiece, ...]:
        """What of the content is written at this place at the end."""
        return self.placed_old if side is PartitionSide.OLD else self.placed_new


@dataclass(frozen=True, slots=True)
class Course:
    """What does not change in a move. The first `head_bytes` of the content lie in the journal, and zeros in
    their place, for as long as it lasts. `in_flight`: so many windows may be
    on their way to the medium; so many fit into the hole."""

    run: str
    old_bytes: int
    new_bytes: int
    size_bytes: int
    head_bytes: int
    logical_bytes: int
    physical_bytes: int
    scheme: Scheme
    window_bytes: int
    in_flight: int
    pieces: JournalImages

    @property
    def lo(self) -> int:
        """The lower start."""
        return min(self.old_bytes, self.new_bytes)

    @property
    def hi(self) -> int:
        """The higher start."""
        return max(self.old_bytes, self.new_bytes)

    def start(self, side: PartitionSide) -> int:
        """Where the partition starts at this place."""
        return self.old_bytes if side is PartitionSide.OLD else self.new_bytes

    def raises(self, target: PartitionSide) -> bool:
        """Whether going there moves bytes to higher places."""
        return self.start(target) == self.hi


@dataclass(frozen=True, slots=True)
class MoveState:
    """How far it is. `target` is where it goes, `barred_at` where the head is taken from. `edges` are the
    physical blocks, by their offsets, that a write of this phase shares with what is not its own: the journal
    keeps their bytes. `epoch` numbers the stretches in one direction: windows of an older one mean
    nothing.

    Of the content, counted from its start: `unread` are the physical blocks that could not be read when it
    stopped; `given_up` those that whoever looked at them lets become zeros, where they have not moved yet;
    `zeros` those that have."""

    course: Course
    phase: MovePhase
    target: PartitionSide
    barred_at: PartitionSide
    boundary_bytes: int
    epoch: int
    edges: tuple[int, ...] = ()
    unread: tuple[Extent, ...] = ()
    given_up: tuple[Extent, ...] = ()
    zeros: tuple[Extent, ...] = ()

    @property
    def lost(self) -> tuple[Extent, ...]:
        """What of the content is not known any more."""
        found = (*self.unread, *self.given_up, *self.zeros)
        return merged(found, 1, self.course.size_bytes)

    def moved_to(self, side: PartitionSide) -> int:
        """How much of the content lies there."""
        above = self.course.size_bytes - self.boundary_bytes
        return above if self.course.raises(side) else self.boundary_bytes


WINDOW_MAGIC = b"DWMOVW\x001"
DIGEST_BYTES = 32
INVERTED = bytes(range(255, -1, -1))
"""The images lie there with every bit turned: who looks for a superblock anywhere must not find one of
them."""
MOST_EDGES = 4
"""Shared physical blocks of a phase: both ends of a head, and of what reaches the end of the content."""
STATE_GROWS_BYTES = 256
"""So much longer than at its beginning a state can become, by its numbers."""
WINDOW = struct.Struct("<8sQQQQI?32s")
"""Magic, number, the window's start and end within the content, where its bytes go, how many bytes those are,
whether it was moved up, and the digest of what comes before and of the bytes."""


class MovingDrive(Protocol):
    """The drive: offsets and lengths in whole logical blocks, past all caches. Errors are Failed."""

    def buffer(self, length_bytes: int) -> memoryview:
        """Memory that can be read into and written from."""

    def read_into(self, offset_bytes: int, buffer: memoryview) -> None:
        """Fill the buffer. Raises Unread where the drive says that a sector cannot be read."""

    def write(self, offset_bytes: int, data: memoryview) -> None:
        """Hand it over. Until `flush` nobody knows which part of it arrived."""

    def flush(self) -> None:
        """On return everything that was written is on the medium."""

    def flushing(self) -> Callable[[], None]:
        """Begin a flush, beside which more can be written. Once what is given returns, everything is on the
        medium that was written before. One at a time."""


@dataclass(frozen=True, slots=True)
class LogWindow:
    """A window of the log: the content [start, end), and the bytes that go to `place`, which are whole
    physical blocks and so may hold a little of what lies beside."""

    number: int
    start: int
    end: int
    place: int
    upwards: bool
    data: bytes | memoryview


def read_bytes(drive: MovingDrive, offset_bytes: int, length_bytes: int) -> bytes:
    """What lies there, in whole logical blocks."""
    buffer = drive.buffer(length_bytes)
    drive.read_into(offset_bytes, buffer)
    return bytes(buffer)


def write_bytes(drive: MovingDrive, offset_bytes: int, data: bytes) -> None:
    """Hand whole logical blocks over."""
    buffer = drive.buffer(len(data))
    buffer[:] = data
    drive.write(offset_bytes, buffer)


def ring_bytes(window_bytes: int, physical_bytes: int) -> int:
    """What one window takes in the log: its head, and its bytes with a physical block at either end."""
    return physical_bytes + window_bytes + 2 * physical_bytes


def journal_bytes(images_bytes: int, scheme: Scheme, window_bytes: int, physical_bytes: int) -> int:
    """How large a journal is."""
    ring = 2 * ring_bytes(window_bytes, physical_bytes) if scheme is Scheme.LOGGED else 0
    return SLOTS * SLOT_BYTES + rounded_up(images_bytes, physical_bytes) + ring


def has_room(state: MoveState, room_bytes: int) -> bool:
    """Whether a journal of a move has room for its images, and a slot for this state with the edges of any
    phase."""
    course = state.course
    room = journal_bytes(course.pieces.total_bytes, course.scheme, course.window_bytes, course.physical_bytes)
    return fits(state) and room <= room_bytes


def fits(state: MoveState) -> bool:
    """Whether a slot has room for this state with the edges of any phase."""
    plain = len(_plain(state)) + HEADER.size + STATE_GROWS_BYTES
    return plain + MOST_EDGES * state.course.physical_bytes <= SLOT_BYTES


def with_unread(state: MoveState, places: tuple[Extent, ...]) -> MoveState:
    """The state that knows that these cannot be read. Raises Failed where a slot has no room for so many."""
    known = replace(state, unread=merged((*state.unread, *places), 1, state.course.size_bytes))
    if not fits(known):
        raise Failed(
            t(
                "{count} ranges of the partition cannot be read, more than the journal can "
                "store: the drive may be failing.",
                count=len(known.lost),
            )
        )
    return known


def without_head(state: MoveState) -> MoveState:
    """The state once the head is zeros: what could not be read of it is in the journal."""
    head = Extent(0, state.course.head_bytes)
    unread, given_up = (
        tuple(piece for place in places for piece in without(place, (head,)))
        for places in (state.unread, state.given_up)
    )
    return replace(state, unread=unread, given_up=given_up)


def _plain(state: MoveState) -> bytes:
    return json.dumps(to_json(state), separators=(",", ":")).encode()


class MoveJournal:
    """The journal that begins at a place of the drive. `physical_bytes` counts for a new one alone: where the
    parts of one that is found lie is what its own state says, since behind another bridge the same drive may
    name other blocks."""

    def __init__(self, drive: MovingDrive, at_bytes: int, physical_bytes: int) -> None:
        self._drive, self._at, self._block = drive, at_bytes, physical_bytes
        self._number, self._slot = 0, 0

    def prepare(self, state: MoveState, images: bytes) -> None:
        """Write all of it; what a former one left is found no more. On the medium on return."""
        for slot in range(SLOTS):
            write_bytes(self._drive, self._at + slot * SLOT_BYTES, bytes(SLOT_BYTES))
        if state.course.scheme is Scheme.LOGGED:
            for number in range(2):
                write_bytes(self._drive, self._place(state.course, number), bytes(self._block))
        turned = images.translate(INVERTED)
        write_bytes(self._drive, self._images_at, turned.ljust(rounded_up(len(turned), self._block), b"\0"))
        self._drive.flush()
        self.save(state)
        self._drive.flush()

    def forget(self, run: str) -> None:
        """Take the states of this run away, and nothing else; on the medium on return."""
        for slot in range(SLOTS):
            found = self._read_slot(slot)
            if found is not None and found[1].course.run == run:
                write_bytes(self._drive, self._at + slot * SLOT_BYTES, bytes(SLOT_BYTES))
        self._drive.flush()

    @property
    def _images_at(self) -> int:
        return self._at + SLOTS * SLOT_BYTES

    def save(self, state: MoveState, edges: bytes = b"") -> None:
        """Hand the state over, with the bytes of its edges; on the medium with the next flush."""
        self._number += 1
        plain = _plain(state)
        lengths = struct.pack("<QII", self._number, len(plain), len(edges))
        digest = digest_of(lengths, plain, edges)
        data = HEADER.pack(MAGIC, self._number, len(plain), len(edges), digest) + plain + edges
        assert len(data) <= SLOT_BYTES
        self._slot = (self._slot + 1) % SLOTS
        place = self._at + self._slot * SLOT_BYTES
        write_bytes(self._drive, place, data.ljust(rounded_up(len(data), self._block), b"\0"))

    def load(self) -> tuple[MoveState, bytes] | None:
        """The newest valid state with the bytes of its edges; None where there is none. Raises Failed."""
        newest: tuple[int, int, MoveState, bytes] | None = None
        for slot in range(SLOTS):
            found = self._read_slot(slot)
            if found is not None and (newest is None or found[0] > newest[0]):
                newest = (found[0], slot, found[1], found[2])
        if newest is None:
            return None
        self._number, self._slot = newest[0], newest[1]
        self._block = newest[2].course.physical_bytes
        return newest[2], newest[3]

    def _read_slot(self, slot: int) -> tuple[int, MoveState, bytes] | None:
        raw = read_bytes(self._drive, self._at + slot * SLOT_BYTES, SLOT_BYTES)
        found = read_slot(raw)
        if found is None:
            return None
        number, plain, edges = found
        try:
            return number, from_json(json.loads(plain), MoveState, "the journal"), edges
        except (ValueError, BadInput):
            return None

    def images(self, course: Course) -> bytes | None:
        """All images; None where they are damaged."""
        raw = read_bytes(self._drive, self._images_at, rounded_up(course.pieces.total_bytes, self._block))
        images = raw[: course.pieces.total_bytes].translate(INVERTED)
        return images if hashlib.sha256(images).hexdigest() == course.pieces.sha256 else None

    def _place(self, course: Course, number: int) -> int:
        first = self._images_at + rounded_up(course.pieces.total_bytes, self._block)
        return first + number % 2 * ring_bytes(course.window_bytes, self._block)

    def log(self, course: Course, window: LogWindow, buffer: memoryview) -> None:
        """Hand a window that `seal` sealed in this buffer over, into the place in the ring that its number
        has."""
        self._drive.write(self._place(course, window.number), buffer[: self._block + len(window.data)])

    def logged(self, course: Course, least: int) -> Iterable[LogWindow]:
        """The valid windows in the ring, from this number on, the oldest first."""
        found = []
        for number in range(2):
            at = self._place(course, number)
            raw = read_bytes(self._drive, at, self._block)
            magic, own, start, end, place, size, upwards, digest = WINDOW.unpack_from(raw)
            if magic != WINDOW_MAGIC or own < least or size > course.window_bytes + 2 * self._block:
                continue
            data = read_bytes(self._drive, at + self._block, rounded_up(size, self._block))[:size]
            if hashlib.sha256(raw[: WINDOW.size - DIGEST_BYTES] + data).digest() == digest:
                found.append(LogWindow(own, start, end, place, upwards, data))
        return sorted(found, key=lambda one: one.number)


def seal(window: LogWindow, buffer: memoryview) -> None:
    """Write the head of a window, with the digest, to the beginning of the buffer that holds its bytes: to a
    physical block of its own."""
    head = WINDOW.pack(
        WINDOW_MAGIC,
        window.number,
        window.start,
        window.end,
        window.place,
        len(window.data),
        window.upwards,
        bytes(DIGEST_BYTES),
    )[:-DIGEST_BYTES]
    digest = hashlib.sha256(head)
    digest.update(window.data)
    buffer[: WINDOW.size] = head + digest.digest()


def image_of(images: bytes, piece: ImagePiece) -> bytes:
    """The bytes of a piece."""
    return images[piece.image : piece.image + piece.size_bytes]
