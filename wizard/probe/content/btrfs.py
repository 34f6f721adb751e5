"""Read the superblock of a Btrfs, and from its chunk tree the profiles of data and metadata.

Sources: Linux, include/uapi/linux/btrfs_tree.h, and fs/btrfs/volumes.c for the places of a chunk. Pure and
bounded: malformed bytes give less information, never an error.
"""

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from wizard.model.machine import Signature
from wizard.probe.content.tables import Read, number

SUPERBLOCK_AT, SUPERBLOCK_BYTES = 64 * 1024, 4096
START_BYTES = 256
"""Size of the superblock's start, up to dev_item. Older recordings end there."""

NODE_SIZES = tuple(4096 << shift for shift in range(5))
HEADER_BYTES, KEY_BYTES, ITEM_BYTES, POINTER_BYTES, CHUNK_BYTES, STRIPE_BYTES = 101, 17, 25, 33, 48, 32
SYSTEM_AT, MOST_SYSTEM_BYTES = 811, 2048
"""Start and size of sys_chunk_array, the chunks that contain the chunk tree."""

CHUNK_TREE, CHUNK_ITEM = 3, 228
MOST_NODES, MOST_STRIPES = 256, 1024
DATA, SYSTEM, METADATA = 1, 2, 4
PROFILES = {
    1: "raid0",
    0: "single",
    4: "dup",
    16: "raid5",
    32: "raid6",
    2: "raid1",
    8: "raid10",
    64: "raid1c3",
    128: "raid1c4",
}
"""Profiles by the bits above DATA, SYSTEM and METADATA. The weakest is first."""

PARITIES = {"raid5": 1, "raid6": 2}


class _Chunk(Struct, frozen=True):
    """A range of logical addresses. `stripes`: device number and start of each part."""

    start: int
    size_bytes: int
    usage: int
    profile: str | None
    stripe_bytes: int
    copies: int
    stripes: tuple[tuple[int, int], ...]


def read_volume(mark: Signature, read: Read, _size_bytes: int) -> Signature:
    """Return dev_item.total_bytes, the bytes of this device, num_devices, and bytes_used."""
    data = read(SUPERBLOCK_AT, START_BYTES)
    if len(data) < START_BYTES or data[64:72] != b"_BHRfS_M":
        return mark
    used = number(data, 120, 8)
    return replace(mark, size_bytes=number(data, 209, 8), devices=number(data, 136, 8), used_bytes=used)


def read_profiles(read: Read) -> tuple[str | None, str | None]:
    """Return the profiles of data and of metadata, the weakest if there are several. If the chunk tree is on
    another device, the profile of data is unknown, and metadata have that of the tree itself."""
    superblock = read(SUPERBLOCK_AT, SUPERBLOCK_BYTES)
    if len(superblock) < SUPERBLOCK_BYTES or superblock[64:72] != b"_BHRfS_M":
        return None, None
    end = SYSTEM_AT + min(number(superblock, 160, 4), MOST_SYSTEM_BYTES)
    array, system, at = superblock[SYSTEM_AT:end], list[_Chunk](), 0
    while chunk := _chunk(number(array, at + 9, 8), array[at + KEY_BYTES :]):
        system.append(chunk)
        at += KEY_BYTES + CHUNK_BYTES + len(chunk.stripes) * STRIPE_BYTES
    chunks = _walk(read, superblock, system)
    if chunks is None:
        return None, _weakest(system, SYSTEM)
    return _weakest(chunks, DATA), _weakest(chunks, METADATA)


def _weakest(chunks: Iterable[_Chunk], usage: int) -> str | None:
    found = {chunk.profile for chunk in chunks if chunk.usage & usage}
    return None if None in found else next((name for name in PROFILES.values() if name in found), None)


def _chunk(start: int, item: bytes) -> _Chunk | None:
    count = number(item, 44, 2)
    if not 0 < count <= MOST_STRIPES or CHUNK_BYTES + count * STRIPE_BYTES > len(item):
        return None
    kind = number(item, 24, 8)
    profile = PROFILES.get(kind >> 3)
    copies = {"raid0": 1, "raid10": number(item, 46, 2)}.get(profile or "", count)
    parts = range(CHUNK_BYTES, CHUNK_BYTES + count * STRIPE_BYTES, STRIPE_BYTES)
    stripes = tuple((number(item, at, 8), number(item, at + 8, 8)) for at in parts)
    return _Chunk(start, number(item, 0, 8), kind & 7, profile, number(item, 16, 8), copies, stripes)


def _walk(read: Read, superblock: bytes, system: list[_Chunk]) -> list[_Chunk] | None:
    """Return None if a node is unreadable, or there are too many."""
    found: list[_Chunk] = []
    pending = [(number(superblock, 88, 8), superblock[199])]
    for _ in range(MOST_NODES):
        if not pending:
            return found
        address, level = pending.pop()
        node = _node(read, superblock, system, address, level)
        if node is None:
            return None
        step = POINTER_BYTES if level else ITEM_BYTES
        for at in range(HEADER_BYTES, HEADER_BYTES + number(node, 96, 4) * step, step):
            if level:
                pending.append((number(node, at + KEY_BYTES, 8), level - 1))
            elif node[at + 8] == CHUNK_ITEM:
                place = HEADER_BYTES + number(node, at + KEY_BYTES, 4)
                item = node[place : place + number(node, at + KEY_BYTES + 4, 4)]
                chunk = _chunk(number(node, at + 9, 8), item)
                if chunk is None:
                    return None
                found.append(chunk)
    return None


def _node(read: Read, superblock: bytes, system: list[_Chunk], address: int, level: int) -> bytes | None:
    size, device = number(superblock, 148, 4), number(superblock, 201, 8)
    if size not in NODE_SIZES:
        return None
    for chunk in system:
        for place in _places(chunk, address, device):
            node = read(place, size)
            own = node[32:48] in (superblock[32:48], superblock[571:587])
            named = (number(node, 48, 8), number(node, 88, 8)) == (address, CHUNK_TREE)
            step = POINTER_BYTES if level else ITEM_BYTES
            fits = HEADER_BYTES + number(node, 96, 4) * step <= len(node) == size
            if own and named and fits and node[100] == level:
                return node
    return None


def _places(chunk: _Chunk, address: int, device: int) -> Iterator[int]:
    offset, count, parity = address - chunk.start, len(chunk.stripes), PARITIES.get(chunk.profile or "", 0)
    copies = 1 if parity else chunk.copies
    columns = (count - parity) // copies if copies else 0
    if chunk.profile is None or not 0 <= offset < chunk.size_bytes or not chunk.stripe_bytes or columns < 1:
        return
    row, column = divmod(offset // chunk.stripe_bytes, columns)
    first = (column + row) % count if parity else column * copies
    for owner, start in chunk.stripes[first : first + copies]:
        if owner == device:
            yield start + row * chunk.stripe_bytes + offset % chunk.stripe_bytes
