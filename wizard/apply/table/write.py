"""Write a partition table, and verify that drive and kernel match the plan."""

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from uuid import UUID

from msgspec.structs import replace

from wizard.apply.block import devices
from wizard.apply.block.extents import merged
from wizard.apply.plan.guard import check_unused
from wizard.apply.run.backup_store import table_places
from wizard.apply.steps import step_context
from wizard.apply.steps.wipe import reset_zones
from wizard.apply.table import one_entry, proof
from wizard.documents.codec import to_json
from wizard.documents.files import UNREADABLE
from wizard.filesystems.partition_types import is_extended
from wizard.model.errors import Failed, Refused, partition_path
from wizard.model.geometry import Identity
from wizard.model.layout import Member, Slot
from wizard.model.machine import Drive, Extent
from wizard.model.run import Check
from wizard.model.said import MIB, Message, failing, join, t
from wizard.operations.data_loss import content_of
from wizard.operations.table import ResetZones, WriteTable
from wizard.plan.dangers import slot_of
from wizard.plan.plan import Plan
from wizard.probe.content.tables import read_table
from wizard.process.module import module_argv

LIBPARTED_ABORTED = -6
"""SIGABRT: a failed assertion."""


def _have_written(operation: WriteTable, context: step_context.StepContext) -> None:
    """Write with libparted, then set the types of the new partitions. Raises Failed, with the table possibly
    incomplete."""
    result = context.command(
        module_argv("wizard.apply.table.worker"),
        stdin=json.dumps(to_json(operation)).encode(),
        accept=(0, 1, LIBPARTED_ABORTED),
        shown=("libparted", operation.table, operation.device),
    )
    if result.status:
        aborted = t("libparted aborted; the table may be half written.")
        raise Failed(
            t(
                "libparted did not write the table of {device}: {why}",
                device=operation.device,
                why=aborted if result.status == LIBPARTED_ABORTED else result.last_words,
            )
        )
    # libparted cannot set all types.
    node, drive = operation.device, context.member.drive
    devices.forget_caches(node)
    before = image_of(node, record_places(drive, node), drive)
    if operation.table == "mbr":
        lines = {
            proof.MBR_LINES_AT + proof.MBR_LINE_BYTES * (entry.number - 1): entry
            for entry in operation.entries
        }
        types = {at + proof.MBR_TYPE_AT: bytes([int(entry.type, 16)]) for at, entry in lines.items()}
        after = before.having(types)
    else:
        after = before.with_gpt({entry.number: {0: UUID(entry.type).bytes_le} for entry in operation.entries})
    _write_blocks(node, before, after)


def image_of(node: str, places: Iterable[Extent], drive: Identity) -> proof.Image:
    """Read these places of a drive or the scratch copy, past caches."""
    pieces = ((one.start_bytes, devices.read_bytes(node, one.start_bytes, one.size_bytes)) for one in places)
    return proof.Image(drive.size_bytes, drive.geometry.logical_block_bytes, tuple(pieces))


def write_table(operation: WriteTable, context: step_context.StepContext) -> Message:
    """Write the table, read it back, and return a summary with random UUIDs. libparted writes new tables.
    Tables with preserved partitions are only changed on a scratch copy, by our own code. Raises Failed."""
    drive, plan, member = operation.device, context.plan, context.member
    if context.step > 1:
        try:
            # Erasing signatures took time, and libparted does not check.
            check_unused(context.look())
        except Refused as error:
            raise Failed(error.ending_in(str(t("The table was not changed.")))) from None
    if operation.fresh:
        _have_written(operation, context)
        return _read_back(drive, context)
    if not context.rehearsed:
        raise Failed(step_context.NOT_REHEARSED(device=drive))
    before = image_of(drive, table_regions(member), member.drive)
    wanted = (
        one_entry.with_lost_table(operation, before, member.after)
        if plan.restores_table
        else one_entry.with_changes(operation, before)
    )
    _write_blocks(drive, before, wanted)
    devices.forget_caches(drive)
    devices.reread_table(drive, anew=True)
    devices.add_partitions(drive, (entry.number for entry in operation.entries))
    return _read_back(drive, context)


def _write_blocks(node: str, now: proof.Image, wanted: proof.Image) -> None:
    for offset, _, data in now.changed_blocks(wanted):
        devices.write_bytes(node, offset, data)


def table_regions(member: Member) -> tuple[Extent, ...]:
    """Return the places outside partitions that writing the drive's table can touch."""
    identity, before = member.drive, member.before
    block = identity.geometry.logical_block_bytes
    head = devices.read_bytes(identity.path, 0, min(MIB, identity.size_bytes // block * block))
    kept = tuple(
        slot.extent for slot in (*before.partitions, *member.after.partitions) if not is_extended(slot)
    )
    places = (*table_places(identity.size_bytes, head, block, kept), *record_places(identity))
    # A new partition may cover the place of a misplaced backup.
    outside = (piece for place in places for piece in place.without(kept))
    return merged(outside, block, identity.size_bytes)


def record_places(drive: Identity, node: str = "") -> tuple[Extent, ...]:
    """Return the places of the current table on a drive or the scratch copy `node`, with the chain of an
    extended partition: libparted rewrites all of them. Raises Failed."""
    node, block = node or drive.path, drive.geometry.logical_block_bytes
    with failing(UNREADABLE, file=node), Path(node).open("rb", buffering=0) as device:

        def read(offset: int, length: int) -> bytes:
            return os.pread(device.fileno(), length, offset)

        spans = read_table(read, drive.size_bytes, block, None, has_signature=False).spans
    return merged((Extent(*span) for span in spans), block, drive.size_bytes)


def _read_back(drive: str, context: step_context.StepContext) -> Message:
    wanted = context.member.after
    devices.forget_caches(drive)
    found = context.look()
    if differences := proof.disk_differences(wanted, found):
        raise Failed(proof.WRONG_TABLE(detail="; ".join(differences)))
    if proof.kernel_differences(wanted, found):
        devices.reread_table(drive, anew=False)
        found = context.look()
    if differences := proof.kernel_differences(wanted, found):
        raise Failed(
            t(
                "The table is on {drive}, but the kernel did not load the new table: "
                "{differences:semicolons}. A restart loads the table.",
                drive=drive,
                differences=differences,
            )
        )
    new = {slot.number for slot in wanted.changed}
    devices.wait_for(*(partition_path(drive, number) for number in new))
    # The plan cannot contain the UUIDs that libparted has drawn.
    drawn = [(drive, found.table.uuid if found.table else None)]
    drawn += ((part.path, part.part_uuid) for part in found.partitions if part.number in new)
    uuids = (t("{device} has UUID {uuid}.", device=node, uuid=uuid) for node, uuid in drawn if uuid)
    return join(t("Disk and kernel have exactly the planned table."), *uuids)


def _table_checks(operation: WriteTable | ResetZones, context: step_context.StepContext) -> Iterator[Check]:
    """Check the table of a drive, or its absence, on the drive and in the kernel."""
    pairs = zip(context.plan.members, context.drives, strict=True)
    member, drive = next((one, drive) for one, drive in pairs if one.drive.path == operation.device)
    plan, after = context.plan, member.after
    contents = _content_differences(plan, drive) if plan.only_table else ()
    yield step_context.matched(lambda: (*proof.disk_differences(after, drive), *contents))
    yield step_context.matched(lambda: proof.kernel_differences(after, drive))
    # Existing partitions keep their alignment.
    new = [slot.number for slot in after.changed if not plan.part]
    if new:
        yield step_context.matched(lambda: misalignments(drive, new))


def _empty_checks(operation: ResetZones, context: step_context.StepContext) -> Iterator[Check]:
    """The reset has removed the table, unless a later step wrote one."""
    what = str(t("{drive} has the planned table, or none.", drive=operation.device))
    yield from (replace(check, what=what) for check in _table_checks(operation, context))


def _content_differences(plan: Plan, drive: Drive) -> Iterator[Message]:
    parts = {part.number: slot_of(part) for part in drive.partitions}
    for slot in plan.after.partitions:
        found = parts.get(slot.number, Slot(slot.number, 0, 0))
        is_checked = slot.filesystem and plan.part in (0, slot.number)
        if is_checked and (found.filesystem, found.uuid) != (slot.filesystem, slot.uuid):
            yield t("{name} is missing", name=f"partition {slot.number}: {content_of(slot)}")


def misalignments(drive: Drive, numbers: Iterable[int]) -> Iterator[Message]:
    """Describe partitions that are misaligned by the kernel's rule."""
    for number in numbers:
        node = partition_path(drive.path, number)
        part, geometry = drive.partition(node), drive.geometry
        if part is None or geometry is None:
            yield t("{name} is missing", name=node)
        elif off := geometry.misalignment_bytes(part.start_bytes):
            yield t("{device} is misaligned by {bytes} bytes", device=node, bytes=off)


STEPS: step_context.Steps = {
    WriteTable: (write_table, _table_checks),
    ResetZones: (reset_zones, _empty_checks),
}
