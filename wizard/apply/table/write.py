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
from wizard.apply.block.extents import merged
from wizard.apply.block.scratch_device import NoStandInError, StandIn, standing_in
from wizard.apply.plan.guard import check_unused
from wizard.apply.run.backup_store import table_places
from wizard.apply.run.process import module_argv
from wizard.apply.steps.step_context import NO_NODE, StepContext, look_at
from wizard.apply.table.one_entry import with_one_changed
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


def have_written(operation: WriteTable, site: StepContext, node: str = "") -> None:
    """Have the operation's table written, to its drive or to `node` in its place. Raises Failed; then it may
    be half written."""
    there = replace(operation, device=node or operation.device)
    result = site.command(
        module_argv("wizard.apply.table.worker"),
        stdin=json.dumps(to_json(there)).encode(),
        accept=(0, 1, LIBPARTED_ABORTED),
        shown=("libparted", there.table, there.device),
    )
    if result.status == LIBPARTED_ABORTED:
        raise Failed(
            t(
                "libparted aborted on {device}; the table there may be half written.",
                device=there.device,
            )
        )
    if result.status:
        raise Failed(
            t(
                "libparted did not write the table of {device}: {why}",
                device=there.device,
                why=result.last_words,
            )
        )
    set_types(there, site.member.drive.geometry.logical_block_bytes)


def image_of(node: str, places: Iterable[Extent], drive: Identity) -> Image:
    """What these places of a drive, or of a stand-in for it, hold, read past every cache."""
    pieces = tuple(
        (place.start_bytes, read_bytes(node, place.start_bytes, place.size_bytes)) for place in places
    )
    return Image(drive.size_bytes, drive.geometry.logical_block_bytes, pieces)


def rehearsed(operation: WriteTable, before: Image, site: StepContext) -> Image:
    """What is to stand in the table's places, which a stand-in has held exactly so. The drive is not written
    to.

    Raises NoStandInError where none can be had, and Failed where the table did not become what was planned.
    """
    with standing_in(before) as stand_in:
        try:
            wanted = _write_there(operation, before, stand_in, site)
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
    said = t(
        "On a scratch copy of {drive}, the new table is as planned; all other bytes are unchanged",
        drive=operation.device,
    )
    site.journal.add(
        Event.VERIFIED, said, step=site.step, output=str(t("confirmed by libblkid and the kernel"))
    )
    return wanted


def _write_there(operation: WriteTable, before: Image, stand_in: StandIn, site: StepContext) -> Image:
    places = tuple(Extent(offset, len(data)) for offset, data in before.pieces)
    have_written(operation, site, stand_in.node)
    forget_caches(stand_in.node)
    written = image_of(stand_in.node, places, site.member.drive)
    if (outside := stand_in.written_outside(places)) is not None:
        raise Failed(t("libparted wrote to byte {byte}, outside the table.", byte=outside))
    wanted = proven(operation, before, written)
    # All of it is gone through as it will be on the drive, from the old table on.
    for offset, data in before.pieces:
        write_bytes(stand_in.node, offset, data)
    for offset, data in in_order(operation.table, before, wanted):
        write_bytes(stand_in.node, offset, data)
    forget_caches(stand_in.node)
    tell_kernel(stand_in.node, anew=True)
    if not partition_nodes(stand_in.node):
        # A kernel built without a reader for this kind of table takes it from libblkid.
        tell_of(stand_in.node, (entry.number for entry in operation.entries))
    found = look_at(stand_in.node)
    layout = site.member.after
    if differences := (*disk_differences(layout, found), *kernel_differences(layout, found)):
        raise Failed(t("{differences:semicolons}.", differences=differences))
    if image_of(stand_in.node, places, site.member.drive) != wanted:
        raise Failed(t("Verification failed: the data read back differs from the data written."))
    return wanted


def write_table(operation: WriteTable, site: StepContext) -> Message:
    """Save what the table's places hold, write it, read it back; a sentence with what was drawn by libparted.

    A table that keeps partitions is written to a stand-in and proven there first. Raises Failed.
    """
    drive = operation.device
    if site.step > 1:
        _refuse_use(site)
    if site.again and not operation.fresh:
        _put_back_half_written(drive, site)
    regions = table_regions(site.member, fresh=operation.fresh)
    if site.plan.part:
        _change_one(operation, image_of(drive, regions, site.member.drive))
    elif operation.fresh:
        site.save(regions)
        have_written(operation, site)
    elif site.rehearsed:
        _add_directly(operation, image_of(drive, regions, site.member.drive), site)
    else:
        _add_partitions(operation, regions, site)
    return _read_back(drive, site)


def _add_partitions(operation: WriteTable, regions: tuple[Extent, ...], site: StepContext) -> None:
    """By way of a stand-in, or directly where none can be had, which is said before. Raises Failed."""
    drive = operation.device
    before = image_of(drive, regions, site.member.drive)
    try:
        wanted = rehearsed(operation, before, site)
    except NoStandInError as error:
        said = t(
            "Cannot create a scratch copy of {drive} ({why}). libparted writes the table "
            "directly to the drive. A power cut during the write can leave the table "
            "half written until the run is resumed.",
            drive=drive,
            why=str(error),
        )
        site.journal.add(Event.COMMAND, said, step=site.step)
        site.save(regions)
        _add_directly(operation, before, site)
        return
    site.save(regions)
    _commit(operation, before, wanted, site)


def _change_one(operation: WriteTable, before: Image) -> None:
    """Change or take out the entry of one partition, on a stand-in; libparted would draw it anew. Raises
    Failed."""
    drive = operation.device
    for offset, _, data in before.changed_blocks(with_one_changed(operation, before)):
        write_bytes(drive, offset, data)
    forget_caches(drive)
    tell_kernel(drive, anew=True)
    tell_of(drive, (entry.number for entry in operation.entries))


def _add_directly(operation: WriteTable, before: Image, site: StepContext) -> None:
    """Have libparted write the table, and put back what it changed of partitions that stay. Raises Failed."""
    drive = operation.device
    have_written(operation, site)
    written = image_of(
        drive, (Extent(offset, len(data)) for offset, data in before.pieces), site.member.drive
    )
    for offset, _, data in written.changed_blocks(proven(operation, before, written)):
        write_bytes(drive, offset, data)


def _refuse_use(site: StepContext) -> None:
    """Whoever began to use a partition while marks were erased is noticed: libparted itself asks nobody.
    Raises Failed."""
    try:
        check_unused(site.look())
    except Refused as error:
        raise Failed(error.ending_in(str(t("The table was not changed.")))) from None


def _commit(operation: WriteTable, before: Image, wanted: Image, site: StepContext) -> None:
    """Bring what was proven to the drive, block by block in its order, and tell the kernel. Raises Failed."""
    drive = operation.device
    places = tuple(Extent(offset, len(data)) for offset, data in before.pieces)
    if image_of(drive, places, site.member.drive) != before:
        raise Failed(
            t(
                "The table of {drive} changed during the rehearsal of the new one. The new "
                "table was not written.",
                drive=drive,
            )
        )
    for offset, data in in_order(operation.table, before, wanted):
        # On its medium before the next one.
        write_bytes(drive, offset, data)
    if image_of(drive, places, site.member.drive) != wanted:
        raise Failed(
            t(
                "Verification of the table on {drive} failed: the data read back differs "
                "from the data written.",
                drive=drive,
            )
        )
    tell_of(drive, (entry.number for entry in operation.entries))


def table_regions(member: Member, *, fresh: bool) -> tuple[Extent, ...]:
    """The places that writing the drive's table can touch; those of partitions of a table that is not `fresh`
    are not among them."""
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
    return merged(places, block, identity.size_bytes)


def record_places(drive: str, size_bytes: int, block_bytes: int) -> list[Extent]:
    """Where the table's own records lie now, the chain of an extended partition among them: libparted writes
    all of them again."""
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


def _put_back_half_written(drive: str, site: StepContext) -> None:
    """An earlier process died while it wrote: the partitions that stay are known from before, so begin there
    again."""
    mine = [saved for saved in site.vault.all() if saved.step == site.step]
    for saved in reversed(mine):
        write_bytes(drive, saved.offset_bytes, site.vault.read(saved))
    forget_caches(drive)


def _read_back(drive: str, site: StepContext) -> Message:
    wanted = site.member.after
    forget_caches(drive)
    found = site.look()
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
        found = site.look()
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
    return _drawn(found, site)


def _drawn(drive: Drive, site: StepContext) -> Message:
    """What libparted drew at random, which no plan can hold beforehand."""
    new = {slot.number for slot in site.member.after.partitions if not slot.kept}
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
