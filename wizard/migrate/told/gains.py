"""What each operation brings, in a sentence, and what none of them can bring to a filesystem that exists
already."""

from collections.abc import Iterator, Sequence

from wizard.model.ext import ExtFacts
from wizard.model.migration import (
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
from wizard.model.units import format_capacity, format_exact

FEATURES = {
    "extent": "New files are noted in runs of blocks: large ones are written, read and deleted faster.",
    "huge_file": "Single files can grow beyond 2 TiB.",
    "dir_nlink": "A folder can have more than 65,000 folders in it.",
    "dir_index": "Large folders are found by an index.",
    "extra_isize": "Times finer than a second, and dates past January 2038.",
}

SMALL_BLOCKS = 4096


def gains_of(operations: Sequence[MigrationOperation], before: ExtFacts) -> tuple[str, ...]:
    """A sentence on each gain; what only serves another is left out."""
    return tuple(dict.fromkeys(said for operation in operations for said in _gains(operation, before)))


def _gains(operation: MigrationOperation, before: ExtFacts) -> Iterator[str]:
    match operation:
        case AddJournal():
            yield "A journal: after a power cut it is in order within seconds, without a whole check."
        case WidenInodes():
            yield "Room in every inode for small attributes, such as access lists, and for finer times."
        case SetFeatures(features=features):
            yield from (FEATURES[feature] for feature in features if feature in FEATURES)
        case ConvertFiles():
            yield (
                "Every file and folder that is there already is noted in runs of blocks, too: checks get "
                "faster."
            )
        case WidenBlockNumbers():
            yield (
                f"It can grow beyond {format_exact((1 << 32) * before.block_bytes)}, and its checksums get "
                "their full length."
            )
        case AddChecksums():
            yield (
                "Checksums on everything but the files' own content: damage is noticed instead of passed on."
            )
        case SetFstabType():
            yield (
                "Writes are gathered before their place is chosen (delayed allocation), which the older "
                "drivers' habits leave out."
            )
        case MakeFresh():
            yield from fresh_gains(before)
        case _:
            pass


def fresh_gains(before: ExtFacts) -> tuple[str, ...]:
    """What only a filesystem that is made anew has, with this one's numbers."""
    said = []
    if "flex_bg" not in before.features and before.groups > 1:
        said.append(
            f"Its own tables lie together (flex_bg) instead of in each of {before.groups:,} places: less "
            "seeking on a hard disk."
        )
    if before.block_bytes < SMALL_BLOCKS:
        said.append(
            f"Blocks of {SMALL_BLOCKS} bytes instead of {before.block_bytes:,}: less to keep account of, and "
            f"files beyond {format_exact((1 << 32) * before.block_bytes)}."
        )
    used = max(0, before.inodes - before.free_inodes)
    said.append(
        f"A number of inodes chosen anew: here it is {before.inodes:,} for ever, of which {used:,} are used "
        f"and which take {format_capacity(before.inodes * before.inode_bytes)}."
    )
    said.append(
        "Every file in few pieces, since it is written anew; and when each file was made is known from then "
        "on."
    )
    return tuple(said)
