"""MBR partition tables from recorded bytes, with the chain of logical partitions. Pure;
block/partitions/msdos.c has the rules.

Starts and lengths in the table count logical blocks.
"""

import struct
from dataclasses import dataclass

from wizard.model.machine import Extent, Table
from wizard.model.said import Said
from wizard.probe.table.gpt import Entry, Read, Span
from wizard.probe.words.unread import CHAIN_BROKEN, CHAIN_RETURNS

SECTOR_BYTES = 512
SIGNATURE = b"\x55\xaa"
SLOT = struct.Struct("<B3sB3sII")
EXTENDED_TYPES = frozenset({0x05, 0x0F, 0x85})
PROTECTIVE_TYPE = 0xEE
LONGEST_CHAIN = 100
"""Logical partitions that the kernel follows at most."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One of the four lines of a boot record."""

    boot: int
    type: int
    first_block: int
    blocks: int

    @property
    def is_used(self) -> bool:
        """Whether it states a partition."""
        return self.type != 0 and self.blocks != 0


@dataclass(frozen=True, slots=True)
class Mbr:
    """What was found. `problems` are sentences about a chain of logical partitions that breaks off."""

    table: Table
    entries: tuple[Entry, ...]
    spans: tuple[Span, ...]
    protective: bool
    mixed: bool
    problems: tuple[Said, ...]


def is_extended(type_text: str | None) -> bool:
    """Whether an MBR type (`0x05`) is a container of logical partitions."""
    return type_text in {f"0x{code:02x}" for code in EXTENDED_TYPES}


def read_mbr(read: Read, size_bytes: int, block_bytes: int) -> Mbr | None:
    """The table in the first sector, or None where it cannot be one: no signature, or boot bytes that no
    table has."""
    sector = read(0, SECTOR_BYTES)
    slots = _slots(sector)
    if slots is None or any(slot.boot not in (0, 0x80) for slot in slots):
        return None
    disk_id = struct.unpack_from("<I", sector, 440)[0]
    entries = [
        _entry(slot, number, 0, block_bytes, disk_id) for number, slot in enumerate(slots, 1) if slot.is_used
    ]
    extended = next((slot for slot in slots if slot.is_used and slot.type in EXTENDED_TYPES), None)
    logical, spans, problem = (
        _chain(read, extended, block_bytes, size_bytes, disk_id) if extended else ([], [], None)
    )
    used = [slot for slot in slots if slot.is_used]
    return Mbr(
        table=Table(
            kind="mbr",
            uuid=f"{disk_id:08x}" if disk_id else None,
            first_usable_bytes=block_bytes,
            end_usable_bytes=min(size_bytes // block_bytes, 2**32) * block_bytes,
            own=(Extent(0, block_bytes), *(Extent(start, block_bytes) for start, _ in spans)),
        ),
        entries=(*entries, *logical),
        spans=((0, SECTOR_BYTES), *spans),
        protective=any(slot.type == PROTECTIVE_TYPE for slot in used),
        mixed=any(slot.type == PROTECTIVE_TYPE for slot in used)
        and any(slot.type != PROTECTIVE_TYPE for slot in used),
        problems=(problem,) if problem else (),
    )


def _slots(sector: bytes) -> tuple[Slot, ...] | None:
    if len(sector) < SECTOR_BYTES or sector[510:512] != SIGNATURE:
        return None
    return tuple(
        Slot(boot, kind, first, blocks)
        for boot, _, kind, _, first, blocks in (SLOT.unpack_from(sector, 446 + 16 * i) for i in range(4))
    )


def _entry(slot: Slot, number: int, base_block: int, block_bytes: int, disk_id: int) -> Entry:
    return Entry(
        number=number,
        start_bytes=(base_block + slot.first_block) * block_bytes,
        size_bytes=slot.blocks * block_bytes,
        type=f"0x{slot.type:02x}",
        part_uuid=f"{disk_id:08x}-{number:02x}" if disk_id else None,
        attributes=slot.boot,
    )


def _chain(
    read: Read, extended: Slot, block_bytes: int, size_bytes: int, disk_id: int
) -> tuple[list[Entry], list[Span], Said | None]:
    """The logical partitions, the sectors that state them, and where the chain breaks off, if it does.

    Each record states one partition relative to itself, and the next record relative to the extended
    partition.
    """
    entries: list[Entry] = []
    spans: list[Span] = []
    seen: set[int] = set()
    here = extended.first_block
    while here not in seen and len(seen) < LONGEST_CHAIN:
        seen.add(here)
        offset = here * block_bytes
        slots = _slots(read(offset, SECTOR_BYTES)) if offset < size_bytes else None
        if slots is None:
            # An extended partition that was just made may be blank: that is an empty chain, not a broken one.
            broken = CHAIN_BROKEN(start=offset) if entries or offset >= size_bytes else None
            return entries, spans, broken
        spans.append((offset, SECTOR_BYTES))
        data = next((slot for slot in slots if slot.is_used and slot.type not in EXTENDED_TYPES), None)
        if data:
            entries.append(_entry(data, 5 + len(entries), here, block_bytes, disk_id))
        link = next((slot for slot in slots if slot.is_used and slot.type in EXTENDED_TYPES), None)
        if link is None:
            return entries, spans, None
        here = extended.first_block + link.first_block
    return entries, spans, CHAIN_RETURNS(start=here * block_bytes)
