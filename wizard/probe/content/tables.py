"""Parse MBR tables with logical partitions from recorded bytes. Source: Linux block/partitions/msdos.c. Pure.
Starts and lengths in the table count logical blocks. Also combines MBR and GPT into one table."""

import struct
from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from wizard.filesystems.partition_types import CONTAINERS
from wizard.model.machine import Extent, Table
from wizard.model.said import Message, t
from wizard.probe.content.gpt import GptEntry, Read, Span, number, read_gpt
from wizard.probe.unread import LARGER_DRIVE, OTHER_BLOCKS, TABLE_LOST

SECTOR_BYTES = 512
SIGNATURE = b"\x55\xaa"
SLOT = struct.Struct("<B3sB3sII")
PROTECTIVE_TYPE = "0xee"
LONGEST_CHAIN = 100
"""The kernel's limit of logical partitions."""


class MbrEntry(Struct, frozen=True):
    """One of the used entries of a boot record, by number from 1 to 4."""

    number: int
    boot: int
    type: str
    first_block: int
    blocks: int

    @property
    def is_extended(self) -> bool:
        """True if the entry describes an extended partition."""
        return self.type in CONTAINERS


class Mbr(Struct, frozen=True):
    """A parsed MBR. `problems`: messages about a broken chain of logical partitions."""

    table: Table
    entries: tuple[GptEntry, ...]
    spans: tuple[Span, ...]
    protective: bool
    mixed: bool
    problems: tuple[Message, ...]


def read_mbr(read: Read, size_bytes: int, block_bytes: int) -> Mbr | None:
    """Return the table in the first sector, or None without a signature or with invalid boot flags."""
    sector = read(0, SECTOR_BYTES)
    slots = _slots(sector)
    if slots is None or not {*sector[446:510:16]} <= {0, 0x80}:
        return None
    disk_id = number(sector, 440, 4)
    entries = [_entry(slot, slot.number, 0, block_bytes, disk_id) for slot in slots]
    extended = next((slot for slot in slots if slot.is_extended), None)
    logical, spans, problem = (
        _chain(read, extended, block_bytes, size_bytes, disk_id) if extended else ([], [], None)
    )
    kinds = {slot.type for slot in slots}
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
        protective=PROTECTIVE_TYPE in kinds,
        mixed=PROTECTIVE_TYPE in kinds and len(kinds) > 1,
        problems=(problem,) if problem else (),
    )


def _slots(sector: bytes) -> tuple[MbrEntry, ...] | None:
    if len(sector) < SECTOR_BYTES or sector[510:512] != SIGNATURE:
        return None
    slots = enumerate(SLOT.iter_unpack(sector[446:510]), 1)
    return tuple(
        MbrEntry(at, boot, f"0x{kind:02x}", first, blocks)
        for at, (boot, _, kind, _, first, blocks) in slots
        if kind and blocks
    )


def _entry(slot: MbrEntry, at: int, base_block: int, block_bytes: int, disk_id: int) -> GptEntry:
    return GptEntry(
        number=at,
        start_bytes=(base_block + slot.first_block) * block_bytes,
        size_bytes=slot.blocks * block_bytes,
        type=slot.type,
        part_uuid=f"{disk_id:08x}-{at:02x}" if disk_id else None,
        attributes=slot.boot,
    )


def _chain(
    read: Read, extended: MbrEntry, block_bytes: int, size_bytes: int, disk_id: int
) -> tuple[list[GptEntry], list[Span], Message | None]:
    """Return the logical partitions, the sectors that describe them, and where the chain breaks, if it does.

    Each record describes one partition relative to itself, and the next record relative to the extended
    partition.
    """
    entries: list[GptEntry] = []
    spans: list[Span] = []
    seen: set[int] = set()
    here = extended.first_block
    while here not in seen and len(seen) < LONGEST_CHAIN:
        seen.add(here)
        offset = here * block_bytes
        slots = _slots(read(offset, SECTOR_BYTES)) if offset < size_bytes else None
        if slots is None:
            # A new extended partition may be blank: an empty chain, not a broken one.
            broken = (
                t("The chain of logical partitions breaks at byte {start}.", start=offset)
                if entries or offset >= size_bytes
                else None
            )
            return entries, spans, broken
        spans.append((offset, SECTOR_BYTES))
        data = next((slot for slot in slots if not slot.is_extended), None)
        if data:
            entries.append(_entry(data, 5 + len(entries), here, block_bytes, disk_id))
        link = next((slot for slot in slots if slot.is_extended), None)
        if link is None:
            return entries, spans, None
        here = extended.first_block + link.first_block
    loops = t("The chain of logical partitions loops back to byte {start}.", start=here * block_bytes)
    return entries, spans, loops


NO_TABLE = Table("none")

EXT_MAGIC_AT, BTRFS_MAGIC_AT = 1024 + 56, 64 * 1024 + 64

BLOCK_SIZES = (512, 4096)
"""Logical block sizes of drives in bytes."""

MOST_ENTRIES = 256
"""More than any drive in use has. Further entries of a damaged table are counted, not listed."""


class TableReading(Struct, frozen=True):
    """A table, its entries, and all byte ranges of the table. `problems` are messages about unusable parts.
    `other_blocks`: the table was created for another logical block size. `lost`: entries of a sound backup
    GPT without any primary table."""

    table: Table
    entries: tuple[GptEntry, ...] = ()
    spans: tuple[Span, ...] = ()
    problems: tuple[Message, ...] = ()
    other_blocks: bool = False
    lost: tuple[GptEntry, ...] = ()


def read_table(
    read: Read, size_bytes: int, block_bytes: int, library_kind: str | None, *, has_signature: bool
) -> TableReading:
    """Parse the table in the first and last sectors.

    `library_kind` is libblkid's PTTYPE: empty without a table, None if libblkid did not run. It distinguishes
    an MBR from a filesystem's boot sector, and detects tables without a parser here.
    `has_signature`: the drive itself has a signature.
    """
    reading = _read(read, size_bytes, block_bytes, library_kind, has_signature=has_signature)
    if len(reading.entries) <= MOST_ENTRIES:
        return reading
    many = t(
        "The table lists {partitions} partitions; only the first {most} are shown.",
        partitions=len(reading.entries),
        most=MOST_ENTRIES,
    )
    return replace(reading, entries=reading.entries[:MOST_ENTRIES], problems=(*reading.problems, many))


def _read(
    read: Read, size_bytes: int, block_bytes: int, library_kind: str | None, *, has_signature: bool
) -> TableReading:
    mbr = read_mbr(read, size_bytes, block_bytes)
    gpt = read_gpt(read, size_bytes, block_bytes)
    protective = mbr is not None and mbr.protective
    # Without a protective MBR, a GPT is in force only with a first header on an otherwise empty drive.
    # Anything else is a leftover.
    is_alone = not (mbr and mbr.entries) and not has_signature
    if gpt and (protective or (gpt.primary_marked and is_alone)):
        table = gpt.table
        if not protective:
            table = replace(table, primary="damaged")
        elif mbr and mbr.mixed:
            table = replace(table, kind="hybrid")
        fault = LARGER_DRIVE if gpt.larger else None if gpt.sound else TABLE_LOST
        spans = ((0, SECTOR_BYTES), *gpt.spans)
        return TableReading(table, gpt.entries, spans, (fault,) if fault else ())
    if mbr and mbr.protective and not mbr.mixed:
        # The GPT may be for another logical block size, as behind another USB bridge.
        others = tuple(
            OTHER_BLOCKS(other=other, size=block_bytes)
            for other in BLOCK_SIZES
            if other != block_bytes and (found := read_gpt(read, size_bytes, other)) and found.primary_marked
        )
        problems = others or (TABLE_LOST,)
        table = Table("gpt", primary="damaged", backup="missing")
        return TableReading(table, (), ((0, SECTOR_BYTES),), problems, other_blocks=bool(others))
    if mbr and library_kind in (None, "dos") and (mbr.entries or not has_signature):
        if others := tuple(_other_starts(read, size_bytes, block_bytes, mbr)):
            table = replace(mbr.table, first_usable_bytes=None, end_usable_bytes=None)
            return TableReading(table, mbr.entries, mbr.spans, others, other_blocks=True)
        return TableReading(mbr.table, mbr.entries, mbr.spans, mbr.problems)
    if library_kind and library_kind not in ("dos", "gpt", "PMBR"):
        return TableReading(Table("other"), spans=((0, SECTOR_BYTES),))
    lone = gpt is not None and gpt.sound and not gpt.primary_marked and not has_signature
    return TableReading(NO_TABLE, lost=gpt.entries[:MOST_ENTRIES] if gpt and lone else ())


def _other_starts(read: Read, size_bytes: int, block_bytes: int, mbr: Mbr) -> Iterator[Message]:
    """Yield a message if the MBR's block numbers lead to filesystems only with another block size."""
    starts = [entry.start_bytes // block_bytes for entry in mbr.entries if entry.type not in CONTAINERS]
    if any(_is_start(read, start * block_bytes) for start in starts):
        return
    for other in BLOCK_SIZES:
        places = [start * other for start in starts if 0 < start * other < size_bytes]
        if other != block_bytes and any(_is_start(read, place) for place in places):
            yield OTHER_BLOCKS(other=other, size=block_bytes)


def _is_start(read: Read, at: int) -> bool:
    """Return True if a filesystem or container starts here: by the first sector, or ext's or Btrfs's mark."""
    head = read(at, SECTOR_BYTES)
    return (
        head[3:11] in (b"NTFS    ", b"EXFAT   ")
        or (head[510:512] == SIGNATURE and (head[54:57] == b"FAT" or head[82:85] == b"FAT"))
        or head.startswith((b"XFSB", b"LUKS\xba\xbe"))
        or read(at + EXT_MAGIC_AT, 2) == b"\x53\xef"
        or read(at + BTRFS_MAGIC_AT, 8) == b"_BHRfS_M"
    )


def free_extents(
    table: Table, occupied: Iterable[tuple[int, int]], size_bytes: int, *, has_signature: bool
) -> tuple[Extent, ...]:
    """Return the gaps between `occupied` (start, end) ranges for partitions, or the whole of an empty drive.
    Empty on a drive with a signature, and if the bounds of the table are unknown."""
    taken = sorted((start, end) for start, end in occupied if end > start)
    if table.kind == "none":
        return () if taken or has_signature or not size_bytes else (Extent(0, size_bytes),)
    if table.first_usable_bytes is None or table.end_usable_bytes is None:
        return ()
    free, position = [], table.first_usable_bytes
    for start, end in (*taken, (table.end_usable_bytes, table.end_usable_bytes)):
        stop = min(start, table.end_usable_bytes)
        if stop > position:
            free.append(Extent(position, stop - position))
        position = max(position, end)
    return tuple(free)


__all__ = ["GptEntry", "Read", "Span", "TableReading", "free_extents", "read_table"]
