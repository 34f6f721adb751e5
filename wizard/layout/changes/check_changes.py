"""Whether changes hold together: each is one that follows from what is wanted, to the filesystem that is
named, shown as it will be done."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from wizard.filesystems.registry import KINDS
from wizard.layout.changes.labels import label_fault_of, old_label_fault
from wizard.layout.changes.lines import by_label, with_source
from wizard.layout.changes.steps_of import OPPOSITES, rules_name, same_change_steps
from wizard.layout.check import identity_faults
from wizard.layout.dangers import DANGERS, dangers_in
from wizard.layout.rules import is_device_path, is_workload_id, mount_options_fault, mount_point_fault
from wizard.model.changes import (
    Attach,
    ChangeOperation,
    Changes,
    Detach,
    EditFstab,
    LineEdit,
    PowerOff,
    Relabel,
    Remount,
    ReserveBlocks,
    SetLabel,
    SetOptions,
    SetQueue,
    SwitchOff,
    SwitchOnTimer,
    Tune,
    Unmount,
    WriteRules,
)
from wizard.model.errors import BadInput
from wizard.model.names import partition_path, printable
from wizard.model.plan import Mount
from wizard.probe.host.sysfs import SYS

ORDER: tuple[type[ChangeOperation], ...] = (
    ReserveBlocks,
    Relabel,
    Remount,
    Mount,
    Unmount,
    EditFstab,
    SetQueue,
    WriteRules,
    SwitchOnTimer,
    PowerOff,
)
"""What the kernel can refuse comes before the file that the next start depends on."""

TAKES: dict[type, tuple[type[ChangeOperation], ...]] = {
    Tune: (ReserveBlocks, Remount, EditFstab, SetQueue, WriteRules, SwitchOnTimer),
    SetLabel: (Relabel, EditFstab),
    Attach: (Mount, EditFstab),
    Detach: (Unmount, EditFstab),
    SetOptions: (Remount, EditFstab),
    SwitchOff: (Unmount, PowerOff),
}
"""What follows from each wish."""

QUEUE = {"scheduler": re.compile(r"[a-z][a-z0-9-]{0,30}"), "read_ahead_kb": re.compile(r"\d{1,9}", re.ASCII)}
"""The values of a queue that are changed, and what they can be."""

ACCESS_TIME = frozenset({"noatime", "relatime", "strictatime"})
TUNED = ACCESS_TIME | {"lazytime"}
REMOUNTED = ACCESS_TIME | frozenset(OPPOSITES)
"""The words that hold of a mount whatever the filesystem, and that are changed while it is in use: those that
a purpose can want, and all that a person can."""

REMOUNTING = frozenset({"ext2", "ext3", "ext4", "xfs", "btrfs"})
"""Filesystems that keep their own options where a remount does not name them; F2FS falls back to its defaults
(fs/f2fs/super.c)."""

_WORD = re.compile(r"[a-z]+")
_WORDS = re.compile(r"[a-z0-9-]+")
_SHOWN = re.compile(r"[^\s,\\]+")
_UUID = re.compile(r"[0-9A-Fa-f-]{4,40}")
MOST_PARTITIONS = 256


def check_changes(changes: Changes, where: str = "The document") -> None:
    """Raises BadInput, naming `where` (a file), for the first thing that diskwright would not have written.

    It proves that nothing else is touched than the filesystem's own drive, its line, and the drive's own
    rules file, and that every text shown is what will be done. Whether these files are the system's own is
    for whoever applies it.
    """
    if fault := next(_faults(changes), None):
        raise BadInput(f"{where} does not hold together: {fault}. Make it again.")


def is_of_drive(device: str, drive: str) -> bool:
    """Whether a node is called as the drive, or as a partition of it."""
    return device == drive or any(
        device == partition_path(drive, number) for number in range(1, MOST_PARTITIONS + 1)
    )


def _faults(changes: Changes) -> Iterator[str]:
    yield from identity_faults(changes.drive)
    if not is_device_path(changes.device) or not is_of_drive(changes.device, changes.drive.path):
        yield f"{printable(changes.device, 60)!r} is not on {printable(changes.drive.path, 60)}"
    yield from _wish_faults(changes)
    operations = [step.operation for step in changes.steps]
    if not operations:
        yield "it changes nothing"
    if foreign := next(
        (one.kind for one in operations if not isinstance(one, TAKES[type(changes.wanted)])), ""
    ):
        yield f"what is wanted takes no {foreign}"
    places = [ORDER.index(type(operation)) for operation in operations]
    names = [_only_once(operation) for operation in operations]
    if places != sorted(places) or len(set(names)) != len(names):
        yield "its changes are not in their order, or not each once"
    for operation in operations:
        if fault := _operation_fault(operation, changes):
            yield fault
    if not same_change_steps(changes):
        yield "its commands or explanations differ from what its changes do"


def _wish_faults(changes: Changes) -> Iterator[str]:
    if isinstance(changes.wanted, SwitchOff):
        if changes.filesystem or changes.uuid or changes.device != changes.drive.path:
            yield "it names a filesystem where the whole drive is meant"
        return
    if changes.filesystem not in KINDS:
        yield f"{printable(changes.filesystem, 40)!r} is no filesystem that diskwright knows"
    if changes.uuid and not _UUID.fullmatch(changes.uuid):
        yield f"{printable(changes.uuid, 60)!r} is no UUID"
    if isinstance(changes.wanted, Tune) and not is_workload_id(changes.wanted.workload):
        yield f"it has the workload {printable(changes.wanted.workload, 40)!r}, which is none"


def _only_once(operation: ChangeOperation) -> str:
    match operation:
        case SetQueue(name=name):
            return name
        case Unmount(mount_point=place):
            return place
        case _:
            return operation.kind


def _operation_fault(operation: ChangeOperation, changes: Changes) -> str | None:
    match operation:
        case ReserveBlocks():
            return _reserve_fault(operation, changes)
        case Remount():
            return _remount_fault(operation, changes)
        case EditFstab():
            return _fstab_fault(operation, changes)
        case SetQueue(device=device, name=name, old=old, new=new):
            if device != changes.drive.path or old == new:
                return f"it sets {printable(name, 40)!r} of {printable(device, 60)!r}"
            return value_fault(name, old) or value_fault(name, new)
        case WriteRules():
            return _rules_fault(operation, changes)
        case SwitchOnTimer():
            return None
        case Relabel() | Mount() | Unmount() | PowerOff():
            return _action_fault(operation, changes)


def _action_fault(operation: Relabel | Mount | Unmount | PowerOff, changes: Changes) -> str | None:
    # What is unmounted before a drive loses its power are its partitions.
    own = (changes.device,) if isinstance(operation, Relabel | Mount) else _nodes(changes)
    if operation.device not in own:
        return f"it changes {printable(operation.device, 60)!r}"
    match operation:
        case Relabel(filesystem=filesystem, mount_point=place, old=old, new=new):
            if filesystem != changes.filesystem or KINDS[filesystem].relabelling is None:
                return "it labels another filesystem"
            if place and not place.startswith("/"):
                return f"{printable(place, 60)!r} is no place where anything is mounted"
            return old_label_fault(old, filesystem) or (
                f"its label {fault}" if (fault := label_fault_of(new, filesystem)) else None
            )
        case Mount(mount_point=place, options=options):
            if operation.others or operation.filesystem not in KINDS[changes.filesystem].kernel_names:
                return "it mounts it otherwise than it can be"
            return mount_point_fault(place) or mount_options_fault(options)
        case Unmount(mount_point=place, options=options):
            if not place.startswith("/") or not _WORDS.fullmatch(operation.filesystem):
                return f"{printable(place, 60)!r} is no place where anything is mounted"
            return next(
                (f"{option!r} is no option" for option in options if not _SHOWN.fullmatch(option)), None
            )
        case PowerOff(device=device, files=files):
            known = all(
                file.startswith(f"{SYS}/") and file.endswith(("/delete", "/remove")) for file in files
            )
            return (
                None if device == changes.drive.path and files and known else "it powers something else off"
            )


def _nodes(changes: Changes) -> tuple[str, ...]:
    if not isinstance(changes.wanted, SwitchOff):
        return (changes.device,)
    drive = changes.drive.path
    return (drive, *(partition_path(drive, number) for number in range(1, MOST_PARTITIONS + 1)))


def value_fault(name: str, value: str) -> str | None:
    """Why a value of a queue is not set, or None."""
    if name not in QUEUE or not QUEUE[name].fullmatch(value):
        return (
            f"{printable(value, 40)!r} for {printable(name, 40)!r} is no value of a drive's queue that "
            "diskwright sets"
        )
    return None


def _reserve_fault(operation: ReserveBlocks, changes: Changes) -> str | None:
    if operation.device != changes.device or not changes.filesystem.startswith("ext"):
        return f"it keeps blocks for root on {printable(operation.device, 60)!r}"
    if not 0 <= operation.new_blocks < operation.old_blocks < 1 << 48 or operation.block_bytes not in (
        1 << bits for bits in range(10, 17)
    ):
        return "the blocks that it keeps for root cannot be"
    return None


def _remount_fault(operation: Remount, changes: Changes) -> str | None:
    old, new = {*operation.old}, {*operation.new}
    if (
        operation.device != changes.device
        or not operation.mount_point.startswith("/")
        or changes.filesystem not in REMOUNTING
    ):
        return (
            f"it mounts {printable(operation.device, 60)!r} at {printable(operation.mount_point, 60)!r} anew"
        )
    if (
        not all(_WORD.fullmatch(word) for word in old | new)
        or (old ^ new) - (REMOUNTED if isinstance(changes.wanted, SetOptions) else TUNED)
        or old == new
        or "rw" not in new & old
    ):
        return "it mounts with other options than those that can be changed in use"
    return None


def _fstab_fault(operation: EditFstab, changes: Changes) -> str | None:
    if (
        not operation.file.startswith("/")
        or not operation.file.isprintable()
        or len(operation.digest) != 64
        or not operation.lines
    ):
        return f"{printable(operation.file, 60)!r} is no file of mounts at boot"
    return next((fault for edit in operation.lines if (fault := _line_fault(edit, changes))), None)


def _line_fault(edit: LineEdit, changes: Changes) -> str | None:
    """Each wish changes lines in its own way."""
    for line in (edit.old, edit.new):
        if line is not None and (len(line.split()) < 3 or line.lstrip()[:1] == "#" or "\n" in line):
            return "the line that it changes is none"
    if edit.old == edit.new or (edit.old is None) is not (edit.number == 0) or edit.number < 0:
        return "the line that it changes is none"
    match changes.wanted:
        case SetLabel():
            return _source_fault(edit, changes)
        case Attach():
            return None if edit.old is None else "it changes a line where it adds one"
        case Detach():
            return None if edit.new is None else "it changes a line where it takes one away"
        case _:
            return _options_fault(edit)


def _source_fault(edit: LineEdit, changes: Changes) -> str | None:
    new = next((step.operation.new for step in changes.steps if isinstance(step.operation, Relabel)), "")
    fits = edit.old is not None and edit.new == with_source(edit.old, by_label(new))
    return (
        None
        if fits and edit.old and "label" in edit.old.split()[0].lower()
        else "it changes more than the label"
    )


def _options_fault(edit: LineEdit) -> str | None:
    """Why a line's new options are none that it may have; every other field stays."""
    if edit.old is None or edit.new is None:
        return "it adds a line, or takes one away"
    old, new = edit.old.split(), edit.new.split()
    kept = tuple(old[3].split(",")) if len(old) > 3 else ()
    if new[:3] != old[:3] or new[4:] != old[4:]:
        return "it changes more than a line's options"
    added = tuple(option for option in new[3].split(",") if option not in kept)
    if fault := mount_options_fault(added):
        return fault
    # ext2 and ext3 are mounted by ext4's driver, so every filesystem's dangers are looked for.
    if dangers := {danger for kind in DANGERS for danger in dangers_in(added, kind)}:
        return f"{min(dangers)} puts data at risk"
    return None


def _rules_fault(operation: WriteRules, changes: Changes) -> str | None:
    path = PurePosixPath(operation.file)
    if not path.is_absolute() or not operation.file.isprintable() or path.name != rules_name(changes.drive):
        return f"{printable(operation.file, 60)!r} is not the drive's own file of udev's rules"
    if not operation.values or len(dict(operation.values)) != len(operation.values):
        return "its rules set nothing, or something twice"
    return next((fault for name, value in operation.values if (fault := value_fault(name, value))), None)
