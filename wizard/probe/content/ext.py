"""Whether an ext filesystem's root folder is mapped block by block: it is as old as its filesystem, and only
e2fsck maps it anew.

So it tells of an ext4 whether the files of the ext3 that it was were ever converted. Pure work on bytes:
whatever they hold, nothing here raises. Source: Linux fs/ext4/ext4.h.
"""

import struct

from wizard.probe.content.gpt import Read

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


def is_unconverted(read: Read) -> bool:
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


def find_copy(read: Read) -> int | None:
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
