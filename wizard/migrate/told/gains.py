"""What each operation brings, in a sentence, and what none of them can bring to a filesystem that exists
already."""

from collections.abc import Iterator, Sequence

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
from wizard.model.said import Said, Sentence, t

FEATURES = {
    "extent": Sentence(
        "New files are noted in runs of blocks: large ones are written, read and deleted faster."
    ),
    "huge_file": Sentence("Single files can grow beyond 2 TiB."),
    "dir_nlink": Sentence("A folder can have more than 65,000 folders in it."),
    "dir_index": Sentence("Files in large folders are found by an index."),
    "extra_isize": Sentence("Times finer than a second, and dates past January 2038."),
}

SMALL_BLOCKS = 4096


def gains_of(operations: Sequence[MigrationOperation], before: ExtFacts) -> tuple[str, ...]:
    """A sentence on each gain; what only serves another is left out."""
    return tuple(dict.fromkeys(str(said) for operation in operations for said in _gains(operation, before)))


def _gains(operation: MigrationOperation, before: ExtFacts) -> Iterator[Said]:
    match operation:
        case AddJournal():
            yield t("A journal: after a power cut it is in order within seconds, without a whole check.")
        case WidenInodes():
            yield t("Room in every inode for small attributes, such as access lists, and for finer times.")
        case SetFeatures(features=features):
            yield from (FEATURES[feature]() for feature in features if feature in FEATURES)
        case ConvertFiles():
            yield t(
                "Every file and folder that is there already is noted in runs of blocks, "
                "too: checks get faster."
            )
        case WidenBlockNumbers():
            yield t(
                "It can grow beyond {limit:exact}, and its checksums get their full length.",
                limit=_narrow_limit(before),
            )
        case AddChecksums():
            yield t(
                "Checksums on everything but the files' own content: damage is noticed instead of passed on."
            )
        case SetFstabType():
            yield t(
                "Writes are gathered before their place is chosen (delayed allocation), "
                "which the older drivers' habits leave out."
            )
        case MakeFresh():
            yield from fresh_gains(before)
        case _:
            pass


def fresh_gains(before: ExtFacts) -> Iterator[Said]:
    """What only a filesystem that is made anew has, with this one's numbers."""
    if "flex_bg" not in before.features and before.groups > 1:
        yield t(
            "Its own tables lie together (flex_bg) instead of in each of {groups:,d} "
            "places: less seeking on a hard disk.",
            groups=before.groups,
        )
    if before.block_bytes < SMALL_BLOCKS:
        yield t(
            "Blocks of {wanted} bytes instead of {found:,d}: less to keep account of, "
            "and files beyond {limit:exact}.",
            wanted=SMALL_BLOCKS,
            found=before.block_bytes,
            limit=_narrow_limit(before),
        )
    used = max(0, before.inodes - before.free_inodes)
    yield t(
        "A number of inodes chosen anew. Here it is {inodes:,d} for ever, of which "
        "{used:,d} are used and which take {room:size}.",
        inodes=before.inodes,
        used=used,
        room=before.inodes * before.inode_bytes,
    )
    yield t(
        "Every file in few pieces, since it is written anew. When each file was made is known from then on."
    )


def _narrow_limit(before: ExtFacts) -> int:
    """What block numbers of 32 bits reach, in bytes."""
    return (1 << 32) * before.block_bytes
