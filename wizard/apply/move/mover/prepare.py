"""Prepare the first state of a move's journal, with images of the partition's head and of the table."""

import errno
import hashlib
import mmap
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

from msgspec import Struct

from wizard.apply.block import devices
from wizard.apply.block.extents import Read, merged
from wizard.apply.engine.signatures import copies_for_repair
from wizard.apply.move.mover import journal
from wizard.apply.move.relocate import fat_offset, placed
from wizard.apply.move.table_images import TableImages, TablePiece, table_images
from wizard.model.errors import Failed, Refused
from wizard.model.machine import Extent
from wizard.model.moves import Move
from wizard.model.said import KIB, MIB, Sentence, failing, rounded_up, t

UNREAD = frozenset({errno.EIO, errno.ENODATA})
"""Error numbers for unreadable sectors (Linux block/blk-core.c, blk_errors)."""
UNREADABLE = Sentence(
    "Cannot read {device} at byte {byte}: {why}. Copy a failing drive to a new one with `ddrescue` before "
    "you move its partitions."
)


class MovedDrive:
    """A `MovingDrive` on a device node, opened exclusively. Raises Failed."""

    def __init__(self, node: str) -> None:
        self._node = node
        devices.check_unclaimed(node)
        with failing(devices.UNOPENED, device=node):
            self._fd = os.open(node, os.O_RDWR | os.O_EXCL | os.O_DIRECT | os.O_CLOEXEC)

        self._block, _ = devices.block_bytes(node)
        self._beside = ThreadPoolExecutor(1)

    def __enter__(self) -> "MovedDrive":
        return self

    def __exit__(self, *_: object) -> None:
        self._beside.shutdown()
        os.close(self._fd)

    def buffer(self, length_bytes: int) -> memoryview:
        """Return page-aligned memory for direct I/O."""
        return memoryview(mmap.mmap(-1, max(length_bytes, mmap.PAGESIZE)))[:length_bytes]

    def read_into(self, offset_bytes: int, buffer: memoryview) -> None:
        """See `MovingDrive`. A failed read is repeated in smaller pieces, to find the unreadable sector."""
        self._read(offset_bytes, buffer, (MIB, 64 * KIB, self._block))

    def _read(self, offset_bytes: int, buffer: memoryview, smaller: tuple[int, ...]) -> None:
        try:
            self._read_once(offset_bytes, buffer)
        except journal.UnreadSector:
            if not smaller:
                raise
            step, *rest = smaller
            for at in range(0, len(buffer), step):
                self._read(offset_bytes + at, buffer[at : at + step], tuple(rest))

    def _read_once(self, offset_bytes: int, buffer: memoryview) -> None:
        done = 0
        while done < len(buffer):
            at = offset_bytes + done
            try:
                got = os.preadv(self._fd, [buffer[done:]], at)
            except OSError as error:
                if error.errno in UNREAD:
                    raise journal.UnreadSector(
                        UNREADABLE(device=self._node, byte=at, why=error), at
                    ) from None
                raise Failed(devices.UNREAD_AT(device=self._node, byte=at, why=error)) from None
            if not got:
                came = devices.CAME(got=done, length=len(buffer))
                raise Failed(devices.UNREAD_AT(device=self._node, byte=at, why=came))
            done += got

    def write(self, offset_bytes: int, data: memoryview) -> None:
        """See `MovingDrive`."""
        done = 0
        while done < len(data):
            with failing(devices.UNWRITTEN_AT, device=self._node, byte=offset_bytes + done):
                done += os.pwritev(self._fd, [data[done:]], offset_bytes + done)

    def flush(self) -> None:
        """See `MovingDrive`."""
        with failing(devices.NOT_TAKEN, device=self._node):
            os.fdatasync(self._fd)

    def flushing(self) -> Callable[[], None]:
        """See `MovingDrive`."""
        return self._beside.submit(self.flush).result


def _places_to_bar(
    read: Read, more: Iterable[Extent], head_bytes: int, size_bytes: int, block_bytes: int
) -> tuple[Extent, ...]:
    """Return the places behind the head to zero: superblock copies and `more`. In whole logical blocks, with
    offsets from the partition's start."""
    found = merged((*copies_for_repair(read, size_bytes), *more), block_bytes, size_bytes)
    return tuple(_clipped(found, head_bytes, size_bytes))


def blocks_around(
    barred: Iterable[Extent], start_bytes: int, head_bytes: int, size_bytes: int, physical_bytes: int
) -> tuple[Extent, ...]:
    """Return the physical blocks around these places at `start_bytes`, limited to the partition without its
    head. Sorted and disjoint, with offsets from the partition's start."""
    on_drive = [Extent(start_bytes + place.start_bytes, place.size_bytes) for place in barred]
    whole = merged(on_drive, physical_bytes, start_bytes + size_bytes + physical_bytes)
    in_content = (Extent(place.start_bytes - start_bytes, place.size_bytes) for place in whole)
    return tuple(_clipped(in_content, head_bytes, size_bytes))


def _clipped(places: Iterable[Extent], low: int, high: int) -> Iterator[Extent]:
    for place in places:
        start, end = max(place.start_bytes, low), min(place.end_bytes, high)
        if start < end:
            yield Extent(start, end - start)


def with_zeros(data: bytes, offset_bytes: int, barred: Iterable[Extent]) -> bytes:
    """Return bytes of the partition from this offset, with zeroed places as during the move."""
    shown = bytearray(data)
    for place in barred:
        start = max(place.start_bytes - offset_bytes, 0)
        end = min(place.end_bytes - offset_bytes, len(data))
        if start < end:
            shown[start:end] = bytes(end - start)
    return bytes(shown)


TAIL_BYTES = 4096
FAT_BYTES = 8
SUPERBLOCK_BYTES = 512
"""Enough of an XFS superblock to contain its magic."""


class _Images:
    """Concatenated images without duplicates."""

    def __init__(self) -> None:
        self.data = bytearray()
        self._known: dict[bytes, int] = {}

    def add(self, offset: int, data: bytes) -> journal.ImagePiece:
        if data not in self._known:
            self._known[data] = len(self.data)
            self.data += data
        return journal.ImagePiece(offset, len(data), self._known[data])

    def table(self, pieces: Iterable[TablePiece]) -> tuple[journal.ImagePiece, ...]:
        return tuple(self.add(piece.offset_bytes, piece.data) for piece in pieces)


def prepared(
    drive: journal.MovingDrive,
    move: Move,
    run: str,
    document: bytes,
    superblocks: Iterable[int] = (),
) -> tuple[journal.MoveState, bytes]:
    """Return the state before the move, and the images. Raises Refused for a table or contents that cannot be
    moved, UnreadSector and Failed.

    `document` is for resuming on another computer. `superblocks` are more places that a repair would accept.
    """
    geometry = move.drive.geometry
    logical = geometry.logical_block_bytes
    reader = _Reader(drive, move)
    tables = table_images(
        reader,
        move.drive.size_bytes,
        logical,
        geometry.physical_block_bytes,
        move.number,
        move.span,
        move.after,
    )
    content = _content(reader, move)
    more = (*content.changed, *(Extent(at, SUPERBLOCK_BYTES) for at in superblocks))
    barred = _places_to_bar(content.before, more, move.head_bytes, content.size_bytes, logical)
    pieces, images = _pieces(move, tables, content, barred, document)
    state = _unmoved(
        journal.Course(
            run=run,
            old_bytes=move.before.start_bytes,
            new_bytes=move.after.start_bytes,
            size_bytes=move.before.size_bytes,
            head_bytes=move.head_bytes,
            logical_bytes=move.drive.geometry.logical_block_bytes,
            physical_bytes=move.drive.geometry.whole_block_bytes,
            scheme=move.scheme,
            window_bytes=move.window_bytes,
            in_flight=move.in_flight,
            pieces=pieces,
        )
    )
    if not journal.has_room(state, move.journal.size_bytes):
        raise Refused(
            t(
                "{part} has {count} superblock copies, more than the journal can store. The "
                "partition is not moved.",
                part=move.device,
                count=len(barred),
            )
        )
    return state, images


class _Content(Struct, frozen=True):
    """The contents of the partition, with head and tail for both places. Offsets count from the partition's
    start."""

    reader: "_Reader"
    start_bytes: int
    size_bytes: int
    head: bytes
    tail: bytes
    new_head: bytes
    new_tail: bytes

    @property
    def tail_start(self) -> int:
        """Offset of the tail."""
        return self.size_bytes - len(self.tail)

    @property
    def changed(self) -> tuple[Extent, ...]:
        """The tail, if the move changes it."""
        return (Extent(self.tail_start, len(self.tail)),) if self.new_tail != self.tail else ()

    def before(self, offset: int, length: int) -> bytes:
        """Read the current bytes; fewer at the end of the partition."""
        return self.reader(self.start_bytes + offset, max(0, min(length, self.size_bytes - offset)))

    def after(self, offset: int, length: int) -> bytes:
        """Return the bytes behind the head as they will be after the move."""
        old, at = self.before(offset, length), self.tail_start
        return (old[: max(0, at - offset)] + self.new_tail[max(0, offset - at) :])[: len(old)]


def _content(reader: "_Reader", move: Move) -> _Content:
    logical = reader.block
    head, tail = reader(move.before.start_bytes, move.head_bytes), _tail(reader, move)
    new_head, new_tail = placed(
        move.holds,
        head,
        tail,
        move.before.start_bytes // logical,
        move.after.start_bytes // logical,
        _fat(reader, move, head),
    )
    return _Content(reader, move.before.start_bytes, move.before.size_bytes, head, tail, new_head, new_tail)


def _tail(reader: "_Reader", move: Move) -> bytes:
    size = rounded_up(TAIL_BYTES, reader.block)
    return reader(move.before.end_bytes - size, size)


def _fat(reader: "_Reader", move: Move, head: bytes) -> bytes:
    if move.holds != "vfat":
        return b""
    return reader(move.before.start_bytes + fat_offset(head), FAT_BYTES)


def _pieces(
    move: Move, tables: TableImages, content: _Content, barred: tuple[Extent, ...], document: bytes
) -> tuple[journal.JournalImages, bytes]:
    """Return the pieces of the journal, and their images."""
    images = _Images()

    def copies(start: int, read: Read) -> Iterator[journal.ImagePiece]:
        physical = move.drive.geometry.whole_block_bytes
        for place in blocks_around(barred, start, move.head_bytes, content.size_bytes, physical):
            yield images.add(place.start_bytes, read(place.start_bytes, place.size_bytes))

    pieces = journal.JournalImages(
        images.table(tables.old),
        images.table(tables.moving),
        images.table(tables.new),
        (images.add(0, content.head), *copies(move.before.start_bytes, content.before)),
        (images.add(0, content.new_head), *copies(move.after.start_bytes, content.after)),
        barred,
        images.add(0, document),
        len(images.data),
        hashlib.sha256(images.data).hexdigest(),
    )
    return pieces, bytes(images.data)


def _unmoved(course: journal.Course) -> journal.MoveState:
    """Return the state before the move."""
    boundary = course.size_bytes if course.raises(journal.PartitionSide.NEW) else course.head_bytes
    return journal.MoveState(
        course, journal.MovePhase.PREPARED, journal.PartitionSide.NEW, journal.PartitionSide.OLD, boundary, 0
    )


class _Reader:
    """Read any range of the drive; fewer bytes at its end."""

    def __init__(self, drive: journal.MovingDrive, move: Move) -> None:
        self._drive, self._size = drive, move.drive.size_bytes
        self.block = move.drive.geometry.logical_block_bytes

    def __call__(self, offset: int, length: int) -> bytes:
        end = min(offset + length, self._size)
        if offset < 0 or end <= offset:
            return b""
        first = offset // self.block * self.block
        data = journal.read_bytes(self._drive, first, rounded_up(end, self.block) - first)
        return data[offset - first : end - first]
