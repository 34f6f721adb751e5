"""Volumes in one LVM group: sizes, names, nodes and operations. Pure; for planning and validation.

The group uses one partition. LVM allocates whole extents. The first extent starts at the data area of the
physical volume (pvcreate(8), vgcreate(8)).
"""

from collections.abc import Sequence
from dataclasses import replace

from wizard.filesystems.registry import MADE
from wizard.model.errors import BadInput, partition_path, printable
from wizard.model.geometry import Geometry
from wizard.model.layout import MAPPER, Group, Volume
from wizard.model.machine import Extent
from wizard.model.said import rounded_up, t
from wizard.operations.layers import DATA_BYTES, EXTENT_BYTES
from wizard.plan.free_space import TOO_SMALL, Demand, place
from wizard.plan.raid.striping import layer_name
from wizard.plan.request.volume_request import VolumeSpec


def group_room_bytes(partition_bytes: int) -> int:
    """Return the capacity of a group on a partition of this size: whole extents after LVM's metadata."""
    return max(0, partition_bytes - DATA_BYTES) // EXTENT_BYTES * EXTENT_BYTES


def _extents_up(size_bytes: int) -> int:
    """Round a size up to whole extents."""
    return rounded_up(size_bytes, EXTENT_BYTES)


def logical_names(labels: Sequence[str]) -> tuple[str, ...]:
    """Return a name in the group for each volume, from its label, numbered if already in use."""
    names: list[str] = []
    for label in labels:
        stem, name, number = layer_name(label), layer_name(label), 2
        while name in names:
            name, number = f"{stem[:17]}_{number}", number + 1
        names.append(name)
    return tuple(names)


def group_of(drive_path: str, number: int, label: str, uuid: str) -> Group:
    """Return the group on partition `number`, named after its first volume and the UUID of its physical
    volume."""
    return Group(partition_path(drive_path, number), f"{layer_name(label)}_{uuid[:8]}", uuid)


def _logical_node(group: Group, name: str) -> str:
    """Return the node of a logical volume. The names contain no hyphens, which device mapper would double."""
    return f"{MAPPER}{group.name}-{name}"


LVM_PROGRAMS = ("pvcreate", "vgcreate", "lvcreate", "lvs")
"""Tools required for a volume group."""


def refuse_roles(specs: Sequence[VolumeSpec]) -> None:
    """Raises BadInput for a volume with a role: firmware, boot loader and systemd require separate
    partitions."""
    for spec in specs:
        if spec.role:
            label, role = spec.final_label, spec.role
            raise BadInput(
                t(
                    "The volume '{label}' has the role '{role}', which volume groups do not "
                    "support. Omit the role or the volume group.",
                    label=label,
                    role=role,
                )
            )


def group_extent(specs: Sequence[VolumeSpec], spaces: Sequence[Extent], geometry: Geometry) -> Extent:
    """Return the partition for the group: the largest free range. Raises BadInput if it is too small."""
    least = DATA_BYTES + sum(_extents_up(spec.size_bytes or _least_bytes(spec)) for spec in specs)
    return place([Demand(str(t("group of {volumes}", volumes=len(specs))), None, least)], spaces, geometry)[0]


def _least_bytes(spec: VolumeSpec) -> int:
    return MADE[spec.choice.filesystem].minimum_bytes


def logical_sizes(specs: Sequence[VolumeSpec], partition_bytes: int) -> tuple[int, ...]:
    """Return the size of each logical volume: requests are rounded up to whole extents, shares down; a volume
    without a size gets the rest.

    Raises BadInput with the available size.
    """
    room = group_room_bytes(partition_bytes)
    wanted = [_wanted_bytes(spec, room) for spec in specs]
    left = room - sum(size or 0 for size in wanted)
    sizes = tuple(left if size is None else size for size in wanted)
    for spec, size in zip(specs, sizes, strict=True):
        name = f"{printable(spec.final_label)!r} ({spec.choice.filesystem})"
        if left < 0 or (spec.size_bytes is None and size < _least_bytes(spec)):
            needed = sum(
                size or _extents_up(_least_bytes(one)) for one, size in zip(specs, wanted, strict=True)
            )
            raise BadInput(
                t(
                    "The volume group has {room:size} ({room} bytes) available, but "
                    "{needed:size} is required. Space is allocated in extents of {piece:exact}. "
                    "Request less.",
                    room=room,
                    needed=needed,
                    piece=EXTENT_BYTES,
                )
            )
        if size < _least_bytes(spec):
            raise BadInput(TOO_SMALL(name=name, size=size, least=_least_bytes(spec)))
    return sizes


def _wanted_bytes(spec: VolumeSpec, room: int) -> int | None:
    if spec.percent is not None:
        return room * spec.percent // 100 // EXTENT_BYTES * EXTENT_BYTES
    return None if spec.size_bytes is None else _extents_up(spec.size_bytes)


def in_group(drive_path: str, volumes: Sequence[Volume], uuid: str) -> tuple[Group, tuple[Volume, ...]]:
    """Return the group on the shared partition, and the volumes with their nodes in the group."""
    group = group_of(drive_path, volumes[0].partition, volumes[0].label, uuid)
    names = logical_names([volume.label for volume in volumes])
    return group, tuple(
        replace(volume, path=_logical_node(group, name)) for volume, name in zip(volumes, names, strict=True)
    )
