"""What each operation brings, in a sentence, and what none of them can bring to a filesystem that exists
already."""

from collections.abc import Iterator, Sequence

from wizard.migrate.words import gains as words
from wizard.model.documents.migration import (
    AddChecksums,
    AddJournal,
    ConvertFiles,
    MakeFresh,
    MigrationOperation,
    SetFeatures,
    SetFstabType,
    WidenBlockNumbers,
    WidenInodes,
)
from wizard.model.ext import ExtFacts
from wizard.model.said import Said

FEATURES = {
    "extent": words.EXTENT,
    "huge_file": words.HUGE_FILE,
    "dir_nlink": words.DIR_NLINK,
    "dir_index": words.DIR_INDEX,
    "extra_isize": words.EXTRA_ISIZE,
}

SMALL_BLOCKS = 4096


def gains_of(operations: Sequence[MigrationOperation], before: ExtFacts) -> tuple[str, ...]:
    """A sentence on each gain; what only serves another is left out."""
    return tuple(dict.fromkeys(str(said) for operation in operations for said in _gains(operation, before)))


def _gains(operation: MigrationOperation, before: ExtFacts) -> Iterator[Said]:
    match operation:
        case AddJournal():
            yield words.JOURNAL()
        case WidenInodes():
            yield words.WIDE_INODES()
        case SetFeatures(features=features):
            yield from (FEATURES[feature]() for feature in features if feature in FEATURES)
        case ConvertFiles():
            yield words.CONVERTED()
        case WidenBlockNumbers():
            yield words.BLOCK_NUMBERS(limit=_narrow_limit(before))
        case AddChecksums():
            yield words.CHECKSUMS()
        case SetFstabType():
            yield words.DELAYED()
        case MakeFresh():
            yield from fresh_gains(before)
        case _:
            pass


def fresh_gains(before: ExtFacts) -> Iterator[Said]:
    """What only a filesystem that is made anew has, with this one's numbers."""
    if "flex_bg" not in before.features and before.groups > 1:
        yield words.TABLES(groups=before.groups)
    if before.block_bytes < SMALL_BLOCKS:
        yield words.BLOCKS(wanted=SMALL_BLOCKS, found=before.block_bytes, limit=_narrow_limit(before))
    used = max(0, before.inodes - before.free_inodes)
    yield words.INODES(inodes=before.inodes, used=used, room=before.inodes * before.inode_bytes)
    yield words.FEW_PIECES()


def _narrow_limit(before: ExtFacts) -> int:
    """What block numbers of 32 bits reach, in bytes."""
    return (1 << 32) * before.block_bytes
