"""Parse MBR tables with logical partitions from recorded bytes. Source: Linux block/partitions/msdos.c. Pure.
Starts and lengths in the table count logical blocks. Also combines MBR and GPT into one table."""

import struct
from collections.abc import Iterable

from msgspec.structs import replace

from wizard.filesystems.partition_types import CONTAINERS
from wizard.model.machine import Extent, Partition, Placed, Table
from wizard.model.said import Message, t
from wizard.probe.content.gpt import Read, Span, TableReading, number, read_gpt
from wizard.probe.unread import OTHER_BLOCKS, TABLE_LOST

SECTOR_BYTES = 512
SIGNATURE = b"\x55\xaa"
SLOT = struct.Struct("<B3sB3sII")
PROTECTIVE_TYPE = "0xee"
MOST_PRIMARY = 4
LONGEST_CHAIN = 100
"""The kernel's limit of logical partitions."""


def read_mbr(read: Read, size_bytes: int, block_bytes: int) -> TableReading | None:
    """Return the table in the first sector, or None without a signature or with invalid boot flags. A broken
    chain of logical partitions is a problem."""
    sector = read(0, SECTOR_BYTES)
    slots = _slots(sector, block_bytes)
    if slots is None or not {*sector[446:510:16]} <= {0, 0x80}:
        return None
    disk_id = number(sector, 440, 4)
    _, extended = _split(slots)
    logical, spans, problem = _chain(read, extended, block_bytes, size_bytes) if extended else ([], [], None)
    return TableReading(
        table=Table(
            kind="mbr",
            uuid=f"{disk_id:08x}" if disk_id else None,
            first_usable_bytes=block_bytes,
            end_usable_bytes=min(size_bytes // block_bytes, 2**32) * block_bytes,
            own=(Extent(0, block_bytes), *(Extent(start, block_bytes) for start, _ in spans)),
        ),
        entries=tuple(
            replace(entry, part_uuid=f"{disk_id:08x}-{entry.number:02x}" if disk_id else None)
            for entry in (*slots, *logical)
        ),
        spans=((0, SECTOR_BYTES), *spans),
        problems=(problem,) if problem else (),
    )


def _slots(sector: bytes, block_bytes: int) -> tuple[Partition, ...] | None:
    if len(sector) < SECTOR_BYTES or sector[510:512] != SIGNATURE:
        return None
    slots = enumerate(SLOT.iter_unpack(sector[446:510]), 1)
    return tuple(
        Partition("", at, first * block_bytes, blocks * block_bytes, f"0x{kind:02x}", attributes=boot)
        for at, (boot, _, kind, _, first, blocks) in slots
        if kind and blocks
    )


def _split(slots: Iterable[Partition]) -> tuple[Partition | None, Partition | None]:
    """Return the first entry that is no extended partition, and the first that is one."""
    groups: dict[bool, Partition] = {}
    for slot in slots:
        groups.setdefault(slot.type in CONTAINERS, slot)
    return groups.get(False), groups.get(True)


def _chain(
    read: Read, extended: Partition, block_bytes: int, size_bytes: int
) -> tuple[list[Partition], list[Span], Message | None]:
    """Return the logical partitions, the sectors that describe them, and where the chain breaks, if it does.

    Each record describes one partition relative to itself, and the next record relative to the extended
    partition.
    """
    entries: list[Partition] = []
    spans: list[Span] = []
    seen: set[int] = set()
    here = extended.start_bytes
    while here not in seen and len(seen) < LONGEST_CHAIN:
        seen.add(here)
        slots = _slots(read(here, SECTOR_BYTES), block_bytes) if here < size_bytes else None
        if slots is None:
            # A new extended partition may be blank: an empty chain, not a broken one.
            broken = t("The chain of logical partitions breaks at byte {start}.", start=here)
            return entries, spans, broken if entries or here >= size_bytes else None
        spans.append((here, SECTOR_BYTES))
        data, link = _split(slots)
        if data:
            entries.append(
                replace(data, number=MOST_PRIMARY + 1 + len(entries), start_bytes=here + data.start_bytes)
            )
        if link is None:
            return entries, spans, None
        here = extended.start_bytes + link.start_bytes
    return entries, spans, t("The chain of logical partitions breaks at byte {start}.", start=here)


NO_TABLE = Table("none")

EXT_MAGIC_AT, BTRFS_MAGIC_AT = 1024 + 56, 64 * 1024 + 64

BLOCK_SIZES = (512, 4096)
"""Logical block sizes of drives in bytes."""


def read_table(
    read: Read, size_bytes: int, block_bytes: int, library_kind: str | None, *, has_signature: bool
) -> TableReading:
    """Parse the table in the first and last sectors. `library_kind`: libblkid's PTTYPE, empty without a
    table, None if libblkid did not run; it distinguishes an MBR from a boot sector, and detects other tables.
    `has_signature`: on the drive itself."""
    mbr = read_mbr(read, size_bytes, block_bytes)
    gpt = read_gpt(read, size_bytes, block_bytes)
    kinds = {entry.type for entry in mbr.entries if entry.number <= MOST_PRIMARY} if mbr else set()
    protective, mixed = PROTECTIVE_TYPE in kinds, len(kinds) > 1
    first = ((0, SECTOR_BYTES),)
    # Without a protective MBR, a GPT is in force only with a first header on an otherwise empty drive.
    # Anything else is a leftover.
    is_alone = not (mbr and mbr.entries) and not has_signature
    if gpt and (protective or (gpt.primary_marked and is_alone)):
        table = gpt.table
        if not protective:
            table = replace(table, primary="damaged")
        elif mixed:
            table = replace(table, kind="hybrid")
        return replace(gpt, table=table, spans=(*first, *gpt.spans))
    if protective and not mixed:
        # The GPT may be for another logical block size, as behind another USB bridge.
        others = tuple(
            OTHER_BLOCKS(other=other, size=block_bytes)
            for other in BLOCK_SIZES
            if other != block_bytes and (found := read_gpt(read, size_bytes, other)) and found.primary_marked
        )
        table = Table("gpt", primary="damaged", backup="missing")
        return TableReading(table, (), first, others or (TABLE_LOST,), other_blocks=bool(others))
    if mbr and library_kind in (None, "dos") and (mbr.entries or not has_signature):
        starts = [entry.start_bytes // block_bytes for entry in mbr.entries if entry.type not in CONTAINERS]
        is_found = any(_is_start(read, start * block_bytes) for start in starts)
        # The MBR's block numbers may lead to filesystems only with another block size.
        if others := tuple(
            OTHER_BLOCKS(other=other, size=block_bytes)
            for other in BLOCK_SIZES
            if other != block_bytes
            and not is_found
            and any(_is_start(read, start * other) for start in starts if 0 < start * other < size_bytes)
        ):
            table = replace(mbr.table, first_usable_bytes=None, end_usable_bytes=None)
            return replace(mbr, table=table, problems=others, other_blocks=True)
        return mbr
    if library_kind and library_kind not in ("dos", "gpt", "PMBR"):
        return TableReading(Table("other"), spans=first)
    lone = gpt and TABLE_LOST not in gpt.problems and not gpt.primary_marked and not has_signature
    return TableReading(NO_TABLE, lost=gpt.entries if gpt and lone else ())


def _is_start(read: Read, at: int) -> bool:
    head = read(at, SECTOR_BYTES)
    return (
        head[3:11] in (b"NTFS    ", b"EXFAT   ")
        or (head[510:512] == SIGNATURE and (head[54:57] == b"FAT" or head[82:85] == b"FAT"))
        or head.startswith((b"XFSB", b"LUKS\xba\xbe"))
        or read(at + EXT_MAGIC_AT, 2) == b"\x53\xef"
        or read(at + BTRFS_MAGIC_AT, 8) == b"_BHRfS_M"
    )


def free_extents(
    table: Table, occupied: Iterable[Placed], size_bytes: int, *, has_signature: bool
) -> tuple[Extent, ...]:
    """Return the gaps between the `occupied` ranges, or the whole of an empty drive."""
    taken = [place for place in occupied if place.size_bytes > 0]
    if table.kind == "none":
        return () if taken or has_signature or not size_bytes else (Extent(0, size_bytes),)
    start, end = table.first_usable_bytes, table.end_usable_bytes
    return () if start is None or end is None or end <= start else Extent(start, end - start).without(taken)
