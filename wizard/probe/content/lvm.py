"""Parse superblocks of volumes on several devices: LVM2 (label, data start, logical volumes),
md members, ZFS and bcache.

Sources: lvm2's lib/format_text/layout.h and lib/label/label.h, and the text format of its metadata
(vgcfgbackup(8), lvm.conf(5)); OpenZFS, include/sys/vdev_impl.h and module/nvpair/nvpair.c; Linux
include/uapi/linux/bcache.h before 5.18. Pure and bounded: malformed bytes give less information, never an
error.
"""

import json
import re
import struct
from collections.abc import Callable, Iterator
from typing import Any, Literal
from uuid import UUID

from msgspec import Struct
from msgspec.structs import replace

from wizard.model.machine import Signature, Striping
from wizard.probe.content.tables import Read, number

SECTOR_BYTES = 512
LARGEST_STRIPE_BYTES = 1 << 40
"""Larger values mean a damaged superblock."""


class LogicalVolume(Struct, frozen=True):
    """A logical volume with extents on this physical volume. `uuid` has no dashes. `offset_bytes`: first
    extent here."""

    uuid: str
    offset_bytes: int
    striping: Striping | None = None


Reader = Callable[[Signature, Read, int], Signature]
"""Adds facts from the superblock to a signature. Arguments: signature, read function, size of the device."""


def striping(unit_bytes: int, width_bytes: int) -> Striping | None:
    """Return the striping, or None for implausible values or two zeros. A missing value is 0."""
    sizes = (unit_bytes, width_bytes)
    if any(not 0 <= size <= LARGEST_STRIPE_BYTES for size in sizes) or not any(sizes):
        return None
    return Striping(unit_bytes, width_bytes)


LABEL_SECTORS = 4
"""Sectors that can have the label. All tools write it to the second."""
AREA_MAGIC = b" LVM2 x[5A%r0N*>"
AREA_HEADER_BYTES = 512
MOST_TEXT_BYTES = 1024 * 1024
MOST_PLACES = 16
MOST_DEPTH = 16
IGNORED = 1

Section = dict[str, Any]
"""A section of the metadata: numbers, strings, lists of both, and nested sections. Check types on use."""

TOKEN = re.compile(
    r'"((?:[^"\\]|\\.?)*)(?:"|\Z)|([\w.+/-]+)\s*([{=])|([\w.+/-]+)|#[^\n]*', re.DOTALL | re.ASCII
)
"""A quoted text, a name with what follows, a word, or a comment."""


InGroup = tuple[Signature, tuple[LogicalVolume, ...]]
"""A physical volume, and the logical volumes with extents on it."""


def read_group(mark: Signature, read: Read, size_bytes: int) -> InGroup:
    """Add the start of the data area (pe_start) and the volume group to a signature. Also returns the logical
    volumes."""
    labels = read(0, LABEL_SECTORS * SECTOR_BYTES)
    for place in range(0, len(labels), SECTOR_BYTES):
        sector = labels[place : place + SECTOR_BYTES]
        if len(sector) == SECTOR_BYTES and sector[:8] == b"LABELONE" and sector[24:32] == b"LVM2 001":
            break
    else:
        return mark, ()
    header = number(sector, 20, 4)
    if header + 40 > SECTOR_BYTES:
        return mark, ()
    own_uuid = sector[header : header + 32].decode("latin-1")
    data, areas_at = _parse_areas(sector, header + 40)
    start = data[0][0] if data else None
    mark = replace(mark, data_offset_bytes=start, size_bytes=number(sector, header + 32, 8))
    for offset, length in _parse_areas(sector, areas_at)[0]:
        for name, group in _sections(_metadata(read, offset, length, size_bytes)):
            if found := _in_group(replace(mark, group=name), group, own_uuid):
                mark, volumes = found
                return mark, tuple(volume for volume in volumes if volume.offset_bytes < size_bytes)
    return mark, ()


def _parse_areas(sector: bytes, at: int) -> tuple[list[tuple[int, int]], int]:
    """Return pairs of offset and size up to a pair of zeros, and the offset after it."""
    found: list[tuple[int, int]] = []
    while at + 16 <= len(sector) and len(found) < MOST_PLACES:
        offset, size = struct.unpack_from("<QQ", sector, at)
        at += 16
        if not offset:
            break
        found.append((offset, size))
    return found, at


def _metadata(read: Read, offset: int, length: int, size_bytes: int) -> Section | None:
    """Return the text of a metadata area, which is a ring buffer after a header."""
    if offset + AREA_HEADER_BYTES > size_bytes:
        return None
    header = read(offset, AREA_HEADER_BYTES)
    if len(header) < AREA_HEADER_BYTES or header[4:20] != AREA_MAGIC:
        return None
    place, size, _, flags = struct.unpack_from("<QQII", header, 40)
    length = min(length, size_bytes - offset)
    if flags & IGNORED or not 0 < size <= MOST_TEXT_BYTES or not AREA_HEADER_BYTES <= place < length:
        return None
    first = min(size, length - place)
    text = read(offset + place, first)
    if first < size:
        text += read(offset + AREA_HEADER_BYTES, min(size - first, length - AREA_HEADER_BYTES))
    return parse(text.rstrip(b"\0\n").decode("latin-1"))


def _in_group(mark: Signature, group: Section, own_uuid: str) -> InGroup | None:
    extent = _whole(group.get("extent_size"))
    physical = dict(_sections(group.get("physical_volumes")))
    name = next((name for name, one in physical.items() if _without_dashes(one.get("id")) == own_uuid), "")
    start = _whole(physical[name].get("pe_start")) if name else None
    if start is None:
        return None
    mark = replace(mark, data_offset_bytes=start * SECTOR_BYTES, devices=len(physical))
    if not extent:
        return mark, ()
    logical = _sections(group.get("logical_volumes"))
    found = [_logical_volume(volume, name, start, extent) for _, volume in logical]
    mark = replace(mark, used_bytes=sum(used for _, used in found) * extent * SECTOR_BYTES)
    return mark, tuple(volume for volume, _ in found if volume)


def _logical_volume(
    volume: Section, physical: str, start: int, extent: int
) -> tuple[LogicalVolume | None, int]:
    """Return a logical volume with extents on the physical volume `physical`, and their number. `start` and
    `extent` are in sectors."""
    segments = sorted(
        (_whole(segment.get("start_extent")) or 0, key, segment)
        for key, segment in _sections(volume)
        if key.startswith("segment")
    )
    places: list[int] = []
    spread: Striping | None = None
    used = 0
    for _, _, segment in segments:
        stripes = segment.get("stripes")
        owners, extents = (stripes[::2], stripes[1::2]) if isinstance(stripes, list) else ([], [])
        if physical in owners:
            count = _whole(segment.get("extent_count")) or 0
            used += count * owners.count(physical) // len(owners)
        pairs = zip(owners, map(_whole, extents), strict=False)
        here = [first for owner, first in pairs if owner == physical and first is not None]
        if here and not places and len(extents) > 1:
            unit = (_whole(segment.get("stripe_size")) or 0) * SECTOR_BYTES
            spread = striping(unit, unit * len(extents)) if unit else None
        places += [(start + first * extent) * SECTOR_BYTES for first in here]
    found = LogicalVolume(_without_dashes(volume.get("id")), places[0], spread) if places else None
    return found, used


def _sections(value: object) -> Iterator[tuple[str, Section]]:
    if isinstance(value, dict):
        yield from ((name, inner) for name, inner in value.items() if isinstance(inner, dict))


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and 0 <= value < 1 << 62 else None


def _without_dashes(value: object) -> str:
    return value.replace("-", "") if isinstance(value, str) else ""


def parse(text: str) -> Section:
    """Parse metadata text. Returns nothing of an invalid text, which LVM refuses too."""
    try:
        written = f"{{{TOKEN.sub(_in_json, text)}}}"
        found: Section = json.loads(re.sub(r"{\s*,", "{", written))
    except (ValueError, RecursionError):
        return {}
    return found


def _in_json(token: re.Match[str]) -> str:
    quoted, name, follows, word = token.groups()
    if name:
        return f',"{name}":{follows.strip("=")}'
    if word and re.fullmatch(r"-?[0-9]{1,18}", word):
        return str(int(word))
    text = word or quoted
    return "" if text is None else json.dumps(text)


MD_MAGIC = 0xA92B4EFC
MD_1_READ_BYTES = 256
MD_RESHAPES = 4
MD_1_NUMBER_AT, MD_1_ROLES_AT = 160, 256
"""dev_number, the index of this device's role in dev_roles. Spare and failed devices have large roles."""
MD_0_READ_BYTES = 66 * 4
MD_0_ROLE_AT = 995 * 4
"""this_disk.raid_disk."""
MD_0_RESERVED_BYTES = 64 * 1024
MOST_DRIVES = 4096


def read_member(mark: Signature, read: Read, size_bytes: int) -> Signature:
    """Parse the superblock at libblkid's offset, else at the four offsets of the format's versions."""
    at_end = (size_bytes // SECTOR_BYTES - 16) // 8 * 8 * SECTOR_BYTES
    oldest = size_bytes // MD_0_RESERVED_BYTES * MD_0_RESERVED_BYTES - MD_0_RESERVED_BYTES
    for place in dict.fromkeys((mark.offset_bytes, 4096, 0, at_end, oldest)):
        if place is None or place < 0:
            continue
        data = read(place, MD_1_READ_BYTES)
        if len(data) == MD_1_READ_BYTES and number(data, 0, 4) == MD_MAGIC:
            if number(data, 4, 4) != 1:
                return _md_0(mark, read, place, "little")
            role = read(place + MD_1_ROLES_AT + 2 * number(data, MD_1_NUMBER_AT, 4), 2)
            level, layout = struct.unpack_from("<iI", data, 72)
            chunk, drives = struct.unpack_from("<II", data, 88)
            offset, sectors = struct.unpack_from("<QQ", data, 128)
            mark = replace(
                mark, data_offset_bytes=offset * SECTOR_BYTES, size_bytes=(offset + sectors) * SECTOR_BYTES
            )
            reshaping = number(data, 8, 4) & MD_RESHAPES
            shape = (level, drives, 0 if reshaping else chunk * SECTOR_BYTES, layout)
            return _md(mark, shape, int.from_bytes(role, "little") if role else MOST_DRIVES)
        if data[:4] == struct.pack(">I", MD_MAGIC):
            return _md_0(mark, read, place, "big")
    return mark


def _md_0(mark: Signature, read: Read, place: int, order: Literal["little", "big"]) -> Signature:
    """Parse format 0.90: at the end of the device, in the writer's byte order. Data starts at offset 0."""
    data = read(place, MD_0_READ_BYTES)
    if len(data) < MD_0_READ_BYTES:
        return mark
    words = struct.unpack_from(f"{'<' if order == 'little' else '>'}66i", data)
    if words[1] != 0:
        return mark
    role = read(place + MD_0_ROLE_AT, 4)
    shape = (words[7], words[10], words[65], words[64])
    return _md(
        replace(mark, data_offset_bytes=0), shape, int.from_bytes(role, order) if role else MOST_DRIVES
    )


def _md(mark: Signature, shape: tuple[int, int, int, int], role: int) -> Signature:
    """`shape`: level, number of drives, size of a chunk in bytes, and layout."""
    level, drives, chunk_bytes, layout = shape
    spread = data_drives(level, drives, layout) if chunk_bytes and 0 < drives <= MOST_DRIVES else 0
    return replace(
        mark,
        striping=striping(chunk_bytes, chunk_bytes * spread) if spread else None,
        level=f"raid{level}" if 0 <= level <= 10 else "linear" if level == -1 else None,
        number=role if role < MOST_DRIVES else None,
        devices=drives,
    )


def data_drives(level: int, drives: int, layout: int = 0) -> int:
    """Return how many drives of an md array have distinct data, as md counts for its optimal I/O size. 0 for
    a level without striping."""
    if level == 10:
        near = layout & 0xFF or 1
        return drives // near if drives % near == 0 else drives
    return max(0, {0: drives, 4: drives - 1, 5: drives - 1, 6: drives - 2}.get(level, 0))


ZFS_LABEL_BYTES, ZFS_LIST_AT, ZFS_READ_BYTES = 256 * 1024, 16 * 1024, 32 * 1024
"""Size of a label, start of its name/value list, and bytes to read: a list has 112 KiB, almost all empty."""

ZFS_NUMBER, ZFS_TEXT, ZFS_NUMBERS, ZFS_LIST, ZFS_LISTS = 8, 9, 11, 19, 20
"""Types of values: DATA_TYPE_UINT64, STRING, UINT64_ARRAY, NVLIST and NVLIST_ARRAY."""

ZFS_LEVEL = re.compile(r"disk|mirror|raidz[123]")
ZFS_REMOVAL = "com.delphix:device_removal"
"""Feature of pools that count removed devices."""


def read_pool_label(mark: Signature, read: Read, size_bytes: int) -> Signature:
    """Return the layout of the own top-level device, and the least number of devices in the pool."""
    end = size_bytes // ZFS_LABEL_BYTES * ZFS_LABEL_BYTES
    for label in (0, ZFS_LABEL_BYTES, end - 2 * ZFS_LABEL_BYTES, end - ZFS_LABEL_BYTES):
        data = read(label + ZFS_LIST_AT, ZFS_READ_BYTES) if label >= 0 else b""
        pool = _name_values(data, 4, len(data), MOST_DEPTH)[0] if data[:1] == b"\x01" else {}
        own = pool.get("vdev_tree")
        if isinstance(own, dict):
            features = pool.get("features_for_read")
            shrunk = isinstance(features, dict) and ZFS_REMOVAL in features
            counts = (pool.get("vdev_children"), pool.get("hole_array"))
            total, holes = (count if isinstance(count, int) else 0 for count in counts)
            others = 0 if shrunk else max(0, total - holes - 1)
            level = f"{own.get('type')}{own.get('nparity', '')}"
            known = level if ZFS_LEVEL.fullmatch(level) else None
            return replace(mark, level=known, devices=_leaves(own) + others)
    return mark


def _leaves(device: Section) -> int:
    children = device.get("children")
    return sum(map(_leaves, children)) if isinstance(children, list) else 1


def _name_values(data: bytes, at: int, end: int, depth: int) -> tuple[Section, int]:
    """Parse a name/value list in XDR. Returns the known values, and the offset after the list. An array of
    numbers is its length."""
    found: Section = {}
    at += 8
    while depth and 12 <= (length := _big(data, at)) <= end - at:
        name, after = _xdr_text(data, at + 8)
        kind, count, value = _big(data, after), _big(data, after + 4), after + 8
        if kind == ZFS_NUMBER:
            found[name] = int.from_bytes(data[value : value + 8], "big")
        elif kind == ZFS_TEXT:
            found[name] = _xdr_text(data, value)[0]
        elif kind == ZFS_NUMBERS:
            found[name] = count
        elif kind == ZFS_LIST:
            found[name] = _name_values(data, value, at + length, depth - 1)[0]
        elif kind == ZFS_LISTS:
            found[name] = []
            for _ in range(min(count, MOST_DRIVES)):
                if value >= at + length:
                    break
                inner, value = _name_values(data, value, at + length, depth - 1)
                found[name].append(inner)
        at += length
    return found, at + 8


def _big(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "big")


def _xdr_text(data: bytes, at: int) -> tuple[str, int]:
    length = min(_big(data, at), len(data))
    return data[at + 4 : at + 4 + length].decode("latin-1"), at + 4 + -(-length // 4) * 4


BCACHE_AT, BCACHE_READ_BYTES = 4096, 208
BCACHE_MAGIC = UUID("c68573f6-4e1a-45ca-8265-f57f48ba6d81").bytes
BCACHE_SET_AT, BCACHE_FLAGS_AT, BCACHE_STATE_SHIFT = 56, 104, 61
BCACHE_CACHES, BCACHE_BACKINGS = (0, 3, 5), (1, 4, 6)
"""Versions of cache and backing devices."""


def read_cache_set(mark: Signature, read: Read, _size_bytes: int) -> Signature:
    """Return the UUID of the set, and whether this is the cache or an attached backing device."""
    data = read(BCACHE_AT, BCACHE_READ_BYTES)
    version = number(data, 16, 8)
    if len(data) < BCACHE_READ_BYTES or data[24:40] != BCACHE_MAGIC:
        return mark
    group = str(UUID(bytes=data[BCACHE_SET_AT : BCACHE_SET_AT + 16]))
    if version in BCACHE_CACHES:
        return replace(mark, group=group, level="cache")
    attached = number(data, BCACHE_FLAGS_AT, 8) >> BCACHE_STATE_SHIFT & 3
    if version in BCACHE_BACKINGS and attached:
        return replace(mark, group=group, level="backing", devices=2)
    return mark
