"""Check that a conversion still fits the device, and start the run. Refuses in doubt.

The checks never write to the device.
"""

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from wizard.apply.block.devices import (
    SYS_BLOCK,
    facts_on,
    kernel_name,
    node_fault,
    open_exclusively,
    size_bytes,
    superblock_on,
)
from wizard.apply.conversion.fstab import type_state
from wizard.apply.conversion.look import drive_of, look_at_ext
from wizard.apply.conversion.state import store_of
from wizard.apply.conversion.verify import manifests_bytes
from wizard.apply.engine.scratch_copies import blocker, free_bytes
from wizard.apply.engine.writable_copy import obstacle
from wizard.apply.plan.guard import check_programs
from wizard.apply.plan.identity_check import check_same_start, drive_fault, probe_again
from wizard.apply.run.backup_store import LOOK_SECONDS, Environment
from wizard.apply.run.job import ANOTHER_DRIVE, Start, check_root
from wizard.apply.run.load import check_told
from wizard.apply.run.process import NOTHING_WRITTEN, lock_drives, settle
from wizard.apply.run.runs import check_lasts, check_room, is_in_memory, refuse_open_folder
from wizard.apply.system.fstab import NO_FSTAB, check_writable
from wizard.ext4.check import check_migration
from wizard.ext4.make import doubts_of
from wizard.ext4.steps import proof
from wizard.ext4.superblock import read_ext
from wizard.model.errors import BadInput, Failed, Refused
from wizard.model.ext import ExtFacts
from wizard.model.machine import Drive
from wizard.model.migration import Migration, SetFstabType, Way
from wizard.model.said import Message, Sentence, join, t
from wizard.operations.operation import How
from wizard.plan.refusals import in_use
from wizard.probe.machine import probe_drive

AGAIN = t("Check again with `diskwright migrate`. Nothing was written.")
IN_USE = Sentence("{device} is in use: {reason}. Nothing was written.")


def check_own(migration: Migration, environment: Environment) -> None:
    """Raises Refused if the conversion writes to a drive or file that is off limits for this run."""
    drive = migration.drive.path
    if environment.only is not None and drive not in environment.only:
        raise Refused(t("This run may not write to {drive}. Nothing was written.", drive=drive))
    for node, reason in (
        (drive, node_fault(drive, drive)),
        (migration.device, _location_fault(migration.device, drive)),
    ):
        if reason:
            raise Refused(
                t(
                    "Cannot confirm that {node} is on the planned drive: {reason}. Nothing was written.",
                    node=node,
                    reason=reason,
                )
            )
    for operation in (step.operation for step in migration.steps):
        if isinstance(operation, SetFstabType):
            if Path(operation.file) != environment.fstab:
                file = operation.file
                raise Refused(
                    t(
                        "This conversion changes {file}, not {fstab}. To change that system, add "
                        "--fstab {file}. Nothing was written.",
                        file=file,
                        fstab=str(environment.fstab),
                    )
                )
            check_writable(environment.fstab, str(NO_FSTAB))


def _location_fault(device: str, drive: str) -> Message | str | None:
    """Return why a device is not the drive, a partition of the drive or a volume on it according to sysfs.
    None if it is, or is missing."""
    folder = SYS_BLOCK / kernel_name(device)
    if device == drive or (folder / "partition").exists() or not Path(device).is_block_device():
        return node_fault(device, drive)
    try:
        found = drive_of(folder.name)
    except BadInput as error:
        return str(error)
    return None if found == drive else str(t("{device} is on {drive}", device=device, drive=found))


def check_migration_tools(migration: Migration) -> None:
    """Raises Refused if a program for a step, a check or an undo is missing."""
    wanted = {argv[0] for step in migration.steps for argv in step.commands}
    if migration.way is not Way.MOUNT:
        wanted |= {proof(migration.device)[0], "env"}
    check_programs(wanted)


def check_new(migration: Migration) -> None:
    """Raises Refused unless the drive and the filesystem are as planned, and unused if the device will
    change."""
    drive = probe_again(migration.drive)
    check_same_start(migration.drive, drive)
    if migration.way is not Way.MOUNT:
        if drive.read_only:
            raise Refused(t("{drive} is read-only. Nothing was written.", drive=drive.path))
        check_unused(migration.device, drive)
    check_as_looked_at(migration)
    check_lines(migration, frozenset({How.BEFORE}))
    if migration.store:
        _check_room(migration)


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
    if now != migration.before and migration.way is not Way.MOUNT:
        raise Refused(
            join(
                t(
                    "{device} has changed since the conversion was planned: the superblock differs.",
                    device=migration.device,
                ),
                AGAIN,
            )
        )


def _check_room(migration: Migration) -> None:
    """Raises Refused if no scratch copy can be made, or if its folder is open to other users, in memory or
    too small."""
    folder, needed_bytes = Path(migration.store), migration.room_bytes
    shown = str(folder)
    existing = next(above for above in (folder.absolute(), *folder.absolute().parents) if above.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK):
        raise Refused(
            t(
                "The scratch copy cannot be in {folder}: not a writable folder. Nothing was written.",
                folder=shown,
            )
        )
    refuse_open_folder(existing)
    if is_in_memory(existing):
        raise Refused(
            t(
                "The scratch copy cannot be in {folder}: the folder is in memory and does "
                "not survive a power cut. Nothing was written. Name a folder on another "
                "volume with --store DIR.",
                folder=shown,
            )
        )
    if why := obstacle() or blocker(existing, (size_bytes(migration.device),)):
        raise Refused(t("Cannot make a scratch copy: {why}. Nothing was written.", why=why))
    if (free := free_bytes(existing)) < needed_bytes:
        raise Refused(
            t(
                "The scratch copy cannot be in {folder}: {free:exact} free, up to "
                "{needed:exact} needed. Nothing was written. Name a folder on another volume "
                "with --store DIR.",
                folder=shown,
                free=free,
                needed=needed_bytes,
            )
        )


def check_lines(migration: Migration, fits: frozenset[How]) -> None:
    """Raises Refused if the state of an fstab line is not in `fits`."""
    for step in migration.steps:
        if isinstance(step.operation, SetFstabType):
            try:
                found = type_state(step.operation, migration)
            except BadInput as error:
                raise Refused(f"{error} {NOTHING_WRITTEN}") from None
            if found.how not in fits:
                raise Refused(
                    join(t("{seen:First} since the conversion was planned.", seen=found.seen), AGAIN)
                )


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
    if migration.way is not Way.MOUNT:
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


def outcome(migration: Migration) -> Message:
    """Return the outcome to confirm, as the end of a sentence."""
    return t("{device} becomes ext4", device=migration.device)


def folders_outside(migration: Migration, name: str) -> Iterator[Path]:
    """Yield the folders outside of the runs' folder that a run of this name would use."""
    if migration.store:
        yield store_of(Path(migration.store), name)


def lock_checked(migration: Migration, how: Start, *, make: bool) -> tuple[int, ...]:
    """Run all checks of a new run, and return the locks of the drives. Raises Refused or BadInput."""
    check_migration(migration)
    check_root()
    check_own(migration, how.environment)
    check_migration_tools(migration)
    if migration.store:
        check_lasts(how.folder)
    check_room(how.folder, manifests_bytes(migration), make=make)
    settle()
    return lock_drives({migration.drive.path}, partial(check_new, migration))


def check_explained(migration: Migration, environment: Environment) -> None:
    """Raises Refused if the warnings differ from those for the filesystem as it is now. Raises like
    `look_at_ext`, too."""
    situation = look_at_ext(
        migration.device,
        environment,
        store=Path(migration.store) if migration.store else None,
    )
    wanted = tuple(doubts_of(situation, migration.way, manifest=migration.manifest))
    again = " ".join(("diskwright", "migrate", migration.device))
    check_told(wanted, migration.doubts, again)
