"""Check that a conversion still fits the device. Refuses in doubt.

The checks never write to the device.
"""

from collections.abc import Set
from functools import partial
from pathlib import Path

from wizard.apply.block.devices import facts_on, open_exclusively, size_bytes, superblock_on
from wizard.apply.conversion.look import look_at_ext
from wizard.apply.engine.scratch_copies import blocker
from wizard.apply.engine.writable_copy import obstacle
from wizard.apply.plan.guard import check_programs
from wizard.apply.plan.identity_check import check_same_start, drive_fault, probe_again
from wizard.apply.run.backup_store import LOOK_SECONDS, Environment
from wizard.apply.run.job import ANOTHER_DRIVE, Start, check_root
from wizard.apply.run.load import check_told
from wizard.apply.run.process import lock_drives, settle
from wizard.apply.run.runs import check_lasts, check_room
from wizard.apply.settings.guard import check_own, check_setting
from wizard.apply.settings.system import system_of
from wizard.ext4.document import check_migration, doubts_of
from wizard.ext4.superblock import read_ext
from wizard.model.errors import BadInput, Failed, Refused
from wizard.model.ext import ExtFacts
from wizard.model.machine import Drive
from wizard.model.said import Message, Sentence, join, t
from wizard.operations.ext4 import CHECKER
from wizard.operations.operation import How
from wizard.plan.conversion import Migration
from wizard.plan.refusals import in_use
from wizard.probe.machine import probe_drive

AGAIN = t("Check again with `diskwright migrate`. Nothing was written.")
IN_USE = Sentence("{device} is in use: {reason}. Nothing was written.")


def check_migration_tools(migration: Migration) -> None:
    """Raises Refused if a program for a step, a check or an undo is missing."""
    wanted = {argv[0] for step in migration.steps for argv in step.commands}
    check_programs(wanted | ({CHECKER, "env"} if migration.way.converts else set()))


def check_new(migration: Migration) -> None:
    """Raises Refused unless the drive and the filesystem are as planned, and unused if the device will
    change."""
    drive = probe_again(migration.drive)
    check_same_start(migration.drive, drive)
    if migration.way.converts:
        if drive.read_only:
            raise Refused(t("{drive} is read-only. Nothing was written.", drive=drive.path))
        check_unused(migration.device, drive)
    check_as_looked_at(migration)
    check_fstab(migration, {How.BEFORE})


def planned_filesystem(migration: Migration, ending: Message) -> ExtFacts:
    """Return the facts about the planned filesystem. Raises Refused for another, or if unreadable."""
    device = migration.device
    try:
        now = facts_on(device)
    except Failed as error:
        raise Refused(f"{error} {ending}") from None
    if now.uuid != migration.before.uuid:
        other = t("{device} no longer contains filesystem {uuid}.", device=device, uuid=migration.before.uuid)
        raise Refused(join(other, ending))
    return now


def check_as_looked_at(migration: Migration) -> None:
    """Raises Refused unless the superblock is the same as when the conversion was planned."""
    now = planned_filesystem(migration, AGAIN)
    if now != migration.before and migration.way.converts:
        raise Refused(
            join(
                t(
                    "{device} has changed since the conversion was planned: the superblock differs.",
                    device=migration.device,
                ),
                AGAIN,
            )
        )


def check_fstab(migration: Migration, fits: Set[How]) -> None:
    """Raises Refused if the state of the fstab lines is not in `fits`."""
    for setting in migration.settings:
        check_setting(setting, system_of(migration), fits)


def check_unused(device: str, drive: Drive) -> None:
    """Raises Refused if the device is in use. The rest of the drive may be in use."""
    for use in drive.uses:
        if use.kind != "opened" and use.subject == device:
            raise Refused(IN_USE(device=device, reason=in_use(use)))
    if reason := open_exclusively(device):
        raise Refused(IN_USE(device=device, reason=reason))


def check_resumable(migration: Migration) -> None:
    """Raises Refused if the drive of a started run is another one, or a device to change is in use.

    A read-only device is accepted, since the run itself may have set that.
    """
    drive = drive_now(migration)
    if migration.way.converts:
        check_unused(migration.device, drive)


def drive_now(migration: Migration) -> Drive:
    """Return the drive of a conversion as probed now. Raises Refused if it may be another drive."""
    path = migration.drive.path
    try:
        drive = probe_drive(path, seconds=LOOK_SECONDS)
    except BadInput:
        raise Refused(t("{drive} is missing. Nothing was written.", drive=path)) from None
    if fault := drive_fault(migration.drive, drive, partial(_has_filesystem, migration)):
        raise Refused(ANOTHER_DRIVE(fault=fault))
    return drive


def _has_filesystem(migration: Migration) -> bool | None:
    """Return True if the device contains the filesystem of the conversion, old or new.

    None if the device has no ext superblock, or does not exist, such as a logical volume of an inactive
    group.
    """
    if not Path(migration.device).exists():
        return None
    found = read_ext(superblock_on(migration.device))
    return None if found is None else found.uuid == migration.before.uuid


ENTRY_BYTES = 160
"""Maximum for a packed entry of a manifest. The files of a system needed 67."""


def manifests_bytes(migration: Migration) -> int:
    """Return the space for a conversion's manifests in the run's folder."""
    if not migration.manifest:
        return 0
    return 2 * ENTRY_BYTES * (migration.before.inodes - migration.before.free_inodes)


def lock_checked(migration: Migration, how: Start, *, make: bool) -> tuple[int, ...]:
    """Run all checks of a new run, and return the locks of the drives. Raises Refused or BadInput."""
    check_migration(migration)
    check_root()
    check_own(migration, how.environment)
    check_migration_tools(migration)
    if migration.way.converts:
        check_lasts(how.folder)
    check_room(how.folder, migration.room_bytes + manifests_bytes(migration), make=make)
    if migration.way.converts:
        existing = next(above for above in (how.folder, *how.folder.parents) if above.exists())
        if why := obstacle() or blocker(existing, (size_bytes(migration.device),)):
            raise Refused(t("Cannot make a scratch copy: {why}. Nothing was written.", why=why))
    settle()
    return lock_drives({migration.drive.path}, partial(check_new, migration))


def check_explained(migration: Migration, environment: Environment) -> None:
    """Raises Refused if the warnings differ from those for the filesystem as it is now. Raises like
    `look_at_ext`, too."""
    situation = look_at_ext(migration.device, environment)
    wanted = tuple(doubts_of(situation, migration.way, manifest=migration.manifest))
    again = " ".join(("diskwright", "migrate", migration.device))
    check_told(wanted, migration.doubts, again)
