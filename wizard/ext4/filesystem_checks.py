"""What stands against a migration in the filesystem itself and in its use."""

from collections.abc import Iterator

from wizard.advice.missing import missing
from wizard.ext4.assessment import BAR, Situation
from wizard.ext4.operations import may_have_blocks
from wizard.ext4.system_checks import danger, info, version_text, warning
from wizard.model.errors import printable
from wizard.model.finding import Finding
from wizard.model.said import Sentence, join, t, tn

REPAIR = t(
    "Have it repaired with --repair, on a copy of what changes or with an undo file. A backup first is wise."
)
FRESH = t("Use the fresh way, which only reads it.")

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
            t("The running system stands on {device}.", device=device),
            t("A filesystem cannot be changed below the system that runs from it."),
            t(
                "Write a plan to carry to a rescue medium: `diskwright migrate {device} "
                "--way full -o carry.json`. It says what to do with it.",
                device=device,
            ),
            "/proc/self/mountinfo",
        )
    elif situation.mounts:
        yield danger(
            "migrate-mounted",
            situation,
            t(
                "{device} is mounted at {places:list}.",
                device=device,
                places=tuple(printable(place, 200) for place in situation.mounts),
            ),
            t("What is changed below a mounted filesystem damages it."),
            join(
                t("Unmount it first (`umount {device}`).", device=device),
                t("Where that does not help, a program sees it in a namespace of its own: end that one."),
                t(
                    "The system may be unable to do without it, as with /usr or /var. Then write "
                    "a plan to carry to a rescue medium: `diskwright migrate {device} --way full "
                    "-o carry.json`.",
                    device=device,
                ),
            ),
            "/proc/*/mountinfo",
        )
    for file in situation.swap_files:
        yield danger(
            "migrate-swap-file",
            situation,
            t(
                "The swap file {file} lies on {device} and is in use.",
                file=printable(file, 200),
                device=device,
            ),
            t("The kernel writes to the places where a swap file lay when it was switched on."),
            t("Switch it off first (`swapoff {file}`).", file=printable(file, 200)),
            "/proc/swaps",
        )
    if situation.opened and not situation.mounts and not situation.is_root:
        yield danger(
            "migrate-opened",
            situation,
            t("Another device or a program holds {device} for itself alone.", device=device),
            t("Two that write to one filesystem damage it."),
            t("Close what is built on it, or end that program; `lsblk` and `fuser` tell which it is."),
            "open(2), O_EXCL",
        )


def its_state(situation: Situation) -> Iterator[Finding]:
    """What is out of order on it."""
    before, device = situation.ext, situation.device
    if 0 < situation.device_bytes < before.size_bytes:
        yield danger(
            "migrate-cut-off",
            situation,
            t(
                "{device} is smaller than the filesystem on it: {has:exact} of {needs:exact}.",
                device=device,
                has=situation.device_bytes,
                needs=before.size_bytes,
            ),
            t("Its end is missing, with whatever lay there."),
            t("Find out what made the partition or volume smaller, and put that right first."),
            "superblock",
        )
    if not before.counts_fit:
        yield danger(
            "migrate-counts",
            situation,
            t("The superblock of {device} says that more is free than there is.", device=device),
            t("No plan can rely on wrong numbers, and more than these can be wrong."),
            t("Make an image of {device} first, then have it checked: `e2fsck -f {device}`.", device=device),
            "superblock",
        )
    yield from _errors(situation)
    yield from _not_unmounted(situation)


def _errors(situation: Situation) -> Iterator[Finding]:
    """The gravest error that it has, or had: the first of these says all."""
    before, device = situation.ext, situation.device
    if before.half_done:
        yield danger(
            "migrate-half-done",
            situation,
            t(
                "A change to {device} was begun and not finished. {change}",
                device=device,
                change=before.half_done,
            ),
            t("What comes next could rely on what is only half there."),
            REPAIR,
            "superblock",
        )
    elif before.has_errors:
        yield danger(
            "migrate-errors",
            situation,
            t("{device} is marked as damaged.", device=device),
            t(
                "The kernel or a check found errors on it ({recorded} recorded) that nobody has repaired.",
                recorded=before.recorded_errors,
            ),
            REPAIR,
            "superblock",
        )
    elif situation.damaged:
        yield danger(
            "migrate-damaged",
            situation,
            t("{device} is damaged, and not marked as such: {found}", device=device, found=situation.damaged),
            t("What is converted or copied relies on what the damaged part should say."),
            REPAIR,
            "e2fsck",
        )
    elif before.recorded_errors:
        yield warning(
            "migrate-recorded-errors",
            situation,
            tn(
                "The kernel recorded one error on {device} since its errors were last cleared.",
                "The kernel recorded {count} errors on {device} since they were last cleared.",
                count=before.recorded_errors,
                device=device,
            ),
            t(
                "Damage, or a failing drive, can lie behind them. The first step checks "
                "everything, and stops where it finds damage."
            ),
            t("Look at the drive's health with `diskwright inspect`."),
        )


def _not_unmounted(situation: Situation) -> Iterator[Finding]:
    """What was left undone when it was last used."""
    before, device = situation.ext, situation.device
    if before.needs_recovery:
        yield info(
            "migrate-journal-pending",
            situation,
            t("The journal of {device} holds changes that are not in their places yet.", device=device),
            t(
                "It was not unmounted in order. Mounting it, or the first step of a "
                "migration, puts them there."
            ),
            t(
                "For a copy to a fresh filesystem, mount and unmount it once. For every "
                "other way nothing needs to be done."
            ),
        )
    elif not before.clean and not before.has_errors and not before.half_done:
        yield info(
            "migrate-not-clean",
            situation,
            t("{device} was not unmounted in order.", device=device),
            t("Without a journal, only a whole check tells whether it is sound; the first step does that."),
            t("Nothing needs to be done."),
        )


def its_kind(situation: Situation) -> Iterator[Finding]:
    """What it is that cannot be converted."""
    before, device = situation.ext, situation.device
    if before.journal_device:
        yield danger(
            "migrate-external-journal",
            situation,
            t("The journal of {device} lies on another device.", device=device),
            t("A snapshot of one of the two would not fit the other."),
            join(
                t(
                    "Take the journal off first, on the unmounted and clean filesystem: `tune2fs "
                    "-O ^has_journal {device}`. The migration gives it a journal of its own.",
                    device=device,
                ),
                t("The other device is free then, and undoing the migration does not change that."),
                t("To mount it as ext4, or to copy it to a fresh one, nothing of that is needed."),
            ),
            "superblock",
        )
    if BARRED in before.features:
        yield danger(
            "migrate-barred",
            situation,
            t(
                "{device} is in the middle of another migration, and barred until that is finished.",
                device=device,
            ),
            t("A part of it is new and a part is old; every repair would destroy it."),
            t(
                "Go on with `diskwright resume`, or undo it with `diskwright undo`; "
                "`diskwright status` lists the runs."
            ),
        )
    elif unknown := sorted(before.features - KNOWN):
        yield danger(
            "migrate-unknown-features",
            situation,
            t(
                "{device} has features that a migration was never tried with: {features:list}.",
                device=device,
                features=tuple(unknown),
            ),
            t("A step could do harm to what it does not know."),
            FRESH,
            "superblock",
        )
    if before.revision == 0:
        yield danger(
            "migrate-first-revision",
            situation,
            t("{device} has the very first form of ext2.", device=device),
            t(
                "Its superblock has no room for what a newer one says, and tune2fs damages "
                "it when it widens the inodes."
            ),
            FRESH,
            "superblock",
        )
    if before.kind == "ext4" and may_have_blocks(before):
        said = (
            Sentence("{device} has extents, but its old files are still mapped block by block.")
            if before.unconverted
            else Sentence("{device} lacks what every new ext4 has.")
        )
        yield info(
            "migrate-incomplete",
            situation,
            said(device=device),
            t("It seems to have been an ext3, and was not converted to the end."),
            t("The full way converts what is left."),
        )


def programs(situation: Situation) -> Iterator[Finding]:
    """What does the work."""
    if situation.missing:
        yield warning(
            "migrate-programs-missing",
            situation,
            missing(situation.missing, situation.family).said,
            t("They do the work."),
            t("Install them, and look again."),
            "PATH",
        )
    elif situation.e2fsprogs < OLDEST_PROGRAMS:
        yield warning(
            "migrate-programs-old",
            situation,
            t(
                "e2fsprogs is of version {found}; this needs {needed} or newer.",
                found=version_text(situation.e2fsprogs),
                needed=version_text(OLDEST_PROGRAMS),
            ),
            t("Older programs cannot convert files, widen block numbers, or keep what they replace."),
            t("Run diskwright from a newer system or rescue medium."),
            "e2fsck -V",
        )
