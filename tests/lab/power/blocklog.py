"""The log of all writes to an emulated drive, in their order. Source: Linux drivers/md/dm-log-writes.c; QEMU
block/blklogwrites.c.

The first sector is the superblock; each entry is a sector that says where it was written, how much and how,
and what was written.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

SUPERBLOCK, ENTRY = struct.Struct("<QQQI"), struct.Struct("<QQQQ")
MAGIC, VERSION = 0x6A736677736872, 1
FLUSHED, DISCARDED, MARKED = 1, 4, 8
"""Flags of entries: all that was written before is on the medium; nothing was written."""


@dataclass(frozen=True, slots=True)
class Write:
    """What was written at this byte of the drive, after so many flushes."""

    offset_bytes: int
    data: bytes
    flushes: int = 0

    @property
    def place(self) -> slice:
        """Where in the drive's bytes."""
        return slice(self.offset_bytes, self.offset_bytes + len(self.data))

    def in_pieces(self, length_bytes: int) -> Iterator["Write"]:
        """As if it had arrived bit by bit."""
        for at in range(0, len(self.data), length_bytes):
            yield Write(self.offset_bytes + at, self.data[at : at + length_bytes], self.flushes)


def read_log(log: BinaryIO) -> Iterator[Write]:
    """Every write, in the order of their arrival; raises ValueError for what is no log, and for a discard,
    which says nothing of what is there then."""
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
