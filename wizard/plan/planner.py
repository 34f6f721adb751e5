"""Plan a request for drives. Pure: same facts, same plan, except for random UUIDs."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from uuid import uuid4

from msgspec.structs import replace

from wizard.advice import missing
from wizard.filesystems import partition_types
from wizard.filesystems.registry import KINDS, MADE
from wizard.model.drive_facts import HOST_MANAGED
from wizard.model.errors import Refused
from wizard.model.finding import NOT_JUDGED, Recording
from wizard.model.geometry import Geometry
from wizard.model.layout import Volume
from wizard.model.machine import Drive, Extent, Machine, Partition
from wizard.model.said import Message, Sentence, join, rounded_up, t, tn
from wizard.operations.layers import DATA_BYTES, EXTENT_BYTES
from wizard.plan import dangers, free_space, refusals
from wizard.plan.derive import Places
from wizard.plan.partition import possible
from wizard.plan.partition.restore import restore_plan
from wizard.plan.plan import Plan
from wizard.plan.planning import Planning, with_doubts
from wizard.plan.raid import striping
from wizard.plan.raid.striped import striped_plan
from wizard.plan.request import encryption, plan_request, volume_request
from wizard.plan.request.roles import role_of

ZONED_FILESYSTEM = "btrfs"
ZONED_FEATURE = "zoned"


def new_uuid() -> str:
    """Return a random UUID."""
    return str(uuid4())


def make_plan(
    machine: Machine,
    drives: Sequence[Drive],
    request: plan_request.Request,
    draw_uuid: Callable[[], str] = new_uuid,
    recordings: Sequence[Recording] = (),
    arrays: Sequence[str] = (),
) -> Plan:
    """Plan a request for one or several drives, in this order. Other arguments are as in `Planning`.

    Raises Refused if a drive or partition must not be changed, or is not empty and the mode is None. Raises
    BadInput for an impossible request.
    """
    judged = recordings or (NOT_JUDGED,) * len(drives)
    planning = Planning(machine, drives, draw_uuid, judged, arrays)
    if isinstance(request, plan_request.NewVolumes):
        return _volumes_plan(planning, request)
    (drive,) = drives
    match request:
        case plan_request.DeletePart(part):
            _refuse(possible.why_not_delete(drive, part))
            return _changed_plan(planning, part)
        case plan_request.ResizePart(part, asked_bytes, grows):
            _refuse((possible.why_not_grow if grows else possible.why_not_shrink)(drive, part))
            new_bytes = asked_bytes
            if new_bytes is None:
                new_bytes = possible.largest_bytes(drive, part)
            elif not grows or new_bytes != part.size_bytes:
                new_bytes = possible.aligned_size(drive, part, new_bytes)
            _refuse(possible.why_not_size(drive, part, new_bytes, grows=grows))
            return _resized_plan(planning, part, new_bytes)
        case plan_request.RestoreTable(table):
            return restore_plan(planning, table)


def _volumes_plan(planning: Planning, request: plan_request.NewVolumes) -> Plan:
    how = request.arrangement
    if request.part is not None:
        _refuse(possible.why_not_change(planning.drives[0], request.part))
    plan_request.check_request(request, planning.drives)
    specs = volume_request.with_unique_labels(request.specs)
    volume_request.check_specs(specs)
    encryption.refuse_encryption(planning.machine, specs)
    request = replace(request, specs=specs)
    if how.stripe:
        plan = striped_plan(planning, request, how.stripe)
    elif request.part is not None:
        plan = _formatted_plan(planning, request.part, *specs)
    else:
        plan = _on_drive(planning, request)
    return with_doubts(plan, *dict.fromkeys(doubt for spec in specs for doubt in spec.doubts))


def _on_drive(planning: Planning, request: plan_request.NewVolumes) -> Plan:
    """Plan a partition for each volume, or for a volume group in the largest space."""
    drive, how, specs = planning.drives[0], request.arrangement, request.specs
    size_bytes, geometry = refusals.refuse_drive(drive)
    refusals.refuse_content(drive, chosen=request.mode is not None)
    if drive.zoned == HOST_MANAGED:
        return _zoned_plan(planning, request)
    preserve = request.mode is plan_request.Mode.USE_FREE and drive.is_empty is not True
    if preserve:
        refusals.refuse_table(drive)
    if how.table == "mbr":
        refusals.refuse_new_mbr(
            drive.path, size_bytes, geometry, 1 if how.grouped else len(specs), preserve=preserve
        )
    before = dangers.layout_before(drive, preserve=preserve)
    places = Places(fresh=None if preserve else how.table)
    free: Sequence[Extent] = [slot.extent for slot in before.slots if not slot.number]
    if not preserve:
        free = [free_space.fresh_bounds(how.table, size_bytes, geometry)]
    spaces = free_space.aligned_spaces(free, geometry)
    if how.grouped:
        dangers.refuse_lacking(planning.machine.kernel, dangers.DEVICE_MAPPER)
        dangers.refuse_missing(planning.machine, striping.LVM_PROGRAMS)
        extent, sizes = _group_places(specs, spaces, geometry)
        (number,) = _free_numbers(drive, 1, preserve=preserve)
        places = replace(places, extents=(extent,), sizes=sizes)
        volumes = [planning.volume(spec, number) for spec in specs]
        group, grouped = striping.in_group(drive.path, volumes, planning.draw_uuid())
        return planning.finished(places, grouped, group=group)
    grain = geometry.grain_bytes
    demands = [encryption.demand_of(spec, spaces, grain) for spec in specs]
    extents = free_space.place(demands, spaces, grain, possible.how_to_free(drive) if preserve else None)
    numbers = _free_numbers(drive, len(specs), preserve=preserve)
    made = tuple(planning.volume(*one) for one in zip(specs, numbers, extents, strict=True))
    plan = planning.finished(replace(places, extents=extents), made)
    small = dangers.small_systems(made, [extent.size_bytes for extent in extents])
    return with_doubts(plan, *_unmarked_doubts(plan), *small)


def _group_places(
    specs: Sequence[volume_request.VolumeSpec], spaces: Sequence[Extent], geometry: Geometry
) -> tuple[Extent, tuple[int, ...]]:
    """Return the partition for the group, the largest free range, and the size of each logical volume.

    Requests are rounded up to whole extents, shares down; a volume without a size gets the rest. Raises
    BadInput with the available size if the space is too small.
    """
    sizes = [spec.size_bytes or MADE[spec.choice.filesystem].minimum_bytes for spec in specs]
    least = DATA_BYTES + sum(rounded_up(size, EXTENT_BYTES) for size in sizes)
    wanted = free_space.Demand("group", None, least)
    (place,) = free_space.place([wanted], spaces, geometry.grain_bytes)
    room = Extent(0, striping.group_room_bytes(place.size_bytes))
    demands = [encryption.demand_of(spec, [room], EXTENT_BYTES) for spec in specs]
    made = free_space.place(demands, [room], EXTENT_BYTES)
    return place, tuple(extent.size_bytes for extent in made)


def is_zoned_mode(filesystem: str, words: tuple[str, ...]) -> bool:
    """Return True if these options create a filesystem suitable for a host-managed drive."""
    features = [value for flag, value in pairwise(words) if flag == "-O"]
    return filesystem == ZONED_FILESYSTEM and any(ZONED_FEATURE in value.split(",") for value in features)


def _zoned_plan(planning: Planning, request: plan_request.NewVolumes) -> Plan:
    (drive,), (spec,) = planning.drives, request.specs
    path = drive.path
    volume = replace(planning.volume(spec, 0), path=path)
    if not is_zoned_mode(volume.filesystem, volume.mkfs_options):
        only = Sentence(
            "Cannot create {filesystem} on {drive}: host-managed zones accept only sequential writes. Only "
            "{zoned} in zoned mode works there."
        )
        raise Refused(only(filesystem=volume.filesystem, drive=path, zoned=ZONED_FILESYSTEM))
    dangers.refuse_missing(planning.machine, ("blkzone",))
    return planning.finished(Places(), (volume,))


def _formatted_plan(planning: Planning, part: Partition, spec: volume_request.VolumeSpec) -> Plan:
    (drive,) = planning.drives
    _, geometry = refusals.measured(drive)
    room, grain = [part.extent], geometry.grain_bytes
    free_space.place([encryption.demand_of(replace(spec, size_bytes=None), room, grain)], room, grain)
    volume = planning.volume(spec, part.number, part.extent)
    plan = _changed_plan(planning, part, volume)
    if off := geometry.misalignment_bytes(part.start_bytes):
        slow = Sentence("{part} remains misaligned by {off:exact}, which can slow down writes.")
        plan = with_doubts(plan, slow(part=part, off=off))
    return plan


def _resized_plan(planning: Planning, part: Partition, size_bytes: int) -> Plan:
    doubts: tuple[Message, ...] = ()
    if part.overhang is None and (growing := possible.growing_of(part.filesystem)):
        if growing.mounted:
            _refuse(missing.why_not_mounted(planning.machine.kernel, KINDS[part.filesystem or ""]))
        dangers.refuse_missing(planning.machine, growing.check[:1])
        doubts = growing.grown_remarks if size_bytes >= part.size_bytes else growing.shrunk_remarks
    return with_doubts(_changed_plan(planning, part, size_bytes=size_bytes), *doubts)


def _changed_plan(planning: Planning, part: Partition, *volumes: Volume, size_bytes: int = 0) -> Plan:
    """Plan to give a partition another size, or to replace it by this volume, or to delete it. If a GPT
    changes while another partition is in use, warn about power cuts. An MBR is a single sector, written
    atomically."""
    extents = (Extent(part.start_bytes, size_bytes),) if size_bytes else (part.extent,) * len(volumes)
    plan = planning.finished(Places(extents), volumes, part=part.number)
    (drive,), slot, (table,) = planning.drives, plan.before.partition(part.number), plan.tables
    if not (slot and drive.uses and table.table == "gpt" and table.changes(slot)):
        return plan
    return with_doubts(
        plan,
        t(
            "Other partitions of {drive} are in use during the table write. A power "
            "failure then may leave only the backup table. `gdisk` (r, b, w) restores "
            "the table.",
            drive=drive,
        ),
    )


def _refuse(why: Message | None) -> None:
    if why is not None:
        raise Refused(str(why))


def _free_numbers(drive: Drive, wanted: int, *, preserve: bool) -> tuple[int, ...]:
    """Return the lowest free partition numbers. In an MBR there are four, since logical partitions can be
    preserved but not added."""
    used = {part.number for part in drive.partitions if preserve}
    table = drive.table if preserve else None
    is_mbr = table is not None and table.kind == "mbr"
    most = free_space.MBR_PRIMARIES if is_mbr else free_space.GPT_PARTITIONS
    most = min(most, (table and table.most_partitions) or most)
    free = [number for number in range(1, most + 1) if number not in used]
    if len(free) >= wanted:
        return tuple(free[:wanted])
    full = tn(
        "The table of {drive} has {there} of at most {most} partitions, but {count} more was requested.",
        "The table of {drive} has {there} of at most {most} partitions, but {count} more were requested.",
        drive=drive,
        there=most - len(free),
        most=most,
        count=wanted,
    )
    larger = t("Only a GPT supports more. --replace creates a GPT and erases everything.")
    raise Refused(join(full, larger) if is_mbr else full)


def _unmarked_doubts(plan: Plan) -> Iterator[Message]:
    """Yield a doubt if a system would boot from an MBR without an active partition, with the command to set
    one."""
    if plan.after.table != "mbr" or any(
        slot.attributes & partition_types.ACTIVE for slot in plan.after.partitions
    ):
        return
    parts = {role.name: volume.partition for volume in plan.volumes if (role := role_of(volume))}
    if number := parts.get("boot", parts.get("root")):
        yield t(
            "No partition of the MBR is marked active (bootable), and a few old BIOSes "
            "do not boot such a drive. Boot loaders in the MBR itself do not need the "
            "flag. After installing the system, set the flag with `sfdisk --activate "
            "{drive} {number}`.",
            drive=plan.drive,
            number=number,
        )
