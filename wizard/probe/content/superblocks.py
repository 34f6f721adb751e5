"""Parse superblocks for the data start of containers, and the striping of filesystems and arrays.

Pure, from recorded bytes. For any bytes, this module never raises, reads at most a few MiB, and returns only
places on the device. Sources: the LUKS1 and LUKS2 on-disk format specifications; Linux fs/ext4/ext4.h and
fs/xfs/libxfs/xfs_format.h. md and LVM have separate modules.
"""

import hashlib
import json
import os
import re
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from wizard.probe.content.gpt import Read as ExtRead
from wizard.probe.content.gpt import Read as SuperblocksRead
from wizard.probe.content.lvm import (
    NOTHING,
    SECTOR_BYTES,
    DataLayout,
    Reader,
    read_member,
    read_physical_volume,
    striping,
)

SUPERBLOCK_AT, SUPERBLOCK_BYTES = 1024, 1024
EXTENT, WIDE = 0x40, 0x80
"""Bits of s_feature_incompat: extents, and block numbers of 64 bits."""

EXTENT_MAPPED, IN_THE_INODE = 0x80000, 0x10000000
"""Bits of i_flags."""

DESCRIPTOR_BYTES, WIDE_DESCRIPTOR_BYTES = 32, 64
ROOT_INODE = 2
INODE_READ_BYTES = 36
"""Up to and with i_flags."""

FOLDER = 0x4000
LARGEST_BLOCK_SHIFT = 6
OLD_INODE_BYTES = 128


def is_unconverted(read: ExtRead) -> bool:
    """Whether extents are switched on and the root folder is mapped block by block all the same; false where
    that cannot be read."""
    superblock = read(SUPERBLOCK_AT, SUPERBLOCK_BYTES)
    if len(superblock) < SUPERBLOCK_BYTES:
        return False
    features, shift = _word(superblock, 0x60), _word(superblock, 0x18)
    if not features & EXTENT or shift > LARGEST_BLOCK_SHIFT:
        return False
    block = 1024 << shift
    wide = bool(features & WIDE) and struct.unpack_from("<H", superblock, 0xFE)[0] >= WIDE_DESCRIPTOR_BYTES
    # The first group's descriptor follows the superblock's block.
    descriptor = read(
        (_word(superblock, 0x14) + 1) * block, WIDE_DESCRIPTOR_BYTES if wide else DESCRIPTOR_BYTES
    )
    if len(descriptor) < DESCRIPTOR_BYTES:
        return False
    table = _word(descriptor, 0x08) | (
        _word(descriptor, 0x28) << 32 if len(descriptor) == WIDE_DESCRIPTOR_BYTES else 0
    )
    inode_bytes = (
        struct.unpack_from("<H", superblock, 0x58)[0] if _word(superblock, 0x4C) else OLD_INODE_BYTES
    )
    inode = read(table * block + (ROOT_INODE - 1) * inode_bytes, INODE_READ_BYTES)
    if len(inode) < INODE_READ_BYTES or struct.unpack_from("<H", inode)[0] & 0xF000 != FOLDER:
        return False
    return not _word(inode, 0x20) & (EXTENT_MAPPED | IN_THE_INODE)


def _word(data: bytes, offset: int) -> int:
    found: int = struct.unpack_from("<I", data, offset)[0]
    return found


BLOCK_SHIFTS = (2, 1, 0)
"""Of 1024 bytes, the usual one first."""

COPY_BYTES = 1024
MAGIC = 0xEF53
SHIFT_AT, MAGIC_AT, GROUP_AT = 24, 56, 90
SECOND_GROUP = 1


def copy_places() -> tuple[tuple[int, int], ...]:
    """The shift of each block size, and where the first copy lies with it, in bytes."""
    return tuple((shift, ((8192 << shift) + (shift == 0)) * (1024 << shift)) for shift in BLOCK_SHIFTS)


def find_copy(read: ExtRead) -> int | None:
    """Where the first copy lies that fits its place, in bytes; None where there is none."""
    return next((place for shift, place in copy_places() if _fits(read(place, COPY_BYTES), shift)), None)


def _fits(data: bytes, shift: int) -> bool:
    if len(data) < COPY_BYTES:
        return False
    (own_shift,), (magic,), (group,) = (
        struct.unpack_from(form, data, at)
        for form, at in (("<I", SHIFT_AT), ("<H", MAGIC_AT), ("<H", GROUP_AT))
    )
    return (magic, own_shift, group) == (MAGIC, shift, SECOND_GROUP)


def read_inside(
    kind: str, read: SuperblocksRead, size_bytes: int, mark_bytes: int | None = None
) -> DataLayout:
    """What the superblock of that kind says; nothing for a kind without one that is read here. A place
    outside of the device is none."""
    reader = READERS.get(kind)
    if reader is None or size_bytes <= 0:
        return NOTHING
    found = reader(read, size_bytes, mark_bytes)
    place = found.data_offset_bytes
    return replace(
        found,
        data_offset_bytes=place if place is not None and 0 <= place < size_bytes else None,
        volumes=tuple(volume for volume in found.volumes if 0 <= volume.offset_bytes < size_bytes),
    )


def replayed(chunks: Iterable[tuple[int, bytes]]) -> SuperblocksRead:
    """Reads from recorded bytes: zeroes where nothing was recorded, nothing where no recorded byte falls into
    what is asked for."""
    known = [(start, data) for start, data in chunks if data]

    def read(offset_bytes: int, size_bytes: int) -> bytes:
        for start, data in known:
            if start <= offset_bytes and offset_bytes + size_bytes <= start + len(data):
                return data[offset_bytes - start : offset_bytes - start + size_bytes]
        found = [
            (start, data)
            for start, data in known
            if start < offset_bytes + size_bytes and offset_bytes < start + len(data)
        ]
        if not found:
            return b""
        whole = bytearray(max(start + len(data) for start, data in found) - offset_bytes)
        for start, data in found:
            skipped = max(0, offset_bytes - start)
            place = start + skipped - offset_bytes
            whole[place : place + len(data) - skipped] = data[skipped:]
        return bytes(whole[:size_bytes])

    return read


LUKS_MAGIC = b"LUKS\xba\xbe"
LUKS1_READ_BYTES = 112
"""Up to where the digest of the key begins, which nobody needs to read."""
LUKS2_HEADER_BYTES = 4096
LUKS2_LARGEST_BYTES = 4 * 1024 * 1024
SEGMENTS = re.compile(r'"segments"\s*:\s*(?=\{)')


def _luks(read: SuperblocksRead, size_bytes: int, mark_bytes: int | None) -> DataLayout:
    del size_bytes, mark_bytes
    data = read(0, LUKS1_READ_BYTES)
    if len(data) < LUKS1_READ_BYTES or not data.startswith(LUKS_MAGIC):
        return NOTHING
    version, header_bytes = struct.unpack_from(">HQ", data, 6)
    if version == 1:
        sectors = struct.unpack_from(">I", data, 104)[0]
        # A payload offset of 0 says that this header lies apart from its data.
        return DataLayout(sectors * SECTOR_BYTES) if sectors else NOTHING
    if version != 2 or not LUKS2_HEADER_BYTES < header_bytes <= LUKS2_LARGEST_BYTES:
        return NOTHING
    found = segments_of(read(LUKS2_HEADER_BYTES, header_bytes - LUKS2_HEADER_BYTES))
    return DataLayout(_first_segment(found[2])) if found else NOTHING


def segments_of(area: bytes) -> tuple[int, int, Mapping[str, object]] | None:
    """Where in LUKS2's JSON text the object of its segments begins with its name, where it ends, and the
    object.

    It alone is recorded: the rest of the text has salts, digests and tokens, which are nobody's business.
    """
    text = area.decode("latin-1")
    for match in SEGMENTS.finditer(text):
        try:
            value, end = json.JSONDecoder().raw_decode(text, match.end())
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and any(
            isinstance(one, dict) and "offset" in one for one in value.values()
        ):
            return match.start(), end, value
    return None


def _first_segment(segments: Mapping[str, object]) -> int | None:
    """The offset of the data's first part. Backups that a re-encryption keeps are no part of the data."""
    offsets: dict[int, int] = {}
    for number, segment in segments.items():
        if not isinstance(segment, dict) or not re.fullmatch(r"[0-9]{1,9}", number):
            continue
        flags, offset = segment.get("flags"), segment.get("offset")
        backup = isinstance(flags, list) and any(
            isinstance(flag, str) and flag.startswith("backup") for flag in flags
        )
        if not backup and isinstance(offset, str) and re.fullmatch(r"[0-9]{1,19}", offset):
            offsets[int(number)] = int(offset)
    # An offset of 0 says that the header lies apart.
    return (offsets[min(offsets)] or None) if offsets else None


EXT_START_BYTES = 1024
EXT_MAGIC = 0xEF53
EXT_LARGEST_BLOCK_SHIFT = 6
EXT_FEATURES_AT, EXT_FEATURES_BYTES = 0x5C, 12
EXT_COUNTS_AT, EXT_HIGH_COUNTS_AT = (0, 44), (0x150, 12)
"""From s_inodes_count to s_inodes_per_group, and from s_blocks_count_hi to s_free_blocks_hi: offset, size."""

EXT_64BIT = 0x80
XFS_READ_BYTES = 192


def _ext(read: SuperblocksRead, size_bytes: int, mark_bytes: int | None) -> DataLayout:
    """s_raid_stride and s_raid_stripe_width, in blocks of the filesystem, and the three words of features."""
    del size_bytes, mark_bytes
    shift, magic, wanted = (
        read(EXT_START_BYTES + 24, 4),
        read(EXT_START_BYTES + 56, 2),
        read(EXT_START_BYTES + 356, 16),
    )
    if (len(shift), len(magic), len(wanted)) != (4, 2, 16) or struct.unpack("<H", magic)[0] != EXT_MAGIC:
        return NOTHING
    log = struct.unpack("<I", shift)[0]
    if log > EXT_LARGEST_BLOCK_SHIFT:
        return NOTHING
    stride, _, _, width = struct.unpack("<HHQI", wanted)
    block = 1024 << log
    return DataLayout(
        striping=striping(stride * block, width * block),
        block_bytes=block,
        features=_ext_features(read),
        taken_bytes=_ext_taken(read, block),
        unconverted=is_unconverted(read),
    )


def _ext_features(read: SuperblocksRead) -> tuple[int, int, int] | None:
    """s_feature_compat, s_feature_incompat and s_feature_ro_compat; None in recordings from before they were
    read."""
    words = read(EXT_START_BYTES + EXT_FEATURES_AT, EXT_FEATURES_BYTES)
    return struct.unpack("<III", words) if len(words) == EXT_FEATURES_BYTES else None


def _ext_taken(read: SuperblocksRead, block_bytes: int) -> int | None:
    """What cannot be less by s_blocks_count and s_free_blocks_count, and by the groups that hold as many
    inodes as are used; None where they do not fit together, and in recordings from before they were read."""
    low, high = (read(EXT_START_BYTES + at, size) for at, size in (EXT_COUNTS_AT, EXT_HIGH_COUNTS_AT))
    features = _ext_features(read)
    if (len(low), len(high)) != (EXT_COUNTS_AT[1], EXT_HIGH_COUNTS_AT[1]) or features is None:
        return None
    inodes, blocks, _, free, free_inodes, _, _, _, in_group, _, inodes_in_group = struct.unpack("<11I", low)
    if features[1] & EXT_64BIT:
        more, _, more_free = struct.unpack("<3I", high)
        blocks, free = blocks + (more << 32), free + (more_free << 32)
    if free > blocks or free_inodes > inodes or not inodes_in_group:
        return None
    groups = -(-(inodes - free_inodes) // inodes_in_group)
    taken: int = min(blocks, max(blocks - free, (groups - 1) * in_group))
    return taken * block_bytes


def _xfs(read: SuperblocksRead, size_bytes: int, mark_bytes: int | None) -> DataLayout:
    """sb_unit and sb_width, in blocks of the filesystem."""
    del size_bytes, mark_bytes
    data = read(0, XFS_READ_BYTES)
    if len(data) < XFS_READ_BYTES or not data.startswith(b"XFSB"):
        return NOTHING
    block, unit, width = struct.unpack_from(">I", data, 4)[0], *struct.unpack_from(">II", data, 184)
    return DataLayout(striping=striping(unit * block, width * block), block_bytes=block)


READERS: Mapping[str, Reader] = {
    "linux_raid_member": read_member,
    "crypto_LUKS": _luks,
    "LVM2_member": read_physical_volume,
    **dict.fromkeys(("ext2", "ext3", "ext4", "ext4dev"), _ext),
    "xfs": _xfs,
}
"""By libblkid's name of the kind."""


Read = Callable[[int, int], bytes]
"""Bytes at an offset of a device; short where there are none."""
Place = tuple[int, int]
"""An offset and a size, in bytes."""
KIB = 1024
PAGE_BYTES = 4 * KIB
MOST_SHIFT = 25
"""Of a cluster's size: 32 MiB, the largest that exFAT knows. What states more is damaged, and nothing is
looked for by it."""


def digest_of(path: str, content: dict[str, Any], offset_bytes: int = 0) -> str | None:
    """SHA-256 in hexadecimal digits over the superblocks that the RawContent `content` names, whose device
    begins at `offset_bytes` of `path`; None where it names none. Raises OSError.
    """
    marks = [(str(mark["kind"]), mark["offset_bytes"]) for mark in content["signatures"]]
    if not marks:
        return None
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:

        def read(start: int, size: int) -> bytes:
            return os.pread(descriptor, size, offset_bytes + start)

        said = hashlib.sha256()
        for kind, at in marks:
            for start, size in sorted({place for place in _places(kind, at, read) if place[0] >= 0}):
                said.update(f"{kind} {start} {size}\n".encode())
                said.update(read(start, size))
        return said.hexdigest()
    finally:
        os.close(descriptor)


def _places(kind: str, mark_bytes: int | None, read: Read) -> Iterator[Place]:
    """Where a kind has what it writes when it is used."""
    if mark_bytes is not None:
        yield mark_bytes // PAGE_BYTES * PAGE_BYTES, PAGE_BYTES
    match kind:
        case "xfs" | "crypto_LUKS":
            # Of XFS the superblock and the heads of the first allocation group, in sectors of up to 4 KiB.
            yield 0, 16 * KIB
        case "vfat":
            # The boot sector, FSInfo, and the head of the first FAT, or for small ones all of it and the
            # root.
            yield 0, 64 * KIB
        case "LVM2_member":
            yield 0, 8 * KIB
        case "ntfs":
            yield from _ntfs(read(0, 512))
        case "exfat":
            yield from _exfat(read(0, 512))
        case "f2fs":
            yield from _f2fs(read(KIB, KIB))
        case _:
            pass


def _ntfs(boot: bytes) -> Iterator[Place]:
    """The boot sector and the first records of the master file table: the table's own, the log's, the
    volume's and the root's."""
    yield 0, 512
    if len(boot) < 512:
        return
    cluster = boot[13] if boot[13] <= 128 else 1 << min(256 - boot[13], MOST_SHIFT)
    start = _number(boot, 48, 8) * cluster * _number(boot, 11, 2)
    if start < 1 << 62:
        yield start, 64 * KIB


def _exfat(boot: bytes) -> Iterator[Place]:
    """The boot sectors with what is in use, the head of the FAT, of the bitmap that comes first among the
    clusters, and of the root."""
    yield 0, 24 * 512
    if len(boot) < 512 or not 9 <= boot[108] <= 12 or boot[108] + boot[109] > MOST_SHIFT:
        return
    sector, heap = 1 << boot[108], _number(boot, 88, 4)
    root = heap + (max(_number(boot, 96, 4), 2) - 2 << boot[109])
    for start, size in ((_number(boot, 80, 4), PAGE_BYTES), (heap, 64 * KIB), (root, PAGE_BYTES)):
        yield start * sector, size


def _f2fs(head: bytes) -> Iterator[Place]:
    """Both superblocks and both packs of checkpoints, whose versions count up."""
    yield 0, 2 * PAGE_BYTES
    if len(head) < KIB or _number(head, 20, 4) > MOST_SHIFT:
        return
    first, segment = _number(head, 76, 4), 1 << _number(head, 20, 4)
    for block in (first, first + segment):
        yield block * PAGE_BYTES, PAGE_BYTES


def _number(data: bytes, at: int, length: int) -> int:
    return int.from_bytes(data[at : at + length], "little")
