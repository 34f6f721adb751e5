"""What stands against a migration in the room that it needs, and in how the system starts."""

from collections.abc import Iterator

from wizard.advise.missing import missing
from wizard.migrate.estimates import WIDE_INODE_BYTES, journal_blocks
from wizard.migrate.obstacles.finding import danger, info, version_text, warning
from wizard.migrate.operations import (
    INODES_WIDENED_FROM,
    OLD_TYPES,
    fstab_operations,
    operations_for,
    spare_blocks,
    widening_blocks,
    widening_fault,
)
from wizard.migrate.situation import BootPath, Situation
from wizard.migrate.steps import OWN_FSTAB
from wizard.migrate.words import TOO_FULL
from wizard.model.finding import Finding
from wizard.model.migration import Way
from wizard.model.names import printable
from wizard.model.units import format_capacity

TRIED_GRUB = (2, 6)
"""GRUB 2.06, as Debian 12 has it, read what was converted (grub-fstest)."""


def room_inside(situation: Situation) -> Iterator[Finding]:
    """What is free on it."""
    before, device = situation.ext, situation.device
    size = before.block_bytes
    if "has_journal" not in before.features and not 0 < journal_blocks(
        before
    ) <= before.free_blocks - spare_blocks(before):
        yield danger(
            "migrate-no-room-journal",
            situation,
            f"{device} has no room for a journal: that needs "
            f"{format_capacity(journal_blocks(before) * size)}, and "
            f"{format_capacity(before.free_blocks * size)} are free.",
            "Without one, a power cut leaves a filesystem that must be checked whole.",
            "Delete or move files off it first, or use the fresh way.",
            "superblock",
        )
    if before.free_blocks < spare_blocks(before):
        yield danger(
            "migrate-full",
            situation,
            f"{device} is full: {format_capacity(before.free_blocks * size)} are free, and it needs "
            f"{format_capacity(spare_blocks(before) * size)}.",
            "Files in many pieces need some more blocks when they are noted as runs.",
            "Delete or move files off it first.",
            "superblock",
        )
    if before.inode_bytes == INODES_WIDENED_FROM and (fault := widening_fault(before)):
        more = format_capacity(
            max(0, widening_blocks(before) + spare_blocks(before) - before.free_blocks) * size
        )
        yield warning(
            "migrate-narrow-inodes",
            situation,
            f"The entries (inodes) of {device} stay {before.inode_bytes} bytes long: {fault}.",
            f"Without {WIDE_INODE_BYTES} bytes there are no dates past January 2038 and no times finer than "
            "a second.",
            f"Free {more} more for it." if fault.code == TOO_FULL.code else "Only the fresh way gives that.",
        )
    if not before.free_inodes:
        yield info(
            "migrate-no-inodes",
            situation,
            f"{device} has no inode left: no file can be made on it, however much room is free.",
            f"The number of inodes ({before.inodes}) is set when a filesystem is made.",
            "Only the fresh way gives more.",
        )


def folders(situation: Situation) -> Iterator[Finding]:
    """Where what is replaced would lie."""
    # One folder that is named for both ways of keeping what is replaced is told of once.
    for folder in dict.fromkeys((situation.store, situation.undo_dir)):
        if folder.asked and folder.fault:
            yield danger(
                "migrate-folder",
                situation,
                f"{printable(folder.path, 200)} cannot hold what is replaced: {folder.fault}.",
                "What is replaced must lie on another filesystem that is there after a restart.",
                "Name another folder.",
                "statvfs(3)",
            )
    undo_dir = situation.undo_dir
    if undo_dir.fault and not undo_dir.asked and (situation.store.fault or situation.no_snapshots):
        yield danger(
            "migrate-no-folder",
            situation,
            f"There is no place for what would be replaced: {printable(undo_dir.path, 200)} cannot hold it, "
            f"since {undo_dir.fault}.",
            "Without it nothing could be taken back.",
            "Name a folder on another filesystem (with the command: --store or --undo-dir).",
            "statvfs(3)",
        )
    if situation.target is not None and situation.target.fault:
        yield danger(
            "migrate-target",
            situation,
            f"{printable(situation.target.device, 100)} cannot take the fresh filesystem: "
            f"{situation.target.fault}.",
            "It is made anew, so whatever it held would be lost.",
            "Name another volume (with the command: --to).",
            "libblkid",
        )


def boot_path(situation: Situation) -> Iterator[Finding]:
    """A system that starts from it."""
    boot, device = situation.boot, situation.device
    if not boot.place:
        return
    old = boot.grub != (0, 0) and boot.grub < TRIED_GRUB
    yield warning(
        "migrate-boot-loader",
        situation,
        f"The system's {'root' if boot.place == '/' else boot.place} lies on {device}: what starts it must "
        f"be able to read ext4. {_grub_reads(boot, situation.family)}",
        f"The GRUB here is {_grub(boot.grub)}{', and older ones than 2.06 were not tried' if old else ''}. "
        "Which one is in the boot sector cannot be seen from here; it can be older.",
        "Keep a rescue medium at hand, and install the boot loader anew afterwards (grub-install), before "
        "the first restart.",
        "grub-install --version",
    )
    if boot.root_type in OLD_TYPES:
        yield warning(
            "migrate-root-type",
            situation,
            f"The kernel is started with rootfstype={boot.root_type}, with which it would not find its root "
            "as ext4.",
            "The word stands in the boot loader's settings.",
            "Take it out there, or write ext4, before the restart.",
            "/proc/cmdline",
        )
    if boot.initramfs:
        again = (
            "update-initramfs -u -k all"
            if boot.initramfs == "initramfs-tools"
            else "dracut -f --regenerate-all"
        )
        yield info(
            "migrate-initramfs",
            situation,
            f"The first root (initramfs) is made by {boot.initramfs}, and must mount it as ext4.",
            "Linux mounts ext3 by ext4's driver since 4.3, and before that one made for ext3 can lack it.",
            "Where Linux is older than 4.3, or ext3 was written into it (rootfstype=), make it anew before "
            f"the first start: `{again}`, from a rescue medium with chroot where it does not run.",
            "/etc",
        )


def at_boot(situation: Situation) -> Iterator[Finding]:
    """What mounts it at every start."""
    for unit in situation.units:
        yield warning(
            "migrate-mount-unit",
            situation,
            f"{printable(unit, 200)} mounts {situation.device} by a unit of systemd's own.",
            "Only fstab is changed by a migration. A unit with Type=ext3 fails afterwards.",
            "Write Type=ext4 there, or take the word out.",
            "/etc/systemd/system",
        )
    if not fstab_operations(situation):
        named = "names it as it is to stay" if situation.lines else "does not name it"
        yield info(
            "migrate-nothing-at-boot",
            situation,
            f"{printable(situation.fstab, 200)} {named}, so nothing is changed there.",
            "Mounting it as ext4 by hand needs no change at all.",
            f"`mount -t ext4 {situation.device} PLACE` mounts it so.",
            "fstab(5)",
        )


def own_fstab(situation: Situation) -> Iterator[Finding]:
    """The system that lies on it, and does not run."""
    own, device = situation.own, situation.device
    if own is None:
        return
    lines = [line for line in own.lines if line.kind in OLD_TYPES]
    if own.fault:
        yield warning(
            "migrate-own-fstab",
            situation,
            f"A system lies on {device}, and its {OWN_FSTAB} is not changed: {own.fault}.",
            "A line there that names the filesystem as ext3 or ext2 would keep that system from starting.",
            f"Look at {OWN_FSTAB} on it after `keep`, before that system is started, and write ext4 in its "
            "line.",
            "debugfs",
        )
    for line in lines if not own.fault else ():
        yield info(
            "migrate-own-fstab",
            situation,
            f"A system lies on {device}, whose {OWN_FSTAB} mounts it as {line.kind} by line {line.number}.",
            "As ext4 it would not be mounted by that line.",
            "The ways that write change the line with everything else, and undoing puts it back with "
            "everything else.",
            "debugfs",
        )


def nothing_to_do(situation: Situation) -> Iterator[Finding]:
    """What it has already."""
    before = situation.ext
    for way, code, said in (
        (Way.FULL, "migrate-complete", "has everything that a conversion can give"),
        (
            Way.LIGHT,
            "migrate-light-complete",
            "has everything that can be switched on without rewriting anything",
        ),
    ):
        if not operations_for(way, before):
            yield info(
                code,
                situation,
                f"{situation.device} {said}.",
                "All of it was switched on before.",
                "There is nothing to do.",
            )


def _grub_reads(boot: BootPath, family: str) -> str:
    """What is done to find out whether GRUB can read it."""
    if not boot.grub_folder:
        return f"Whether GRUB can is judged by its version alone: it is {_grub(boot.grub)}."
    if not boot.grub_reader:
        return (
            f"{missing(('grub-fstest',), family).said} Without it, whether GRUB can is judged by its version "
            f"alone: it is {_grub(boot.grub)}."
        )
    return (
        f"GRUB's own driver ({boot.grub_reader}, {_grub(boot.grub)}) has to read {boot.grub_folder} and a "
        "kernel as Linux does when all is converted: where it does not, it ends there, before anything is "
        "committed or, on the filesystem itself, to be undone."
    )


def _grub(version: tuple[int, int]) -> str:
    return "not found" if version == (0, 0) else f"of version {version_text(version)}"
