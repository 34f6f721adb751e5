"""Read, change and undo settings of a filesystem or drive in use. Never overwrite changes by others."""

import re
from collections.abc import Sequence
from contextlib import suppress
from enum import StrEnum
from functools import singledispatch
from pathlib import Path, PurePath

from msgspec.structs import replace

from wizard.apply.block.devices import IN_USE, kernel_name, open_exclusively, size_bytes, sysfs_folder
from wizard.apply.resize.resized import held_in_use, is_filled
from wizard.apply.run.backup_store import LOOK_SECONDS
from wizard.apply.run.journal import sync_folder
from wizard.apply.run.process import UNWRITTEN
from wizard.apply.settings.system import RunningSystem, read_superblock, read_top, unit_state, wait_until
from wizard.apply.steps.filesystem import mount_filesystem
from wizard.apply.steps.step_context import physical_volumes_of
from wizard.apply.system import edited_file, mounts
from wizard.apply.table import write as table_write
from wizard.apply.table.one_entry import with_backup_at_end, with_changes
from wizard.model.errors import Failed, FrozenStruct, Refused
from wizard.model.geometry import Identity
from wizard.model.layout import MAPPER, Member
from wizard.model.machine import Drive, Extent
from wizard.model.said import Message, Sentence, failing, t
from wizard.operations import fstab, settings
from wizard.operations.filesystem import GrowMounted
from wizard.operations.layers import StopLayer, array_uuid
from wizard.operations.mounts import (
    MOUNTED_AT,
    NOT_MOUNTED_AT,
    ChangeOwner,
    Mount,
    Remount,
    Unmount,
)
from wizard.operations.operation import AS_SENTENCE, Setting, filled
from wizard.operations.table import IN_TABLE, ExtendPartition
from wizard.plan import derive
from wizard.plan.dangers import layout_before
from wizard.plan.partition.possible import room_behind
from wizard.plan.settings.possible import no_filesystem
from wizard.probe.host import sysfs
from wizard.probe.host.sysfs import SYS
from wizard.probe.machine import probe_drive
from wizard.process.program import run

LEFT = Sentence("Left unchanged because of an external change: {seen}.")


class How(StrEnum):
    """State of a setting. BEFORE: the value in the document. AFTER: the requested value. HALF: an interrupted
    change. OTHER: changed by another program."""

    BEFORE = "before"
    AFTER = "after"
    HALF = "half"
    OTHER = "other"


class ValueState(FrozenStruct):
    """The state of a setting; `seen` is a clause for display."""

    how: How
    seen: Message


def do(setting: Setting, system: RunningSystem) -> Message:
    """Change the setting and describe its state. Repeatable. Raises Failed if another program changed it, or
    if the change has no effect."""
    found = read(setting, system)
    if found.how is How.OTHER:
        raise Failed(LEFT(seen=found.seen))
    if found.how is not How.AFTER:
        write(setting, system, new=True)
        found = read(setting, system)
        if found.how is not How.AFTER:
            try:
                write(setting, system, new=False)
            except Failed as error:
                now = t("Undo also failed: {error}", error=str(error))
            else:
                now = t("Now {seen}.", seen=read(setting, system).seen)
            raise Failed(t("The change did not take effect: {seen}.", seen=found.seen), now)
    return AS_SENTENCE(clause=found.seen)


@singledispatch
def undo(setting: Setting, system: RunningSystem) -> Message:
    """Change back, and describe the result or why nothing was done. Raises Failed."""
    found = read(setting, system)
    if found.how is How.OTHER:
        return LEFT(seen=found.seen)
    if found.how is How.BEFORE:
        return t("Already as before: {seen}.", seen=found.seen)
    if obstacle := setting.undo_obstacle:
        return obstacle
    write(setting, system, new=False)
    found = read(setting, system)
    if found.how is not How.BEFORE:
        raise Failed(t("Undo failed: {seen}.", seen=found.seen))
    return t("Undone: {seen}.", seen=found.seen)


@singledispatch
def read(setting: Setting, system: RunningSystem) -> ValueState:
    """Read the current state. Raises Failed and BadInput if it is unreadable."""
    raise NotImplementedError


@singledispatch
def write(setting: Setting, system: RunningSystem, *, new: bool) -> None:
    """Change to the new state, or back. Called only if the state is not yet there. Raises Failed."""
    _run_commands(setting, system, new=new)


def _run_commands(setting: Setting, system: RunningSystem, *, new: bool) -> None:
    for argv in setting.commands_to(new=new):
        system.command(argv)


def _compared(seen: object, before: object, after: object, said: Message) -> ValueState:
    return ValueState(How.AFTER if seen == after else How.BEFORE if seen == before else How.OTHER, said)


Valued = settings.Relabel | settings.SetQueue | ChangeOwner
"""Settings whose state is one value."""


def _with_value(setting: Valued, value: object) -> ValueState:
    return _compared(value, setting.old, setting.new, replace(setting, new=value).goal)


@read.register
def _read_reserve(setting: settings.ReserveBlocks, system: RunningSystem) -> ValueState:
    blocks = read_superblock(setting.device).reserved_blocks
    return _compared(blocks, setting.old_blocks, setting.new_blocks, replace(setting, new_blocks=blocks).goal)


@read.register
def _read_identifier(setting: settings.Relabel, system: RunningSystem) -> ValueState:
    device = setting.device
    if setting.is_written:
        found = table_write.read_identifier(setting, system.drive)
        if found.now not in (found.new, found.old):
            seen = t("{device} has another UUID, a half-written one, or damaged copies", device=device)
            return ValueState(How.HALF if found.is_half else How.OTHER, seen)
        value = setting.new if found.now == found.new else setting.old
    else:
        drive = probe_drive(system.drive.path, seconds=LOOK_SECONDS)
        marks = drive.signatures_on(device)
        if len(marks) != 1:
            raise Failed(no_filesystem(drive, device))
        value = (marks[0].uuid if setting.is_uuid else marks[0].label) or ""
    return _with_value(setting, value)


@write.register
def _write_identifier(setting: settings.Relabel, system: RunningSystem, *, new: bool) -> None:
    if setting.is_written:
        table_write.write_identifier(setting, system.drive, new=new)
    else:
        _run_commands(setting, system, new=new)


@read.register
def _read_queue(setting: settings.SetQueue, system: RunningSystem) -> ValueState:
    content, file = sysfs.text(Path(setting.file)), setting.file
    # If the file lists choices, the active one is in brackets.
    chosen = re.search(r"\[(.+?)\]", content or "")
    now = chosen[1] if chosen else content
    if not now:
        return ValueState(How.OTHER, t("{path} is missing", path=file))
    return _with_value(setting, now)


@write.register
def _write_queue(setting: settings.SetQueue, system: RunningSystem, *, new: bool) -> None:
    with failing(UNWRITTEN, file=setting.file):
        Path(setting.file).write_text(setting.new if new else setting.old)


@read.register
def _read_rules(setting: settings.WriteRules, system: RunningSystem) -> ValueState:
    file = setting.file
    held = edited_file.read_text(Path(file)) if Path(file).exists() else None
    new = settings.udev_rule(system.drive, setting.values)
    other = t("{path} is missing", path=file) if held is None else t("{file} was changed", file=file)
    return _compared(held, setting.old, new, setting.goal if held == new else other)


@write.register
def _write_rules(setting: settings.WriteRules, system: RunningSystem, *, new: bool) -> None:
    file, text = Path(setting.file), settings.udev_rule(system.drive, setting.values) if new else setting.old
    if text is not None:
        edited_file.edit(file, lambda _: text)
        return
    with failing(UNWRITTEN, file=file):
        file.unlink()
        sync_folder(file.parent)


@read.register
def _read_timer(setting: settings.SwitchOnTimer, system: RunningSystem) -> ValueState:
    unit = setting.unit
    state = unit_state(unit)
    seen = settings.UNIT_STATE(unit=unit, state=state or "unknown")
    return _compared(state, "disabled", "enabled", seen)


@read.register
def _read_power(setting: settings.PowerOff, system: RunningSystem) -> ValueState:
    if _exists(setting.device):
        return ValueState(How.BEFORE, t("the kernel lists {device}", device=setting.device))
    return ValueState(How.AFTER, setting.goal)


@write.register
def _write_power(setting: settings.PowerOff, system: RunningSystem, *, new: bool) -> None:
    if not new:
        return
    if reason := open_exclusively(setting.device):
        raise Failed(IN_USE(device=setting.device, why=reason))
    _run_commands(setting, system, new=True)
    for file in setting.files:
        # Removing the first device can remove the next one, too.
        with failing(UNWRITTEN, file=file), suppress(FileNotFoundError):
            Path(file).write_text("1")
    wait_until(lambda: not _exists(setting.device))


def _exists(device: str) -> bool:
    return sysfs.folder_of(device).exists()


@read.register
def _read_layer(setting: StopLayer, system: RunningSystem) -> ValueState:
    device = setting.device
    match setting.layer:
        case "md":
            holders = (sysfs_folder(one).glob("holders/md*") for one in setting.members)
            arrays = [frozenset(one.name for one in each) for each in holders]
            some, every = any(arrays), bool(frozenset.intersection(*arrays))
        case "lvm":
            active = setting.mapped_names & _mapped().keys()
            some, every = bool(active), active == setting.mapped_names
        case "luks":
            below = _mapped().get(PurePath(device).name)
            some = every = below is not None
            if below is not None and below != [kernel_name(member) for member in setting.members]:
                found = " ".join(below)
                return ValueState(How.OTHER, t("{device} is on {drive}", device=device, drive=found))
    if every:
        return ValueState(How.BEFORE, t("{device} is active", device=device))
    if some:
        return ValueState(How.HALF, t("{device} is partly active", device=device))
    return ValueState(How.AFTER, setting.goal)


def _mapped() -> dict[str, list[str]]:
    """Return the names of all device mapper devices, with the kernel's names of the devices below."""
    files = (SYS / "class/block").glob("dm-*/dm/name")
    return {
        name: [one.name for one in file.parent.parent.glob("slaves/*")]
        for file in files
        if (name := sysfs.text(file))
    }


@write.register
def _write_layer(setting: StopLayer, system: RunningSystem, *, new: bool) -> None:
    device, members = setting.device, setting.members
    if new:
        for node in [f"{MAPPER}{name}" for name in sorted(setting.mapped_names)] or [device]:
            if reason := open_exclusively(node):
                raise Failed(IN_USE(device=node, why=reason))
    # An array that starts without a member must copy everything later.
    elif not (
        _has_array(members, setting.uuid)
        if setting.layer == "md"
        else physical_volumes_of(device) == {*members}
    ):
        raise Failed(
            t(
                "Cannot start {device}: a member changed or is missing ({members:and}).",
                device=device,
                members=members,
            )
        )
    _run_commands(setting, system, new=new)
    wanted = How.AFTER if new else How.BEFORE
    wait_until(lambda: read(setting, system).how is wanted)


def _has_array(members: Sequence[str], uuid: str) -> bool:
    argv = ("mdadm", "--examine", "--export")
    try:
        found = [run((*argv, member)).output.splitlines() for member in members]
    except Failed:
        # mdadm fails for partitions without a superblock.
        return False
    return all(f"MD_UUID={array_uuid(uuid)}" in lines for lines in found)


@read.register
def _read_end(setting: ExtendPartition, system: RunningSystem) -> ValueState:
    device, drive = setting.device, probe_drive(setting.drive)
    part = drive.partition(device)
    if part is None or part.start_bytes != setting.start_bytes:
        return ValueState(How.OTHER, t("{device} starts at another byte", device=device))
    kernel_size = size_bytes(device)
    seen = IN_TABLE(device=device, size=part.size_bytes, kernel=kernel_size)
    if part.size_bytes not in (setting.old_bytes, setting.new_bytes):
        return ValueState(How.OTHER, seen)
    table = _read_table(setting, system.drive, drive)
    if table.now == table.new and kernel_size == setting.new_bytes:
        return ValueState(How.AFTER, seen)
    # If the table was copied from a smaller drive, its backup is not at the end yet, but will be moved.
    is_copied = drive.table is not None and drive.table.backup == "misplaced"
    now = with_backup_at_end(table.now) if is_copied else table.now
    if now != table.old or kernel_size != setting.old_bytes:
        return ValueState(How.HALF, seen)
    if room_behind(drive, part) < setting.new_bytes - setting.old_bytes:
        return ValueState(How.OTHER, t("the free space after {device} is in use", device=device))
    return ValueState(How.BEFORE, seen)


@write.register
def _write_end(setting: ExtendPartition, system: RunningSystem, *, new: bool) -> None:
    if new or not _has_grown(setting, system):
        table = _read_table(setting, system.drive, probe_drive(setting.drive))
        table.write(setting.drive, system.drive, new=new)
        _run_commands(setting, system, new=new)


@undo.register
def _undo_end(setting: ExtendPartition, system: RunningSystem) -> Message:
    if _has_grown(setting, system):
        return t("The new end of {device} remains: the filesystem has already grown.", device=setting.device)
    return undo.dispatch(Setting)(setting, system)


def _has_grown(setting: ExtendPartition, system: RunningSystem) -> bool:
    """Return True if the filesystem is larger than the old partition, whose end must then stay."""
    growing = next(one for one in system.settings if isinstance(one, GrowMounted))
    return _size_in_use(growing) > setting.old_bytes


def _size_in_use(setting: GrowMounted) -> int:
    return held_in_use(setting.filesystem, setting.device, setting.mount_point)[0]


def _read_table(setting: ExtendPartition, identity: Identity, drive: Drive) -> table_write.Edit:
    """Read the table, with the old and with the new partition end. Raises Failed or BadInput."""
    known = replace(drive, size_bytes=identity.size_bytes, geometry=identity.geometry)
    number = setting.number
    before = derive.changing(layout_before(known, preserve=True), number)
    extents = (Extent(setting.start_bytes, size) for size in (setting.old_bytes, setting.new_bytes))
    layouts = [derive.placed_layout(before, number, extent) for extent in extents]
    now = table_write.image_of(
        setting.drive, table_write.table_regions(Member(identity, before, layouts[1])), identity
    )
    old, new = (
        with_changes(derive.table_of(setting.drive, layout, changed=number), now) for layout in layouts
    )
    return table_write.Edit(before.table, now, old, new)


@read.register
def _read_size(setting: GrowMounted, system: RunningSystem) -> ValueState:
    if mounts.mounted_from(setting.device, setting.mount_point) is None:
        return ValueState(How.OTHER, filled(NOT_MOUNTED_AT, setting))
    held = _size_in_use(setting)
    seen = t("the filesystem on {device} has {size:size}", device=setting.device, size=held)
    if held == setting.old_bytes:
        return ValueState(How.BEFORE, seen)
    if is_filled(held, setting.new_bytes):
        return ValueState(How.AFTER, seen)
    return ValueState(How.HALF if setting.old_bytes < held < setting.new_bytes else How.OTHER, seen)


@read.register
def _read_mount(setting: Mount, system: RunningSystem) -> ValueState:
    other = mounts.mounted_at(setting.mount_point)
    if mounts.is_mounted(setting):
        return ValueState(How.AFTER, setting.goal)
    if other is None:
        return ValueState(How.BEFORE, filled(NOT_MOUNTED_AT, setting))
    return ValueState(How.OTHER, MOUNTED_AT(device=other.source, mount_point=setting.mount_point))


@write.register
def _write_mount(setting: Mount, system: RunningSystem, *, new: bool) -> None:
    if new:
        mount_filesystem(setting, system.command)
        return
    try:
        mounts.check_unused(setting.mount_point)
    except Refused as error:
        raise Failed(str(error)) from None
    _run_commands(setting, system, new=False)


@read.register
def _read_remount(setting: Remount, system: RunningSystem) -> ValueState:
    mounted = mounts.mounted_from(setting.device, setting.mount_point)
    if mounted is None:
        return ValueState(How.OTHER, filled(NOT_MOUNTED_AT, setting))
    words = mounted.words
    return _compared({*words}, {*setting.old}, {*setting.new}, replace(setting, new=words).goal)


@read.register
def _read_owner(setting: ChangeOwner, system: RunningSystem) -> ValueState:
    top = read_top(setting.device, setting.mount_point, setting.filesystem)
    return _with_value(setting, top)


@write.register
def _write_owner(setting: ChangeOwner, system: RunningSystem, *, new: bool) -> None:
    # Without the mount, the folder below would get the owner.
    if mounts.mounted_from(setting.device, setting.mount_point) is None:
        raise Failed(AS_SENTENCE(clause=filled(NOT_MOUNTED_AT, setting)))
    _run_commands(setting, system, new=new)


@read.register
def _read_unmount(setting: Unmount, system: RunningSystem) -> ValueState:
    if any(
        one.mount_point == setting.mount_point and mounts.is_mount_of(one, setting.device)
        for one in mounts.read_mounts()
    ):
        return ValueState(How.BEFORE, setting.mount.goal)
    return ValueState(How.AFTER, setting.goal)


@write.register
def _write_unmount(setting: Unmount, system: RunningSystem, *, new: bool) -> None:
    write(setting.mount, system, new=not new)


@read.register
def _read_lines(setting: fstab.EditFstab, system: RunningSystem) -> ValueState:
    """Changed lines count regardless of other lines in the file. Unchanged lines require an unchanged
    file."""
    held = edited_file.read_text(Path(setting.file))
    if setting.is_edited(held):
        return ValueState(How.AFTER, setting.goal)
    if setting.edited(held) is not None:
        return ValueState(How.BEFORE, t("the file is unchanged"))
    return ValueState(How.OTHER, t("{file} was changed", file=setting.file))


@write.register
def _write_lines(setting: fstab.EditFstab, system: RunningSystem, *, new: bool) -> None:
    file = Path(setting.file)
    if not new:
        edited_file.edit(file, setting.restored)
        return

    def change(text: str) -> str:
        changed = text if setting.is_edited(text) else setting.edited(text)
        if changed is None:
            raise Failed(fstab.CHANGED_SINCE(file=file))
        return changed

    edited_file.edit(file, change, edited_file.kept_as(file, system.run_name))
    # With outdated units, systemd may unmount a filesystem with a changed label.
    system.reload_units()


@undo.register
def _undo_lines(setting: fstab.EditFstab, system: RunningSystem) -> Message:
    """Restore only the old lines, whatever else has changed."""
    file = Path(setting.file)
    edited_file.edit(file, setting.restored)
    system.reload_units()
    lines = edited_file.read_text(file).split("\n")
    has_old = all(one.old is None or one.old in lines for one in setting.lines)
    is_restored = has_old and not any(one.new in lines for one in setting.lines if one.new is not None)
    return (
        fstab.LINES_THERE(count=len(setting.lines), file=file)
        if is_restored
        else fstab.CHANGED_SINCE(file=file)
    )
