"""What stands against a migration in the filesystem itself and in its use."""

from collections.abc import Iterator

from wizard.advise.missing import missing
from wizard.migrate.ext.bar import BAR
from wizard.migrate.obstacles.finding import danger, info, version_text, warning
from wizard.migrate.operations import may_have_blocks
from wizard.migrate.situation import Situation
from wizard.model.finding import Finding, Severity
from wizard.model.names import printable
from wizard.model.units import format_exact

OLDEST_PROGRAMS = (1, 43)
"""With it came undo files for every program, `resize2fs -b`, checksums of metadata, and e2fsck's bmap2extent
(its release notes)."""

BARRED = f"FEATURE_I{BAR.bit_length() - 1}"
"""How the bar of a change that is half on the drive is called as a feature."""

KNOWN = frozenset(
    {
        *(
            "has_journal",
            "ext_attr",
            "resize_inode",
            "dir_index",
            "filetype",
            "needs_recovery",
            "meta_bg",
            "extent",
            "64bit",
            "flex_bg",
        ),
        *(
            "sparse_super",
            "large_file",
            "huge_file",
            "uninit_bg",
            "dir_nlink",
            "extra_isize",
            "quota",
            "project",
            "metadata_csum",
        ),
        *("metadata_csum_seed", "large_dir", "bigalloc", "sparse_super2"),
    }
)
"""Features with which the steps were tried, or which they leave alone."""


def in_use(situation: Situation) -> Iterator[Finding]:
    """Whoever uses it."""
    device = situation.device
    if situation.is_root:
        yield danger(
            "migrate-running-root",
            situation,
            f"The running system stands on {device}.",
            "A filesystem cannot be changed below the system that runs from it.",
            f"Write a plan to carry to a rescue medium: `diskwright migrate {device} --way full -o "
            "carry.json` says what to do with it.",
            "/proc/self/mountinfo",
        )
    elif situation.mounts:
        places = ", ".join(printable(place, 200) for place in situation.mounts)
        yield danger(
            "migrate-mounted",
            situation,
            f"{device} is mounted at {places}.",
            "What is changed below a mounted filesystem damages it.",
            f"Unmount it first (`umount {device}`). Where that does not help, a program sees it in a "
            "namespace of its own: end that one. What the system cannot do without, such as /usr or /var: "
            f"`diskwright migrate {device} --way full -o carry.json` writes a plan to carry to a rescue "
            "medium.",
            "/proc/*/mountinfo",
        )
    for file in situation.swap_files:
        yield danger(
            "migrate-swap-file",
            situation,
            f"The swap file {printable(file, 200)} lies on {device} and is in use.",
            "The kernel writes to the places where a swap file lay when it was switched on.",
            f"Switch it off first (`swapoff {printable(file, 200)}`).",
            "/proc/swaps",
        )
    if situation.opened and not situation.mounts and not situation.is_root:
        yield danger(
            "migrate-opened",
            situation,
            f"Another device or a program holds {device} for itself alone.",
            "Two that write to one filesystem damage it.",
            "Close what is built on it, or end that program; `lsblk` and `fuser` tell which it is.",
            "open(2), O_EXCL",
        )


def its_state(situation: Situation) -> Iterator[Finding]:
    """What is out of order on it."""
    before, device = situation.ext, situation.device
    if 0 < situation.device_bytes < before.size_bytes:
        yield danger(
            "migrate-cut-off",
            situation,
            f"{device} is smaller than the filesystem on it: {format_exact(situation.device_bytes)} of "
            f"{format_exact(before.size_bytes)}.",
            "Its end is missing, with whatever lay there.",
            "Find out what made the partition or volume smaller, and put that right first.",
            "superblock",
        )
    if not before.counts_fit:
        yield danger(
            "migrate-counts",
            situation,
            f"The superblock of {device} says that more is free than there is.",
            "Nothing can be reckoned with what is wrong, and more than that can be.",
            f"Make an image of {device} first, then have it checked: `e2fsck -f {device}`.",
            "superblock",
        )
    if before.half_done:
        yield danger(
            "migrate-half-done",
            situation,
            f"A change to {device} was begun and not finished: {before.half_done}.",
            "What comes next could rely on what is only half there.",
            "Have it repaired with --repair, on a copy of what changes or with an undo file; a backup first "
            "is wise.",
            "superblock",
        )
    elif before.has_errors:
        yield danger(
            "migrate-errors",
            situation,
            f"{device} is marked as damaged.",
            f"The kernel or a check found errors on it ({before.recorded_errors} recorded) that nobody has "
            "repaired.",
            "Have it repaired with --repair, on a copy of what changes or with an undo file; a backup first "
            "is wise.",
            "superblock",
        )
    elif before.recorded_errors:
        yield warning(
            "migrate-recorded-errors",
            situation,
            f"The kernel recorded {before.recorded_errors} errors on {device} since they were last cleared.",
            "Damage, or a failing drive, can lie behind them; the first step checks everything and stops "
            "where it finds any.",
            "Look at the drive's health with `diskwright inspect`.",
        )
    if before.needs_recovery:
        yield info(
            "migrate-journal-pending",
            situation,
            f"The journal of {device} holds changes that are not in their places yet.",
            "It was not unmounted in order. Mounting it, or the first step of a migration, puts them there.",
            "For a copy to a fresh filesystem mount and unmount it once; for every other way nothing needs "
            "to be done.",
        )
    elif not before.clean and not before.has_errors and not before.half_done:
        yield info(
            "migrate-not-clean",
            situation,
            f"{device} was not unmounted in order.",
            "Without a journal only a whole check tells whether it is sound; the first step does that.",
            "Nothing needs to be done.",
        )


def its_kind(situation: Situation) -> Iterator[Finding]:
    """What it is that cannot be converted."""
    before, device = situation.ext, situation.device
    if before.journal_device:
        yield danger(
            "migrate-external-journal",
            situation,
            f"The journal of {device} lies on another device.",
            "A snapshot of one of the two would not fit the other.",
            "Take the journal off first, on the unmounted and clean filesystem: `tune2fs -O ^has_journal "
            f"{device}`. The migration gives it one of its own, and the other device is free then, which "
            "undoing the migration does not change. To mount it as ext4, or to copy it to a fresh one, "
            "nothing of that is needed.",
            "superblock",
        )
    if BARRED in before.features:
        yield danger(
            "migrate-barred",
            situation,
            f"{device} is in the middle of another migration, and barred until that is finished.",
            "A part of it is new and a part is old; every repair would destroy it.",
            "Go on with `diskwright resume`, or take it back with `diskwright undo`; `diskwright status` "
            "lists the runs.",
        )
    elif unknown := sorted(before.features - KNOWN):
        yield danger(
            "migrate-unknown-features",
            situation,
            f"{device} has features that a migration was never tried with: {', '.join(unknown)}.",
            "A step could do harm to what it does not know.",
            "Use the fresh way, which only reads it.",
            "superblock",
        )
    if before.revision == 0:
        yield danger(
            "migrate-first-revision",
            situation,
            f"{device} has the very first form of ext2.",
            "Its superblock has no room for what a newer one says, and tune2fs damages it when it is told to "
            "widen its inodes.",
            "Use the fresh way, which only reads it.",
            "superblock",
        )
    if before.kind == "ext4" and may_have_blocks(before):
        what = (
            "has extents, and its old files are noted block by block still"
            if before.unconverted
            else "lacks what every new ext4 has"
        )
        yield info(
            "migrate-incomplete",
            situation,
            f"{device} {what}.",
            "It seems to have been an ext3, and was not converted to the end.",
            "The full way converts what is left.",
        )


def programs(situation: Situation) -> Iterator[Finding]:
    """What does the work."""
    if situation.missing:
        yield Finding(
            "migrate-programs-missing",
            Severity.WARNING,
            situation.device,
            str(missing(situation.missing, situation.family).said),
            "They do the work.",
            "PATH",
            "Install them, and look again.",
        )
    elif situation.e2fsprogs < OLDEST_PROGRAMS:
        yield Finding(
            "migrate-programs-old",
            Severity.WARNING,
            situation.device,
            f"e2fsprogs is of version {version_text(situation.e2fsprogs)}; this needs "
            f"{version_text(OLDEST_PROGRAMS)} or newer.",
            "Older programs cannot convert files, widen block numbers, or keep what they replace.",
            "e2fsck -V",
            "Run diskwright from a newer system or rescue medium.",
        )
