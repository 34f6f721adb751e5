"""Check that changes still fit their filesystem. Refuses in doubt; never writes.

The drive of a plan must be unused. Here the filesystem stays in use, which is safe because no data is
touched. Instead, the same filesystem must be on the same drive, and each setting must have its old value. The
drive's lock still excludes plans.
"""

import os
import re
from collections.abc import Iterable, Iterator, Set
from contextlib import suppress
from pathlib import Path

from wizard.apply.block.devices import kernel_name, node_fault
from wizard.apply.plan.guard import OPTIONS_REFUSED, check_programs
from wizard.apply.plan.identity_check import check_same_start, drive_fault, probe_again
from wizard.apply.run.backup_store import LOOK_SECONDS, Environment
from wizard.apply.settings import existing_filesystem
from wizard.apply.settings.current_value import How, ValueState, current_state
from wizard.apply.system.fstab import parse
from wizard.apply.tree.mount_read_only import driver_refusal
from wizard.model.errors import BadInput, Failed, Refused
from wizard.model.layout import MAPPER
from wizard.model.machine import Drive
from wizard.model.requests import NewUuid
from wizard.model.said import Message, Sentence, t
from wizard.operations.layers import StopLayer
from wizard.operations.mounts import EditFstab, Mount, Remount, Unmount
from wizard.operations.settings import (
    GrowMounted,
    PowerOff,
    Relabel,
    ReserveBlocks,
    SetQueue,
    SwitchOnTimer,
    WriteRules,
)
from wizard.plan.changes import ChangeOperation, Changes
from wizard.plan.settings.steps_of import undo_commands
from wizard.probe.host.sysfs import LAYER, SYS, name_of, node_of, target
from wizard.probe.machine import probe_drive
from wizard.process.program import find, run


def clones_of(device: str, uuid: str) -> tuple[str, ...]:
    """Return other devices with a filesystem of this UUID. Excludes stacked devices and other members of the
    same filesystem. Empty if blkid fails."""
    node = os.path.realpath(device)
    others = (one for one in nodes_with(uuid) if one != node and not is_stacked(one, node))
    with suppress(Failed):
        return tuple(one for one in others if _member(one) == _member(node))
    return ()


def nodes_with(uuid: str) -> tuple[str, ...]:
    """Return all devices with this UUID; empty if the UUID is empty or blkid fails."""
    with suppress(Failed):
        found = _blkid("-o", "device", "-t", f"UUID={uuid}") if uuid else []
        return tuple(sorted({os.path.realpath(one) for one in found}))
    return ()


def is_stacked(one: str, other: str) -> bool:
    """Return True if one device is on top of the other, or both are on the same device, as a volume and its
    snapshot."""
    below = {*_lower_devices(one)}, {*_lower_devices(other)}
    return one in below[1] or other in below[0] or bool(below[0] & below[1])


def _lower_devices(node: str) -> Iterator[str]:
    """Yield the devices below a device."""
    folder = SYS / "class/block" / name_of(node)
    lower = [node_of(entry.name) for entry in folder.glob("slaves/*")]
    with suppress(OSError):
        file = (folder / "loop/backing_file").read_text().rstrip("\n")
        lower += [os.path.realpath(file)] if file.startswith("/dev/") else []
    for one in lower:
        yield one
        yield from _lower_devices(one)


def _member(node: str) -> list[str]:
    """Return the UUID of a Btrfs member; empty for other filesystems."""
    return _blkid("-o", "value", "-s", "UUID_SUB", node)


def _blkid(*words: str) -> list[str]:
    argv = ["blkid", "-c", "/dev/null", *words]
    return run(argv, seconds=LOOK_SECONDS, accept=(0, 2)).output.split()


def unambiguous(changes: Changes) -> Changes:
    """Return the changes. Raises Refused if a copy is attached of a filesystem to mount, now or by fstab."""
    mounts = any(isinstance(step.operation, EditFstab | Mount) for step in changes.steps)
    if mounts and (clones := clones_of(changes.device, changes.uuid)):
        found = existing_filesystem.CLONED(devices=(changes.device, *clones), uuid=changes.uuid)
        raise Refused(refusal(t("{fault}.", fault=found)))
    return changes


PROCESS = Path("/proc/self/status")

SYS_RESOURCE = 24
"""Number of CAP_SYS_RESOURCE (Linux include/uapi/linux/capability.h), which ext4 requires for growing
(fs/ext4/resize.c, ext4_resize_begin)."""

NO_GROWING = t(
    "The kernel does not let root grow a mounted ext filesystem here (CAP_SYS_RESOURCE). Unmount the "
    "filesystem first."
)

LOST_AT_RESTART = (Remount, Mount, Unmount, SetQueue, StopLayer)
"""Operations whose effect ends at reboot. Resuming after a reboot repeats them."""


NOT_ALLOWED = Sentence("This run may not touch {drive}.")


def _drives_below(members: Iterable[str]) -> set[str]:
    """Return the drives of devices that are drives or partitions. Arrays and volumes have no drive."""
    names = (kernel_name(member) for member in members if not member.startswith(MAPPER))
    folders = {name: target(SYS / "class/block" / name) for name in names}
    whole = {
        folder.parent.name if (folder / "partition").exists() else name
        for name, folder in folders.items()
        if folder is not None
    }
    return {node_of(name) for name in whole if not LAYER.match(name)}


def check_own(changes: Changes, environment: Environment) -> None:
    """Raises Refused if a change is for a file, drive or system that this run may not touch."""
    drive = changes.drive.path
    if environment.only is not None and drive not in environment.only:
        raise Refused(refusal(NOT_ALLOWED(drive=drive)))
    for node in {drive, changes.device}:
        if reason := node_fault(node, drive):
            raise Refused(
                refusal(
                    t(
                        "Cannot confirm that {node} is on the drive of these changes: {reason}.",
                        node=node,
                        reason=reason,
                    )
                )
            )
    for step in changes.steps:
        check_file(step.operation, environment)
        if isinstance(step.operation, StopLayer) and environment.only is not None:
            for other in _drives_below(step.operation.members) - {*environment.only}:
                raise Refused(refusal(NOT_ALLOWED(drive=other)))


def check_may(changes: Changes) -> None:
    """Raises Refused if this process lacks a capability, as root in a container may."""
    for step in changes.steps:
        operation = step.operation
        if isinstance(operation, GrowMounted) and _is_of_ext(operation) and not has_capability(SYS_RESOURCE):
            raise Refused(refusal(NO_GROWING))


def is_growing_refused() -> bool:
    """Return True if this process is root without the capability for growing. Others ask root first."""
    return os.geteuid() == 0 and not has_capability(SYS_RESOURCE)


def has_capability(number: int) -> bool:
    """Return True if this process has an effective capability (capabilities(7), proc_pid_status(5))."""
    found = re.search(r"(?m)^CapEff:\s+([0-9a-f]+)$", PROCESS.read_text())
    return found is not None and bool(int(found[1], 16) >> number & 1)


def check_file(operation: ChangeOperation, environment: Environment) -> None:
    """Raises Refused if the operation changes a file outside the environment, or one that is not writable."""
    match operation:
        case EditFstab(file=file) if Path(file) != environment.fstab:
            raise Refused(
                refusal(
                    t(
                        "These changes are for {file}, not for {fstab}: add --fstab {file} if you "
                        "mean that system.",
                        file=file,
                        fstab=str(environment.fstab),
                    )
                )
            )
        case WriteRules(file=file) if Path(file).parent != environment.rules:
            raise Refused(
                refusal(
                    t(
                        "These changes write {file}, which is not in {folder}.",
                        file=file,
                        folder=str(environment.rules),
                    )
                )
            )
        case SwitchOnTimer(unit=unit) if not environment.is_running_system:
            raise Refused(refusal(t("{unit} can only be enabled on the running system.", unit=unit)))
        case EditFstab(file=file) | WriteRules(file=file):
            real = Path(file).resolve()
            if (real.exists() and not real.is_file()) or not os.access(real.parent, os.W_OK):
                raise Refused(refusal(t("{file} is not writable here.", file=str(real))))
        case _:
            pass


def check_options(changes: Changes) -> None:
    """Raises Refused if the kernel refuses a mount option that the changes add. Writes nothing."""
    for step in changes.steps:
        for driver, options in _added_options(step.operation, changes.filesystem):
            if find(f"mount.{driver}") is None and (why := driver_refusal(driver, options, changes.device)):
                raise Refused(refusal(OPTIONS_REFUSED(device=changes.device, why=why)))


def _added_options(operation: ChangeOperation, kind: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield drivers with the options that they get for the first time."""
    match operation:
        case Mount(filesystem=driver, options=options):
            yield driver, options
        case EditFstab(file=file, lines=edits):
            for edit in edits:
                old, new = (parse(text or "", file) for text in (edit.old, edit.new))
                kept = {option for line in old for option in line.options}
                for line in new:
                    driver = kind if line.kind == "auto" else line.kind
                    yield driver, tuple(option for option in line.options if option not in kept)
        case _:
            pass


def check_tuning_tools(changes: Changes) -> None:
    """Raises Refused if a tool for a step, its check or undo is missing."""
    operations = [step.operation for step in changes.steps]
    wanted = {argv[0] for step in changes.steps for argv in (*step.commands, *undo_commands(step.operation))}
    check_programs(wanted | {"dumpe2fs" for operation in operations if _is_of_ext(operation)})


def _is_of_ext(operation: ChangeOperation) -> bool:
    return isinstance(operation, ReserveBlocks) or (
        isinstance(operation, GrowMounted) and operation.filesystem.startswith("ext")
    )


def check_new(changes: Changes) -> None:
    """Raises Refused unless the drive and filesystem are those of the changes, and all settings have their
    old values."""
    drive = probe_again(changes.drive)
    check_same_start(changes.drive, drive)
    if fault := _filesystem_fault(changes, drive):
        raise Refused(t("{fault:First}. Prepare the changes again. Nothing was written.", fault=fault))
    check_state(changes, frozenset(), frozenset())
    check_options(changes)


def check_state(changes: Changes, begun: Set[int], done: Set[int]) -> None:
    """Raises Refused if a setting does not fit the steps that are started and done, by number from 1."""
    for number, step in enumerate(changes.steps, 1):
        found = _state(step.operation, changes)
        if number in done:
            fits = {How.AFTER, How.BEFORE} if isinstance(step.operation, LOST_AT_RESTART) else {How.AFTER}
        else:
            fits = {How.BEFORE, How.AFTER, How.HALF} if number in begun else {How.BEFORE}
        if found.how not in fits:
            raise Refused(
                t(
                    "{seen:First}, unlike when these changes were prepared or started. Prepare "
                    "the changes again. Nothing was written.",
                    seen=found.seen,
                )
            )


def _state(operation: ChangeOperation, changes: Changes) -> ValueState:
    try:
        return current_state(operation, changes.drive)
    except (BadInput, Failed) as error:
        raise Refused(refusal(error)) from None


def refusal(why: object) -> Message:
    """Return a refusal with its reason."""
    return t("{why} Nothing was written.", why=why if isinstance(why, Message) else str(why))


def device_fault(changes: Changes) -> Message | str | None:
    """Return a clause on why the device is no longer the changed one, or None."""
    path = changes.drive.path
    try:
        drive = probe_drive(path, seconds=LOOK_SECONDS)
    except BadInput:
        return t("{drive} is missing", drive=path)
    if reason := node_fault(changes.device, path):
        return reason
    # The filesystem's UUID is compared below. A copy has the UUID of another drive.
    is_known = bool(changes.uuid) and not isinstance(changes.wanted, NewUuid)
    fault = drive_fault(changes.drive, drive, lambda: is_known or None)
    return fault or _filesystem_fault(changes, drive)


def is_powered_off(changes: Changes) -> bool:
    """Return True if the drive is powered off, as these changes require."""
    last = changes.steps[-1].operation
    return isinstance(last, PowerOff) and current_state(last, changes.drive).how is How.AFTER


def _filesystem_fault(changes: Changes, drive: Drive) -> Message | None:
    if not changes.filesystem:
        return None
    steps = (step.operation for step in changes.steps)
    uuids = {
        changes.uuid,
        *(one.new for one in steps if isinstance(one, Relabel) and one.identifier == "uuid"),
    }
    if drive.content_on(changes.device) not in {(changes.filesystem, uuid) for uuid in uuids}:
        return t(
            "{device} no longer contains the {kind} {uuid}",
            device=changes.device,
            kind=changes.filesystem,
            uuid=changes.uuid,
        )
    if not isinstance(changes.wanted, NewUuid) and (clones := clones_of(changes.device, changes.uuid)):
        return existing_filesystem.CLONED(devices=(changes.device, *clones), uuid=changes.uuid)
    return None
