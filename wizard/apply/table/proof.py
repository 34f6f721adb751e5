"""Images of partition tables, their differences from plans, and the order of writes to the drive. Pure. A cut
between two writes leaves the old table, the new one, or one from which no partitions are read. For a GPT, the
copy at the end comes first, while the first copy is complete and in force. Then the entries of the first copy
follow, whose header is invalid until the end: Linux sees no partitions (block/partitions/efi.c), and firmware
uses the new copy (UEFI 2.10, 5.3.2). That header, one block, comes last. For an MBR, one sector changes."""

import struct
import zlib
from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from wizard.apply.block.extents import merged
from wizard.filesystems.partition_types import is_extended
from wizard.model import layout
from wizard.model.errors import Failed
from wizard.model.machine import Drive, Extent, Partition
from wizard.model.run import differences
from wizard.model.said import Sentence, t
from wizard.probe.content import tables

WRONG_TABLE = Sentence("The new partition table differs from the plan: {detail}.")


def disk_differences(wanted: layout.Layout, drive: Drive) -> tuple[str, ...]:
    """Describe differences between the table on the disk and the layout."""
    found = [*differences([("table", drive.table_kind, wanted.table)])]
    by_number = {part.number: part for part in drive.partitions}
    for slot in wanted.partitions:
        name, part = f"partition {slot.number}", by_number.pop(slot.number, None)
        if part is None:
            found.append(t("{name} is missing", name=name))
            continue
        pairs: list[tuple[str, int | str | None, int | str | None]] = [
            ("start", part.start_bytes, slot.start_bytes),
            ("size", part.size_bytes, slot.size_bytes),
            ("type", part.type, slot.type),
            ("name", part.name or "", slot.name or ""),
            ("flags", hex(part.attributes), hex(slot.attributes)),
        ]
        if slot.kept and slot.part_uuid:
            pairs.append(("UUID", part.part_uuid, slot.part_uuid))
        found += differences((f"{name}: {field}", seen, planned) for field, seen, planned in pairs)
    found += [t("{name} was not planned", name=f"partition {number}") for number in sorted(by_number)]
    return tuple(map(str, found))


def kernel_differences(wanted: layout.Layout, drive: Drive) -> tuple[str, ...]:
    """Describe differences between the kernel's partitions and the layout."""
    found = []
    by_number = {part.number: part for part in drive.partitions}
    for slot in wanted.partitions:
        name, part = f"partition {slot.number}", by_number.get(slot.number)
        if part is None or part.kernel_start_bytes is None:
            found.append(t("{name} is missing", name=name))
            continue
        # The kernel shows only the first record of an extended partition, to protect the logical ones.
        size_bytes = slot.size_bytes if is_extended(slot) else part.kernel_size_bytes
        start = (f"{name}: start", part.kernel_start_bytes, slot.start_bytes)
        found += differences([start, (f"{name}: size", size_bytes, slot.size_bytes)])
    return tuple(map(str, found))


MBR_LINES_AT = 446
MBR_LINE_BYTES = 16
"""Of the four entries in an MBR."""

MBR_TYPE_AT = 4
"""In an MBR entry."""

CHECKSUM_AT, ENTRIES_CHECKSUM_AT = 16, 88
"""In a GPT header (UEFI 2.10, 5.3.2)."""


Patches = Mapping[int, bytes]
"""New bytes by offset."""


class Image(Struct, frozen=True):
    """Pieces of a drive: offsets and whole blocks, sorted and disjoint."""

    size_bytes: int
    block_bytes: int
    pieces: tuple[tuple[int, bytes], ...]

    @property
    def places(self) -> tuple[Extent, ...]:
        """The places of the pieces."""
        return tuple(Extent(offset, len(data)) for offset, data in self.pieces)

    def read(self, offset: int, length: int) -> bytes:
        """Read from one piece. Short at the end, and empty outside."""
        for start, data in self.pieces:
            if start <= offset < start + len(data):
                return data[offset - start : offset - start + length]
        return b""

    def having(self, patches: Patches) -> "Image":
        """Return the image with other bytes at these offsets, each within one piece."""
        pieces = []
        for start, data in self.pieces:
            patched = bytearray(data)
            for offset, new in patches.items():
                if start <= offset and offset + len(new) <= start + len(data):
                    patched[offset - start : offset - start + len(new)] = new
            pieces.append((start, bytes(patched)))
        return replace(self, pieces=tuple(pieces))

    def changed_blocks(self, other: "Image") -> Iterator[tuple[int, bytes, bytes]]:
        """Yield the blocks that differ in an image of the same places, with both contents."""
        for (start, mine), (_, theirs) in zip(self.pieces, other.pieces, strict=True):
            for at in range(0, len(mine), self.block_bytes):
                one, two = mine[at : at + self.block_bytes], theirs[at : at + self.block_bytes]
                if one != two:
                    yield start + at, one, two

    @property
    def reading(self) -> tables.TableReading:
        """The table as our own reader reads it."""
        return tables.read_table(self.read, self.size_bytes, self.block_bytes, None, has_signature=False)

    @property
    def entries(self) -> dict[int, Partition]:
        """The partitions by number."""
        return {entry.number: entry for entry in self.reading.entries}

    def exactly(self, place: Extent) -> bytearray:
        """Read a place within one piece. Raises Failed if the image lacks a part of it."""
        data = self.read(place.start_bytes, place.size_bytes)
        if len(data) != place.size_bytes:
            raise Failed(WRONG_TABLE(detail=f"byte {place.start_bytes}"))
        return bytearray(data)

    def with_gpt(self, entries: Mapping[int, Patches], header: Patches | None = None) -> "Image":
        """Patch entries, by number, and the header in both copies of a GPT, and update checksums. Raises
        Failed if a copy is incomplete."""
        image = self
        for copy in copies_of(self):
            head, records = self.exactly(copy.header), self.exactly(copy.entries)
            _patch(head, 0, header or {})
            for number, patches in entries.items():
                _patch(records, (number - 1) * copy.entry_bytes, patches)
            struct.pack_into("<I", head, ENTRIES_CHECKSUM_AT, zlib.crc32(records))
            image = image.having(
                {copy.entries.start_bytes: bytes(records), copy.header.start_bytes: with_checksum(head)}
            )
        return image


def _patch(data: bytearray, begin: int, patches: Patches) -> None:
    for offset, new in patches.items():
        data[begin + offset : begin + offset + len(new)] = new


def with_checksum(header: bytearray) -> bytes:
    """Return a header with the checksum updated."""
    length = tables.HEADER.unpack_from(header)[2]
    struct.pack_into("<I", header, CHECKSUM_AT, 0)
    struct.pack_into("<I", header, CHECKSUM_AT, zlib.crc32(header[:length]))
    return bytes(header)


class GptLocation(Struct, frozen=True):
    """One copy of a GPT."""

    header: Extent
    entries: Extent
    entry_bytes: int

    def entry(self, number: int) -> Extent:
        """Return the place of a partition's entry."""
        return Extent(self.entries.start_bytes + (number - 1) * self.entry_bytes, self.entry_bytes)


def copies_of(image: Image) -> tuple[GptLocation, GptLocation]:
    """Return both copies of a GPT. Raises Failed if a header is missing."""
    found, block, size = [], 1, image.block_bytes
    for _ in range(2):
        copy = tables.read_copy(image.read, block, image.size_bytes // size - 1, size)
        if copy is None or len(copy.spans) < 2:
            raise Failed(WRONG_TABLE(detail=f"header {block}"))
        found.append(GptLocation(Extent(block * size, size), Extent(*copy.spans[1]), copy.entry_bytes))
        block = copy.alternate_lba
    return found[0], found[1]


def in_order(kind: str, before: Image, wanted: Image) -> tuple[tuple[int, bytes], ...]:
    """Return the writes that change one table into the other. Each must be synced before the next. Raises
    Failed if anything outside the table would change."""
    changed = {offset: new for offset, _, new in before.changed_blocks(wanted)}
    if kind == "mbr":
        # Only one record changes at a time: the first, or one of the chain of logical partitions.
        size = wanted.block_bytes
        spans = before.reading.spans or ((0, size),)
        phases = [Extent(offset // size * size, size) for offset, _ in spans]
    else:
        first, last = copies_of(wanted)
        phases = [last.entries, last.header, first.entries, first.header]
        if before.reading.table.primary != "ok":
            # After an interrupted write, only the copy at the end is valid.
            phases = [*phases[2:], *phases[:2]]
        if before.reading.table.kind == "none":
            # A lost table: Linux reads no GPT without the protective MBR.
            phases.append(Extent(0, wanted.block_bytes))
    writes: list[tuple[int, bytes]] = []
    for phase in phases:
        blocks = [Extent(offset, wanted.block_bytes) for offset in changed]
        inside = (one for one in blocks if phase.start_bytes <= one.start_bytes < phase.end_bytes)
        # One write for consecutive blocks.
        for place in merged(inside, wanted.block_bytes, wanted.size_bytes):
            offsets = range(place.start_bytes, place.end_bytes, wanted.block_bytes)
            writes.append((place.start_bytes, b"".join(changed.pop(offset) for offset in offsets)))
    if changed:
        raise Failed(WRONG_TABLE(detail=f"byte {min(changed)}"))
    return tuple(writes)
