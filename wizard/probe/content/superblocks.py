"""Parse superblocks for the data start of containers, and the striping of filesystems and arrays.

Pure, from recorded bytes. Whatever the bytes, this module never raises, reads at most a few MiB, and returns
only offsets inside the device. Sources: the LUKS1 and LUKS2 on-disk format specifications; Linux
fs/ext4/ext4.h and fs/xfs/libxfs/xfs_format.h. md, LVM, ZFS and bcache have separate modules.
"""

import hashlib
import json
import os
import re
import struct
from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from wizard.model.machine import Signature
from wizard.probe.content import lvm
from wizard.probe.content.btrfs import read_volume
from wizard.probe.content.lvm import SECTOR_BYTES, Reader, striping
from wizard.probe.content.tables import Read, number
from wizard.probe.facts import RawChunk, RawContent, opened

SUPERBLOCK_AT, SUPERBLOCK_BYTES = 1024, 1024
EXTENT, WIDE = 0x40, 0x80
"""Bits of s_feature_incompat: extents and 64-bit block numbers."""

EXTENT_MAPPED, IN_THE_INODE = 0x80000, 0x10000000
"""Bits of i_flags."""

DESCRIPTOR_BYTES, WIDE_DESCRIPTOR_BYTES = 32, 64
ROOT_INODE = 2
INODE_READ_BYTES = 36
"""Through i_flags."""

FOLDER = 0x4000
LARGEST_BLOCK_SHIFT = 6
OLD_INODE_BYTES = 128


def is_unconverted(read: Read) -> bool:
    """Return True if extents are on but the root directory is block-mapped."""
    superblock = read(SUPERBLOCK_AT, SUPERBLOCK_BYTES)
    if len(superblock) < SUPERBLOCK_BYTES:
        return False
    features, shift = number(superblock, 0x60, 4), number(superblock, 0x18, 4)
    if not features & EXTENT or shift > LARGEST_BLOCK_SHIFT:
        return False
    block = 1024 << shift
    wide = features & WIDE and number(superblock, 0xFE, 2) >= WIDE_DESCRIPTOR_BYTES
    # The first group descriptor follows the superblock's block.
    at = (number(superblock, 0x14, 4) + 1) * block
    descriptor = read(at, WIDE_DESCRIPTOR_BYTES if wide else DESCRIPTOR_BYTES)
    if len(descriptor) < DESCRIPTOR_BYTES:
        return False
    table = number(descriptor, 0x08, 4) | number(descriptor, 0x28, 4) << 32
    inode_bytes = number(superblock, 0x58, 2) if number(superblock, 0x4C, 4) else OLD_INODE_BYTES
    inode = read(table * block + (ROOT_INODE - 1) * inode_bytes, INODE_READ_BYTES)
    if len(inode) < INODE_READ_BYTES or number(inode, 0, 2) & 0xF000 != FOLDER:
        return False
    return not number(inode, 0x20, 4) & (EXTENT_MAPPED | IN_THE_INODE)


COPY_BYTES = 1024
MAGIC = 0xEF53
SHIFT_AT, MAGIC_AT, GROUP_AT = 24, 56, 90
SECOND_GROUP = 1


COPIES = {((8192 << shift) + (shift == 0)) * (1024 << shift): shift for shift in (2, 1, 0)}
"""Offsets of the first backup superblock, with the block size as a shift of 1024 bytes, most common first."""


def find_copy(read: Read) -> int | None:
    """Return the offset of the first backup superblock that matches its place, or None."""
    for place, shift in COPIES.items():
        data = read(place, COPY_BYTES)
        found = number(data, MAGIC_AT, 2), number(data, SHIFT_AT, 4), number(data, GROUP_AT, 2)
        if len(data) == COPY_BYTES and found == (MAGIC, shift, SECOND_GROUP):
            return place
    return None


def read_inside(mark: Signature, read: Read, size_bytes: int) -> Signature:
    """Add facts from the superblock to a signature. Drops an offset outside the device."""
    reader = READERS.get(mark.kind)
    if reader is None or size_bytes <= 0:
        return mark
    found = reader(mark, read, size_bytes)
    place = found.data_offset_bytes
    return found if place is None or 0 <= place < size_bytes else replace(found, data_offset_bytes=None)


def replayed(chunks: Iterable[RawChunk]) -> Read:
    """Return a function that reads recorded bytes. Gaps read as zeros, ranges without any recorded byte as
    empty."""
    known = [(chunk.offset_bytes, chunk.data) for chunk in chunks if chunk.data]

    def read(offset_bytes: int, size_bytes: int) -> bytes:
        whole = bytearray()
        for start, data in known:
            part = data[max(0, offset_bytes - start) : max(0, offset_bytes + size_bytes - start)]
            if part:
                at = max(0, start - offset_bytes)
                whole += bytes(max(0, at + len(part) - len(whole)))
                whole[at : at + len(part)] = part
        return bytes(whole)

    return read


LUKS_MAGIC = b"LUKS\xba\xbe"
LUKS1_READ_BYTES = 112
"""Up to the key digest, which is not needed."""
LUKS2_HEADER_BYTES = 4096
LUKS2_LARGEST_BYTES = 4 * 1024 * 1024
SEGMENTS = re.compile(r'"segments"\s*:\s*(?=\{)')


def _luks_version(read: Read) -> tuple[int, int]:
    """Return the version, and the size of a LUKS2 header with the JSON text, or the payload offset of LUKS1
    in sectors. 0 without a plausible header."""
    data = read(0, LUKS1_READ_BYTES)
    if len(data) < LUKS1_READ_BYTES or not data.startswith(LUKS_MAGIC):
        return 0, 0
    version, size = struct.unpack_from(">HQ", data, 6)
    if version == 1:
        return 1, int.from_bytes(data[104:108], "big")
    return (2, size) if version == 2 and LUKS2_HEADER_BYTES < size <= LUKS2_LARGEST_BYTES else (0, 0)


def _luks(mark: Signature, read: Read, _size_bytes: int) -> Signature:
    version, size = _luks_version(read)
    # An offset of 0 means a detached header.
    if version == 1:
        return replace(mark, data_offset_bytes=size * SECTOR_BYTES or None)
    found = segments_of(read(LUKS2_HEADER_BYTES, size - LUKS2_HEADER_BYTES)) if version else None
    offsets: dict[int, int] = {}
    for key, segment in found[2].items() if found else ():
        if not isinstance(segment, dict) or not re.fullmatch(r"[0-9]{1,9}", key):
            continue
        flags, offset = segment.get("flags"), segment.get("offset")
        # Backup segments belong to a re-encryption.
        backup = isinstance(flags, list) and any(str(flag).startswith("backup") for flag in flags)
        if not backup and isinstance(offset, str) and re.fullmatch(r"[0-9]{1,19}", offset):
            offsets[int(key)] = int(offset)
    return replace(mark, data_offset_bytes=offsets[min(offsets)] or None) if offsets else mark


LUKS2_SECOND = b"SKUL\xba\xbe"
LUKS2_ALGORITHMS = frozenset({"sha1", "sha256", "sha512"})
LUKS2_ALGORITHM, LUKS2_UUID, LUKS2_CHECKSUM = slice(72, 104), slice(168, 208), slice(448, 512)
"""Fields of a LUKS2 header: name of the checksum's algorithm, UUID, and checksum (LUKS2 On-Disk Format)."""


def has_damaged_copy(read: Read) -> bool:
    """Return True if one of the two LUKS2 headers fails its checksum or has another UUID."""
    version, size = _luks_version(read)
    if version != 2:
        return False
    first, second = read(0, size), read(size, size)
    sound = _is_sound(first, LUKS_MAGIC, size) and _is_sound(second, LUKS2_SECOND, size)
    return not sound or first[LUKS2_UUID] != second[LUKS2_UUID]


def _is_sound(header: bytes, magic: bytes, size: int) -> bool:
    name = header[LUKS2_ALGORITHM].rstrip(b"\0").decode("latin-1")
    if len(header) != size or not header.startswith(magic) or name not in LUKS2_ALGORITHMS:
        return False
    blank = bytearray(header)
    blank[LUKS2_CHECKSUM] = bytes(len(header[LUKS2_CHECKSUM]))
    digest = hashlib.new(name, blank).digest()
    return header[LUKS2_CHECKSUM].startswith(digest)


def segments_of(area: bytes) -> tuple[int, int, Mapping[str, object]] | None:
    """Return start and end of the `segments` object in LUKS2's JSON text, and the object. The rest is not
    recorded: it contains salts, digests and tokens."""
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


EXT_META_BG = 0x10
EXT_STRIPING_END = 0x174
"""End of s_raid_stripe_width. Recordings of older versions end there."""
XFS_READ_BYTES = 192


def _ext(mark: Signature, read: Read, _size_bytes: int) -> Signature:
    """Parse s_raid_stride and s_raid_stripe_width (in filesystem blocks), feature words and counts. Derives
    the least size, and the largest after growing."""
    data = read(SUPERBLOCK_AT, SUPERBLOCK_BYTES)
    log = number(data, SHIFT_AT, 4)
    if len(data) < EXT_STRIPING_END or number(data, MAGIC_AT, 2) != MAGIC or log > LARGEST_BLOCK_SHIFT:
        return mark
    block = 1024 << log
    spread = striping(number(data, 0x164, 2) * block, number(data, 0x170, 4) * block)
    mark = replace(mark, striping=spread, block_bytes=block)
    if len(data) < SUPERBLOCK_BYTES:
        return mark
    inodes, blocks, _, free, free_inodes, first, _, _, in_group, _, inodes_in_group = struct.unpack_from(
        "<11I", data
    )
    features = struct.unpack_from("<III", data, 0x5C)
    limit, descriptor_bytes = (1 << 32) - 1, DESCRIPTOR_BYTES
    if features[1] & WIDE:
        more, _, more_free = struct.unpack_from("<3I", data, 0x150)
        blocks, free, limit = blocks + (more << 32), free + (more_free << 32), 1 << 48
        descriptor_bytes = max(descriptor_bytes, number(data, 0xFE, 2))
    most, spanned = None, block // descriptor_bytes * in_group
    if spanned and not features[1] & EXT_META_BG:
        # resize2fs can only use the descriptor blocks reserved for growing: more would move the inode tables.
        tables = -(-(blocks - first) // spanned) + number(data, 0xCE, 2)
        most = min(limit, first + tables * spanned) * block
    mark = replace(
        mark,
        features=features,
        size_bytes=blocks * block,
        most_bytes=most,
        unconverted=is_unconverted(read),
    )
    if free > blocks or free_inodes > inodes or not inodes_in_group:
        return mark
    used = blocks - free
    # The used inodes need their block groups too.
    groups = -(-(inodes - free_inodes) // inodes_in_group)
    taken = min(blocks, max(used, (groups - 1) * in_group))
    return replace(mark, taken_bytes=taken * block, used_bytes=used * block)


def _xfs(mark: Signature, read: Read, _size_bytes: int) -> Signature:
    """Parse sb_unit and sb_width, in filesystem blocks."""
    data = read(0, XFS_READ_BYTES)
    if len(data) < XFS_READ_BYTES or not data.startswith(b"XFSB"):
        return mark
    block, unit, width = struct.unpack_from(">I", data, 4)[0], *struct.unpack_from(">II", data, 184)
    # sb_dblocks and sb_fdblocks.
    blocks, free = (int.from_bytes(data[at : at + 8], "big") for at in (8, 144))
    return replace(
        mark,
        striping=striping(unit * block, width * block),
        block_bytes=block,
        size_bytes=blocks * block,
        # The lower half of sb_versionnum's lower byte: 4 or 5.
        version=str(data[101] & 0xF),
        used_bytes=(blocks - free) * block if free <= blocks else None,
    )


def _boot_sector(mark: Signature, read: Read, _size_bytes: int) -> Signature:
    """Return the size in the boot sector of FAT, exFAT or NTFS, and the file area and use of the first two.
    NTFS has a copy of the sector after its last one, and counts its clusters elsewhere."""
    data = read(0, SECTOR_BYTES)
    if len(data) < SECTOR_BYTES or data[510:512] != b"\x55\xaa":
        return mark
    if data[3:11] == b"EXFAT   ":
        shift = min(data[108], 12)
        start = number(data, 88, 4) << shift
        size, percent = number(data, 72, 8) << shift, data[112]
        used = (size - start) * percent // 100 if percent <= 100 else None
        return replace(mark, data_offset_bytes=start, size_bytes=size, used_bytes=used)
    sector = number(data, 11, 2)
    if data[3:11] == b"NTFS    ":
        size = (number(data, 40, 8) + 1) * sector
        return replace(mark, size_bytes=size, unclean=_is_dirty(read, data))
    tables = data[16] * (number(data, 22, 2) or number(data, 36, 4))
    # In FAT12 and FAT16, the root directory with entries of 32 bytes precedes the file area.
    files = (number(data, 14, 2) + tables) * sector + number(data, 17, 2) * 32
    size = (number(data, 19, 2) or number(data, 32, 4)) * sector
    # FSInfo, the sector with the free clusters of FAT32. FAT12 and FAT16 have none.
    counts = b"" if number(data, 22, 2) else read(number(data, 48, 2) * sector, SECTOR_BYTES)
    free = number(counts, 488, 4) * data[13] * sector
    known = counts[484:488] == b"rrAa" and free <= size - files
    used = size - files - free if known else None
    return replace(mark, data_offset_bytes=files, size_bytes=size, used_bytes=used)


MFT_VOLUME = 3
"""Number of the MFT record with the volume's flags, $Volume."""
VOLUME_INFORMATION, LAST_ATTRIBUTE, DIRTY = 0x70, 0xFFFFFFFF, 1


def _is_dirty(read: Read, boot: bytes) -> bool:
    """Return True if NTFS is marked for a check. Source: linux-ntfs, layout.h."""
    start, size = _mft_bytes(boot), boot[64]
    record_bytes = size * _cluster_bytes(boot) if size < 128 else 1 << min(256 - size, MOST_SHIFT)
    record = (
        read(start + MFT_VOLUME * record_bytes, min(record_bytes, PAGE_BYTES)) if start < 1 << 62 else b""
    )
    at = number(record, 20, 2)
    while record.startswith(b"FILE") and (kind := number(record, at, 4)) != LAST_ATTRIBUTE:
        length = number(record, at + 4, 4)
        if kind == VOLUME_INFORMATION:
            return bool(number(record, at + number(record, at + 20, 2) + 10, 2) & DIRTY)
        if not length:
            break
        at += length
    return False


READERS: Mapping[str, Reader] = {
    "linux_raid_member": lvm.read_member,
    "crypto_LUKS": _luks,
    "LVM2_member": lambda mark, read, size: lvm.read_group(mark, read, size)[0],
    "zfs_member": lvm.read_pool_label,
    "bcache": lvm.read_cache_set,
    **dict.fromkeys(("ext2", "ext3", "ext4", "ext4dev"), _ext),
    "xfs": _xfs,
    "btrfs": read_volume,
    **dict.fromkeys(("vfat", "exfat", "ntfs"), _boot_sector),
}
"""Parsers by libblkid's TYPE."""


KIB = 1024
PAGE_BYTES = 4 * KIB
MOST_SHIFT = 25
"""Largest cluster size as a shift: 32 MiB, exFAT's limit. Larger values are damaged and ignored."""


def digest_of(path: str, content: RawContent, offset_bytes: int = 0) -> str | None:
    """Return the SHA-256 of all superblocks, or None. The device starts at `offset_bytes` of
    `path`. Raises OSError."""
    if not content.signatures:
        return None
    with opened(path) as descriptor:

        def read(start: int, size: int) -> bytes:
            return os.pread(descriptor, size, offset_bytes + start)

        digest = hashlib.sha256()
        for one in content.signatures:
            places = _places(one.kind, one.offset_bytes, read)
            for start, size in sorted({place for place in places if place[0] >= 0}):
                digest.update(f"{one.kind} {start} {size}\n".encode())
                digest.update(read(start, size))
        return digest.hexdigest()


REWRITTEN = {
    **dict.fromkeys(("xfs", "crypto_LUKS"), 16 * KIB),
    "vfat": 64 * KIB,
    "LVM2_member": 8 * KIB,
    "ntfs": SECTOR_BYTES,
    "exfat": 24 * SECTOR_BYTES,
    "f2fs": 2 * PAGE_BYTES,
}
"""Size of the start that a kind rewrites in use. XFS: the superblock and headers of the first allocation
group, in sectors of up to 4 KiB. FAT: boot sector, FSInfo and the start of the first FAT; if small, all of it
and the root. exFAT: the boot sectors with PercentInUse. F2FS: both superblocks."""


def _places(kind: str, mark_bytes: int | None, read: Read) -> Iterator[tuple[int, int]]:
    if mark_bytes is not None:
        yield mark_bytes // PAGE_BYTES * PAGE_BYTES, PAGE_BYTES
    if kind in REWRITTEN:
        yield 0, REWRITTEN[kind]
    head = read(0, 2 * KIB) if kind in ("ntfs", "exfat", "f2fs") else b""
    if len(head) < 2 * KIB:
        return
    if kind == "ntfs" and (start := _mft_bytes(head)) < 1 << 62:
        # The first records of $MFT: $MFT, $LogFile, $Volume and the root directory.
        yield start, 64 * KIB
    elif kind == "exfat" and 9 <= head[108] <= 12 and head[108] + head[109] <= MOST_SHIFT:
        # The starts of FAT, allocation bitmap, which comes first in the cluster heap, and root.
        heap = number(head, 88, 4)
        root = heap + (max(number(head, 96, 4), 2) - 2 << head[109])
        for sector, size in ((number(head, 80, 4), PAGE_BYTES), (heap, 64 * KIB), (root, PAGE_BYTES)):
            yield sector << head[108], size
    elif kind == "f2fs" and (shift := number(head, KIB + 20, 4)) <= MOST_SHIFT:
        # Both checkpoint packs, whose versions count up.
        first = number(head, KIB + 76, 4)
        yield first * PAGE_BYTES, PAGE_BYTES
        yield (first + (1 << shift)) * PAGE_BYTES, PAGE_BYTES


def _cluster_bytes(boot: bytes) -> int:
    cluster = boot[13] if boot[13] <= 128 else 1 << min(256 - boot[13], MOST_SHIFT)
    return cluster * number(boot, 11, 2)


def _mft_bytes(boot: bytes) -> int:
    return number(boot, 48, 8) * _cluster_bytes(boot)
