"""Prove that libparted only added to a table, and order the writes to the drive. Pure.

A cut between two writes leaves the old table, the new one, or one from which no partitions are read. For a
GPT, the copy at the end comes first, while the first copy is complete and in force. Then the entries of the
first copy follow. The first header is invalid until the end. So Linux sees no partitions
(block/partitions/efi.c), and firmware uses the new copy (UEFI 2.10, 5.3.2). That header, one block, comes
last. For an MBR, one sector changes.
"""

import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from uuid import UUID

from wizard.apply.block.devices import forget_caches, read_bytes, write_bytes
from wizard.filesystems.kind import (
    BOOT_GPT_TYPE,
    BOOT_MBR_TYPE,
    ESP_GPT_TYPE,
    ESP_MBR_TYPE,
    HOME_GPT_TYPE,
    LINUX_LUKS_TYPE,
    LUKS_MBR_TYPE,
    ROOT_GPT_TYPES,
)
from wizard.model.errors import Failed, printable
from wizard.model.machine import Drive, Extent, Partition
from wizard.model.plan import Layout, Slot, TableEntry, WriteTable
from wizard.model.said import Sentence, rounded_up, t
from wizard.plan.free_space import is_container
from wizard.probe.content.gpt import HEADER, SIGNATURE
from wizard.probe.content.tables import GptEntry, TableReading, read_table


def disk_differences(wanted: Layout, drive: Drive) -> tuple[str, ...]:
    """What the table on the disk says otherwise than the layout: kind, numbers, starts, lengths, types,
    names, flags."""
    kind = drive.table.kind if drive.table else "unread"
    found = (
        []
        if kind == wanted.table
        else [str(t("the table is {seen}, not {wanted}", seen=kind, wanted=wanted.table))]
    )
    by_number = {part.number: part for part in drive.partitions}
    for slot in wanted.partitions:
        part = by_number.pop(slot.number, None)
        if part is None:
            found.append(str(t("partition {number} is missing", number=slot.number)))
        else:
            found += _entry_differences(slot, part)
    found += [str(t("partition {number} was not planned", number=number)) for number in sorted(by_number)]
    return tuple(found)


def _entry_differences(slot: Slot, part: Partition) -> list[str]:
    pairs: list[tuple[Sentence, int | str | None, int | str | None]] = [
        (
            Sentence("partition {number} starts at byte {seen}, not {wanted}"),
            part.start_bytes,
            slot.start_bytes,
        ),
        (
            Sentence("partition {number} has {seen} bytes, not {wanted}"),
            part.size_bytes,
            slot.size_bytes,
        ),
        (Sentence("partition {number} has the type {seen!r}, not {wanted!r}"), part.type, slot.type),
        (
            Sentence("partition {number} has the name {seen!r}, not {wanted!r}"),
            part.name or "",
            slot.name or "",
        ),
        (
            Sentence("partition {number} has the flags {seen!r}, not {wanted!r}"),
            hex(part.attributes),
            hex(slot.attributes),
        ),
    ]
    if slot.kept and slot.part_uuid:
        pairs.append(
            (
                Sentence("partition {number} has the UUID {seen!r}, not {wanted!r}"),
                part.part_uuid,
                slot.part_uuid,
            )
        )
    return [
        str(differs(number=slot.number, seen=_shown(seen), wanted=_shown(wanted)))
        for differs, seen, wanted in pairs
        if seen != wanted
    ]


def kernel_differences(wanted: Layout, drive: Drive) -> tuple[str, ...]:
    """What the kernel believes otherwise than the layout."""
    found = []
    by_number = {part.number: part for part in drive.partitions}
    for slot in wanted.partitions:
        part = by_number.get(slot.number)
        if part is None or part.kernel_start_bytes is None:
            found.append(str(t("the kernel does not see partition {number}", number=slot.number)))
            continue
        if part.kernel_start_bytes != slot.start_bytes:
            said = t(
                "the kernel sees partition {number} at byte {seen}, not {wanted}",
                number=slot.number,
                seen=part.kernel_start_bytes,
                wanted=slot.start_bytes,
            )
            found.append(str(said))
        # Of an extended partition the kernel shows only the first record, so that nobody writes over the
        # logical ones.
        if not is_container(slot) and part.kernel_size_bytes != slot.size_bytes:
            said = t(
                "the kernel sees partition {number} with {seen} bytes, not {wanted}",
                number=slot.number,
                seen=str(part.kernel_size_bytes),
                wanted=slot.size_bytes,
            )
            found.append(str(said))
    return tuple(found)


def strangers(drive: Drive, *known: Layout) -> tuple[Partition, ...]:
    """Partitions on the drive that none of the layouts has at that place."""
    places = {(slot.start_bytes, slot.size_bytes) for layout in known for slot in layout.partitions}
    return tuple(part for part in drive.partitions if (part.start_bytes, part.size_bytes) not in places)


def _shown(value: int | str | None) -> int | str:
    return value if isinstance(value, int) else printable(value or "", 40)


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
                "The table written to {drive} has no header in block {block}.",
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


@dataclass(frozen=True, slots=True)
class Image:
    """Pieces of a drive of `size_bytes`: offsets with what stands there, whole blocks, in order and apart."""

    size_bytes: int
    block_bytes: int
    pieces: tuple[tuple[int, bytes], ...]

    def read(self, offset: int, length: int) -> bytes:
        """Bytes of one piece; none where no piece holds the offset, and fewer where it ends before."""
        for start, data in self.pieces:
            if start <= offset < start + len(data):
                return data[offset - start : offset - start + length]
        return b""

    def having(self, patches: Mapping[int, bytes]) -> "Image":
        """The same with other bytes at these offsets, each within one piece."""
        pieces = []
        for start, data in self.pieces:
            patched = bytearray(data)
            for offset, new in patches.items():
                if start <= offset and offset + len(new) <= start + len(data):
                    patched[offset - start : offset - start + len(new)] = new
            pieces.append((start, bytes(patched)))
        return replace(self, pieces=tuple(pieces))

    def changed_blocks(self, other: "Image") -> Iterator[tuple[int, bytes, bytes]]:
        """The blocks that differ in another image of the same places: where, what stands here, and what
        stands there."""
        for (start, mine), (_, theirs) in zip(self.pieces, other.pieces, strict=True):
            for at in range(0, len(mine), self.block_bytes):
                one, two = mine[at : at + self.block_bytes], theirs[at : at + self.block_bytes]
                if one != two:
                    yield start + at, one, two


def changed_bytes(image: Image, other: Image) -> Iterator[int]:
    """The offsets of every byte that differs."""
    for start, one, two in image.changed_blocks(other):
        yield from (
            start + at for at, (here, there) in enumerate(zip(one, two, strict=True)) if here != there
        )


def is_within(offset: int, places: tuple[Extent, ...]) -> bool:
    """Whether one of the places holds the byte."""
    return any(place.start_bytes <= offset < place.end_bytes for place in places)


CHECKSUM_BYTES = 4


@dataclass(frozen=True, slots=True)
class GptLocation:
    """Where one copy of a GPT lies."""

    header: Extent
    entries: Extent
    entry_bytes: int

    def entry(self, number: int) -> Extent:
        """Where the record of a partition lies."""
        return Extent(self.entries.start_bytes + (number - 1) * self.entry_bytes, self.entry_bytes)


def proven(operation: WriteTable, before: Image, written: Image) -> Image:
    """What is to reach the drive: of what libparted has `written`, the new partitions' records and what
    states them; all else as `before`.

    Raises Failed where it changed anything of what stays.
    """
    _check_kept(operation, before, written)
    if operation.table == "mbr":
        return _mbr_with_new_lines(operation, before, written)
    # The record in front of a GPT states no partition of it.
    wanted = written.having({0: before.read(0, before.block_bytes)})
    new = [entry.number for entry in operation.entries if not entry.kept]
    may_change = tuple(_changing(copies_of(before), new))
    for offset in changed_bytes(before, wanted):
        if not is_within(offset, may_change):
            raise Failed(t("libparted changed byte {byte}, which belongs to no new partition.", byte=offset))
    table = _reading(wanted).table
    if (table.primary, table.backup) != ("ok", "ok"):
        raise Failed(t("libparted wrote a GPT with an invalid copy."))
    return wanted


def _check_kept(operation: WriteTable, before: Image, written: Image) -> None:
    """Raises Failed where a partition that stays reads otherwise than before, by our own reader of tables."""
    old, new = _entries(before), _entries(written)
    with_uuid = operation.table == "gpt"
    for entry in operation.entries:
        if entry.kept and _told(old.get(entry.number), with_uuid) != _told(new.get(entry.number), with_uuid):
            raise Failed(
                t(
                    "libparted changed the record of partition {number}, which must be preserved.",
                    number=entry.number,
                )
            )


def _entries(image: Image) -> dict[int, GptEntry]:
    return {entry.number: entry for entry in _reading(image).entries}


def _reading(image: Image) -> TableReading:
    return read_table(image.read, image.size_bytes, image.block_bytes, None, has_signature=False)


def _told(entry: GptEntry | None, with_uuid: bool) -> tuple[object, ...] | None:
    """What counts of a record. An MBR's lines have no UUID of their own: theirs comes from the disk
    signature, which is put back."""
    if entry is None:
        return None
    told = (entry.start_bytes, entry.size_bytes, entry.type, entry.name, entry.attributes)
    return (*told, entry.part_uuid) if with_uuid else told


def _mbr_with_new_lines(operation: WriteTable, before: Image, written: Image) -> Image:
    """libparted writes its own boot code into an MBR without any, draws another disk signature, by which
    partitions that stay may be known (PARTUUID), and counts cylinders anew: only the lines of new partitions
    are taken.
    """
    places = [
        MBR_LINES_AT + MBR_LINE_BYTES * (entry.number - 1) for entry in operation.entries if not entry.kept
    ]
    return before.having({place: written.read(place, MBR_LINE_BYTES) for place in places})


def _changing(copies: tuple[GptLocation, GptLocation], new: list[int]) -> Iterator[Extent]:
    for copy in copies:
        for at in (CHECKSUM_AT, ENTRIES_CHECKSUM_AT):
            yield Extent(copy.header.start_bytes + at, CHECKSUM_BYTES)
        yield from (copy.entry(number) for number in new)


def copies_of(image: Image) -> tuple[GptLocation, GptLocation]:
    """Where both copies of a GPT lie, the first one first; raises Failed where one has no header."""
    first, other = _copy(image, 1)
    return first, _copy(image, other)[0]


def _copy(image: Image, block: int) -> tuple[GptLocation, int]:
    """The copy with its header in this block, and the block of the other one's."""
    size = image.block_bytes
    raw = image.read(block * size, HEADER.size)
    if len(raw) < HEADER.size or not raw.startswith(SIGNATURE):
        raise Failed(t("The table has no header in block {block}.", block=block))
    _, _, _, _, _, _, other, _, _, _, entries, count, entry_bytes, _ = HEADER.unpack(raw)
    return GptLocation(
        Extent(block * size, size), Extent(entries * size, count * entry_bytes), entry_bytes
    ), other


def in_order(kind: str, before: Image, wanted: Image) -> tuple[tuple[int, bytes], ...]:
    """The writes that make the one out of the other, each of which is to be on its medium before the next:
    offsets with whole blocks.

    Raises Failed where something else than the table would change.
    """
    changed = {offset: new for offset, _, new in before.changed_blocks(wanted)}
    if kind == "mbr":
        # Only one of its records changes at a time: the first one, or one of the logical partitions' chain.
        size = wanted.block_bytes
        phases = [Extent(offset // size * size, size) for offset, _ in _reading(before).spans]
    else:
        first, far = copies_of(wanted)
        phases = [far.entries, far.header, first.entries, first.header]
    writes: list[tuple[int, bytes]] = []
    for phase in phases:
        blocks = sorted(offset for offset in changed if is_within(offset, (phase,)))
        writes += _joined((offset, changed.pop(offset)) for offset in blocks)
    if changed:
        raise Failed(t("Byte {byte}, outside the table, would change.", byte=min(changed)))
    return tuple(writes)


def _joined(blocks: Iterable[tuple[int, bytes]]) -> list[tuple[int, bytes]]:
    """Blocks that follow each other as one write."""
    joined: list[tuple[int, bytes]] = []
    for offset, data in blocks:
        if joined and joined[-1][0] + len(joined[-1][1]) == offset:
            joined[-1] = (joined[-1][0], joined[-1][1] + data)
        else:
            joined.append((offset, data))
    return joined
