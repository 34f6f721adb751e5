"""What a move does to GRUB, which a BIOS starts by places on the drive. Pure.

Behind its first sector GRUB goes on at a place that stands in it. Between the table and the first partition,
or in a BIOS boot partition, that place stays where it is. A file of a filesystem moves with that: from what
is left at its old place GRUB starts only until something is written there.
"""

import shlex
from collections.abc import Iterator

from wizard.model.drive_facts import Loader
from wizard.model.geometry import FLOOR_BYTES
from wizard.model.machine import Drive, Extent, Partition
from wizard.model.names import printable
from wizard.model.said import Said, t


def afterwards(drive: Drive, part: Partition) -> Iterator[Said]:
    """What is to be done once the partition has moved, so that what starts from it starts again."""
    for loader in drive.loaders:
        if part.start_bytes <= loader.next_bytes < part.end_bytes:
            where = _node(drive, loader)
            yield t(
                "GRUB's first sector, on {where}, names places within {part}, where "
                "something else may lie soon. Install GRUB again before the first restart: "
                "`{command}`. Where {part} holds only /boot, do so in its system.",
                where=where,
                part=part.path,
                command=again(part.path, where),
            )


def again(part: str, where: str) -> str:
    """The command by which the system in a partition puts its own GRUB there once more. Without --force it
    refuses to name places within a filesystem, also where they were named before. What is bound is not bound
    with all below it: unmounting that again would reach the running system."""
    place = "/mnt"
    commands = (
        ("mount", part, place),
        *(("mount", "--bind", f"/{folder}", f"{place}/{folder}") for folder in ("dev", "proc", "sys")),
        ("chroot", place, "grub-install", "--force", where),
        ("umount", "-R", place),
    )
    return " && ".join(shlex.join(printable(word, 60) for word in command) for command in commands)


def _node(drive: Drive, loader: Loader) -> str:
    found = (part.path for part in drive.partitions if part.start_bytes == loader.start_bytes)
    return next(found, drive.path)


def gap_of_grub(drive: Drive) -> Iterator[Extent]:
    """Where GRUB lies before the first partition: nothing else may go there."""
    first = min((part.start_bytes for part in drive.partitions), default=FLOOR_BYTES)
    end = min(first, FLOOR_BYTES)
    for loader in drive.loaders:
        if loader.next_bytes < end:
            yield Extent(loader.next_bytes, end - loader.next_bytes)
