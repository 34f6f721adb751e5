"""The bar: what keeps everybody away from a filesystem of which only a part has been replaced. Pure.

A bit of s_feature_incompat that nobody knows: the kernel mounts such a filesystem in no way, not even
read-only, while libblkid still names it. e2fsck says that it must be newer and writes nothing. A bad magic
number or a bad checksum would not do: there e2fsck goes to a copy of the superblock, repairs by it, and what
is half replaced is mounted at boot. With the feature metadata_csum the superblock's checksum would have to be
right, so its bit is taken away meanwhile. Both bits lie in the superblock's first 512 bytes: one sector
decides, and drives write one sector wholly or not at all. Source: Linux fs/ext4/super.c, e2fsprogs
e2fsck/unix.c.
"""

from wizard.migrate.ext.superblock import START_BYTES

FIRST_BYTES = 4096
"""What is looked at of a filesystem: the superblock and, on every drive, whole blocks of it."""

DECIDING = slice(START_BYTES, START_BYTES + 512)
"""The part of the superblock, within the first bytes, that decides who may mount it."""

INCOMPATIBLE_AT, READ_ONLY_AT = START_BYTES + 0x60, START_BYTES + 0x64
BAR, CHECKSUMS = 1 << 31, 1 << 10


def barred(first: bytes) -> bytes:
    """The first bytes of a filesystem, with the bar in its superblock."""
    changed = bytearray(first)
    for at, bits in (
        (INCOMPATIBLE_AT, _word(first, INCOMPATIBLE_AT) | BAR),
        (READ_ONLY_AT, _word(first, READ_ONLY_AT) & ~CHECKSUMS),
    ):
        changed[at : at + 4] = bits.to_bytes(4, "little")
    return bytes(changed)


def is_barred(first: bytes) -> bool:
    """Whether the first bytes of a filesystem have the bar."""
    return bool(_word(first, INCOMPATIBLE_AT) & BAR)


def deciding_block(logical_block_bytes: int) -> slice:
    """Where, within the first bytes, the smallest block lies that a drive writes and that holds what
    decides."""
    unit = max(logical_block_bytes, DECIDING.stop - DECIDING.start)
    begin = START_BYTES // unit * unit
    return slice(begin, begin + unit)


def _word(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "little")
