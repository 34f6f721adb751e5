"""Where files could be brought from: every filesystem that is attached and can be read, and the folder of the
homes. Nothing is written, and no filesystem is looked into."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from wizard.apply.bring.places import ground_of
from wizard.filesystems.kind import FilesystemKind
from wizard.layout.changes.possible import filesystem_on, places_of, signatures_on
from wizard.model.errors import BadInput
from wizard.model.machine import Drive, Machine

HOMES = Path("/home")


@dataclass(frozen=True, slots=True)
class Source:
    """A filesystem, by where it is mounted or else by its device, or a folder. `device` is empty for a folder
    that is no filesystem of its own, and `size_bytes` is 0 then. `filesystem` is libblkid's name."""

    path: str
    device: str = ""
    filesystem: str = ""
    label: str = ""
    size_bytes: int = 0

    @property
    def is_mounted(self) -> bool:
        """Whether it is read where it is mounted."""
        return self.path != self.device


def sources_of(machine: Machine, targets: Sequence[str]) -> tuple[Source, ...]:
    """All of a machine but what is mounted at one of the `targets`, what is mounted first. What other layers
    hold is left out. Pure."""
    found = [one for drive in machine.drives for one in _of_drive(machine, drive, frozenset(targets))]
    return tuple(sorted(found, key=lambda one: (not one.is_mounted, one.path)))


def homes_apart(found: Sequence[Source], homes: Path = HOMES) -> tuple[Source, ...]:
    """The folder of the homes, where it is none of the filesystems that were found."""
    try:
        ground = ground_of(homes)
    except BadInput:
        return ()
    listed = any(one.path == str(ground.folder) for one in found)
    return () if listed else (Source(str(ground.folder), filesystem=ground.mounted.filesystem),)


def _of_drive(machine: Machine, drive: Drive, targets: frozenset[str]) -> Iterator[Source]:
    sizes = {drive.path: drive.size_bytes or 0, **{part.path: part.size_bytes for part in drive.partitions}}
    for device, size_bytes in sizes.items():
        kind = filesystem_on(drive, device)
        if not isinstance(kind, FilesystemKind) or not _is_read(machine, kind):
            continue
        places = places_of(drive, device)
        if targets.intersection(places) or (not places and _is_held(drive, device)):
            continue
        label = next((mark.label for mark in signatures_on(drive, device) if mark.label), "")
        yield Source(places[0] if places else device, device, kind.name, label or "", size_bytes)


def _is_read(machine: Machine, kind: FilesystemKind) -> bool:
    return bool(machine.kernel.filesystems.intersection(kind.kernel_names))


def _is_held(drive: Drive, device: str) -> bool:
    return any(use.subject == device for use in drive.uses)
