"""The steps by which an md array or LVM's striped volume comes to be, on the drives or on their stand-ins."""

from collections.abc import Sequence

from wizard.apply.block.devices import forget_caches, size_bytes, start_bytes, wait_for
from wizard.apply.block.extents import merged
from wizard.apply.run.vault import describe
from wizard.apply.steps.array_checks import tool_checks
from wizard.apply.steps.array_stand_ins import keep_quiet, without_copying
from wizard.apply.steps.arrays import assemble, carry, check_free_array, running_array
from wizard.apply.steps.lvm import physical_volumes_of
from wizard.apply.steps.step_context import Site, demand
from wizard.apply.steps.words.devices import NO_NODE, SAVED
from wizard.layout.steps.commands import commands_of, physical_volume_uuid, wipe
from wizard.model.errors import Failed
from wizard.model.journal import Event
from wizard.model.machine import Extent
from wizard.model.operations.arrays import MakeArray, MakeStripedVolume, MakeVolumeGroup
from wizard.model.plan import Stripe
from wizard.model.said import Said, t, tn
from wizard.model.units import MIB

EDGE_BYTES = MIB
"""Of each part and end, what is saved: md's and LVM's own records lie within the first, older forms within
the last."""


def build(operation: MakeArray | MakeVolumeGroup | MakeStripedVolume, site: Site) -> Said:
    """Carry out one of the steps by which an array comes to be; a sentence on what came of it. Raises
    Failed."""
    match operation:
        case MakeArray():
            return make_array(operation, site)
        case MakeVolumeGroup():
            return make_group(operation, site)
        case MakeStripedVolume():
            return make_striped_volume(operation, site)


def make_array(operation: MakeArray, site: Site) -> Said:
    """Make the array, or take over the one that an earlier process of this run made before it could say
    so."""
    plan, stripe = site.plan, _stripe(site)
    if operation.level == "raid0":
        _save_edges(operation.parts, site)
    node = running_array(plan, site.command) if site.again else None
    if node is None and site.again and carry(operation.parts, operation.uuid, site.command):
        assemble(plan, stripe, site.command)
    elif node is None:
        check_free_array(plan)
        for argv in commands_of(operation):
            site.command(without_copying(argv, operation) if site.rehearsed else argv)
    else:
        assemble(plan, stripe, site.command)
    if missing := wait_for((operation.device,)):
        raise Failed(NO_NODE(node=missing))
    if site.rehearsed:
        keep_quiet(operation)
    if running_array(plan, site.command) != operation.device:
        raise Failed(t("{device} does not stand on the parts that it was made of.", device=operation.device))
    demand(tool_checks(plan, site.command))
    level = operation.level.upper()
    return t(
        "{device} is a {level} over {drives} drives, and mdadm finds it as planned.",
        device=operation.device,
        level=level,
        drives=len(operation.parts),
    )


def make_group(operation: MakeVolumeGroup, site: Site) -> Said:
    """Make the physical volumes and their group; again from the start where an earlier process did not get to
    the end of it."""
    _save_edges(operation.parts, site)
    planned = dict(zip(operation.parts, map(physical_volume_uuid, operation.uuids), strict=True))
    if not site.again or physical_volumes_of(operation.name, site.command) != planned:
        for argv in (*(map(wipe, operation.parts) if site.again else ()), *commands_of(operation)):
            site.command(argv)
    if (seen := physical_volumes_of(operation.name, site.command)) != planned:
        there = tuple(seen) or t("no physical volume")
        raise Failed(
            t(
                "The volume group {name} has {seen:list} instead of {planned:list}.",
                name=operation.name,
                seen=there,
                planned=tuple(planned),
            )
        )
    return tn(
        "The volume group {name} has exactly the planned physical volume.",
        "The volume group {name} has exactly the planned {count} physical volumes.",
        count=len(planned),
        name=operation.name,
    )


def make_striped_volume(operation: MakeStripedVolume, site: Site) -> Said:
    """Make the logical volume, unless an earlier process of this run did."""
    if running_array(site.plan, site.command) is None:
        for argv in commands_of(operation):
            site.command(argv)
    if missing := wait_for((operation.device,)):
        raise Failed(NO_NODE(node=missing))
    demand(tool_checks(site.plan, site.command))
    return t(
        "{device} is striped over {drives} drives, and LVM finds it as planned.",
        device=operation.device,
        drives=operation.stripes,
    )


def _stripe(site: Site) -> Stripe:
    if site.plan.stripe is None:
        raise Failed(t("The plan stripes nothing."))
    return site.plan.stripe


def _save_edges(parts: Sequence[str], site: Site) -> None:
    """Keep both ends of each part, where the array's own records are written, unless they are stand-ins."""
    if site.rehearsed:
        return
    for part in parts:
        member = site.plan.member(part)
        if member is None:
            raise Failed(t("{part} is on none of the plan's drives.", part=part))
        start, size = start_bytes(part), size_bytes(part)
        edge = min(EDGE_BYTES, size)
        places = (Extent(start, edge), Extent(start + size - edge, edge))
        regions = merged(places, member.drive.geometry.logical_block_bytes, member.drive.size_bytes)
        site.vault.save(member.drive.path, regions, site.step)
        said = SAVED(places=describe(regions), drive=member.drive.path)
        site.journal.add(Event.SAVED, said, step=site.step)
        forget_caches(part)
