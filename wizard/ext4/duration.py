"""Space and duration of a conversion."""

from collections.abc import Sequence

from wizard.model.ext import ExtFacts
from wizard.model.said import MIB
from wizard.operations.ext4 import (
    WIDE_INODE_BYTES,
    AddChecksums,
    AddJournal,
    ConvertFiles,
    WidenBlockNumbers,
    WidenInodes,
)
from wizard.operations.fstab import EditFstab
from wizard.plan.conversion import MigrationOperation

MARGIN_BYTES = 64 * MIB

LARGEST_JOURNAL_BLOCKS = 262_144
JOURNALS = (
    *((2048, 0), (32_768, 1024), (262_144, 4096), (524_288, 8192), (4_194_304, 16_384), (8_388_608, 32_768)),
    *((16_777_216, 65_536), (33_554_432, 131_072)),
)
"""Default journal size in blocks for filesystems below a number of blocks (e2fsprogs,
lib/ext2fs/mkjournal.c). Below 2048 blocks there is no journal."""

READ_BYTES_PER_SECOND = {True: 90e6, False: 350e6, None: 120e6}
ENTRIES_PER_SECOND = {True: 700.0, False: 12000.0, None: 1500.0}
"""Estimated read speeds of rotating drives, others, and unknown ones."""


def compare_seconds(before: ExtFacts, rotational: bool | None) -> float:
    """Return the rough time to read all files twice, before and after the conversion."""
    entries = max(0, before.inodes - before.free_inodes) / ENTRIES_PER_SECOND[rotational]
    used_bytes = max(0, before.blocks - before.free_blocks) * before.block_bytes
    return 2 * (used_bytes / READ_BYTES_PER_SECOND[rotational] + entries)


def journal_blocks(before: ExtFacts) -> int:
    """Return the default journal size in blocks, 0 if the filesystem is too small."""
    return next((size for below, size in JOURNALS if before.blocks < below), LARGEST_JOURNAL_BLOCKS)


def room_bytes(operations: Sequence[MigrationOperation], before: ExtFacts) -> int:
    """Return the space needed for the scratch copy, with a margin: for the new data and the data replaced."""
    kinds = {type(operation) for operation in operations}
    if kinds <= {EditFstab}:
        return 0
    changed = MARGIN_BYTES + 2 * before.groups * before.block_bytes
    if AddJournal in kinds:
        changed += journal_blocks(before) * before.block_bytes
    if kinds & {ConvertFiles, AddChecksums, WidenBlockNumbers, WidenInodes}:
        changed += before.inodes * WIDE_INODE_BYTES
    if WidenInodes in kinds:
        changed += before.inodes * (WIDE_INODE_BYTES - before.inode_bytes)
    return 2 * changed
