"""A table that keeps partitions, written to a stand-in for its drive first, and looked at there by libblkid,
the kernel and ourselves."""

from collections.abc import Iterable

from wizard.apply.block.devices import (
    forget_caches,
    partition_nodes,
    read_bytes,
    tell_kernel,
    tell_of,
    write_bytes,
)
from wizard.apply.block.stand_in import StandIn, standing_in
from wizard.apply.steps.step_context import Site, look_at
from wizard.apply.table.compare import disk_differences, kernel_differences
from wizard.apply.table.image import Image
from wizard.apply.table.libparted import have_written
from wizard.apply.table.proof import in_order, proven
from wizard.model.errors import Failed
from wizard.model.identity import Identity
from wizard.model.journal import Event
from wizard.model.machine import Extent
from wizard.model.plan import WriteTable
from wizard.model.said import reason_of, t


def image_of(node: str, places: Iterable[Extent], drive: Identity) -> Image:
    """What these places of a drive, or of a stand-in for it, hold, read past every cache."""
    pieces = tuple(
        (place.start_bytes, read_bytes(node, place.start_bytes, place.size_bytes)) for place in places
    )
    return Image(drive.size_bytes, drive.geometry.logical_block_bytes, pieces)


def rehearsed(operation: WriteTable, before: Image, site: Site) -> Image:
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
                    "The new table did not come out as planned on {node}, a stand-in for "
                    "{drive}. {why} Nothing of it was written to {drive}.",
                    drive=operation.device,
                    node=stand_in.node,
                    why=reason_of(error),
                )
            ) from None
    said = t(
        "On a stand-in for {drive}, the new table is the planned one; all else is to the byte as before",
        drive=operation.device,
    )
    site.journal.add(
        Event.VERIFIED, said, step=site.step, output=str(t("libblkid and the kernel read it so"))
    )
    return wanted


def _write_there(operation: WriteTable, before: Image, stand_in: StandIn, site: Site) -> Image:
    places = tuple(Extent(offset, len(data)) for offset, data in before.pieces)
    have_written(operation, site, stand_in.node)
    forget_caches(stand_in.node)
    written = image_of(stand_in.node, places, site.member.drive)
    if (outside := stand_in.written_outside(places)) is not None:
        raise Failed(t("libparted wrote to byte {byte}, which is no place of the table.", byte=outside))
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
        raise Failed(t("It does not hold what was written to it."))
    return wanted
