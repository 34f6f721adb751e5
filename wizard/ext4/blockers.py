"""Conversion blockers in the filesystem, the use, the required space and the boot setup."""

from collections.abc import Iterator
from functools import partial

from wizard.advice.missing import missing
from wizard.ext4 import operations
from wizard.ext4.assessment import BAR, Situation
from wizard.model.finding import NO_ACTION, Commands, Finding, Severity, command
from wizard.model.said import Message, Sentence, join, t, tn
from wizard.operations.ext4 import WIDE_INODE_BYTES
from wizard.operations.operation import OWN_FSTAB
from wizard.plan.changes import Way

FREE_SPACE = t("Delete or move files first.")

COPY_INSTEAD = t("Create an ext4 on another drive, then copy the files there.")
"""How to get an ext4 that no conversion can make."""

COPY_COMMANDS = t("Use `diskwright plan --fs ext4`, then `diskwright bring`.")
"""The commands of `COPY_INSTEAD`, where no finding names them."""


def copy_commands(situation: Situation) -> Commands:
    """Return the commands that create an ext4 on another drive and copy the files there."""
    plan = command("diskwright", "plan", "DRIVE", "--workload", "WORKLOAD", "--fs", "ext4")
    return plan + command("diskwright", "bring", situation.device, "VOLUME")


def _finding(
    code: str,
    sentence: Message,
    why: Message,
    remedy: Message,
    source: str = "superblock",
    commands: Commands = (),
    *,
    severity: Severity,
) -> Finding:
    return Finding(code, severity, "", sentence, why, source, remedy, commands)


# `obstacles_of` adds the device.
danger = partial(_finding, severity=Severity.DANGER)
"""A finding that blocks a method or means risk for data."""

warning = partial(_finding, severity=Severity.WARNING)
"""A finding about a possible problem or disadvantage."""

info = partial(_finding, severity=Severity.INFO)
"""An informational finding."""


def version_text(version: tuple[int, int]) -> str:
    """Format a version: 1.43 for (1, 43), 2.06 for (2, 6)."""
    return f"{version[0]}.{version[1]:02}"


OLDEST_PROGRAMS = (1, 43)
"""First version with `resize2fs -b`, metadata checksums, and bmap2extent of e2fsck (release notes)."""

BLOCKED = Sentence("{device} is in the middle of another conversion and blocked until that is finished.")
UNMOUNTABLE = f"FEATURE_I{BAR.bit_length() - 1}"
"""Name of the feature that blocks a partly committed filesystem."""

KNOWN = frozenset(
    {
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
        "sparse_super",
        "large_file",
        "huge_file",
        "uninit_bg",
        "dir_nlink",
        "extra_isize",
        "quota",
        "project",
        "metadata_csum",
        "metadata_csum_seed",
        "large_dir",
        "bigalloc",
        "sparse_super2",
    }
)
"""Features that were tested with the steps, or that the steps do not affect."""


IN_USE = t("Changes to a filesystem in use damage it.")


def in_use(situation: Situation) -> Iterator[Finding]:
    """Report users of the filesystem."""
    device = situation.device
    changes_fstab = bool(operations.fstab_operations(situation)) and ROOT not in situation.mounts
    change_fstab = command("diskwright", "migrate", device, "--way", "mount") if changes_fstab else ()
    elsewhere = (
        *((t("First change {fstab} here.", fstab=situation.fstab),) if changes_fstab else ()),
        t(
            "Start a rescue medium or another system, and do not mount {device} there. Mount another drive "
            "there at /mnt, for the undo data. Convert with `diskwright migrate /dev/disk/by-uuid/{uuid} "
            "--way full --journal /mnt/diskwright`.",
            device=device,
            uuid=situation.ext.uuid,
        ),
    )
    if situation.is_root:
        yield danger(
            "migrate-running-root",
            t("{device} contains the running system.", device=device),
            IN_USE,
            join(*elsewhere),
            "/proc/self/mountinfo",
            change_fstab,
        )
    elif situation.mounts:
        yield danger(
            "migrate-mounted",
            t("{device} is mounted at {places:list}.", device=device, places=situation.mounts),
            IN_USE,
            join(
                t(
                    "Unmount the filesystem first. If that fails, a program uses the filesystem in its own "
                    "namespace: end that program. If the system requires it, as with /usr or /var, convert "
                    "it from another system."
                ),
                *elsewhere,
            ),
            "/proc/*/mountinfo",
            command("umount", device) + change_fstab,
        )
    elif situation.opened:
        yield danger(
            "migrate-opened",
            t("Another device or a program has exclusive use of {device}.", device=device),
            IN_USE,
            t("Close the dependent device, or end the program that uses {device}.", device=device),
            "open(2), O_EXCL",
            command("lsblk", device) + command("fuser", "-v", device),
        )
    for file in situation.swap_files:
        yield danger(
            "migrate-swap-file",
            t("The swap file {file} on {device} is in use.", file=file, device=device),
            IN_USE,
            t("Disable the swap file first."),
            "/proc/swaps",
            command("swapoff", file),
        )


ROOT = "/"
"""If the filesystem is mounted here, fstab is on the filesystem itself and changes with it."""


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
        )
    if before.free_blocks > before.blocks or before.free_inodes > before.inodes:
        yield danger(
            "migrate-counts",
            t("The superblock of {device} reports more free blocks or inodes than exist.", device=device),
            t("Plans cannot rely on wrong numbers, and other numbers may also be wrong."),
            t("Create an image of {device} first, then check the filesystem.", device=device),
            commands=command("e2fsck", "-f", device, unused=device),
        )
    code, source = "", "superblock"
    # The first error in this order covers the rest.
    if before.half_done:
        code = "migrate-half-done"
        sentence = t(
            "A change to {device} was started but not finished. {change}",
            device=device,
            change=before.half_done,
        )
    elif before.has_errors:
        code = "migrate-errors"
        sentence = t(
            "{device} is marked as damaged (recorded errors: {recorded}).",
            device=device,
            recorded=before.recorded_errors,
        )
    elif situation.damaged:
        code, source = "migrate-damaged", "e2fsck"
        sentence = t(
            "{device} is damaged but not marked as damaged: {found}", device=device, found=situation.damaged
        )
    if code:
        yield danger(
            code,
            sentence,
            t("Conversion and copying rely on the damaged data."),
            t("Make a backup, then let the conversion repair the damage, on a scratch copy."),
            source,
            command("diskwright", "migrate", device, "--way", "full", "--repair"),
        )
    # The start of a conversion compares the warnings without checking for damage again.
    if before.recorded_errors and code in ("", "migrate-damaged"):
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
            commands=command("diskwright", "inspect", situation.drive.path),
        )
    unclean = t("{device} was not unmounted cleanly.", device=device)
    if before.needs_recovery:
        replays = t("Mounting or the first step of a conversion replays the journal.")
        yield info("migrate-journal-pending", unclean, replays, NO_ACTION)
    elif not before.clean and not before.has_errors and not before.half_done:
        checks = t("Without a journal, only a full check can detect damage; the first step does that.")
        yield info("migrate-not-clean", unclean, checks, NO_ACTION)


def kind_findings(situation: Situation) -> Iterator[Finding]:
    """Report properties that prevent a conversion."""
    before, device = situation.ext, situation.device
    if before.journal_device:
        yield danger(
            "migrate-external-journal",
            t("The journal of {device} is on another device.", device=device),
            t("A snapshot of one device would not match the other."),
            t(
                "Remove the external journal first, while the filesystem is unmounted and clean. The "
                "conversion adds an internal journal. The other device is then free, and undoing the "
                "conversion does not change that. Mounting as ext4 requires none of this."
            ),
            commands=command("tune2fs", "-O", "^has_journal", device, unused=device),
        )
    if UNMOUNTABLE in before.features:
        yield danger(
            "migrate-barred",
            BLOCKED(device=device),
            t("The filesystem is partly new and partly old; any repair would destroy it."),
            t("Resume or undo the run that did this."),
            commands=command("diskwright", "status"),
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
            commands=copy_commands(situation),
        )
    if before.revision == 0:
        yield danger(
            "migrate-first-revision",
            t("{device} uses the first revision of ext2.", device=device),
            t("The superblock has no space for newer fields, and tune2fs damages it when widening inodes."),
            COPY_INSTEAD,
            commands=copy_commands(situation),
        )
    if before.kind == "ext4" and operations.may_have_blocks(before):
        yield info(
            "migrate-incomplete",
            t("{device} appears to be an incompletely converted ext3.", device=device),
            t("Features of every new ext4 are missing, or old files still use block maps."),
            t("The full conversion completes the rest."),
        )


def programs(situation: Situation) -> Iterator[Finding]:
    """Report missing or outdated tools, and a system that cannot make a scratch copy."""
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
    if situation.no_copy:
        yield danger(
            "migrate-no-copy",
            t("Cannot make a scratch copy: {why}.", why=situation.no_copy),
            t("A conversion needs loop devices and FUSE."),
            t("Load the kernel modules, or use another kernel or a rescue medium."),
            "/proc/filesystems",
        )


REBUILD_INITRAMFS = {
    "initramfs-tools": ("update-initramfs", "-u", "-k", "all"),
    "dracut": ("dracut", "-f", "--regenerate-all"),
}


def room_inside(situation: Situation) -> Iterator[Finding]:
    """Report space and inodes."""
    before, device = situation.ext, situation.device
    size = before.block_bytes
    free, spare = before.free_blocks * size, operations.spare_blocks(before)
    journal = operations.journal_blocks(before)
    too_full = Sentence("{device} is too full: {needed:size} required, {free:size} free.")
    if "has_journal" not in before.features and not 0 < journal <= before.free_blocks - spare:
        yield danger(
            "migrate-no-room-journal",
            too_full(device=device, needed=(journal + spare) * size, free=free),
            t("Without a journal, a power cut requires a full filesystem check."),
            join(FREE_SPACE, COPY_INSTEAD),
            commands=copy_commands(situation),
        )
    if before.free_blocks < spare:
        yield danger(
            "migrate-full",
            too_full(device=device, needed=spare * size, free=free),
            t("Fragmented files need some extra blocks for extents."),
            FREE_SPACE,
        )
    if before.inode_bytes == operations.INODES_WIDENED_FROM and (fault := operations.widening_fault(before)):
        more = max(0, operations.widening_blocks(before) + spare - before.free_blocks) * size
        lacks_space = operations.widening_blocker(before) is None
        yield warning(
            "migrate-narrow-inodes",
            t(
                "The inode size of {device} remains {bytes} bytes: {fault}.",
                device=device,
                bytes=before.inode_bytes,
                fault=fault,
            ),
            t(
                "Dates past January 2038 and subsecond times require inodes of {bytes} bytes.",
                bytes=WIDE_INODE_BYTES,
            ),
            t("Free {more:size} more.", more=more) if lacks_space else COPY_INSTEAD,
            commands=() if lacks_space else copy_commands(situation),
        )
    if not before.free_inodes:
        yield info(
            "migrate-no-inodes",
            t(
                "{device} has no free inodes: no files can be created, regardless of free space.",
                device=device,
            ),
            t("The number of inodes ({inodes}) is fixed when a filesystem is created.", inodes=before.inodes),
            COPY_INSTEAD,
            commands=copy_commands(situation),
        )


def boot_path(situation: Situation) -> Iterator[Finding]:
    """Report a system that boots from the filesystem."""
    found, device = situation.boot, situation.device
    if not found.place:
        return
    contents = t(
        "{device} contains {place} of the system: the boot loader and initramfs must support ext4.",
        place=found.place,
        device=device,
    )
    version = version_text(found.grub) if any(found.grub) else t("not found")
    grub = t(
        "Installed GRUB: {version}. Versions before 2.06 are untested, and the boot sector may contain an "
        "older version.",
        version=version,
    )
    checks: tuple[Message, ...] = (grub,)
    if found.grub_folder and found.grub_reader:
        checks = (
            t(
                "After the conversion, GRUB's own driver ({reader}, {version}) must read {folder} and a "
                "kernel as Linux does. Otherwise the run stops without a commit.",
                reader=found.grub_reader,
                version=version,
                folder=found.grub_folder,
            ),
        )
    elif found.grub_folder:
        checks = (missing(("grub-fstest",), situation.family).said, grub)
    yield warning(
        "migrate-boot-loader",
        join(contents, *checks),
        grub,
        t(
            "Have a rescue medium ready. Reinstall the boot loader (grub-install) "
            "afterwards, before the first reboot."
        ),
        "grub-install --version",
    )
    if found.root_type in operations.OLD_TYPES:
        yield warning(
            "migrate-root-type",
            t(
                "The kernel is booted with rootfstype={kind} and would not find its root as ext4.",
                kind=found.root_type,
            ),
            t("This option is set in the boot loader."),
            t("Before rebooting, remove the option or change it to ext4."),
            "/proc/cmdline",
        )
    if found.initramfs:
        yield info(
            "migrate-initramfs",
            t(
                "{maker} builds the initramfs, which must mount {device} as ext4.",
                maker=found.initramfs,
                device=device,
            ),
            t(
                "Since version 4.3, Linux mounts ext3 with the ext4 driver. Before that, an "
                "initramfs for ext3 may lack the driver."
            ),
            t(
                "If Linux is older than 4.3 or rootfstype= specifies ext3, rebuild the "
                "initramfs before the first boot. If the system is not running, use chroot from a "
                "rescue medium."
            ),
            "/etc",
            command(*REBUILD_INITRAMFS[found.initramfs]),
        )


def at_boot(situation: Situation) -> Iterator[Finding]:
    """Report units and fstab lines that mount the filesystem at boot, also in an inactive system on it."""
    device = situation.device
    for unit in situation.units:
        yield warning(
            "migrate-mount-unit",
            t("The systemd unit {unit} mounts {device}.", unit=unit, device=device),
            t("A conversion changes only fstab. A unit with Type=ext3 fails afterwards."),
            t("Change the unit to Type=ext4 or remove the type."),
            "/etc/systemd/system",
        )
    if not operations.fstab_operations(situation):
        yield info(
            "migrate-nothing-at-boot",
            t(
                "{fstab} needs no change: no line lists the filesystem as ext2 or ext3.",
                fstab=situation.fstab,
            ),
            t("Mounting as ext4 manually requires no changes."),
            t("Mount the filesystem as ext4."),
            "fstab(5)",
            command("mount", "-t", "ext4", device, "FOLDER", unused=device),
        )
    own = situation.own
    if own is None:
        return
    if own.fault:
        yield warning(
            "migrate-own-fstab",
            t(
                "{device} contains a system whose {file} is not changed: {fault}.",
                device=device,
                file=OWN_FSTAB,
                fault=own.fault,
            ),
            t("An ext3 or ext2 entry for the filesystem in that file would prevent booting."),
            t(
                "Change the type in {file} to ext4 after you keep the result, before booting that system.",
                file=OWN_FSTAB,
            ),
            "debugfs",
        )
        return
    for line in own.lines:
        if line.kind not in operations.OLD_TYPES:
            continue
        yield info(
            "migrate-own-fstab",
            t(
                "{device} contains a system. Line {number} of its {file} mounts the filesystem as {kind}.",
                device=device,
                file=OWN_FSTAB,
                kind=line.kind,
                number=line.number,
            ),
            t("That line would no longer work after conversion to ext4."),
            t("Conversions that write also change the line, and undo restores it."),
            "debugfs",
        )


ALL_FEATURES = Sentence("{device} already has all features that a conversion can add.")


def nothing_to_do(situation: Situation) -> Iterator[Finding]:
    """Report methods without further effect."""
    for way, code, form in (
        (Way.FULL, "migrate-complete", ALL_FEATURES),
        (
            Way.LIGHT,
            "migrate-light-complete",
            Sentence("{device} already has all features that need no rewrite."),
        ),
    ):
        if not operations.operations_for(way, situation.ext):
            sentence = form(device=situation.device)
            yield info(code, sentence, t("All features are already enabled."), NO_ACTION)
