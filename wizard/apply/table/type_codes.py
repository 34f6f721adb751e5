"""Types of partitions that libparted of today's distributions cannot set (before 3.6 it knows only those of
its own flags).

It writes the table with another type in their place; here they are put where they belong, in both copies of a
GPT.
"""

import struct
import zlib
from uuid import UUID

from wizard.apply.block.devices import forget_caches, read_bytes, write_bytes
from wizard.filesystems.partitions import (
    BOOT_GPT_TYPE,
    BOOT_MBR_TYPE,
    ESP_GPT_TYPE,
    ESP_MBR_TYPE,
    HOME_GPT_TYPE,
    LINUX_LUKS_TYPE,
    LUKS_MBR_TYPE,
    ROOT_GPT_TYPES,
)
from wizard.model.errors import Failed
from wizard.model.plan import TableEntry, WriteTable
from wizard.model.said import t
from wizard.model.units import rounded_up
from wizard.probe.table.gpt import HEADER, SIGNATURE

SET_AFTERWARDS = {
    "gpt": frozenset({ESP_GPT_TYPE, BOOT_GPT_TYPE, HOME_GPT_TYPE, LINUX_LUKS_TYPE, *ROOT_GPT_TYPES.values()}),
    "mbr": frozenset({ESP_MBR_TYPE, BOOT_MBR_TYPE, LUKS_MBR_TYPE}),
}
"""The types that are set here, by the kind of table."""

MBR_LINES_AT = 446
MBR_LINE_BYTES = 16
"""Where an MBR's four lines begin, and how long each is."""

MBR_TYPE_AT = 4
"""Where in its line a partition's type stands."""

CHECKSUM_AT, ENTRIES_CHECKSUM_AT = 16, 88
"""Where in a GPT's header its checksums stand (UEFI 2.10, 5.3.2)."""


def set_types(operation: WriteTable, block_bytes: int) -> None:
    """Give the new entries of a table that was just written the types that libparted could not. Raises
    Failed."""
    wanted = [
        entry
        for entry in operation.entries
        if not entry.kept and entry.type in SET_AFTERWARDS[operation.table]
    ]
    if not wanted:
        return
    drive = operation.device
    forget_caches(drive)
    if operation.table == "mbr":
        record = bytearray(read_bytes(drive, 0, block_bytes))
        for entry in wanted:
            record[MBR_LINES_AT + MBR_LINE_BYTES * (entry.number - 1) + MBR_TYPE_AT] = int(entry.type, 16)
        write_bytes(drive, 0, bytes(record))
        return
    other: int = HEADER.unpack_from(_header(drive, 1, block_bytes))[6]
    # The backup first: whichever write is cut off, one copy is whole.
    for block in (other, 1):
        _set_in_copy(drive, block, block_bytes, wanted)


def _header(drive: str, block: int, block_bytes: int) -> bytearray:
    """The block with a header in it; raises Failed where there is none."""
    found = bytearray(read_bytes(drive, block * block_bytes, block_bytes))
    if not found.startswith(SIGNATURE):
        raise Failed(
            t(
                "The table that was written on {drive} has no header in block {block}.",
                drive=drive,
                block=block,
            )
        )
    return found


def _set_in_copy(drive: str, block: int, block_bytes: int, wanted: list[TableEntry]) -> None:
    """One copy of a GPT with these types, and with its checksums made anew."""
    header = _header(drive, block, block_bytes)
    _, _, length, *_, first, count, size, _ = HEADER.unpack_from(header)
    room = rounded_up(count * size, block_bytes)
    entries = bytearray(read_bytes(drive, first * block_bytes, room))
    for entry in wanted:
        at = (entry.number - 1) * size
        entries[at : at + 16] = UUID(entry.type).bytes_le
    struct.pack_into("<I", header, ENTRIES_CHECKSUM_AT, zlib.crc32(entries[: count * size]))
    struct.pack_into("<I", header, CHECKSUM_AT, 0)
    struct.pack_into("<I", header, CHECKSUM_AT, zlib.crc32(header[:length]))
    write_bytes(drive, first * block_bytes, bytes(entries))
    write_bytes(drive, block * block_bytes, bytes(header))
