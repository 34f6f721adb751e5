"""Compare the use of existing volumes with the request: fstab, mounts and ownership. Read-only."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from stat import S_IMODE

from msgspec.structs import replace

from wizard.advice.catalogue import OptionKind, load_catalogue
from wizard.apply.ensure.layers import layers_of
from wizard.apply.run.backup_store import Environment
from wizard.apply.settings import existing_filesystem
from wizard.apply.settings.plan_settings import act
from wizard.apply.steps.containers import opens
from wizard.apply.system.fstab import Line, read_key, read_lines, tags_of
from wizard.apply.system.mounts import read_mounts
from wizard.documents.files import UNREADABLE
from wizard.filesystems.registry import MADE
from wizard.model import layout
from wizard.model.ensure import WantedVolume
from wizard.model.errors import FrozenStruct, partition_path
from wizard.model.machine import Drive, Layer
from wizard.model.requests import Attach, SetOptions
from wizard.model.said import Message, Sentence, failing, t
from wizard.operations.mounts import NOT_MOUNTED_AT, Top
from wizard.plan.changes import Changes
from wizard.plan.desired_state import differences
from wizard.plan.plan import Plan
from wizard.plan.request.volume_request import places_of, subvolume_option
from wizard.probe.host.environment import writer_named

NO_ENTRY = Sentence("{file} lacks an entry for {device} with {value}")
NO_OPTIONS = Sentence("the entry for {device} in {file} lacks {options:list}")


class Where(FrozenStruct):
    """The environment to compare with, and the folder of runs, or None for the default. `given` are device
    nodes and mount points reserved by other entries of the file."""

    environment: Environment
    journal_dir: Path | None = None
    given: frozenset[str] = frozenset()


class _Need(FrozenStruct):
    said: Message
    device: str
    wanted: Attach | SetOptions


class VolumeUse(FrozenStruct):
    """The use of an existing volume: lines of fstab, and current mount points. `top`: the mount point of the
    top folder, or the first of a layer. `is_fixed`: no change mounts such a volume, so each difference is a
    fault."""

    device: str
    lines: Sequence[Line]
    mounted: tuple[str, ...] = ()
    top: str | None = None
    is_swap: bool = False
    is_fixed: bool = True

    @property
    def listed(self) -> tuple[str, ...]:
        """The mount points in fstab."""
        return tuple(line.mount_point for line in self.lines)


def _use_of(
    number: int, drives: Sequence[Drive], layers: Sequence[Layer | None], environment: Environment
) -> VolumeUse | None:
    """Return the use of a volume, or None if the device is missing, closed or inactive."""
    sources = {mounted.source for mounted in read_mounts()}
    # Mounting one device of a Btrfs mounts all.
    nodes = {partition_path(drive.path, number): drive for drive in drives}
    device = next((node for node in nodes if node in sources), next(iter(nodes)))
    drive, part = nodes[device], nodes[device].partition(device)
    layer = layers[number - 1] if layers else differences.opened_on(drive, device)
    if layer is not None:
        top = next(iter(layer.mount_points), None) if layers else None
        is_swap = bool(layer.signatures) and layer.signatures[0].kind == "swap"
        return VolumeUse(layer.path, lines_of(layer, environment), layer.mount_points, top, is_swap)
    if layers or part is None or part.filesystem == differences.CONTAINER:
        return None
    if part.filesystem in MADE and not MADE[part.filesystem].mounts:
        return VolumeUse(
            device, existing_filesystem.lines_at_boot(drive, device, environment.fstab), is_swap=True
        )
    used = existing_filesystem.look_at_filesystem(device, environment)
    mounted = tuple(one.mount_point for one in used.mounts)
    return VolumeUse(device, used.lines, mounted, used.mount_point, is_fixed=False)


def lines_of(layer: Layer, environment: Environment) -> list[Line]:
    """Return the fstab lines for an open container, an array or a logical volume."""
    node, tags = os.path.realpath(layer.path), tags_of(layer.signatures, None)
    return [line for line in read_lines(environment.fstab) if line.means(node, tags)]


def mounted_as_there(
    requests: Sequence[WantedVolume],
    drives: Sequence[Drive],
    environment: Environment,
    layers: Sequence[Layer | None],
) -> tuple[WantedVolume, ...]:
    """Fill in missing mount points of requests with those in fstab or of current mounts. `layers` are the
    devices of volumes that are not on partitions."""
    found = []
    for number, request in enumerate(requests, 1):
        place = request.mount
        if place is None and not any(":" in subvolume for subvolume in request.subvolume):
            use = _use_of(number, drives, layers, environment)
            place = next(iter(use.listed), use.top) if use and not use.is_swap else None
        found.append(replace(request, mount=place))
    return tuple(found)


def using_of(
    plan: Plan, requests: Sequence[WantedVolume], drives: Sequence[Drive], where: Where
) -> tuple[tuple[Message, ...], Changes | None, dict[str, tuple[str, ...]]]:
    """Compare the use of the plan's existing volumes with the requests. Return the differences, the first
    change to make (None if one of them stays), and the fstab mount points of each device. Raises Refused if a
    needed change is not possible."""
    environment, layers = where.environment, layers_of(plan, drives)
    found: list[_Need | Message] = []
    places: dict[str, tuple[str, ...]] = {}
    for number, (volume, asked) in enumerate(zip(plan.volumes, requests, strict=True), 1):
        use = _use_of(number, drives, layers, environment)
        found += _container_faults(volume, drives[0], environment)
        if use is None:
            continue
        # No change mounts several subvolumes.
        is_fixed = use.is_fixed or volume.subvolumes
        found += (
            one.said if is_fixed and isinstance(one, _Need) else one
            for one in _use_differences(volume, asked, use, environment)
        )
        shown = [volume.encryption.device if volume.encryption else use.device]
        if plan.stripe is not None and not layers:
            shown = [partition_path(drive.path, number) for drive in drives]
            found += _unmounted_btrfs(shown, use, found)
        if not use.is_swap:
            places |= dict.fromkeys(shown, use.listed)
    needs = [one for one in found if isinstance(one, _Need)]
    faults = tuple(one for one in found if isinstance(one, Message))
    if faults or not needs:
        return faults, None, places
    changes = act(needs[0].device, needs[0].wanted, environment)
    return tuple(need.said for need in needs), changes, places


def _unmounted_btrfs(parts: Sequence[str], use: VolumeUse, found: Sequence[_Need | Message]) -> list[Message]:
    """Report missing mounts of a multi-device Btrfs as faults: mounting needs a device scan, which no change
    does."""
    needs = [one for one in found if isinstance(one, _Need)]
    if use.mounted or not any(isinstance(need.wanted, Attach) for need in needs):
        return []
    manually = t(
        "mount this multi-device filesystem manually: `btrfs device scan {devices:row}`, then `mount`",
        devices=tuple(parts),
    )
    return [*(need.said for need in needs), manually]


def _container_faults(volume: layout.Volume, drive: Drive, environment: Environment) -> Iterator[Message]:
    """Describe why a container cannot be opened as requested, or its contents are unknown. Raises Refused and
    Failed if its key or the container is unreadable."""
    encryption = volume.encryption
    if encryption is None:
        return
    device, key = encryption.device, encryption.key
    if not opens(device, read_key(Path(key))):
        yield t("{key} does not open the container on {device}", device=device, key=key)
    elif differences.opened_on(drive, device) is None:
        command = f"cryptsetup open --key-file {key} {device} {encryption.name}"
        yield differences.UNKNOWN_CONTENTS(devices=(device,), command=command)
    elif places_of(volume):
        own = existing_filesystem.openings(drive, device, environment.crypttab)
        if len(own) != 1 or own[0].key != key:
            yield NO_ENTRY(file=environment.crypttab, device=device, value=key)


def _use_differences(
    volume: layout.Volume, asked: WantedVolume, use: VolumeUse, environment: Environment
) -> Iterator[_Need | Message]:
    """Yield needs, which a change can resolve, and faults. With subvolumes, other lines are allowed."""
    device, file, lines = use.device, environment.fstab, use.lines
    if use.is_swap:
        if volume.mount_point == layout.NO_PLACE and not any(line.kind == "swap" for line in lines):
            yield NO_ENTRY(file=file, device=device, value="swap")
        return
    wanted, is_whole = places_of(volume), use.is_fixed or not volume.subvolumes
    if is_whole:
        others = tuple(place for place in use.listed if place not in wanted)
        if others and (wanted or asked.mount == layout.NO_PLACE):
            yield t(
                "{file} mounts {device} at {found:and} instead of {wanted}",
                device=device,
                found=others,
                wanted=next(iter(wanted), layout.NO_PLACE),
                file=file,
            )
    yield from _place_needs(volume, wanted, use, file)
    options = lines[0].options if is_whole and len(lines) == 1 else None
    if options is not None and (missing := _missing_options(volume, asked, options)):
        said = NO_OPTIONS(file=file, device=device, options=missing)
        yield _Need(said, device, SetOptions((*options, *missing)))
    yield from _subvolume_faults(volume, use, file)
    top = volume.mount_point if volume.mount_point in use.mounted else None if use.is_fixed else use.top
    yield from owner_faults(asked, top, volume.filesystem)


def _place_needs(
    volume: layout.Volume, wanted: Sequence[str], use: VolumeUse, file: Path
) -> Iterator[_Need | Message]:
    device = use.device
    elsewhere = tuple(place for place in use.mounted if place not in wanted)
    for place in wanted:
        if place in use.mounted and place in use.listed:
            continue
        if elsewhere and not volume.subvolumes and place not in use.mounted:
            yield t(
                "{device} is mounted at {found:and} instead of {wanted}",
                device=device,
                found=elsewhere,
                wanted=place,
            )
        elif place not in use.listed:
            said = NO_ENTRY(file=file, device=device, value=place)
            yield _Need(said, device, Attach(place, volume.mount_options, True, volume.writer))
        elif use.is_fixed or volume.subvolumes or "noauto" not in use.lines[0].options:
            said = NOT_MOUNTED_AT(device=device, mount_point=place)
            yield _Need(said, device, Attach(None, (), True))


def _subvolume_faults(volume: layout.Volume, use: VolumeUse, file: Path) -> Iterator[Message]:
    """Report places where fstab or the kernel mounts another part of the Btrfs. Missing mounts are not
    reported."""
    roots = {mounted.mount_point: mounted.root for mounted in read_mounts()}
    for one in volume.subvolumes:
        place, option, wanted = one.mount_point, subvolume_option(one.name), f"/{one.name}"
        if place is None:
            continue
        options = {option, option.replace("=/", "=")}
        if any(line.mount_point == place and options.isdisjoint(line.options) for line in use.lines):
            yield NO_OPTIONS(file=file, device=use.device, options=(option,))
        elif (found := roots.get(place, wanted)) != wanted:
            yield t(
                "{device} is mounted at {place} from {found} instead of {wanted}",
                device=use.device,
                place=place,
                found=found,
                wanted=wanted,
            )


def _missing_options(volume: layout.Volume, asked: WantedVolume, have: Sequence[str]) -> tuple[str, ...]:
    """Return missing mount options that were requested explicitly. Recommended options may change, so they do
    not count."""
    catalogue = load_catalogue()
    named = [catalogue[name] for name in asked.option if name in catalogue]
    texts = [word for one in named if one.kind is OptionKind.MOUNT for word in one.text.split(",")]
    return tuple(word for word in texts if word in volume.mount_options and word not in have)


def owner_faults(asked: WantedVolume, place: str | None, filesystem: str) -> Iterator[Message]:
    """Compare the owner of the top folder with the requested one, if mounted. Raises Failed if it is
    unreadable."""
    if asked.writable is None or place is None:
        return
    writer, kind = writer_named(asked.writable), MADE[filesystem]
    with failing(UNREADABLE, file=place):
        status = Path(place).stat()
    old = Top(status.st_uid, status.st_gid, S_IMODE(status.st_mode))
    new = old.writable_by(writer)
    if writer.kind == "root":
        new = replace(new, group=old.group)
    elif not kind.holds.owners:
        new = replace(new, mode=old.mode)
    if new != old:
        yield differences.other(place, t("the owner and mode"), str(old), str(new))
