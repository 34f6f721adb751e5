"""Plan to write a lost partition table back around the contents found. Pure."""

import re
from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from wizard.filesystems import partition_types
from wizard.model.errors import Refused
from wizard.model.geometry import Geometry
from wizard.model.layout import Layout, Slot
from wizard.model.machine import Drive, Partition
from wizard.model.said import Sentence, rounded_up, t
from wizard.operations.settings import GUID
from wizard.plan import dangers, free_space, refusals
from wizard.plan.derive import Places
from wizard.plan.plan import Plan
from wizard.plan.planning import Planning, with_doubts
from wizard.plan.request.roles import TableKind, content_types
from wizard.probe.content.unmarked import TRACK_BLOCKS

PROTECTIVE_TYPE = "0xee"
MBR_TYPE = re.compile(r"0x[0-9a-f]{2}")
MOST_NAME_UNITS, MOST_ATTRIBUTES = 36, 1 << 64
"""Limits of a GPT entry: UTF-16 units of the name, and 64 bits."""


def restore_plan(planning: Planning, table: TableKind | None = None) -> Plan:
    """Plan to write the lost table back: exactly as in a lone backup GPT, else around the filesystems found.
    Nothing else is written. `table`: the only type to use. Raises Refused."""
    (drive,) = planning.drives
    after = lost_layout(drive, planning.draw_uuid, table)
    plan = planning.finished(Places(after=after))
    if _has_backup(drive):
        return with_doubts(plan, t("All entries come from the backup GPT."))
    usual = t(
        "Only contents at usual starts were found: {drive} may have had other partitions and types.",
        drive=drive,
    )
    form = Sentence("The size of {parts:list} is unknown: the entry ends at the next partition or the end.")
    unknown = tuple(part.path for part in drive.lost if not _has_size(part))
    return with_doubts(plan, usual, *([form(parts=unknown)] if unknown else []))


def _has_backup(drive: Drive) -> bool:
    return any(part.part_uuid for part in drive.lost)


def _has_size(part: Partition) -> bool:
    return any(mark.size_bytes for mark in part.signatures)


def lost_layout(drive: Drive, draw_uuid: Callable[[], str] = str, table: TableKind | None = None) -> Layout:
    """Return the layout to write back. An MBR is the second choice, but the usual one for a first partition
    at block 63. Raises Refused."""
    size_bytes, geometry = refusals.refuse_drive(drive)
    if refusals.unread_content(drive) or drive.waiting:
        refusals.refuse_table(drive)
    if drive.partitions and drive.table_kind == "none":
        raise Refused(t("Restart or unplug {drive} first: the kernel has old partitions.", drive=drive))
    if not drive.lost or drive.signatures or drive.partitions or drive.table is None:
        raise Refused(t("No lost partition was found."))
    if drive.has_table:
        raise Refused(free_space.HAS_TABLE(drive=drive))
    backup, block = _has_backup(drive), geometry.logical_block_bytes
    kinds: tuple[TableKind, ...] = ("gpt", "mbr")
    if drive.lost[0].start_bytes == TRACK_BLOCKS * block:
        kinds = ("mbr", "gpt")
    if backup:
        kinds = ("gpt",)
    for kind in (kind for kind in kinds if table in (None, kind)):
        slots = [dangers.slot_of(part) for part in drive.lost]
        if not backup:
            slots = [*_placed(drive.lost, kind, size_bytes, geometry, draw_uuid)]
        bounds = free_space.fresh_bounds(kind, size_bytes, geometry)
        kept = tuple(replace(slot, kept=True) for slot in slots)
        layout = Layout(kind, free_space.with_free(kept, bounds))
        if next(_layout_faults(layout, size_bytes, geometry), None) is None:
            return layout
    raise Refused(t("No table fits the partitions found on {drive}.", drive=drive))


def _placed(
    lost: Sequence[Partition],
    kind: TableKind,
    size_bytes: int,
    geometry: Geometry,
    draw_uuid: Callable[[], str],
) -> Iterator[Slot]:
    """Yield the entries of contents found: sizes from superblocks, up to an aligned end if possible."""
    end_of_all = free_space.fresh_bounds(kind, size_bytes, geometry).end_bytes
    limits = [*(part.start_bytes for part in lost[1:]), end_of_all]
    for part, limit in zip(lost, limits, strict=True):
        least = rounded_up((part.overhang or part).end_bytes, geometry.logical_block_bytes)
        aligned = geometry.align_up(least)
        end = (aligned if aligned <= limit else least) if _has_size(part) else limit
        yield replace(
            dangers.slot_of(part),
            size_bytes=end - part.start_bytes,
            overhang_bytes=0,
            type=content_types(part.filesystem or "")[kind == "mbr"],
            part_uuid=draw_uuid() if kind == "gpt" else None,
        )


def restored_faults(plan: Plan) -> Iterator[str]:
    """Check a plan that writes a lost table back."""
    before, after = plan.before, plan.after
    if before.table != "none" or before.slots or before.signatures or before.waiting or not before.unmarked:
        yield "before"
    if plan.volumes or plan.group or plan.others or plan.stripe or after.whole or after.signatures:
        yield "after"
    if faults := [*_layout_faults(after, plan.drive.size_bytes, plan.drive.geometry)]:
        yield from faults
        return
    bounds = free_space.fresh_bounds(after.table, plan.drive.size_bytes, plan.drive.geometry)
    if after != Layout(after.table, free_space.with_free(after.partitions, bounds)):
        yield "after"


def _layout_faults(layout: Layout, size_bytes: int, geometry: Geometry) -> Iterator[str]:
    slots, block = layout.partitions, geometry.logical_block_bytes
    if layout.table not in ("gpt", "mbr") or not slots:
        yield "after.table"
        return
    is_mbr = layout.table == "mbr"
    most = free_space.MBR_PRIMARIES if is_mbr else free_space.GPT_PARTITIONS
    numbers = [slot.number for slot in slots]
    if len(set(numbers)) != len(numbers) or min(numbers) < 1 or max(numbers) > most:
        yield "after.slots"
    bounds = free_space.fresh_bounds(layout.table, size_bytes, geometry)
    for slot in slots:
        if (
            slot.size_bytes <= 0
            or not slot.is_within(bounds)
            or slot.start_bytes % block
            or slot.size_bytes % block
            or not slot.kept
            or not _is_entry(slot, is_mbr=is_mbr)
        ):
            yield "after.slots"
    if not free_space.is_consistent(slots):
        yield "after.slots"


def _is_entry(slot: Slot, *, is_mbr: bool) -> bool:
    kind, name, uuid = slot.type or "", slot.name or "", slot.part_uuid or ""
    if is_mbr:
        forbidden = {"0x00", PROTECTIVE_TYPE, *partition_types.CONTAINERS}
        is_kind = bool(MBR_TYPE.fullmatch(kind)) and kind not in forbidden
        return is_kind and not (slot.attributes or name or uuid)
    return (
        bool(GUID.fullmatch(kind) and GUID.fullmatch(uuid))
        and len(name.encode("utf-16-le", "surrogatepass")) <= 2 * MOST_NAME_UNITS
        and "\0" not in name
        and 0 <= slot.attributes < MOST_ATTRIBUTES
    )
