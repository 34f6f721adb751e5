"""What each filesystem cannot do at all: limits that come before any preference."""

from dataclasses import dataclass

from wizard.advise.missing import missing_program
from wizard.model.errors import BadInput
from wizard.model.machine import Drive, Machine
from wizard.model.units import GIB, MIB, format_capacity

TABLE_BYTES = 2 * MIB
"""What a partition table and the aligned start before the first partition take from a drive."""

LARGEST_BLOCK_BYTES = 4096
"""Filesystems here are made with blocks of 4096 bytes, which a logical block may not exceed."""


@dataclass(frozen=True, slots=True)
class Filesystem:
    """A filesystem that diskwright can make. `minimum_bytes` and `maximum_bytes` bound its partition; `zones` says why a drive
    whose zones the host must manage cannot take it, and is empty where it can (zones.py)."""

    name: str
    title: str
    tool: str
    package: str
    minimum_bytes: int
    maximum_bytes: int
    minimum_why: str
    zones: str


EXT4 = Filesystem(
    "ext4",
    "ext4",
    "mkfs.ext4",
    "e2fsprogs",
    # Below 2048 blocks (8 MiB) mke2fs leaves the journal out with no more than a warning; twice that leaves room for data.
    16 * MIB,
    1024 * 1024 * 1024 * GIB,
    "a smaller one would be all journal, or have none",
    "ext4 has no code for zones",
)
XFS = Filesystem(
    "xfs",
    "XFS",
    "mkfs.xfs",
    "xfsprogs",
    300 * MIB,
    8 * 1024 * 1024 * 1024 * GIB - 1,
    "mkfs.xfs makes none that is smaller since version 5.19",
    "XFS needs its zoned form for that, which is young (kernel 6.15) and which diskwright does not set up",
)
BTRFS = Filesystem(
    "btrfs",
    "Btrfs",
    "mkfs.btrfs",
    "btrfs-progs",
    # mkfs.btrfs 6.2 wants 109 MiB for two copies of the metadata, and then has next to nothing left for data.
    128 * MIB,
    8 * 1024 * 1024 * 1024 * GIB - 1,
    "with two copies of the metadata a smaller one has no room for data",
    "",
)

FILESYSTEMS = {filesystem.name: filesystem for filesystem in (EXT4, XFS, BTRFS)}


def filesystem(name: str) -> Filesystem:
    """A filesystem by name; raises BadInput naming those there are."""
    if name not in FILESYSTEMS:
        raise BadInput(f"{name[:20]!r} is no filesystem that diskwright makes; it makes {', '.join(FILESYSTEMS)}.")
    return FILESYSTEMS[name]


def obstacles(kind: Filesystem, machine: Machine, drive: Drive, room: int | None) -> tuple[str, ...]:
    """Sentences on why `kind` cannot be made and mounted here at all, zones apart; empty where it can.

    `room` is the bytes the volume can have, None where that is unknown.
    """
    found: list[str] = []
    if machine.kernel.filesystems and kind.name not in machine.kernel.filesystems:
        found.append(f"The running kernel ({machine.kernel.release}) has no {kind.title}: boot one that has, or install its module.")
    if not machine.has_tool(kind.tool):
        found.append(missing_program(kind.tool, kind.package))
    if drive.geometry is not None and drive.geometry.logical_block_bytes > LARGEST_BLOCK_BYTES:
        found.append(f"The drive's logical blocks have {drive.geometry.logical_block_bytes} bytes; a {kind.title} block has at most 4096.")
    if room is not None:
        found += _size_obstacles(kind, room)
    return tuple(found)


def room_bytes(drive: Drive, size_bytes: int | None, *, table: bool = True) -> int | None:
    """The bytes a volume can have: those asked for, else the drive's less what a `table` takes; None where neither is known."""
    if size_bytes is not None:
        return size_bytes
    return None if drive.size_bytes is None else max(0, drive.size_bytes - TABLE_BYTES * table)


def _size_obstacles(kind: Filesystem, size: int) -> list[str]:
    if size < kind.minimum_bytes:
        return [f"There is room for {format_capacity(size)}, and {kind.title} needs {kind.minimum_bytes // MIB} MiB: {kind.minimum_why}."]
    if size > kind.maximum_bytes:
        return [f"{format_capacity(size)} are more than {kind.title} can address."]
    return []
