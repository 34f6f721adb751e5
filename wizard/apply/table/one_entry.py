"""Change, remove or add entries of a partition table, or write back a lost table. libparted would recreate
the entries with other GUIDs and without flags, and clear both ends of the drive."""

import struct
import zlib
from uuid import UUID, uuid4

from wizard.apply.table import proof
from wizard.filesystems.partition_types import CONTAINERS
from wizard.model.errors import Failed
from wizard.model.layout import Layout, NewTable, Slot, TableEntry
from wizard.model.said import t
from wizard.plan import free_space
from wizard.probe.content import tables

OWN_AT, OTHER_AT, LAST_USABLE_AT, ENTRIES_AT = 24, 32, 48, 72
"""Offsets of block numbers in a header: of itself, the other header, the last usable block, and the first
block of entries (UEFI 2.10, 5.3.2)."""


FIRST_ENTRIES = 2
"""In tables supported here (`Table.ordinary`)."""


def with_backup_at_end(image: proof.Image) -> proof.Image:
    """Return the table with the backup at the end of the drive, and all space in between usable. After an
    interrupted write with only that backup valid, rebuild the first copy. Raises Failed if a partition is in
    the way."""
    block, last = image.block_bytes, image.size_bytes // image.block_bytes - 1
    first = tables.read_copy(image.read, 1, last, block)
    if first is None or first.alternate_lba == last:
        return image
    if not first.sound:
        return _rebuild_first(image, last)
    backup_start = last - -(-len(first.entries) // block)
    size = first.entry_bytes
    entries = (first.entries[at : at + size] for at in range(0, len(first.entries), size))
    used = (struct.unpack_from("<Q", one, GPT_PLACE_AT + 8)[0] for one in entries if one[:16].strip(b"\0"))
    if max(used, default=0) >= backup_start:
        raise Failed(
            t(
                "A partition occupies the space of the backup GPT, from byte {byte}.",
                byte=backup_start * block,
            )
        )
    header = image.read(block, block)
    patches = {
        block: _header(header, {OTHER_AT: last, LAST_USABLE_AT: backup_start - 1}),
        backup_start * block: image.read(first.entries_lba * block, (last - backup_start) * block),
        last * block: _header(
            header, {OWN_AT: last, OTHER_AT: 1, LAST_USABLE_AT: backup_start - 1, ENTRIES_AT: backup_start}
        ),
    }
    return image.having(patches)


def _rebuild_first(image: proof.Image, last: int) -> proof.Image:
    other, block = tables.read_copy(image.read, last, last, image.block_bytes), image.block_bytes
    if other is None or not other.sound:
        return image
    header = _header(image.read(last * block, block), {OWN_AT: 1, OTHER_AT: last, ENTRIES_AT: FIRST_ENTRIES})
    return image.having({block: header, FIRST_ENTRIES * block: other.entries})


def _header(header: bytes, blocks: dict[int, int]) -> bytes:
    patched = bytearray(header)
    for at, block in blocks.items():
        struct.pack_into("<Q", patched, at, block)
    return proof.with_checksum(patched)


GPT_PLACE_AT, GPT_NAME_AT, GPT_NAME_BYTES = 32, 56, 72
"""Offset of the first and last block in a GPT entry, and place of the name (UEFI 2.10, 5.3.3)."""

MBR_FIRST_AT, MBR_LAST_AT, MBR_START_AT = 1, 5, 8
"""Offsets in an MBR entry of the first and last CHS address, and of the start in blocks, before the
length."""

HEADS, SECTORS, LAST_CYLINDER = 255, 63, 1023


MBR_END_AT, MBR_SIGNATURE = 510, b"\x55\xaa"
PROTECTIVE = bytes.fromhex("00000200eeffffff01000000")
"""Start of the protective MBR entry, before the drive's size in blocks (UEFI 2.10, 5.2.3)."""

REVISION, HEADER_BYTES, ENTRY_COUNT = 0x10000, 92, 128


def with_lost_table(operation: NewTable, before: proof.Image, layout: Layout) -> proof.Image:
    """Return a drive without a table with the partitions of `layout`. Completes a lone backup GPT; else draws
    the GUID of a new GPT. Raises Failed if the result differs from the plan."""
    found = before.reading
    if found.table.kind != "none":
        raise Failed(free_space.HAS_TABLE(drive=operation.device))
    is_gpt = operation.table == "gpt"
    if not is_gpt:
        wanted = _with_record(before, bytes(4 * proof.MBR_LINE_BYTES))
        for entry in operation.entries:
            wanted = _with_line(wanted, proof.MBR_LINES_AT + proof.MBR_LINE_BYTES * (entry.number - 1), entry)
    else:
        wanted = _complete_gpt(before, layout, is_new=not found.lost)
    _check(operation, wanted, wanted)
    return wanted


def _with_record(image: proof.Image, lines: bytes) -> proof.Image:
    """The other bytes of the first sector stay."""
    return image.having({proof.MBR_LINES_AT: lines, MBR_END_AT: MBR_SIGNATURE})


def _complete_gpt(image: proof.Image, layout: Layout, *, is_new: bool) -> proof.Image:
    """Add what is missing: unless the GPT `is_new`, the backup is there. Raises Failed."""
    block, last = image.block_bytes, image.size_bytes // image.block_bytes - 1
    if is_new:
        entries = bytes(ENTRY_COUNT * tables.ENTRY.size)
        _refuse_data(image, last, -(-len(entries) // block))
        start = last - -(-len(entries) // block)
        fields = (
            tables.GPT_SIGNATURE,
            REVISION,
            HEADER_BYTES,
            0,
            0,
            last,
            1,
            FIRST_ENTRIES + last - start,
            start - 1,
        )
        rest = (uuid4().bytes_le, start, ENTRY_COUNT, tables.ENTRY.size, zlib.crc32(entries))
        header = _header(tables.HEADER.pack(*fields, *rest).ljust(block, b"\0"), {})
        image = image.having({start * block: entries, last * block: header})
    copy = tables.read_copy(image.read, last, last, block)
    if (
        copy is None
        or not copy.sound
        or copy.first_usable_lba < FIRST_ENTRIES + -(-len(copy.entries) // block)
    ):
        raise Failed(proof.WRONG_TABLE(detail="backup-gpt"))
    lines = PROTECTIVE + struct.pack("<I", min(last, 0xFFFFFFFF)) + bytes(3 * proof.MBR_LINE_BYTES)
    image = _rebuild_first(_with_record(image, lines), last)
    if not is_new:
        return image
    records = {
        slot.number: {0: _record(slot, block, UUID(slot.part_uuid), slot.attributes)}
        for slot in layout.partitions
    }
    return image.with_gpt(records)


def _refuse_data(image: proof.Image, last: int, blocks: int) -> None:
    """Raises Failed if anything but zeros or the remains of a GPT is in the place of a new one."""
    for header, first in ((1, 1), (last, last - blocks)):
        _, revision, *fields = tables.HEADER.unpack(
            image.read(header * image.block_bytes, tables.HEADER.size)
        )
        is_left = (revision, fields[3]) == (REVISION, header)
        data = image.read(first * image.block_bytes, (blocks + 1) * image.block_bytes)
        if data.strip(b"\0") and not is_left:
            raise Failed(
                t(
                    "There is data at byte {byte}, in the place of a GPT. Plan with --table mbr.",
                    byte=first * image.block_bytes + len(data) - len(data.lstrip(b"\0")),
                )
            )


def _record(entry: TableEntry | Slot, block_bytes: int, guid: UUID, attributes: int = 0) -> bytes:
    first, last = entry.start_bytes // block_bytes, entry.end_bytes // block_bytes - 1
    name = (entry.name or "").encode("utf-16-le")
    return tables.ENTRY.pack(UUID(entry.type).bytes_le, guid.bytes_le, first, last, attributes, name)


def with_changes(operation: NewTable, before: proof.Image) -> proof.Image:
    """Return the table with the operation's change: one entry changed or removed, or others added. Raises
    Failed if the table differs from the plan."""
    kept = {entry.number for entry in operation.entries if entry.kept}
    new = {entry.number: entry for entry in operation.entries if not entry.kept}
    lost = set(before.entries) - kept
    changed = lost or set(new)
    if len(lost) > 1 or not changed or not changed.issuperset(new) or kept & changed:
        raise Failed(proof.WRONG_TABLE(detail=operation.device))
    if operation.table == "mbr" and any(number > free_space.MBR_PRIMARIES for number in set(new) - lost):
        # A new logical partition would need a link in the chain.
        raise Failed(proof.WRONG_TABLE(detail=operation.device))
    change, wanted = _change_mbr if operation.table == "mbr" else _change_gpt, before
    for number in changed:
        wanted = change(wanted, number, new.get(number))
    _check(operation, before, wanted)
    return wanted


def _check(operation: NewTable, before: proof.Image, wanted: proof.Image) -> None:
    """Raises Failed unless the changed partitions are as planned, all others are unchanged, and both copies
    of a GPT are valid."""
    old, new, table = before.entries, wanted.entries, wanted.reading.table
    sound = "ok" if operation.table == "gpt" else None
    if (table.kind, table.primary, table.backup) != (operation.table, sound, sound):
        raise Failed(proof.WRONG_TABLE(detail="table"))
    entries = {entry.number: entry for entry in operation.entries}
    if new.keys() != entries.keys():
        raise Failed(proof.WRONG_TABLE(detail="partitions"))
    end = table.end_usable_bytes or wanted.size_bytes
    for number, entry in entries.items():
        read = new[number]
        others = [one for one in new.values() if one.number != number and one.type not in CONTAINERS]
        fits = (table.first_usable_bytes or 0) <= read.start_bytes < read.end_bytes <= end
        if not entry.kept and not (fits and not any(one.extent.overlaps(read.extent) for one in others)):
            raise Failed(proof.WRONG_TABLE(detail=f"partition {number}"))
        actual = (read.start_bytes, read.size_bytes, read.type, read.name or "")
        is_changed = entry.kept and read != old[number]
        if is_changed or actual != (entry.start_bytes, entry.size_bytes, entry.type, entry.name):
            raise Failed(proof.WRONG_TABLE(detail=f"partition {number}"))


def _change_gpt(before: proof.Image, number: int, entry: TableEntry | None) -> proof.Image:
    image = with_backup_at_end(before)
    copy, _ = proof.copies_of(image)
    place = copy.entry(number)
    if not place.is_within(copy.entries):
        raise Failed(proof.WRONG_TABLE(detail=f"partition {number}"))
    if entry is not None and number not in before.entries:
        return image.with_gpt({number: {0: _record(entry, image.block_bytes, uuid4())}})
    if entry is None:
        return image.with_gpt({number: {0: bytes(place.size_bytes)}})
    first = entry.start_bytes // image.block_bytes
    last = entry.end_bytes // image.block_bytes - 1
    patches = {0: UUID(entry.type).bytes_le, GPT_PLACE_AT: struct.pack("<QQ", first, last)}
    # The rest of the name field can contain anything, so write it only if the name changes.
    current = image.read(place.start_bytes + GPT_NAME_AT, GPT_NAME_BYTES).decode("utf-16-le", "replace")
    if current.partition("\0")[0] != entry.name:
        patches[GPT_NAME_AT] = entry.name.encode("utf-16-le")[:GPT_NAME_BYTES].ljust(GPT_NAME_BYTES, b"\0")
    return image.with_gpt({number: patches})


def _change_mbr(before: proof.Image, number: int, entry: TableEntry | None) -> proof.Image:
    """A deleted partition's entry is cleared, or for the last logical partition the link to it."""
    line = line_of(before, number)
    if number not in before.entries:
        before = _with_line(before, line, None)
    if entry is not None or number <= free_space.MBR_PRIMARIES:
        return _with_line(before, line, entry)
    records = _chain(before)
    index = next(at for at, (own, _) in enumerate(records) if own == line)
    if index == 0:
        return _with_line(before, line, None)
    _, link = records[index - 1]
    if records[index][1] is not None or link is None:
        raise Failed(proof.WRONG_TABLE(detail=f"partition {number}"))
    return _with_line(before, link, None)


def line_of(image: proof.Image, number: int) -> int:
    """Return the offset of a partition's entry, in the first record or in the chain."""
    if number <= free_space.MBR_PRIMARIES:
        return proof.MBR_LINES_AT + proof.MBR_LINE_BYTES * (number - 1)
    lines = [line for line, _ in _chain(image) if line is not None]
    return lines[number - free_space.MBR_PRIMARIES - 1]


def _chain(image: proof.Image) -> list[tuple[int | None, int | None]]:
    """Return the offsets of each record's partition entry and of the link to the next one. The chain has been
    read before, so it is complete."""
    records = []
    for offset in filter(None, dict(image.reading.spans)):
        sector = image.read(offset, tables.SECTOR_BYTES)
        lines: list[int] = []
        links: list[int] = []
        for number in range(4):
            at = proof.MBR_LINES_AT + number * proof.MBR_LINE_BYTES
            _, _, kind, _, _, blocks = tables.SLOT.unpack_from(sector, at)
            if kind and blocks:
                (links if f"0x{kind:02x}" in CONTAINERS else lines).append(offset + at)
        records.append((next(iter(lines), None), next(iter(links), None)))
    return records


def _with_line(image: proof.Image, at: int, entry: TableEntry | None) -> proof.Image:
    if entry is None:
        return image.having({at: bytes(proof.MBR_LINE_BYTES)})
    # The start is relative to the record of the entry.
    record = at - at % tables.SECTOR_BYTES
    blocks = [(entry.start_bytes - record) // image.block_bytes, entry.size_bytes // image.block_bytes]
    place = struct.pack("<II", *blocks)
    patches = {at + proof.MBR_TYPE_AT: bytes([int(entry.type, 16)])}
    if image.read(at + MBR_START_AT, 4) != place[:4]:
        patches[at + MBR_FIRST_AT] = _cylinders(entry.start_bytes // image.block_bytes)
    if image.read(at + MBR_START_AT, 8) != place:
        last = entry.end_bytes // image.block_bytes - 1
        patches |= {at + MBR_START_AT: place, at + MBR_LAST_AT: _cylinders(last)}
    return image.having(patches)


def _cylinders(block: int) -> bytes:
    """Convert a block to cylinder, head and sector, or to the marker for larger blocks (UEFI 2.10, 5.2.1)."""
    cylinder, rest = divmod(block, HEADS * SECTORS)
    if cylinder > LAST_CYLINDER:
        return b"\xfe\xff\xff"
    head, sector = divmod(rest, SECTORS)
    return bytes([head, (sector + 1) | (cylinder >> 8 << 6), cylinder & 0xFF])
