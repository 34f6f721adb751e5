"""Operations of each conversion method, in a feasible order, and the space and time that they need."""

from collections.abc import Iterator, Sequence

from wizard.ext4.assessment import Situation
from wizard.ext4.superblock import seems_once_ext3
from wizard.model.ext import ExtFacts
from wizard.model.said import MIB, Message, t
from wizard.operations import ext4, fstab
from wizard.operations.operation import Setting
from wizard.plan.changes import MigrationOperation, Way

CHECKSUMS = t("metadata checksums are enabled, and tune2fs would damage the filesystem (metadata_csum)")

SWITCHED = ("extent", "huge_file", "dir_nlink", "large_file", "dir_index")
"""Features that tune2fs enables without rewriting data, for new files only."""

OLD_TYPES = frozenset({"ext2", "ext3"})
"""fstab types that cannot mount a filesystem with ext4 features; `auto` still can."""

SPARE_PER_MILLE = 5
"""Free space needed for other data during conversion, such as extent blocks."""

LEAST_SPARE_BLOCKS = 64
BITMAPS = 2
INODES_WIDENED_FROM = 128


def operations_for(way: Way, before: ExtFacts, *, repairs: bool = False) -> tuple[ext4.OnDevice, ...]:
    """Return the operations on the filesystem itself, if the method changes it."""
    wanted = tuple(_changes(before, is_full=way is Way.FULL)) if way.converts else ()
    pending = not repairs and (before.needs_recovery or not before.clean)
    return (ext4.CheckFiles(repairs, pending), *wanted) if wanted else ()


def _changes(before: ExtFacts, *, is_full: bool) -> Iterator[ext4.OnDevice]:
    # Enlarge inodes first, because other structures depend on their size.
    widens = is_full and before.inode_bytes == INODES_WIDENED_FROM and not widening_fault(before)
    inode_bytes = ext4.WIDE_INODE_BYTES if widens else before.inode_bytes
    if "has_journal" not in before.features:
        yield ext4.AddJournal()
    if widens:
        yield ext4.WidenInodes()
    # extra_isize uses the additional space in larger inodes.
    wanted = (*SWITCHED, "extra_isize") if inode_bytes >= ext4.WIDE_INODE_BYTES else SWITCHED
    if lacking := tuple(feature for feature in wanted if feature not in before.features):
        yield ext4.SetFeatures(lacking)
    if is_full and may_have_blocks(before):
        yield ext4.ConvertFiles()
    if is_full and before.features.isdisjoint({"64bit", "bigalloc"}):
        yield ext4.WidenBlockNumbers()
    if is_full and "metadata_csum" not in before.features:
        yield ext4.AddChecksums()


def may_have_blocks(before: ExtFacts) -> bool:
    """Return True if files may still have block maps."""
    return before.unconverted or seems_once_ext3(before.features)


def widening_blocks(before: ExtFacts) -> int:
    """Return the number of additional blocks that enlarged inode tables need."""
    return before.groups * (
        _table_blocks(before, ext4.WIDE_INODE_BYTES) - _table_blocks(before, before.inode_bytes)
    )


def spare_blocks(before: ExtFacts) -> int:
    """Return the number of other blocks that must remain free."""
    return max(LEAST_SPARE_BLOCKS, before.blocks * SPARE_PER_MILLE // 1000)


def widening_fault(before: ExtFacts) -> Message | None:
    """Return why the inodes cannot be enlarged, or None. tune2fs notices a short last group only while
    writing, and leaves a damaged filesystem."""
    if fault := widening_blocker(before):
        return fault
    is_too_full = before.free_blocks < widening_blocks(before) + spare_blocks(before)
    return t("the filesystem is too full") if is_too_full else None


def widening_blocker(before: ExtFacts) -> Message | None:
    """Return why the inodes cannot be enlarged, regardless of free space, or None."""
    if incompatible := {"flex_bg", "bigalloc"} & before.features:
        return t("inode tables are grouped ({feature})", feature=min(incompatible))
    if "metadata_csum" in before.features:
        # Tested with e2fsprogs 1.47.0: e2fsck could not even start afterwards.
        return CHECKSUMS
    descriptors = -(-before.groups * before.desc_bytes // before.block_bytes)
    needed = (
        1 + descriptors + before.reserved_gdt_blocks + BITMAPS + _table_blocks(before, ext4.WIDE_INODE_BYTES)
    )
    return t("the last group is too short for a larger table") if last_group_blocks(before) < needed else None


def last_group_blocks(before: ExtFacts) -> int:
    """Return the number of blocks in the last group, which may be shorter than the others."""
    first = 1 if before.block_bytes == 1024 else 0
    return (before.blocks - first) % before.blocks_per_group or before.blocks_per_group


def _table_blocks(before: ExtFacts, inode_bytes: int) -> int:
    return -(-before.inodes_per_group * inode_bytes // before.block_bytes)


def fstab_operations(situation: Situation) -> tuple[fstab.EditFstab, ...]:
    """Return the edit of the fstab lines whose type does not fit ext4, if any."""
    text = situation.fstab_text.split("\n")
    old = [(line.number, text[line.number - 1]) for line in situation.lines if line.kind in OLD_TYPES]
    lines = (fstab.LineEdit(number, line, retyped(line)) for number, line in old)
    return (fstab.edit_of(situation.fstab, situation.fstab_text, *lines),) if old else ()


def own_operations(situation: Situation) -> tuple[ext4.SetOwnFstabType, ...]:
    """Return the same for the filesystem's own fstab, if its system is not running."""
    own = situation.own
    if own is None or own.fault:
        return ()
    text, digest = own.text.split("\n"), fstab.digest_of_text(own.text)
    found = []
    for line in own.lines:
        if line.kind in OLD_TYPES:
            old = text[line.number - 1]
            new = retyped(old)
            # The old types differ from ext4 in the last character only.
            changed = next(at for at in range(len(old)) if old[at] != new[at])
            before = "\n".join([*text[: line.number - 1], old[:changed]])
            block, offset = divmod(len(before.encode("utf-8", "surrogateescape")), situation.ext.block_bytes)
            found.append(ext4.SetOwnFstabType(digest, line.number, block, offset, old, new))
    return tuple(found)


def retyped(line: str) -> str:
    """Return an fstab line with the type ext4, otherwise unchanged."""
    return fstab.with_fields(line, {2: "ext4"})


def all_operations(
    situation: Situation, way: Way, *, repairs: bool = False
) -> tuple[MigrationOperation, ...]:
    """Return all operations of a method: on the filesystem, and on fstab afterwards."""
    on_device = operations_for(way, situation.ext, repairs=repairs)
    if way is Way.MOUNT or on_device:
        own = own_operations(situation) if on_device else ()
        return (*on_device, *own, *fstab_operations(situation))
    return ()


MARGIN_BYTES = 64 * MIB

LARGEST_JOURNAL_BLOCKS = 262_144
JOURNALS = (
    (2048, 0),
    (32_768, 1024),
    (262_144, 4096),
    (524_288, 8192),
    (4_194_304, 16_384),
    (8_388_608, 32_768),
    (16_777_216, 65_536),
    (33_554_432, 131_072),
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
    kinds = {type(operation) for operation in operations if not isinstance(operation, Setting)}
    if not kinds:
        return 0
    changed = MARGIN_BYTES + 2 * before.groups * before.block_bytes
    if ext4.AddJournal in kinds:
        changed += journal_blocks(before) * before.block_bytes
    if kinds & {ext4.ConvertFiles, ext4.AddChecksums, ext4.WidenBlockNumbers, ext4.WidenInodes}:
        changed += before.inodes * ext4.WIDE_INODE_BYTES
    if ext4.WidenInodes in kinds:
        changed += before.inodes * (ext4.WIDE_INODE_BYTES - before.inode_bytes)
    return 2 * changed
