"""Whether changes may still be made to the filesystem that they name. Every doubt is a refusal; nothing here
writes.

A plan's drive must be used by nobody. Here the filesystem is in use and stays so, which is safe because
nothing of its data is touched: what is asked instead is that it is this very filesystem on this very drive,
and that each thing that is changed stands exactly as it was shown. The drive's lock is taken all the same, so
that no plan is carried out on the drive at the same time.
"""

import os
from collections.abc import Set
from pathlib import Path

from wizard.apply.block.devices import impostor
from wizard.apply.plan.guard import check_programs
from wizard.apply.plan.same_drive import check_same_start, identity_difference, probe_again
from wizard.apply.run.begin import NOTHING_WRITTEN
from wizard.apply.run.environment import LOOK_SECONDS, Environment
from wizard.apply.tune.current_value import How, Standing, standing
from wizard.layout.changes.possible import signatures_on
from wizard.layout.changes.steps_of import undo_commands
from wizard.model.changes import (
    ChangeOperation,
    Changes,
    EditFstab,
    PowerOff,
    Remount,
    ReserveBlocks,
    SetQueue,
    SwitchOnTimer,
    Unmount,
    WriteRules,
)
from wizard.model.errors import BadInput, Failed, Refused
from wizard.model.machine import Drive
from wizard.model.names import printable
from wizard.model.plan import Mount
from wizard.probe.machine import probe_drive

LOST_AT_RESTART = (Remount, Mount, Unmount, SetQueue)
"""What holds until the next start only: it is done again where a run goes on after one."""

AGAIN = "Make them again."


def check_own(changes: Changes, environment: Environment) -> None:
    """Raises Refused where a change is to another file, drive or system than this run may touch."""
    drive = changes.drive.path
    if environment.only is not None and drive not in environment.only:
        raise Refused(f"{printable(drive)} is not a drive that this run may touch. {NOTHING_WRITTEN}")
    for node in {drive, changes.device}:
        if reason := impostor(node, drive):
            raise Refused(
                f"{printable(node)} cannot be trusted to be on the drive of these changes: {reason}. "
                f"{NOTHING_WRITTEN}"
            )
    for step in changes.steps:
        _check_file(step.operation, environment)


def _check_file(operation: ChangeOperation, environment: Environment) -> None:
    match operation:
        case EditFstab(file=file) if Path(file) != environment.fstab:
            raise Refused(
                f"These changes are for {printable(file, 200)}, not for {environment.fstab}: say --fstab "
                f"{printable(file, 200)} if that is the system that you mean. {NOTHING_WRITTEN}"
            )
        case WriteRules(file=file) if Path(file).parent != environment.rules:
            raise Refused(
                f"These changes write {printable(file, 200)}, which does not lie in {environment.rules}. "
                f"{NOTHING_WRITTEN}"
            )
        case SwitchOnTimer(unit=unit) if not environment.is_running_system:
            raise Refused(f"{unit} can be switched on for the running system only. {NOTHING_WRITTEN}")
        case EditFstab(file=file) | WriteRules(file=file):
            real = Path(file).resolve()
            if (real.exists() and not real.is_file()) or not os.access(real.parent, os.W_OK):
                raise Refused(f"{real} cannot be written here. {NOTHING_WRITTEN}")
        case _:
            pass


def check_tuning_tools(changes: Changes) -> None:
    """Raises Refused where a program is missing that a step, its check or its undoing needs."""
    operations = [step.operation for step in changes.steps]
    wanted = {argv[0] for step in changes.steps for argv in (*step.commands, *undo_commands(step.operation))}
    check_programs(wanted | {"dumpe2fs" for operation in operations if isinstance(operation, ReserveBlocks)})


def check_new(changes: Changes) -> None:
    """Raises Refused unless it is the drive and the filesystem that the changes were made for, and everything
    stands as they found it."""
    drive = probe_again(changes.drive)
    check_same_start(changes.drive, drive)
    if fault := _filesystem_fault(changes, drive):
        raise Refused(f"{fault}. {AGAIN} {NOTHING_WRITTEN}")
    check_standing(changes, frozenset(), frozenset())


def check_standing(changes: Changes, begun: Set[int], done: Set[int]) -> None:
    """Raises Refused where something stands otherwise than the steps that were begun and done leave it.
    Numbers count from 1."""
    for number, step in enumerate(changes.steps, 1):
        found = _stands(step.operation, changes)
        if number in done:
            fits = {How.AFTER, How.BEFORE} if isinstance(step.operation, LOST_AT_RESTART) else {How.AFTER}
        else:
            fits = {How.BEFORE, How.AFTER} if number in begun else {How.BEFORE}
        if found.how not in fits:
            raise Refused(
                f"{found.seen[:1].upper()}{found.seen[1:]} since these changes were made, or were begun. "
                f"{AGAIN} {NOTHING_WRITTEN}"
            )


def _stands(operation: ChangeOperation, changes: Changes) -> Standing:
    try:
        return standing(operation, changes.drive)
    except (BadInput, Failed) as error:
        raise Refused(f"{error} {NOTHING_WRITTEN}") from None


def device_fault(changes: Changes) -> str | None:
    """Why the device is no longer the one that was changed, as a clause; None where it is."""
    path = changes.drive.path
    try:
        drive = probe_drive(path, seconds=LOOK_SECONDS)
    except BadInput:
        return f"{path} is not there"
    if reason := impostor(changes.device, path):
        return reason
    if difference := identity_difference(changes.drive, drive):
        return f"{path} is another drive: {difference}"
    return _filesystem_fault(changes, drive)


def is_powered_off(changes: Changes) -> bool:
    """Whether the drive is gone, as these changes want it."""
    last = changes.steps[-1].operation
    return isinstance(last, PowerOff) and standing(last, changes.drive).how is How.AFTER


def _filesystem_fault(changes: Changes, drive: Drive) -> str | None:
    if not changes.filesystem:
        return None
    if [(one.kind, one.uuid or "") for one in signatures_on(drive, changes.device)] != [
        (changes.filesystem, changes.uuid)
    ]:
        return f"{changes.device} no longer holds the {changes.filesystem} {changes.uuid}"
    return None
