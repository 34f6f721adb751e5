"""The ordered log of all writes to an emulated drive. Source: Linux drivers/md/dm-log-writes.c; QEMU
block/blklogwrites.c.

The first sector is the superblock. Each entry is a sector with place, size and kind of the write, followed by
its data.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

SUPERBLOCK, ENTRY = struct.Struct("<QQQI"), struct.Struct("<QQQQ")
MAGIC, VERSION = 0x6A736677736872, 1
FLUSHED, DISCARDED, MARKED = 1, 4, 8
"""Flags of entries: flush of all earlier writes, discard, and mark without data."""


@dataclass(frozen=True, slots=True)
class Write:
    """Data written at this byte of the drive, after this number of flushes."""

    offset_bytes: int
    data: bytes
    flushes: int = 0

    @property
    def place(self) -> slice:
        """Place in the drive's bytes."""
        return slice(self.offset_bytes, self.offset_bytes + len(self.data))

    def in_pieces(self, length_bytes: int) -> Iterator["Write"]:
        """Split it into sectors."""
        for at in range(0, len(self.data), length_bytes):
            yield Write(self.offset_bytes + at, self.data[at : at + length_bytes], self.flushes)


def read_log(log: BinaryIO) -> Iterator[Write]:
    """Return every write in order. Raises ValueError for anything but a log, and for a discard, after
    which the content is undefined."""
    magic, version, entries, sector_bytes = SUPERBLOCK.unpack(log.read(SUPERBLOCK.size))
    if (magic, version) != (MAGIC, VERSION):
        raise ValueError("this is no log of writes")
    at, flushes = sector_bytes, 0
    for _ in range(entries):
        log.seek(at)
        sector, sectors, flags, _ = ENTRY.unpack(log.read(ENTRY.size))
        if flags & DISCARDED:
            raise ValueError(f"{sectors} sectors at {sector} were discarded")
        flushes += bool(flags & FLUSHED)
        at += sector_bytes
        if sectors and not flags & MARKED:
            log.seek(at)
            yield Write(sector * sector_bytes, log.read(sectors * sector_bytes), flushes)
            at += sectors * sector_bytes
