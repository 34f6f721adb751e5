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
from wizard.migrate.words import boot, room
from wizard.migrate.words.inodes import TOO_FULL
from wizard.model.documents.migration import Way
from wizard.model.finding import Finding
from wizard.model.names import printable
from wizard.model.said import Said, in_a_row

TRIED_GRUB = (2, 6)
"""GRUB 2.06, as Debian 12 has it, read what was converted (grub-fstest)."""

NO_GRUB = (0, 0)
"""None of its programs is there, or none tells its version."""

MADE_ANEW = ("update-initramfs", "-u", "-k", "all")
MADE_ANEW_BY_DRACUT = ("dracut", "-f", "--regenerate-all")
"""What makes every initramfs anew."""


def room_inside(situation: Situation) -> Iterator[Finding]:
    """What is free on it."""
    before, device = situation.ext, situation.device
    size = before.block_bytes
    free, spare = before.free_blocks * size, spare_blocks(before)
    if "has_journal" not in before.features and not 0 < journal_blocks(before) <= before.free_blocks - spare:
        yield danger(
            "migrate-no-room-journal",
            situation,
            room.NO_JOURNAL(device=device, needed=journal_blocks(before) * size, free=free),
            room.NO_JOURNAL_WHY(),
            room.NO_JOURNAL_REMEDY(),
            "superblock",
        )
    if before.free_blocks < spare:
        yield danger(
            "migrate-full",
            situation,
            room.FULL(device=device, free=free, needed=spare * size),
            room.FULL_WHY(),
            room.FULL_REMEDY(),
            "superblock",
        )
    if before.inode_bytes == INODES_WIDENED_FROM and (fault := widening_fault(before)):
        more = max(0, widening_blocks(before) + spare - before.free_blocks) * size
        yield warning(
            "migrate-narrow-inodes",
            situation,
            room.NARROW(device=device, bytes=before.inode_bytes, fault=fault),
            room.NARROW_WHY(bytes=WIDE_INODE_BYTES),
            room.NARROW_FREE(more=more) if fault.code == TOO_FULL.code else room.NARROW_FRESH(),
        )
    if not before.free_inodes:
        yield info(
            "migrate-no-inodes",
            situation,
            room.NO_INODES(device=device),
            room.NO_INODES_WHY(inodes=before.inodes),
            room.NO_INODES_REMEDY(),
        )


def folders(situation: Situation) -> Iterator[Finding]:
    """Where what is replaced would lie."""
    # One folder that is named for both ways of keeping what is replaced is told of once.
    for folder in dict.fromkeys((situation.store, situation.undo_dir)):
        if folder.asked and folder.fault:
            yield danger(
                "migrate-folder",
                situation,
                room.FOLDER(folder=printable(folder.path, 200), fault=folder.fault),
                room.FOLDER_WHY(),
                room.FOLDER_REMEDY(),
                "statvfs(3)",
            )
    undo_dir = situation.undo_dir
    if undo_dir.fault and not undo_dir.asked and (situation.store.fault or situation.no_snapshots):
        yield danger(
            "migrate-no-folder",
            situation,
            room.NO_FOLDER(folder=printable(undo_dir.path, 200), fault=undo_dir.fault),
            room.NO_FOLDER_WHY(),
            room.NO_FOLDER_REMEDY(),
            "statvfs(3)",
        )
    if situation.target is not None and situation.target.fault:
        yield danger(
            "migrate-target",
            situation,
            room.TARGET(target=printable(situation.target.device, 100), fault=situation.target.fault),
            room.TARGET_WHY(),
            room.TARGET_REMEDY(),
            "libblkid",
        )


def boot_path(situation: Situation) -> Iterator[Finding]:
    """A system that starts from it."""
    found, device = situation.boot, situation.device
    if not found.place:
        return
    lies = boot.ROOT(device=device) if found.place == "/" else boot.BOOT(place=found.place, device=device)
    version = _grub(found.grub)
    if found.grub == NO_GRUB:
        why = boot.LOADER_NONE_WHY()
    else:
        why = (boot.LOADER_OLD_WHY if found.grub < TRIED_GRUB else boot.LOADER_WHY)(version=version)
    yield warning(
        "migrate-boot-loader",
        situation,
        in_a_row(lies, *_grub_reads(found, situation.family)),
        why,
        boot.LOADER_REMEDY(),
        "grub-install --version",
    )
    if found.root_type in OLD_TYPES:
        yield warning(
            "migrate-root-type",
            situation,
            boot.ROOT_TYPE(kind=found.root_type),
            boot.ROOT_TYPE_WHY(),
            boot.ROOT_TYPE_REMEDY(),
            "/proc/cmdline",
        )
    if found.initramfs:
        again = MADE_ANEW if found.initramfs == "initramfs-tools" else MADE_ANEW_BY_DRACUT
        yield info(
            "migrate-initramfs",
            situation,
            boot.INITRAMFS(maker=found.initramfs, device=device),
            boot.INITRAMFS_WHY(),
            boot.INITRAMFS_REMEDY(command=" ".join(again)),
            "/etc",
        )


def at_boot(situation: Situation) -> Iterator[Finding]:
    """What mounts it at every start."""
    device = situation.device
    for unit in situation.units:
        yield warning(
            "migrate-mount-unit",
            situation,
            boot.UNIT(unit=printable(unit, 200), device=device),
            boot.UNIT_WHY(),
            boot.UNIT_REMEDY(),
            "/etc/systemd/system",
        )
    if not fstab_operations(situation):
        said = boot.STAYS if situation.lines else boot.NOT_NAMED
        yield info(
            "migrate-nothing-at-boot",
            situation,
            said(fstab=printable(situation.fstab, 200)),
            boot.NOT_NAMED_WHY(),
            boot.NOT_NAMED_REMEDY(device=device),
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
            boot.OWN_STAYS(device=device, file=OWN_FSTAB, fault=own.fault),
            boot.OWN_STAYS_WHY(),
            boot.OWN_STAYS_REMEDY(file=OWN_FSTAB),
            "debugfs",
        )
    for line in lines if not own.fault else ():
        yield info(
            "migrate-own-fstab",
            situation,
            boot.OWN_LINE(device=device, file=OWN_FSTAB, kind=line.kind, number=line.number),
            boot.OWN_LINE_WHY(),
            boot.OWN_LINE_REMEDY(),
            "debugfs",
        )


def nothing_to_do(situation: Situation) -> Iterator[Finding]:
    """What it has already."""
    for way, code, said in (
        (Way.FULL, "migrate-complete", room.COMPLETE),
        (Way.LIGHT, "migrate-light-complete", room.LIGHT_COMPLETE),
    ):
        if not operations_for(way, situation.ext):
            yield info(
                code,
                situation,
                said(device=situation.device),
                room.COMPLETE_WHY(),
                room.COMPLETE_REMEDY(),
            )


def _grub_reads(found: BootPath, family: str) -> tuple[Said, ...]:
    """What is done to find out whether GRUB can read it."""
    version = _grub(found.grub)
    judged = boot.GRUB_UNKNOWN() if found.grub == NO_GRUB else boot.GRUB_BY_VERSION(version=version)
    if not found.grub_folder:
        return (judged,)
    if not found.grub_reader:
        return missing(("grub-fstest",), family).said, judged
    return (boot.GRUB_READS(reader=found.grub_reader, version=version, folder=found.grub_folder),)


def _grub(version: tuple[int, int]) -> Said:
    return boot.GRUB_NOT_FOUND() if version == NO_GRUB else boot.GRUB_VERSION(version=version_text(version))
