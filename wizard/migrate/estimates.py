"""Roughly how long a migration takes and how much room it needs, from two filesystems that were measured.

Seconds: 0.39 million inodes on 6 GiB and 7.86 million on 60 GiB, on a fast virtual drive. A hard disk reads
and writes the tables of inodes at the speed of its platters, which is added. Room: 262 bytes of undo file for
an inode that is widened, and 26 MB of copy-on-write store for 77,000 inodes that were widened and converted.
"""

from collections.abc import Sequence

from wizard.model.documents.migration import (
    AddChecksums,
    AddJournal,
    CheckFiles,
    ConvertFiles,
    CopyFiles,
    MakeFresh,
    Means,
    MigrationOperation,
    SetFeatures,
    SetFstabType,
    WidenBlockNumbers,
    WidenInodes,
)
from wizard.model.drive_facts import PLATTER_BYTES_PER_SECOND, usual_bytes_per_second
from wizard.model.ext import ExtFacts
from wizard.model.units import MIB

PER_MILLION_INODES: dict[type, float] = {
    CheckFiles: 0.7,
    WidenInodes: 2.8,
    ConvertFiles: 0.7,
    WidenBlockNumbers: 0.7,
    AddChecksums: 1.2,
}
"""Seconds."""

LEAST_SECONDS: dict[type, float] = {AddJournal: 1.0, SetFeatures: 0.1, SetFstabType: 0.1, MakeFresh: 10.0}

COPY_BYTES_PER_SECOND = 80e6
"""Of many files, with reading them back to compare."""

WIDE_INODE_BYTES = 256
WIDENING_UNDO_BYTES = 262
MARGIN_BYTES = 64 * MIB

LARGEST_JOURNAL_BLOCKS = 262_144
JOURNALS = (
    *((2048, 0), (32_768, 1024), (262_144, 4096), (524_288, 8192), (4_194_304, 16_384), (8_388_608, 32_768)),
    *((16_777_216, 65_536), (33_554_432, 131_072)),
)
"""Below so many blocks a journal of so many is made by default (e2fsprogs, lib/ext2fs/mkjournal.c); below
2048 none."""


def operation_seconds(operation: MigrationOperation, before: ExtFacts, *, rotational: bool | None) -> float:
    """Roughly; on platters never less than its inodes take to pass the heads, there and back."""
    if isinstance(operation, CopyFiles):
        return max(1.0, used_bytes(before) / COPY_BYTES_PER_SECOND)
    kind = type(operation)
    seconds = max(LEAST_SECONDS.get(kind, 0.1), PER_MILLION_INODES.get(kind, 0.0) * before.inodes / 1e6)
    if rotational and kind in PER_MILLION_INODES:
        seconds += 2 * before.inodes * WIDE_INODE_BYTES / PLATTER_BYTES_PER_SECOND
    return round(seconds, 1)


def fingerprint_seconds(device_bytes: int, *, rotational: bool | None) -> float:
    """How long reading all of a device takes, roughly."""
    return device_bytes / usual_bytes_per_second(rotational)


def used_bytes(before: ExtFacts) -> int:
    """What its files, its folders and its own tables fill."""
    return max(0, before.blocks - before.free_blocks) * before.block_bytes


def journal_blocks(before: ExtFacts) -> int:
    """How large a journal it is given; 0 where it is too small for one."""
    return next((size for below, size in JOURNALS if before.blocks < below), LARGEST_JOURNAL_BLOCKS)


def room_bytes(operations: Sequence[MigrationOperation], before: ExtFacts, means: Means) -> int:
    """What the folder for stores or undo files is asked for, with a margin. A transaction needs its store
    twice: once for what is new, and once for what that replaces.
    """
    kinds = {type(operation) for operation in operations}
    changed = MARGIN_BYTES + 2 * before.groups * before.block_bytes
    if AddJournal in kinds:
        changed += journal_blocks(before) * before.block_bytes
    if kinds & {ConvertFiles, AddChecksums, WidenBlockNumbers, WidenInodes}:
        changed += before.inodes * WIDE_INODE_BYTES
    match means:
        case Means.TRANSACTION:
            moved = before.inodes * (WIDE_INODE_BYTES - before.inode_bytes) if WidenInodes in kinds else 0
            return 2 * (changed + moved)
        case Means.DIRECT:
            return changed + (before.inodes * WIDENING_UNDO_BYTES if WidenInodes in kinds else 0)
        case _:
            return 0
