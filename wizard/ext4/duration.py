"""Gains, duration and space of each conversion operation, and features that only a new ext4 has."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from wizard.model.drive_facts import PLATTER_BYTES_PER_SECOND, usual_bytes_per_second
from wizard.model.ext import ExtFacts
from wizard.model.migration import (
    AddChecksums,
    AddJournal,
    CheckFiles,
    ConvertFiles,
    CopyFiles,
    MakeFresh,
    Means,
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

SMALL_BLOCKS = 4096


def gains_of(operations: Sequence[MigrationOperation], before: ExtFacts) -> tuple[str, ...]:
    """A sentence on each gain; what only serves another is left out."""
    return tuple(dict.fromkeys(str(said) for operation in operations for said in _gains(operation, before)))


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
        case MakeFresh():
            yield from fresh_gains(before)
        case _:
            pass


def fresh_gains(before: ExtFacts) -> Iterator[Message]:
    """What only a filesystem that is made anew has, with this one's numbers."""
    if "flex_bg" not in before.features and before.groups > 1:
        yield t(
            "Filesystem tables are grouped (flex_bg) instead of in each of {groups:,d} "
            "places: fewer seeks on a hard disk.",
            groups=before.groups,
        )
    if before.block_bytes < SMALL_BLOCKS:
        yield t(
            "Blocks of {wanted} bytes instead of {found:,d}: less metadata, and files beyond {limit:exact}.",
            wanted=SMALL_BLOCKS,
            found=before.block_bytes,
            limit=_narrow_limit(before),
        )
    used = max(0, before.inodes - before.free_inodes)
    yield t(
        "A new number of inodes. Currently fixed at {inodes:,d}, with {used:,d} in "
        "use and {room:size} occupied.",
        inodes=before.inodes,
        used=used,
        room=before.inodes * before.inode_bytes,
    )
    yield t("Less fragmentation, because all files are rewritten. Creation times are recorded.")


def _narrow_limit(before: ExtFacts) -> int:
    """What block numbers of 32 bits reach, in bytes."""
    return (1 << 32) * before.block_bytes


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


WIDENING_READS, WIDENING_READS_TO_UNDO = 2.0, 3.5


@dataclass(frozen=True, slots=True)
class Effort:
    """What a program reads, and what of its writing reaches the device, in bytes."""

    read_bytes: int
    written_bytes: int


def effort_of(operation: OnDevice, now: ExtFacts, *, undoable: bool) -> Effort | None:
    """Of the operation's program other than e2fsck, on the filesystem as it is now; None where that is done
    at once."""
    match operation:
        case WidenInodes(inode_bytes=size):
            table = now.inodes * size
            return Effort(int(table * (WIDENING_READS_TO_UNDO if undoable else WIDENING_READS)), table)
        case WidenBlockNumbers():
            return Effort(now.inodes * now.inode_bytes, 0)
        case AddChecksums():
            return Effort(now.inodes * now.inode_bytes, (now.inodes - now.free_inodes) * now.inode_bytes)
        case _:
            return None


def parts_of(operation: OnDevice, count: int) -> tuple[tuple[float, float], ...]:
    """From where to where in its step each of the operation's `count` commands goes, by the time they take;
    from 0 to 1."""
    # e2fsck after new checksums took twice as long as making them (2.6 s and 6.2 s).
    bounds = (
        (0.0, 0.3, 1.0)
        if isinstance(operation, AddChecksums)
        else tuple(number / count for number in range(count + 1))
    )
    return tuple(pairwise(bounds))
