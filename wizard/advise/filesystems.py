"""What each filesystem cannot do at all: limits that come before any preference."""

from collections.abc import Iterable

from wizard.advise.missing import lacking
from wizard.filesystems.btrfs import KIND as BTRFS
from wizard.filesystems.kind import MadeKind as Filesystem
from wizard.filesystems.registry import MADE as FILESYSTEMS
from wizard.filesystems.registry import why_not
from wizard.filesystems.xfs import KIND as XFS
from wizard.model.advice import Choice
from wizard.model.errors import BadInput
from wizard.model.machine import Drive, Machine
from wizard.model.said import Said, t
from wizard.model.units import MIB

TABLE_BYTES = 2 * MIB
"""What a partition table and the aligned start before the first partition take from a drive."""

LARGEST_BLOCK_BYTES = 4096
"""Filesystems here are made with blocks of 4096 bytes, which a logical block may not exceed."""


def filesystem(name: str) -> Filesystem:
    """A filesystem by name; raises BadInput naming those there are."""
    if name not in FILESYSTEMS:
        raise BadInput(why_not(name))
    return FILESYSTEMS[name]


def obstacles(kind: Filesystem, machine: Machine, drive: Drive, room: int | None) -> tuple[str, ...]:
    """Sentences on why `kind` cannot be made and mounted here at all, zones apart; empty where it can.

    `room` is the bytes the volume can have, None where that is unknown.
    """
    found: list[Said] = []
    if (
        machine.kernel.filesystems
        and kind.kernel_names
        and not machine.kernel.filesystems.intersection(kind.kernel_names)
    ):
        found.append(
            t(
                "The running kernel ({release}) has no {title}: boot one that has, or install its module.",
                release=machine.kernel.release,
                title=kind.title,
            )
        )
    found += _missing(kind, machine)
    if drive.geometry is not None and drive.geometry.logical_block_bytes > LARGEST_BLOCK_BYTES:
        size = drive.geometry.logical_block_bytes
        found.append(
            t(
                "The drive's logical blocks have {size} bytes; a {title} block has at most 4096.",
                size=size,
                title=kind.title,
            )
        )
    if room is not None:
        found += _size_obstacles(kind, room)
    return tuple(map(str, found))


def _missing(kind: Filesystem, machine: Machine) -> list[Said]:
    """Programs and files that its maker cannot do without."""
    absent = lacking(machine, kind.makers)
    said = [absent.said] if absent else []
    said += [
        t("{path} is missing, and {program} needs it: {how}.", path=path, program=kind.tool, how=how)
        for path, how in kind.needs_files
        if path in machine.missing_files
    ]
    return said


def for_files(choices: Iterable[Choice]) -> tuple[Choice, ...]:
    """The choices that hold files: swap is made where it is asked for by name or as a role, and suits no
    work."""
    return tuple(choice for choice in choices if FILESYSTEMS[choice.filesystem].mounts)


def room_bytes(drive: Drive, size_bytes: int | None, *, table: bool = True) -> int | None:
    """The bytes a volume can have: those asked for, else the drive's less what a `table` takes; None where
    neither is known."""
    if size_bytes is not None:
        return size_bytes
    return None if drive.size_bytes is None else max(0, drive.size_bytes - TABLE_BYTES * table)


def _size_obstacles(kind: Filesystem, size: int) -> list[Said]:
    if size < kind.minimum_bytes:
        least = kind.minimum_bytes // MIB
        return [
            t(
                "There is room for {room:size}, and {title} needs {least} MiB: {why}.",
                room=size,
                title=kind.title,
                least=least,
                why=kind.minimum_why,
            )
        ]
    if size > kind.maximum_bytes:
        return [t("{size:size} is more than {title} can address.", size=size, title=kind.title)]
    return []


__all__ = ["BTRFS", "FILESYSTEMS", "XFS", "Filesystem", "filesystem", "for_files", "obstacles", "room_bytes"]
