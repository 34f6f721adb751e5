"""The copies of an ext filesystem's superblock, which outlive the one at its place: where none is recognised,
they tell of files. Pure.

mke2fs puts the first copy at the start of the second group of blocks, whose place goes by the block size
alone unless it was told otherwise. Source: Linux fs/ext4/ext4.h, e2fsprogs lib/ext2fs/closefs.c.
"""

import struct

from wizard.probe.table.gpt import Read

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
