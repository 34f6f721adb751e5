"""Find the filesystem and drive that contain a folder. Read-only."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from wizard.apply.run.backup_store import LOOK_SECONDS
from wizard.apply.run.process import NOTHING_WRITTEN
from wizard.apply.settings.current_value import is_mount_of
from wizard.apply.settings.existing_filesystem import nodes_of
from wizard.apply.settings.guard import nodes_with
from wizard.apply.system.mounts import Mounted, read_mounts
from wizard.apply.tree.mount_read_only import mounted_as_it_is, seen_alone
from wizard.filesystems.kind import FilesystemKind
from wizard.filesystems.registry import KINDS
from wizard.model.changes import BringFrom
from wizard.model.errors import BadInput, Refused, printable
from wizard.model.geometry import Identity
from wizard.model.machine import Drive, Machine
from wizard.model.said import Message, Sentence, join, t
from wizard.plan.dangers import known_identity
from wizard.plan.settings.possible import filesystem_on, places_of, signatures_on
from wizard.probe.host.sysfs import SYS, name_of, node_of
from wizard.probe.machine import probe_machine

NO_FOLDER = Sentence("Folder {path} does not exist.")
OTHER_SOURCE = Sentence("{path} is missing or has changed. This attempt made no changes.")


@dataclass(frozen=True, slots=True)
class DeviceFilesystem:
    """A filesystem on a device: libblkid's name for it, and its UUID, which is empty where it has none."""

    node: str
    filesystem: str
    uuid: str


@dataclass(frozen=True, slots=True)
class FolderLocation:
    """What a folder lies on: the mount that it is reached by, and its path from that filesystem's top."""

    folder: Path
    mounted: Mounted

    @property
    def inside(self) -> Path:
        """Where it lies in its filesystem."""
        return Path(self.mounted.root) / self.folder.relative_to(self.mounted.mount_point)

    def overlaps(self, other: "FolderLocation") -> bool:
        """Whether one of both folders is the other, or lies in it."""
        if self.mounted.source != other.mounted.source or not self.mounted.source.startswith("/"):
            return False
        return self.inside.is_relative_to(other.inside) or other.inside.is_relative_to(self.inside)


def shown(path: str | Path) -> str:
    """A path for a person."""
    return printable(os.fsencode(path).decode(errors="backslashreplace"), 200)


def refused(said: Message) -> Refused:
    """A refusal before anything was done."""
    return Refused(join(said, NOTHING_WRITTEN))


def ground_of(folder: Path) -> FolderLocation:
    """What a folder lies on; raises BadInput where there is no such folder."""
    try:
        real = folder.resolve(strict=True)
    except (OSError, RuntimeError):
        raise BadInput(NO_FOLDER(path=shown(folder))) from None
    if not real.is_dir():
        raise BadInput(NO_FOLDER(path=shown(folder)))
    mounts = [one for one in read_mounts() if real.is_relative_to(one.mount_point)]
    # Of several at one place the last hides the others.
    deepest = max(range(len(mounts)), key=lambda at: (len(Path(mounts[at].mount_point).parts), at))
    return FolderLocation(real, mounts[deepest])


def device_of(mounted: Mounted) -> str | None:
    """The node of the device that is mounted; None where it is none, as in memory."""
    with suppress(OSError):
        if Path(mounted.source).is_block_device():
            return str(Path(mounted.source).resolve())
        number = Path(mounted.mount_point).stat().st_dev
        folder = SYS / "dev/block" / f"{os.major(number)}:{os.minor(number)}"
        if folder.exists():
            return node_of(folder.resolve().name)
    return None


def held_on(device: str) -> DeviceFilesystem:
    """The one filesystem on a device; raises BadInput where there is none that Linux mounts."""
    node, drive_node = nodes_of(device)
    (drive,) = probe_machine([drive_node], seconds=LOOK_SECONDS).drives
    found = signatures_on(drive, node)
    kind = KINDS.get(found[0].kind) if len(found) == 1 else None
    if kind is None or not kind.kernel_names:
        raise BadInput(
            t(
                "{device} does not contain exactly one filesystem that Linux can mount.",
                device=printable(device),
            )
        )
    return DeviceFilesystem(node, kind.name, found[0].uuid or "")


def mount_of(node: str) -> Mounted | None:
    """Where a device is mounted, as a whole if it is anywhere; the last of several such mounts."""
    found = [one for one in read_mounts() if is_mount_of(one, node) or device_of_source(one) == node]
    return next((one for one in reversed(found) if one.root == "/"), found[-1] if found else None)


def device_of_source(mounted: Mounted) -> str:
    """The node that a mount was made of, whatever link it was named by."""
    return os.path.realpath(mounted.source) if mounted.source.startswith("/dev/") else ""


def drives_under(node: str) -> tuple[str, ...]:
    """The nodes of the whole drives that a device lies on, below every layer."""
    block = (SYS / "class/block" / name_of(node)).resolve()
    whole = block.parent if (block / "partition").exists() else block
    below = sorted(whole.glob("slaves/*"))
    if not below:
        return (node_of(whole.name),)
    return tuple(dict.fromkeys(drive for one in below for drive in drives_under(node_of(one.name))))


def drive_of(node: str) -> Identity:
    """Who the drive is that a device lies on, the first of several; raises BadInput where it cannot be
    read."""
    machine = probe_machine([drives_under(node)[0]], seconds=LOOK_SECONDS)
    (drive,) = machine.drives
    if drive.size_bytes is None or drive.geometry is None:
        raise BadInput(t("Cannot read the size of {drive}.", drive=drive.path))
    return known_identity(machine, drive, drive.size_bytes, drive.geometry)


@contextmanager
def source_open(source: BringFrom) -> Iterator[Path]:
    """The folder of what is copied, where nothing can be written to it. Raises Refused where it is not what
    it was, Failed where it cannot be reached."""
    if not source.is_device:
        ground = ground_of(Path(source.path))
        if uuid_of(ground.mounted) != source.uuid:
            raise Refused(OTHER_SOURCE(path=shown(source.path)))
        with seen_alone(ground.folder) as top:
            yield top
        return
    node = _node_of(source)
    mounted = mount_of(node)
    if mounted is not None:
        with seen_alone(Path(mounted.mount_point)) as top:
            yield top
        return
    with mounted_as_it_is(node, KINDS[source.filesystem].kernel_names) as top:
        yield top


def uuid_of(mounted: Mounted) -> str:
    """The UUID of what is mounted; empty where it has none."""
    device = device_of(mounted)
    if device is None:
        return ""
    try:
        return held_on(device).uuid
    except BadInput:
        return ""


def _node_of(source: BringFrom) -> str:
    """The source's node, which can have another name after a restart."""
    for path in (source.path, *nodes_with(source.uuid)):
        with suppress(BadInput):
            held = held_on(path)
            if (held.filesystem, held.uuid) == (source.filesystem, source.uuid):
                return held.node
    raise Refused(OTHER_SOURCE(path=source.path))


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
        """Whether the source is a mount point rather than a device."""
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
