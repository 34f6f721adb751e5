"""Compare the use of existing volumes with the request: fstab, mounts and ownership. Read-only."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from wizard.advice.catalogue import OptionKind, load_catalogue
from wizard.apply.ensure import leftover
from wizard.apply.ensure.layers import (
    container_faults,
    layer_faults,
    layers_of,
    lines_of,
    missing_places,
    places_at_boot,
    subvolume_faults,
    swap_faults,
)
from wizard.apply.run.backup_store import Environment
from wizard.apply.settings.existing_filesystem import ExistingVolume, lines_at_boot, look_at_filesystem
from wizard.apply.settings.plan_settings import act
from wizard.apply.system.mounts import read_mounts
from wizard.filesystems.registry import MADE
from wizard.model import layout
from wizard.model.errors import partition_path
from wizard.model.machine import Drive, Layer
from wizard.model.requests import Attach, SetOptions
from wizard.model.said import Message, Sentence, failing, t
from wizard.operations.mounts import NOT_MOUNTED_AT
from wizard.plan.changes import Changes
from wizard.plan.desired_state.differences import CONTAINER, opened_on
from wizard.plan.plan import Plan
from wizard.plan.request.subvolumes import places_of
from wizard.plan.request.volume_request import VolumeRequest
from wizard.probe.host.environment import writer_named

NO_OPTIONS = Sentence("the entry for {device} in {file} lacks {options:list}")


class Where(Struct, frozen=True):
    """The environment to compare with, and the folder of runs, or None for the default. `given` are device
    nodes and mount points reserved by other entries of the file."""

    environment: Environment
    journal_dir: Path | None = None
    given: frozenset[str] = frozenset()


class MountDifferences(Struct, frozen=True):
    """Differences in the use of volumes: `needs` with the first change to make, `faults` that stay, and the
    fstab mount points of each device."""

    needs: tuple[Message, ...]
    changes: Changes | None
    faults: tuple[Message, ...]
    places: dict[str, tuple[str, ...]]


class _Need(Struct, frozen=True):
    said: Message
    device: str
    wanted: Attach | SetOptions


def mounted_as_there(
    requests: Sequence[VolumeRequest],
    drives: Sequence[Drive],
    environment: Environment,
    layers: Sequence[Layer | None],
) -> tuple[VolumeRequest, ...]:
    """Fill in missing mount points of requests with those in fstab or of current mounts. `layers` are the
    devices of volumes that are not on partitions."""
    found = []
    for number, request in enumerate(requests, 1):
        place = request.mount_point
        if place is None and not any(one.mount_point for one in request.subvolumes):
            place = (
                _place_of_layer(layers[number - 1], environment)
                if layers
                else _place_of_partition(drives, number, environment)
            )
        found.append(replace(request, mount_point=place))
    return tuple(found)


def _place_of_partition(drives: Sequence[Drive], number: int, environment: Environment) -> str | None:
    drive = _mounted_drive(drives, number)
    part = next((part for part in drive.partitions if part.number == number), None)
    if part is not None and part.filesystem == CONTAINER:
        return next(iter(places_at_boot(drive, part.path, environment)), None)
    if part is None or part.filesystem not in MADE or not MADE[part.filesystem].mounts:
        return None
    used = look_at_filesystem(part.path, environment)
    return next((line.mount_point for line in used.lines), used.existing.mount_point)


def _place_of_layer(layer: Layer | None, environment: Environment) -> str | None:
    if layer is None or (layer.signatures and layer.signatures[0].kind == "swap"):
        return None
    listed = [line.mount_point for line in lines_of(layer, environment)]
    return next(iter([*listed, *layer.mount_points]), None)


def _mounted_drive(drives: Sequence[Drive], number: int) -> Drive:
    """Return the drive whose partition a multi-device Btrfs is mounted from, or else the first drive."""
    sources = {mounted.source for mounted in read_mounts()}
    candidates = (drive for drive in drives if partition_path(drive.path, number) in sources)
    return next(candidates, drives[0])


def using_of(
    plan: Plan, requests: Sequence[VolumeRequest], drives: Sequence[Drive], where: Where
) -> MountDifferences:
    """Compare the use of the plan's existing volumes with the requests. Raises Refused if a needed change is
    not possible."""
    environment, layers = where.environment, layers_of(plan, drives)
    if plan.stripe is not None and not layers:
        return _using_of_btrfs(plan.volumes[0], requests[0], drives, environment)
    drive = drives[0]
    found: list[_Need | Message] = []
    places: dict[str, tuple[str, ...]] = {}
    for number, (volume, asked) in enumerate(zip(plan.volumes, requests, strict=True)):
        if layers:
            # No change mounts a volume on an array or group.
            if (layer := layers[number]) is not None:
                found += layer_faults(volume, asked, layer, environment)
                found += _layer_rest(volume, asked, layer, environment)
                places[layer.path] = tuple(line.mount_point for line in lines_of(layer, environment))
        elif (encryption := volume.encryption) is not None:
            # No change mounts an encrypted volume.
            places[encryption.device] = places_at_boot(drive, encryption.device, environment)
            found += container_faults(volume, encryption, asked, drive, environment)
            if layer := opened_on(drive, encryption.device):
                found += _layer_rest(volume, asked, layer, environment)
        elif not MADE[volume.filesystem].mounts:
            if drive.partition(volume.path) is not None:
                lines = lines_at_boot(drive, volume.path, environment.fstab)
                found += swap_faults(volume, volume.path, lines, environment)
        else:
            used = look_at_filesystem(volume.path, environment)
            places[volume.path] = tuple(line.mount_point for line in used.lines)
            found += _uses_of(volume, asked, used)
    return _collect(found, places, environment)


def _collect(
    found: Sequence[_Need | Message], places: dict[str, tuple[str, ...]], environment: Environment
) -> MountDifferences:
    needs = [one for one in found if isinstance(one, _Need)]
    faults = tuple(one for one in found if isinstance(one, Message))
    first = needs[0] if needs and not faults else None
    changes = act(first.device, first.wanted, environment) if first else None
    return MountDifferences(tuple(need.said for need in needs), changes, faults, places)


def _using_of_btrfs(
    volume: layout.Volume, asked: VolumeRequest, drives: Sequence[Drive], environment: Environment
) -> MountDifferences:
    """Report missing mounts of a multi-device Btrfs as faults: mounting needs a device scan, which no change
    does."""
    device = partition_path(_mounted_drive(drives, volume.partition).path, volume.partition)
    used = look_at_filesystem(device, environment)
    found = _uses_of(replace(volume, path=device), asked, used)
    parts = tuple(partition_path(drive.path, volume.partition) for drive in drives)
    needs = [one for one in found if isinstance(one, _Need)]
    if not used.mounts and any(isinstance(need.wanted, Attach) for need in needs):
        found += [need.said for need in needs]
        found.append(
            t(
                "mount this multi-device filesystem manually: `btrfs device scan "
                "{devices:row}`, then `mount`",
                devices=parts,
            )
        )
    places = tuple(line.mount_point for line in used.lines)
    return _collect(found, dict.fromkeys(parts, places), environment)


def _layer_rest(
    volume: layout.Volume, asked: VolumeRequest, layer: Layer, environment: Environment
) -> Iterator[Message]:
    lines = lines_of(layer, environment)
    if len(lines) == 1 and (missing := _missing_options(volume, asked, lines[0].options)):
        yield NO_OPTIONS(device=layer.path, options=missing, file=environment.fstab)
    mounted = [place for place in layer.mount_points if place == volume.mount_point]
    yield from owner_faults(asked, next(iter(mounted), None), volume.filesystem)


def _uses_of(volume: layout.Volume, asked: VolumeRequest, used: ExistingVolume) -> list[_Need | Message]:
    found: list[_Need | Message] = []
    file, listed = used.found.fstab, {line.mount_point for line in used.lines}
    if volume.subvolumes:
        # No change mounts several subvolumes.
        mounted = {one.mount_point for one in used.mounts}
        wanted = places_of(volume)
        found += missing_places(volume.path, wanted, listed, mounted, file)
        found += subvolume_faults(volume.subvolumes, volume.path, used.lines, file)
    else:
        found += _place_of(volume, asked, used)
        current = used.lines[0].options if len(used.lines) == 1 else None
        if current is not None and (missing := _missing_options(volume, asked, current)):
            said = NO_OPTIONS(device=volume.path, options=missing, file=file)
            found.append(_Need(said, volume.path, SetOptions((*current, *missing))))
    return [*found, *owner_faults(asked, used.existing.mount_point, used.existing.filesystem)]


def _place_of(volume: layout.Volume, asked: VolumeRequest, used: ExistingVolume) -> Iterator[_Need | Message]:
    device, place, file = volume.path, volume.mount_point, used.found.fstab
    listed = [line.mount_point for line in used.lines]
    if place is None:
        if asked.mount_point == layout.NO_PLACE and listed:
            yield leftover.MOUNTED_NOWHERE(device=device, place=listed[0], file=file)
        return
    if listed and listed != [place]:
        yield leftover.OTHER_PLACE(device=device, found=tuple(listed), wanted=place, file=file)
    elif used.mounts and place not in [mounted.mount_point for mounted in used.mounts]:
        elsewhere = tuple(mounted.mount_point for mounted in used.mounts)
        yield t(
            "{device} is mounted at {found:and} instead of {wanted}",
            device=device,
            found=elsewhere,
            wanted=place,
        )
    elif not listed:
        wanted = Attach(place, volume.mount_options, True, volume.writer)
        yield _Need(leftover.NO_LINE(device=device, place=place, file=file), device, wanted)
    elif not used.mounts and "noauto" not in used.lines[0].options:
        yield _Need(NOT_MOUNTED_AT(device=device, mount_point=place), device, Attach(None, (), True))


def _missing_options(volume: layout.Volume, asked: VolumeRequest, have: Sequence[str]) -> tuple[str, ...]:
    """Return missing mount options that were requested explicitly. Recommended options may change, so they do
    not count."""
    catalogue = load_catalogue()
    named = [catalogue[name] for name in asked.options if name in catalogue]
    texts = [word for one in named if one.kind is OptionKind.MOUNT for word in one.text.split(",")]
    return tuple(word for word in texts if word in volume.mount_options and word not in have)


def owner_faults(asked: VolumeRequest, place: str | None, filesystem: str) -> Iterator[Message]:
    """Compare the owner of the top folder with the requested one, if mounted. Raises Failed if it is
    unreadable."""
    if asked.writable is None or place is None:
        return
    writer = writer_named(asked.writable)
    with failing(Sentence("Cannot read the owner of {place}: {why}."), place=place):
        status = Path(place).stat()
    has_owners = MADE[filesystem].holds.owners
    mode = status.st_mode & 0o7777
    matches = (status.st_uid, status.st_gid) == (writer.uid, writer.gid)
    if writer.kind == "root":
        matches = status.st_uid == 0 and not mode & 0o022
    elif writer.kind == "person":
        matches = matches and bool(mode & 0o200)
    elif has_owners:
        matches = matches and mode == writer.mode
    if not matches:
        yield t(
            "{place} belongs to {uid}:{gid} with mode {mode}; for {who} to write, "
            "{owner} with mode {wanted} is expected",
            place=place,
            uid=status.st_uid,
            gid=status.st_gid,
            mode=f"{mode:o}",
            who=asked.writable,
            owner=f"{writer.uid}:{writer.gid}",
            wanted=f"{writer.mode:o}",
        )
