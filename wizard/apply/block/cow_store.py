"""The store of a persistent snapshot of the device mapper's: which chunks were written there, and where in
the store they lie.

Source: Linux drivers/md/dm-snap-persistent.c. The first chunk is the header: magic, whether it is valid,
version, chunk size in sectors. Then areas of one chunk of metadata each, followed by the chunks that it tells
of; an entry is the number of a chunk of the device and the number of its chunk in the store, and one whose
second number is 0 ends the list.
"""

import struct
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import BinaryIO

from wizard.apply.block.chunks import Chunks
from wizard.model.errors import Failed
from wizard.model.units import KERNEL_SECTOR_BYTES

HEADER = struct.Struct("<IIII")
ENTRY = struct.Struct("<QQ")
MAGIC = 0x70416E53
VERSION = 1
LARGEST_CHUNK_BYTES = 1024 * 1024


def read_cow_store(file: Path, size_bytes: int) -> Chunks:
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
                raise Failed(f"{file} is no store of a snapshot.")
            if not valid:
                raise Failed(f"The snapshot's store {file} is marked as no longer valid.")
            places = {}
            for old, new in _entries(store, chunk_bytes):
                if old in places or old * chunk_bytes >= size_bytes:
                    raise Failed(f"The snapshot's store {file} is damaged: chunk {old} is wrong there.")
                places[old] = new * chunk_bytes
    except (OSError, struct.error) as error:
        raise Failed(f"The snapshot's store {file} cannot be read: {error}.") from None
    return Chunks.of(file, chunk_bytes, size_bytes, places)


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
            raise Failed(f"The snapshot's store {store.name} is cut off.")
