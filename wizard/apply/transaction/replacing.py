"""Replacing chunks of a filesystem so that a power cut at any moment costs nothing: a log of what is to be
there is read, and may be read again from its beginning as often as it takes.

Meanwhile the filesystem is barred: nobody mounts what is half old and half new. One block, written last,
makes it whole.
"""

import errno
import os
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from wizard.apply.block.chunks import Chunks, digest_of
from wizard.apply.block.medium import Medium
from wizard.migrate.ext.bar import DECIDING, FIRST_BYTES, barred, deciding_block
from wizard.model.errors import Failed

Progress = Callable[[float], None]
"""Is told which part is done, from 0 to 1."""


class Head(Enum):
    """What decides who may mount it, as found on the drive. BARRED: nobody. OTHER: neither of the two;
    somebody wrote to it."""

    OLD = "old"
    NEW = "new"
    BARRED = "barred"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Firsts:
    """The first 4096 bytes of the filesystem, before and after."""

    old: bytes
    new: bytes

    def of(self, head: Head) -> bytes:
        """Those of OLD or NEW."""
        return self.old if head is Head.OLD else self.new


def head_of(medium: Medium, firsts: Firsts) -> Head:
    """Which head the filesystem has now."""
    return head_in(medium.read(0, FIRST_BYTES), firsts)


def head_in(first: bytes, firsts: Firsts) -> Head:
    """Which head these first bytes of a filesystem have."""
    found = first[DECIDING]
    if found in (barred(firsts.old)[DECIDING], barred(firsts.new)[DECIDING]):
        return Head.BARRED
    return {firsts.old[DECIDING]: Head.OLD, firsts.new[DECIDING]: Head.NEW}.get(found, Head.OTHER)


def set_bar(medium: Medium) -> None:
    """From here on nobody mounts it, by one write of one block."""
    block = deciding_block(medium.logical_block_bytes)
    medium.write_through(block.start, barred(medium.read(0, FIRST_BYTES))[block])


def lift_bar(medium: Medium, coming: bytes) -> None:
    """By one write of one block the filesystem is whole, and free to be mounted; `coming` are its first
    bytes."""
    block = deciding_block(medium.logical_block_bytes)
    medium.write_through(block.start, coming[block])


def decides(medium: Medium, coming: bytes) -> bool:
    """Whether the block that decides is to the bit as in `coming`."""
    block = deciding_block(medium.logical_block_bytes)
    return medium.read(0, FIRST_BYTES)[block] == coming[block]


def replace_all(medium: Medium, source: Chunks, progress: Progress) -> None:
    """Put every chunk in its place but for the block that decides; on return it is on the medium. May be done
    any number of times."""
    block = deciding_block(medium.logical_block_bytes)
    standing = medium.read(0, FIRST_BYTES)[block]
    total, done = source.total_bytes, 0
    for offset, data in source.contents():
        medium.write(offset, _with(data, block, standing) if offset == 0 else data)
        done += len(data)
        progress(done / total)
    medium.flush()


def digest_on(medium: Medium, chunks: Chunks, progress: Progress, coming: bytes | None = None) -> str:
    """The digest of these chunks as they lie on the drive; the block that decides is taken to be as in
    `coming` already, where given."""
    block = deciding_block(medium.logical_block_bytes)

    def read() -> Iterator[bytes]:
        total, done = chunks.total_bytes, 0
        for piece in chunks.pieces():
            data = medium.read(piece.offset_bytes, piece.length_bytes)
            yield (
                _with(data, block, coming[block]) if coming is not None and piece.offset_bytes == 0 else data
            )
            done += piece.length_bytes
            progress(done / total)

    return digest_of(chunks.numbers, read())


def digest_in_file(chunks: Chunks) -> str:
    """The digest of these chunks as their file holds them."""
    return digest_of(chunks.numbers, (data for _, data in chunks.contents()))


def keep_old(medium: Medium, new: Chunks, file: Path, progress: Progress) -> Chunks:
    """Write to `file` what the drive holds where `new` holds something else, and give those chunks; on return
    they are on the medium. e2fsck and tune2fs write much that is the same as before.
    """
    numbers = array("Q")
    total, done = new.total_bytes, 0
    try:
        with file.open("wb") as kept:
            for offset, data in new.contents():
                found = medium.read(offset, len(data))
                for begin in range(0, len(data), new.chunk_bytes):
                    old = found[begin : begin + new.chunk_bytes]
                    if old != data[begin : begin + new.chunk_bytes]:
                        numbers.append((offset + begin) // new.chunk_bytes)
                        kept.write(old.ljust(new.chunk_bytes, b"\0"))
                done += len(data)
                progress(done / total)
            kept.flush()
            os.fsync(kept.fileno())
    except OSError as error:
        reason = "the disk is full" if error.errno == errno.ENOSPC else error.strerror
        raise Failed(
            f"What is to be replaced could not be kept in {file}: {reason}. The drive has not changed."
        ) from None
    return Chunks.in_order(file, new.chunk_bytes, new.size_bytes, numbers)


def _with(data: bytes, block: slice, content: bytes) -> bytes:
    return data[: block.start] + content + data[block.stop :]
