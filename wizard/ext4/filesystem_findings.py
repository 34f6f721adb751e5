"""Conversion blockers in the filesystem and the use."""

from collections.abc import Iterator

from wizard.advice.missing import missing
from wizard.ext4.assessment import BAR, Situation
from wizard.ext4.operations import fstab_operations, may_have_blocks
from wizard.ext4.system_findings import (
    COPY_INSTEAD,
    Commands,
    copy_commands,
    danger,
    info,
    version_text,
    warning,
)
from wizard.model.finding import NO_ACTION, Finding, FindingCommand
from wizard.model.said import Message, Sentence, join, t, tn

REPAIR = t("Make a backup, then let the conversion repair the damage, on a scratch copy.")

OLDEST_PROGRAMS = (1, 43)
"""First version with `resize2fs -b`, metadata checksums, and bmap2extent of e2fsck (release notes)."""

UNMOUNTABLE = f"FEATURE_I{BAR.bit_length() - 1}"
"""Name of the feature that blocks a partly committed filesystem."""

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
"""Features that were tested with the steps, or that the steps do not affect."""


def in_use(situation: Situation) -> Iterator[Finding]:
    """Report users of the filesystem."""
    device = situation.device
    if situation.is_root:
        yield danger(
            "migrate-running-root",
            t("{device} contains the running system.", device=device),
            t("A filesystem cannot be converted while the system runs from it."),
            join(*_on_another_system(situation)),
            "/proc/self/mountinfo",
            _change_fstab(situation),
        )
    elif situation.mounts:
        yield danger(
            "migrate-mounted",
            t(
                "{device} is mounted at {places:list}.",
                device=device,
                places=situation.mounts,
            ),
            t("Changes to a mounted filesystem damage it."),
            join(
                t("Unmount the filesystem first."),
                t("If that fails, a program uses the filesystem in its own namespace: end that program."),
                t("If the system requires it, as with /usr or /var, convert it from another system."),
                *_on_another_system(situation),
            ),
            "/proc/*/mountinfo",
            (FindingCommand(("umount", device)), *_change_fstab(situation)),
        )
    for file in situation.swap_files:
        yield danger(
            "migrate-swap-file",
            t(
                "The swap file {file} on {device} is in use.",
                file=file,
                device=device,
            ),
            t("The kernel writes to the positions of a swap file recorded when swap was enabled."),
            t("Disable the swap file first."),
            "/proc/swaps",
            (FindingCommand(("swapoff", file)),),
        )
    if situation.opened and not situation.mounts and not situation.is_root:
        yield danger(
            "migrate-opened",
            t("Another device or a program has exclusive use of {device}.", device=device),
            t("Two writers damage a filesystem."),
            t("Close the dependent device, or end the program that uses {device}.", device=device),
            "open(2), O_EXCL",
            (FindingCommand(("lsblk", device)), FindingCommand(("fuser", "-v", device))),
        )


ROOT = "/"
"""If the filesystem is mounted here, fstab is on the filesystem itself and changes with it."""


def _on_another_system(situation: Situation) -> Iterator[Message]:
    """Yield how to convert a filesystem that the running system needs."""
    device, uuid = situation.device, situation.ext.uuid
    if fstab_operations(situation) and ROOT not in situation.mounts:
        yield t("First change {fstab} here.", fstab=situation.fstab)
    yield t("Start a rescue medium or another system, and do not mount {device} there.", device=device)
    yield t("Mount another drive there at /mnt, for the undo data.")
    yield t(
        "Convert with `diskwright migrate /dev/disk/by-uuid/{uuid} --way full --journal /mnt/diskwright`.",
        uuid=uuid,
    )


def _change_fstab(situation: Situation) -> Commands:
    if not fstab_operations(situation) or ROOT in situation.mounts:
        return ()
    return (FindingCommand(("diskwright", "migrate", situation.device, "--way", "mount")),)


def state_findings(situation: Situation) -> Iterator[Finding]:
    """Report inconsistencies of the filesystem."""
    before, device = situation.ext, situation.device
    if 0 < situation.device_bytes < before.size_bytes:
        yield danger(
            "migrate-cut-off",
            t(
                "{device} is smaller than its filesystem: {has:exact} of {needs:exact}.",
                device=device,
                has=situation.device_bytes,
                needs=before.size_bytes,
            ),
            t("The end of the filesystem is missing, including any data there."),
            t("Find out why the partition or volume became smaller, and fix that first."),
            "superblock",
        )
    if not before.counts_fit:
        yield danger(
            "migrate-counts",
            t("The superblock of {device} reports more free blocks or inodes than exist.", device=device),
            t("Plans cannot rely on wrong numbers, and other numbers may also be wrong."),
            t("Create an image of {device} first, then check the filesystem.", device=device),
            "superblock",
            (FindingCommand(("e2fsck", "-f", device), device),),
        )
    yield from _errors(situation)
    yield from _not_unmounted(situation)


def _errors(situation: Situation) -> Iterator[Finding]:
    """Report the most severe error, current or past; the first in this order covers the rest."""
    before, device = situation.ext, situation.device
    repair = (FindingCommand(("diskwright", "migrate", device, "--way", "full", "--repair")),)
    if before.half_done:
        yield danger(
            "migrate-half-done",
            t(
                "A change to {device} was started but not finished. {change}",
                device=device,
                change=before.half_done,
            ),
            t("Further steps could rely on incomplete changes."),
            REPAIR,
            "superblock",
            repair,
        )
    elif before.has_errors:
        yield danger(
            "migrate-errors",
            t("{device} is marked as damaged.", device=device),
            t(
                "The kernel or a check found unrepaired errors ({recorded} recorded).",
                recorded=before.recorded_errors,
            ),
            REPAIR,
            "superblock",
            repair,
        )
    elif situation.damaged:
        yield danger(
            "migrate-damaged",
            t(
                "{device} is damaged but not marked as damaged: {found}",
                device=device,
                found=situation.damaged,
            ),
            t("Conversion and copying rely on the damaged data."),
            REPAIR,
            "e2fsck",
            repair,
        )
    elif before.recorded_errors:
        yield warning(
            "migrate-recorded-errors",
            tn(
                "The kernel recorded one error on {device} since errors were last cleared.",
                "The kernel recorded {count} errors on {device} since errors were last cleared.",
                count=before.recorded_errors,
                device=device,
            ),
            t(
                "Damage or a failing drive may be the cause. The first step checks "
                "everything and stops on damage."
            ),
            t("Check the drive's health."),
            commands=(FindingCommand(("diskwright", "inspect", situation.drive.path)),),
        )


def _not_unmounted(situation: Situation) -> Iterator[Finding]:
    before, device = situation.ext, situation.device
    if before.needs_recovery:
        yield info(
            "migrate-journal-pending",
            t("The journal of {device} has pending changes.", device=device),
            t(
                "The filesystem was not unmounted cleanly. Mounting or the first step of a "
                "conversion replays the journal."
            ),
            NO_ACTION,
        )
    elif not before.clean and not before.has_errors and not before.half_done:
        yield info(
            "migrate-not-clean",
            t("{device} was not unmounted cleanly.", device=device),
            t("Without a journal, only a full check can detect damage; the first step does that."),
            NO_ACTION,
        )


def kind_findings(situation: Situation) -> Iterator[Finding]:
    """Report properties that prevent a conversion."""
    before, device = situation.ext, situation.device
    if before.journal_device:
        yield danger(
            "migrate-external-journal",
            t("The journal of {device} is on another device.", device=device),
            t("A snapshot of one device would not match the other."),
            join(
                t(
                    "Remove the external journal first, while the filesystem is unmounted and clean. "
                    "The conversion adds an internal journal."
                ),
                t("The other device is then free, and undoing the conversion does not change that."),
                t("Mounting as ext4 requires none of this."),
            ),
            "superblock",
            (FindingCommand(("tune2fs", "-O", "^has_journal", device), device),),
        )
    if UNMOUNTABLE in before.features:
        yield danger(
            "migrate-barred",
            t(
                "{device} is in the middle of another conversion and blocked until that is finished.",
                device=device,
            ),
            t("The filesystem is partly new and partly old; any repair would destroy it."),
            t("Resume or undo the run that did this."),
            commands=(FindingCommand(("diskwright", "status")),),
        )
    elif unknown := sorted(before.features - KNOWN):
        yield danger(
            "migrate-unknown-features",
            t(
                "{device} has features that are untested with conversions: {features:list}.",
                device=device,
                features=tuple(unknown),
            ),
            t("A step could damage unknown features."),
            COPY_INSTEAD,
            "superblock",
            copy_commands(situation),
        )
    if before.revision == 0:
        yield danger(
            "migrate-first-revision",
            t("{device} uses the first revision of ext2.", device=device),
            t("The superblock has no space for newer fields, and tune2fs damages it when widening inodes."),
            COPY_INSTEAD,
            "superblock",
            copy_commands(situation),
        )
    if before.kind == "ext4" and may_have_blocks(before):
        form = (
            Sentence("{device} has extents, but old files still use block maps.")
            if before.unconverted
            else Sentence("{device} lacks features of every new ext4.")
        )
        yield info(
            "migrate-incomplete",
            form(device=device),
            t("This appears to be an incompletely converted ext3."),
            t("The full conversion completes the rest."),
        )


def programs(situation: Situation) -> Iterator[Finding]:
    """Report missing or outdated tools."""
    if situation.missing:
        yield warning(
            "migrate-programs-missing",
            missing(situation.missing, situation.family).said,
            t("The steps require these tools."),
            t("Install them, and check again."),
            "PATH",
        )
    elif situation.e2fsprogs < OLDEST_PROGRAMS:
        yield warning(
            "migrate-programs-old",
            t(
                "e2fsprogs is version {found}; version {needed} or newer is required.",
                found=version_text(situation.e2fsprogs),
                needed=version_text(OLDEST_PROGRAMS),
            ),
            t("Older versions cannot convert files, widen block numbers or save replaced data."),
            t("Run diskwright from a newer system or rescue medium."),
            "e2fsck -V",
        )
