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
from enum import StrEnum
from typing import Protocol

from wizard.documents.codec import from_json, to_json
from wizard.model.errors import BadInput, Failed, FrozenStruct
from wizard.model.machine import Extent
from wizard.model.moves import Scheme
from wizard.model.said import Message, rounded_up
from wizard.probe.content import notices


class MovePhase(StrEnum):
    """The current phase. Each can be repeated from its beginning, and reversed.

    PREPARED: the journal is complete, and nothing else was written. UNTABLING: the table's entry changes to
    cover both places. BARRING: the head and the copies are zeroed, so no tool recognises or repairs half a
    filesystem. MOVING: windows move. PLACING: head and copies are written to the new place. TABLING: the
    table's entry changes to that place. DONE: the partition is complete at `MoveState.target`.
    """

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


class ImagePiece(FrozenStruct):
    """Bytes for a place; `image` is their offset among the journal's images. Pieces of a table are whole
    physical blocks. Pieces of the partition are whole logical blocks, with offsets from its start."""

    offset_bytes: int
    size_bytes: int
    image: int


class JournalImages(FrozenStruct):
    """The images in a journal: the table before, during and after the move, and what is written last at
    either place, the head first.

    `barred` lists places behind the head that are zeros until then, in bytes from the partition's start.
    Their images include the rest of their physical blocks.
    """

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
        """Return the table for this place."""
        return self.table_old if side is PartitionSide.OLD else self.table_new

    def placed(self, side: PartitionSide) -> tuple[ImagePiece, ...]:
        """Return the final contents of this range."""
        return self.placed_old if side is PartitionSide.OLD else self.placed_new


class Course(FrozenStruct):
    """The constants of a move.

    During the move, the first `head_bytes` of the partition are in the journal, and zeros in their place.
    `in_flight` windows may be written without a flush, and fit into the hole.
    """

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
        """Return the start of the partition at this place."""
        return self.old_bytes if side is PartitionSide.OLD else self.new_bytes

    def raises(self, target: PartitionSide) -> bool:
        """Return True if a move to this place is towards higher offsets."""
        return self.start(target) == self.hi


class MoveState(FrozenStruct):
    """The progress of a move.

    `target` is the direction, and `barred_at` the place from which the head was removed. `edges` are the
    offsets of physical blocks that this phase shares with other data; the journal has their bytes. `epoch`
    counts changes of direction: windows of older epochs are invalid.

    Version 1.0 recorded unreadable ranges, in bytes from the partition's start: `unread` stopped the move,
    `given_up` would become zeros, `zeros` had become zeros.
    """

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


WINDOW_MAGIC = b"DWMOVW\x001"
DIGEST_BYTES = 32
INVERTED = bytes(range(255, -1, -1))
"""Images are stored with all bits inverted, so no tool that searches for superblocks finds one."""
MOST_EDGES = 4
"""Maximum number of shared physical blocks in a phase: both ends of a head, and of a copy at the end of the
partition."""
STATE_GROWS_BYTES = 256
"""Margin for growing numbers in a state."""
WINDOW = struct.Struct("<8sQQQQI?32s")
"""Magic, number, start and end of the window in the partition, offset of its bytes on the drive, their size,
True if moved upwards, and the digest of all these and the bytes."""


class UnreadSector(Failed):
    """The drive reports an unreadable sector at byte `at_bytes`."""

    def __init__(self, said: Message | str, at_bytes: int) -> None:
        super().__init__(said)
        self.at_bytes = at_bytes


class MovingDrive(Protocol):
    """A drive without caches. Offsets and lengths are in whole logical blocks. Errors are Failed."""

    def buffer(self, length_bytes: int) -> memoryview:
        """Return memory for reading and writing."""

    def read_into(self, offset_bytes: int, buffer: memoryview) -> None:
        """Fill the buffer. Raises UnreadSector if the drive reports an unreadable sector."""

    def write(self, offset_bytes: int, data: memoryview) -> None:
        """Write data. Until `flush`, any part may be lost."""

    def flush(self) -> None:
        """Wait until all data is on stable storage."""

    def flushing(self) -> Callable[[], None]:
        """Start a flush and return a function that waits for it. It covers earlier writes; later ones can
        overlap. One at a time."""


class LogWindow(FrozenStruct):
    """A window in the log: the range [start, end) of the partition, and bytes for `place`. These are whole
    physical blocks, so they may include neighbouring data."""

    number: int
    start: int
    end: int
    place: int
    upwards: bool
    data: bytes | memoryview


def read_bytes(drive: MovingDrive, offset_bytes: int, length_bytes: int) -> bytes:
    """Read whole logical blocks."""
    buffer = drive.buffer(length_bytes)
    drive.read_into(offset_bytes, buffer)
    return bytes(buffer)


def write_bytes(drive: MovingDrive, offset_bytes: int, data: bytes) -> None:
    """Write whole logical blocks."""
    buffer = drive.buffer(len(data))
    buffer[:] = data
    drive.write(offset_bytes, buffer)


def ring_bytes(window_bytes: int, physical_bytes: int) -> int:
    """Return the size of one window in the log: a header, and the bytes with a physical block at either
    end."""
    return physical_bytes + window_bytes + 2 * physical_bytes


def journal_bytes(images_bytes: int, scheme: Scheme, window_bytes: int, physical_bytes: int) -> int:
    """Return the size of a journal."""
    ring = 2 * ring_bytes(window_bytes, physical_bytes) if scheme is Scheme.LOGGED else 0
    return notices.SLOTS * notices.SLOT_BYTES + rounded_up(images_bytes, physical_bytes) + ring


def has_room(state: MoveState, room_bytes: int) -> bool:
    """Return True if a journal has space for the images, and a slot for this state with the edges of any
    phase."""
    course = state.course
    room = journal_bytes(course.pieces.total_bytes, course.scheme, course.window_bytes, course.physical_bytes)
    slot = (
        len(_serialised(state)) + notices.HEADER.size + STATE_GROWS_BYTES + MOST_EDGES * course.physical_bytes
    )
    return slot <= notices.SLOT_BYTES and room <= room_bytes


def _serialised(state: MoveState) -> bytes:
    return json.dumps(to_json(state), separators=(",", ":")).encode()


class MoveJournal:
    """The journal at an offset of the drive.

    `physical_bytes` only matters for a new journal. An existing one records its own block size, since another
    USB bridge may report other blocks for the same drive.
    """

    def __init__(self, drive: MovingDrive, at_bytes: int, physical_bytes: int) -> None:
        self._drive, self._at, self._block = drive, at_bytes, physical_bytes
        self._number, self._slot = 0, 0

    def prepare(self, state: MoveState, images: bytes) -> None:
        """Write and sync the whole journal, and invalidate an older one."""
        for slot in range(notices.SLOTS):
            write_bytes(self._drive, self._at + slot * notices.SLOT_BYTES, bytes(notices.SLOT_BYTES))
        if state.course.scheme is Scheme.LOGGED:
            for number in range(2):
                write_bytes(self._drive, self._window_place(state.course, number), bytes(self._block))
        inverted = images.translate(INVERTED)
        write_bytes(
            self._drive, self._images_at, inverted.ljust(rounded_up(len(inverted), self._block), b"\0")
        )
        self._drive.flush()
        self.save(state)
        self._drive.flush()

    def forget(self, run: str) -> None:
        """Delete the states of this run, and sync."""
        for slot in range(notices.SLOTS):
            found = self._read_slot(slot)
            if found is not None and found[1].course.run == run:
                write_bytes(self._drive, self._at + slot * notices.SLOT_BYTES, bytes(notices.SLOT_BYTES))
        self._drive.flush()

    @property
    def _images_at(self) -> int:
        return self._at + notices.SLOTS * notices.SLOT_BYTES

    def save(self, state: MoveState, edges: bytes = b"") -> None:
        """Write a state with the bytes of the edges. The next flush makes the state durable."""
        self._number += 1
        plain = _serialised(state)
        lengths = struct.pack("<QII", self._number, len(plain), len(edges))
        data = notices.MAGIC + lengths + notices.digest_of(lengths, plain, edges) + plain + edges
        assert len(data) <= notices.SLOT_BYTES
        self._slot = (self._slot + 1) % notices.SLOTS
        place = self._at + self._slot * notices.SLOT_BYTES
        write_bytes(self._drive, place, data.ljust(rounded_up(len(data), self._block), b"\0"))

    def load(self) -> tuple[MoveState, bytes] | None:
        """Return the newest valid state with the bytes of the edges, or None. Raises Failed."""
        found = [(slot, one) for slot in range(notices.SLOTS) if (one := self._read_slot(slot)) is not None]
        if not found:
            return None
        self._slot, (self._number, state, edges) = max(found, key=lambda one: one[1][0])
        self._block = state.course.physical_bytes
        return state, edges

    def _read_slot(self, slot: int) -> tuple[int, MoveState, bytes] | None:
        raw = read_bytes(self._drive, self._at + slot * notices.SLOT_BYTES, notices.SLOT_BYTES)
        found = notices.read_slot(raw)
        if found is None:
            return None
        number, plain, edges = found
        try:
            return number, from_json(json.loads(plain), MoveState, "the journal"), edges
        except (ValueError, BadInput):
            return None

    def images(self, course: Course) -> bytes | None:
        """Return all images, or None if they are damaged."""
        raw = read_bytes(self._drive, self._images_at, rounded_up(course.pieces.total_bytes, self._block))
        images = raw[: course.pieces.total_bytes].translate(INVERTED)
        return images if hashlib.sha256(images).hexdigest() == course.pieces.sha256 else None

    def _window_place(self, course: Course, number: int) -> int:
        first = self._images_at + rounded_up(course.pieces.total_bytes, self._block)
        return first + number % 2 * ring_bytes(course.window_bytes, self._block)

    def log(self, course: Course, window: LogWindow, buffer: memoryview) -> None:
        """Write a window sealed by `seal` to the place in the ring."""
        self._drive.write(self._window_place(course, window.number), buffer[: self._block + len(window.data)])

    def logged(self, course: Course, least: int) -> Iterable[LogWindow]:
        """Return the valid windows in the ring from this number, oldest first."""
        found = []
        for number in range(2):
            at = self._window_place(course, number)
            raw = read_bytes(self._drive, at, self._block)
            magic, own, start, end, place, size, upwards, digest = WINDOW.unpack_from(raw)
            if magic != WINDOW_MAGIC or own < least or size > course.window_bytes + 2 * self._block:
                continue
            data = read_bytes(self._drive, at + self._block, rounded_up(size, self._block))[:size]
            if hashlib.sha256(raw[: WINDOW.size - DIGEST_BYTES] + data).digest() == digest:
                found.append(LogWindow(own, start, end, place, upwards, data))
        return sorted(found, key=lambda one: one.number)


def seal(window: LogWindow, buffer: memoryview) -> None:
    """Write a window's header with digest to the start of the buffer with the bytes, in a physical block of
    its own."""
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
    """Return the bytes of a piece."""
    return images[piece.image : piece.image + piece.size_bytes]
