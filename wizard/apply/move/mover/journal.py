"""The journal of a move, on the drive itself: two slots for the state in turn, the images, and a ring of two
windows.

A slot is valid when its digest is right; of two valid ones the higher number counts. So a torn write of one
leaves the other.

Two windows and no more: of three, one could be valid again that is older than the one before it, and nobody
could tell it from one that is newer than one that was lost.
"""

import hashlib
import json
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Protocol

from wizard.apply.block.extents import merged, without
from wizard.apply.move.mover.state import Course, Piece, State
from wizard.documents.codec import from_json, to_json
from wizard.model.documents.move import Scheme
from wizard.model.errors import BadInput, Failed
from wizard.model.machine import Extent
from wizard.model.said import t
from wizard.model.units import rounded_up
from wizard.probe.content.moving import HEADER, MAGIC, SLOT_BYTES, SLOTS, digest_of, read_slot

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
class Window:
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


def has_room(state: State, room_bytes: int) -> bool:
    """Whether a journal of a move has room for its images, and a slot for this state with the edges of any
    phase."""
    course = state.course
    room = journal_bytes(course.pieces.total_bytes, course.scheme, course.window_bytes, course.physical_bytes)
    return fits(state) and room <= room_bytes


def fits(state: State) -> bool:
    """Whether a slot has room for this state with the edges of any phase."""
    plain = len(_plain(state)) + HEADER.size + STATE_GROWS_BYTES
    return plain + MOST_EDGES * state.course.physical_bytes <= SLOT_BYTES


def with_unread(state: State, places: tuple[Extent, ...]) -> State:
    """The state that knows that these cannot be read. Raises Failed where a slot has no room for so many."""
    known = replace(state, unread=merged((*state.unread, *places), 1, state.course.size_bytes))
    if not fits(known):
        raise Failed(
            t(
                "{count} stretches of the partition cannot be read, more than the journal "
                "holds: the drive may be dying.",
                count=len(known.lost),
            )
        )
    return known


def without_head(state: State) -> State:
    """The state once the head is zeros: what could not be read of it is in the journal."""
    head = Extent(0, state.course.head_bytes)
    unread, given_up = (
        tuple(piece for place in places for piece in without(place, (head,)))
        for places in (state.unread, state.given_up)
    )
    return replace(state, unread=unread, given_up=given_up)


def _plain(state: State) -> bytes:
    return json.dumps(to_json(state), separators=(",", ":")).encode()


class Journal:
    """The journal that begins at a place of the drive. `physical_bytes` counts for a new one alone: where the
    parts of one that is found lie is what its own state says, since behind another bridge the same drive may
    name other blocks."""

    def __init__(self, drive: MovingDrive, at_bytes: int, physical_bytes: int) -> None:
        self._drive, self._at, self._block = drive, at_bytes, physical_bytes
        self._number, self._slot = 0, 0

    def prepare(self, state: State, images: bytes) -> None:
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

    def save(self, state: State, edges: bytes = b"") -> None:
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

    def load(self) -> tuple[State, bytes] | None:
        """The newest valid state with the bytes of its edges; None where there is none. Raises Failed."""
        newest: tuple[int, int, State, bytes] | None = None
        for slot in range(SLOTS):
            found = self._read_slot(slot)
            if found is not None and (newest is None or found[0] > newest[0]):
                newest = (found[0], slot, found[1], found[2])
        if newest is None:
            return None
        self._number, self._slot = newest[0], newest[1]
        self._block = newest[2].course.physical_bytes
        return newest[2], newest[3]

    def _read_slot(self, slot: int) -> tuple[int, State, bytes] | None:
        raw = read_bytes(self._drive, self._at + slot * SLOT_BYTES, SLOT_BYTES)
        found = read_slot(raw)
        if found is None:
            return None
        number, plain, edges = found
        try:
            return number, from_json(json.loads(plain), State, "the journal"), edges
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

    def log(self, course: Course, window: Window, buffer: memoryview) -> None:
        """Hand a window that `seal` sealed in this buffer over, into the place in the ring that its number
        has."""
        self._drive.write(self._place(course, window.number), buffer[: self._block + len(window.data)])

    def logged(self, course: Course, least: int) -> Iterable[Window]:
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
                found.append(Window(own, start, end, place, upwards, data))
        return sorted(found, key=lambda one: one.number)


def seal(window: Window, buffer: memoryview) -> None:
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


def image_of(images: bytes, piece: Piece) -> bytes:
    """The bytes of a piece."""
    return images[piece.image : piece.image + piece.size_bytes]
