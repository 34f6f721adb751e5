"""Prepare the first state of a move's journal, with images of the partition's head and of the table."""

import errno
import hashlib
import mmap
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

from wizard.apply.block import devices
from wizard.apply.block.extents import HeldDrive, Read, clipped, merged
from wizard.apply.engine.signatures import copies_for_repair
from wizard.apply.move.mover import journal
from wizard.apply.move.relocate import fat_offset, placed
from wizard.apply.move.table_images import table_images
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


class MovedDrive(HeldDrive):
    """A `MovingDrive` on a device node, opened exclusively. Raises Failed."""

    def __init__(self, node: str) -> None:
        super().__init__(node)
        self._beside = ThreadPoolExecutor(1)

    def close(self) -> None:
        """Close the drive, after a flush that is in progress."""
        self._beside.shutdown()
        super().close()

    def buffer(self, length_bytes: int) -> memoryview:
        """Return page-aligned memory for direct I/O."""
        return memoryview(mmap.mmap(-1, max(length_bytes, mmap.PAGESIZE)))[:length_bytes]

    def read_into(self, offset_bytes: int, buffer: memoryview) -> None:
        """See `MovingDrive`. A failed read is repeated in smaller pieces, to find the unreadable sector."""
        self._read(offset_bytes, buffer, (MIB, 64 * KIB, self.logical_block_bytes))

    def _read(self, offset_bytes: int, buffer: memoryview, smaller: tuple[int, ...]) -> None:
        done = 0
        while done < len(buffer):
            at = offset_bytes + done
            try:
                got = os.preadv(self._fd, [buffer[done:]], at)
            except OSError as error:
                if error.errno not in UNREAD:
                    raise Failed(devices.UNREAD_AT(device=self.node, byte=at, why=error)) from None
                if not smaller:
                    raise journal.UnreadSector(UNREADABLE(device=self.node, byte=at, why=error), at) from None
                step, *rest = smaller
                for start in range(0, len(buffer), step):
                    self._read(offset_bytes + start, buffer[start : start + step], tuple(rest))
                return
            if not got:
                came = devices.CAME(got=done, length=len(buffer))
                raise Failed(devices.UNREAD_AT(device=self.node, byte=at, why=came))
            done += got

    def write(self, offset_bytes: int, data: bytes | memoryview) -> None:
        """See `MovingDrive`."""
        done = 0
        while done < len(data):
            with failing(devices.UNWRITTEN_AT, device=self.node, byte=offset_bytes + done):
                done += os.pwritev(self._fd, [data[done:]], offset_bytes + done)

    def flushing(self) -> Callable[[], None]:
        """See `MovingDrive`."""
        return self._beside.submit(self.flush).result


def blocks_around(
    barred: Iterable[Extent], start_bytes: int, head_bytes: int, size_bytes: int, physical_bytes: int
) -> tuple[Extent, ...]:
    """Return the physical blocks around these places at `start_bytes`, limited to the partition without its
    head. Sorted and disjoint, with offsets from the partition's start."""
    on_drive = [Extent(start_bytes + place.start_bytes, place.size_bytes) for place in barred]
    whole = merged(on_drive, physical_bytes, start_bytes + size_bytes + physical_bytes)
    in_content = (Extent(place.start_bytes - start_bytes, place.size_bytes) for place in whole)
    return tuple(clipped(in_content, (Extent(head_bytes, size_bytes - head_bytes),)))


TAIL_BYTES = 4096
FAT_BYTES = 8
SUPERBLOCK_BYTES = 512
"""Enough of an XFS superblock to contain its magic."""


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
    pieces, images = _pieces(_reader(drive, move), move, document, superblocks)
    course = journal.Course(
        run=run,
        old_bytes=move.before.start_bytes,
        new_bytes=move.after.start_bytes,
        size_bytes=move.before.size_bytes,
        head_bytes=move.head_bytes,
        logical_bytes=geometry.logical_block_bytes,
        physical_bytes=geometry.whole_block_bytes,
        scheme=move.scheme,
        window_bytes=move.window_bytes,
        in_flight=move.in_flight,
        pieces=pieces,
    )
    old, new = journal.PartitionSide
    boundary = course.size_bytes if course.raises(new) else course.head_bytes
    state = journal.MoveState(course, journal.MovePhase.PREPARED, new, old, boundary, 0)
    if not journal.has_room(state, move.journal.size_bytes):
        raise Refused(
            t(
                "{part} has {count} superblock copies, more than the journal can store. The "
                "partition is not moved.",
                part=move.device,
                count=len(pieces.barred),
            )
        )
    return state, images


def _pieces(
    read: Read, move: Move, document: bytes, superblocks: Iterable[int]
) -> tuple[journal.JournalImages, bytes]:
    """Return the pieces of the journal, and their images. Offsets count from the partition's start, except
    those of the table."""
    geometry, images, known = move.drive.geometry, bytearray(), dict[bytes, int]()
    logical, start, size = geometry.logical_block_bytes, move.before.start_bytes, move.before.size_bytes
    tables = table_images(read, move.drive.size_bytes, geometry, move.number, move.span, move.after)
    tail_bytes = rounded_up(TAIL_BYTES, logical)
    head, tail = read(start, move.head_bytes), read(move.before.end_bytes - tail_bytes, tail_bytes)
    tail_at = size - len(tail)
    fat = read(start + fat_offset(head), FAT_BYTES) if move.holds == "vfat" else b""
    new_head, new_tail = placed(
        move.holds, head, tail, start // logical, move.after.start_bytes // logical, fat
    )

    def added(offset: int, data: bytes) -> journal.ImagePiece:
        # Equal images are stored once.
        if data not in known:
            known[data] = len(images)
            images.extend(data)
        return journal.ImagePiece(offset, len(data), known[data])

    def before(offset: int, length: int) -> bytes:
        return read(start + offset, max(0, min(length, size - offset)))

    def after(offset: int, length: int) -> bytes:
        data = before(offset, length)
        return (data[: max(0, tail_at - offset)] + new_tail[max(0, offset - tail_at) :])[: len(data)]

    def copies(start_bytes: int, content: Read) -> Iterator[journal.ImagePiece]:
        for place in blocks_around(barred, start_bytes, move.head_bytes, size, geometry.whole_block_bytes):
            yield added(place.start_bytes, content(place.start_bytes, place.size_bytes))

    # Zeroed as well: superblock copies after the head, and a tail that changes.
    zeroed = [*copies_for_repair(before, size), *(Extent(at, SUPERBLOCK_BYTES) for at in superblocks)]
    if new_tail != tail:
        zeroed.append(Extent(tail_at, len(tail)))
    behind = Extent(move.head_bytes, size - move.head_bytes)
    barred = tuple(clipped(merged(zeroed, logical, size), (behind,)))
    old, moving, new = (
        tuple(added(piece.offset_bytes, piece.data) for piece in table)
        for table in (tables.old, tables.moving, tables.new)
    )
    pieces = journal.JournalImages(
        old,
        moving,
        new,
        (added(0, head), *copies(start, before)),
        (added(0, new_head), *copies(move.after.start_bytes, after)),
        barred,
        added(0, document),
        len(images),
        hashlib.sha256(images).hexdigest(),
    )
    return pieces, bytes(images)


def _reader(drive: journal.MovingDrive, move: Move) -> Read:
    """Return a function that reads any range of the drive; fewer bytes at its end."""
    block, size = move.drive.geometry.logical_block_bytes, move.drive.size_bytes

    def read(offset: int, length: int) -> bytes:
        end = min(offset + length, size)
        if offset < 0 or end <= offset:
            return b""
        first = offset // block * block
        data = journal.read_bytes(drive, first, rounded_up(end, block) - first)
        return data[offset - first : end - first]

    return read
