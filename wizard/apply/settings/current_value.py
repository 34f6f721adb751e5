"""Read the current state of a setting: as found, as requested, or different.

No other module reads it.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from wizard.apply.block.devices import forget_caches, write_bytes
from wizard.apply.resize.resized import held_in_use, is_filled
from wizard.apply.run.backup_store import LOOK_SECONDS
from wizard.apply.system.edited_file import read_text
from wizard.apply.system.mounts import Mounted, is_mounted, mounted_at, read_mounts
from wizard.apply.table.one_entry import with_backup_at_end, with_one_changed
from wizard.apply.table.proof import Image, in_order
from wizard.apply.table.write import image_of, table_regions
from wizard.model.changes import (
    ChangeOperation,
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
from wizard.model.errors import BadInput, Failed
from wizard.model.geometry import Identity
from wizard.model.machine import Drive, Extent
from wizard.model.plan import Member, Mount, WriteTable
from wizard.model.said import Message, Sentence, t
from wizard.plan.dangers import layout_before
from wizard.plan.partition.possible import room_behind
from wizard.plan.partition.replace import changing, resized_layout, resized_table
from wizard.plan.settings.possible import edited, is_edited, signatures_on
from wizard.plan.settings.steps_of import new_rules, queue_file
from wizard.plan.settings.tuning import Superblock
from wizard.probe.host.sysfs import SYS, name_of, text
from wizard.probe.machine import probe_drive
from wizard.process.program import find, run


class How(StrEnum):
    """BEFORE: as the document found it. AFTER: as it is to be. HALF: in between, as a change leaves it that
    was cut off. OTHER: neither, so somebody else has changed it."""

    BEFORE = "before"
    AFTER = "after"
    HALF = "half"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class ValueState:
    """How something stands; `seen` is a clause for a person."""

    how: How
    seen: Message


def compared(seen: object, before: object, after: object, said: Message) -> ValueState:
    """Where only one value counts."""
    return ValueState(How.AFTER if seen == after else How.BEFORE if seen == before else How.OTHER, said)


SECTOR_BYTES = 512
"""What sysfs counts in, whatever the drive's logical blocks (Linux block/partitions/core.c)."""


@dataclass(frozen=True, slots=True)
class _Table:
    """The places of the table as they are, and as they are with the old end and with the new one."""

    kind: str
    now: Image
    old: Image
    new: Image


def end_of(operation: ExtendPartition, identity: Identity) -> ValueState:
    """How the partition's end stands, in both copies of a GPT and for the kernel. Raises Failed or
    BadInput."""
    drive = probe_drive(operation.drive)
    part = drive.partition(operation.device)
    if part is None or part.start_bytes != operation.start_bytes:
        return ValueState(How.OTHER, t("{device} starts at another byte", device=operation.device))
    told = kernel_bytes(operation.device)
    seen = t(
        "{device} has {size:size} in the table and {kernel:size} in the kernel",
        device=operation.device,
        size=part.size_bytes,
        kernel=told,
    )
    if part.size_bytes not in (operation.old_bytes, operation.new_bytes):
        return ValueState(How.OTHER, seen)
    table = _table(operation, identity, drive)
    if table.now == table.new and told == operation.new_bytes:
        return ValueState(How.AFTER, seen)
    # A table that was copied from a smaller drive has its backup further in still: it comes to the end.
    is_copied = drive.table is not None and drive.table.backup == "misplaced"
    now = with_backup_at_end(table.now) if is_copied else table.now
    if now == table.old and told == operation.old_bytes:
        if room_behind(drive, part) < operation.new_bytes - operation.old_bytes:
            return ValueState(
                How.OTHER, t("the free space after {device} is in use", device=operation.device)
            )
        return ValueState(How.BEFORE, seen)
    return ValueState(How.HALF, seen)


def write_end(operation: ExtendPartition, identity: Identity, *, new: bool) -> None:
    """Write the table with the new end, or with the old one; the kernel is not told. One that is half written
    becomes whole. Raises Failed, BadInput or OSError."""
    drive = probe_drive(operation.drive)
    table = _table(operation, identity, drive)
    wanted = table.new if new else table.old
    for offset, data in in_order(table.kind, table.now, wanted):
        # On its medium before the next one.
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


def kernel_bytes(device: str) -> int:
    """How large the kernel takes a partition for; 0 where it has none. Raises nothing."""
    said = text(SYS / "class/block" / name_of(device) / "size")
    return int(said) * SECTOR_BYTES if said and said.isdigit() else 0


def _table(operation: ExtendPartition, identity: Identity, drive: Drive) -> _Table:
    before = changing(
        layout_before(drive, identity.size_bytes, identity.geometry, keep=True), operation.number
    )
    slot = next(one for one in before.partitions if one.number == operation.number)
    after = resized_layout(before, slot, operation.new_bytes)
    regions = table_regions(Member(identity, before, after), fresh=False)
    now = image_of(operation.drive, regions, identity)

    def having(size_bytes: int) -> tuple[WriteTable, Image]:
        table = resized_table(operation.drive, before, slot, size_bytes)
        return table, with_one_changed(table, now)

    (kind, old), (_, new) = having(operation.old_bytes), having(operation.new_bytes)
    return _Table(kind.table, now, old, new)


NOT_MOUNTED_AT = Sentence("{device} is not mounted at {place}")
MOUNTED_AT = Sentence("{device} is mounted at {place}")

SYSTEMD = Path("/run/systemd/system")
FSTRIM_TIMER = "fstrim.timer"
_SUPERBLOCK = re.compile(r"(?m)^(Block count|Reserved block count|Block size):\s+(\d+)$")


def standing(operation: ChangeOperation, drive: Identity) -> ValueState:
    """How what the operation changes stands now. Raises Failed or BadInput where that cannot be read."""
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
            return _line_standing(operation)
        case Relabel() | Mount() | Unmount() | PowerOff():
            return _action_standing(operation, drive)
        case SetQueue(old=value, new=wanted):
            now = queue_value(operation)
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
            return _grown(operation, drive)


def _grown(operation: ExtendPartition | GrowMounted, drive: Identity) -> ValueState:
    if isinstance(operation, ExtendPartition):
        return end_of(operation, drive)
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


def _action_standing(operation: Relabel | Mount | Unmount | PowerOff, drive: Identity) -> ValueState:
    match operation:
        case Relabel(device=device, old=old, new=new):
            label = label_on(drive.path, device)
            return compared(
                label, old, new, t("{device} has the label '{label}'", device=device, label=label)
            )
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


def label_on(drive: str, device: str) -> str:
    """The label of the one filesystem on a device, empty where it has none; raises Failed where there is no
    such filesystem."""
    found = signatures_on(probe_drive(drive, seconds=LOOK_SECONDS), device)
    if len(found) != 1:
        raise Failed(t("{device} no longer contains exactly one filesystem.", device=device))
    return found[0].label or ""


def _line_standing(operation: EditFstab) -> ValueState:
    """A line that was changed stays changed whatever becomes of the others; one that is to be changed stands
    in the very same file."""
    held = read_text(Path(operation.file))
    if is_edited(operation, held):
        return ValueState(How.AFTER, t("the new lines appear once, without old lines"))
    if edited(operation, held) is not None:
        return ValueState(How.BEFORE, t("the file is unchanged"))
    return ValueState(How.OTHER, t("{file} was changed", file=operation.file))


def superblock(device: str) -> Superblock:
    """What an ext filesystem's superblock says; raises Failed where dumpe2fs does not tell."""
    found = {
        key: int(value)
        for key, value in _SUPERBLOCK.findall(run(["dumpe2fs", "-h", device], seconds=LOOK_SECONDS).output)
    }
    if len(found) != 3:
        raise Failed(t("dumpe2fs does not report the blocks of {device} reserved for root.", device=device))
    return Superblock(found["Block count"], found["Reserved block count"], found["Block size"])


def mounted_from(device: str, place: str) -> Mounted | None:
    """The topmost mount at a place, where that is one of this device."""
    found = mounted_at(place)
    return found if found is not None and is_mount_of(found, device) else None


def is_mount_of(mounted: Mounted, device: str) -> bool:
    """Whether a mount is one of this device. What the kernel started from it calls /dev/root, whatever it
    is."""
    return mounted.source == device or (mounted.source == "/dev/root" and _is_on(device, mounted.mount_point))


def _is_on(device: str, place: str) -> bool:
    try:
        return Path(place).stat().st_dev == Path(device).stat().st_rdev
    except OSError:
        return False


def queue_value(operation: SetQueue) -> str | None:
    """The value now; None where it cannot be read. Of several to choose from the kernel puts the one in force
    in brackets."""
    said = text(Path(queue_file(operation)))
    chosen = re.search(r"\[(.+?)\]", said or "")
    return chosen[1] if chosen else said


def read_rules(path: Path) -> str | None:
    """What a file of udev's rules holds; None where there is none. Raises BadInput where it cannot be
    read."""
    return read_text(path) if path.exists() else None


def timer_state() -> str | None:
    """What systemd says of the timer that trims once a week: enabled, disabled, masked ...; None where
    systemd does not run."""
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
