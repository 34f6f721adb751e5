"""Volumes within one volume group of LVM's: sizes, names, nodes and operations. Pure; the planner and whoever
checks a plan use it.

The group lies on one partition. LVM gives out its room in extents: every size is a whole number of them, and
the first begins where the physical volume's data begin (pvcreate(8), vgcreate(8)).
"""

from collections.abc import Sequence
from dataclasses import replace

from wizard.filesystems.partitions import LINUX_LVM_TYPE, LVM_MBR_TYPE
from wizard.layout.group.groupsteps import DATA_BYTES
from wizard.layout.several.striping import MEMBER_KINDS, group_name, layer_name
from wizard.layout.steps.operations import layout_after, make, mounted, table_after
from wizard.layout.wishes.roles import TableKind
from wizard.model.machine import Extent
from wizard.model.names import partition_path
from wizard.model.operations.arrays import MakeVolumeGroup
from wizard.model.operations.group import Group, MakeLogicalVolume
from wizard.model.plan import Layout, Operation, Plan, TableEntry, Volume, WipeSignatures, WriteTable
from wizard.model.units import MIB, rounded_up

EXTENT_BYTES = 4 * MIB
"""LVM's own (vgcreate(8), --physicalextentsize); asked for all the same, since a machine's lvm.conf may say
otherwise."""

MAPPER = "/dev/mapper/"


def group_room_bytes(partition_bytes: int) -> int:
    """What a group on a partition of this size can give out: whole extents behind LVM's own records."""
    return max(0, partition_bytes - DATA_BYTES) // EXTENT_BYTES * EXTENT_BYTES


def extents_up(size_bytes: int) -> int:
    """A size rounded up to whole extents."""
    return rounded_up(size_bytes, EXTENT_BYTES)


def logical_names(labels: Sequence[str]) -> tuple[str, ...]:
    """A name within the group for each volume, after its label; one that another has already is numbered."""
    names: list[str] = []
    for label in labels:
        stem, name, number = layer_name(label), layer_name(label), 2
        while name in names:
            name, number = f"{stem[:17]}_{number}", number + 1
        names.append(name)
    return tuple(names)


def group_of(drive_path: str, number: int, label: str, uuid: str) -> Group:
    """The group on partition `number`, named after its first volume and the UUID of its physical volume."""
    return Group(partition_path(drive_path, number), group_name(label, uuid), uuid)


def logical_node(group: Group, name: str) -> str:
    """The node of a logical volume. Its names hold no hyphen, which the device mapper would double."""
    return f"{MAPPER}{group.name}-{name}"


def logical_volumes(plan: Plan) -> tuple[MakeLogicalVolume, ...]:
    """The logical volumes that a plan makes, in its volumes' order."""
    return tuple(step.operation for step in plan.steps if isinstance(step.operation, MakeLogicalVolume))


def grouped_table(
    drive_path: str,
    before: Layout,
    fresh: bool,
    group: Group,
    volumes: Sequence[Volume],
    extent: Extent,
    fresh_kind: TableKind = "gpt",
) -> WriteTable:
    """The table with one new partition, of LVM's type, for all of the volumes. A fresh one is of
    `fresh_kind`."""
    carrier = _carrier(group, volumes, volumes[0].filesystem)
    table = table_after(drive_path, before, fresh, [carrier], [extent], fresh_kind=fresh_kind)
    kind = LINUX_LVM_TYPE if table.table == "gpt" else LVM_MBR_TYPE
    return replace(
        table, entries=tuple(entry if entry.kept else replace(entry, type=kind) for entry in table.entries)
    )


def grouped_after(
    before: Layout, table: WriteTable, group: Group, volumes: Sequence[Volume], bounds: Extent
) -> Layout:
    """What the drive holds when all is done: what lies within the partition is not its table's."""
    plain = layout_after(before, table, [_carrier(group, volumes, MEMBER_KINDS["lvm"])], bounds)
    slots = tuple(
        slot if slot.kept or not slot.number else replace(slot, label=None, uuid=None) for slot in plain.slots
    )
    return replace(plain, slots=slots)


def _carrier(group: Group, volumes: Sequence[Volume], filesystem: str) -> Volume:
    """The partition as if it were a volume; it is called as the group is."""
    return replace(
        volumes[0], filesystem=filesystem, label=group.name, uuid="", mount_point=None, subvolumes=()
    )


def new_entry(table: WriteTable) -> TableEntry:
    """The one entry that is not kept."""
    (entry,) = (entry for entry in table.entries if not entry.kept)
    return entry


def grouped_operations(
    wipes: Sequence[WipeSignatures],
    table: WriteTable,
    group: Group,
    volumes: Sequence[Volume],
    sizes: Sequence[int],
) -> tuple[Operation, ...]:
    """Everything in order: old marks off, the table, the group, its logical volumes, then each one's
    filesystem and mount.

    All of them stand before the first is formatted, so that a failure until then can be taken back.
    """
    names = logical_names([volume.label for volume in volumes])
    made = (
        MakeLogicalVolume(volume.path, group.name, name, size)
        for volume, name, size in zip(volumes, names, sizes, strict=True)
    )
    formatted = (replace(make(volume, volume.mkfs_options), logical=True) for volume in volumes)
    return (
        *wipes,
        table,
        WipeSignatures(group.device, ()),
        MakeVolumeGroup(group.name, (group.device,), (group.uuid,)),
        *made,
        *formatted,
        *(operation for volume in volumes for operation in mounted(volume)),
    )
