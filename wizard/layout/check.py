"""Whether a plan holds together: all of it follows from its drive, its layout before and its volumes, and
nothing else is touched."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from wizard.filesystems.registry import MADE
from wizard.layout.dangers import danger_fault
from wizard.layout.group.check_grouped import grouped_faults
from wizard.layout.one.derived import (
    grown_layout,
    grown_operations,
    grown_table,
    layout_with,
    operations_with,
    table_with,
)
from wizard.layout.one.possible import GROWN_FILESYSTEMS
from wizard.layout.room.space import (
    GPT_PARTITIONS,
    LARGEST_BYTES,
    MBR_PRIMARIES,
    fresh_bounds,
    is_container,
    mbr_bounds,
    overlapping,
)
from wizard.layout.room.whole import is_zoned_mode, whole_after, whole_operations
from wizard.layout.rules import (
    geometry_fault,
    is_device_path,
    is_workload_id,
    label_fault,
    options_fault,
    place_fault,
    volume_uuid_fault,
    writer_fault,
)
from wizard.layout.several.check_striped import before_faults, striped_faults, wipe_faults
from wizard.layout.steps.operations import layout_after, operations_of, table_after
from wizard.layout.steps.shown import same_steps
from wizard.layout.wishes.encryption import encryption_faults
from wizard.layout.wishes.roles import partition_type, volume_role_fault
from wizard.layout.wishes.subvolumes import places_of, subvolumes_fault
from wizard.layout.wishes.wish import mount_order_fault
from wizard.model.errors import BadInput
from wizard.model.geometry import FLOOR_BYTES, Geometry, misalignment_bytes
from wizard.model.identity import Identity
from wizard.model.machine import Extent
from wizard.model.names import partition_path, printable
from wizard.model.plan import Plan, Slot, TableEntry, Volume, WipeSignatures, WriteTable


def check_plan(plan: Plan, where: str = "The plan") -> None:
    """Raises BadInput, naming `where` (a file), for the first thing in a plan that the planner would not have
    written.

    It proves that every operation works on the plan's own drive and its partitions, and that every text shown
    is what will be run. It does not look at the machine: that the drive still is as `before` says is for
    whoever applies it.
    """
    if fault := next(_faults(plan), None):
        raise BadInput(f"{where} does not hold together: {fault}. Make it again with `diskwright plan`.")


def _faults(plan: Plan) -> Iterator[str]:
    """Faults in an order in which each may rely on those before it having found nothing."""
    for member in plan.members:
        yield from identity_faults(member.drive)
    yield from _volume_faults(plan)
    if plan.part and (plan.stripe or plan.others or plan.after.whole):
        yield "it changes one partition, and more than that"
    if plan.containers and (plan.stripe or plan.others or plan.group or plan.after.whole):
        yield "it encrypts what is not encrypted"
    if plan.stripe is not None:
        yield from striped_faults(plan, plan.stripe)
    elif plan.others:
        yield "it has several drives and stripes nothing over them"
    elif plan.after.whole is not None:
        yield from _whole_faults(plan)
    elif plan.part:
        yield from _one_faults(plan)
    else:
        yield from _partitioned_faults(plan)


def _whole_faults(plan: Plan) -> Iterator[str]:
    """A filesystem on a drive without a table: only what lives on zones, since everything else is better off
    in a partition."""
    yield from before_faults(plan.before, fresh=True)
    volume = plan.volumes[0]
    if len(plan.volumes) != 1 or volume.partition != 0 or volume.path != plan.drive.path:
        yield "it is for a whole drive without a table, and its volume is not"
    elif not is_zoned_mode(volume.filesystem, volume.mkfs_options):
        yield f"{volume.filesystem} on a whole drive without a table is none that can live on zones"
    if plan.after != whole_after(plan.drive, volume):
        yield "its layout after does not follow from its volume"
    if tuple(step.operation for step in plan.steps) != whole_operations(volume):
        yield "its operations are not those that its volume needs"
    elif not same_steps(plan):
        yield "its commands or explanations differ from what its operations do"


def _one_faults(plan: Plan) -> Iterator[str]:
    """A change of one partition, beside which everything stays: all of it follows from what was there, and
    from the volume that is made, if one is."""
    slot = next((slot for slot in plan.before.partitions if slot.number == plan.part), None)
    if slot is None or is_container(slot):
        yield f"partition {plan.part}, which it changes, is none that can be"
        return
    others = (replace(one, kept=True) if one is slot else one for one in plan.before.slots)
    yield from before_faults(replace(plan.before, slots=tuple(others)), fresh=False)
    yield from _kept_faults(plan)
    last = max(one.number for one in plan.before.partitions)
    if plan.before.table == "mbr" and not plan.volumes and MBR_PRIMARIES < plan.part < last:
        yield "it would give logical partitions other numbers"
    if plan.group or len(plan.volumes) > 1 or any(one.partition != plan.part for one in plan.volumes):
        yield "its volume is not the partition that it changes"
        return
    if plan.before.table not in ("gpt", "mbr"):
        return
    if slot.kept:
        yield from _grown_faults(plan, slot)
        size = next((one.size_bytes for one in plan.after.partitions if one.number == plan.part), 0)
        table = grown_table(plan.drive.path, plan.before, slot, size)
        after = grown_layout(plan.before, slot, size)
        operations = grown_operations(plan.drive.path, slot, table, size)
    else:
        table = table_with(plan.drive.path, plan.before, slot, plan.volumes)
        after = layout_with(plan.before, slot, table, plan.volumes)
        operations = operations_with(plan.drive.path, slot, table, plan.volumes, plan.drive.geometry)
    yield from encryption_faults(plan, table.entries)
    if plan.after != after:
        yield "its layout after does not follow from what it changes"
    if tuple(step.operation for step in plan.steps) != operations:
        yield "its operations are not those that the change needs"
    elif not same_steps(plan):
        yield "its commands or explanations differ from what its operations do"


def _grown_faults(plan: Plan, slot: Slot) -> Iterator[str]:
    """A partition keeps all that is in it, and takes of the free space right behind it."""
    grown = next((one for one in plan.after.partitions if one.number == plan.part), slot)
    free = next((one for one in plan.before.slots if one.start_bytes == slot.end_bytes), None)
    room = free.end_bytes if free and not free.number else slot.end_bytes
    if plan.volumes or not slot.size_bytes < grown.size_bytes or grown.end_bytes > room:
        yield f"partition {slot.number} does not grow into free space"
    if grown.size_bytes % plan.drive.geometry.logical_block_bytes:
        yield f"partition {slot.number} is no whole number of blocks"
    if slot.filesystem not in GROWN_FILESYSTEMS:
        yield f"partition {slot.number} holds nothing that can be grown"
    if plan.before.table == "mbr" and slot.number > MBR_PRIMARIES:
        yield "a logical partition is not grown"


def _partitioned_faults(plan: Plan) -> Iterator[str]:
    tables = [step.operation for step in plan.steps if isinstance(step.operation, WriteTable)]
    if len(tables) != 1:
        yield f"it writes {len(tables)} tables instead of one"
        return
    table = tables[0]
    yield from before_faults(plan.before, fresh=table.fresh)
    if not table.fresh:
        yield from _kept_faults(plan)
    yield from _table_faults(plan, table)
    yield from _operation_faults(plan, table)


def identity_faults(drive: Identity) -> Iterator[str]:
    """What cannot be of a drive that a document names."""
    if not is_device_path(drive.path):
        yield f"{printable(drive.path, 60)!r} is no drive below /dev"
    if fault := geometry_fault(drive.geometry):
        yield fault
    if not 0 < drive.size_bytes < LARGEST_BYTES:
        yield f"a drive of {drive.size_bytes} bytes cannot be"


def _volume_faults(plan: Plan) -> Iterator[str]:
    if not plan.volumes and not plan.part:
        yield "it makes no volume"
    if plan.group and (plan.stripe or plan.others or plan.after.whole):
        yield "it has a volume group on something else than a partition of one drive"
    for volume in plan.volumes:
        yield from _one_volume_faults(plan, volume)
        if fault := volume_role_fault(
            volume, alone=plan.stripe is None and plan.group is None and plan.after.whole is None
        ):
            yield f"volume {volume.partition} {fault}"
        if fault := writer_fault(volume.writer, volume.filesystem, volume.role) or subvolumes_fault(
            volume.subvolumes, volume.filesystem
        ):
            yield f"volume {volume.partition} {fault}"
        if fault := danger_fault(volume, plan.doubts):
            yield f"volume {volume.partition} {fault}"
    for what, values in (
        ("number", [v.partition for v in plan.volumes if not plan.group]),
        ("UUID", [v.uuid for v in plan.volumes]),
    ):
        if len(set(values)) != len(values):
            yield f"two volumes have the same {what}"
    if fault := mount_order_fault(
        tuple(place for volume in plan.volumes for place in places_of(volume.mount_point, volume.subvolumes))
    ):
        yield fault.rstrip(".")


def _one_volume_faults(plan: Plan, volume: Volume) -> Iterator[str]:
    name = f"volume {volume.partition}"
    if plan.stripe is None and plan.after.whole is None:
        if not 1 <= volume.partition <= GPT_PARTITIONS:
            yield f"there is no partition number {volume.partition}"
        elif plan.group is None and _partition_of(volume) != partition_path(
            plan.drive.path, volume.partition
        ):
            yield f"{name} is at {printable(_partition_of(volume), 60)!r}, which is not on {plan.drive.path}"
    if not is_workload_id(volume.workload):
        yield f"{name} has the workload {printable(volume.workload, 40)!r}, which is none"
    if volume.filesystem not in MADE:
        yield (
            f"{name} has the filesystem {printable(volume.filesystem, 40)!r}, which diskwright does not make"
        )
        return
    if fault := label_fault(volume.label, volume.filesystem):
        yield f"{name} has the label {printable(volume.label, 40)!r}, which {fault}"
    if fault := volume_uuid_fault(volume.uuid, volume.filesystem):
        yield f"{name} has the UUID {printable(volume.uuid, 40)!r}, which {fault}"
    if fault := options_fault(volume.filesystem, volume.mkfs_options, volume.mount_options):
        yield f"{name}: {fault}"
    if volume.mount_point is not None and (fault := place_fault(volume.mount_point, volume.filesystem)):
        yield f"{name} has the mount point {printable(volume.mount_point, 60)!r}, which {fault}"


def _partition_of(volume: Volume) -> str:
    """The node of its partition, be it encrypted."""
    return volume.encryption.device if volume.encryption else volume.path


def _kept_faults(plan: Plan) -> Iterator[str]:
    """Faults of a layout to which partitions are added."""
    if plan.before.table not in ("gpt", "mbr"):
        yield f"partitions are added to a table of kind {printable(plan.before.table, 20)!r}"
    elif overlapping(plan.before.partitions) or any(
        slot.start_bytes > plan.drive.size_bytes for slot in plan.before.slots
    ):
        yield "the partitions that stay overlap or lie outside the drive"


def _bounds(plan: Plan, table: WriteTable) -> Extent:
    """Where partitions may lie: by the rule for a new table, else from the first to the last slot before."""
    drive, slots = plan.drive, plan.before.slots
    if table.fresh or not slots:
        return fresh_bounds(table.table, drive.size_bytes, drive.geometry)
    start, end = slots[0].start_bytes, max(slot.end_bytes for slot in slots)
    return Extent(start, end - start)


def _outermost(drive: Identity, table: WriteTable) -> Extent:
    """What no table of this kind can reach beyond, however few entries it has."""
    block = drive.geometry.logical_block_bytes
    if table.table == "mbr":
        return mbr_bounds(drive.size_bytes, drive.geometry)
    return Extent(2 * block, drive.size_bytes // block * block - 3 * block)


def _table_faults(plan: Plan, table: WriteTable) -> Iterator[str]:
    drive = plan.drive
    if table.device != drive.path:
        yield f"it writes a table on {printable(table.device, 60)!r} instead of {drive.path}"
    if not table.fresh and table.table != plan.before.table:
        yield f"it writes a table of kind {table.table}"
    new = [entry for entry in table.entries if not entry.kept]
    if sorted(entry.number for entry in new) != sorted({volume.partition for volume in plan.volumes}):
        yield "its new partitions are not its volumes"
    if table.table == "mbr" and any(entry.number > 4 for entry in new):
        yield "an MBR has four primary partitions"
    bounds, outermost = _bounds(plan, table), _outermost(drive, table)
    if not table.fresh and (
        bounds.start_bytes < outermost.start_bytes or bounds.end_bytes > outermost.end_bytes
    ):
        yield "its layout before reaches beyond what a table can hold"
    by_number = {volume.partition: volume for volume in plan.volumes if plan.group is None}
    for entry in new:
        volume = by_number.get(entry.number)
        if volume and entry.type != partition_type(volume, table.table):
            yield f"partition {entry.number} has the type {printable(entry.type, 40)!r}"
        yield from _entry_faults(entry, drive.geometry, bounds)
    yield from _share_faults(plan, table)


def _entry_faults(entry: TableEntry, geometry: Geometry, bounds: Extent) -> Iterator[str]:
    name = f"partition {entry.number}"
    end = entry.start_bytes + entry.size_bytes
    if entry.size_bytes <= 0 or entry.start_bytes < bounds.start_bytes or end > bounds.end_bytes:
        yield f"{name} lies outside the usable part of the drive"
    offset = max(geometry.alignment_offset_bytes, 0)
    if (
        misalignment_bytes(geometry, entry.start_bytes)
        or (entry.start_bytes - offset) % FLOOR_BYTES
        or entry.start_bytes < FLOOR_BYTES
    ):
        yield f"{name} is not aligned"
    if entry.start_bytes % geometry.logical_block_bytes or entry.size_bytes % geometry.logical_block_bytes:
        yield f"{name} is no whole number of blocks"


def _share_faults(plan: Plan, table: WriteTable) -> Iterator[str]:
    """New partitions share no byte with each other or with one that stays."""
    kept = [(slot.start_bytes, slot.end_bytes) for slot in plan.before.partitions] if not table.fresh else []
    new = sorted(
        (entry.start_bytes, entry.start_bytes + entry.size_bytes) for entry in table.entries if not entry.kept
    )
    if any(after[0] < before[1] for before, after in pairwise(new)):
        yield "two of its partitions overlap"
    if any(start < old_end and old_start < end for start, end in new for old_start, old_end in kept):
        yield "a new partition overlaps one that stays"


def _operation_faults(plan: Plan, table: WriteTable) -> Iterator[str]:
    """Everything else is derived again from what was found sound, and compared."""
    if plan.group is not None:
        yield from grouped_faults(plan, plan.group, table, _bounds(plan, table))
        return
    yield from encryption_faults(plan, table.entries)
    by_number = {entry.number: entry for entry in table.entries if not entry.kept}
    chosen = [by_number[volume.partition] for volume in plan.volumes]
    extents = [Extent(entry.start_bytes, entry.size_bytes) for entry in chosen]
    if table != table_after(
        plan.drive.path, plan.before, table.fresh, plan.volumes, extents, fresh_kind=table.table
    ):
        yield "the table does not follow from its volumes and what stays"
    if plan.after != layout_after(plan.before, table, plan.volumes, _bounds(plan, table)):
        yield "its layout after does not follow from the table"
    operations = tuple(step.operation for step in plan.steps)
    wipes = operations[: operations.index(table)]
    yield from wipe_faults(plan.members[0], wipes, fresh=table.fresh)
    first = tuple(wipe for wipe in wipes if isinstance(wipe, WipeSignatures))
    if operations != operations_of(first, table, plan.volumes, plan.drive.geometry):
        yield "its operations are not those that its volumes need"
    elif not same_steps(plan):
        yield "its commands or explanations differ from what its operations do"
