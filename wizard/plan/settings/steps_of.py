"""Derive each step of a change from the typed operation. Display and execution use the same result."""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from difflib import unified_diff
from pathlib import PurePath

from wizard.advice.existing import udev_rule
from wizard.filesystems.kind import WRITTEN_UUIDS, Argv, Growing
from wizard.filesystems.registry import KINDS
from wizard.model.errors import printable
from wizard.model.geometry import Identity
from wizard.model.said import Message, Sentence, t, tn
from wizard.operations.layers import StopLayer
from wizard.operations.mounts import ChangeOwner, EditFstab, LineEdit, Mount, Remount, Top, Unmount
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
from wizard.plan.changes import ChangeOperation, Changes, ChangeStep
from wizard.plan.settings import possible
from wizard.plan.steps.commands import array_uuid, commands_of, edits_of

OPPOSITES = {"lazytime": "nolazytime", "nodev": "dev", "nosuid": "suid", "noexec": "exec"}
"""Generic mount options and the options that disable them (mount(8))."""


BELONGS = Sentence("{place} belongs to {owner}.")


SET_AGAIN = Sentence("By setting {old} again.")


def owner_text(top: Top) -> str:
    """Return owner, group and mode, such as 1000:1000 0755."""
    return f"{top.owner}:{top.group} {top.mode:04o}"


def change_steps(operations: Sequence[ChangeOperation], drive: Identity) -> tuple[ChangeStep, ...]:
    """Return a step for each operation on a filesystem of this drive."""
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


def with_current_texts(changes: Changes) -> Changes:
    """Recompute all texts and commands of valid changes from their operations. Only these are shown or
    run."""
    return replace(changes, steps=change_steps([step.operation for step in changes.steps], changes.drive))


def change_commands(operation: ChangeOperation) -> tuple[Argv, ...]:
    """Return the commands of an operation. Empty if a file or value is written instead."""
    match operation:
        case ReserveBlocks() | ChangeOwner():
            return _value_commands(operation, new=True)
        case Remount(device=device, mount_point=place, old=old, new=new):
            return (remount(device, place, old, new),)
        case Relabel(new=new):
            return _relabel(operation, new)
        case Mount():
            return commands_of(operation)
        case Unmount(mount_point=place):
            return (("umount", place),)
        case SwitchOnTimer(unit=unit):
            return (("systemctl", "enable", "--now", unit),)
        case PowerOff() | StopLayer():
            return _stop_commands(operation)
        case ExtendPartition() | GrowMounted():
            return (_growing_command(operation),)
        case EditFstab() | SetQueue() | WriteRules():
            return ()


def undo_commands(operation: ChangeOperation) -> tuple[Argv, ...]:
    """Return the commands to undo an operation. Empty if a file or value is written instead."""
    match operation:
        case ReserveBlocks() | ChangeOwner():
            return _value_commands(operation, new=False)
        case Remount(device=device, mount_point=place, old=old, new=new):
            return (remount(device, place, new, old),)
        case Relabel(old=label):
            return _relabel(operation, label)
        case Mount(mount_point=place):
            return (("umount", place),)
        case Unmount(device=device, mount_point=place, filesystem=kind, options=options):
            return commands_of(Mount(device, place, kind, options))
        case SwitchOnTimer(unit=unit):
            return (("systemctl", "disable", "--now", unit),)
        case StopLayer():
            return _restart_commands(operation)
        case ExtendPartition() | GrowMounted():
            return _shrinking_commands(operation)
        case EditFstab() | SetQueue() | WriteRules() | PowerOff():
            return ()


def _stop_commands(operation: PowerOff | StopLayer) -> tuple[Argv, ...]:
    device = operation.device
    if isinstance(operation, PowerOff):
        return ("sync", device), ("blockdev", "--flushbufs", device)
    match operation.layer:
        case "md":
            return (("mdadm", "--stop", device),)
        case "lvm":
            return (("vgchange", "--activate", "n", device),)
        case "luks":
            return (("cryptsetup", "close", PurePath(device).name),)


def _restart_commands(operation: StopLayer) -> tuple[Argv, ...]:
    """Return the commands that start the layer as it was, with as many members and as writable. Empty for a
    container, which needs its key."""
    device, members = operation.device, operation.members
    if operation.layer == "luks":
        return ()
    if operation.layer == "lvm":
        return (("lvchange", "--yes", "--ignoreactivationskip", "--activate", "y", *operation.volumes),)
    if operation.state == "inactive":
        return tuple(("mdadm", "--incremental", member) for member in members)
    read_only = ("--readonly",) if operation.state == "read-only" else ()
    return (
        (
            "mdadm",
            "--assemble",
            "--run",
            *read_only,
            operation.name or device,
            f"--uuid={array_uuid(operation.uuid)}",
            *members,
        ),
    )


def _growing_command(operation: ExtendPartition | GrowMounted) -> Argv:
    return _update_end_command(operation) if isinstance(operation, ExtendPartition) else _grow(operation)


def _update_end_command(operation: ExtendPartition) -> Argv:
    """Return the command to update the partition's end in the kernel, even while in use (partx(8))."""
    number = operation.number
    return ("partx", "--update", "--nr", f"{number}:{number}", operation.drive)


def _growing(operation: GrowMounted) -> Growing:
    growing = KINDS[operation.filesystem].growing
    assert growing is not None, operation.filesystem
    return growing


def _grow(operation: GrowMounted) -> Argv:
    in_use = _growing(operation).in_use
    assert in_use is not None, operation.filesystem
    return in_use(operation.device, operation.mount_point, operation.member)


def _shrinking_commands(operation: ExtendPartition | GrowMounted) -> tuple[Argv, ...]:
    """Return the commands to shrink, empty if not supported."""
    if isinstance(operation, ExtendPartition):
        return (_update_end_command(operation),)
    back = _growing(operation).shrinks_in_use
    if back is None:
        return ()
    return (back(operation.device, operation.mount_point, operation.member, operation.old_bytes),)


def stays(operation: ChangeOperation) -> bool:
    """Return True if the operation cannot be undone."""
    return isinstance(operation, PowerOff) or (
        isinstance(operation, GrowMounted) and not undo_commands(operation)
    )


def _relabel(operation: Relabel, label: str) -> tuple[Argv, ...]:
    if operation.filesystem in WRITTEN_UUIDS:
        return ()
    kind = KINDS[operation.filesystem]
    if operation.identifier == "uuid":
        assert kind.set_uuid is not None, kind.name
        return (kind.set_uuid(operation.device, label),)
    relabelling = kind.relabelling
    assert relabelling is not None, operation.filesystem
    return (relabelling.command(operation.device, operation.mount_point, label),)


def _value_commands(operation: ReserveBlocks | ChangeOwner, *, new: bool) -> tuple[Argv, ...]:
    if isinstance(operation, ReserveBlocks):
        return (reserve(operation.device, operation.new_blocks if new else operation.old_blocks),)
    top, place = operation.new if new else operation.old, operation.mount_point
    # A change of owner can clear bits of the mode. Only five digits clear setgid (chmod(1)).
    return ("chown", f"{top.owner}:{top.group}", place), ("chmod", f"{top.mode:05o}", place)


def reserve(device: str, blocks: int) -> Argv:
    """Return the command to reserve blocks for root, even while mounted (tune2fs(8))."""
    return ("tune2fs", "-r", str(blocks), device)


def remount(device: str, place: str, now: Sequence[str], wanted: Sequence[str]) -> Argv:
    """Return the remount command. It names device and mount point, so that fstab is ignored and omitted
    options are lost (mount(8)). Current versions of mount(8) only change options that are given, so removed
    ones are disabled explicitly."""
    removed = (OPPOSITES[word] for word in now if word in OPPOSITES and word not in wanted)
    return ("mount", "-o", ",".join(("remount", *wanted, *removed)), device, place)


def queue_file(operation: SetQueue) -> str:
    """Return the sysfs file of the queue value."""
    return (
        f"/sys/class/block/{operation.device.removeprefix('/dev/').replace('/', '!')}/queue/{operation.name}"
    )


def new_rules(operation: WriteRules, drive: Identity) -> str:
    """Return the new content of the rules file."""
    return udev_rule(drive, operation.values)


def rules_name(drive: Identity) -> str:
    """Return the name of the drive's own rules file."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in drive.token)
    return f"60-diskwright-{plain}.rules"


def _sentence(operation: ChangeOperation, drive: Identity) -> str:
    match operation:
        case ReserveBlocks(device=device, old_blocks=old, new_blocks=new, block_bytes=size):
            if not new:
                return str(
                    t(
                        "Reserve no space on {device} for root instead of {old:size}.",
                        device=device,
                        old=old * size,
                    )
                )
            return str(
                t(
                    "Reserve {new:size} of {device} for root instead of {old:size}.",
                    new=new * size,
                    device=device,
                    old=old * size,
                )
            )
        case Remount(device=device, mount_point=place, old=old, new=new):
            how = _remount_text(old, new)
            return str(
                t(
                    "Remount {device} at {place} {how} while in use.",
                    device=device,
                    place=printable(place, 2000),
                    how=how,
                )
            )
        case StopLayer():
            return str(_layer_texts(operation)[0])
        case Relabel() | Mount() | ChangeOwner() | Unmount() | PowerOff() | ExtendPartition() | GrowMounted():
            return str(_action_texts(operation)[0])
        case EditFstab():
            return _fstab_sentence(operation)
        case SetQueue(name=name, old=old, new=new):
            return str(
                t(
                    "Set {name} of {drive} from {old} to {new} now.",
                    name=name,
                    drive=drive.path,
                    new=new,
                    old=old,
                )
            )
        case WriteRules(values=values, old=old):
            settings = tuple(t("{name} to {value}", name=name, value=value) for name, value in values)
            return str(
                (
                    Sentence("Have udev set {values:and} at every boot: a new file.")
                    if old is None
                    else Sentence("Have udev set {values:and} at every boot: a changed rules file.")
                )(values=settings)
            )
        case SwitchOnTimer(unit=unit):
            return str(
                t(
                    "Enable {unit}: discards free blocks once a week on every drive of this "
                    "system that supports discards.",
                    unit=unit,
                )
            )


def _remount_text(old: Sequence[str], new: Sequence[str]) -> Message | str:
    """Describe added and removed options, as part of a sentence."""
    added = " and ".join(word for word in new if word not in old)
    removed = " and ".join(word for word in old if word in OPPOSITES and word not in new)
    if added and removed:
        return t("with {come} and without {gone}", come=added, gone=removed)
    if removed:
        return t("without {options}", options=removed)
    return t("with {options}", options=added) if added else ""


Told = Relabel | Mount | ChangeOwner | Unmount | PowerOff | ExtendPartition | GrowMounted


def _action_texts(operation: Told) -> tuple[Message, Message]:
    """Describe an action and the check afterwards."""
    device = operation.device
    match operation:
        case Relabel(old=old, new=new, identifier="uuid"):
            return t("Change the UUID of {device} from {old} to {new}.", device=device, old=old, new=new), t(
                "libblkid reports the UUID {uuid} on {device}.", uuid=new, device=device
            )
        case Relabel(old=old, new=new):
            label, before = printable(new, 300), printable(old, 300)
            action = (
                t("Label {device} '{new}' instead of '{old}'.", device=device, new=label, old=before)
                if old
                else t("Label {device} '{new}'.", device=device, new=label)
            )
            return action, t("libblkid reports the label '{label}' on {device}.", label=label, device=device)
        case Mount(mount_point=place):
            shown = printable(place, 2000)
            return t("Mount {device} at {place}.", device=device, place=shown), t(
                "{device} is mounted at {place}.", device=device, place=shown
            )
        case ChangeOwner(mount_point=place, old=old_top, new=new_top):
            shown, wanted = printable(place, 2000), owner_text(new_top)
            return t(
                "Change the owner of {place} from {old} to {new}. Files in it keep theirs.",
                place=shown,
                old=owner_text(old_top),
                new=wanted,
            ), BELONGS(place=shown, owner=wanted)
        case Unmount(mount_point=place):
            shown = printable(place, 2000)
            return t("Unmount {device} from {place}.", device=device, place=shown), t(
                "{device} is not mounted at {place}.", device=device, place=shown
            )
        case PowerOff():
            return t("Flush and power off {drive}.", drive=device), t(
                "The kernel no longer lists {drive}.", drive=device
            )
        case ExtendPartition(new_bytes=new):
            return t(
                "Extend {device} into the free space after it, to {new:size}, while in use.",
                device=device,
                new=new,
            ), t("The table and the kernel report {new:size} for {device}.", device=device, new=new)
        case GrowMounted(filesystem=filesystem, new_bytes=new):
            title = KINDS[filesystem].title
            return t(
                "Grow the {title} on {device} to {new:size} while in use.",
                title=title,
                device=device,
                new=new,
            ), t("The filesystem fills {device}.", device=device)


def _layer_texts(operation: StopLayer) -> tuple[Message, Message]:
    """Describe how a layer is stopped, and the check afterwards."""
    device, members = operation.device, operation.members
    match operation.layer:
        case "md":
            return t("Stop the array {device} on {members:and}.", device=device, members=members), t(
                "No array uses {members:and}.", members=members
            )
        case "lvm":
            return t(
                "Deactivate the volume group {device} on {members:and}.", device=device, members=members
            ), t("No logical volume of {device} is active.", device=device)
        case "luks":
            return t("Close the container {device} on {members:and}.", device=device, members=members), t(
                "{device} is closed.", device=device
            )


def _fstab_sentence(operation: EditFstab) -> str:
    file = printable(operation.file, 2000)
    if all(edit.old is None for edit in operation.lines):
        return str(t("Mount at every boot: add one line to {file}.", file=file))
    if all(edit.new is None for edit in operation.lines):
        return str(
            tn(
                "Stop mounting at boot: remove one line from {file}.",
                "Stop mounting at boot: remove {count} lines from {file}.",
                file=file,
                count=len(operation.lines),
            )
        )
    if len(operation.lines) == 1 and (change := _options_change(operation.lines[0], file)):
        return str(change)
    return str(
        tn(
            "Change one line of {file}.",
            "Change {count} lines of {file}.",
            file=file,
            count=len(operation.lines),
        )
    )


def _options_change(edit: LineEdit, file: str) -> Message | None:
    """Describe the change of a line that differs only in its options, else return None."""
    old, new = ((line or "").split() for line in (edit.old, edit.new))
    if len(old) < 4 or len(old) != len(new) or [*old[:3], *old[4:]] != [*new[:3], *new[4:]]:
        return None
    place, options, before = (printable(text, 300) for text in (old[1], new[3], old[3]))
    return t(
        "Change the options of {place} in {file} from {old} to {new}.",
        place=place,
        file=file,
        new=options,
        old=before,
    )


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
        case ExtendPartition(device=device, start_bytes=start, old_bytes=old, new_bytes=new):
            sizes = (("-", old), ("+", new))
            return tuple(
                str(
                    t(
                        "{sign}{device}: {size} bytes from byte {start}",
                        sign=sign,
                        device=device,
                        start=start,
                        size=size,
                    )
                )
                for sign, size in sizes
            )
        case Relabel(parts=parts):
            return tuple(
                f"{sign}{part[0]}: {part[at]}" for part in parts for sign, at in (("-", 1), ("+", 2))
            )
        case ReserveBlocks() | Remount() | Unmount() | SwitchOnTimer() | GrowMounted():
            return ()
        case ChangeOwner() | StopLayer():
            return ()


def _line_difference(edit: LineEdit) -> tuple[str, ...]:
    if edit.old is None:
        return (str(t("@@ at its end @@")), f"+{edit.new}")
    place = f"@@ -{edit.number} +{edit.number} @@"
    return (place, f"-{edit.old}", *([f"+{edit.new}"] if edit.new is not None else []))


def difference(path: str, old: str, new: str) -> tuple[str, ...]:
    """Return a unified diff as lines, in the format of patch(1). New files come from /dev/null."""
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
            return str(
                t(
                    "The lines of {file} are restored; a copy of the old file is saved.",
                    file=printable(PurePath(file).name, 200),
                )
            )
        case Relabel(filesystem=kind, old=old) if kind in WRITTEN_UUIDS:
            return str(SET_AGAIN(old=old))
        case SetQueue(old=old):
            return str(SET_AGAIN(old=old))
        case WriteRules(old=old):
            return str(
                t("By removing the file.") if old is None else t("By restoring the old lines of the file.")
            )
        case PowerOff() | StopLayer():
            return _start_again_text(operation)
        case ExtendPartition():
            return str(t("The old end is restored if the filesystem has not grown."))
        case GrowMounted(filesystem=filesystem) if stays(operation):
            return str(possible.NO_SHRINKING(title=KINDS[filesystem].title))
        case ReserveBlocks() | Relabel() | Remount() | Mount() | Unmount() | SwitchOnTimer() | GrowMounted():
            (argv,) = undo_commands(operation)
            return f"By `{printable(shlex.join(argv), 4000)}`."
        case ChangeOwner():
            return str(t("By restoring the old owner and mode."))


def _start_again_text(operation: PowerOff | StopLayer) -> str:
    if isinstance(operation, PowerOff):
        return str(possible.NO_POWER_BACK)
    if operation.layer == "luks":
        return str(possible.NO_KEY(device=operation.device))
    shown = "; ".join(f"`{printable(shlex.join(argv), 4000)}`" for argv in undo_commands(operation))
    return f"By {shown}."


def _holds(operation: ChangeOperation) -> tuple[str, ...]:
    match operation:
        case ReserveBlocks(device=device, new_blocks=blocks):
            return (
                str(
                    t(
                        "The superblock of {device} reserves {blocks} blocks for root.",
                        device=device,
                        blocks=blocks,
                    )
                ),
            )
        case Remount(device=device, mount_point=place, new=new):
            shown = printable(place, 2000)
            return (
                str(
                    t(
                        "{device} is mounted at {place} with {options}.",
                        device=device,
                        place=shown,
                        options=",".join(new),
                    )
                ),
            )
        case StopLayer():
            return (str(_layer_texts(operation)[1]),)
        case Relabel() | Mount() | ChangeOwner() | Unmount() | PowerOff() | ExtendPartition() | GrowMounted():
            return (str(_action_texts(operation)[1]),)
        case EditFstab(file=file):
            return (str(t("{file} has the new lines once and no old line.", file=printable(file, 2000))),)
        case SetQueue(new=new):
            return (f"{queue_file(operation)} says {new}.",)
        case WriteRules(file=file):
            return (str(t("{file} has exactly these lines.", file=printable(file, 2000))),)
        case SwitchOnTimer(unit=unit):
            return (str(t("systemd reports {unit} as enabled.", unit=unit)),)
