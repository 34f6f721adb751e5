"""From a drive and wishes to a plan that puts all of them into one volume group of LVM's. Pure, as the
planner for partitions is."""

from collections.abc import Sequence
from dataclasses import replace

from wizard.filesystems.registry import MADE
from wizard.layout.group.grouping import (
    EXTENT_BYTES,
    extents_up,
    group_of,
    group_room_bytes,
    logical_names,
    logical_node,
)
from wizard.layout.group.groupsteps import DATA_BYTES
from wizard.layout.room.space import Demand, place
from wizard.layout.room.words import TOO_SMALL
from wizard.layout.wishes.wish import Wish
from wizard.model.errors import BadInput
from wizard.model.geometry import Geometry
from wizard.model.machine import Extent
from wizard.model.names import printable
from wizard.model.operations.group import Group
from wizard.model.plan import Volume
from wizard.model.said import t

LVM_PROGRAMS = ("pvcreate", "vgcreate", "lvcreate", "lvs")
"""What a volume group needs besides the filesystems' own programs."""


def refuse_roles(wishes: Sequence[Wish]) -> None:
    """Raises BadInput for a volume with a role: firmware, boot loader and systemd find those by partitions of
    their own."""
    for wish in wishes:
        if wish.role:
            label, role = printable(wish.final_label, 40), printable(wish.role, 30)
            raise BadInput(
                str(
                    t(
                        "The volume '{label}' has the role '{role}', which none in a volume group "
                        "has: leave one of them out.",
                        label=label,
                        role=role,
                    )
                )
            )


def group_extent(wishes: Sequence[Wish], spaces: Sequence[Extent], geometry: Geometry) -> Extent:
    """The partition for the group: the largest free piece, all of it. Raises BadInput where that is too small
    for anything."""
    least = DATA_BYTES + sum(extents_up(wish.size_bytes or _least_bytes(wish)) for wish in wishes)
    return place([Demand(str(t("group of {volumes}", volumes=len(wishes))), None, least)], spaces, geometry)[
        0
    ]


def _least_bytes(wish: Wish) -> int:
    return MADE[wish.choice.filesystem].minimum_bytes


def logical_sizes(wishes: Sequence[Wish], partition_bytes: int) -> tuple[int, ...]:
    """The size of each logical volume: asked ones rounded up to whole extents, shares down, and the rest for
    the one without a size.

    Raises BadInput saying how much there is.
    """
    room = group_room_bytes(partition_bytes)
    wanted = [_wanted_bytes(wish, room) for wish in wishes]
    left = room - sum(size or 0 for size in wanted)
    sizes = tuple(left if size is None else size for size in wanted)
    for wish, size in zip(wishes, sizes, strict=True):
        name = f"{printable(wish.final_label)!r} ({wish.choice.filesystem})"
        if left < 0 or (wish.size_bytes is None and size < _least_bytes(wish)):
            needed = sum(
                size or extents_up(_least_bytes(one)) for one, size in zip(wishes, wanted, strict=True)
            )
            raise BadInput(
                str(
                    t(
                        "The volume group can give out {room:size} ({room} bytes), and {needed:size} "
                        "are needed. It gives room in pieces of {piece:exact}. Ask for less.",
                        room=room,
                        needed=needed,
                        piece=EXTENT_BYTES,
                    )
                )
            )
        if size < _least_bytes(wish):
            raise BadInput(str(TOO_SMALL(name=name, size=size, least=_least_bytes(wish))))
    return sizes


def _wanted_bytes(wish: Wish, room: int) -> int | None:
    if wish.percent is not None:
        return room * wish.percent // 100 // EXTENT_BYTES * EXTENT_BYTES
    return None if wish.size_bytes is None else extents_up(wish.size_bytes)


def in_group(drive_path: str, volumes: Sequence[Volume], uuid: str) -> tuple[Group, tuple[Volume, ...]]:
    """The group on the partition that these volumes share, and the volumes at their nodes in it."""
    group = group_of(drive_path, volumes[0].partition, volumes[0].label, uuid)
    names = logical_names([volume.label for volume in volumes])
    return group, tuple(
        replace(volume, path=logical_node(group, name)) for volume, name in zip(volumes, names, strict=True)
    )
