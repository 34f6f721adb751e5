"""Validate a plan: derive it again from drive, old layout and volumes, and refuse any other change."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from wizard.documents.codec import JSON, Sealed, to_json, without_texts
from wizard.filesystems.registry import MADE
from wizard.model.errors import BadInput, partition_path
from wizard.model.geometry import FLOOR_BYTES, Geometry, Identity, misalignment_bytes
from wizard.model.layout import Layout, Slot, TableEntry, Volume
from wizard.model.machine import Extent
from wizard.model.said import Message, rounded_up, t
from wizard.operations.rules import (
    geometry_fault,
    is_device_path,
    is_workload_id,
    label_fault,
    options_fault,
    place_fault,
    volume_uuid_fault,
    writer_fault,
)
from wizard.operations.table import WriteTable
from wizard.plan import messages
from wizard.plan.dangers import danger_fault
from wizard.plan.derive import (
    bounds_in,
    changed_part,
    partitioned,
    resized_part,
    whole_drive,
)
from wizard.plan.free_space import (
    GPT_PARTITIONS,
    LARGEST_BYTES,
    MBR_PRIMARIES,
    fresh_bounds,
    is_container,
    loose,
    mbr_bounds,
    overlapping,
    reserved_in,
)
from wizard.plan.partition.possible import growing_of
from wizard.plan.partition.restore import restored_faults
from wizard.plan.plan import Plan
from wizard.plan.planner import is_zoned_mode
from wizard.plan.raid.lvm import grouped_faults
from wizard.plan.raid.striping import striped_faults
from wizard.plan.request.encryption import LOST_DOUBT, encryption_faults
from wizard.plan.request.roles import partition_type, volume_role_fault
from wizard.plan.request.subvolumes import places_of, subvolumes_fault
from wizard.plan.request.volume_request import mount_order_fault
from wizard.plan.steps import with_current_texts

AGAIN = t("Create the plan again with `diskwright plan`.")


def check_plan(plan: Plan, where: str = "The plan") -> None:
    """Raises BadInput for the first difference from what the planner would write. `where` names the file.

    Checks that every operation works on the plan's own drive and its partitions; the descriptions are
    derived. Does not access the machine: only applying the plan checks that the drive still matches `before`.
    """
    if fault := next(_faults(plan), None):
        raise BadInput(messages.INCONSISTENT(where=where, what=fault, again=AGAIN))


def _faults(plan: Plan) -> Iterator[str]:
    """Yield faults in an order in which each check may rely on the previous ones."""
    for member in plan.members:
        yield from drive_faults(member.drive)
    yield from _volume_faults(plan)
    if plan.part and (plan.stripe or plan.others or plan.after.whole):
        yield "part"
    if plan.containers and (plan.stripe or plan.others or plan.group or plan.after.whole):
        yield "containers"
    if plan.stripe is not None:
        for member in plan.members:
            yield from _before_faults(member.before, fresh=True)
        yield from striped_faults(plan, plan.stripe)
        yield from _wipe_faults(plan, fresh=True)
    elif plan.others:
        yield "others"
    elif plan.after.whole is not None:
        yield from _whole_faults(plan)
    elif plan.part:
        yield from _partition_change_faults(plan)
    elif plan.only_table:
        yield from restored_faults(plan)
    else:
        yield from _partitioned_faults(plan)


def _before_faults(before: Layout, *, fresh: bool) -> Iterator[str]:
    """Check an old layout. `fresh`: nothing is preserved."""
    position = 0
    for slot in before.slots:
        if (
            slot.start_bytes < position
            or slot.start_bytes < 0
            or slot.size_bytes <= 0
            or slot.end_bytes > LARGEST_BYTES
        ):
            yield "before.slots"
            return
        position = slot.start_bytes
        if slot.mount_point is not None or (slot.kept == fresh if slot.number else slot.kept):
            yield "before.slots"
    numbers = [slot.number for slot in before.partitions]
    if len(set(numbers)) != len(numbers) or any(number < 0 for number in numbers):
        yield "before.slots"
    if before.whole is not None:
        yield "before.whole"


def _wipe_faults(plan: Plan, *, fresh: bool) -> Iterator[str]:
    """Check the erasure of old signatures: once per device, on the plan's drives, and only with a `fresh`
    table."""
    allowed = {
        path
        for member in plan.members
        for path in (
            member.drive.path,
            *(
                partition_path(member.drive.path, slot.number)
                for slot in member.before.partitions
                if not is_container(slot)
            ),
        )
    }
    devices = [wipe.device for wipe in plan.wipes]
    if (devices and not fresh) or len(set(devices)) != len(devices) or not allowed.issuperset(devices):
        yield "wipes"


def _whole_faults(plan: Plan) -> Iterator[str]:
    """Check a filesystem on a drive without a table, which is only allowed on host-managed zones."""
    yield from _before_faults(plan.before, fresh=True)
    volume = plan.volumes[0]
    if (
        len(plan.volumes) != 1
        or volume.partition != 0
        or volume.path != plan.drive.path
        or not is_zoned_mode(volume.filesystem, volume.mkfs_options)
    ):
        yield "volumes"
    yield from whole_drive(plan.drive, volume).faults(plan)


def _partition_change_faults(plan: Plan) -> Iterator[str]:
    """Check a change of one partition that preserves the others. Everything is derived from the old layout
    and the new volume, if any."""
    slot = next((slot for slot in plan.before.partitions if slot.number == plan.part), None)
    if slot is None or is_container(slot):
        yield "part"
        return
    others = (replace(one, kept=True) if one is slot else one for one in plan.before.slots)
    yield from _before_faults(replace(plan.before, slots=tuple(others)), fresh=False)
    yield from _kept_faults(plan)
    last = max(one.number for one in plan.before.partitions)
    if plan.before.table == "mbr" and not plan.volumes and MBR_PRIMARIES < plan.part < last:
        yield "part"
    if plan.group or len(plan.volumes) > 1 or any(one.partition != plan.part for one in plan.volumes):
        yield "volumes"
        return
    if plan.before.table not in ("gpt", "mbr"):
        return
    if slot.kept:
        faults = [*_resized_faults(plan, slot)]
        yield from faults
        if faults:
            return
        size = next((one.size_bytes for one in plan.after.partitions if one.number == plan.part), 0)
        derived = resized_part(plan.drive.path, plan.before, slot, size)
    else:
        derived = changed_part(plan.drive, plan.before, slot, plan.volumes)
    (table,) = (one for one in derived.operations if isinstance(one, WriteTable))
    yield from encryption_faults(plan, table.entries)
    yield from derived.faults(plan)


def _resized_faults(plan: Plan, slot: Slot) -> Iterator[str]:
    """Check that a partition preserves its contents and grows into the adjacent free space or shrinks at its
    end."""
    resized = next((one for one in plan.after.partitions if one.number == plan.part), slot)
    least, block = slot.end_bytes + slot.overhang_bytes, plan.drive.geometry.logical_block_bytes
    free = next((one for one in plan.before.slots if one.start_bytes == least), None)
    room = free.end_bytes if free and not free.number else rounded_up(least, block)
    grows = resized.size_bytes >= slot.size_bytes
    others = (one for one in plan.before.partitions if one is not slot)
    if (
        plan.volumes
        or resized.size_bytes == 0
        or resized.end_bytes > room
        or (slot.overhang_bytes and (resized.end_bytes < least or any(map(resized.overlaps, others))))
        or resized.end_bytes > _outermost(plan.drive, plan.before.table).end_bytes
    ):
        yield "after"
    if resized.size_bytes % block:
        yield "after"
    growing = growing_of(slot.filesystem)
    if not slot.overhang_bytes and (growing is None or not (grows or growing.smaller)):
        yield "part"
    if plan.before.table == "mbr" and slot.number > MBR_PRIMARIES:
        yield "part"


def _partitioned_faults(plan: Plan) -> Iterator[str]:
    """Check new partitions, of which each holds a volume or one the group. All operations are derived from
    the checked parts."""
    if len(plan.tables) != 1:
        yield "steps"
        return
    (table,) = plan.tables
    yield from _before_faults(plan.before, fresh=table.fresh)
    if not table.fresh:
        yield from _kept_faults(plan)
    bounds = fresh_bounds(table.table, plan.drive.size_bytes, plan.drive.geometry)
    if not table.fresh and plan.before.slots:
        bounds = bounds_in(plan.before)
    yield from _table_faults(plan, table, bounds)
    if plan.group is not None:
        yield from grouped_faults(plan, plan.group, table, bounds)
    else:
        yield from encryption_faults(plan, table.entries)
        by_number = {entry.number: entry for entry in table.entries if not entry.kept}
        extents = [by_number[volume.partition].extent for volume in plan.volumes]
        fresh = table.table if table.fresh else None
        yield from partitioned(
            plan.drive, plan.before, plan.volumes, extents, bounds, fresh=fresh, wipes=plan.wipes
        ).faults(plan)
    yield from _wipe_faults(plan, fresh=table.fresh)


def drive_faults(drive: Identity) -> Iterator[str]:
    """Yield the faulty fields of a drive named in a document."""
    if not is_device_path(drive.path):
        yield "drive.path"
    if geometry_fault(drive.geometry):
        yield "drive.geometry"
    if not 0 < drive.size_bytes < LARGEST_BYTES:
        yield "drive.size_bytes"


def _volume_faults(plan: Plan) -> Iterator[str]:
    if not (plan.volumes or plan.part or plan.only_table):
        yield "volumes"
    if plan.group and (plan.stripe or plan.others or plan.after.whole):
        yield "group"
    for number, volume in enumerate(plan.volumes, start=1):
        yield from _one_volume_faults(plan, volume, number)
        place = f"volumes.{number}"
        alone = plan.stripe is None and plan.group is None and plan.after.whole is None
        if volume_role_fault(volume, alone=alone):
            yield f"{place}.role"
        if writer_fault(volume.writer, volume.filesystem, volume.role):
            yield f"{place}.writer"
        if subvolumes_fault(volume.subvolumes, volume.filesystem):
            yield f"{place}.subvolumes"
        if danger := danger_fault(volume, plan.doubts):
            yield danger
    numbers = [volume.partition for volume in plan.volumes if not plan.group]
    places = [place for one in plan.volumes for place in places_of(one.mount_point, one.subvolumes)]
    if (
        len(set(numbers)) != len(numbers)
        or len({volume.uuid for volume in plan.volumes}) != len(plan.volumes)
        or mount_order_fault(tuple(places))
    ):
        yield "volumes"


def _one_volume_faults(plan: Plan, volume: Volume, row: int) -> Iterator[str]:
    number, place = volume.partition, f"volumes.{row}"
    if plan.stripe is None and plan.after.whole is None:
        if not 1 <= number <= GPT_PARTITIONS:
            yield f"{place}.partition"
        elif plan.group is None and _partition_of(volume) != partition_path(plan.drive.path, number):
            yield f"{place}.path"
    if not is_workload_id(volume.workload):
        yield f"{place}.workload"
    if volume.filesystem not in MADE:
        yield f"{place}.filesystem"
        return
    if label_fault(volume.label, volume.filesystem):
        yield f"{place}.label"
    if volume_uuid_fault(volume.uuid, volume.filesystem):
        yield f"{place}.uuid"
    if options_fault(volume.filesystem, volume.mkfs_options, volume.mount_options):
        yield f"{place}.mkfs_options"
    if volume.mount_point is not None and place_fault(volume.mount_point, volume.filesystem):
        yield f"{place}.mount_point"


def _partition_of(volume: Volume) -> str:
    """Return the node of the volume's partition, even if encrypted."""
    return volume.encryption.device if volume.encryption else volume.path


def _kept_faults(plan: Plan) -> Iterator[str]:
    """Check a layout to which partitions are added."""
    if plan.before.table not in ("gpt", "mbr"):
        yield "before.table"
    elif (
        overlapping(plan.before.partitions)
        or loose(plan.before.partitions)
        or any(slot.start_bytes > plan.drive.size_bytes for slot in plan.before.slots)
    ):
        yield "before.slots"


def _outermost(drive: Identity, table: str) -> Extent:
    """Return the range that no table of this kind can exceed, however few entries it has."""
    block = drive.geometry.logical_block_bytes
    if table == "mbr":
        return mbr_bounds(drive.size_bytes, drive.geometry)
    return Extent(2 * block, drive.size_bytes // block * block - 3 * block)


def _table_faults(plan: Plan, table: WriteTable, bounds: Extent) -> Iterator[str]:
    drive = plan.drive
    if table.device != drive.path or (not table.fresh and table.table != plan.before.table):
        yield "table"
    new = [entry for entry in table.entries if not entry.kept]
    if sorted(entry.number for entry in new) != sorted({volume.partition for volume in plan.volumes}):
        yield "entries"
    if table.table == "mbr" and any(entry.number > 4 for entry in new):
        yield "entries"
    outermost = _outermost(drive, table.table)
    if not table.fresh and (
        bounds.start_bytes < outermost.start_bytes or bounds.end_bytes > outermost.end_bytes
    ):
        yield "before.slots"
    by_number = {volume.partition: volume for volume in plan.volumes if plan.group is None}
    for entry in new:
        volume = by_number.get(entry.number)
        if volume and entry.type != partition_type(volume, table.table):
            yield "entries.type"
        yield from _entry_faults(entry, drive.geometry, bounds)
        # Contents may reach past the end of another partition.
        place = Extent(entry.start_bytes, entry.size_bytes)
        if not table.fresh and any(place.overlaps(one) for one in reserved_in(plan.before, bounds)):
            yield "entries"
    yield from _share_faults(plan, table)


def _entry_faults(entry: TableEntry, geometry: Geometry, bounds: Extent) -> Iterator[str]:
    end = entry.start_bytes + entry.size_bytes
    offset, block = max(geometry.alignment_offset_bytes, 0), geometry.logical_block_bytes
    if (
        entry.size_bytes <= 0
        or entry.start_bytes < bounds.start_bytes
        or end > bounds.end_bytes
        or misalignment_bytes(geometry, entry.start_bytes)
        or (entry.start_bytes - offset) % FLOOR_BYTES
        or entry.start_bytes < FLOOR_BYTES
        or entry.start_bytes % block
        or entry.size_bytes % block
    ):
        yield "entries"


def _share_faults(plan: Plan, table: WriteTable) -> Iterator[str]:
    """Check that new partitions overlap neither each other nor preserved ones."""
    kept = [(slot.start_bytes, slot.end_bytes) for slot in plan.before.partitions] if not table.fresh else []
    new = sorted(
        (entry.start_bytes, entry.start_bytes + entry.size_bytes) for entry in table.entries if not entry.kept
    )
    if any(after[0] < before[1] for before, after in pairwise(new)) or any(
        start < old_end and old_start < end for start, end in new for old_start, old_end in kept
    ):
        yield "entries"


FIRST_LOST_DOUBT = (
    "Whoever loses the passphrase loses everything in the encrypted volume: nobody can open it without, and "
    "diskwright keeps it nowhere. A damaged header loses it too, unless `cryptsetup luksHeaderBackup` was "
    "kept elsewhere."
)
"""`LOST_DOUBT` in plans of schema 1."""


def _from_first(body: JSON) -> JSON:
    """Migrate schema 1, whose doubts are text. Plans with containers require the doubt about them."""
    doubts = body.get("doubts")
    if isinstance(doubts, list):
        converted = [to_json(LOST_DOUBT()) if doubt == FIRST_LOST_DOUBT else doubt for doubt in doubts]
        body = {**body, "doubts": converted}
    return without_texts(body)


def _removed(body: JSON) -> Message | None:
    """Return why an operation of an earlier version is no longer supported, or None."""
    stripe = body.get("stripe")
    if isinstance(stripe, dict) and stripe.get("kind") == "lvm":
        return t("Striping with LVM is no longer supported; stripe with md instead, with `plan --stripe md`.")
    return None


PLANS = Sealed(
    "diskwright.plan/2",
    Plan,
    AGAIN,
    check_plan,
    with_current_texts,
    {"diskwright.plan/1": _from_first},
    _removed,
)
SCHEMA, render_plan, read_plan, read_kept_plan = PLANS.schema, PLANS.render, PLANS.read, PLANS.read_kept
