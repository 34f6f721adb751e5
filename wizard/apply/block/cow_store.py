"""The store of a persistent snapshot of the device mapper's: which chunks were written there, and where in
the store they lie.

Source: Linux drivers/md/dm-snap-persistent.c. The first chunk is the header: magic, whether it is valid,
version, chunk size in sectors. Then areas of one chunk of metadata each, followed by the chunks that it tells
of; an entry is the number of a chunk of the device and the number of its chunk in the store, and one whose
second number is 0 ends the list.
"""

from __future__ import annotations

import os
import struct
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import BinaryIO

from wizard.apply.block.extents import Read
from wizard.model.errors import Failed
from wizard.model.machine import Extent
from wizard.model.said import Sentence, t
from wizard.model.units import KERNEL_SECTOR_BYTES

STORE_UNREAD = Sentence("The snapshot's store {file} cannot be read: {why}.")
STORE_CUT_OFF = Sentence("The snapshot's store {file} is cut off.")

HEADER = struct.Struct("<IIII")
ENTRY = struct.Struct("<QQ")
MAGIC = 0x70416E53
VERSION = 1
LARGEST_CHUNK_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class CowStore:
    """What was written to a snapshot of a device of `size_bytes`, whose last chunk may be cut off. `numbers`
    ascend and count chunks of `chunk_bytes` on the device; `places` are in bytes in `file`, in the same
    order.
    """

    file: Path
    chunk_bytes: int
    size_bytes: int
    numbers: array[int]
    places: array[int]

    def written(self) -> Iterator[Extent]:
        """Where on the device."""
        for number in self.numbers:
            start = number * self.chunk_bytes
            yield Extent(start, min(self.chunk_bytes, self.size_bytes - start))

    def over(self, below: Read, files: ExitStack) -> Read:
        """Reads the device as the snapshot showed it: what was never written to that comes from `below`. The
        file is open as long as `files` are. Raises Failed, as the reader does where the file is cut off."""
        try:
            fd = os.open(self.file, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise self._unread(error) from None
        files.callback(os.close, fd)

        def read(offset_bytes: int, length_bytes: int) -> bytes:
            end, parts = offset_bytes + length_bytes, []
            while offset_bytes < end:
                to = min(end, (offset_bytes // self.chunk_bytes + 1) * self.chunk_bytes)
                parts.append(self._part(fd, offset_bytes, to - offset_bytes, below))
                offset_bytes = to
            return b"".join(parts)

        return read

    def _part(self, fd: int, offset_bytes: int, length_bytes: int, below: Read) -> bytes:
        """Of one chunk."""
        number, within = divmod(offset_bytes, self.chunk_bytes)
        index = bisect_left(self.numbers, number)
        if index == len(self.numbers) or self.numbers[index] != number:
            return below(offset_bytes, length_bytes)
        try:
            data = os.pread(fd, length_bytes, self.places[index] + within)
        except OSError as error:
            raise self._unread(error) from None
        if len(data) != length_bytes:
            raise Failed(STORE_CUT_OFF(file=str(self.file)))
        return data

    def _unread(self, error: OSError) -> Failed:
        return Failed(STORE_UNREAD(file=str(self.file), why=str(error.strerror)))


def read_cow_store(file: Path, size_bytes: int) -> CowStore:
    """Every chunk that a snapshot of a device of this size holds; raises Failed where it is not whole. No
    snapshot may be using it."""
    try:
        with file.open("rb") as store:
            magic, valid, version, sectors = HEADER.unpack(store.read(HEADER.size))
            chunk_bytes = sectors * KERNEL_SECTOR_BYTES
            if (
                magic != MAGIC
                or version != VERSION
                or not 4096 <= chunk_bytes <= LARGEST_CHUNK_BYTES
                or chunk_bytes & (chunk_bytes - 1)
            ):
                raise Failed(t("{file} is no store of a snapshot.", file=str(file)))
            if not valid:
                raise Failed(t("The snapshot's store {file} is marked as no longer valid.", file=str(file)))
            places = {}
            for old, new in _entries(store, chunk_bytes):
                if old in places or old * chunk_bytes >= size_bytes:
                    raise Failed(
                        t(
                            "The snapshot's store {file} is damaged: chunk {chunk} is wrong there.",
                            file=str(file),
                            chunk=old,
                        )
                    )
                places[old] = new * chunk_bytes
    except (OSError, struct.error) as error:
        raise Failed(STORE_UNREAD(file=str(file), why=str(error))) from None
    numbers = array("Q", sorted(places))
    return CowStore(file, chunk_bytes, size_bytes, numbers, array("Q", (places[one] for one in numbers)))


def _entries(store: BinaryIO, chunk_bytes: int) -> Iterator[tuple[int, int]]:
    per_area = chunk_bytes // ENTRY.size
    for area in count():
        store.seek((1 + area * (per_area + 1)) * chunk_bytes)
        metadata = store.read(chunk_bytes)
        for old, new in ENTRY.iter_unpack(metadata[: len(metadata) // ENTRY.size * ENTRY.size]):
            if new == 0:
                return
            yield old, new
        if len(metadata) < chunk_bytes:
            raise Failed(STORE_CUT_OFF(file=store.name))
