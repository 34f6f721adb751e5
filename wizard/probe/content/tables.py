"""Parse a GPT (both headers and entry arrays, with checksums), an MBR with logical partitions, and both as
one table, from recorded bytes. UEFI 2.10, 5.3; Linux block/partitions/msdos.c. Pure. Counts logical blocks,
as the tables do. Results are in bytes."""

import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from uuid import UUID

from msgspec import Struct
from msgspec.structs import replace

from wizard.filesystems.partition_types import CONTAINERS
from wizard.model.machine import Extent, Partition, Placed, Table
from wizard.model.said import Message, rounded_up, t
from wizard.probe.facts import OTHER_BLOCKS, TABLE_LOST

Read = Callable[[int, int], bytes]
"""Returns bytes at an offset. Short at the end of the drive or on a read error."""

Span = tuple[int, int]
"""Offset and length in bytes of a part of a table."""

GPT_SIGNATURE = b"EFI PART"
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
    if len(raw) < HEADER.size or not raw.startswith(GPT_SIGNATURE):
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


SECTOR_BYTES = 512
MBR_SIGNATURE = b"\x55\xaa"
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
    if len(sector) < SECTOR_BYTES or sector[510:512] != MBR_SIGNATURE:
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
        or (head[510:512] == MBR_SIGNATURE and (head[54:57] == b"FAT" or head[82:85] == b"FAT"))
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
