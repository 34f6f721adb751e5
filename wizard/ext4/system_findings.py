"""Conversion blockers in the required space and in the boot setup."""

from collections.abc import Iterator
from functools import partial

from wizard.advice.missing import missing
from wizard.ext4 import operations
from wizard.ext4.assessment import BootPath, Situation
from wizard.model.finding import NO_ACTION, Finding, FindingCommand, Severity
from wizard.model.said import Message, Sentence, join, t
from wizard.operations.ext4 import WIDE_INODE_BYTES
from wizard.operations.operation import OWN_FSTAB
from wizard.plan.changes import Way

FREE_SPACE = t("Delete or move files first.")

COPY_INSTEAD = t("Create an ext4 on another drive, then copy the files there.")
"""How to get an ext4 that no conversion can make."""

COPY_COMMANDS = t("Use `diskwright plan --fs ext4`, then `diskwright bring`.")
"""The commands of `COPY_INSTEAD`, where no finding names them."""

Commands = tuple[FindingCommand, ...]


def copy_commands(situation: Situation) -> Commands:
    """Return the commands that create an ext4 on another drive and copy the files there."""
    return (
        FindingCommand(("diskwright", "plan", "DRIVE", "--workload", "WORKLOAD", "--fs", "ext4")),
        FindingCommand(("diskwright", "bring", situation.device, "VOLUME")),
    )


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


def as_message(finding: Finding) -> Message | str:
    """Return a finding's sentence, and the remedy with commands."""
    sentence, remedy = finding.sentence, finding.advice
    if isinstance(sentence, Message) and isinstance(remedy, Message):
        return join(sentence, remedy)
    return f"{sentence} {remedy}"


def version_text(version: tuple[int, int]) -> str:
    """Format a version: 1.43 for (1, 43), 2.06 for (2, 6)."""
    return f"{version[0]}.{version[1]:02}"


TRIED_GRUB = (2, 6)
"""GRUB 2.06 of Debian 12 can read converted filesystems (tested with grub-fstest)."""

NO_GRUB = (0, 0)
"""No GRUB tool found, or no version reported."""

MADE_ANEW = ("update-initramfs", "-u", "-k", "all")
MADE_ANEW_BY_DRACUT = ("dracut", "-f", "--regenerate-all")
"""Commands that rebuild every initramfs."""


def room_inside(situation: Situation) -> Iterator[Finding]:
    """Report space and inodes."""
    before, device = situation.ext, situation.device
    size = before.block_bytes
    free, spare = before.free_blocks * size, operations.spare_blocks(before)
    if (
        "has_journal" not in before.features
        and not 0 < operations.journal_blocks(before) <= before.free_blocks - spare
    ):
        yield danger(
            "migrate-no-room-journal",
            t(
                "{device} is too full for a journal: {needed:size} required, {free:size} free.",
                device=device,
                needed=operations.journal_blocks(before) * size,
                free=free,
            ),
            t("Without a journal, a power cut requires a full filesystem check."),
            join(FREE_SPACE, COPY_INSTEAD),
            "superblock",
            copy_commands(situation),
        )
    if before.free_blocks < spare:
        yield danger(
            "migrate-full",
            t(
                "{device} is full: {free:size} free, {needed:size} required.",
                device=device,
                free=free,
                needed=spare * size,
            ),
            t("Fragmented files need some extra blocks for extents."),
            FREE_SPACE,
            "superblock",
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


def scratch_copy(situation: Situation) -> Iterator[Finding]:
    """Report a system that cannot make a scratch copy."""
    if situation.no_copy:
        yield danger(
            "migrate-no-copy",
            t("Cannot make a scratch copy: {why}.", why=situation.no_copy),
            t("A conversion needs loop devices and FUSE."),
            t("Load the kernel modules, or use another kernel or a rescue medium."),
            "/proc/filesystems",
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
    version = _grub_version(found.grub)
    if found.grub == NO_GRUB:
        why = t("GRUB's programs were not found. The GRUB version in the boot sector is unknown.")
    elif found.grub < TRIED_GRUB:
        why = t(
            "GRUB here is {version}; versions before 2.06 are untested. The version in "
            "the boot sector is unknown and may be older.",
            version=version,
        )
    else:
        why = t(
            "GRUB here is {version}. The version in the boot sector is unknown and may be older.",
            version=version,
        )
    yield warning(
        "migrate-boot-loader",
        join(contents, *_grub_check(found, situation.family)),
        why,
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
        command = MADE_ANEW if found.initramfs == "initramfs-tools" else MADE_ANEW_BY_DRACUT
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
            (FindingCommand(command),),
        )


def at_boot(situation: Situation) -> Iterator[Finding]:
    """Report units and fstab lines that mount the filesystem at boot."""
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
        form = (
            Sentence("{fstab} already has the correct type and is not changed.")
            if situation.lines
            else Sentence("{fstab} does not list the filesystem and is not changed.")
        )
        yield info(
            "migrate-nothing-at-boot",
            form(fstab=situation.fstab),
            t("Mounting as ext4 manually requires no changes."),
            t("Mount the filesystem as ext4."),
            "fstab(5)",
            (FindingCommand(("mount", "-t", "ext4", device, "FOLDER"), device),),
        )


def own_fstab(situation: Situation) -> Iterator[Finding]:
    """Report the fstab of an inactive system on the filesystem."""
    own, device = situation.own, situation.device
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


def nothing_to_do(situation: Situation) -> Iterator[Finding]:
    """Report methods without further effect."""
    for way, code, form in (
        (
            Way.FULL,
            "migrate-complete",
            Sentence("{device} already has all features that a conversion can add."),
        ),
        (
            Way.LIGHT,
            "migrate-light-complete",
            Sentence("{device} already has all features that need no rewrite."),
        ),
    ):
        if not operations.operations_for(way, situation.ext):
            yield info(
                code,
                form(device=situation.device),
                t("All features are already enabled."),
                NO_ACTION,
            )


def _grub_check(found: BootPath, family: str) -> tuple[Message, ...]:
    version = _grub_version(found.grub)
    judged = (
        t("GRUB support is unknown: its programs were not found.")
        if found.grub == NO_GRUB
        else t("GRUB support is judged by version alone ({version}).", version=version)
    )
    if not found.grub_folder:
        return (judged,)
    if not found.grub_reader:
        return missing(("grub-fstest",), family).said, judged
    return (
        t(
            "After the conversion, GRUB's own driver ({reader}, {version}) must read "
            "{folder} and a kernel as Linux does. Otherwise the run stops without a "
            "commit.",
            reader=found.grub_reader,
            version=version,
            folder=found.grub_folder,
        ),
    )


def _grub_version(version: tuple[int, int]) -> Message:
    return t("not found") if version == NO_GRUB else t("version {version}", version=version_text(version))
