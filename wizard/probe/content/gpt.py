"""Parse a GPT from recorded bytes: both headers and entry arrays, with checksums. UEFI 2.10, 5.3. Pure.
Counts logical blocks, as the table does. Results are in bytes."""

import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from uuid import UUID

from msgspec import Struct

from wizard.model.machine import Extent, Partition, Table
from wizard.model.said import Message, rounded_up, t
from wizard.probe.unread import TABLE_LOST

Read = Callable[[int, int], bytes]
"""Returns bytes at an offset. Short at the end of the drive or on a read error."""

Span = tuple[int, int]
"""Offset and length in bytes of a part of a table."""

SIGNATURE = b"EFI PART"
HEADER = struct.Struct("<8sIIIIQQQQ16sQIII")
ENTRY = struct.Struct("<16s16sQQQ72s")
HEADER_READ_BYTES = 512
LARGEST_ENTRIES_BYTES = 1024 * 1024
"""Limit for the entry array. 128 entries take 16 KiB; a header that states more than the limit is damaged."""

MOST_ENTRIES = 256
"""More than any drive in use has. Further entries of a damaged table are counted, not listed."""


def number(data: bytes, at: int, length: int) -> int:
    """Return a little-endian number at an offset, 0 past the end."""
    return int.from_bytes(data[at : at + length], "little")


class GptCopy(Struct, frozen=True):
    """The location of a header and the fields that matter, with the bytes of its entries. `sound`: all
    checksums and locations are valid."""

    header_lba: int
    alternate_lba: int
    first_usable_lba: int
    last_usable_lba: int
    disk_guid: bytes
    entries_lba: int
    entry_bytes: int
    entries: bytes
    spans: tuple[Span, ...]
    sound: bool


class TableReading(Struct, frozen=True):
    """A table, its entries (unchecked, without nodes), and all byte ranges of the table. `problems` are
    messages about unusable parts. `primary_marked`: the first GPT header has its signature, sound or not.
    `other_blocks`: the table was created for another logical block size. `lost`: entries of a sound backup
    GPT without any primary table."""

    table: Table
    entries: tuple[Partition, ...] = ()
    spans: tuple[Span, ...] = ()
    problems: tuple[Message, ...] = ()
    primary_marked: bool = False
    other_blocks: bool = False
    lost: tuple[Partition, ...] = ()


def read_gpt(read: Read, size_bytes: int, block_bytes: int) -> TableReading | None:
    """Return the table, or None if neither end of the drive has a header."""
    last_lba = size_bytes // block_bytes - 1
    if last_lba < 2:
        return None
    primary = read_copy(read, 1, last_lba, block_bytes)
    backup = read_copy(read, last_lba, last_lba, block_bytes)
    misplaced = None
    if primary and primary.sound and not (backup and backup.sound) and 1 < primary.alternate_lba < last_lba:
        misplaced = read_copy(read, primary.alternate_lba, last_lba, block_bytes)
    copies = [copy for copy in (primary, backup, misplaced) if copy]
    if not copies:
        return None
    best = next((copy for copy in copies if copy.sound), copies[0])
    state = "damaged" if backup or misplaced else "missing"
    if backup and backup.sound:
        is_same = (best.disk_guid, best.entries) == (backup.disk_guid, backup.entries)
        state = "ok" if is_same else "damaged"
    elif misplaced and misplaced.sound:
        state = "misplaced"
    ordinary, other = False, misplaced or backup
    # libparted ignores the locations in the headers. It writes both copies at fixed places, which must be
    # free. If the backup is misplaced, the check is for the drive's size when the table was created.
    if primary and primary.sound and other and other.sound:
        blocks = -(-len(primary.entries) // block_bytes)
        far = other.header_lba - blocks
        places = (primary.entries_lba, primary.alternate_lba, other.entries_lba, other.alternate_lba)
        ordinary = (
            primary.entry_bytes == other.entry_bytes == ENTRY.size
            and places == (2, other.header_lba, far, 1)
            and primary.first_usable_lba >= 2 + blocks
            and primary.last_usable_lba < far
        )
    end_bytes = (best.last_usable_lba + 1) * block_bytes
    entries, problems = _entries(best, block_bytes), [] if best.sound else [TABLE_LOST]
    if best.sound and best.last_usable_lba > last_lba:
        problems.append(
            t("The GPT describes a larger drive. Data past the end of this drive is out of reach.")
        )
    if len(entries) > MOST_ENTRIES:
        problems.append(
            t(
                "The table lists {partitions} partitions; only the first {most} are shown.",
                partitions=len(entries),
                most=MOST_ENTRIES,
            )
        )
    return TableReading(
        table=Table(
            kind="gpt",
            uuid=str(UUID(bytes_le=best.disk_guid)),
            first_usable_bytes=best.first_usable_lba * block_bytes if best.sound else None,
            end_usable_bytes=min(end_bytes, size_bytes) if best.sound else None,
            primary="ok" if primary and primary.sound else "damaged",
            backup=state,
            ordinary=ordinary,
            most_partitions=len(best.entries) // best.entry_bytes if best.entry_bytes else None,
            own=tuple(_own(primary, copies, best, block_bytes)),
        ),
        entries=entries[:MOST_ENTRIES],
        spans=tuple(span for copy in copies for span in copy.spans),
        problems=tuple(problems),
        primary_marked=primary is not None,
    )


def _own(
    primary: GptCopy | None, copies: Sequence[GptCopy], best: GptCopy, block_bytes: int
) -> Iterator[Extent]:
    """If the first copy is missing, include its usual place for a restore."""
    entries = rounded_up(len(best.entries), block_bytes)
    yield Extent(0, 2 * block_bytes)
    if primary is None or primary.entries_lba < 2:
        yield Extent(2 * block_bytes, entries)
    for copy in copies:
        if copy is not primary:
            yield Extent(copy.header_lba * block_bytes, block_bytes)
        if copy.entries_lba >= 2:
            yield Extent(copy.entries_lba * block_bytes, entries)


def read_copy(read: Read, lba: int, last_lba: int, block_bytes: int) -> GptCopy | None:
    """Return the header at `lba` with the entries, or None without a signature."""
    raw = read(lba * block_bytes, HEADER_READ_BYTES)
    if len(raw) < HEADER.size or not raw.startswith(SIGNATURE):
        return None
    _, _, header_bytes, checksum, _, stated_lba, *fields, count, entry_bytes, entries_checksum = (
        HEADER.unpack_from(raw)
    )
    alternate, first, last, guid, entries_lba = fields
    start, wanted = entries_lba * block_bytes, count * entry_bytes
    spans: tuple[Span, ...] = ((lba * block_bytes, HEADER_READ_BYTES),)
    entries = b""
    if (
        ENTRY.size <= entry_bytes <= 4096
        and 0 < wanted <= LARGEST_ENTRIES_BYTES
        and 2 <= entries_lba <= last_lba
    ):
        entries = read(start, wanted)
        spans += ((start, wanted),)
    sound = (
        HEADER.size <= header_bytes <= len(raw)
        and zlib.crc32(raw[:16] + bytes(4) + raw[20:header_bytes]) == checksum
        and stated_lba == lba
        and first <= last
        and len(entries) == wanted
        and zlib.crc32(entries) == entries_checksum
    )
    return GptCopy(lba, alternate, first, last, guid, entries_lba, entry_bytes, entries, spans, sound)


def _entries(copy: GptCopy, block_bytes: int) -> tuple[Partition, ...]:
    """Return the used entries. An entry that ends before the start has size 0."""
    found = []
    size = max(copy.entry_bytes, ENTRY.size)
    for index in range(len(copy.entries) // size):
        kind, unique, first, last, attributes, name = ENTRY.unpack_from(copy.entries, index * size)
        if kind == bytes(16):
            continue
        text = name.decode("utf-16-le", errors="replace").partition("\0")[0]
        found.append(
            Partition(
                path="",
                number=index + 1,
                start_bytes=first * block_bytes,
                size_bytes=max(0, last - first + 1) * block_bytes,
                type=str(UUID(bytes_le=kind)),
                name=text or None,
                part_uuid=str(UUID(bytes_le=unique)),
                attributes=attributes,
            )
        )
    return tuple(found)
