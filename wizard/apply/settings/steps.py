"""Make or undo one change to a filesystem in use. Each function checks the state first and is repeatable."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic, sleep

from wizard.apply.block.devices import open_exclusively
from wizard.apply.resize.resized import held_in_use
from wizard.apply.run.backup_store import LOOK_SECONDS, Environment
from wizard.apply.run.journal import Journal, sync_folder
from wizard.apply.settings.current_value import (
    NOT_MOUNTED_AT,
    SYSTEMD,
    How,
    current_state,
    mounted_from,
    volume_names,
    write_end,
)
from wizard.apply.steps.arrays import carry
from wizard.apply.steps.filesystem import mount_filesystem
from wizard.apply.steps.step_context import IN_USE, journalled, physical_volumes_of, when_free
from wizard.apply.system import fstab
from wizard.apply.system.edited_file import edit, kept_as
from wizard.apply.system.mounts import check_unused
from wizard.apply.table.identifier import write_identifier
from wizard.filesystems.kind import WRITTEN_UUIDS, Argv
from wizard.filesystems.registry import KINDS
from wizard.model.errors import Failed, Refused
from wizard.model.layout import MAPPER
from wizard.model.said import Message, Sentence, t
from wizard.operations.layers import StopLayer
from wizard.operations.mounts import ChangeOwner, EditFstab, Mount, Remount, Unmount
from wizard.operations.settings import (
    ExtendPartition,
    GrowMounted,
    PowerOff,
    Relabel,
    ReserveBlocks,
    SetQueue,
    SwitchOnTimer,
    WriteRules,
)
from wizard.plan.changes import ChangeOperation, Changes
from wizard.plan.settings.possible import NO_KEY, NO_POWER_BACK, NO_SHRINKING
from wizard.plan.settings.steps_of import change_commands, new_rules, queue_file, stays, undo_commands
from wizard.process.program import run

NOT_SET = Sentence("Cannot write {value} to {file}: {reason}.")

GONE_SECONDS = 10.0
"""Time limit for the kernel to add or remove a device."""


@dataclass(frozen=True, slots=True)
class TuningSite:
    """The context of one change. `step` counts from 1."""

    changes: Changes
    step: int
    run_name: str
    environment: Environment
    journal: Journal
    drive_locks: tuple[int, ...]

    def command(self, argv: Sequence[str]) -> None:
        """Run and journal a command under the drive's lock. Raises Failed if it fails."""
        seconds = self.environment.patience_seconds
        result = when_free(lambda: journalled(argv, self.journal, self.step, seconds, self.drive_locks))
        if result.status:
            output = result.last_words.rstrip(".")
            raise Failed(
                t(
                    "{program} ended with status {status}: {said}.",
                    program=argv[0],
                    status=result.status,
                    said=output,
                )
            )


def make_change(operation: ChangeOperation, context: TuningSite) -> Message:
    """Make a change and return its new state. Raises Failed if another program changed the setting, or the
    change has no effect."""
    drive = context.changes.drive
    found = current_state(operation, drive)
    if found.how is How.OTHER:
        raise Failed(t("Left unchanged because of an external change: {seen}.", seen=found.seen))
    if found.how is not How.AFTER:
        _make(operation, context)
        found = current_state(operation, drive)
        if found.how is not How.AFTER:
            raise Failed(
                t(
                    "The change did not take effect: {seen}. {now}",
                    seen=found.seen,
                    now=_revert_failed(operation, context),
                )
            )
    return t("{clause:First}.", clause=found.seen)


def _make(operation: ChangeOperation, context: TuningSite) -> None:
    match operation:
        case Relabel(filesystem=kind) if kind in WRITTEN_UUIDS:
            write_identifier(operation, context.changes.drive, new=True)
        case ReserveBlocks() | Relabel() | Remount() | ChangeOwner() | SwitchOnTimer() | GrowMounted():
            _run(operation, change_commands(operation), context)
        case ExtendPartition():
            _move_end(operation, context, new=True)
        case Mount():
            mount_filesystem(operation, context)
        case Unmount():
            _unmount(operation, context)
        case PowerOff():
            _power_off(operation, context)
        case StopLayer():
            _stop_layer(operation, context)
        case SetQueue() | WriteRules() | EditFstab():
            _write_value(operation, context)


def _revert_failed(operation: ChangeOperation, context: TuningSite) -> Message:
    """Undo a change that did not take effect, and return the result."""
    try:
        _unmake(operation, context)
    except Failed as error:
        return t("Undo also failed: {error}", error=str(error))
    return t("Now {seen}.", seen=current_state(operation, context.changes.drive).seen)


def undo_change(operation: ChangeOperation, context: TuningSite) -> Message:
    """Undo a change, and return what was done or why nothing was. Raises Failed.

    Later changes by other programs are preserved.
    """
    if isinstance(operation, EditFstab):
        sentence = fstab.restore_lines(Path(operation.file), operation)
        _reload_systemd(context)
        return t("{said}", said=sentence)
    if isinstance(operation, PowerOff):
        return NO_POWER_BACK
    if isinstance(operation, ExtendPartition) and _has_grown(operation, context.changes):
        return t(
            "The new end of {device} remains: the filesystem has already grown.", device=operation.device
        )
    drive = context.changes.drive
    found = current_state(operation, drive)
    if found.how is How.OTHER:
        return t("Left unchanged, because of a later change: {seen}.", seen=found.seen)
    if found.how is How.BEFORE:
        return t("Already as before: {seen}.", seen=found.seen)
    if isinstance(operation, StopLayer) and not undo_commands(operation):
        return NO_KEY(device=operation.device)
    if isinstance(operation, GrowMounted) and stays(operation):
        return NO_SHRINKING(title=KINDS[operation.filesystem].title)
    _unmake(operation, context)
    found = current_state(operation, drive)
    if found.how is not How.BEFORE:
        raise Failed(t("Undo failed: {seen}.", seen=found.seen))
    return t("Undone: {seen}.", seen=found.seen)


def _has_grown(operation: ExtendPartition, changes: Changes) -> bool:
    """Return True if the filesystem is larger than the old partition, whose end must then stay. Raises
    Failed."""
    growing = next(step.operation for step in changes.steps if isinstance(step.operation, GrowMounted))
    held = held_in_use(growing.filesystem, growing.device, growing.mount_point)
    return held.size_bytes > operation.old_bytes


def _move_end(operation: ExtendPartition, context: TuningSite, *, new: bool) -> None:
    if not new and _has_grown(operation, context.changes):
        return
    write_end(operation, context.changes.drive, new=new)
    for argv in change_commands(operation):
        context.command(argv)


def _unmake(operation: ChangeOperation, context: TuningSite) -> None:
    match operation:
        case Relabel(filesystem=kind) if kind in WRITTEN_UUIDS:
            write_identifier(operation, context.changes.drive, new=False)
        case ReserveBlocks() | Relabel() | Remount() | ChangeOwner() | SwitchOnTimer() | GrowMounted():
            _run(operation, undo_commands(operation), context)
        case ExtendPartition():
            _move_end(operation, context, new=False)
        case Mount(mount_point=place):
            _refuse_if_used(place)
            for argv in undo_commands(operation):
                context.command(argv)
        case Unmount(device=device, mount_point=place, filesystem=kind, options=options):
            mount_filesystem(Mount(device, place, kind, options), context)
        case StopLayer():
            _start_layer(operation, context)
        case SetQueue() | WriteRules() | EditFstab():
            _restore_value(operation)
        case PowerOff():
            pass


def _run(operation: ChangeOperation, commands: Sequence[Argv], context: TuningSite) -> None:
    # Without the mount, the folder below would get the owner.
    if isinstance(operation, ChangeOwner) and mounted_from(operation.device, operation.mount_point) is None:
        raise Failed(t("{what}.", what=NOT_MOUNTED_AT(device=operation.device, place=operation.mount_point)))
    for argv in commands:
        context.command(argv)


def _write_value(operation: SetQueue | WriteRules | EditFstab, context: TuningSite) -> None:
    match operation:
        case SetQueue(new=new):
            _set(operation, new)
        case WriteRules(file=file):
            _write_rules(Path(file), new_rules(operation, context.changes.drive))
        case EditFstab(file=file):
            fstab.change_lines(Path(file), operation, kept_as(Path(file), context.run_name))
            _reload_systemd(context)


def _restore_value(operation: SetQueue | WriteRules | EditFstab) -> None:
    match operation:
        case SetQueue(old=old):
            _set(operation, old)
        case WriteRules(file=file, old=old):
            _restore_rules(Path(file), old)
        case EditFstab(file=file):
            fstab.restore_lines(Path(file), operation)


def _reload_systemd(context: TuningSite) -> None:
    """Reload systemd, which generates units from fstab. With outdated units, it may unmount a filesystem with
    a changed label."""
    if context.environment.is_running_system and SYSTEMD.exists():
        with suppress(Failed):
            context.command(("systemctl", "daemon-reload"))


def _refuse_if_used(place: str) -> None:
    try:
        check_unused(place)
    except Refused as error:
        raise Failed(str(error)) from None


def _unmount(operation: Unmount, context: TuningSite) -> None:
    _refuse_if_used(operation.mount_point)
    for argv in change_commands(operation):
        context.command(argv)


def _power_off(operation: PowerOff, context: TuningSite) -> None:
    if reason := open_exclusively(operation.device):
        raise Failed(
            t(
                "{device} is in use: {reason}. The device still has power.",
                device=operation.device,
                reason=reason,
            )
        )
    for argv in change_commands(operation):
        context.command(argv)
    for file in map(Path, operation.files):
        try:
            file.write_text("1")
        except FileNotFoundError:
            # Removing the first device has removed this one, too.
            continue
        except OSError as error:
            raise Failed(NOT_SET(file=str(file), value="1", reason=error.strerror or "")) from None
    _wait(lambda: current_state(operation, context.changes.drive).how is How.AFTER)


def _stop_layer(operation: StopLayer, context: TuningSite) -> None:
    nodes = [f"{MAPPER}{name}" for name in sorted(volume_names(operation))] or [operation.device]
    for node in nodes:
        if reason := open_exclusively(node):
            raise Failed(IN_USE(node=node, why=reason))
    for argv in change_commands(operation):
        context.command(argv)
    _wait(lambda: current_state(operation, context.changes.drive).how is How.AFTER)


def _start_layer(operation: StopLayer, context: TuningSite) -> None:
    """Start a layer again. Raises Failed unless every member is attached under its old name, since an array
    that starts without one must copy everything later."""
    do = partial(run, seconds=LOOK_SECONDS)
    if operation.layer == "md":
        is_whole = carry(operation.members, operation.uuid, do)
    else:
        is_whole = physical_volumes_of(operation.device, do).keys() == {*operation.members}
    if not is_whole:
        raise Failed(
            t(
                "Cannot start {device}: a member changed or is missing ({members:and}).",
                device=operation.device,
                members=operation.members,
            )
        )
    for argv in undo_commands(operation):
        context.command(argv)
    _wait(lambda: current_state(operation, context.changes.drive).how is How.BEFORE)


def _wait(is_done: Callable[[], bool]) -> None:
    until = monotonic() + GONE_SECONDS
    while not is_done() and monotonic() < until:
        sleep(0.05)


def _write_rules(path: Path, rules: str) -> None:
    edit(path, lambda _: rules)


def _restore_rules(path: Path, old: str | None) -> None:
    if old is not None:
        _write_rules(path, old)
        return
    try:
        path.unlink()
        sync_folder(path.parent)
    except OSError as error:
        raise Failed(
            t("Cannot remove {file}: {reason}.", file=str(path), reason=error.strerror or "")
        ) from None


def _set(operation: SetQueue, value: str) -> None:
    file = Path(queue_file(operation))
    try:
        file.write_text(value)
    except OSError as error:
        reason = error.strerror or ""
        raise Failed(NOT_SET(file=str(file), value=value, reason=reason)) from None
