"""Volumes in one LVM group: sizes, names, nodes and operations. Pure; for planning and validation.

The group uses one partition. LVM allocates whole extents. The first extent starts at the data area of the
physical volume (pvcreate(8), vgcreate(8)).
"""

from collections.abc import Sequence

from msgspec.structs import replace

from wizard.filesystems.registry import MADE
from wizard.model import layout
from wizard.model.errors import partition_path
from wizard.model.geometry import Geometry
from wizard.model.machine import Extent
from wizard.model.said import rounded_up
from wizard.operations.layers import DATA_BYTES, EXTENT_BYTES
from wizard.plan import free_space
from wizard.plan.raid.striping import layer_name
from wizard.plan.request.encryption import demand_of
from wizard.plan.request.volume_request import VolumeSpec


def group_room_bytes(partition_bytes: int) -> int:
    """Return the capacity of a group on a partition of this size: whole extents after LVM's metadata."""
    return max(0, partition_bytes - DATA_BYTES) // EXTENT_BYTES * EXTENT_BYTES


def logical_names(labels: Sequence[str]) -> tuple[str, ...]:
    """Return a name in the group for each volume, from its label, numbered if already in use."""
    names: list[str] = []
    for label in labels:
        stem, name, number = layer_name(label), layer_name(label), 2
        while name in names:
            name, number = f"{stem[:17]}_{number}", number + 1
        names.append(name)
    return tuple(names)


LVM_PROGRAMS = ("pvcreate", "vgcreate", "lvcreate", "lvs")
"""Tools required for a volume group."""


def group_places(
    specs: Sequence[VolumeSpec], spaces: Sequence[Extent], geometry: Geometry
) -> tuple[Extent, tuple[int, ...]]:
    """Return the partition for the group, the largest free range, and the size of each logical volume.

    Requests are rounded up to whole extents, shares down; a volume without a size gets the rest. Raises
    BadInput with the available size if the space is too small.
    """
    sizes = [spec.size_bytes or MADE[spec.choice.filesystem].minimum_bytes for spec in specs]
    least = DATA_BYTES + sum(rounded_up(size, EXTENT_BYTES) for size in sizes)
    wanted = free_space.Demand("group", None, least)
    (place,) = free_space.place([wanted], spaces, geometry.grain_bytes)
    room = Extent(0, group_room_bytes(place.size_bytes))
    demands = [demand_of(spec, [room], EXTENT_BYTES) for spec in specs]
    made = free_space.place(demands, [room], EXTENT_BYTES)
    return place, tuple(extent.size_bytes for extent in made)


def in_group(
    drive_path: str, volumes: Sequence[layout.Volume], uuid: str
) -> tuple[layout.Group, tuple[layout.Volume, ...]]:
    """Return the group on the shared partition, named after its first volume and the UUID of its physical
    volume, and the volumes with their nodes in the group."""
    first, names = volumes[0], logical_names([volume.label for volume in volumes])
    device = partition_path(drive_path, first.partition)
    group = layout.Group(device, f"{layer_name(first.label)}_{uuid[:8]}", uuid)
    # The names contain no hyphens, which device mapper would double.
    nodes = (f"{layout.MAPPER}{group.name}-{name}" for name in names)
    return group, tuple(replace(volume, path=node) for volume, node in zip(volumes, nodes, strict=True))
