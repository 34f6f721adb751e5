"""Read the current state of a setting: as found, as requested, or different.

All checks of settings use this module.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from stat import S_IMODE

from wizard.apply.block.devices import forget_caches, kernel_name, write_bytes
from wizard.apply.resize.resized import held_in_use, is_filled
from wizard.apply.run.backup_store import LOOK_SECONDS
from wizard.apply.system.edited_file import read_text
from wizard.apply.system.mounts import Mounted, is_mounted, mounted_at, read_mounts
from wizard.apply.table.identifier import read_identifier
from wizard.apply.table.one_entry import with_backup_at_end, with_one_changed
from wizard.apply.table.proof import Image, in_order
from wizard.apply.table.write import image_of, table_regions
from wizard.apply.tree.mount_read_only import NOT_READ, mounted_as_it_is
from wizard.filesystems.kind import WRITTEN_UUIDS
from wizard.model.errors import BadInput, Failed, printable
from wizard.model.geometry import Identity
from wizard.model.layout import Member
from wizard.model.machine import Drive, Extent, Signature
from wizard.model.said import Message, Sentence, t
from wizard.operations.layers import StopLayer
from wizard.operations.mounts import ChangeOwner, EditFstab, Mount, Remount, Top, Unmount
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
from wizard.operations.table import WriteTable
from wizard.plan.changes import ChangeOperation
from wizard.plan.dangers import layout_before
from wizard.plan.partition.possible import room_behind
from wizard.plan.partition.replace import changing, resized_layout, resized_table
from wizard.plan.settings.possible import edited, is_edited, signatures_on
from wizard.plan.settings.steps_of import new_rules, owner_text, queue_file
from wizard.plan.settings.tuning import Superblock
from wizard.probe.host.sysfs import SYS, name_of, text
from wizard.probe.machine import probe_drive
from wizard.process.program import find, run


class How(StrEnum):
    """State of a setting. BEFORE: the value in the document. AFTER: the requested value. HALF: an interrupted
    change. OTHER: changed by another program."""

    BEFORE = "before"
    AFTER = "after"
    HALF = "half"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class ValueState:
    """The state of a setting; `seen` is a clause for display."""

    how: How
    seen: Message


def compared(seen: object, before: object, after: object, said: Message) -> ValueState:
    """Compare a setting that has a single value."""
    return ValueState(How.AFTER if seen == after else How.BEFORE if seen == before else How.OTHER, said)


SECTOR_BYTES = 512
"""The unit of sizes in sysfs, regardless of the drive's logical block size (Linux
block/partitions/core.c)."""


@dataclass(frozen=True, slots=True)
class _Table:
    """The table's regions: current, with the old partition end, and with the new one."""

    kind: str
    now: Image
    old: Image
    new: Image


def _end_of(operation: ExtendPartition, identity: Identity) -> ValueState:
    """Return the state of the partition's end in both copies of a GPT and in the kernel. Raises Failed or
    BadInput."""
    drive = probe_drive(operation.drive)
    part = drive.partition(operation.device)
    if part is None or part.start_bytes != operation.start_bytes:
        return ValueState(How.OTHER, t("{device} starts at another byte", device=operation.device))
    kernel_size = _kernel_bytes(operation.device)
    seen = t(
        "{device} has {size:size} in the table and {kernel:size} in the kernel",
        device=operation.device,
        size=part.size_bytes,
        kernel=kernel_size,
    )
    if part.size_bytes not in (operation.old_bytes, operation.new_bytes):
        return ValueState(How.OTHER, seen)
    table = _table(operation, identity, drive)
    if table.now == table.new and kernel_size == operation.new_bytes:
        return ValueState(How.AFTER, seen)
    # If the table was copied from a smaller drive, its backup is not at the end yet. It will be moved there.
    is_copied = drive.table is not None and drive.table.backup == "misplaced"
    now = with_backup_at_end(table.now) if is_copied else table.now
    if now == table.old and kernel_size == operation.old_bytes:
        if room_behind(drive, part) < operation.new_bytes - operation.old_bytes:
            return ValueState(
                How.OTHER, t("the free space after {device} is in use", device=operation.device)
            )
        return ValueState(How.BEFORE, seen)
    return ValueState(How.HALF, seen)


def write_end(operation: ExtendPartition, identity: Identity, *, new: bool) -> None:
    """Write the table with the new or the old partition end, and complete a half-written one. Does not update
    the kernel. Raises Failed, BadInput or OSError."""
    drive = probe_drive(operation.drive)
    table = _table(operation, identity, drive)
    wanted = table.new if new else table.old
    for offset, data in in_order(table.kind, table.now, wanted):
        # Synced before the next write.
        write_bytes(operation.drive, offset, data)
    forget_caches(operation.drive)
    places = (Extent(offset, len(data)) for offset, data in wanted.pieces)
    if image_of(operation.drive, places, identity) != wanted:
        raise Failed(
            t(
                "Verification of the table on {drive} failed: the data read back differs "
                "from the data written.",
                drive=operation.drive,
            )
        )


def _kernel_bytes(device: str) -> int:
    """Return the partition size in the kernel, or 0 if the kernel does not list the partition."""
    sectors = text(SYS / "class/block" / name_of(device) / "size")
    return int(sectors) * SECTOR_BYTES if sectors and sectors.isdigit() else 0


def _table(operation: ExtendPartition, identity: Identity, drive: Drive) -> _Table:
    before = changing(
        layout_before(drive, identity.size_bytes, identity.geometry, preserve=True), operation.number
    )
    slot = next(one for one in before.partitions if one.number == operation.number)
    after = resized_layout(before, slot, operation.new_bytes)
    regions = table_regions(Member(identity, before, after))
    now = image_of(operation.drive, regions, identity)

    def with_size(size_bytes: int) -> tuple[WriteTable, Image]:
        table = resized_table(operation.drive, before, slot, size_bytes)
        return table, with_one_changed(table, now)

    (kind, old), (_, new) = with_size(operation.old_bytes), with_size(operation.new_bytes)
    return _Table(kind.table, now, old, new)


NOT_MOUNTED_AT = Sentence("{device} is not mounted at {place}")
MOUNTED_AT = Sentence("{device} is mounted at {place}")

SYSTEMD = Path("/run/systemd/system")
FSTRIM_TIMER = "fstrim.timer"
_SUPERBLOCK = re.compile(r"(?m)^(Block count|Reserved block count|Block size):\s+(\d+)$")


def current_state(operation: ChangeOperation, drive: Identity) -> ValueState:
    """Return the current state of what the operation changes. Raises Failed or BadInput if it cannot be
    read."""
    match operation:
        case ReserveBlocks(device=device, old_blocks=old, new_blocks=new):
            found = superblock(device)
            seen = t("{blocks} blocks are reserved for root", blocks=found.reserved_blocks)
            return compared(found.reserved_blocks, old, new, seen)
        case Remount(device=device, mount_point=place, old=old_words, new=new_words):
            mounted = mounted_from(device, place)
            if mounted is None:
                return ValueState(How.OTHER, NOT_MOUNTED_AT(device=device, place=place))
            told = t("mounted with {options}", options=",".join(mounted.words))
            return compared({*mounted.words}, {*old_words}, {*new_words}, told)
        case EditFstab():
            return _line_state(operation)
        case Relabel() | Mount() | ChangeOwner() | Unmount() | PowerOff() | StopLayer():
            return _action_state(operation, drive)
        case SetQueue(old=value, new=wanted):
            now = _queue_value(operation)
            file = queue_file(operation)
            shown = (
                t("{file} contains {value}", file=file, value=now) if now else t("{file} is empty", file=file)
            )
            return compared(now, value, wanted, shown)
        case WriteRules(file=file, old=rules):
            held = read_rules(Path(file))
            wanted = new_rules(operation, drive)
            here = (
                Sentence("{file} has the new lines") if held == wanted else Sentence("{file} has other lines")
            )
            return compared(
                held, rules, wanted, (Sentence("{file} is missing") if held is None else here)(file=file)
            )
        case SwitchOnTimer():
            enabled = timer_state()
            unit = operation.unit
            says = (
                t("systemd reports {unit} as {state}", unit=unit, state=enabled)
                if enabled
                else t("systemd does not know {unit}", unit=unit)
            )
            return compared(enabled, "disabled", "enabled", says)
        case ExtendPartition() | GrowMounted():
            return _growth_state(operation, drive)


def read_top(device: str, place: str, driver: str) -> Top:
    """Read the top folder of a filesystem, through a private read-only mount if it is not at its mount point.
    Raises Failed."""
    try:
        if mounted_from(device, place) is not None:
            status = Path(place).stat()
        else:
            with mounted_as_it_is(device, (driver,)) as top:
                status = top.stat()
    except OSError as error:
        raise Failed(NOT_READ(path=printable(place, 200), why=error.strerror or "")) from None
    return Top(status.st_uid, status.st_gid, S_IMODE(status.st_mode))


def volume_names(operation: StopLayer) -> frozenset[str]:
    """Return the device mapper's names of a group's logical volumes. LVM doubles hyphens."""
    return frozenset(
        "-".join(part.replace("-", "--") for part in volume.split("/")) for volume in operation.volumes
    )


def _layer_state(operation: StopLayer) -> ValueState:
    """Return if a layer is active, by the kernel's view alone."""
    device, folder = operation.device, SYS / "class/block"
    mapped = {text(file): file.parent.parent for file in folder.glob("dm-*/dm/name")}
    names = [kernel_name(member) for member in operation.members]
    match operation.layer:
        case "md":
            arrays = [{one.name for one in (folder / name).glob("holders/md*")} for name in names]
            some, every = any(arrays), bool(set.intersection(*arrays))
        case "lvm":
            wanted = volume_names(operation)
            some, every = not wanted.isdisjoint(mapped), wanted <= mapped.keys()
        case "luks":
            found = mapped.get(Path(device).name)
            some = every = found is not None
            if found is not None and [one.name for one in found.glob("slaves/*")] != names:
                return ValueState(How.OTHER, t("{device} is on another device", device=device))
    if every:
        return ValueState(How.BEFORE, t("{device} is active", device=device))
    if some:
        return ValueState(How.HALF, t("{device} is partly active", device=device))
    return ValueState(How.AFTER, t("{device} is not active", device=device))


def _growth_state(operation: ExtendPartition | GrowMounted, drive: Identity) -> ValueState:
    if isinstance(operation, ExtendPartition):
        return _end_of(operation, drive)
    if mounted_from(operation.device, operation.mount_point) is None:
        where = NOT_MOUNTED_AT(device=operation.device, place=operation.mount_point)
        return ValueState(How.OTHER, where)
    held = held_in_use(operation.filesystem, operation.device, operation.mount_point).size_bytes
    seen = t("the filesystem on {device} has {size:size}", device=operation.device, size=held)
    if held == operation.old_bytes:
        return ValueState(How.BEFORE, seen)
    if is_filled(held, operation.new_bytes):
        return ValueState(How.AFTER, seen)
    return ValueState(How.HALF if operation.old_bytes < held < operation.new_bytes else How.OTHER, seen)


def _action_state(
    operation: Relabel | Mount | ChangeOwner | Unmount | PowerOff | StopLayer, drive: Identity
) -> ValueState:
    match operation:
        case StopLayer():
            return _layer_state(operation)
        case Relabel():
            return _name_state(operation, drive)
        case ChangeOwner(device=device, mount_point=place, old=old_top, new=new_top):
            top = read_top(device, place, operation.filesystem)
            shown = t("{place} belongs to {owner}", place=place, owner=owner_text(top))
            return compared(top, old_top, new_top, shown)
        case Mount(device=device, mount_point=place):
            other = mounted_at(place)
            if is_mounted(operation):
                return ValueState(How.AFTER, MOUNTED_AT(device=device, place=place))
            if other is None:
                return ValueState(How.BEFORE, t("nothing is mounted at {place}", place=place))
            return ValueState(How.OTHER, MOUNTED_AT(device=other.source, place=place))
        case Unmount(device=device, mount_point=place):
            found = [one for one in read_mounts() if one.mount_point == place and is_mount_of(one, device)]
            shown = (MOUNTED_AT if found else NOT_MOUNTED_AT)(device=device, place=place)
            return ValueState(How.BEFORE if found else How.AFTER, shown)
        case PowerOff(device=device):
            there = (SYS / "class/block" / name_of(device)).exists()
            seen = (
                Sentence("the kernel lists {device}")
                if there
                else Sentence("the kernel no longer lists {device}")
            )(device=device)
            return ValueState(How.BEFORE if there else How.AFTER, seen)


HAS_UUID = Sentence("{device} has the UUID {uuid}")


def _name_state(operation: Relabel, drive: Identity) -> ValueState:
    if operation.filesystem in WRITTEN_UUIDS:
        return _identifier_state(operation, drive)
    device, mark = operation.device, _only_signature(drive.path, operation.device)
    if operation.identifier == "uuid":
        uuid = mark.uuid or ""
        return compared(uuid, operation.old, operation.new, HAS_UUID(device=device, uuid=uuid))
    label = mark.label or ""
    said = t("{device} has the label '{label}'", device=device, label=label)
    return compared(label, operation.old, operation.new, said)


def _identifier_state(operation: Relabel, drive: Identity) -> ValueState:
    """Compare all bytes of a table or LUKS header that depend on the UUID."""
    found, device = read_identifier(operation, drive), operation.device
    if found.now == found.new:
        return ValueState(How.AFTER, HAS_UUID(device=device, uuid=operation.new))
    if found.now == found.old:
        return ValueState(How.BEFORE, HAS_UUID(device=device, uuid=operation.old))
    seen = t("{device} has another UUID, a half-written one, or damaged copies", device=device)
    return ValueState(How.HALF if found.is_half else How.OTHER, seen)


def _only_signature(drive: str, device: str) -> Signature:
    """Return the signature of the only filesystem on a device. Raises Failed unless there is exactly one."""
    found = signatures_on(probe_drive(drive, seconds=LOOK_SECONDS), device)
    if len(found) != 1:
        raise Failed(t("{device} no longer contains exactly one filesystem.", device=device))
    return found[0]


def _line_state(operation: EditFstab) -> ValueState:
    """Changed lines count regardless of other lines in the file. Unchanged lines require an unchanged
    file."""
    held = read_text(Path(operation.file))
    if is_edited(operation, held):
        return ValueState(How.AFTER, t("the new lines appear once, without old lines"))
    if edited(operation, held) is not None:
        return ValueState(How.BEFORE, t("the file is unchanged"))
    return ValueState(How.OTHER, t("{file} was changed", file=operation.file))


def superblock(device: str) -> Superblock:
    """Read an ext superblock. Raises Failed if dumpe2fs does not report the values."""
    found = {
        key: int(value)
        for key, value in _SUPERBLOCK.findall(run(["dumpe2fs", "-h", device], seconds=LOOK_SECONDS).output)
    }
    if len(found) != 3:
        raise Failed(t("dumpe2fs does not report the blocks of {device} reserved for root.", device=device))
    return Superblock(found["Block count"], found["Reserved block count"], found["Block size"])


def mounted_from(device: str, place: str) -> Mounted | None:
    """Return the topmost mount at a place if it is of this device, or None."""
    found = mounted_at(place)
    return found if found is not None and is_mount_of(found, device) else None


def is_mount_of(mounted: Mounted, device: str) -> bool:
    """Return True if a mount is of this device. The kernel lists the root filesystem as /dev/root."""
    return mounted.source == device or (mounted.source == "/dev/root" and _is_on(device, mounted.mount_point))


def _is_on(device: str, place: str) -> bool:
    try:
        return Path(place).stat().st_dev == Path(device).stat().st_rdev
    except OSError:
        return False


def _queue_value(operation: SetQueue) -> str | None:
    """Return the current value, or None if unreadable. If the file lists choices, the active one is in
    brackets."""
    content = text(Path(queue_file(operation)))
    chosen = re.search(r"\[(.+?)\]", content or "")
    return chosen[1] if chosen else content


def read_rules(path: Path) -> str | None:
    """Return the contents of a udev rules file, or None if it does not exist. Raises BadInput if it is
    unreadable."""
    return read_text(path) if path.exists() else None


def timer_state() -> str | None:
    """Return systemd's state of the weekly trim timer, such as enabled or masked, or None without systemd."""
    if not SYSTEMD.exists() or find("systemctl") is None:
        return None
    try:
        return (
            run(
                ["systemctl", "is-enabled", FSTRIM_TIMER], seconds=LOOK_SECONDS, accept=range(256)
            ).output.strip()
            or None
        )
    except Failed as error:
        raise BadInput(str(error)) from None
