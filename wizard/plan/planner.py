"""Plan a drive from requests and a mode. Pure: same facts, same plan, except for random UUIDs."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import pairwise

from wizard.filesystems.registry import MADE, not_made_because
from wizard.model.drive_facts import HOST_MANAGED
from wizard.model.errors import BadInput, Refused, partition_path, printable
from wizard.model.finding import NOT_JUDGED, Recording
from wizard.model.geometry import Geometry
from wizard.model.layout import ROOT, Layout, Member, Volume
from wizard.model.machine import Drive, Extent, Machine
from wizard.model.said import Message, t, tn
from wizard.operations.operation import Context
from wizard.operations.rules import options_fault
from wizard.operations.table import WipeSignatures
from wizard.plan.dangers import (
    DEVICE_MAPPER,
    bounds_of,
    doubts_of,
    esp_doubts,
    forgotten_doubts,
    known_identity,
    layout_before,
    refuse_lacking,
    refuse_missing,
    rehearsal_doubts,
    shared_doubts,
)
from wizard.plan.derive import (
    Derived,
    partitioned,
    whole_drive,
    wipes_of,
)
from wizard.plan.free_space import (
    GPT_PARTITIONS,
    Demand,
    aligned_spaces,
    fresh_bounds,
    place,
    share_bytes,
    with_free,
)
from wizard.plan.partition.possible import how_to_free
from wizard.plan.plan import Plan
from wizard.plan.raid.lvm import (
    LVM_PROGRAMS,
    group_extent,
    grouped,
    in_group,
    logical_sizes,
    refuse_roles,
)
from wizard.plan.refusals import (
    measured,
    refuse_content,
    refuse_drive,
    refuse_new_mbr,
    refuse_table,
    unread_content,
)
from wizard.plan.request.encryption import encrypted, encryption_doubts, needed_bytes, refuse_encryption
from wizard.plan.request.roles import TableKind, role_of, volume_role
from wizard.plan.request.volume_request import Arrangement, VolumeSpec, check_specs, with_unique_labels
from wizard.plan.request.wanted import small_systems
from wizard.plan.steps import steps_of

ZONED_FILESYSTEM = "btrfs"
ZONED_FEATURE = "zoned"


def is_zoned_mode(filesystem: str, words: tuple[str, ...]) -> bool:
    """Return True if these options create a filesystem suitable for a host-managed drive."""
    features = [value for flag, value in pairwise(words) if flag == "-O"]
    return filesystem == ZONED_FILESYSTEM and any(ZONED_FEATURE in value.split(",") for value in features)


PLAIN = Arrangement()

ACTIVE = 0x80
"""First byte of an MBR entry: the partition that an old boot record boots (UEFI 2.10, table 5.1,
BootIndicator)."""


class Mode(Enum):
    """How to treat existing contents. REPLACE: erase them and create a new table. USE_FREE: preserve the
    table and all partitions bit for bit."""

    REPLACE = "replace"
    USE_FREE = "use-free"


def make_plan(
    machine: Machine,
    drive: Drive,
    specs: tuple[VolumeSpec, ...],
    mode: Mode | None,
    draw_uuid: Callable[[], str],
    arrangement: Arrangement = PLAIN,
    recording: Recording = NOT_JUDGED,
) -> Plan:
    """Plan a volume on `drive` for each request. `draw_uuid` returns a new lower-case UUID per call.
    `recording` is the conclusion of the findings.

    Raises Refused if the drive must not be changed, or is not empty and `mode` is None. Raises BadInput for
    impossible requests.
    """
    specs = with_unique_labels(specs)
    check_specs(specs)
    refuse_obstacles(machine, specs)
    refuse_encryption(machine, specs, why_not=_encryption_obstacle(drive, arrangement))
    size_bytes, geometry = refuse_drive(drive)
    if arrangement.grouped:
        refuse_roles(specs)
    if drive.zoned == HOST_MANAGED:
        if arrangement != PLAIN:
            raise BadInput(
                t(
                    "{drive} is a host-managed zoned drive and cannot have any partition table.",
                    drive=drive.path,
                )
            )
        return _whole_plan(machine, drive, specs, mode, draw_uuid, recording)
    refuse_content(drive, chosen=mode is not None)
    preserve = mode is Mode.USE_FREE and drive.is_empty is not True
    if preserve:
        refuse_table(drive)
    if arrangement.table == "mbr":
        refuse_new_mbr(
            drive.path, size_bytes, geometry, 1 if arrangement.grouped else len(specs), preserve=preserve
        )
    room = _room(drive, size_bytes, geometry, arrangement.table, preserve=preserve)
    plan_in = _grouped_plan if arrangement.grouped else _partitioned_plan
    return plan_in(machine, drive, specs, draw_uuid, room, recording)


@dataclass(frozen=True, slots=True)
class _Room:
    """Space for new partitions: `spaces` within the `bounds` of a `fresh` table of this kind, or the old
    one."""

    size_bytes: int
    geometry: Geometry
    before: Layout
    bounds: Extent
    spaces: Sequence[Extent]
    fresh: TableKind | None

    @property
    def preserve(self) -> bool:
        """True if the old table is kept."""
        return self.fresh is None


def _room(
    drive: Drive, size_bytes: int, geometry: Geometry, fresh_kind: TableKind, *, preserve: bool
) -> _Room:
    before = layout_before(drive, size_bytes, geometry, preserve=preserve)
    if preserve:
        bounds, slots = bounds_of(drive, size_bytes, geometry), before.slots
    else:
        bounds = fresh_bounds(fresh_kind, size_bytes, geometry)
        slots = with_free((), bounds)
    free = [slot for slot in slots if not slot.number]
    fresh = None if preserve else fresh_kind
    return _Room(size_bytes, geometry, before, bounds, aligned_spaces(free, geometry), fresh)


def _encryption_obstacle(drive: Drive, arrangement: Arrangement) -> Message | None:
    """Return why encryption is not possible there, or None."""
    if drive.zoned == HOST_MANAGED:
        return t("{drive} is a host-managed zoned drive and cannot be partitioned.", drive=drive.path)
    return t("Encryption inside a volume group is not supported.") if arrangement.grouped else None


def _partitioned_plan(
    machine: Machine,
    drive: Drive,
    specs: tuple[VolumeSpec, ...],
    draw_uuid: Callable[[], str],
    room: _Room,
    recording: Recording,
) -> Plan:
    """Plan a partition for each volume. Raises as `make_plan` does."""
    geometry, before, preserve = room.geometry, room.before, room.preserve
    demands = [demand_of(spec, room.spaces, geometry) for spec in specs]
    hint = how_to_free(drive) if preserve else None
    extents = place(demands, room.spaces, geometry, hint)
    numbers = _free_numbers(drive, len(specs), preserve=preserve)
    volumes = tuple(
        volume_of(drive, spec, number, draw_uuid(), machine.kernel.architecture)
        for spec, number in zip(specs, numbers, strict=True)
    )
    volumes = tuple(
        encrypted(volume, extent.size_bytes, geometry, draw_uuid(), spec.key) if spec.encrypted else volume
        for volume, spec, extent in zip(volumes, specs, extents, strict=True)
    )
    derived = partitioned(
        known_identity(machine, drive, room.size_bytes, geometry),
        before,
        volumes,
        extents,
        room.bounds,
        fresh=room.fresh,
        wipes=() if preserve else old_wipes(drive, before),
    )
    doubts = (
        *encryption_doubts(drive, specs),
        *esp_doubts(machine, drive, volumes, {slot.number for slot in before.partitions if slot.kept}),
        *_unmarked_doubts(drive.path, derived.afters[0], volumes),
        *small_systems(volumes, [extent.size_bytes for extent in extents]),
        *asked_doubts(specs),
    )
    return finished(machine, [Side(drive, before, recording)], derived, volumes, doubts, preserve=preserve)


def _grouped_plan(
    machine: Machine,
    drive: Drive,
    specs: tuple[VolumeSpec, ...],
    draw_uuid: Callable[[], str],
    room: _Room,
    recording: Recording,
) -> Plan:
    """Plan all volumes in one volume group in the largest space. Raises as `make_plan` does."""
    refuse_lacking(machine.kernel, DEVICE_MAPPER)
    refuse_missing(machine, LVM_PROGRAMS)
    geometry, before, preserve = room.geometry, room.before, room.preserve
    extent = group_extent(specs, room.spaces, geometry)
    (number,) = _free_numbers(drive, 1, preserve=preserve)
    sizes = logical_sizes(specs, extent.size_bytes)
    group, volumes = in_group(
        drive.path, [volume_of(drive, spec, number, draw_uuid()) for spec in specs], draw_uuid()
    )
    derived = grouped(
        drive.path,
        before,
        group,
        volumes,
        sizes,
        extent,
        room.bounds,
        fresh=room.fresh,
        wipes=() if preserve else old_wipes(drive, before),
    )
    doubts = asked_doubts(specs)
    plan = finished(machine, [Side(drive, before, recording)], derived, volumes, doubts, preserve=preserve)
    return replace(plan, group=group)


def _whole_plan(
    machine: Machine,
    drive: Drive,
    specs: tuple[VolumeSpec, ...],
    mode: Mode | None,
    draw_uuid: Callable[[], str],
    recording: Recording,
) -> Plan:
    """Plan one zoned filesystem on the whole host-managed drive. Raises as `make_plan` does."""
    path = drive.path
    size_bytes, geometry = refuse_drive(drive)
    if mode is Mode.USE_FREE:
        raise Refused(
            t(
                "{drive} is a host-managed zoned drive and cannot be partitioned. Cannot add "
                "to the existing contents.",
                drive=path,
            )
        )
    refuse_content(drive, chosen=mode is not None)
    if len(specs) != 1 or not specs[0].takes_rest:
        raise BadInput(
            t(
                "{drive} is a host-managed zoned drive and cannot be partitioned. Request one "
                "volume without a size.",
                drive=path,
            )
        )
    (spec,) = specs
    if spec.role:
        raise BadInput(
            t(
                "{drive} is a host-managed zoned drive and cannot be partitioned. Omit the role.",
                drive=path,
            )
        )
    mkfs, _ = option_words(spec)
    kind = spec.choice.filesystem
    if not is_zoned_mode(kind, mkfs):
        raise Refused(
            t(
                "Cannot create {filesystem} on {drive}: host-managed zones accept only "
                "sequential writes. Only {zoned} in zoned mode works there.",
                filesystem=kind,
                drive=path,
                zoned=ZONED_FILESYSTEM,
            )
        )
    refuse_missing(machine, ("blkzone",))
    before = layout_before(drive, size_bytes, geometry, preserve=False)
    volume = replace(volume_of(drive, spec, 0, draw_uuid()), path=path)
    derived = whole_drive(known_identity(machine, drive, size_bytes, geometry), volume)
    return finished(machine, [Side(drive, before, recording)], derived, (volume,), spec.doubts)


@dataclass(frozen=True, slots=True)
class Side:
    """A drive of a plan before the plan, and the conclusion of the findings."""

    drive: Drive
    before: Layout
    recording: Recording = NOT_JUDGED


def finished(
    machine: Machine,
    sides: Sequence[Side],
    derived: Derived,
    volumes: tuple[Volume, ...],
    doubts: Iterable[Message | str],
    *,
    preserve: bool = False,
    part: int = 0,
) -> Plan:
    """Return the plan that leads to the derived, with the doubts that apply to all plans and these."""
    first, *others = (
        Member(known_identity(machine, side.drive, *measured(side.drive)), side.before, after)
        for side, after in zip(sides, derived.afters, strict=True)
    )
    context = Context(first.drive, first.before, first.after, tuple(others), part=part)
    general = (
        *(doubt for side in sides for doubt in _drive_doubts(side, named=bool(others), preserve=preserve)),
        *rehearsal_doubts(machine.kernel),
        *(doubt for side in sides for doubt in shared_doubts(machine, side.drive, side.before)),
        *forgotten_doubts(machine, derived.operations),
    )
    return Plan(
        first.drive,
        first.before,
        first.after,
        volumes,
        steps_of(derived.operations, context),
        (*general, *doubts),
        others=tuple(others),
        part=part,
    )


def _drive_doubts(side: Side, *, named: bool, preserve: bool) -> Iterator[Message]:
    for doubt in doubts_of(side.drive, side.recording, preserve=preserve):
        yield t("{drive}: {doubt}", drive=side.drive.path, doubt=doubt) if named else doubt


def refuse_obstacles(machine: Machine, specs: Sequence[VolumeSpec]) -> None:
    """Raises Refused if a requested filesystem cannot be created here, BadInput if its options are not
    allowed."""
    for spec in specs:
        choice = spec.choice
        if choice.obstacles:
            raise Refused(
                t(
                    "Cannot create {filesystem} here: {obstacles:row}",
                    filesystem=choice.filesystem,
                    obstacles=choice.obstacles,
                )
            )
        kind = MADE.get(choice.filesystem)
        if kind is None:
            raise Refused(not_made_because(choice.filesystem))
        refuse_missing(machine, kind.makers)
        mkfs, mount = option_words(spec)
        if fault := options_fault(choice.filesystem, mkfs, mount):
            raise BadInput(
                t(
                    "Cannot use the options recommended for {filesystem}: {fault}.",
                    filesystem=choice.filesystem,
                    fault=fault,
                )
            )


def option_words(spec: VolumeSpec) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the recommended mkfs arguments and mount options."""
    mkfs = tuple(word for option in spec.choice.mkfs for word in option.text.split())
    mount = tuple(word for option in spec.choice.mount for word in option.text.split(","))
    return mkfs, mount


def demand_of(spec: VolumeSpec, spaces: Sequence[Extent], geometry: Geometry) -> Demand:
    """Return the space that a request needs, given the available spaces."""
    name = (
        f"{printable(spec.final_label)!r} ({spec.choice.filesystem}{' in LUKS2' if spec.encrypted else ''})"
    )
    size_bytes = spec.size_bytes if spec.percent is None else share_bytes(spec.percent, spaces, geometry)
    return Demand(name, size_bytes, needed_bytes(spec, geometry))


def volume_of(drive: Drive, spec: VolumeSpec, number: int, uuid: str, architecture: str = "") -> Volume:
    """Return the volume for a request on partition `number`. `architecture` is that of the future system."""
    mkfs, mount = option_words(spec)
    return Volume(
        workload=spec.workload.id,
        partition=number,
        path=partition_path(drive.path, number),
        filesystem=spec.choice.filesystem,
        uuid=MADE[spec.choice.filesystem].uuid_of(uuid),
        label=spec.final_label,
        mount_point=spec.mount_point,
        mkfs_options=mkfs,
        mount_options=mount,
        subvolumes=spec.subvolumes,
        role=volume_role(spec.role, architecture),
        writer=ROOT if spec.role or not MADE[spec.choice.filesystem].mounts else spec.writer,
    )


def _free_numbers(drive: Drive, wanted: int, *, preserve: bool) -> tuple[int, ...]:
    """Return the lowest free partition numbers. In an MBR there are four, since logical partitions can be
    preserved but not added."""
    used = {part.number for part in drive.partitions} if preserve else set()
    is_mbr = preserve and drive.table is not None and drive.table.kind == "mbr"
    room = drive.table.most_partitions if preserve and drive.table is not None else None
    most = 4 if is_mbr else min(GPT_PARTITIONS, room or GPT_PARTITIONS)
    free = [number for number in range(1, most + 1) if number not in used]
    if len(free) >= wanted:
        return tuple(free[:wanted])
    if is_mbr:
        raise Refused(
            tn(
                "The MBR of {drive} has {there} of at most 4 primary partitions, but {count} "
                "more was requested. Only a GPT supports more. --replace creates a GPT and "
                "erases everything.",
                "The MBR of {drive} has {there} of at most 4 primary partitions, but {count} "
                "more were requested. Only a GPT supports more. --replace creates a GPT and "
                "erases everything.",
                drive=drive.path,
                there=4 - len(free),
                count=wanted,
            )
        )
    raise Refused(
        tn(
            "The GPT of {drive} has {there} of at most {most} partitions, but {count} more was requested.",
            "The GPT of {drive} has {there} of at most {most} partitions, but {count} more were requested.",
            drive=drive.path,
            most=most,
            there=len(used),
            count=wanted,
        )
    )


def old_wipes(drive: Drive, before: Layout) -> tuple[WipeSignatures, ...]:
    """Return the wipes before a new table, except for partitions without a kernel node, which cannot be
    accessed."""
    without = {part.path for part in drive.partitions if part.kernel_start_bytes is None}
    wipes = wipes_of(drive.path, before, unread_content(drive))
    return tuple(wipe for wipe in wipes if wipe.device not in without)


def asked_doubts(specs: Sequence[VolumeSpec]) -> tuple[Message | str, ...]:
    """Return the requests' doubts about options chosen against the recommendation, without duplicates."""
    return tuple(dict.fromkeys(doubt for spec in specs for doubt in spec.doubts))


def _unmarked_doubts(drive_path: str, after: Layout, volumes: Sequence[Volume]) -> tuple[Message, ...]:
    """Return a doubt if a system would boot from an MBR without an active partition, with the command to set
    one."""
    if after.table != "mbr" or any(slot.attributes & ACTIVE for slot in after.partitions):
        return ()
    parts = {role.name: volume.partition for volume in volumes if (role := role_of(volume))}
    number = parts.get("boot", parts.get("root"))
    if number is None:
        return ()
    return (
        t(
            "No partition of the MBR is marked active (bootable), and a few old BIOSes "
            "do not boot such a drive. Boot loaders in the MBR itself do not need the "
            "flag. After installing the system, set the flag with `sfdisk --activate "
            "{drive} {number}`.",
            drive=drive_path,
            number=number,
        ),
    )
