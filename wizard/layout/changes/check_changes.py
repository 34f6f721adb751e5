"""Whether changes hold together: each is one that `diskwright tune` makes, to the filesystem that is named,
shown as it will be done."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from wizard.filesystems.registry import KINDS
from wizard.layout.changes.steps_of import new_line, rules_name, same_change_steps
from wizard.layout.check import identity_faults
from wizard.layout.dangers import DANGERS, dangers_in
from wizard.layout.rules import is_device_path, is_workload_id, mount_options_fault
from wizard.model.changes import (
    ChangeOperation,
    Changes,
    EditFstab,
    Remount,
    ReserveBlocks,
    SetQueue,
    SwitchOnTimer,
    WriteRules,
)
from wizard.model.errors import BadInput
from wizard.model.names import partition_path, printable

ORDER: tuple[type[ChangeOperation], ...] = (
    ReserveBlocks,
    Remount,
    EditFstab,
    SetQueue,
    WriteRules,
    SwitchOnTimer,
)
"""What the kernel can refuse comes before the file that the next start depends on."""

QUEUE = {"scheduler": re.compile(r"[a-z][a-z0-9-]{0,30}"), "read_ahead_kb": re.compile(r"\d{1,9}", re.ASCII)}
"""The values of a queue that are changed, and what they can be."""

ACCESS_TIME = frozenset({"noatime", "relatime", "strictatime"})
REMOUNTED = ACCESS_TIME | {"lazytime"}
"""The words that hold of a mount whatever the filesystem, and that are changed while it is in use."""

REMOUNTING = frozenset({"ext2", "ext3", "ext4", "xfs", "btrfs"})
"""Filesystems that keep their own options where a remount does not name them; F2FS falls back to its defaults
(fs/f2fs/super.c)."""

_WORD = re.compile(r"[a-z]+")
_UUID = re.compile(r"[0-9A-Fa-f-]{4,40}")
MOST_PARTITIONS = 256


def check_changes(changes: Changes, where: str = "The document") -> None:
    """Raises BadInput, naming `where` (a file), for the first thing that `diskwright tune` would not have
    written.

    It proves that nothing else is touched than the filesystem's own drive, its line, and the drive's own
    rules file, and that every text shown is what will be done. Whether these files are the system's own is
    for whoever applies it.
    """
    if fault := next(_faults(changes), None):
        raise BadInput(f"{where} does not hold together: {fault}. Make it again with `diskwright tune`.")


def is_of_drive(device: str, drive: str) -> bool:
    """Whether a node is called as the drive, or as a partition of it."""
    return device == drive or any(
        device == partition_path(drive, number) for number in range(1, MOST_PARTITIONS + 1)
    )


def _faults(changes: Changes) -> Iterator[str]:
    yield from identity_faults(changes.drive)
    if not is_device_path(changes.device) or not is_of_drive(changes.device, changes.drive.path):
        yield f"{printable(changes.device, 60)!r} is not on {printable(changes.drive.path, 60)}"
    if changes.filesystem not in KINDS:
        yield f"{printable(changes.filesystem, 40)!r} is no filesystem that diskwright knows"
    if not _UUID.fullmatch(changes.uuid):
        yield f"{printable(changes.uuid, 60)!r} is no UUID"
    if not is_workload_id(changes.workload):
        yield f"it has the workload {printable(changes.workload, 40)!r}, which is none"
    operations = [step.operation for step in changes.steps]
    if not operations:
        yield "it changes nothing"
    places = [ORDER.index(type(operation)) for operation in operations]
    names = [
        operation.name if isinstance(operation, SetQueue) else operation.kind for operation in operations
    ]
    if places != sorted(places) or len(set(names)) != len(names):
        yield "its changes are not in their order, or not each once"
    for operation in operations:
        if fault := _operation_fault(operation, changes):
            yield fault
    if not same_change_steps(changes):
        yield "its commands or explanations differ from what its changes do"


def _operation_fault(operation: ChangeOperation, changes: Changes) -> str | None:
    match operation:
        case ReserveBlocks():
            return _reserve_fault(operation, changes)
        case Remount():
            return _remount_fault(operation, changes)
        case EditFstab():
            return _fstab_fault(operation)
        case SetQueue(device=device, name=name, old=old, new=new):
            if device != changes.drive.path or old == new:
                return f"it sets {printable(name, 40)!r} of {printable(device, 60)!r}"
            return value_fault(name, old) or value_fault(name, new)
        case WriteRules():
            return _rules_fault(operation, changes)
        case SwitchOnTimer():
            return None


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
        or (old ^ new) - REMOUNTED
        or old == new
        or "rw" not in new & old
    ):
        return "it mounts with other options than those that can be changed in use"
    return None


def _fstab_fault(operation: EditFstab) -> str | None:
    if (
        not operation.file.startswith("/")
        or not operation.file.isprintable()
        or operation.number < 1
        or len(operation.digest) != 64
    ):
        return f"{printable(operation.file, 60)!r} is no file of mounts at boot"
    fields = operation.old.split()
    if (
        len(fields) < 3
        or fields[0].startswith("#")
        or "\n" in operation.old
        or new_line(operation) == operation.old
    ):
        return "the line that it changes is none"
    added = tuple(
        option
        for option in operation.options
        if option not in (fields[3].split(",") if len(fields) > 3 else ())
    )
    if fault := mount_options_fault(added):
        return fault
    # ext2 and ext3 are mounted by ext4's driver, so every filesystem's dangers are looked for.
    if dangers := {danger for kind in DANGERS for danger in dangers_in(added, kind)}:
        return f"{min(dangers)} puts data at risk"
    if new_line(operation).split()[3:4] != [",".join(operation.options)]:
        return "the options of its line cannot be written so"
    return None


def _rules_fault(operation: WriteRules, changes: Changes) -> str | None:
    path = PurePosixPath(operation.file)
    if not path.is_absolute() or not operation.file.isprintable() or path.name != rules_name(changes.drive):
        return f"{printable(operation.file, 60)!r} is not the drive's own file of udev's rules"
    if not operation.values or len(dict(operation.values)) != len(operation.values):
        return "its rules set nothing, or something twice"
    return next((fault for name, value in operation.values if (fault := value_fault(name, value))), None)
