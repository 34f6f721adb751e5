"""Writing a partition table, and proving by the disk and by the kernel that it is exactly the planned one."""

import os
from pathlib import Path

from wizard.apply.block.devices import forget_caches, read_bytes, tell_kernel, tell_of, wait_for, write_bytes
from wizard.apply.block.extents import merged
from wizard.apply.block.stand_in import NoStandInError
from wizard.apply.plan.guard import check_unused
from wizard.apply.run.vault import table_places
from wizard.apply.steps.step_context import Site
from wizard.apply.steps.words.devices import NO_NODE
from wizard.apply.table.compare import disk_differences, kernel_differences
from wizard.apply.table.image import Image
from wizard.apply.table.libparted import have_written
from wizard.apply.table.one_entry import with_one_changed
from wizard.apply.table.proof import in_order, proven
from wizard.apply.table.rehearsal import image_of, rehearsed
from wizard.layout.room.space import is_container
from wizard.model.errors import Failed, Refused
from wizard.model.journal import Event
from wizard.model.machine import Drive, Extent
from wizard.model.names import partition_path
from wizard.model.plan import Member, WriteTable
from wizard.model.said import Said, t
from wizard.model.units import MIB
from wizard.probe.table.tables import read_table


def write_table(operation: WriteTable, site: Site) -> Said:
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


def _add_partitions(operation: WriteTable, regions: tuple[Extent, ...], site: Site) -> None:
    """By way of a stand-in, or directly where none can be had, which is said before. Raises Failed."""
    drive = operation.device
    before = image_of(drive, regions, site.member.drive)
    try:
        wanted = rehearsed(operation, before, site)
    except NoStandInError as error:
        said = t(
            "No stand-in for {drive} is possible ({why}). libparted writes the table to "
            "the drive itself. A power cut meanwhile can leave it half written until the "
            "run goes on.",
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


def _add_directly(operation: WriteTable, before: Image, site: Site) -> None:
    """Have libparted write the table, and put back what it changed of partitions that stay. Raises Failed."""
    drive = operation.device
    have_written(operation, site)
    written = image_of(
        drive, (Extent(offset, len(data)) for offset, data in before.pieces), site.member.drive
    )
    for offset, _, data in written.changed_blocks(proven(operation, before, written)):
        write_bytes(drive, offset, data)


def _refuse_use(site: Site) -> None:
    """Whoever began to use a partition while marks were erased is noticed: libparted itself asks nobody.
    Raises Failed."""
    try:
        check_unused(site.look())
    except Refused as error:
        raise Failed(error.ending_in(str(t("The table was not changed.")))) from None


def _commit(operation: WriteTable, before: Image, wanted: Image, site: Site) -> None:
    """Bring what was proven to the drive, block by block in its order, and tell the kernel. Raises Failed."""
    drive = operation.device
    places = tuple(Extent(offset, len(data)) for offset, data in before.pieces)
    if image_of(drive, places, site.member.drive) != before:
        raise Failed(
            t(
                "Somebody changed the table of {drive} while the new one was rehearsed. "
                "Nothing of it was written.",
                drive=drive,
            )
        )
    for offset, data in in_order(operation.table, before, wanted):
        # On its medium before the next one.
        write_bytes(drive, offset, data)
    if image_of(drive, places, site.member.drive) != wanted:
        raise Failed(t("{drive} does not hold the table that was written to it.", drive=drive))
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
            t("The table of {drive} could not be read: {why}.", drive=drive, why=str(error.strerror))
        ) from None
    return [Extent(offset, length) for offset, length in spans]


def _put_back_half_written(drive: str, site: Site) -> None:
    """An earlier process died while it wrote: the partitions that stay are known from before, so begin there
    again."""
    mine = [saved for saved in site.vault.all() if saved.step == site.step]
    for saved in reversed(mine):
        write_bytes(drive, saved.offset_bytes, site.vault.read(saved))
    forget_caches(drive)


def _read_back(drive: str, site: Site) -> Said:
    wanted = site.member.after
    forget_caches(drive)
    found = site.look()
    if differences := disk_differences(wanted, found):
        raise Failed(
            t(
                "The table read back from {drive} is not the planned one: {differences:semicolons}.",
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
                "The table is on {drive}, but the kernel did not take it over: "
                "{differences:semicolons}. A restart makes it do so.",
                drive=drive,
                differences=differences,
            )
        )
    nodes = tuple(partition_path(drive, slot.number) for slot in wanted.partitions if not slot.kept)
    if missing := wait_for(nodes):
        raise Failed(NO_NODE(node=missing))
    return _drawn(found, site)


def _drawn(drive: Drive, site: Site) -> Said:
    """What libparted drew at random, which no plan can hold beforehand."""
    new = {slot.number for slot in site.member.after.partitions if not slot.kept}
    parts = [
        t("partition {number} is {uuid}", number=part.number, uuid=part.part_uuid)
        for part in drive.partitions
        if part.number in new and part.part_uuid
    ]
    uuid = drive.table.uuid if drive.table else None
    drawn = (*((t("the table is {uuid}", uuid=uuid),) if uuid else ()), *parts)
    return (
        t("Disk and kernel have exactly the planned table: {drawn:semicolons}.", drawn=drawn)
        if drawn
        else t("Disk and kernel have exactly the planned table.")
    )
