"""Find the filesystem and drive that contain a folder. Read-only."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from wizard.apply.block.devices import devices_with, drives_under
from wizard.apply.run.backup_store import LOOK_SECONDS
from wizard.apply.settings.existing_filesystem import nodes_of
from wizard.apply.system.mounts import is_mount_of, read_mounts
from wizard.apply.tree.mount_read_only import mounted_as_it_is, seen_alone
from wizard.filesystems.kind import FilesystemKind
from wizard.filesystems.registry import KINDS
from wizard.model.errors import BadInput, Refused
from wizard.model.geometry import Identity
from wizard.model.machine import Machine
from wizard.model.said import Sentence, t
from wizard.plan.changes import BringFrom
from wizard.plan.dangers import known_identity
from wizard.plan.settings import possible
from wizard.probe.host.sysfs import SYS, Mounted, mount_with, node_of
from wizard.probe.machine import probe_machine

READ_ONLY = Sentence("{path} is mounted read-only.")
OTHER_SOURCE = Sentence("{path} is missing or has changed. This attempt made no changes.")


class DeviceFilesystem(NamedTuple):
    """Filesystem on a device, by libblkid's name. `uuid` may be empty."""

    node: str
    filesystem: str
    uuid: str


class FolderLocation(Struct, frozen=True):
    """Folder, and the mount that contains it."""

    folder: Path
    mounted: Mounted

    @property
    def inside(self) -> Path:
        """Path of the folder in the filesystem."""
        return Path(self.mounted.root) / self.folder.relative_to(self.mounted.mount_point)

    def overlaps(self, other: "FolderLocation") -> bool:
        """Return True if the folders are the same, or one contains the other."""
        if self.mounted.source != other.mounted.source or not self.mounted.source.startswith("/"):
            return False
        return self.inside.is_relative_to(other.inside) or other.inside.is_relative_to(self.inside)


def ground_of(folder: Path) -> FolderLocation:
    """Return the location of a folder. Raises BadInput if the folder does not exist."""
    real: Path | None = None
    with suppress(OSError, RuntimeError):
        real = folder.resolve(strict=True)
    if real is None or not real.is_dir():
        raise BadInput(t("Folder {path} does not exist.", path=folder))
    mounted = mount_with(str(real), read_mounts())
    assert mounted is not None, "the root is mounted"
    return FolderLocation(real, mounted)


def device_of(mounted: Mounted) -> str | None:
    """Return the device node of a mount, or None if it has no device, such as tmpfs."""
    with suppress(OSError):
        if Path(mounted.source).is_block_device():
            return str(Path(mounted.source).resolve())
        number = Path(mounted.mount_point).stat().st_dev
        folder = SYS / "dev/block" / f"{os.major(number)}:{os.minor(number)}"
        if folder.exists():
            return node_of(folder.resolve().name)
    return None


def held_on(device: str) -> DeviceFilesystem:
    """Return the only filesystem on a device. Raises BadInput unless Linux can mount it."""
    node, drive_node = nodes_of(device)
    (drive,) = probe_machine([drive_node], seconds=LOOK_SECONDS).drives
    found = drive.signatures_on(node)
    kind = KINDS.get(found[0].kind) if len(found) == 1 else None
    if kind is None or not kind.kernel_names:
        raise BadInput(
            t(
                "{device} does not contain exactly one filesystem that Linux can mount.",
                device=device,
            )
        )
    return DeviceFilesystem(node, kind.name, found[0].uuid or "")


def mount_of(node: str) -> Mounted | None:
    """Return the last mount of a device, preferably of the whole filesystem, or None."""
    found = [one for one in read_mounts() if is_mount_of(one, node)]
    return next((one for one in reversed(found) if one.root == "/"), found[-1] if found else None)


def drive_of(node: str) -> Identity:
    """Return the identity of the first drive below a device. Raises BadInput if the drive cannot be read."""
    machine = probe_machine([drives_under(node)[0]], seconds=LOOK_SECONDS)
    return known_identity(machine, machine.drives[0])


@contextmanager
def source_open(source: BringFrom) -> Iterator[Path]:
    """Yield the source's folder, read-only. Raises Refused if the source has changed, Failed if it cannot be
    read."""
    if source.is_device:
        node = node_with(source.path, source.filesystem, source.uuid)
        if node is None:
            raise Refused(OTHER_SOURCE(path=source.path))
        mounted = mount_of(node)
        if mounted is None:
            opened = mounted_as_it_is(node, KINDS[source.filesystem].kernel_names)
        else:
            opened = seen_alone(Path(mounted.mount_point))
    else:
        location = ground_of(Path(source.path))
        if mounted_filesystem(location.mounted).uuid != source.uuid:
            raise Refused(OTHER_SOURCE(path=source.path))
        opened = seen_alone(location.folder)
    with opened as top:
        yield top


def mounted_filesystem(mounted: Mounted) -> DeviceFilesystem:
    """Return a mounted filesystem, without UUID if the device is unreadable, as in a container."""
    device = device_of(mounted) or ""
    with suppress(BadInput):
        if device:
            return held_on(device)
    return DeviceFilesystem(device, mounted.filesystem, "")


def node_with(path: str, filesystem: str, uuid: str) -> str | None:
    """Return the node of a filesystem, which may have another name after a reboot, or None if it is not
    attached."""
    for node in (path, *devices_with(uuid)):
        with suppress(BadInput):
            found = held_on(node)
            if found[1:] == (filesystem, uuid):
                return found.node
    return None


class Source(Struct, frozen=True):
    """Filesystem to copy from, by the mount point or else its device, or a folder. `filesystem` is libblkid's
    name.

    For a folder in another filesystem, `device` is empty and `size_bytes` is 0.
    """

    path: str
    device: str = ""
    filesystem: str = ""
    label: str = ""
    size_bytes: int = 0

    @property
    def is_mounted(self) -> bool:
        """True if the source is a mount point, not a device."""
        return self.path != self.device


def sources_of(machine: Machine, targets: Sequence[str]) -> tuple[Source, ...]:
    """Return the filesystems to copy from, mounted ones first, except those at `targets`. Devices used by
    another layer are skipped. Pure."""
    found = []
    for drive in machine.drives:
        parts = {part.path: part.size_bytes for part in drive.partitions}
        for device, size_bytes in {drive.path: drive.size_bytes or 0, **parts}.items():
            kind = possible.filesystem_on(drive, device)
            if not isinstance(kind, FilesystemKind) or machine.kernel.filesystems.isdisjoint(
                kind.kernel_names
            ):
                continue
            places = possible.places_of(drive, device)
            is_used = any(use.subject == device for use in drive.uses)
            if not {*targets}.isdisjoint(places) or (not places and is_used):
                continue
            label = next((mark.label for mark in drive.signatures_on(device) if mark.label), "")
            found.append(Source(places[0] if places else device, device, kind.name, label, size_bytes))
    return tuple(sorted(found, key=lambda one: (not one.is_mounted, one.path)))


def homes_apart(found: Sequence[Source]) -> tuple[Source, ...]:
    """Return the folder of the homes, unless it is one of these filesystems."""
    try:
        location = ground_of(Path("/home"))
    except BadInput:
        return ()
    listed = any(one.path == str(location.folder) for one in found)
    return () if listed else (Source(str(location.folder), filesystem=location.mounted.filesystem),)
