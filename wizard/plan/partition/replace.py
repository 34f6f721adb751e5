"""Plan a format, deletion or resize of one partition that preserves the others."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from wizard.filesystems.registry import KINDS
from wizard.model.errors import BadInput, Refused
from wizard.model.finding import NOT_JUDGED, Recording
from wizard.model.geometry import misalignment_bytes
from wizard.model.layout import Slot, Volume
from wizard.model.machine import Drive, Kernel, Machine, Partition
from wizard.model.said import Message, t
from wizard.operations.table import WriteTable
from wizard.plan.dangers import (
    esp_doubts,
    known_identity,
    layout_before,
    refuse_missing,
)
from wizard.plan.derive import Derived, changed_part, changing, resized_part
from wizard.plan.free_space import place
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
from wizard.plan.plan import Plan
from wizard.plan.planner import Side, asked_doubts, demand_of, finished, refuse_obstacles, volume_of
from wizard.plan.refusals import measured
from wizard.plan.request.encryption import encrypted, encryption_doubts, refuse_encryption
from wizard.plan.request.volume_request import VolumeSpec, check_specs, with_unique_labels


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
    derived = resized_part(drive.path, before, slot, size_bytes)
    return _plan_of(machine, Side(drive, before, recording), slot, (), derived, doubts)


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
    derived = changed_part(known_identity(machine, drive, size_bytes, geometry), before, slot, volumes)
    return _plan_of(machine, Side(drive, before, recording), slot, volumes, derived, doubts)


def _plan_of(
    machine: Machine,
    side: Side,
    slot: Slot,
    volumes: tuple[Volume, ...],
    derived: Derived,
    doubts: tuple[Message | str, ...],
) -> Plan:
    """Return the plan that changes only `slot`."""
    table = next(one for one in derived.operations if isinstance(one, WriteTable))
    risk = (
        (
            t(
                "Other partitions of {drive} are in use during the table write. A power "
                "failure then may leave only the backup table. `gdisk` (r, b, w) restores "
                "the table.",
                drive=side.drive.path,
            ),
        )
        if _is_risky(side.drive, slot, table)
        else ()
    )
    return finished(machine, [side], derived, volumes, (*risk, *doubts), preserve=True, part=slot.number)


def _is_risky(drive: Drive, slot: Slot, table: WriteTable) -> bool:
    """Return True if a GPT changes while another partition is in use. An MBR is a single sector, written
    atomically."""
    return bool(drive.uses) and table.table == "gpt" and table.changes(slot)
