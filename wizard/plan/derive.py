"""Derive what follows from a plan's decisions: tables, final layouts and operations.

The planner decides, and validation reads the decisions from a document. Both derive the rest here. Pure.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from wizard.filesystems import partition_types
from wizard.filesystems.registry import MADE
from wizard.model.errors import FrozenStruct, partition_path
from wizard.model.layout import NO_PLACE, Layout, Slot, TableEntry, Volume
from wizard.model.machine import Extent
from wizard.operations import containers, filesystem, layers, mounts
from wizard.operations.rules import partition_name
from wizard.operations.table import ResetZones, WipeSignatures, WriteTable
from wizard.plan import free_space
from wizard.plan.plan import Plan, PlanOperation
from wizard.plan.raid import striping
from wizard.plan.raid.striping import logical_names
from wizard.plan.request import roles, using
from wizard.plan.request.volume_request import subvolume_option


class Places(FrozenStruct):
    """Where a plan puts its new partitions, besides its volumes.

    `extents`: of each volume, of the volume group, of each drive of a stripe, or the new size of an existing
    partition. `fresh`: kind of a new table. `wipes`: erased before a new table. `sizes`: of logical volumes.
    `after`: layout of a lost table to write back.
    """

    extents: tuple[Extent, ...] = ()
    fresh: roles.TableKind | None = None
    wipes: tuple[WipeSignatures, ...] = ()
    sizes: tuple[int, ...] = ()
    after: Layout | None = None


Derived = tuple[tuple[Layout, ...], tuple[PlanOperation, ...]]
"""The final layout of each drive, and all operations in order."""


def derived_from(plan: Plan, places: Places) -> Derived:
    """Derive layouts and operations from drives, old layouts, volumes, group and stripe of a plan."""
    if plan.volumes and not plan.volumes[0].partition:
        return _whole_drive(plan, plan.volumes[0])
    if places.after is not None:
        return (places.after,), (table_of(plan.drive.path, places.after),)
    slot = plan.before.partition(plan.part)
    found = []
    for index, member in enumerate(plan.members):
        before, drive = member.before, member.drive
        new = [*_new_slots(plan, places, slot, index)]
        if places.fresh:
            bounds = free_space.fresh_bounds(places.fresh, drive.size_bytes, drive.geometry)
            found.append(Layout(places.fresh, free_space.with_free(new, bounds)))
            continue
        numbers = {one.number for one in new}
        kept = (one for one in before.partitions if one.kept and one.number not in numbers)
        found.append(Layout(_kind_of(before), free_space.refilled(before, (*kept, *new))))
    afters = tuple(found)
    tables = tuple(
        table_of(member.drive.path, after, fresh=places.fresh is not None, changed=plan.part)
        for member, after in zip(plan.members, afters, strict=True)
    )
    if slot is not None and slot.kept:
        # A partition grows before the filesystem, and shrinks after.
        resized = (plan.part_path, slot.filesystem or "", places.extents[0].size_bytes)
        if resized[-1] < slot.size_bytes:
            return afters, (filesystem.ShrinkFilesystem(*resized), *tables)
        # If the partition cuts the contents, only the partition grows.
        is_cut = slot.overhang_bytes and resized[-1] > slot.size_bytes
        return afters, tables if is_cut else (*tables, filesystem.GrowFilesystem(*resized))
    old: tuple[WipeSignatures, ...] = places.wipes
    if slot is not None and not plan.volumes:
        old = (_wipe(plan.part_path, slot),)
    others = striping.parts_of(plan.drives)[1:] if plan.stripe and plan.stripe.kind == "btrfs" else ()
    mounts = (operation for volume in plan.volumes for operation in mounted(volume, others))
    return afters, (*old, *tables, *_created(plan, places, slot), *mounts)


def _whole_drive(plan: Plan, volume: Volume) -> Derived:
    """Derive a filesystem without a table. All zones are reset, because they cannot be overwritten."""
    slot = _volume_slot(volume, Extent(0, plan.drive.size_bytes), "gpt")
    only = replace(slot, type=None, name=None)
    operations = (ResetZones(volume.path), _make(volume, volume.mkfs_options), *mounted(volume))
    return (Layout("none", (), (), only),), operations


def _new_slots(plan: Plan, places: Places, changed: Slot | None, member: int) -> Iterator[Slot]:
    """Yield the new or changed partitions of one drive. A formatted partition retains GUID and attributes,
    and a type that still fits."""
    table = places.fresh or _kind_of(plan.before)
    if changed is not None and changed.kept:
        yield _placed(changed, places.extents[0])
    elif plan.group or (plan.stripe and plan.stripe.kind == "md"):
        volume, extent = plan.volumes[0], places.extents[member]
        content = striping.MEMBER_KINDS["lvm" if plan.group else "md"]
        kind = roles.content_types(content)[table == "mbr"]
        name = _name(plan.group.name if plan.group else volume.label, table)
        yield Slot(volume.partition, extent.start_bytes, extent.size_bytes, kind, name, filesystem=content)
    elif plan.stripe:
        yield _volume_slot(plan.volumes[0], places.extents[member], table)
    else:
        for volume, extent in zip(plan.volumes, places.extents, strict=True):
            slot = _volume_slot(volume, extent, table)
            if changed is not None:
                is_plain = not volume.role and not volume.encryption
                fits = any(
                    changed.type == role.types[table == "mbr"] and volume.filesystem in role.filesystems
                    for role in roles.PLANNED_ROLES.values()
                )
                old = changed.type if changed.type and is_plain and fits else slot.type
                slot = replace(slot, type=old, part_uuid=changed.part_uuid, attributes=changed.attributes)
            yield slot


def _volume_slot(volume: Volume, extent: Extent, table: roles.TableKind) -> Slot:
    return Slot(
        number=volume.partition,
        start_bytes=extent.start_bytes,
        size_bytes=extent.size_bytes,
        type=roles.partition_type(volume, table),
        name=_name(volume.label, table),
        filesystem=volume.filesystem,
        label=volume.label,
        uuid=volume.uuid,
        mount_point=volume.mount_point,
        opened=volume.encryption.opened if volume.encryption else None,
    )


def _name(label: str, table: roles.TableKind) -> str | None:
    return (partition_name(label) or None) if table == "gpt" else None


def _kind_of(layout: Layout) -> roles.TableKind:
    return "mbr" if layout.table == "mbr" else "gpt"


def placed_layout(before: Layout, number: int, place: Extent) -> Layout:
    """Return the layout with this partition at another place or size."""
    slots = (_placed(one, place) if one.number == number else one for one in before.partitions)
    return Layout(before.table, free_space.refilled(before, slots))


def _placed(slot: Slot, place: Extent) -> Slot:
    return replace(
        slot,
        start_bytes=place.start_bytes,
        size_bytes=place.size_bytes,
        overhang_bytes=max(0, slot.overhang_bytes + slot.size_bytes - place.size_bytes),
    )


def changing(before: Layout, number: int) -> Layout:
    """Return the layout with all partitions preserved except this one."""
    slots = (replace(slot, kept=slot.number not in (0, number)) for slot in before.slots)
    return replace(before, slots=tuple(slots))


def table_of(path: str, after: Layout, *, fresh: bool = False, changed: int = 0) -> WriteTable:
    """Return the table to write for a layout, sorted by number. `changed`: number of a resized partition."""
    entries = (
        TableEntry(
            number=slot.number,
            start_bytes=slot.start_bytes,
            size_bytes=slot.size_bytes,
            type=slot.type or "",
            name=slot.name or "",
            kept=slot.kept and slot.number != changed,
        )
        for slot in sorted(after.partitions, key=lambda slot: slot.number)
    )
    return WriteTable(path, _kind_of(after), fresh, tuple(entries))


def _wipe(device: str, slot: Slot | None) -> WipeSignatures:
    return WipeSignatures(device, tuple(slot.filesystem.split("+")) if slot and slot.filesystem else ())


def _created(plan: Plan, places: Places, old: Slot | None) -> Iterator[PlanOperation]:
    """Yield the creation of the layers and filesystems, before the first mount, so that a failure leaves no
    device in use. `old`: a partition to be formatted."""
    stripe, group, drives, volumes = plan.stripe, plan.group, plan.drives, plan.volumes
    if group is not None:
        yield WipeSignatures(group.device, ())
        yield layers.MakeVolumeGroup(group.name, (group.device,), (group.uuid,))
        names = logical_names([volume.label for volume in volumes])
        for volume, name, size in zip(volumes, names, places.sizes, strict=True):
            yield layers.MakeLogicalVolume(volume.path, group.name, name, size)
        for volume in volumes:
            yield replace(_make(volume, volume.mkfs_options), logical=True)
    elif stripe is not None:
        (volume,), parts = volumes, striping.parts_of(drives)
        yield from (WipeSignatures(part, ()) for part in parts)
        if stripe.kind == "btrfs":
            yield replace(_make(volume, volume.mkfs_options), others=parts[1:])
            return
        (uuid,) = stripe.uuids
        yield layers.MakeArray(
            stripe.device, stripe.name, uuid, stripe.chunk_bytes, parts, level=stripe.level
        )
        data_drives = 1 if stripe.mirrors else len(drives)
        array = Extent(0, data_drives * min(drive.size_bytes for drive in drives))
        # Including signatures that mkfs would detect on the array itself.
        options = MADE[volume.filesystem].for_place(striping.stacked(drives), array, volume.mkfs_options)
        yield replace(
            _make(volume, options),
            striping=None if stripe.mirrors else striping.striping_of(stripe, len(parts)),
            mirrored=stripe.mirrors,
        )
    else:
        for volume, place in zip(volumes, places.extents, strict=True):
            yield _wipe(volume.device, old)
            options = volume.mkfs_options
            if one := volume.encryption:
                yield containers.MakeContainer(one.device, one.uuid, one.sector_bytes, one.offset_bytes)
                yield containers.OpenContainer(one.device, one.uuid, one.name)
            else:
                options = MADE[volume.filesystem].for_place(plan.drive.geometry, place, options)
            yield _make(volume, options)


def _make(volume: Volume, options: tuple[str, ...]) -> filesystem.MakeFilesystem:
    owned = using.made_options(volume, options)
    return filesystem.MakeFilesystem(volume.path, volume.filesystem, volume.uuid, volume.label, owned)


def mounted(volume: Volume, others: tuple[str, ...] = ()) -> tuple[PlanOperation, ...]:
    """Return the operations to mount the volume, if requested. `others`: further devices of a multi-device
    Btrfs.

    Subvolumes and owners are set first. The volume is mounted before the subvolumes, each with its own fstab
    line. Swap also gets a line, and is activated. An encrypted volume gets its crypttab line before all
    mounts.
    """
    kind = MADE[volume.filesystem]
    one = volume.encryption
    opened = (containers.AddCrypttabLine(one.uuid, one.name, one.key),) if one else ()
    if not kind.mounts:
        not_mounted = volume.mount_point is None
        line = mounts.fstab_line(volume.uuid, NO_PLACE, kind.name, kind.name, ("sw", "nofail"))
        return () if not_mounted else (*opened, line, mounts.TurnOnSwap(volume.path))
    names = tuple(subvolume.name for subvolume in volume.subvolumes)
    inside = (volume.path, volume.filesystem, volume.uuid)
    preparations: list[PlanOperation] = []
    if names:
        preparations.append(filesystem.MakeSubvolumes(*inside, names, others=others))
    if using.is_given_afterwards(volume):
        preparations.append(filesystem.SetOwner(*inside, volume.writer, names, others=others))
    common = (
        *volume.mount_options,
        *using.owner_options(volume.filesystem, volume.writer, volume.mount_options),
    )
    places = [(volume.mount_point, common)]
    places += [(one.mount_point, (*common, subvolume_option(one.name))) for one in volume.subvolumes]
    mounting: list[PlanOperation] = []
    for place, options in places:
        if place:
            at_boot, driver = tuple(dict.fromkeys((*options, "nofail"))), kind.kernel_names[0]
            mounting += (
                mounts.fstab_line(volume.uuid, place, kind.name, driver, at_boot),
                mounts.Mount(volume.path, place, driver, options, others=others),
            )
    return (*preparations, *(opened if mounting else ()), *mounting)


def wipes_of(drive_path: str, before: Layout, unread: bool) -> tuple[WipeSignatures, ...]:
    """Return the wipes before a new table: all partitions with contents, last first, then the drive itself.

    If the contents are `unread`, all known partitions and the drive are wiped.
    """
    wipes = [
        _wipe(partition_path(drive_path, slot.number), slot)
        for slot in before.partitions
        if not slot.kept and not partition_types.is_extended(slot) and (slot.filesystem or unread)
    ]
    on_drive = (*before.signatures, *([before.table] if before.table not in ("none", "unread") else []))
    if wipes or before.partitions or on_drive or unread:
        wipes.append(WipeSignatures(drive_path, on_drive))
    return tuple(wipes)
