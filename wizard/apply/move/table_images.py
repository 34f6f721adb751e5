"""Partition table images for the move of one partition: old, moving and new. Pure.

The two copies of a GPT are written one after the other. While one is torn, the other is complete and shows
one of the states. Linux and libblkid use the first copy if the checksums match, else the copy at the end
(block/partitions/efi.c). The copy at the end says "moving" whenever the first one is incomplete. On the way
to `moving`, that copy is written before the first one. On the way to `old` or `new`, that copy is written
after the first one. So the journal is found through it even if the first physical block was lost, with the
protective MBR.

This order requires a complete start state. After a cut, an incomplete copy is written first, and bytes that
match already are not written.

An MBR has one copy. The one changed sector is old or new. A drive can lose a whole physical block in a power
cut. Then the table is missing, or ends at that record, until the pieces are written again. It never shows
another table.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from wizard.apply.block.extents import merged
from wizard.apply.table import proof
from wizard.apply.table.one_entry import line_of, with_changes
from wizard.filesystems import partition_types
from wizard.model.errors import FrozenStruct, Refused
from wizard.model.geometry import Geometry
from wizard.model.layout import NewTable, TableEntry
from wizard.model.machine import Extent, Partition
from wizard.model.said import Sentence, t
from wizard.plan.free_space import MBR_PRIMARIES
from wizard.probe.content import tables
from wizard.probe.content.tables import Read, TableReading, read_copy

DYNAMIC_TYPES = frozenset(
    {"5808c8aa-7e8f-42e0-85d2-e1e90434cfb3", "af9b60a0-1431-4f62-bc68-3311714a69ad", "0x42"}
)
"""Types of Windows' Logical Disk Manager: its metadata, its data, and both in an MBR."""

MOST_MBR_BLOCKS = 1 << 32
NOT_FREE = Sentence("The space for the move is not free: bytes {start} to {end}.")


class TablePiece(FrozenStruct):
    """Whole physical blocks and their offset. Only the end of the drive may cut the last one."""

    offset_bytes: int
    data: bytes


class TableImages(FrozenStruct):
    """The same places in three states. The pieces of each are in write order; each is synced before the
    next."""

    old: tuple[TablePiece, ...]
    moving: tuple[TablePiece, ...]
    new: tuple[TablePiece, ...]


def table_images(
    read: Read, size_bytes: int, geometry: Geometry, number: int, span: Extent, after: Extent
) -> TableImages:
    """Return the three states for moving partition `number` to `after`. During the move, its entry covers
    `span`: both places and the journal.

    Raises Refused, also if a physical block to write contains data of a partition. Raises ValueError if
    `span` does not contain both places, or a place is not in whole logical blocks.
    """
    block_bytes = geometry.logical_block_bytes
    reading = tables.read_table(read, size_bytes, block_bytes, None, has_signature=False)
    _check_table(read, size_bytes, block_bytes, reading)
    entry = next((entry for entry in reading.entries if entry.number == number), None)
    if entry is None or not entry.size_bytes or entry.type in partition_types.CONTAINERS:
        raise Refused(t("The table has no movable partition {number}.", number=number))
    if any(place.start_bytes % block_bytes or place.size_bytes % block_bytes for place in (span, after)):
        raise ValueError("a place is not in whole logical blocks")
    if not after.size_bytes or not all(place.is_within(span) for place in (entry, after)):
        raise ValueError("the span does not hold both places")
    before = _image(read, size_bytes, geometry, reading)
    _check_room(before, reading, entry, span)
    if reading.table.kind == "gpt":
        moving_type = partition_types.MOVING_GPT
        copies = [(copy.header, copy.entries) for copy in proof.copies_of(before)]
    else:
        moving_type = partition_types.MOVING_MBR
        record = line_of(before, number) // block_bytes * block_bytes
        copies = [(Extent(record, block_bytes),) * 2]
    moving = _with_entry(before, reading, entry, span, moving_type)
    new = _with_entry(before, reading, entry, after, entry.type)
    # Offsets of physical blocks that differ between the three states.
    physical = replace(before, block_bytes=geometry.whole_block_bytes)
    changed = {offset for other in (moving, new) for offset, _, _ in physical.changed_blocks(other)}
    runs = [_runs(physical, changed, *copy) for copy in copies]
    first_copy_first = [run for copy in runs for run in copy]
    last_copy_first = [run for copy in reversed(runs) for run in copy]
    # Data of a partition may change in the meantime.
    for run in first_copy_first:
        for other in reading.entries:
            if other.type not in partition_types.CONTAINERS and run.overlaps(
                span if other is entry else other
            ):
                raise Refused(
                    t(
                        "The physical block at byte {byte} contains part of the table and data of "
                        "partition {number}. A power cut during the write could destroy that data.",
                        byte=run.start_bytes,
                        number=other.number,
                    )
                )
    return TableImages(
        old=_pieces(before, first_copy_first),
        moving=_pieces(moving, last_copy_first),
        new=_pieces(new, first_copy_first),
    )


def _check_table(read: Read, size_bytes: int, block_bytes: int, reading: TableReading) -> None:
    table = reading.table
    if table.kind not in ("gpt", "mbr"):
        raise Refused(t("The partition table does not support moves: {kind}.", kind=table.kind))
    if reading.problems:
        raise Refused(
            t("The partition table was not read completely. {problems:row}", problems=reading.problems)
        )
    if table.kind == "gpt" and (
        table.primary != "ok" or not _has_equal_copies(read, size_bytes, block_bytes)
    ):
        raise Refused(
            t(
                "Repair the GPT first. A move needs two equal copies and a protective MBR, because a power "
                "cut could destroy one copy."
            )
        )
    if any(entry.type in DYNAMIC_TYPES for entry in reading.entries):
        raise Refused(
            t("The drive contains Windows dynamic disks (LDM), whose database records all positions.")
        )


def _has_equal_copies(read: Read, size_bytes: int, block_bytes: int) -> bool:
    """Return True if both copies of the GPT are valid and equal."""
    last = size_bytes // block_bytes - 1
    found = [read_copy(read, lba, last, block_bytes) for lba in (1, last)]
    sound = [copy for copy in found if copy and copy.sound]
    contents = {
        (one.disk_guid, one.first_usable_lba, one.last_usable_lba, one.entry_bytes, one.entries)
        for one in sound
    }
    return [copy.alternate_lba for copy in sound] == [last, 1] and len(contents) == 1


def _check_room(image: proof.Image, reading: TableReading, entry: Partition, span: Extent) -> None:
    """Raises Refused unless the span is free, except for the partition itself."""
    table = reading.table
    if table.kind == "mbr" and span.end_bytes > MOST_MBR_BLOCKS * image.block_bytes:
        raise Refused(t("{what} has 32-bit block numbers, too few for the new place.", what="MBR"))
    start, end = table.first_usable_bytes or 0, table.end_usable_bytes or 0
    is_logical = table.kind == "mbr" and entry.number > MBR_PRIMARIES
    if is_logical:
        _check_logical(image, reading, entry, span)
    others = (
        other
        for other in reading.entries
        if other.number != entry.number and not (is_logical and other.type in partition_types.CONTAINERS)
    )
    is_usable = start <= span.start_bytes and span.end_bytes <= end
    if not is_usable or any(map(span.overlaps, (*others, *table.own))):
        raise Refused(NOT_FREE(start=span.start_bytes, end=span.end_bytes))


def _check_logical(image: proof.Image, reading: TableReading, entry: Partition, span: Extent) -> None:
    """Raises Refused unless the span is between the record of a logical partition and the end of the extended
    one."""
    line = line_of(image, entry.number)
    record = line // image.block_bytes * image.block_bytes
    # Linux uses other entries only if they are within the link's range (block/partitions/msdos.c).
    if line - record >= proof.MBR_LINES_AT + 2 * proof.MBR_LINE_BYTES:
        raise Refused(
            t(
                "Partition {number} uses an unusual slot of its record, which Linux may not "
                "follow elsewhere.",
                number=entry.number,
            )
        )
    containers = (other.extent for other in reading.entries if other.type in partition_types.CONTAINERS)
    if not any(
        container.start_bytes <= record < span.start_bytes and span.end_bytes <= container.end_bytes
        for container in containers
    ):
        raise Refused(NOT_FREE(start=span.start_bytes, end=span.end_bytes))


def _image(read: Read, size_bytes: int, geometry: Geometry, reading: TableReading) -> proof.Image:
    spans = (Extent(start, length) for start, length in reading.spans)
    pieces = []
    for place in merged(spans, geometry.whole_block_bytes, size_bytes):
        data = read(place.start_bytes, place.size_bytes)
        if len(data) != place.size_bytes:
            raise Refused(
                t("Cannot read the drive at byte {byte}, inside the partition table.", byte=place.start_bytes)
            )
        pieces.append((place.start_bytes, data))
    return proof.Image(size_bytes, geometry.logical_block_bytes, tuple(pieces))


def _with_entry(
    before: proof.Image, reading: TableReading, entry: Partition, place: Extent, kind: str | None
) -> proof.Image:
    changed = replace(entry, start_bytes=place.start_bytes, size_bytes=place.size_bytes, type=kind)
    parts = (changed if other is entry else other for other in reading.entries)
    entries = tuple(
        TableEntry(
            one.number,
            one.start_bytes,
            one.size_bytes,
            one.type or "",
            one.name or "",
            kept=one is not changed,
        )
        for one in parts
    )
    table = NewTable("", "mbr" if reading.table.kind == "mbr" else "gpt", fresh=False, entries=entries)
    return with_changes(table, before)


def _runs(physical: proof.Image, changed: set[int], header: Extent, entries: Extent) -> list[Extent]:
    """Return runs of changed physical blocks of one copy. The run with the header comes last. In an MBR,
    header and entries are both the record of the partition."""
    size = physical.block_bytes
    blocks = [Extent(offset, size) for offset in changed]
    own = [block for block in blocks if block.overlaps(header) or block.overlaps(entries)]
    return sorted(merged(own, size, physical.size_bytes), key=lambda run: run.overlaps(header))


def _pieces(image: proof.Image, runs: Iterable[Extent]) -> tuple[TablePiece, ...]:
    return tuple(TablePiece(run.start_bytes, image.read(run.start_bytes, run.size_bytes)) for run in runs)
