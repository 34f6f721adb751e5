"""Which partition table a drive has, what it states, and what space it leaves free. Pure: works on recorded
bytes."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from wizard.model.machine import Extent, Table
from wizard.model.said import Said
from wizard.probe.table.gpt import Entry, Gpt, Read, Span, read_gpt
from wizard.probe.table.mbr import SECTOR_BYTES, Mbr, is_extended, read_mbr
from wizard.probe.words.unread import MANY_PARTITIONS, OTHER_BLOCKS, TABLE_LOST

NO_TABLE = Table("none")

BLOCK_SIZES = (512, 4096)
"""Logical blocks that drives have."""

MOST_ENTRIES = 256
"""More than any drive in use has. What a damaged table states beyond is counted, not listed."""


@dataclass(frozen=True, slots=True)
class TableReading:
    """A table, its entries, and the bytes it consists of. `problems` say what could not be followed;
    `other_blocks`: it was made for logical blocks of another size."""

    table: Table
    entries: tuple[Entry, ...] = ()
    spans: tuple[Span, ...] = ()
    problems: tuple[Said, ...] = ()
    other_blocks: bool = False


def read_table(
    read: Read, size_bytes: int, block_bytes: int, library_kind: str | None, *, has_signature: bool
) -> TableReading:
    """What the first and last sectors state.

    `library_kind` is libblkid's PTTYPE, empty where it found none, None where it was not asked. It decides
    whether a first sector is an MBR or a filesystem's boot sector, and knows the kinds that are not read
    here. `has_signature`: something lives on the drive itself.
    """
    reading = _read(read, size_bytes, block_bytes, library_kind, has_signature=has_signature)
    if len(reading.entries) <= MOST_ENTRIES:
        return reading
    many = MANY_PARTITIONS(partitions=len(reading.entries), most=MOST_ENTRIES)
    return replace(reading, entries=reading.entries[:MOST_ENTRIES], problems=(*reading.problems, many))


def _read(
    read: Read, size_bytes: int, block_bytes: int, library_kind: str | None, *, has_signature: bool
) -> TableReading:
    mbr = read_mbr(read, size_bytes, block_bytes)
    gpt = read_gpt(read, size_bytes, block_bytes)
    if gpt and _counts(gpt, mbr, has_signature):
        return _with_protective(gpt, mbr)
    if mbr and mbr.protective and not mbr.mixed:
        others = tuple(_made_for_others(read, size_bytes, block_bytes))
        problems = others or (TABLE_LOST,)
        table = Table("gpt", primary="damaged", backup="missing")
        return TableReading(table, (), ((0, SECTOR_BYTES),), problems, other_blocks=bool(others))
    if mbr and library_kind in (None, "dos") and (mbr.entries or not has_signature):
        return TableReading(mbr.table, mbr.entries, mbr.spans, mbr.problems)
    if library_kind and library_kind not in ("dos", "gpt", "PMBR"):
        return TableReading(Table("other"), spans=((0, SECTOR_BYTES),))
    return TableReading(NO_TABLE)


def _made_for_others(read: Read, size_bytes: int, block_bytes: int) -> Iterator[Said]:
    """Whether the table that is missed stands where it would with other logical blocks, as behind another USB
    bridge."""
    for other in BLOCK_SIZES:
        if other != block_bytes and (found := read_gpt(read, size_bytes, other)) and found.primary_marked:
            yield OTHER_BLOCKS(other=other, size=block_bytes)


def _counts(gpt: Gpt, mbr: Mbr | None, has_signature: bool) -> bool:
    """Whether a GPT is in force. Without a protective record only a first header over nothing else counts:
    the rest is left behind."""
    if mbr and mbr.protective:
        return True
    return gpt.primary_marked and not (mbr and mbr.entries) and not has_signature


def _with_protective(gpt: Gpt, mbr: Mbr | None) -> TableReading:
    """A GPT with the record in front of it: other partitions there make it a hybrid, its absence a damage."""
    table = gpt.table
    if mbr is None or not mbr.protective:
        table = replace(table, primary="damaged")
    elif mbr.mixed:
        table = replace(table, kind="hybrid")
    return TableReading(
        table, gpt.entries, ((0, SECTOR_BYTES), *gpt.spans), () if gpt.sound else (TABLE_LOST,)
    )


def free_extents(
    table: Table, occupied: Iterable[tuple[int, int]], size_bytes: int, *, has_signature: bool
) -> tuple[Extent, ...]:
    """The runs between `occupied` starts and ends in which a partition may be made; the whole of a drive that
    holds nothing.

    None on a drive that holds a filesystem itself, and where the table's bounds are unknown.
    """
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


__all__ = ["Entry", "Read", "Span", "TableReading", "free_extents", "is_extended", "read_table"]
