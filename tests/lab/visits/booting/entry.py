"""A UEFI boot entry for a file in a partition, like efibootmgr creates. Pure. Source: UEFI Specification
2.10, 3.1.3 (load options), 10.3.5.1 and 10.3.5.4 (device paths)."""

import struct
from uuid import UUID

NUMBER = 0x77
TITLE = "lab"
FILE = "\\EFI\\debian\\grubx64.efi"
GLOBAL = "8be4df61-93ca-11d2-aa0d-00e098032b8c"
"""Vendor GUID of the global EFI variables."""

STORED = struct.pack("<I", 7)
"""Attributes in front of a value in efivarfs: non-volatile, boot service and runtime access."""

ACTIVE = 1
MEDIA, DISK, PATH, BY_GUID = 4, 1, 4, (2, 2)
END = b"\x7f\xff\x04\x00"


def load_option(number: int, start_block: int, blocks: int, part_uuid: str) -> bytes:
    """Return the entry of a file in a GPT partition with this number, start and GUID."""
    where = struct.pack("<IQQ16s2B", number, start_block, blocks, UUID(part_uuid).bytes_le, *BY_GUID)
    path = _node(DISK, where) + _node(PATH, _text(FILE)) + END
    return STORED + struct.pack("<IH", ACTIVE, len(path)) + _text(TITLE) + path


def order() -> bytes:
    """Return a boot order with only this entry."""
    return STORED + struct.pack("<H", NUMBER)


def _node(subtype: int, data: bytes) -> bytes:
    return struct.pack("<BBH", MEDIA, subtype, len(data) + 4) + data


def _text(text: str) -> bytes:
    return (text + "\0").encode("utf-16-le")
