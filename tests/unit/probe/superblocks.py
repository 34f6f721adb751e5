"""Superblocks made up for tests, byte for byte as the formats have them: md, LUKS, LVM, ext and XFS."""

import json
import struct
from collections.abc import Callable, Mapping

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
    """A header with its JSON text, the other parts of which hold what nobody is to see."""
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

plain {{
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
