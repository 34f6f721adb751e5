"""Validate changes: each must follow from the request and affect the named filesystem."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from wizard.filesystems.kind import UUID_TABLES, WRITTEN_UUIDS
from wizard.filesystems.registry import KINDS
from wizard.model.errors import BadInput, partition_path
from wizard.model.layout import ARRAY_LINKS, MAPPER
from wizard.model.requests import (
    Attach,
    Detach,
    Grow,
    NewUuid,
    Release,
    SetLabel,
    SetOptions,
    SwitchOff,
    Tune,
)
from wizard.model.said import Message, t
from wizard.operations.layers import StopLayer
from wizard.operations.mounts import ChangeOwner, EditFstab, LineEdit, Mount, Remount, Unmount
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
from wizard.plan.check import drive_faults
from wizard.plan.dangers import DANGERS, dangers_in
from wizard.plan.messages import INCONSISTENT
from wizard.plan.rules import (
    is_device_path,
    is_workload_id,
    label_fault,
    mount_options_fault,
    mount_point_fault,
)
from wizard.plan.settings.possible import by_label, top_for, with_source
from wizard.plan.settings.steps_of import OPPOSITES, rules_name
from wizard.probe.host.sysfs import SYS


def label_fault_of(label: str, filesystem: str) -> Message | None:
    """Return why an existing filesystem cannot get this label, as the end of a sentence, or None."""
    relabelling = KINDS[filesystem].relabelling
    if relabelling is None:
        return t("cannot be changed")
    return label_fault(label, relabelling.rules or filesystem) or relabelling.fault(label)


def old_label_fault(label: str, filesystem: str) -> Message | None:
    """Return why undo could not restore the old label, as the end of a sentence, or None."""
    relabelling = KINDS[filesystem].relabelling
    if relabelling is None or not label.isprintable() or "\N{REPLACEMENT CHARACTER}" in label:
        return t("cannot be read as text")
    return relabelling.fault(label)


AGAIN = t("Make a new one with `diskwright tune`.")

ORDER: tuple[type[ChangeOperation], ...] = (
    ReserveBlocks,
    Relabel,
    Remount,
    Mount,
    ChangeOwner,
    Unmount,
    EditFstab,
    SetQueue,
    WriteRules,
    SwitchOnTimer,
    PowerOff,
    StopLayer,
    ExtendPartition,
    GrowMounted,
)
"""Operations that the kernel may refuse come before the file that the next boot depends on."""

TAKES: dict[type, tuple[type[ChangeOperation], ...]] = {
    Tune: (ReserveBlocks, Remount, ChangeOwner, EditFstab, SetQueue, WriteRules, SwitchOnTimer),
    SetLabel: (Relabel, EditFstab),
    NewUuid: (Relabel,),
    Attach: (Mount, ChangeOwner, EditFstab),
    Detach: (Unmount, EditFstab),
    SetOptions: (Remount, EditFstab),
    SwitchOff: (Unmount, PowerOff),
    Release: (StopLayer,),
    Grow: (ExtendPartition, GrowMounted),
}
"""Operations allowed for each request."""

QUEUE = {"scheduler": re.compile(r"[a-z][a-z0-9-]{0,30}"), "read_ahead_kb": re.compile(r"\d{1,9}", re.ASCII)}
"""Queue values that can be changed, and their format."""

ACCESS_TIME = frozenset({"noatime", "relatime", "strictatime"})
TUNED = ACCESS_TIME | {"lazytime"}
REMOUNTED = ACCESS_TIME | frozenset(OPPOSITES)
"""Generic mount options that can be changed while in use: those that a workload may need, and all that a user
may request."""

REMOUNTING = frozenset({"ext2", "ext3", "ext4", "xfs", "btrfs"})
"""Filesystems that keep unnamed options on remount. F2FS resets them to defaults (fs/f2fs/super.c)."""

_WORD = re.compile(r"[a-z]+")
_WORDS = re.compile(r"[a-z0-9-]+")
_SHOWN = re.compile(r"[^\s,\\]+")
_LVM_NAME = re.compile(r"[A-Za-z0-9_.+][A-Za-z0-9_.+-]{0,126}")
_UUID = re.compile(r"[0-9A-Fa-f-]{4,40}")
_MBR_ID = re.compile(r"[0-9a-f]{8}")
_GUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
MOST_PARTITIONS = 256


def check_changes(changes: Changes, where: str = "The document") -> None:
    """Raises BadInput for the first difference from what diskwright would write. `where` names the file.

    Checks that only the filesystem's own drive, fstab line and rules file are affected; descriptions are
    derived. Only applying the changes checks that these files belong to the system.
    """
    if fault := next(_faults(changes), None):
        raise BadInput(INCONSISTENT(where=where, what=fault, again=AGAIN))


def _is_of_drive(device: str, drive: str) -> bool:
    """Return True if a node is the drive or one of its partitions by name."""
    return device == drive or any(
        device == partition_path(drive, number) for number in range(1, MOST_PARTITIONS + 1)
    )


def _faults(changes: Changes) -> Iterator[str]:
    yield from drive_faults(changes.drive)
    if not is_device_path(changes.device) or not _is_of_drive(changes.device, changes.drive.path):
        yield "device"
    yield from _wish_faults(changes)
    operations = [step.operation for step in changes.steps]
    places = [ORDER.index(type(operation)) for operation in operations]
    names = [_only_once(operation) for operation in operations]
    if (
        not operations
        or not all(isinstance(one, TAKES[type(changes.wanted)]) for one in operations)
        or places != sorted(places)
        or len(set(names)) != len(names)
    ):
        yield "steps"
    for operation in operations:
        if fault := _operation_fault(operation, changes):
            yield fault


def _wish_faults(changes: Changes) -> Iterator[str]:
    if isinstance(changes.wanted, SwitchOff | Release):
        if changes.filesystem or changes.uuid or changes.device != changes.drive.path:
            yield "filesystem"
        return
    written = WRITTEN_UUIDS if isinstance(changes.wanted, NewUuid) else frozenset()
    if changes.filesystem not in KINDS and changes.filesystem not in written:
        yield "filesystem"
    if changes.uuid and not _UUID.fullmatch(changes.uuid):
        yield "uuid"
    if isinstance(changes.wanted, Tune) and not is_workload_id(changes.wanted.workload):
        yield "wanted.workload"


def _only_once(operation: ChangeOperation) -> str:
    match operation:
        case SetQueue(name=name):
            return name
        case Unmount(mount_point=place):
            return place
        case StopLayer(device=device):
            return device
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
                return operation.kind
            return _value_fault(name, old) or _value_fault(name, new)
        case WriteRules():
            return _rules_fault(operation, changes)
        case SwitchOnTimer():
            return None
        case Relabel() | Mount() | ChangeOwner() | Unmount() | PowerOff() | StopLayer():
            return _action_fault(operation, changes)
        case ExtendPartition() | GrowMounted():
            return _growing_fault(operation, changes)


def _action_fault(
    operation: Relabel | Mount | ChangeOwner | Unmount | PowerOff | StopLayer, changes: Changes
) -> str | None:
    if isinstance(operation, StopLayer):
        return _layer_fault(operation)
    # Before a drive is powered off, its partitions are unmounted.
    own = (changes.device,) if isinstance(operation, Relabel | Mount | ChangeOwner) else _nodes(changes)
    if operation.device not in own:
        return operation.kind
    match operation:
        case ChangeOwner():
            return _owner_fault(operation, changes)
        case Relabel():
            return _relabel_fault(operation, changes)
        case Mount():
            return _mount_fault(operation, changes)
        case Unmount(mount_point=place, options=options):
            known = place.startswith("/") and bool(_WORDS.fullmatch(operation.filesystem))
            return None if known and all(map(_SHOWN.fullmatch, options)) else operation.kind
        case PowerOff(device=device, files=files):
            known = all(
                file.startswith(f"{SYS}/") and file.endswith(("/delete", "/remove")) for file in files
            )
            return None if device == changes.drive.path and files and known else operation.kind


def _layer_fault(operation: StopLayer) -> str | None:
    """Check the form. That the layers are on this drive follows from planning again, before they stop."""
    device, layer = operation.device, operation.layer
    is_whole = all(map(is_device_path, operation.members)) and bool(operation.members)
    if layer == "lvm":
        names = tuple(name.removeprefix(f"{device}/") for name in operation.volumes)
        fits = bool(names) and all(map(_LVM_NAME.fullmatch, (device, *names)))
    else:
        uuid_fits = bool(_UUID.fullmatch(operation.uuid)) if layer == "md" else not operation.uuid
        start = "/dev/md" if layer == "md" else MAPPER
        fits = is_device_path(device) and device.startswith(start) and uuid_fits and not operation.volumes
    link = operation.name
    fits_link = not link or (layer == "md" and is_device_path(link) and link.startswith(ARRAY_LINKS))
    return None if fits and fits_link and is_whole else operation.kind


def _growing_fault(operation: ExtendPartition | GrowMounted, changes: Changes) -> str | None:
    if operation.device != changes.device:
        return operation.kind
    if not 0 < operation.old_bytes < operation.new_bytes < changes.drive.size_bytes:
        return operation.kind
    if isinstance(operation, ExtendPartition):
        return _end_fault(operation, changes)
    growing = KINDS[changes.filesystem].growing
    fits = operation.filesystem == changes.filesystem and growing is not None and growing.in_use is not None
    place = operation.mount_point
    if not fits or not place.startswith("/") or operation.member < 1:
        return operation.kind
    steps = (step.operation for step in changes.steps)
    sizes = {one.new_bytes for one in steps if isinstance(one, ExtendPartition | GrowMounted)}
    return None if len(sizes) == 1 else operation.kind


def _end_fault(operation: ExtendPartition, changes: Changes) -> str | None:
    """Check that the new end is on the drive at a block boundary, and that the filesystem grows, too."""
    block, end = changes.drive.geometry.logical_block_bytes, operation.start_bytes + operation.new_bytes
    odd = any(n % block for n in (operation.start_bytes, operation.old_bytes, operation.new_bytes))
    if (
        odd
        or operation.drive != changes.drive.path
        or not 0 < operation.start_bytes < end <= changes.drive.size_bytes
    ):
        return operation.kind
    grows = any(isinstance(step.operation, GrowMounted) for step in changes.steps)
    return None if grows else operation.kind


def _relabel_fault(operation: Relabel, changes: Changes) -> str | None:
    filesystem, place = operation.filesystem, operation.mount_point
    is_uuid = operation.identifier == "uuid"
    kind = KINDS.get(filesystem) if filesystem == changes.filesystem else None
    is_written = filesystem in WRITTEN_UUIDS and filesystem == changes.filesystem and is_uuid
    if not is_written and (kind is None or not (kind.set_uuid if is_uuid else kind.relabelling)):
        return operation.kind
    if isinstance(changes.wanted, NewUuid) is not is_uuid:
        return operation.kind
    if is_uuid:
        return _uuid_fault(operation, changes)
    fits = not (old_label_fault(operation.old, filesystem) or label_fault_of(operation.new, filesystem))
    return None if fits and (not place or place.startswith("/")) else operation.kind


def _uuid_fault(operation: Relabel, changes: Changes) -> str | None:
    """Check that UUIDs have the form that is written, and that only partitions of the drive get one."""
    kind, drive = operation.filesystem, changes.drive.path
    form = _MBR_ID if kind == "mbr" else _GUID if kind in WRITTEN_UUIDS else _UUID
    uuids = [(operation.old, operation.new), *((old, new) for _, old, new in operation.parts)]
    nodes = [device for device, *_ in operation.parts]
    known = {partition_path(drive, number) for number in range(1, MOST_PARTITIONS + 1)}
    has_parts = kind in UUID_TABLES - {"mbr"}
    if (
        all(form.fullmatch(old) and form.fullmatch(new) and old != new for old, new in uuids)
        and operation.old == changes.uuid
        and (not nodes or (has_parts and known.issuperset(nodes) and len({*nodes}) == len(nodes)))
        and (kind not in UUID_TABLES or changes.device == drive)
    ):
        return None
    return operation.kind


def _mount_fault(operation: Mount, changes: Changes) -> str | None:
    kind = KINDS[changes.filesystem]
    if (
        operation.others
        or operation.filesystem not in filter(None, (*kind.kernel_names, kind.mount_helper))
        or mount_point_fault(operation.mount_point)
        or mount_options_fault(operation.options)
    ):
        return operation.kind
    return None


def _owner_fault(operation: ChangeOwner, changes: Changes) -> str | None:
    owner = changes.wanted.owner if isinstance(changes.wanted, Attach | Tune) else None
    if mount_point_fault(operation.mount_point):
        return operation.kind
    kinds = KINDS[changes.filesystem].kernel_names
    is_asked = owner is not None and operation.new == top_for(owner, operation.old) != operation.old
    return None if is_asked and operation.filesystem in kinds else operation.kind


def _nodes(changes: Changes) -> tuple[str, ...]:
    if not isinstance(changes.wanted, SwitchOff):
        return (changes.device,)
    drive = changes.drive.path
    return (drive, *(partition_path(drive, number) for number in range(1, MOST_PARTITIONS + 1)))


def _value_fault(name: str, value: str) -> str | None:
    """Return why a queue value is not allowed, or None."""
    if name not in QUEUE or not QUEUE[name].fullmatch(value):
        return "queue"
    return None


def _reserve_fault(operation: ReserveBlocks, changes: Changes) -> str | None:
    if (
        operation.device != changes.device
        or not changes.filesystem.startswith("ext")
        or not 0 <= operation.new_blocks < operation.old_blocks < 1 << 48
        or operation.block_bytes not in (1 << bits for bits in range(10, 17))
    ):
        return operation.kind
    return None


def _remount_fault(operation: Remount, changes: Changes) -> str | None:
    old, new = {*operation.old}, {*operation.new}
    if (
        operation.device != changes.device
        or not operation.mount_point.startswith("/")
        or changes.filesystem not in REMOUNTING
        or not all(_WORD.fullmatch(word) for word in old | new)
        or (old ^ new) - (REMOUNTED if isinstance(changes.wanted, SetOptions) else TUNED)
        or old == new
        or "rw" not in new & old
    ):
        return operation.kind
    return None


def _fstab_fault(operation: EditFstab, changes: Changes) -> str | None:
    if (
        not operation.file.startswith("/")
        or not operation.file.isprintable()
        or len(operation.digest) != 64
        or not operation.lines
    ):
        return operation.kind
    return next((fault for edit in operation.lines if (fault := _line_fault(edit, changes))), None)


def _line_fault(edit: LineEdit, changes: Changes) -> str | None:
    """Check an fstab edit by the rules of the request."""
    for line in (edit.old, edit.new):
        if line is not None and (len(line.split()) < 3 or line.lstrip()[:1] == "#" or "\n" in line):
            return "lines"
    if edit.old == edit.new or (edit.old is None) is not (edit.number == 0) or edit.number < 0:
        return "lines"
    match changes.wanted:
        case SetLabel():
            return _source_fault(edit, changes)
        case Attach():
            return None if edit.old is None else "lines"
        case Detach():
            return None if edit.new is None else "lines"
        case _:
            return _options_fault(edit)


def _source_fault(edit: LineEdit, changes: Changes) -> str | None:
    new = next((step.operation.new for step in changes.steps if isinstance(step.operation, Relabel)), "")
    fits = edit.old is not None and edit.new == with_source(edit.old, by_label(new))
    return None if fits and edit.old and "label" in edit.old.split()[0].lower() else "lines"


def _options_fault(edit: LineEdit) -> str | None:
    """Return why the new options of a line are not allowed, or None. Other fields must not change."""
    if edit.old is None or edit.new is None:
        return "lines"
    old, new = edit.old.split(), edit.new.split()
    kept = tuple(old[3].split(",")) if len(old) > 3 else ()
    if new[:3] != old[:3] or new[4:] != old[4:]:
        return "lines"
    added = tuple(option for option in new[3].split(",") if option not in kept)
    if mount_options_fault(added):
        return "lines"
    # The ext4 driver also mounts ext2 and ext3, so check the dangerous options of all filesystems.
    return "lines" if any(dangers_in(added, kind) for kind in DANGERS) else None


def _rules_fault(operation: WriteRules, changes: Changes) -> str | None:
    path = PurePosixPath(operation.file)
    if (
        not path.is_absolute()
        or not operation.file.isprintable()
        or path.name != rules_name(changes.drive)
        or not operation.values
        or len(dict(operation.values)) != len(operation.values)
    ):
        return operation.kind
    return next((fault for name, value in operation.values if (fault := _value_fault(name, value))), None)
