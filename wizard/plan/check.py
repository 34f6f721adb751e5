"""Validate a plan: derive it again from drive, old layout and volumes, and refuse any other change."""

from collections.abc import Iterator
from itertools import combinations

from msgspec.structs import replace

from wizard.filesystems.partition_types import is_extended
from wizard.filesystems.registry import MADE
from wizard.model import layout
from wizard.model.errors import is_partition_of, partition_path, why_not
from wizard.model.geometry import Identity
from wizard.model.machine import Extent
from wizard.model.said import rounded_up
from wizard.operations import rules
from wizard.operations.layers import EXTENT_BYTES
from wizard.plan import free_space
from wizard.plan.dangers import danger_fault
from wizard.plan.derive import Places, derived_from, wipes_of
from wizard.plan.partition.possible import growing_of
from wizard.plan.partition.restore import restored_faults
from wizard.plan.plan import Plan
from wizard.plan.planner import is_zoned_mode
from wizard.plan.raid import striping
from wizard.plan.request import volume_request
from wizard.plan.request.encryption import encryption_faults
from wizard.plan.request.plan_request import check_stripe


def faults(plan: Plan) -> Iterator[str]:
    """Yield faults in an order in which each check may rely on the previous ones."""
    for member in plan.members:
        yield from rules.drive_faults(member.drive)
    yield from _volume_faults(plan)
    kinds = plan.stripe, plan.group, plan.after.whole
    if sum(map(bool, (*kinds, plan.part))) > 1 or (plan.containers and any(kinds)):
        yield "volumes"
    if plan.others and plan.stripe is None:
        yield "others"
    yield from _before_faults(plan)
    if plan.stripe is not None:
        yield from _stripe_faults(plan, plan.stripe)
    elif plan.after.whole:
        volume = plan.volumes[0]
        if (
            len(plan.volumes) != 1
            or volume.partition != 0
            or volume.path != plan.drive.path
            or not is_zoned_mode(volume.filesystem, volume.mkfs_options)
        ):
            yield "volumes"
    elif plan.part:
        yield from _changed_part_faults(plan)
    elif plan.restores_table:
        yield from restored_faults(plan)
    else:
        yield from _partition_faults(plan)
    places = places_in(plan)
    yield from encryption_faults(plan, places.extents)
    afters, operations = derived_from(plan, places)
    differs = {
        "after": tuple(member.after for member in plan.members) != afters,
        "steps": tuple(step.operation for step in plan.steps) != operations,
    }
    yield from filter(differs.get, differs)


def places_in(plan: Plan) -> Places:
    """Return the decisions of a plan that only its tables and operations contain."""
    known = (wipe for member in plan.members for wipe in wipes_of(member.drive.path, member.before, True))
    wipes = tuple(filter(plan.wipes.__contains__, known))
    if plan.stripe is not None:
        return Places(striping.striped_extents(plan.drives), "gpt", wipes)
    if plan.part:
        now = plan.before.partition(plan.part)
        assert now is not None
        after = plan.after.partition(plan.part) or now
        return Places((after.extent,) if now.kept else (now.extent,) * len(plan.volumes))
    if plan.restores_table:
        return Places(after=plan.after)
    if not plan.tables or plan.after.whole:
        return Places()
    table = plan.tables[0]
    new = {entry.number: entry.extent for entry in table.entries if not entry.kept}
    numbers = dict.fromkeys(volume.partition for volume in plan.volumes)
    return Places(
        tuple(new[number] for number in numbers),
        table.table if table.fresh else None,
        wipes if table.fresh else (),
        tuple(one.size_bytes for one in plan.logical_volumes),
    )


def _before_faults(plan: Plan) -> Iterator[str]:
    """Check the old layouts. One with preserved partitions must leave exactly the listed free space."""
    fresh = plan.after.whole is not None or any(table.fresh for table in plan.tables)
    for member in () if plan.restores_table else plan.members:
        before, position = member.before, 0
        for slot in before.slots:
            kept = bool(slot.number) and not fresh and (slot.kept or slot.number != plan.part)
            if (
                not position <= slot.start_bytes < slot.end_bytes <= rules.LARGEST_BYTES
                or slot.mount_point is not None
                or slot.kept != kept
            ):
                yield "before.slots"
            position = slot.start_bytes
        numbers = [slot.number for slot in before.partitions]
        if len(set(numbers)) != len(numbers) or any(number < 0 for number in numbers):
            yield "before.slots"
        if before.whole is not None:
            yield "before.whole"
        if fresh:
            continue
        if before.table not in ("gpt", "mbr") or not before.slots:
            yield "before.table"
        elif (
            before.slots != free_space.refilled(before, before.partitions)
            or not free_space.is_consistent(before.partitions)
            or not free_space.bounds_in(before).is_within(_outermost(member.drive, before.table))
        ):
            yield "before.slots"


def _changed_part_faults(plan: Plan) -> Iterator[str]:
    slot = plan.before.partition(plan.part)
    if slot is None or is_extended(slot):
        yield "part"
        return
    is_logical = plan.before.table == "mbr" and slot.number > free_space.MBR_PRIMARIES
    if is_logical and not plan.volumes and plan.part < max(one.number for one in plan.before.partitions):
        yield "part"
    if len(plan.volumes) > 1 or any(one.partition != plan.part for one in plan.volumes):
        yield "volumes"
    if slot.kept:
        yield from _resized_faults(plan, slot)
        if is_logical:
            yield "part"


def _resized_faults(plan: Plan, slot: layout.Slot) -> Iterator[str]:
    """Check that a partition preserves its contents and grows into the adjacent free space or shrinks at its
    end."""
    resized = plan.after.partition(plan.part) or slot
    least, block = slot.end_bytes + slot.overhang_bytes, plan.drive.geometry.logical_block_bytes
    free = next((one for one in plan.before.slots if one.start_bytes == least), None)
    room = free.end_bytes if free and not free.number else rounded_up(least, block)
    others = (one for one in plan.before.partitions if one is not slot)
    if (
        plan.volumes
        or resized.size_bytes == 0
        or resized.size_bytes % block
        or resized.end_bytes > room
        or (slot.overhang_bytes and (resized.end_bytes < least or any(map(resized.overlaps, others))))
        or resized.end_bytes > _outermost(plan.drive, plan.before.table).end_bytes
    ):
        yield "after"
    growing, grows = growing_of(slot.filesystem), resized.size_bytes >= slot.size_bytes
    if not slot.overhang_bytes and (growing is None or not (grows or growing.smaller)):
        yield "part"


def _partition_faults(plan: Plan) -> Iterator[str]:
    if len(plan.tables) != 1:
        yield "steps"
        return
    (table,) = plan.tables
    numbers = sorted(entry.number for entry in table.entries if not entry.kept)
    is_mbr = table.table == "mbr"
    if numbers != sorted({volume.partition for volume in plan.volumes}) or (
        is_mbr and numbers[-1] > free_space.MBR_PRIMARIES
    ):
        yield "entries"
    places, geometry = places_in(plan), plan.drive.geometry
    free = [slot.extent for slot in plan.before.slots if not slot.number]
    if places.fresh:
        free = [free_space.fresh_bounds(places.fresh, plan.drive.size_bytes, geometry)]
    spaces = free_space.aligned_spaces(free, geometry)
    if any(one.overlaps(other) for one, other in combinations(places.extents, 2)) or any(
        extent.size_bytes <= 0
        or extent.size_bytes % geometry.logical_block_bytes
        or extent.start_bytes != geometry.align_up(extent.start_bytes)
        or not any(map(extent.is_within, spaces))
        for extent in places.extents
    ):
        yield "entries"
    if plan.group is not None:
        yield from _group_faults(plan, plan.group, places)


def _group_faults(plan: Plan, group: layout.Group, places: Places) -> Iterator[str]:
    volumes = plan.volumes
    if len(places.extents) != 1 or any(volume.role or volume.encryption for volume in volumes):
        yield "volumes"
    if (group, volumes) != striping.in_group(plan.drive.path, volumes, group.uuid):
        yield "group"
    if (
        len(places.sizes) != len(volumes)
        or sum(places.sizes) > striping.group_room_bytes(places.extents[0].size_bytes)
        or any(
            size % EXTENT_BYTES or size < MADE[volume.filesystem].minimum_bytes
            for size, volume in zip(places.sizes, volumes, strict=True)
        )
    ):
        yield "steps"


def _stripe_faults(plan: Plan, stripe: layout.Stripe) -> Iterator[str]:
    drives, paths = plan.drives, plan.devices
    if (
        striping.listed_twice(drives)
        or any(is_partition_of(path, other) for path in paths for other in paths)
        or stripe.device in paths
        or not striping.striped_extents(drives)
        or (stripe.kind == "md" and len({drive.geometry.logical_block_bytes for drive in drives}) > 1)
    ):
        yield "members"
    if len(plan.volumes) != 1:
        yield "volumes"
        return
    (volume,) = plan.volumes
    # Mirrors have no choice of metadata.
    asked = replace(stripe, metadata="" if stripe.mirrors else stripe.metadata)
    is_array = stripe.kind == "btrfs" or (
        striping.ARRAY_NODE.fullmatch(stripe.device) and len(stripe.uuids) == 1
    )
    if not is_array or why_not(check_stripe, asked, len(drives), volume.filesystem):
        yield "stripe"
        return
    if (stripe, volume) != striping.across(drives, asked, volume, stripe.device, stripe.uuids):
        yield "stripe"


def _volume_faults(plan: Plan) -> Iterator[str]:
    if not (plan.volumes or plan.part or plan.restores_table):
        yield "volumes"
    alone = plan.stripe is None and plan.group is None and plan.after.whole is None
    for number, volume in enumerate(plan.volumes, start=1):
        yield from (f"volumes.{number}.{field}" for field in _fields_at_fault(plan, volume, alone=alone))
        if danger := danger_fault(volume, plan.doubts):
            yield danger
    numbers = [volume.partition for volume in plan.volumes if not plan.group]
    places = volume_request.places_of(*plan.volumes)
    layers = [
        *(one.uuid for one in plan.containers),
        *(plan.stripe.uuids if plan.stripe else ()),
        *([plan.group.uuid] if plan.group else ()),
    ]
    uuids = [*layers, *(volume.uuid for volume in plan.volumes)]
    if (
        len(set(numbers)) != len(numbers)
        or len(set(uuids)) != len(uuids)
        or not all(map(rules.is_uuid, layers))
        or volume_request.mount_order_fault(places)
    ):
        yield "volumes"


def _fields_at_fault(plan: Plan, volume: layout.Volume, *, alone: bool) -> Iterator[str]:
    number = volume.partition
    if (alone or plan.group) and not 1 <= number <= free_space.GPT_PARTITIONS:
        yield "partition"
    if alone and volume.device != partition_path(plan.drive.path, number):
        yield "path"
    if not rules.is_workload_id(volume.workload):
        yield "workload"
    yield from (
        field
        for field, _ in volume_request.volume_faults(volume, encrypted=bool(volume.encryption), alone=alone)
    )
    if not rules.is_volume_uuid(volume.uuid, volume.filesystem):
        yield "uuid"
    if not rules.may_write(volume.writer, volume.filesystem, volume.role):
        yield "writer"


def _outermost(drive: Identity, table: str) -> Extent:
    """Return the range that no table of this kind can exceed, however few entries it has."""
    block = drive.geometry.logical_block_bytes
    if table == "mbr":
        return free_space.fresh_bounds("mbr", drive.size_bytes, drive.geometry)
    return Extent(2 * block, drive.size_bytes // block * block - 3 * block)
