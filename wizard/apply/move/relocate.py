"""Rewrite the first and last bytes of a partition for another place. Pure.

Sources: Microsoft, "FAT: General Overview of On-Disk Format" (fatgen103) and "exFAT file system
specification"; linux-ntfs, layout.h (the boot sector); Linux fs/fat/inode.c (the byte for "not unmounted").

These bytes do not show an unclean NTFS or a hibernated Windows. Both are recorded in files ($Volume,
hiberfil.sys). Check with ntfs-3g.probe(8) first.
"""

import struct

from wizard.model.errors import Refused
from wizard.model.said import Sentence, t
from wizard.plan.partition.move_target import WITHOUT_PLACE

OTHER = Sentence("The first sector does not match the detected {title}.")
UNCLEAN = Sentence("{what} was not unmounted cleanly. Check the filesystem first: `{command}`.")

HIDDEN_AT = 0x1C
BOOT_SECTOR_BYTES = 512
BOOT_SIGNATURE = b"\x55\xaa"
SECTOR_SIZES = (512, 1024, 2048, 4096)

FAT32_COPY_AT, NO_COPY = 0x32, (0, 0xFFFF)
FAT32_STATE_AT, FAT16_STATE_AT, STATE_UNCLEAN = 0x41, 0x25, 1
FAT32_CLEAN, FAT16_CLEAN = 1 << 27, 1 << 15
FAT12_CLUSTERS = 4085
"""A FAT with fewer clusters has 12-bit entries, without space for flags."""

EXFAT_OFFSET_AT, EXFAT_FLAGS_AT, EXFAT_SHIFT_AT = 0x40, 0x6A, 0x6C
EXFAT_UNCLEAN = 2
EXFAT_REGION_SECTORS, EXFAT_SUM_SECTOR = 12, 11
EXFAT_NOT_SUMMED = frozenset({106, 107, 112})
"""Bytes that change in use: the flags, and the percentage in use."""


def placed(
    kind: str, head: bytes, tail: bytes, before_lba: int, after_lba: int, fat: bytes = b""
) -> tuple[bytes, bytes]:
    """Return head and tail of a partition for a new start. Raises Refused for contents that are not moved.

    `before_lba` and `after_lba` are in logical blocks. A recorded start other than `before_lba` is preserved.

    `kind` is libblkid's TYPE. `head` is at least the first 64 KiB (96 KiB for exFAT with 4096-byte sectors),
    `tail` the last 4096 bytes, without overlap. The clean flag of a FAT is also in the first 8 bytes of its
    table, at `fat_offset`; if they are beyond the head, pass them as `fat`. Otherwise, only Linux's flag in
    the first sector is checked.
    """
    if kind in WITHOUT_PLACE:
        return head, tail
    if kind == "ntfs":
        sector_bytes = _sector_bytes(head, "NTFS", head[3:11] == b"NTFS    ")
        head = _with_hidden(head, 0, before_lba, after_lba, "NTFS")
        # The last sector has a copy of the first one.
        at = len(tail) - sector_bytes
        if tail[at + 3 : at + 11] == b"NTFS    ":
            tail = _with_hidden(tail, at, before_lba, after_lba, "NTFS")
        return head, tail
    if kind == "vfat":
        return _fat(head, before_lba, after_lba, fat), tail
    if kind == "exfat":
        return _exfat(head, before_lba, after_lba), tail
    raise Refused(
        t("It is unknown if {kind} records its own position. Such contents are not moved.", kind=kind)
    )


def fat_offset(head: bytes) -> int:
    """Return the offset of the first FAT, in bytes from the partition's start."""
    sector, _, reserved = struct.unpack_from("<HBH", head, 0x0B)
    return int(sector) * int(reserved)


def _sector_bytes(head: bytes, title: str, has_magic: bool) -> int:
    size: int = struct.unpack_from("<H", head, 0x0B)[0]
    if not has_magic or size not in SECTOR_SIZES or head[510:512] != BOOT_SIGNATURE:
        raise Refused(OTHER(title=title))
    return size


def _with_hidden(data: bytes, at: int, before: int, after: int, title: str) -> bytes:
    """Update the start in the boot sector at `at`, if it is a boot sector with the old start."""
    is_boot_sector = data[at + 510 : at + 512] == BOOT_SIGNATURE
    if not is_boot_sector or struct.unpack_from("<I", data, at + HIDDEN_AT)[0] != before:
        return data
    if after >= 1 << 32:
        raise Refused(t("{what} has 32-bit block numbers, too few for the new place.", what=title))
    return _patched(data, at + HIDDEN_AT, struct.pack("<I", after))


def _patched(data: bytes, at: int, new: bytes) -> bytes:
    return data[:at] + new + data[at + len(new) :]


def _fat(head: bytes, before: int, after: int, fat: bytes) -> bytes:
    sector_bytes = _sector_bytes(head, "FAT", bool(head[0x0D] and head[0x10]))
    at, is_fat32 = fat_offset(head), head[0x16:0x18] == bytes(2)
    fat = head[at : at + 8] or fat
    # Linux uses a byte in the first sector, Windows the second entry of the table.
    if is_fat32:
        flags = struct.unpack_from("<4xI", fat)[0] if len(fat) >= 8 else FAT32_CLEAN
        unclean = head[FAT32_STATE_AT] & STATE_UNCLEAN or not flags & FAT32_CLEAN
    else:
        flags = struct.unpack_from("<2xH", fat)[0] if len(fat) >= 4 else FAT16_CLEAN
        sector, cluster, reserved, tables, root, few, _, table = struct.unpack_from("<HBHBHHBH", head, 0x0B)
        many: int = struct.unpack_from("<I", head, 0x20)[0]
        sectors = (few or many) - reserved - tables * table - -(-root * 32 // sector)
        has_flags = sectors // cluster >= FAT12_CLUSTERS
        unclean = head[FAT16_STATE_AT] & STATE_UNCLEAN or (has_flags and not flags & FAT16_CLEAN)
    if unclean:
        raise Refused(UNCLEAN(what="FAT", command="fsck.fat"))
    copy: int = struct.unpack_from("<H", head, FAT32_COPY_AT)[0]
    if is_fat32 and copy not in NO_COPY:
        place = copy * sector_bytes
        if place + BOOT_SECTOR_BYTES > len(head):
            # No program writes the backup that far in.
            raise Refused(OTHER(title="FAT"))
        head = _with_hidden(head, place, before, after, "FAT")
    return _with_hidden(head, 0, before, after, "FAT")


def _exfat(head: bytes, before: int, after: int) -> bytes:
    """Update the first 12 sectors, and their copy in the next 12. The last sector of each contains the
    checksum of the others."""
    shift = head[EXFAT_SHIFT_AT]
    if head[3:11] != b"EXFAT   " or head[510:512] != BOOT_SIGNATURE or not 9 <= shift <= 12:
        raise Refused(OTHER(title="exFAT"))
    if int.from_bytes(head[EXFAT_FLAGS_AT : EXFAT_FLAGS_AT + 2], "little") & EXFAT_UNCLEAN:
        raise Refused(UNCLEAN(what="exFAT", command="fsck.exfat"))
    region = EXFAT_REGION_SECTORS << shift
    if len(head) < 2 * region:
        raise ValueError("the head does not hold both copies of the first sectors")
    for at in (0, region):
        sectors = head[at : at + region]
        summed = sectors[: EXFAT_SUM_SECTOR << shift]
        if sectors != summed + _exfat_sum(summed, shift):
            raise Refused(t("The checksum of the first exFAT sectors is wrong. Check with `fsck.exfat`."))
        if struct.unpack_from("<Q", summed, EXFAT_OFFSET_AT)[0] == before:
            moved = _patched(summed, EXFAT_OFFSET_AT, struct.pack("<Q", after))
            head = _patched(head, at, moved + _exfat_sum(moved, shift))
    return head


def _exfat_sum(data: bytes, shift: int) -> bytes:
    total = 0
    for at, byte in enumerate(data):
        if at not in EXFAT_NOT_SUMMED:
            total = ((total >> 1 | total << 31) + byte) & 0xFFFFFFFF
    return struct.pack("<I", total) * (1 << shift - 2)
