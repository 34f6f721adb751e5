"""Check that changes still fit their filesystem. Refuses in doubt; never writes.

The drive of a plan must be unused. Here the filesystem stays in use, which is safe because no data is
touched. Instead, the same filesystem must be on the same drive, and each setting must have its old value. The
drive's lock still excludes plans.
"""

import os
from collections.abc import Iterator, Set
from contextlib import suppress
from itertools import chain
from pathlib import Path

from wizard.apply.block.devices import devices_with, drives_under, node_fault
from wizard.apply.plan import identity_check
from wizard.apply.plan.guard import NOT_ON_DRIVE, OPTIONS_REFUSED
from wizard.apply.run.backup_store import LOOK_SECONDS, Environment
from wizard.apply.run.process import refused
from wizard.apply.settings.existing_filesystem import location_fault
from wizard.apply.settings.states import How, read
from wizard.apply.settings.system import RunningSystem, system_of
from wizard.apply.system.fstab import check_writable
from wizard.apply.tree.mount_read_only import driver_refusal
from wizard.model.errors import BadInput, Failed
from wizard.model.machine import Drive
from wizard.model.requests import NewUuid
from wizard.model.said import Message, Sentence, t
from wizard.operations.layers import StopLayer
from wizard.operations.operation import AS_SENTENCE, Setting
from wizard.operations.settings import Relabel, SwitchOnTimer
from wizard.plan.changes import Bring, Changes, Migration
from wizard.probe.host import sysfs
from wizard.probe.machine import probe_drive
from wizard.process.program import find, run

AGAIN = Sentence("{fault:First}. Prepare the changes again.")


def clones_of(device: str, uuid: str) -> tuple[str, ...]:
    """Return other devices with a filesystem of this UUID. Excludes stacked devices and other members of the
    same filesystem. Empty if blkid fails."""
    node = os.path.realpath(device)
    found = sorted({os.path.realpath(one) for one in devices_with(uuid)})
    others = (one for one in found if one != node and not is_stacked(one, node))

    def member(one: str) -> str:
        # Only members of a Btrfs have this UUID.
        argv = ("blkid", "-c", "/dev/null", "-o", "value", "-s", "UUID_SUB", one)
        return run(argv, accept=(0, 2)).output

    with suppress(Failed):
        return tuple(one for one in others if member(one) == member(node))
    return ()


def clone_fault(device: str, uuid: str) -> Message | None:
    """Return a clause that names the copies of a filesystem that are attached, or None."""
    clones = clones_of(device, uuid)
    if not clones:
        return None
    return t(
        "{devices:list} have the same filesystem {uuid}: detach all but the right one, or use "
        "`diskwright new-uuid` for the copy",
        devices=(device, *clones),
        uuid=uuid,
    )


def is_stacked(one: str, other: str) -> bool:
    """Return True if one device is on top of the other, or both are on the same device, as a volume and its
    snapshot."""
    below = {*lower_devices(one)}, {*lower_devices(other)}
    return one in below[1] or other in below[0] or bool(below[0] & below[1])


def lower_devices(node: str) -> Iterator[str]:
    """Yield the devices below a stacked device, also below a loop device."""
    folder = sysfs.folder_of(node)
    lower = [sysfs.node_of(entry.name) for entry in folder.glob("slaves/*")]
    with suppress(OSError):
        file = (folder / "loop/backing_file").read_text().rstrip("\n")
        lower += [os.path.realpath(file)] if file.startswith("/dev/") else []
    for one in lower:
        yield one
        yield from lower_devices(one)


def checked(changes: Changes) -> Changes:
    """Return the changes. Raises Refused if the kernel refuses an option, or if a copy is attached of a
    filesystem to mount, now or by fstab."""
    check_options(changes)
    mounts = any(setting.mounts for setting in changes.settings)
    if mounts and (fault := clone_fault(changes.device, changes.uuid)):
        raise refused(AS_SENTENCE(clause=fault))
    return changes


def check_own(document: Changes | Migration, environment: Environment) -> None:
    """Raises Refused if a change is for a file, drive or system that this run may not touch."""
    drive = document.drive.path
    environment.check_allowed((drive,))
    for node in {drive, document.device}:
        if reason := location_fault(node, drive):
            raise refused(NOT_ON_DRIVE(node=node, reason=reason))
    check_foreign(document, environment)


def check_foreign(document: Changes | Migration | Bring, environment: Environment) -> None:
    """Raises Refused if a setting belongs to another system, or a file cannot be written."""
    for setting in document.settings:
        if why := setting.foreign(environment.fstab, environment.rules):
            raise refused(why)
        if file := setting.edited_file:
            check_writable(Path(file))
        match setting:
            case SwitchOnTimer(unit=unit) if not environment.is_running_system:
                raise refused(t("{unit} can only be enabled on the running system.", unit=unit))
            case StopLayer(members=members):
                # Without the layers that an earlier attempt has stopped.
                found = (drives_under(member) for member in members if Path(member).exists())
                environment.check_allowed(chain.from_iterable(found))


def check_options(changes: Changes) -> None:
    """Raises Refused if the kernel refuses a mount option that the changes add. Writes nothing."""
    for setting in changes.settings:
        for driver, options in setting.added_options(changes.filesystem):
            if find(f"mount.{driver}") is None and (why := driver_refusal(driver, options, changes.device)):
                raise refused(OPTIONS_REFUSED(device=changes.device, why=why))


def check_new(changes: Changes) -> None:
    """Raises Refused unless the drive and filesystem are those of the changes, and all settings have their
    old values."""
    drive = identity_check.probe_again(changes.drive)
    identity_check.check_same_start(changes.drive, drive)
    if fault := _filesystem_fault(changes, drive):
        raise refused(AGAIN(fault=fault))
    check_state(changes, frozenset(), frozenset())
    check_options(changes)


def check_state(changes: Changes, begun: Set[int], done: Set[int]) -> None:
    """Raises Refused if a setting does not fit the steps that are started and done, by number from 1."""
    for number, setting in enumerate(changes.settings, 1):
        if number in done:
            fits = {How.AFTER} if setting.lasts else {How.AFTER, How.BEFORE}
        else:
            fits = {How.BEFORE, How.AFTER, How.HALF} if number in begun else {How.BEFORE}
        check_setting(setting, system_of(changes), fits)


def check_setting(setting: Setting, system: RunningSystem, fits: Set[How]) -> None:
    """Raises Refused if the setting is in any other state than `fits`."""
    try:
        found = read(setting, system)
    except (BadInput, Failed) as error:
        raise refused(error) from None
    if found.how not in fits:
        raise refused(AGAIN(fault=found.seen))


def device_fault(changes: Changes) -> Message | str | None:
    """Return a clause on why the device is no longer the changed one, or None."""
    path = changes.drive.path
    try:
        drive = probe_drive(path, seconds=LOOK_SECONDS)
    except BadInput:
        return t("{path} is missing", path=path)
    if reason := node_fault(changes.device, path):
        return reason
    # The filesystem's UUID is compared below. A copy has the UUID of another drive.
    is_known = bool(changes.uuid) and not isinstance(changes.wanted, NewUuid)
    fault = identity_check.drive_fault(changes.drive, drive, lambda: is_known or None)
    return fault or _filesystem_fault(changes, drive)


def _filesystem_fault(changes: Changes, drive: Drive) -> Message | None:
    if not changes.filesystem:
        return None
    relabels = (one for one in changes.settings if isinstance(one, Relabel))
    uuids = {changes.uuid, *(one.new for one in relabels if one.identifier == "uuid")}
    if drive.content_on(changes.device) not in {(changes.filesystem, uuid) for uuid in uuids}:
        return t(
            "{device} no longer contains the {kind} {uuid}",
            device=changes.device,
            kind=changes.filesystem,
            uuid=changes.uuid,
        )
    return None if isinstance(changes.wanted, NewUuid) else clone_fault(changes.device, changes.uuid)
