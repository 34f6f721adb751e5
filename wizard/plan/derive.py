"""Derive what follows from a plan's decisions: tables, final layouts and operations.

The planner decides, and validation reads the decisions from a document. Both derive the rest here. Pure.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from wizard.filesystems.kind import ROOT_GPT_TYPES
from wizard.filesystems.registry import MADE
from wizard.model.errors import partition_path
from wizard.model.geometry import Geometry, Identity
from wizard.model.layout import NO_PLACE, Layout, Slot, TableEntry, Volume
from wizard.model.machine import Extent
from wizard.operations.containers import AddCrypttabLine, MakeContainer, OpenContainer
from wizard.operations.filesystem import (
    GrowFilesystem,
    MakeFilesystem,
    MakeSubvolumes,
    SetOwner,
    ShrinkFilesystem,
)
from wizard.operations.mounts import AddFstabLine, Mount, TurnOnSwap
from wizard.operations.rules import partition_name
from wizard.operations.table import ResetZones, WipeSignatures, WriteTable
from wizard.plan.free_space import is_container, reserved_in, with_free
from wizard.plan.plan import Plan, PlanOperation
from wizard.plan.request.roles import ROLES, Role, TableKind, partition_type
from wizard.plan.request.subvolumes import subvolume_option
from wizard.plan.request.using import is_given_afterwards, made_options, owner_options


@dataclass(frozen=True, slots=True)
class Derived:
    """The final layout of each drive, and all operations in order."""

    afters: tuple[Layout, ...]
    operations: tuple[PlanOperation, ...]

    def faults(self, plan: Plan) -> Iterator[str]:
        """Yield what differs in a plan."""
        if tuple(member.after for member in plan.members) != self.afters:
            yield "after"
        if tuple(step.operation for step in plan.steps) != self.operations:
            yield "steps"


def whole_drive(drive: Identity, volume: Volume) -> Derived:
    """Derive a filesystem without a table. All zones are reset, because they cannot be overwritten."""
    only = Slot(
        number=0,
        start_bytes=0,
        size_bytes=drive.size_bytes,
        filesystem=volume.filesystem,
        label=volume.label,
        uuid=volume.uuid,
        mount_point=volume.mount_point,
    )
    operations = (ResetZones(volume.path), make(volume, volume.mkfs_options), *mounted(volume))
    return Derived((Layout("none", (), (), only),), operations)


def partitioned(
    drive: Identity,
    before: Layout,
    volumes: Sequence[Volume],
    extents: Sequence[Extent],
    bounds: Extent,
    *,
    fresh: TableKind | None,
    wipes: Sequence[WipeSignatures] = (),
) -> Derived:
    """Derive a partition for each volume. `bounds`: usable range of the table."""
    table = table_after(drive.path, before, volumes, extents, fresh=fresh)
    after = layout_after(before, table, volumes, bounds)
    return Derived((after,), operations_of(wipes, table, volumes, drive.geometry))


def changed_part(drive: Identity, before: Layout, slot: Slot, volumes: Sequence[Volume]) -> Derived:
    """Derive a partition formatted for the volume, or deleted without one. A formatted partition retains GUID
    and attributes, and a type that still fits."""
    others = replace(before, slots=tuple(one for one in before.slots if one.number != slot.number))
    table = table_after(drive.path, others, volumes, [slot.extent for _ in volumes])
    entries = (one if one.kept else _keep_type(one, slot, volumes[0], table.table) for one in table.entries)
    table = replace(table, entries=tuple(entries))
    bounds = bounds_in(before)
    after = layout_after(before, table, volumes, bounds)
    slots = (
        replace(one, part_uuid=slot.part_uuid, attributes=slot.attributes)
        if one.number == slot.number
        else one
        for one in after.partitions
    )
    after = replace(after, slots=with_free(slots, bounds, reserved_in(before, bounds)))
    device = partition_path(drive.path, slot.number)
    wipe = WipeSignatures(device, tuple(slot.filesystem.split("+")) if slot.filesystem else ())
    if not volumes:
        return Derived((after,), (wipe, table))
    operations = operations_of((), table, volumes, drive.geometry)
    return Derived((after,), tuple(wipe if one == WipeSignatures(device, ()) else one for one in operations))


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


def resized_part(path: str, before: Layout, slot: Slot, size_bytes: int) -> Derived:
    """Derive a resized partition, which grows before the filesystem, and shrinks after. If the partition cuts
    the contents, only the partition grows."""
    table = resized_table(path, before, slot, size_bytes)
    after = placed_layout(before, slot.number, Extent(slot.start_bytes, size_bytes))
    device, kind = partition_path(path, slot.number), slot.filesystem or ""
    if slot.overhang_bytes and size_bytes > slot.size_bytes:
        return Derived((after,), (table,))
    if size_bytes >= slot.size_bytes:
        return Derived((after,), (table, GrowFilesystem(device, kind, size_bytes)))
    return Derived((after,), (ShrinkFilesystem(device, kind, size_bytes), table))


def resized_table(path: str, before: Layout, slot: Slot, size_bytes: int) -> WriteTable:
    """Return the table with partition `slot` resized."""
    table = table_after(path, before, (), ())
    return replace(
        table,
        entries=tuple(
            replace(entry, size_bytes=size_bytes, kept=False) if entry.number == slot.number else entry
            for entry in table.entries
        ),
    )


def placed_layout(before: Layout, number: int, place: Extent) -> Layout:
    """Return the layout with this partition at another place or size."""
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
    bounds = bounds_in(before)
    return Layout(before.table, with_free(slots, bounds, reserved_in(before, bounds)))


def changing(before: Layout, number: int) -> Layout:
    """Return the layout with all partitions preserved except this one."""
    slots = (replace(slot, kept=slot.number not in (0, number)) for slot in before.slots)
    return replace(before, slots=tuple(slots))


def bounds_in(before: Layout) -> Extent:
    """Return the range of an old layout for partitions, from the first to the last slot."""
    first, end = before.slots[0].start_bytes, max(one.end_bytes for one in before.slots)
    return Extent(first, end - first)


def table_after(
    path: str,
    before: Layout,
    volumes: Sequence[Volume],
    extents: Sequence[Extent],
    *,
    fresh: TableKind | None = None,
    gpt_type: str = "",
) -> WriteTable:
    """Return the table to write, sorted by number: the old entries, unless it is a `fresh` one of this kind,
    and one entry per volume. `gpt_type`: type of new entries that do not contain the volumes directly."""
    table: TableKind = fresh or ("mbr" if before.table == "mbr" else "gpt")
    kept = [] if fresh else [_kept_entry(slot) for slot in before.partitions]
    new = [
        TableEntry(
            number=volume.partition,
            start_bytes=extent.start_bytes,
            size_bytes=extent.size_bytes,
            type=gpt_type or partition_type(volume, table),
            name=partition_name(volume.label) if table == "gpt" else "",
        )
        for volume, extent in zip(volumes, extents, strict=True)
    ]
    entries = tuple(sorted([*kept, *new], key=lambda entry: entry.number))
    return WriteTable(path, table, fresh is not None, entries)


def _kept_entry(slot: Slot) -> TableEntry:
    return TableEntry(
        slot.number, slot.start_bytes, slot.size_bytes, slot.type or "", slot.name or "", kept=True
    )


def layout_after(before: Layout, table: WriteTable, volumes: Sequence[Volume], bounds: Extent) -> Layout:
    """Return the final layout. `bounds`: usable range of the new table."""
    by_number = {volume.partition: volume for volume in volumes}
    kept = {slot.number: slot for slot in before.partitions} if not table.fresh else {}
    slots = [
        kept[entry.number]
        if entry.kept and entry.number in kept
        else _new_slot(entry, by_number.get(entry.number))
        for entry in table.entries
    ]
    return Layout(table.table, with_free(slots, bounds, () if table.fresh else reserved_in(before, bounds)))


def _new_slot(entry: TableEntry, volume: Volume | None) -> Slot:
    return Slot(
        number=entry.number,
        start_bytes=entry.start_bytes,
        size_bytes=entry.size_bytes,
        type=entry.type,
        name=entry.name or None,
        filesystem=volume.filesystem if volume else None,
        label=volume.label if volume else None,
        uuid=volume.uuid if volume else None,
        mount_point=volume.mount_point if volume else None,
        opened=volume.encryption.opened if volume and volume.encryption else None,
    )


def operations_of(
    wipes: Sequence[WipeSignatures], table: WriteTable, volumes: Sequence[Volume], geometry: Geometry
) -> tuple[PlanOperation, ...]:
    """Return all operations in order: erase signatures, write the table, then create each filesystem, add its
    fstab line and mount it.

    All filesystems are created before the first is mounted, so a failure leaves no device in use.
    """
    operations: list[PlanOperation] = [*wipes, table]
    for volume in volumes:
        operations.append(WipeSignatures(volume.encryption.device if volume.encryption else volume.path, ()))
        if one := volume.encryption:
            operations += (
                MakeContainer(one.device, one.uuid, one.sector_bytes, one.offset_bytes),
                OpenContainer(one.device, one.uuid, one.name),
            )
        options = volume.mkfs_options if volume.encryption else _options_at_place(volume, table, geometry)
        operations.append(make(volume, options))
    return (*operations, *(operation for volume in volumes for operation in mounted(volume)))


def make(volume: Volume, options: tuple[str, ...]) -> MakeFilesystem:
    """Return the creation of the volume's filesystem with these options and its writer."""
    owned = made_options(volume, options)
    return MakeFilesystem(volume.path, volume.filesystem, volume.uuid, volume.label, owned)


def _options_at_place(volume: Volume, table: WriteTable, geometry: Geometry) -> tuple[str, ...]:
    """Return mkfs options, including those that mkfs would detect on the drive itself."""
    places = (entry.extent for entry in table.entries if entry.number == volume.partition)
    place = next(places, None)
    options = volume.mkfs_options
    return MADE[volume.filesystem].for_place(geometry, place, options) if place else options


def mounted(volume: Volume, others: tuple[str, ...] = ()) -> tuple[PlanOperation, ...]:
    """Return the operations to mount the volume, if requested. `others`: further devices of a multi-device
    Btrfs.

    Subvolumes and owners are set first. The volume is mounted before its subvolumes, each with its own fstab
    line. Swap also gets a line, and is activated. An encrypted volume gets its crypttab line before all
    mounts.
    """
    kind = MADE[volume.filesystem]
    one = volume.encryption
    opened = (AddCrypttabLine(one.uuid, one.name, one.key),) if one else ()
    if not kind.mounts:
        not_mounted = volume.mount_point is None
        line = AddFstabLine(volume.uuid, NO_PLACE, kind.name, ("sw", "nofail"), kind.fsck_pass)
        return () if not_mounted else (*opened, line, TurnOnSwap(volume.path))
    names = tuple(subvolume.name for subvolume in volume.subvolumes)
    preparations: list[PlanOperation] = []
    if names:
        preparations.append(MakeSubvolumes(volume.path, volume.filesystem, volume.uuid, names, others=others))
    if is_given_afterwards(volume):
        owner = SetOwner(volume.path, volume.filesystem, volume.uuid, volume.writer, names, others=others)
        preparations.append(owner)
    common = (*volume.mount_options, *owner_options(volume.filesystem, volume.writer, volume.mount_options))
    places = [(volume.mount_point, common)]
    places += [(one.mount_point, (*common, subvolume_option(one.name))) for one in volume.subvolumes]
    mounts = [
        operation
        for place, options in places
        if place
        for operation in _mount_operations(volume, place, options, others)
    ]
    return (*preparations, *(opened if mounts else ()), *mounts)


def _mount_operations(
    volume: Volume, place: str, options: tuple[str, ...], others: tuple[str, ...]
) -> tuple[PlanOperation, ...]:
    kind = MADE[volume.filesystem]
    at_boot = tuple(dict.fromkeys((*options, "nofail")))
    return (
        AddFstabLine(volume.uuid, place, kind.kernel_names[0], at_boot, kind.fsck_pass),
        Mount(volume.path, place, kind.kernel_names[0], options, others=others),
    )


def wipes_of(drive_path: str, before: Layout, unread: bool) -> tuple[WipeSignatures, ...]:
    """Return the wipes before a new table: all partitions with contents, last first, then the drive itself.

    If the contents are `unread`, all known partitions and the drive are wiped.
    """
    wipes = [
        WipeSignatures(
            partition_path(drive_path, slot.number),
            tuple(slot.filesystem.split("+")) if slot.filesystem else (),
        )
        for slot in before.partitions
        if not slot.kept and not is_container(slot) and (slot.filesystem or unread)
    ]
    on_drive = (*before.signatures, *([before.table] if before.table not in ("none", "unread") else []))
    if wipes or before.partitions or on_drive or unread:
        wipes.append(WipeSignatures(drive_path, on_drive))
    return tuple(wipes)
