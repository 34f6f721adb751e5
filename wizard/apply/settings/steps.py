"""Make or undo one change to a filesystem in use. Each checks the state first and is repeatable."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

from wizard.apply.block.devices import open_exclusively
from wizard.apply.resize.resized import held_in_use
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.journal import Journal, sync_folder
from wizard.apply.settings.current_value import SYSTEMD, How, standing, write_end
from wizard.apply.steps.filesystem import mount_filesystem
from wizard.apply.steps.step_context import journalled, when_free
from wizard.apply.system import fstab
from wizard.apply.system.edited_file import edit, kept_as
from wizard.apply.system.mounts import check_unused
from wizard.filesystems.registry import KINDS
from wizard.model.changes import (
    ChangeOperation,
    Changes,
    EditFstab,
    ExtendPartition,
    GrowMounted,
    PowerOff,
    Relabel,
    Remount,
    ReserveBlocks,
    SetQueue,
    SwitchOnTimer,
    Unmount,
    WriteRules,
)
from wizard.model.errors import Failed, Refused
from wizard.model.plan import Mount
from wizard.model.said import Message, Sentence, t
from wizard.plan.settings.possible import NO_POWER_BACK, NO_SHRINKING
from wizard.plan.settings.steps_of import change_commands, new_rules, queue_file, stays, undo_commands

NOT_SET = Sentence("Cannot write {value} to {file}: {reason}.")

GONE_SECONDS = 10.0
"""How long the kernel may take to let go of a drive."""


@dataclass(frozen=True, slots=True)
class TuningSite:
    """The surroundings of one change. `step` counts from 1."""

    changes: Changes
    step: int
    run_name: str
    environment: Environment
    journal: Journal
    drive_locks: tuple[int, ...]

    def command(self, argv: Sequence[str]) -> None:
        """Run a command under the drive's lock and journal it; raises Failed where it ends badly."""
        seconds = self.environment.patience_seconds
        result = when_free(lambda: journalled(argv, self.journal, self.step, seconds, self.drive_locks))
        if result.status:
            said = result.last_words.rstrip(".")
            raise Failed(
                t(
                    "{program} ended with status {status}: {said}.",
                    program=argv[0],
                    status=result.status,
                    said=said,
                )
            )


def make_change(operation: ChangeOperation, site: TuningSite) -> Message:
    """Make the change; a sentence on how it stands then. Raises Failed where it was changed by somebody else,
    or does not hold."""
    drive = site.changes.drive
    found = standing(operation, drive)
    if found.how is How.OTHER:
        raise Failed(t("Left unchanged because of an external change: {seen}.", seen=found.seen))
    if found.how is not How.AFTER:
        _make(operation, site)
        found = standing(operation, drive)
        if found.how is not How.AFTER:
            raise Failed(
                t(
                    "The change did not take effect: {seen}. {now}",
                    seen=found.seen,
                    now=_put_back_at_once(operation, site),
                )
            )
    return t("{clause:First}.", clause=found.seen)


def _make(operation: ChangeOperation, site: TuningSite) -> None:
    match operation:
        case ReserveBlocks() | Relabel() | Remount() | SwitchOnTimer() | GrowMounted():
            for argv in change_commands(operation):
                site.command(argv)
        case ExtendPartition():
            _move_end(operation, site, new=True)
        case Mount():
            mount_filesystem(operation, site)
        case Unmount():
            _unmount(operation, site)
        case PowerOff():
            _power_off(operation, site)
        case EditFstab(file=file):
            fstab.change_lines(Path(file), operation, kept_as(Path(file), site.run_name))
            _tell_systemd(site)
        case SetQueue(new=new):
            _set(operation, new)
        case WriteRules(file=file):
            _write_rules(Path(file), new_rules(operation, site.changes.drive))


def _put_back_at_once(operation: ChangeOperation, site: TuningSite) -> Message:
    """What does not hold goes back while it is still known whose it is; a sentence on that."""
    try:
        _unmake(operation, site)
    except Failed as error:
        return t("Undo also failed: {error}", error=str(error))
    return t("Now {seen}.", seen=standing(operation, site.changes.drive).seen)


def take_back(operation: ChangeOperation, site: TuningSite) -> Message:
    """Take the change back; a sentence on what was done, or why nothing was. Raises Failed where it did not
    work.

    What somebody else has changed since is theirs, and stays.
    """
    if isinstance(operation, EditFstab):
        said = fstab.lines_back(Path(operation.file), operation)
        _tell_systemd(site)
        return t("{said}", said=said)
    if isinstance(operation, PowerOff):
        return NO_POWER_BACK
    if isinstance(operation, ExtendPartition) and _has_grown(operation, site.changes):
        return t("{device} keeps its new end: the filesystem has already grown.", device=operation.device)
    drive = site.changes.drive
    found = standing(operation, drive)
    if found.how is How.OTHER:
        return t("Left unchanged, because of a later change: {seen}.", seen=found.seen)
    if found.how is How.BEFORE:
        return t("Already as before: {seen}.", seen=found.seen)
    if isinstance(operation, GrowMounted) and stays(operation):
        return NO_SHRINKING(title=KINDS[operation.filesystem].title)
    _unmake(operation, site)
    found = standing(operation, drive)
    if found.how is not How.BEFORE:
        raise Failed(t("Undo failed: {seen}.", seen=found.seen))
    return t("Undone: {seen}.", seen=found.seen)


def _has_grown(operation: ExtendPartition, changes: Changes) -> bool:
    """Whether the filesystem has more bytes than the partition had: its end must stay then. Raises Failed."""
    growing = next(step.operation for step in changes.steps if isinstance(step.operation, GrowMounted))
    held = held_in_use(growing.filesystem, growing.device, growing.mount_point)
    return held.size_bytes > operation.old_bytes


def _move_end(operation: ExtendPartition, site: TuningSite, *, new: bool) -> None:
    write_end(operation, site.changes.drive, new=new)
    for argv in change_commands(operation):
        site.command(argv)


def _unmake(operation: ChangeOperation, site: TuningSite) -> None:
    match operation:
        case ReserveBlocks() | Relabel() | Remount() | SwitchOnTimer() | GrowMounted():
            for argv in undo_commands(operation):
                site.command(argv)
        case ExtendPartition():
            if not _has_grown(operation, site.changes):
                _move_end(operation, site, new=False)
        case Mount(mount_point=place):
            _checked(place)
            for argv in undo_commands(operation):
                site.command(argv)
        case Unmount(device=device, mount_point=place, filesystem=kind, options=options):
            mount_filesystem(Mount(device, place, kind, options), site)
        case SetQueue() | WriteRules() | EditFstab():
            _old_value_back(operation)
        case PowerOff():
            pass


def _old_value_back(operation: SetQueue | WriteRules | EditFstab) -> None:
    match operation:
        case SetQueue(old=old):
            _set(operation, old)
        case WriteRules(file=file, old=old):
            _old_rules_back(Path(file), old)
        case EditFstab(file=file):
            fstab.lines_back(Path(file), operation)


def _tell_systemd(site: TuningSite) -> None:
    """It makes units of fstab, and would go on by the old lines: it can unmount what has another label
    now."""
    if site.environment.is_running_system and SYSTEMD.exists():
        with suppress(Failed):
            site.command(("systemctl", "daemon-reload"))


def _checked(place: str) -> None:
    try:
        check_unused(place)
    except Refused as error:
        raise Failed(str(error)) from None


def _unmount(operation: Unmount, site: TuningSite) -> None:
    _checked(operation.mount_point)
    for argv in change_commands(operation):
        site.command(argv)


def _power_off(operation: PowerOff, site: TuningSite) -> None:
    if reason := open_exclusively(operation.device):
        raise Failed(
            t(
                "{device} is in use: {reason}. The device still has power.",
                device=operation.device,
                reason=reason,
            )
        )
    for argv in change_commands(operation):
        site.command(argv)
    for file in map(Path, operation.files):
        try:
            file.write_text("1")
        except FileNotFoundError:
            # What the first one has taken away takes the others along.
            continue
        except OSError as error:
            raise Failed(NOT_SET(file=str(file), value="1", reason=error.strerror or "")) from None
    _wait(lambda: standing(operation, site.changes.drive).how is How.AFTER)


def _wait(happened: Callable[[], bool]) -> None:
    until = monotonic() + GONE_SECONDS
    while not happened() and monotonic() < until:
        sleep(0.05)


def _write_rules(path: Path, rules: str) -> None:
    edit(path, lambda _: rules)


def _old_rules_back(path: Path, old: str | None) -> None:
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
