"""What follows from the change of one partition: the table, the layout and the operations. The planner makes
them here; a plan that is read is checked against them."""

from collections.abc import Sequence
from dataclasses import replace

from wizard.filesystems.partitions import ROOT_GPT_TYPES
from wizard.layout.room.space import with_free
from wizard.layout.steps.operations import layout_after, operations_of, table_after
from wizard.layout.wishes.roles import ROLES, Role, TableKind
from wizard.model.geometry import Geometry
from wizard.model.machine import Extent
from wizard.model.names import partition_path
from wizard.model.plan import (
    GrowFilesystem,
    Layout,
    Operation,
    ShrinkFilesystem,
    Slot,
    TableEntry,
    Volume,
    WipeSignatures,
    WriteTable,
)


def changing(before: Layout, number: int) -> Layout:
    """The layout of a drive on which everything stays but this partition."""
    return replace(before, slots=tuple(_marked(slot, number) for slot in before.slots))


def _marked(slot: Slot, number: int) -> Slot:
    return replace(slot, kept=slot.number not in (0, number))


def table_with(path: str, before: Layout, slot: Slot, volumes: Sequence[Volume]) -> WriteTable:
    """The table in which the entry of `slot` is that of its volume, or is gone where there is none."""
    others = replace(before, slots=tuple(one for one in before.slots if one.number != slot.number))
    places = [slot.extent for _ in volumes]
    table = table_after(path, others, False, volumes, places)
    return replace(
        table,
        entries=tuple(
            entry if entry.kept else _keeping_purpose(entry, slot, volumes[0], table.table)
            for entry in table.entries
        ),
    )


def _keeping_purpose(entry: TableEntry, slot: Slot, volume: Volume, table: TableKind) -> TableEntry:
    """The entry with the type that it had, where that says what a system uses it for, and still can."""
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
    """What the drive holds then. A formatted partition keeps its GUID and its flags."""
    first, end = before.slots[0].start_bytes, max(one.end_bytes for one in before.slots)
    after = layout_after(before, table, volumes, Extent(first, end - first))
    slots = (
        replace(one, part_uuid=slot.part_uuid, attributes=slot.attributes)
        if one.number == slot.number
        else one
        for one in after.partitions
    )
    return replace(after, slots=with_free(slots, Extent(first, end - first)))


def resized_table(path: str, before: Layout, slot: Slot, size_bytes: int) -> WriteTable:
    """The table in which the partition `slot` has this size, and is the same otherwise."""
    table = table_after(path, before, False, (), ())
    return replace(
        table,
        entries=tuple(
            replace(entry, size_bytes=size_bytes, kept=False) if entry.number == slot.number else entry
            for entry in table.entries
        ),
    )


def resized_layout(before: Layout, slot: Slot, size_bytes: int) -> Layout:
    """What the drive holds then."""
    return placed_layout(before, slot.number, Extent(slot.start_bytes, size_bytes))


def placed_layout(before: Layout, number: int, place: Extent) -> Layout:
    """What the drive holds where this partition lies elsewhere, or has another size."""
    first, end = before.slots[0].start_bytes, max(one.end_bytes for one in before.slots)
    slots = (
        replace(one, start_bytes=place.start_bytes, size_bytes=place.size_bytes)
        if one.number == number
        else one
        for one in before.partitions
    )
    return Layout(before.table, with_free(slots, Extent(first, end - first)))


def resized_operations(path: str, slot: Slot, table: WriteTable, size_bytes: int) -> tuple[Operation, ...]:
    """What grows finds the room in the table first; what shrinks ends before its partition does."""
    device, kind = partition_path(path, slot.number), slot.filesystem or ""
    if size_bytes > slot.size_bytes:
        return (table, GrowFilesystem(device, kind, size_bytes))
    return (ShrinkFilesystem(device, kind, size_bytes), table)


def operations_with(
    path: str, slot: Slot, table: WriteTable, volumes: Sequence[Volume], geometry: Geometry
) -> tuple[Operation, ...]:
    """Everything in order: for a volume the table first, for a partition that goes its marks first."""
    device = partition_path(path, slot.number)
    wipe = WipeSignatures(device, tuple(slot.filesystem.split("+")) if slot.filesystem else ())
    if not volumes:
        return (wipe, table)
    return tuple(
        wipe if isinstance(one, WipeSignatures) and one.device == device else one
        for one in operations_of((), table, volumes, geometry)
    )
