"""Derive operations and steps, in order, from a plan's decisions. Used by the planner and by validation."""

from collections.abc import Sequence
from dataclasses import replace

from wizard.filesystems.registry import MADE
from wizard.model.errors import partition_path
from wizard.model.geometry import Geometry
from wizard.model.layout import NO_PLACE, Layout, Slot, TableEntry, Volume
from wizard.model.machine import Extent
from wizard.model.said import t
from wizard.operations.containers import AddCrypttabLine, MakeContainer, OpenContainer
from wizard.operations.filesystem import MakeFilesystem, MakeSubvolumes, SetOwner
from wizard.operations.mounts import AddFstabLine, Mount, TurnOnSwap
from wizard.operations.operation import OWN_FSTAB, UNTIL_KEPT, Context
from wizard.operations.rules import partition_name
from wizard.operations.table import WipeSignatures, WriteTable
from wizard.plan.free_space import is_container, reserved_in, with_free
from wizard.plan.plan import Plan, PlanOperation, Step
from wizard.plan.rehearsed import why_on_drive
from wizard.plan.request.roles import TableKind, partition_type
from wizard.plan.request.subvolumes import subvolume_option
from wizard.plan.request.using import is_given_afterwards, made_options, owner_options


def steps_of(operations: Sequence[PlanOperation], context: Context) -> tuple[Step, ...]:
    """Return the step of each operation, with all descriptions and an estimate."""
    direct = context.direct or why_on_drive(operations)
    context = replace(context, operations=tuple(operations), direct=direct)
    return tuple(
        Step(
            operation=operation,
            sentence=str(operation.sentence(context)),
            commands=operation.commands(),
            edits=operation.edits(context),
            destroys=operation.destroys(context),
            undo=operation.undo_text(context),
            holds=tuple(map(str, operation.holds(context))),
            seconds=operation.seconds(context),
        )
        for operation in operations
    )


def with_current_texts(plan: Plan, *, direct: str = "", fstab: str = OWN_FSTAB) -> Plan:
    """Recompute all texts, commands and estimates of a valid plan from its operations. Only these are shown
    or run. `direct` and `fstab`: as in the context."""
    context = Context(
        plan.drive,
        plan.before,
        plan.after,
        plan.others,
        direct=direct,
        part=plan.part,
        fstab=fstab,
    )
    return replace(plan, steps=steps_of([step.operation for step in plan.steps], context))


def described_as_direct(plan: Plan, why: str) -> Plan:
    """Return the plan described as running directly on the drive because of `why`, or the same plan if `why`
    is empty. For display only."""
    return with_current_texts(plan, direct=why) if why else plan


def described_for_fstab(plan: Plan, fstab: str) -> Plan:
    """Return the plan described with this fstab, and the crypttab beside it."""
    return with_current_texts(plan, fstab=fstab) if fstab != OWN_FSTAB else plan


def described_as_kept(plan: Plan) -> Plan:
    """Return the plan described as kept immediately. For display only."""
    until_kept, kept = str(UNTIL_KEPT), str(t("The result is kept immediately and cannot be undone."))
    steps = (replace(step, undo=kept) if step.undo == until_kept else step for step in plan.steps)
    return replace(plan, steps=tuple(steps))


def table_after(
    drive_path: str,
    before: Layout,
    fresh: bool,
    volumes: Sequence[Volume],
    extents: Sequence[Extent],
    gpt_type: str = "",
    fresh_kind: TableKind = "gpt",
) -> WriteTable:
    """Return the table to write: preserved entries of `before` unless new, and one entry per volume, sorted
    by number.

    A new table is of `fresh_kind`. `gpt_type`: type of new entries that do not contain the volumes directly.
    """
    table: TableKind = fresh_kind if fresh else "mbr" if before.table == "mbr" else "gpt"
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
    return WriteTable(drive_path, table, fresh, entries)


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
