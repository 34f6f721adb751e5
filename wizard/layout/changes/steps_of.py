"""Every step of a change to a filesystem that exists, derived from its typed operation: shown and run
alike."""

import shlex
from collections.abc import Sequence
from difflib import unified_diff
from pathlib import PurePath

from wizard.advise.existing import udev_rule
from wizard.filesystems.kind import Argv
from wizard.filesystems.registry import KINDS
from wizard.layout.changes import words
from wizard.layout.steps.commands import commands_of, edits_of
from wizard.model.changes import (
    ChangeOperation,
    Changes,
    ChangeStep,
    EditFstab,
    LineEdit,
    PowerOff,
    Relabel,
    Remount,
    ReserveBlocks,
    SetQueue,
    SwitchOnTimer,
    Unmount,
    WriteRules,
)
from wizard.model.identity import Identity
from wizard.model.names import printable
from wizard.model.plan import Mount
from wizard.model.said import Said
from wizard.model.units import format_capacity

OPPOSITES = {"lazytime": "nolazytime", "nodev": "dev", "nosuid": "suid", "noexec": "exec"}
"""Words that hold of every filesystem's mount, and those that send them away (mount(8))."""


def change_steps(operations: Sequence[ChangeOperation], drive: Identity) -> tuple[ChangeStep, ...]:
    """A step for each operation on a filesystem of this drive."""
    return tuple(
        ChangeStep(
            operation=operation,
            sentence=_sentence(operation, drive),
            commands=change_commands(operation),
            edits=_edits(operation, drive),
            undo=_undo(operation),
            holds=_holds(operation),
        )
        for operation in operations
    )


def same_change_steps(changes: Changes) -> bool:
    """Whether every text and command is what the typed operations give: nothing else is ever run."""
    return change_steps([step.operation for step in changes.steps], changes.drive) == changes.steps


def change_commands(operation: ChangeOperation) -> tuple[Argv, ...]:
    """The argument lists that carry the operation out; none where it is a file or a value that is written."""
    match operation:
        case ReserveBlocks(device=device, new_blocks=blocks):
            return (reserve(device, blocks),)
        case Remount(device=device, mount_point=place, old=old, new=new):
            return (remount(device, place, old, new),)
        case Relabel(new=new):
            return (_relabel(operation, new),)
        case Mount():
            return commands_of(operation)
        case Unmount(mount_point=place):
            return (("umount", place),)
        case SwitchOnTimer(unit=unit):
            return (("systemctl", "enable", "--now", unit),)
        case PowerOff(device=device):
            return (("sync", device), ("blockdev", "--flushbufs", device))
        case EditFstab() | SetQueue() | WriteRules():
            return ()


def undo_commands(operation: ChangeOperation) -> tuple[Argv, ...]:
    """The argument lists that take the operation back; none where it is a file or a value that is written."""
    match operation:
        case ReserveBlocks(device=device, old_blocks=blocks):
            return (reserve(device, blocks),)
        case Remount(device=device, mount_point=place, old=old, new=new):
            return (remount(device, place, new, old),)
        case Relabel(old=label):
            return (_relabel(operation, label),)
        case Mount(mount_point=place):
            return (("umount", place),)
        case Unmount(device=device, mount_point=place, filesystem=kind, options=options):
            return commands_of(Mount(device, place, kind, options))
        case SwitchOnTimer(unit=unit):
            return (("systemctl", "disable", "--now", unit),)
        case EditFstab() | SetQueue() | WriteRules() | PowerOff():
            return ()


def _relabel(operation: Relabel, label: str) -> Argv:
    relabelling = KINDS[operation.filesystem].relabelling
    assert relabelling is not None, operation.filesystem
    return relabelling.command(operation.device, operation.mount_point, label)


def reserve(device: str, blocks: int) -> Argv:
    """Keeps so many blocks for root, also while it is mounted (tune2fs(8))."""
    return ("tune2fs", "-r", str(blocks), device)


def remount(device: str, place: str, now: Sequence[str], wanted: Sequence[str]) -> Argv:
    """Both device and place are named, so that fstab is not asked; then every word that is left out is lost
    (mount(8)). mount(8) of today changes only what it is told: what goes must be sent away by name."""
    gone = (OPPOSITES[word] for word in now if word in OPPOSITES and word not in wanted)
    return ("mount", "-o", ",".join(("remount", *wanted, *gone)), device, place)


def queue_file(operation: SetQueue) -> str:
    """Where the kernel keeps the value."""
    return (
        f"/sys/class/block/{operation.device.removeprefix('/dev/').replace('/', '!')}/queue/{operation.name}"
    )


def new_rules(operation: WriteRules, drive: Identity) -> str:
    """All that the rules file is to hold."""
    return udev_rule(drive.path, drive.serial, operation.values)


def rules_name(drive: Identity) -> str:
    """The name of the drive's own rules file."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in drive.token)
    return f"60-diskwright-{plain}.rules"


def _sentence(operation: ChangeOperation, drive: Identity) -> str:
    match operation:
        case ReserveBlocks(device=device, old_blocks=old, new_blocks=new, block_bytes=size):
            kept = f"{format_capacity(new * size)} of {device}" if new else f"nothing of {device}"
            return f"Keep {kept} for root, instead of {format_capacity(old * size)}."
        case Remount(device=device, mount_point=place, old=old, new=new):
            come = " and ".join(word for word in new if word not in old)
            gone = " and ".join(word for word in old if word in OPPOSITES and word not in new)
            told = " and ".join(filter(None, (come and f"with {come}", gone and f"without {gone}")))
            return (
                f"Mount {device} at {printable(place, 2000)} {told} from now on; it stays in use meanwhile."
            )
        case Relabel() | Mount() | Unmount() | PowerOff():
            return str(_action_told(operation)[0])
        case EditFstab():
            return _fstab_sentence(operation)
        case SetQueue(name=name, old=old, new=new):
            return f"Set {name} of {drive.path} to {new} now, instead of {old}."
        case WriteRules(values=values, old=old):
            told = " and ".join(f"{name} to {value}" for name, value in values)
            return (
                f"Have udev set {told} at every start: a "
                f"{'new file' if old is None else 'file of its rules changed'}."
            )
        case SwitchOnTimer(unit=unit):
            return (
                f"Switch {unit} on: once a week, every drive of this system that takes discards is told "
                "which blocks are free."
            )


def _action_told(operation: Relabel | Mount | Unmount | PowerOff) -> tuple[Said, Said]:
    """What an action does, and what is checked afterwards."""
    device = operation.device
    match operation:
        case Relabel(old=old, new=new):
            label, before = printable(new, 300), printable(old, 300)
            done = (
                words.RELABEL(device=device, new=label, old=before)
                if old
                else words.LABEL(device=device, new=label)
            )
            return done, words.LABEL_READ(label=label, device=device)
        case Mount(mount_point=place):
            shown = printable(place, 2000)
            return words.MOUNT(device=device, place=shown), words.IS_MOUNTED(device=device, place=shown)
        case Unmount(mount_point=place):
            shown = printable(place, 2000)
            return words.UNMOUNT(device=device, place=shown), words.IS_UNMOUNTED(device=device, place=shown)
        case PowerOff():
            return words.POWER_OFF(drive=device), words.IS_OFF(drive=device)


def _fstab_sentence(operation: EditFstab) -> str:
    file = printable(operation.file, 2000)
    if all(edit.old is None for edit in operation.lines):
        return str(words.ADD_LINE(file=file))
    if all(edit.new is None for edit in operation.lines):
        return str(words.DROP_LINES(file=file, count=len(operation.lines)))
    return str(words.EDIT_LINES(file=file, count=len(operation.lines)))


def _edits(operation: ChangeOperation, drive: Identity) -> tuple[str, ...]:
    match operation:
        case EditFstab(file=file, lines=lines):
            head = (f"--- a{file}", f"+++ b{file}")
            return (*head, *(line for edit in lines for line in _line_difference(edit)))
        case Mount():
            return edits_of(operation)
        case PowerOff(files=files):
            return tuple(f"{file}: 1" for file in files)
        case SetQueue(new=new):
            return (f"{queue_file(operation)}: {new}",)
        case WriteRules(file=file, old=old):
            return difference(file, old or "", new_rules(operation, drive))
        case ReserveBlocks() | Relabel() | Remount() | Unmount() | SwitchOnTimer():
            return ()


def _line_difference(edit: LineEdit) -> tuple[str, ...]:
    if edit.old is None:
        return ("@@ at its end @@", f"+{edit.new}")
    place = f"@@ -{edit.number} +{edit.number} @@"
    return (place, f"-{edit.old}", *([f"+{edit.new}"] if edit.new is not None else []))


def difference(path: str, old: str, new: str) -> tuple[str, ...]:
    """A unified difference as lines, as patch(1) takes it; a file that is made anew comes from /dev/null."""
    before = f"a{path}" if old else "/dev/null"
    lines: list[str] = []
    for line in unified_diff(
        old.splitlines(keepends=True), new.splitlines(keepends=True), before, f"b{path}"
    ):
        lines.append(line.rstrip("\n"))
        if not line.endswith("\n"):
            lines.append("\\ No newline at end of file")
    return tuple(lines)


def _undo(operation: ChangeOperation) -> str:
    match operation:
        case EditFstab(file=file):
            return str(words.LINES_BACK(file=printable(PurePath(file).name, 200)))
        case SetQueue(old=old):
            return f"By setting it to {old} again."
        case WriteRules(old=old):
            return (
                "By taking the file away again." if old is None else "By giving the file its old lines back."
            )
        case PowerOff():
            return str(words.NO_POWER_BACK())
        case ReserveBlocks() | Relabel() | Remount() | Mount() | Unmount() | SwitchOnTimer():
            (argv,) = undo_commands(operation)
            return f"By `{printable(shlex.join(argv), 4000)}`."


def _holds(operation: ChangeOperation) -> tuple[str, ...]:
    match operation:
        case ReserveBlocks(device=device, new_blocks=blocks):
            return (f"The superblock of {device} says that {blocks} blocks are kept for root.",)
        case Remount(device=device, mount_point=place, new=new):
            return (f"{device} is mounted at {printable(place, 2000)} with {','.join(new)}.",)
        case Relabel() | Mount() | Unmount() | PowerOff():
            return (str(_action_told(operation)[1]),)
        case EditFstab(file=file):
            return (str(words.LINES_READ(file=printable(file, 2000))),)
        case SetQueue(new=new):
            return (f"{queue_file(operation)} says {new}.",)
        case WriteRules(file=file):
            return (f"{printable(file, 2000)} holds exactly these lines.",)
        case SwitchOnTimer(unit=unit):
            return (f"systemd says that {unit} is enabled.",)
