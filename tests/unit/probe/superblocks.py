"""Superblocks made up for tests, byte for byte as the formats have them: md, LUKS, LVM, ZFS, bcache, ext and
XFS."""

import json
import struct
from collections.abc import Callable, Mapping
from uuid import UUID

SECTOR = 512
LVM_OWN = "AAAAAA" + "a" * 26
LVM_OTHER = "BBBBBB" + "b" * 26
LVM_VOLUME = "CCCCCC" + "c" * 26
LVM_WIDE = "DDDDDD" + "d" * 26


class Bytes:
    """A sparse device: pieces at their places, zeroes between."""

    def __init__(self, size_bytes: int, pieces: Mapping[int, bytes]) -> None:
        self.size_bytes, self.pieces = size_bytes, dict(pieces)

    @property
    def read(self) -> Callable[[int, int], bytes]:
        """Reads as a device answers them: short at its end."""

        def read(offset_bytes: int, size_bytes: int) -> bytes:
            end = min(offset_bytes + size_bytes, self.size_bytes)
            whole = bytearray(max(0, end - offset_bytes))
            for start, data in self.pieces.items():
                for index in range(max(start, offset_bytes), min(start + len(data), end)):
                    whole[index - offset_bytes] = data[index - start]
            return bytes(whole)

        return read


def md_1(
    level: int,
    drives: int,
    chunk_bytes: int,
    offset_bytes: int,
    layout: int = 0,
    features: int = 0,
    role: int = 1,
) -> bytes:
    """A superblock of version 1.x, of the device with index 2 among the roles."""
    made = bytearray(264)
    struct.pack_into("<IIII", made, 0, 0xA92B4EFC, 1, features, 0)
    struct.pack_into("<iI", made, 72, level, layout)
    struct.pack_into("<II", made, 88, chunk_bytes // SECTOR, drives)
    struct.pack_into("<Q", made, 128, offset_bytes // SECTOR)
    struct.pack_into("<I", made, 160, 2)
    struct.pack_into("<H", made, 256 + 2 * 2, role)
    return bytes(made)


def md_0(level: int, drives: int, chunk_bytes: int, order: str = "<") -> bytes:
    """A superblock of version 0.90, in either byte order."""
    words = [0] * 1024
    words[0:3] = 0xA92B4EFC, 0, 90
    words[7], words[10], words[64], words[65] = level & 0xFFFFFFFF, drives, 2, chunk_bytes
    words[995] = 1
    return struct.pack(f"{order}1024I", *words)


def luks_1(payload_sectors: int) -> bytes:
    made = bytearray(592)
    made[0:6] = b"LUKS\xba\xbe"
    struct.pack_into(">H", made, 6, 1)
    struct.pack_into(">I", made, 104, payload_sectors)
    made[112:132] = b"digest of a secret k"
    return bytes(made)


def luks_2(segments: object, header_bytes: int = 16384) -> bytes:
    """A header with JSON text. The other parts have secrets."""
    text = {
        "keyslots": {"0": {"kdf": {"salt": "c2VjcmV0IHNhbHQ="}}},
        "tokens": {"0": {"type": "clevis", "jwe": "secret token", "keyslots": ["0"]}},
        "digests": {"0": {"segments": ["0"], "digest": "c2VjcmV0IGRpZ2VzdA=="}},
        "segments": segments,
        "config": {},
    }
    made = bytearray(header_bytes)
    made[0:6] = b"LUKS\xba\xbe"
    struct.pack_into(">HQ", made, 6, 2, header_bytes)
    data = json.dumps(text).encode()
    made[4096 : 4096 + len(data)] = data
    return bytes(made)


def segment(offset_bytes: int, **more: object) -> dict[str, object]:
    return {
        "type": "crypt",
        "offset": str(offset_bytes),
        "size": "dynamic",
        "encryption": "aes-xts-plain64",
        **more,
    }


def ext(block_bytes: int, stride: int, width: int) -> bytes:
    """The first 4 KiB of an ext filesystem; stride and width in blocks."""
    made = bytearray(4096)
    struct.pack_into("<I", made, 1024 + 24, (block_bytes // 1024).bit_length() - 1)
    struct.pack_into("<H", made, 1024 + 56, 0xEF53)
    struct.pack_into("<H", made, 1024 + 356, stride)
    struct.pack_into("<I", made, 1024 + 368, width)
    return bytes(made)


def ntfs(flags: int, record: int = 0xF6, cluster: int = 8) -> dict[int, bytes]:
    """A boot sector and the record of $Volume, with an attribute before the flags. A record has 1 KiB, in the
    second cluster of 512-byte sectors."""
    boot, volume = bytearray(512), bytearray(1024)
    boot[3:11], boot[510:] = b"NTFS    ", b"\x55\xaa"
    struct.pack_into("<HB", boot, 11, 512, cluster)
    struct.pack_into("<Q", boot, 48, 2)
    boot[64] = record
    volume[:4] = b"FILE"
    struct.pack_into("<H", volume, 20, 56)
    struct.pack_into("<II", volume, 56, 0x10, 96)
    struct.pack_into("<II", volume, 56 + 96, 0x70, 40)
    struct.pack_into("<H", volume, 56 + 96 + 20, 24)
    struct.pack_into("<H", volume, 56 + 96 + 24 + 10, flags)
    struct.pack_into("<I", volume, 56 + 96 + 40, 0xFFFFFFFF)
    sectors = cluster if cluster < 128 else 1 << 256 - cluster
    return {0: bytes(boot), 2 * sectors * 512 + 3 * 1024: bytes(volume)}


def xfs(block_bytes: int, unit: int, width: int, version: int = 5) -> bytes:
    made = bytearray(512)
    made[0:4] = b"XFSB"
    struct.pack_into(">I", made, 4, block_bytes)
    struct.pack_into(">H", made, 100, 0xB4A0 | version)
    struct.pack_into(">II", made, 184, unit, width)
    return bytes(made)


def lvm_text(pe_start_sectors: int, own: str = LVM_OWN) -> str:
    """A volume group of two physical volumes, extents of 4 MiB: a linear volume, and one striped by 64
    KiB."""

    def dashed(uuid: str) -> str:
        return "-".join((uuid[:6], *(uuid[at : at + 4] for at in range(6, 26, 4)), uuid[26:]))

    return f"""lab {{
id = "{dashed("G" * 32)}"
seqno = 3
format = "lvm2"			# informational
status = ["RESIZEABLE", "READ", "WRITE"]
extent_size = 8192		# 4 Megabytes

physical_volumes {{

pv0 {{
id = "{dashed(own)}"
device = "/dev/sda1"	# Hint only
dev_size = 131072	# 64 Megabytes
pe_start = {pe_start_sectors}
pe_count = 15
}}

pv1 {{
id = "{dashed(LVM_OTHER)}"
device = "/dev/sdb1"
pe_start = 2048
pe_count = 15
}}
}}

logical_volumes {{

2024 {{
id = "{dashed(LVM_VOLUME)}"
segment_count = 2

segment2 {{
start_extent = 2
extent_count = 1
type = "striped"
stripe_count = 1	# linear
stripes = [
"pv0", 9
]
}}
segment1 {{
start_extent = 0
extent_count = 2
type = "striped"
stripe_count = 1	# linear
stripes = [
"pv0", 3
]
}}
}}

wide {{
id = "{dashed(LVM_WIDE)}"
segment_count = 1

segment1 {{
start_extent = 0
extent_count = 4
type = "striped"
stripe_count = 2
stripe_size = 128	# 64 Kilobytes
stripes = [
"pv0", 5,
"pv1", 0
]
}}
}}
}}
}}
# Generated by LVM2
contents = "Text Format Volume Group"
"""


def lvm(
    text: str, data_bytes: int, *, text_at: int = 512, area_bytes: int = 1048576 - 4096, flags: int = 0
) -> dict[int, bytes]:
    """The pieces of a physical volume: its label in the second sector, and a metadata area at 4096 with the
    text in its ring."""
    label = bytearray(512)
    label[0:8] = b"LABELONE"
    struct.pack_into("<QII", label, 8, 1, 0, 32)
    label[24:32] = b"LVM2 001"
    label[32:64] = LVM_OWN.encode()
    struct.pack_into("<Q", label, 64, 64 << 20)
    struct.pack_into("<QQQQ", label, 72, data_bytes, 0, 0, 0)
    struct.pack_into("<QQQQ", label, 104, 4096, area_bytes, 0, 0)
    data = text.encode() + b"\n\0"
    header = bytearray(512)
    header[4:20] = b" LVM2 x[5A%r0N*>"
    struct.pack_into("<IQQ", header, 20, 1, 4096, area_bytes)
    struct.pack_into("<QQII", header, 40, text_at, len(data), 0, flags)
    first = data[: area_bytes - text_at]
    pieces = {512: bytes(label), 4096: bytes(header), 4096 + text_at: first}
    if rest := data[len(first) :]:
        pieces[4096 + 512] = rest
    return pieces


def _xdr_text(value: str) -> bytes:
    data = value.encode()
    return struct.pack(">I", len(data)) + data + bytes(-len(data) % 4)


def _name_values(values: Mapping[str, object]) -> bytes:
    """A list of names and values in XDR, as libnvpair packs it."""
    pairs = b""
    for name, value in values.items():
        if isinstance(value, int):
            kind, count, data = 8, 1, struct.pack(">Q", value)
        elif isinstance(value, str):
            kind, count, data = 9, 1, _xdr_text(value)
        elif isinstance(value, tuple):
            kind, count, data = 11, len(value), struct.pack(f">{len(value)}Q", *value)
        elif isinstance(value, list):
            kind, count, data = 20, len(value), b"".join(map(_name_values, value))
        else:
            assert isinstance(value, dict)
            kind, count, data = 19, 1, _name_values(value)
        body = _xdr_text(name) + struct.pack(">II", kind, count) + data
        pairs += struct.pack(">II", len(body) + 8, 64) + body
    return struct.pack(">II", 0, 1) + pairs + bytes(8)


def zfs_list(name: str, top: Mapping[str, object], **more: object) -> bytes:
    """The list in a label of a pool's device. `top`: the top-level device that it belongs to."""
    return bytes([1, 1, 0, 0]) + _name_values(
        {
            **{"version": 5000, "name": name, "state": 1, "txg": 4, "pool_guid": 7_000_000_000_000_000_001},
            **{"top_guid": 11, "guid": 12, "vdev_children": 1, "vdev_tree": top, **more},
            "features_for_read": more.get("features_for_read", {}),
        }
    )


def zfs_top(kind: str, count: int, **more: object) -> dict[str, object]:
    """A top-level device of so many disks."""
    disk = {"type": "disk", "id": 0, "guid": 12, "path": "/dev/disk/by-id/ata-of-another-machine-part1"}
    return {"type": kind, "id": 0, "guid": 11, **more, "children": [disk] * count} if count > 1 else disk


def zfs(size_bytes: int, names: bytes) -> dict[int, bytes]:
    """The four labels, each with the list and ten uberblocks."""
    label, end = 256 * 1024, size_bytes // (256 * 1024) * 256 * 1024
    ring = b"".join(
        struct.pack("<5Q", 0x00BAB10C, 5000, 1000 + at, 5, 1_700_000_000).ljust(1024, b"\0")
        for at in range(10)
    )
    places = (0, label, end - 2 * label, end - label)
    return {place + at: data for place in places for at, data in ((16 * 1024, names), (128 * 1024, ring))}


def bcache(version: int, group: str, member: str, state: int = 0) -> bytes:
    """A superblock at byte 4096, with the checksum that the kernel and libblkid compute (CRC-64 of ECMA)."""
    made = bytearray(208)
    struct.pack_into("<QQ", made, 8, 8, version)
    made[24:40] = UUID("c68573f6-4e1a-45ca-8265-f57f48ba6d81").bytes
    made[40:56], made[56:72] = UUID(member).bytes, UUID(group).bytes
    struct.pack_into("<Q", made, 104, state << 61)
    crc = (1 << 64) - 1
    for byte in made[8:]:
        crc ^= byte << 56
        for _ in range(8):
            crc = (crc << 1 ^ (0x42F0E1EBA9EA3693 if crc >> 63 else 0)) & (1 << 64) - 1
    struct.pack_into("<Q", made, 0, crc ^ (1 << 64) - 1)
    return bytes(made)
