"""Write a partition table, and verify on the drive and in the kernel that it matches the plan."""

import json
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from wizard.apply.block.devices import (
    forget_caches,
    partition_nodes,
    read_bytes,
    tell_kernel,
    tell_of,
    wait_for,
    write_bytes,
)
from wizard.apply.block.extents import merged, without
from wizard.apply.block.scratch_device import NoStandInError, StandIn, standing_in
from wizard.apply.plan.guard import check_unused
from wizard.apply.run.backup_store import table_places
from wizard.apply.run.process import module_argv
from wizard.apply.steps.step_context import NO_NODE, StepContext, look_at
from wizard.apply.table.one_entry import with_backup_at_end, with_lost_table, with_one_changed
from wizard.apply.table.proof import Image, disk_differences, in_order, kernel_differences, proven, set_types
from wizard.documents.codec import to_json
from wizard.model.errors import Failed, Refused, partition_path
from wizard.model.ext import Event
from wizard.model.geometry import Identity
from wizard.model.machine import Drive, Extent
from wizard.model.plan import Member, WriteTable
from wizard.model.said import MIB, Message, reason_of, t
from wizard.plan.free_space import is_container
from wizard.probe.content.tables import read_table

LIBPARTED_ABORTED = -6
"""SIGABRT: a failed assertion."""


def _have_written(operation: WriteTable, context: StepContext, node: str = "") -> None:
    """Write the operation's table to its drive, or to `node` instead. Raises Failed, with the table possibly
    incomplete."""
    targeted = replace(operation, device=node or operation.device)
    result = context.command(
        module_argv("wizard.apply.table.worker"),
        stdin=json.dumps(to_json(targeted)).encode(),
        accept=(0, 1, LIBPARTED_ABORTED),
        shown=("libparted", targeted.table, targeted.device),
    )
    if result.status == LIBPARTED_ABORTED:
        raise Failed(
            t(
                "libparted aborted on {device}; the table there may be half written.",
                device=targeted.device,
            )
        )
    if result.status:
        raise Failed(
            t(
                "libparted did not write the table of {device}: {why}",
                device=targeted.device,
                why=result.last_words,
            )
        )
    set_types(targeted, context.member.drive.geometry.logical_block_bytes)


def image_of(node: str, places: Iterable[Extent], drive: Identity) -> Image:
    """Read these places of a drive or its scratch copy, bypassing caches."""
    pieces = tuple(
        (place.start_bytes, read_bytes(node, place.start_bytes, place.size_bytes)) for place in places
    )
    return Image(drive.size_bytes, drive.geometry.logical_block_bytes, pieces)


def rehearsed(operation: WriteTable, before: Image, context: StepContext) -> Image:
    """Rehearse the operation on a scratch copy, and return the verified table. Does not write to the drive.
    Raises NoStandInError if a scratch copy is impossible, and Failed if the result differs from the plan."""
    with standing_in(before) as stand_in:
        try:
            wanted = _write_to_scratch(operation, before, stand_in, context)
        except Failed as error:
            raise Failed(
                t(
                    "The new table did not match the plan on {node}, a scratch copy of {drive}. "
                    "{why} The table was not written to {drive}.",
                    drive=operation.device,
                    node=stand_in.node,
                    why=reason_of(error),
                )
            ) from None
    message = t(
        "On a scratch copy of {drive}, the new table is as planned; all other bytes are unchanged",
        drive=operation.device,
    )
    context.journal.add(
        Event.VERIFIED, message, step=context.step, output=str(t("confirmed by libblkid and the kernel"))
    )
    return wanted


def _write_to_scratch(operation: WriteTable, before: Image, stand_in: StandIn, context: StepContext) -> Image:
    places = tuple(Extent(offset, len(data)) for offset, data in before.pieces)
    _have_written(operation, context, stand_in.node)
    forget_caches(stand_in.node)
    written = image_of(stand_in.node, places, context.member.drive)
    if (outside := stand_in.written_outside(places)) is not None:
        raise Failed(t("libparted wrote to byte {byte}, outside the table.", byte=outside))
    wanted = proven(operation, before, written)
    # Repeat all writes as on the drive, starting from the old table.
    for offset, data in before.pieces:
        write_bytes(stand_in.node, offset, data)
    for offset, data in in_order(operation.table, before, wanted):
        write_bytes(stand_in.node, offset, data)
    forget_caches(stand_in.node)
    tell_kernel(stand_in.node, anew=True)
    if not partition_nodes(stand_in.node):
        # For a kernel without support of this table, use the partitions that libblkid reads.
        tell_of(stand_in.node, (entry.number for entry in operation.entries))
    found = look_at(stand_in.node)
    layout = context.member.after
    if differences := (*disk_differences(layout, found), *kernel_differences(layout, found)):
        raise Failed(t("{differences:semicolons}.", differences=differences))
    if image_of(stand_in.node, places, context.member.drive) != wanted:
        raise Failed(t("Verification failed: the data read back differs from the data written."))
    return wanted


def write_table(operation: WriteTable, context: StepContext) -> Message:
    """Save the table, write the new one, read it back, and return a summary with random UUIDs. Raises Failed.

    A table with preserved partitions is first rehearsed on a scratch copy.
    """
    drive = operation.device
    if context.step > 1:
        _refuse_use(context)
    if context.again and not operation.fresh:
        _restore_interrupted(drive, context)
    regions = table_regions(context.member, fresh=operation.fresh)
    if context.plan.part or context.plan.only_table:
        before = image_of(drive, regions, context.member.drive)
        wanted = (
            with_one_changed(operation, before)
            if context.plan.part
            else with_lost_table(operation, before, context.member.after)
        )
        _change_entries(operation, before, wanted)
    elif operation.fresh:
        context.save(regions)
        _have_written(operation, context)
    elif context.rehearsed:
        _add_directly(operation, image_of(drive, regions, context.member.drive), context)
    else:
        _add_partitions(operation, regions, context)
    return _read_back(drive, context)


def _add_partitions(operation: WriteTable, regions: tuple[Extent, ...], context: StepContext) -> None:
    """Add partitions after a rehearsal, or directly if impossible, which was announced. Raises Failed."""
    drive = operation.device
    before = image_of(drive, regions, context.member.drive)
    try:
        wanted = rehearsed(operation, with_backup_at_end(before), context)
    except NoStandInError as error:
        message = t(
            "Cannot create a scratch copy of {drive} ({why}). libparted writes the table "
            "directly to the drive. A power cut during the write can leave the table "
            "half written until the run is resumed.",
            drive=drive,
            why=str(error),
        )
        context.journal.add(Event.COMMAND, message, step=context.step)
        context.save(regions)
        _add_directly(operation, before, context)
        return
    context.save(regions)
    _commit(operation, before, wanted, context)


def _change_entries(operation: WriteTable, before: Image, wanted: Image) -> None:
    """Write a table to a scratch copy without libparted, which would recreate entries. Raises Failed."""
    drive = operation.device
    for offset, _, data in before.changed_blocks(wanted):
        write_bytes(drive, offset, data)
    forget_caches(drive)
    tell_kernel(drive, anew=True)
    tell_of(drive, (entry.number for entry in operation.entries))


def _add_directly(operation: WriteTable, before: Image, context: StepContext) -> None:
    """Write the table with libparted, and restore what it changed of preserved partitions. Raises Failed.

    libparted ignores space after a misplaced backup GPT, so the backup moves first.
    """
    drive = operation.device
    usable = with_backup_at_end(before)
    for offset, _, data in before.changed_blocks(usable):
        write_bytes(drive, offset, data)
    _have_written(operation, context)
    written = image_of(
        drive, (Extent(offset, len(data)) for offset, data in before.pieces), context.member.drive
    )
    for offset, _, data in written.changed_blocks(proven(operation, usable, written)):
        write_bytes(drive, offset, data)


def _refuse_use(context: StepContext) -> None:
    """Refuse if a partition was put in use while signatures were erased, since libparted does not check.
    Raises Failed."""
    try:
        check_unused(context.look())
    except Refused as error:
        raise Failed(error.ending_in(str(t("The table was not changed.")))) from None


def _commit(operation: WriteTable, before: Image, wanted: Image, context: StepContext) -> None:
    """Write the verified table to the drive, block by block in order, and notify the kernel. Raises
    Failed."""
    drive = operation.device
    places = tuple(Extent(offset, len(data)) for offset, data in before.pieces)
    if image_of(drive, places, context.member.drive) != before:
        raise Failed(
            t(
                "The table of {drive} changed during the rehearsal of the new one. The new "
                "table was not written.",
                drive=drive,
            )
        )
    for offset, data in in_order(operation.table, before, wanted):
        # Synced before the next write.
        write_bytes(drive, offset, data)
    if image_of(drive, places, context.member.drive) != wanted:
        raise Failed(
            t(
                "Verification of the table on {drive} failed: the data read back differs "
                "from the data written.",
                drive=drive,
            )
        )
    tell_of(drive, (entry.number for entry in operation.entries))


def table_regions(member: Member, *, fresh: bool) -> tuple[Extent, ...]:
    """Return the places that writing the drive's table can touch. Unless the table is `fresh`, partitions are
    excluded."""
    identity, before = member.drive, member.before
    block = identity.geometry.logical_block_bytes
    head = read_bytes(identity.path, 0, min(MIB, identity.size_bytes // block * block))
    kept = tuple(
        slot.extent
        for slot in (*before.partitions, *member.after.partitions)
        if not fresh and not is_container(slot)
    )
    places = (
        *table_places(identity.size_bytes, head, block, kept),
        *record_places(identity.path, identity.size_bytes, block),
    )
    # A new partition may cover the place of a misplaced backup.
    outside = (piece for place in places for piece in without(place, kept))
    return merged(outside, block, identity.size_bytes)


def record_places(drive: str, size_bytes: int, block_bytes: int) -> list[Extent]:
    """Return the places of the current table, including the chain of an extended partition. libparted
    rewrites all of them. Raises Failed."""
    try:
        with Path(drive).open("rb", buffering=0) as device:

            def read(offset: int, length: int) -> bytes:
                return os.pread(device.fileno(), length, offset)

            spans = read_table(read, size_bytes, block_bytes, None, has_signature=False).spans
    except OSError as error:
        raise Failed(
            t("Cannot read the table of {drive}: {why}.", drive=drive, why=str(error.strerror))
        ) from None
    return [Extent(offset, length) for offset, length in spans]


def _restore_interrupted(drive: str, context: StepContext) -> None:
    """Restore the table after an interrupted write, so preserved partitions are known again."""
    mine = [saved for saved in context.vault.all() if saved.step == context.step]
    for saved in reversed(mine):
        write_bytes(drive, saved.offset_bytes, context.vault.read(saved))
    forget_caches(drive)


def _read_back(drive: str, context: StepContext) -> Message:
    wanted = context.member.after
    forget_caches(drive)
    found = context.look()
    if differences := disk_differences(wanted, found):
        raise Failed(
            t(
                "The table read back from {drive} differs from the plan: {differences:semicolons}.",
                drive=drive,
                differences=differences,
            )
        )
    if kernel_differences(wanted, found):
        tell_kernel(drive, anew=False)
        found = context.look()
    if differences := kernel_differences(wanted, found):
        raise Failed(
            t(
                "The table is on {drive}, but the kernel did not load the new table: "
                "{differences:semicolons}. A restart loads the table.",
                drive=drive,
                differences=differences,
            )
        )
    nodes = tuple(partition_path(drive, slot.number) for slot in wanted.partitions if not slot.kept)
    if missing := wait_for(nodes):
        raise Failed(NO_NODE(node=missing))
    return _summary(found, context)


def _summary(drive: Drive, context: StepContext) -> Message:
    """Describe the UUIDs that libparted has drawn, which the plan cannot contain."""
    new = {slot.number for slot in context.member.after.partitions if not slot.kept}
    parts = [
        t("partition {number} has UUID {uuid}", number=part.number, uuid=part.part_uuid)
        for part in drive.partitions
        if part.number in new and part.part_uuid
    ]
    uuid = drive.table.uuid if drive.table else None
    drawn = (*((t("the table has UUID {uuid}", uuid=uuid),) if uuid else ()), *parts)
    return (
        t("Disk and kernel have exactly the planned table: {drawn:semicolons}.", drawn=drawn)
        if drawn
        else t("Disk and kernel have exactly the planned table.")
    )
