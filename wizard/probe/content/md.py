"""The superblocks of md arrays: where a member's data begin, and how the array is striped (Linux,
include/uapi/linux/raid/md_p.h). Pure."""

import struct

from wizard.model.machine import Striping
from wizard.probe.content.placed import NOTHING, SECTOR_BYTES, Inside, striping
from wizard.probe.table.gpt import Read

MD_MAGIC = 0xA92B4EFC
MD_1 = struct.Struct("<IIII16s32sQiIQIIiI")
"""Up to bitmap_offset, and new_level."""
MD_1_SPREAD = struct.Struct("<QQ")
MD_1_READ_BYTES = 256
MD_RESHAPES = 4
MD_0_READ_BYTES = 66 * 4
MD_0_RESERVED_BYTES = 64 * 1024
MOST_DRIVES = 4096


def read_member(read: Read, size_bytes: int, mark_bytes: int | None) -> Inside:
    """The superblock where libblkid saw it, or else at each of the four places that the format's versions
    have."""
    at_end = (size_bytes // SECTOR_BYTES - 16) // 8 * 8 * SECTOR_BYTES
    oldest = size_bytes // MD_0_RESERVED_BYTES * MD_0_RESERVED_BYTES - MD_0_RESERVED_BYTES
    for place in dict.fromkeys([*([mark_bytes] if mark_bytes is not None else []), 4096, 0, at_end, oldest]):
        if place < 0:
            continue
        data = read(place, MD_1_READ_BYTES)
        if len(data) == MD_1_READ_BYTES and struct.unpack_from("<I", data)[0] == MD_MAGIC:
            return (
                _md_1(data)
                if struct.unpack_from("<I", data, 4)[0] == 1
                else _md_0(read(place, MD_0_READ_BYTES), "<")
            )
        if data[:4] == struct.pack(">I", MD_MAGIC):
            return _md_0(read(place, MD_0_READ_BYTES), ">")
    return NOTHING


def _md_1(data: bytes) -> Inside:
    _, _, features, _, _, _, _, level, layout, _, chunk, drives, _, _ = MD_1.unpack_from(data)
    offset, _ = MD_1_SPREAD.unpack_from(data, 128)
    spread = None if features & MD_RESHAPES else _md_striping(level, drives, chunk * SECTOR_BYTES, layout)
    return Inside(offset * SECTOR_BYTES, spread)


def _md_0(data: bytes, order: str) -> Inside:
    """The old format: it lies at the end, in the byte order of the machine that wrote it, and its data begin
    with the device."""
    if len(data) < MD_0_READ_BYTES:
        return NOTHING
    words = struct.unpack_from(f"{order}66I", data)
    if words[1] != 0:
        return NOTHING
    return Inside(0, _md_striping(words[7], words[10], words[65], words[64]))


def _md_striping(level: int, drives: int, chunk_bytes: int, layout: int) -> Striping | None:
    if not 0 < drives <= MOST_DRIVES or not chunk_bytes:
        return None
    spread = data_drives(level, drives, layout)
    return striping(chunk_bytes, chunk_bytes * spread) if spread else None


def data_drives(level: int, drives: int, layout: int = 0) -> int:
    """Over how many drives an md array of that level spreads different data; 0 for a level that does not
    stripe.

    As md itself counts for its optimal I/O size: all at level 0, less the parity at 4, 5 and 6, half of them
    with two copies at 10.
    """
    if level == 10:
        near = layout & 0xFF or 1
        return drives // near if drives % near == 0 else drives
    return max(0, {0: drives, 4: drives - 1, 5: drives - 1, 6: drives - 2}.get(level, 0))
