"""Sets of volumes that can be asked for by one word. Pure; everything in bytes."""

from collections.abc import Sequence

from wizard.filesystems.registry import MADE
from wizard.layout.wishes.roles import ROLES, SYSTEM_WORKLOAD, usual_bytes
from wizard.layout.wishes.wish import Request
from wizard.model.errors import BadInput
from wizard.model.machine import Drive
from wizard.model.plan import Volume
from wizard.model.said import Said, t
from wizard.model.units import GIB, format_exact

PRESETS = ("desktop",)

LEAST_SYSTEM_BYTES = 10 * 1000**3
"""Of a system's own volume: what the least demanding of today's desktops asks for (Debian 12)."""

LEAST_ROOM_BYTES = 24 * GIB
"""EFI system partition and swap included. Desktops install from 10 GB (Debian 12) to 25 GB (Ubuntu 24.04) and
grow from there."""

LEAST_SPLIT_BYTES = 64 * GIB
"""Below this a volume of its own for the home directories would leave too little on both sides."""

ROOT_SHARE = 4
LEAST_ROOT_BYTES, MOST_ROOT_BYTES = 32 * GIB, 96 * GIB
"""A system with its programs seldom fills more than the one, and never less than a quarter of the room goes
to it up to the other."""


def room_for_preset(drive: Drive, *, keep: bool) -> int:
    """The bytes that a preset divides: the whole drive, or the largest free piece where partitions stay."""
    if not keep or drive.is_empty:
        return drive.size_bytes or 0
    return max((extent.size_bytes for extent in drive.free), default=0)


def desktop_requests(room_bytes: int, memory_bytes: int | None) -> tuple[Request, ...]:
    """EFI system partition, swap, root, and home where there is room for both. Raises BadInput where there is
    too little for any.

    There is no boot partition: the boot loaders of today read the system's own volume.
    """
    if room_bytes < LEAST_ROOM_BYTES:
        raise BadInput(
            str(
                t(
                    "A desktop needs {least:exact}, and there is room for {room:size}. Ask for "
                    "its volumes one by one, with a role each, to make them smaller.",
                    least=LEAST_ROOM_BYTES,
                    room=room_bytes,
                )
            )
        )
    swap = _asked("swap", usual_bytes("swap", memory_bytes))
    if room_bytes < LEAST_SPLIT_BYTES:
        return (_asked("esp"), swap, _asked("root"))
    share = room_bytes // ROOT_SHARE // GIB * GIB
    root = min(max(share, LEAST_ROOT_BYTES), MOST_ROOT_BYTES)
    return (_asked("esp"), swap, _asked("root", root), _asked("home"))


def small_systems(volumes: Sequence[Volume], sizes: Sequence[int]) -> tuple[Said, ...]:
    """A doubt for each volume on which a desktop would not fit."""
    return tuple(
        t(
            "{device} has {size:size}: a desktop's system needs {least:size} (Debian 12) and more.",
            device=volume.path,
            size=size,
            least=LEAST_SYSTEM_BYTES,
        )
        for volume, size in zip(volumes, sizes, strict=True)
        if volume.workload == SYSTEM_WORKLOAD
        and (not volume.role or volume.role.startswith("root"))
        and MADE[volume.filesystem].mounts
        and size < LEAST_SYSTEM_BYTES
    )


def _asked(role: str, size_bytes: int | None = None) -> Request:
    size = ROLES[role].usual_bytes if size_bytes is None else size_bytes
    return Request(ROLES[role].workload, size, role=role, rest=size is None)


def written(asked: Request) -> str:
    """The request as `--volume` takes it, for one with a role."""
    size = "rest" if asked.size_bytes is None else format_exact(asked.size_bytes).replace(" ", "")
    return f"role={asked.role},size={size}"
