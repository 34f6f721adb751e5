"""Plan a format, deletion or resize of one partition that preserves the others."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from wizard.filesystems.kind import ROOT_GPT_TYPES
from wizard.filesystems.registry import KINDS
from wizard.model.errors import BadInput, Refused, partition_path
from wizard.model.finding import NOT_JUDGED, Recording
from wizard.model.geometry import Geometry, misalignment_bytes
from wizard.model.layout import Layout, Slot, TableEntry, Volume
from wizard.model.machine import Drive, Extent, Kernel, Machine, Partition
from wizard.model.said import Message, t
from wizard.operations.filesystem import GrowFilesystem, ShrinkFilesystem
from wizard.operations.operation import Context
from wizard.operations.table import WipeSignatures, WriteTable
from wizard.plan.dangers import (
    doubts_of,
    esp_doubts,
    forgotten_doubts,
    known_identity,
    layout_before,
    refuse_missing,
    rehearsal_doubts,
    shared_doubts,
)
from wizard.plan.free_space import place, reserved_in, with_free
from wizard.plan.partition.possible import (
    SIZE_STAYS,
    aligned_size,
    growing_of,
    restored_bytes,
    room_behind,
    why_not_delete,
    why_not_format,
    why_not_grow,
    why_not_grow_to,
    why_not_shrink,
    why_not_shrink_to,
)
from wizard.plan.plan import Plan, PlanOperation
from wizard.plan.planner import asked_doubts, demand_of, refuse_obstacles, volume_of
from wizard.plan.refusals import measured
from wizard.plan.request.encryption import encrypted, encryption_doubts, refuse_encryption
from wizard.plan.request.roles import ROLES, Role, TableKind
from wizard.plan.request.volume_request import VolumeSpec, check_specs, with_unique_labels
from wizard.plan.steps import layout_after, operations_of, steps_of, table_after


def changing(before: Layout, number: int) -> Layout:
    """Return the layout with all partitions preserved except this one."""
    return replace(before, slots=tuple(_mark_preserved(slot, number) for slot in before.slots))


def _mark_preserved(slot: Slot, number: int) -> Slot:
    return replace(slot, kept=slot.number not in (0, number))


def table_with(path: str, before: Layout, slot: Slot, volumes: Sequence[Volume]) -> WriteTable:
    """Return the table with the entry of `slot` replaced by its volume, or removed if there is none."""
    others = replace(before, slots=tuple(one for one in before.slots if one.number != slot.number))
    places = [slot.extent for _ in volumes]
    table = table_after(path, others, False, volumes, places)
    return replace(
        table,
        entries=tuple(
            entry if entry.kept else _keep_type(entry, slot, volumes[0], table.table)
            for entry in table.entries
        ),
    )


def _keep_type(entry: TableEntry, slot: Slot, volume: Volume, table: TableKind) -> TableEntry:
    """Keep the entry's old type if it states a role that the new volume can still have."""
    fits = not volume.role and not volume.encryption and slot.type is not None
    if fits and any(
        slot.type in _types(role, table) and volume.filesystem in role.filesystems for role in ROLES.values()
    ):
        return replace(entry, type=slot.type or entry.type)
    return entry


def _types(role: Role, table: TableKind) -> tuple[str, ...]:
    if table == "mbr":
        return (role.mbr_type,)
    return tuple(ROOT_GPT_TYPES.values()) if role.name == "root" else (role.gpt_type,)


def layout_with(before: Layout, slot: Slot, table: WriteTable, volumes: Sequence[Volume]) -> Layout:
    """Return the layout after the change. A formatted partition keeps its GUID and attributes."""
    first, end = before.slots[0].start_bytes, max(one.end_bytes for one in before.slots)
    after = layout_after(before, table, volumes, Extent(first, end - first))
    slots = (
        replace(one, part_uuid=slot.part_uuid, attributes=slot.attributes)
        if one.number == slot.number
        else one
        for one in after.partitions
    )
    bounds = Extent(first, end - first)
    return replace(after, slots=with_free(slots, bounds, reserved_in(before, bounds)))


def resized_table(path: str, before: Layout, slot: Slot, size_bytes: int) -> WriteTable:
    """Return the table with partition `slot` resized."""
    table = table_after(path, before, False, (), ())
    return replace(
        table,
        entries=tuple(
            replace(entry, size_bytes=size_bytes, kept=False) if entry.number == slot.number else entry
            for entry in table.entries
        ),
    )


def resized_layout(before: Layout, slot: Slot, size_bytes: int) -> Layout:
    """Return the layout after resizing."""
    return placed_layout(before, slot.number, Extent(slot.start_bytes, size_bytes))


def placed_layout(before: Layout, number: int, place: Extent) -> Layout:
    """Return the layout with this partition at another place or size."""
    first, end = before.slots[0].start_bytes, max(one.end_bytes for one in before.slots)
    slots = (
        replace(
            one,
            start_bytes=place.start_bytes,
            size_bytes=place.size_bytes,
            overhang_bytes=max(0, one.overhang_bytes + one.size_bytes - place.size_bytes),
        )
        if one.number == number
        else one
        for one in before.partitions
    )
    bounds = Extent(first, end - first)
    return Layout(before.table, with_free(slots, bounds, reserved_in(before, bounds)))


def resized_operations(
    path: str, slot: Slot, table: WriteTable, size_bytes: int
) -> tuple[PlanOperation, ...]:
    """Return the operations in order: grow the partition before the filesystem, shrink it after. If the
    partition cuts its contents, only the partition grows."""
    device, kind = partition_path(path, slot.number), slot.filesystem or ""
    if slot.overhang_bytes and size_bytes > slot.size_bytes:
        return (table,)
    if size_bytes >= slot.size_bytes:
        return (table, GrowFilesystem(device, kind, size_bytes))
    return (ShrinkFilesystem(device, kind, size_bytes), table)


def operations_with(
    path: str, slot: Slot, table: WriteTable, volumes: Sequence[Volume], geometry: Geometry
) -> tuple[PlanOperation, ...]:
    """Return the operations in order: for a volume the table first, for a deletion the signatures first."""
    device = partition_path(path, slot.number)
    wipe = WipeSignatures(device, tuple(slot.filesystem.split("+")) if slot.filesystem else ())
    if not volumes:
        return (wipe, table)
    return tuple(
        wipe if isinstance(one, WipeSignatures) and one.device == device else one
        for one in operations_of((), table, volumes, geometry)
    )


def format_plan(
    machine: Machine,
    drive: Drive,
    part: Partition,
    specs: Sequence[VolumeSpec],
    draw_uuid: Callable[[], str],
    recording: Recording = NOT_JUDGED,
) -> Plan:
    """Plan to format a partition. Raises Refused if it must not be changed, BadInput for an impossible
    request."""
    _refuse(why_not_format(drive, part))
    specs = with_unique_labels(tuple(specs))
    if len(specs) != 1:
        raise BadInput(
            t("{part} accepts one volume, but {asked} were requested.", part=part.path, asked=len(specs))
        )
    check_specs(specs)
    (spec,) = specs
    if spec.percent is not None or spec.size_bytes not in (None, part.size_bytes):
        raise BadInput(SIZE_STAYS(part=part.path, size=part.size_bytes))
    refuse_obstacles(machine, specs)
    refuse_encryption(machine, specs)
    _, geometry = measured(drive)
    room = part.extent
    place([demand_of(replace(spec, size_bytes=None), [room], geometry)], [room], geometry)
    volume = volume_of(drive, spec, part.number, draw_uuid(), machine.kernel.architecture)
    if spec.encrypted:
        volume = encrypted(volume, part.size_bytes, geometry, draw_uuid(), spec.key)
    off = misalignment_bytes(geometry, part.start_bytes)
    doubts = (
        *(
            (
                t(
                    "{part} remains misaligned by {off:exact}, which can slow down writes.",
                    part=part.path,
                    off=off,
                ),
            )
            if off
            else ()
        ),
        *esp_doubts(machine, drive, (volume,), {one.number for one in drive.partitions} - {part.number}),
        *encryption_doubts(drive, specs),
        *asked_doubts(specs),
    )
    return _plan_with(machine, drive, part, (volume,), doubts, recording)


def delete_plan(machine: Machine, drive: Drive, part: Partition, recording: Recording = NOT_JUDGED) -> Plan:
    """Plan to delete a partition, with all its signatures. Raises Refused if it must not be changed."""
    _refuse(why_not_delete(drive, part))
    return _plan_with(machine, drive, part, (), (), recording)


def grow_plan(
    machine: Machine,
    drive: Drive,
    part: Partition,
    recording: Recording = NOT_JUDGED,
    asked_bytes: int | None = None,
) -> Plan:
    """Plan to grow a partition and its filesystem to all adjacent free space, or to `asked_bytes` rounded up
    to an aligned end. A partition that cuts its contents grows alone, by default just enough. Raises
    Refused."""
    _refuse(why_not_grow(drive, part))
    size_bytes = part.size_bytes + room_behind(drive, part)
    if part.overhang is not None:
        size_bytes = restored_bytes(drive, part)
    if asked_bytes is not None:
        is_fill = asked_bytes == part.size_bytes
        size_bytes = asked_bytes if is_fill else aligned_size(drive, part, asked_bytes)
    _refuse(why_not_grow_to(drive, part, size_bytes))
    return _resized(machine, drive, part, size_bytes, recording)


def shrink_plan(
    machine: Machine, drive: Drive, part: Partition, asked_bytes: int, recording: Recording = NOT_JUDGED
) -> Plan:
    """Plan to shrink a partition and its filesystem to `asked_bytes`, rounded up to an aligned end. Raises
    Refused."""
    _refuse(why_not_shrink(drive, part))
    size_bytes = aligned_size(drive, part, asked_bytes)
    _refuse(why_not_shrink_to(drive, part, size_bytes))
    return _resized(machine, drive, part, size_bytes, recording)


def _resized(
    machine: Machine,
    drive: Drive,
    part: Partition,
    size_bytes: int,
    recording: Recording,
) -> Plan:
    """Plan a new size of a partition, preserving its contents."""
    doubts: tuple[Message, ...] = ()
    if part.overhang is None and (growing := growing_of(part.filesystem)):
        if growing.mounted:
            _refuse(_why_not_mounted(machine.kernel, part.filesystem or ""))
        refuse_missing(machine, growing.check[:1])
        doubts = growing.grown_remarks if size_bytes >= part.size_bytes else growing.shrunk_remarks
    before = layout_before(drive, *measured(drive), preserve=True)
    slot = next(one for one in before.partitions if one.number == part.number)
    table = resized_table(drive.path, before, slot, size_bytes)
    after = resized_layout(before, slot, size_bytes)
    operations = resized_operations(drive.path, slot, table, size_bytes)
    return _plan_of(machine, drive, slot, (), (before, after), operations, doubts, recording)


def _why_not_mounted(kernel: Kernel, filesystem: str) -> Message | None:
    """Return a reason if the kernel lacks the driver of a filesystem that only grows while mounted."""
    kind = KINDS[filesystem]
    if not kernel.filesystems or not kernel.filesystems.isdisjoint(kind.kernel_names):
        return None
    return t(
        "The running kernel ({release}) lacks {title}, which can only be resized "
        "while mounted. Boot a kernel with support.",
        release=kernel.release,
        title=kind.title,
    )


def _refuse(why: Message | None) -> None:
    if why is not None:
        raise Refused(str(why))


def _plan_with(
    machine: Machine,
    drive: Drive,
    part: Partition,
    volumes: tuple[Volume, ...],
    doubts: tuple[Message | str, ...],
    recording: Recording,
) -> Plan:
    """Plan to replace the partition by these volumes, or to delete it if there are none."""
    size_bytes, geometry = measured(drive)
    before = changing(layout_before(drive, size_bytes, geometry, preserve=True), part.number)
    slot = next(one for one in before.partitions if one.number == part.number)
    table = table_with(drive.path, before, slot, volumes)
    after = layout_with(before, slot, table, volumes)
    operations = operations_with(drive.path, slot, table, volumes, geometry)
    return _plan_of(machine, drive, slot, volumes, (before, after), operations, doubts, recording)


def _plan_of(
    machine: Machine,
    drive: Drive,
    slot: Slot,
    volumes: tuple[Volume, ...],
    layouts: tuple[Layout, Layout],
    operations: tuple[PlanOperation, ...],
    doubts: tuple[Message | str, ...],
    recording: Recording,
) -> Plan:
    """Return the plan for these operations, which lead from the first layout to the second, with all
    doubts."""
    before, after = layouts
    identity = known_identity(machine, drive, *measured(drive))
    table = next(one for one in operations if isinstance(one, WriteTable))
    risk = (
        (
            t(
                "Other partitions of {drive} are in use during the table write. A power "
                "failure then may leave only the backup table. `gdisk` (r, b, w) restores "
                "the table.",
                drive=drive.path,
            ),
        )
        if _is_risky(drive, slot, table)
        else ()
    )
    general = (
        *doubts_of(drive, recording, preserve=True),
        *rehearsal_doubts(machine.kernel),
        *shared_doubts(machine, drive, before),
        *forgotten_doubts(machine, operations),
    )
    return Plan(
        identity,
        before,
        after,
        volumes,
        steps_of(operations, Context(identity, before, after, part=slot.number)),
        (*general, *risk, *doubts),
        part=slot.number,
    )


def _is_risky(drive: Drive, slot: Slot, table: WriteTable) -> bool:
    """Return True if a GPT changes while another partition is in use. An MBR is a single sector, written
    atomically."""
    return bool(drive.uses) and table.table == "gpt" and table.changes(slot)
