"""Whether a plan with a volume group holds together: all of it follows from its table, its volumes and their
sizes."""

from collections.abc import Iterator

from wizard.filesystems.registry import MADE
from wizard.layout.group.grouping import (
    EXTENT_BYTES,
    group_of,
    group_room_bytes,
    grouped_after,
    grouped_operations,
    grouped_table,
    logical_names,
    logical_node,
    logical_volumes,
    new_entry,
)
from wizard.layout.rules import uuid_fault
from wizard.layout.several.check_striped import wipe_faults
from wizard.layout.words import AFTER_NOT_TABLE, OTHER_FOR_VOLUMES
from wizard.model.machine import Extent
from wizard.model.names import printable
from wizard.model.operations.group import Group
from wizard.model.plan import Plan, WipeSignatures, WriteTable
from wizard.model.said import Said, t


def grouped_faults(plan: Plan, group: Group, table: WriteTable, bounds: Extent) -> Iterator[Said]:
    """Faults in an order in which each may rely on those before it having found nothing. `table` has one new
    partition at least, and lies within `bounds`.
    """
    yield from _group_faults(plan, group)
    yield from _size_faults(plan, table)
    volumes, entry = plan.volumes, new_entry(table)
    extent = entry.extent
    if table != grouped_table(plan.drive.path, plan.before, table.fresh, group, volumes, extent, table.table):
        yield t("the table does not follow from its volume group and what stays")
    if plan.after != grouped_after(plan.before, table, group, volumes, bounds):
        yield AFTER_NOT_TABLE
    operations = tuple(step.operation for step in plan.steps)
    wipes = operations[: operations.index(table)]
    yield from wipe_faults(plan.members[0], wipes, fresh=table.fresh)
    first = tuple(wipe for wipe in wipes if isinstance(wipe, WipeSignatures))
    sizes = [made.size_bytes for made in logical_volumes(plan)]
    if operations != grouped_operations(first, table, group, volumes, sizes):
        yield OTHER_FOR_VOLUMES


def _group_faults(plan: Plan, group: Group) -> Iterator[Said]:
    """Faults of the group's name and place, and of where the volumes are said to be."""
    volumes = plan.volumes
    if len({volume.partition for volume in volumes}) != 1:
        yield t("its volumes do not lie in one partition")
    if fault := uuid_fault(group.uuid):
        yield t(
            "its physical volume has the UUID '{uuid}', which {fault}",
            uuid=printable(group.uuid, 40),
            fault=fault,
        )
    if group.uuid in {volume.uuid for volume in volumes}:
        yield t("two things in it have the same UUID")
    if group != group_of(plan.drive.path, volumes[0].partition, volumes[0].label, group.uuid):
        yield t("its volume group has a name or a place that does not follow from its volumes")
    names = logical_names([volume.label for volume in volumes])
    for volume, name in zip(volumes, names, strict=True):
        if volume.path != logical_node(group, name):
            yield t(
                "a volume is at '{path}', which is not in its volume group", path=printable(volume.path, 60)
            )
        if volume.role or volume.encryption:
            yield t(
                "{path} has a role or is encrypted, which nothing in a volume group is",
                path=printable(volume.path, 60),
            )


def _size_faults(plan: Plan, table: WriteTable) -> Iterator[Said]:
    """Faults of the logical volumes' sizes; together they may leave room, and never take more than there
    is."""
    made = logical_volumes(plan)
    if len(made) != len(plan.volumes):
        yield t(
            "it makes {made} logical volumes for {volumes} volumes", made=len(made), volumes=len(plan.volumes)
        )
        return
    for one, volume in zip(made, plan.volumes, strict=True):
        if one.size_bytes % EXTENT_BYTES or one.size_bytes < MADE[volume.filesystem].minimum_bytes:
            yield t(
                "{path} has {size} bytes, which is no size that it can have",
                path=printable(volume.path, 60),
                size=one.size_bytes,
            )
    if sum(one.size_bytes for one in made) > group_room_bytes(new_entry(table).size_bytes):
        yield t("its logical volumes are larger than its volume group")
