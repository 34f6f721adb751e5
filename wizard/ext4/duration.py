"""Gains, duration and space of each conversion operation."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from wizard.model.drive_facts import PLATTER_BYTES_PER_SECOND
from wizard.model.ext import ExtFacts
from wizard.model.migration import (
    AddChecksums,
    AddJournal,
    CheckFiles,
    ConvertFiles,
    MigrationOperation,
    OnDevice,
    SetFeatures,
    SetFstabType,
    WidenBlockNumbers,
    WidenInodes,
)
from wizard.model.said import MIB, Message, Sentence, t

FEATURES = {
    "extent": Sentence("New files use extents, so large ones are written, read and deleted faster."),
    "huge_file": Sentence("Single files can exceed 2 TiB."),
    "dir_nlink": Sentence("A folder can contain more than 65,000 subfolders."),
    "dir_index": Sentence("Large folders use an index to find files."),
    "extra_isize": Sentence("Subsecond times, and dates past January 2038."),
}


def gains_of(operations: Sequence[MigrationOperation], before: ExtFacts) -> tuple[str, ...]:
    """Return a sentence per gain. Operations that only prepare others have none."""
    return tuple(dict.fromkeys(str(gain) for operation in operations for gain in _gains(operation, before)))


def _gains(operation: MigrationOperation, before: ExtFacts) -> Iterator[Message]:
    match operation:
        case AddJournal():
            yield t("A journal: consistent within seconds after a power cut, without a full check.")
        case WidenInodes():
            yield t(
                "Space in every inode for small attributes, such as access lists, and for subsecond times."
            )
        case SetFeatures(features=features):
            yield from (FEATURES[feature]() for feature in features if feature in FEATURES)
        case ConvertFiles():
            yield t("Existing files and folders also use extents: checks are faster.")
        case WidenBlockNumbers():
            yield t(
                "The filesystem can grow beyond {limit:exact} and use full-length checksums.",
                limit=_narrow_limit(before),
            )
        case AddChecksums():
            yield t("Checksums on all metadata, so corruption is detected.")
        case SetFstabType():
            yield t(
                "Writes are collected before allocation (delayed allocation), unlike with the older drivers."
            )
        case _:
            pass


def _narrow_limit(before: ExtFacts) -> int:
    """Return the size limit of 32-bit block numbers, in bytes."""
    return (1 << 32) * before.block_bytes


PER_MILLION_INODES: dict[type, float] = {
    CheckFiles: 0.7,
    WidenInodes: 2.8,
    ConvertFiles: 0.7,
    WidenBlockNumbers: 0.7,
    AddChecksums: 1.2,
}
"""In seconds."""

LEAST_SECONDS: dict[type, float] = {AddJournal: 1.0, SetFeatures: 0.1, SetFstabType: 0.1}

WIDE_INODE_BYTES = 256
MARGIN_BYTES = 64 * MIB

LARGEST_JOURNAL_BLOCKS = 262_144
JOURNALS = (
    *((2048, 0), (32_768, 1024), (262_144, 4096), (524_288, 8192), (4_194_304, 16_384), (8_388_608, 32_768)),
    *((16_777_216, 65_536), (33_554_432, 131_072)),
)
"""Default journal size in blocks for filesystems below a number of blocks (e2fsprogs,
lib/ext2fs/mkjournal.c). Below 2048 blocks there is no journal."""


def operation_seconds(operation: MigrationOperation, before: ExtFacts, *, rotational: bool | None) -> float:
    """Return a rough duration. On rotating drives, at least the time to read and write all inodes."""
    kind = type(operation)
    seconds = max(LEAST_SECONDS.get(kind, 0.1), PER_MILLION_INODES.get(kind, 0.0) * before.inodes / 1e6)
    if rotational and kind in PER_MILLION_INODES:
        seconds += 2 * before.inodes * WIDE_INODE_BYTES / PLATTER_BYTES_PER_SECOND
    return round(seconds, 1)


READ_BYTES_PER_SECOND = {True: 90e6, False: 350e6, None: 120e6}
ENTRIES_PER_SECOND = {True: 700.0, False: 12000.0, None: 1500.0}
"""Estimated read speeds of rotating drives, others, and unknown ones."""


def compare_seconds(before: ExtFacts, rotational: bool | None) -> float:
    """Return the rough time to read all files twice, before and after the conversion."""
    entries = max(0, before.inodes - before.free_inodes) / ENTRIES_PER_SECOND[rotational]
    return 2 * (_used_bytes(before) / READ_BYTES_PER_SECOND[rotational] + entries)


def _used_bytes(before: ExtFacts) -> int:
    """Return the space used by files, folders and metadata."""
    return max(0, before.blocks - before.free_blocks) * before.block_bytes


def journal_blocks(before: ExtFacts) -> int:
    """Return the default journal size in blocks, 0 if the filesystem is too small."""
    return next((size for below, size in JOURNALS if before.blocks < below), LARGEST_JOURNAL_BLOCKS)


def room_bytes(operations: Sequence[MigrationOperation], before: ExtFacts) -> int:
    """Return the space needed for the scratch copy, with a margin: for the new data and the data replaced."""
    kinds = {type(operation) for operation in operations}
    if kinds <= {SetFstabType}:
        return 0
    changed = MARGIN_BYTES + 2 * before.groups * before.block_bytes
    if AddJournal in kinds:
        changed += journal_blocks(before) * before.block_bytes
    if kinds & {ConvertFiles, AddChecksums, WidenBlockNumbers, WidenInodes}:
        changed += before.inodes * WIDE_INODE_BYTES
    if WidenInodes in kinds:
        changed += before.inodes * (WIDE_INODE_BYTES - before.inode_bytes)
    return 2 * changed


WIDENING_READS = 2.0


@dataclass(frozen=True, slots=True)
class Effort:
    """Bytes that a tool reads, and bytes of its writes that reach the device."""

    read_bytes: int
    written_bytes: int


def effort_of(operation: OnDevice, now: ExtFacts) -> Effort | None:
    """Return the I/O of an operation's tool, except e2fsck, on the filesystem in its current state. None if
    instantaneous."""
    match operation:
        case WidenInodes(inode_bytes=size):
            table = now.inodes * size
            return Effort(int(table * WIDENING_READS), table)
        case WidenBlockNumbers():
            return Effort(now.inodes * now.inode_bytes, 0)
        case AddChecksums():
            return Effort(now.inodes * now.inode_bytes, (now.inodes - now.free_inodes) * now.inode_bytes)
        case _:
            return None


def parts_of(operation: OnDevice, count: int) -> tuple[tuple[float, float], ...]:
    """Return start and end of each of the operation's `count` commands as fractions of the step, by
    duration."""
    # e2fsck after adding checksums took about twice as long as adding them (2.6 s and 6.2 s).
    bounds = (
        (0.0, 0.3, 1.0)
        if isinstance(operation, AddChecksums)
        else tuple(number / count for number in range(count + 1))
    )
    return tuple(pairwise(bounds))
