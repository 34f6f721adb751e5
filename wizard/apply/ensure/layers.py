"""Compare existing groups, arrays and containers with the request. Never activates or assembles."""

import os
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from wizard.apply.block.devices import sysfs_folder
from wizard.apply.ensure import leftover
from wizard.apply.run.backup_store import LOOK_SECONDS, Environment
from wizard.apply.settings.existing_filesystem import openings
from wizard.apply.steps.containers import opens
from wizard.apply.steps.step_context import asked
from wizard.apply.system.fstab import Line, read_key, read_lines, tags_of
from wizard.apply.system.mounts import read_mounts
from wizard.model import layout
from wizard.model.errors import partition_path
from wizard.model.machine import Drive, Layer
from wizard.model.said import Message, t
from wizard.operations.mounts import NOT_MOUNTED_AT
from wizard.plan.desired_state import differences, layers
from wizard.plan.plan import Plan
from wizard.plan.raid.striping import NUMBER, room_bytes
from wizard.plan.request.subvolumes import places_of, subvolume_option
from wizard.plan.request.volume_request import VolumeRequest
from wizard.probe.host.sysfs import node_of
from wizard.process.program import run

_look = partial(run, seconds=LOOK_SECONDS)


def layers_of(plan: Plan, drives: Sequence[Drive]) -> tuple[Layer | None, ...]:
    """Return the device of each volume of the plan, or None if it does not exist or is inactive. Empty if the
    volumes are on partitions."""
    if plan.group:
        group = ("LVM", plan.group.device)
        paths = {one.path: one for one in drives[0].layers if (one.kind, one.below) == group}
        # The device mapper doubles hyphens in names; these names have none.
        names = [one.name for one in layers.logical_wanted(plan)]
        found = [
            [path for path in paths if re.search(rf"(?<!-)-{re.escape(name)}\Z", path)] for name in names
        ]
        return tuple(paths[one[0]] if len(one) == 1 else None for one in found)
    if plan.stripe and plan.stripe.kind != "btrfs":
        return (differences.array_on(drives[0]),)
    return ()


def array_faults(plan: Plan, drives: Sequence[Drive]) -> tuple[Message, ...]:
    """Describe differences of the group or array and the volumes, including unreadable ones if it is
    inactive. Raises Failed."""
    parts = tuple(partition_path(drive.path, NUMBER) for drive in drives)
    if plan.stripe and plan.stripe.kind == "md":
        faults = tuple(_md_faults(plan.stripe, parts, drives))
    else:
        faults = tuple(layers.group_differences(layers.logical_wanted(plan), _group(parts[0])))
    if faults:
        return faults
    names = [one.name for one in layers.logical_wanted(plan)] or [one.label for one in plan.volumes]
    found: list[Message] = []
    for name, volume, layer in zip(names, plan.volumes, layers_of(plan, drives), strict=True):
        if layer is None:
            inactive = t(
                "the logical volume {name} is inactive, so the contents are unknown; "
                "activate it with `vgchange --activate y`",
                name=name,
            )
            found.append(inactive)
        else:
            found += layers.content_differences(volume, layer)
    return tuple(found)


def _md_faults(stripe: layout.Stripe, parts: Sequence[str], drives: Sequence[Drive]) -> Iterator[Message]:
    arrays = [differences.array_on(drive) for drive in drives]
    found = [layer for layer in arrays if layer is not None]
    uuids = {
        one.uuid
        for drive, path in zip(drives, parts, strict=True)
        if (part := drive.partition(path))
        for one in part.signatures
    }
    if len(uuids) > 1 or len({layer.path for layer in found}) > 1:
        yield t("{devices:and} belong to different arrays", devices=tuple(parts))
        return
    if not found:
        yield differences.NOT_RUNNING(devices=tuple(parts))
        return
    places = [
        (part.size_bytes - layer.offset_bytes)
        for drive, path, layer in zip(drives, parts, arrays, strict=True)
        if layer and layer.offset_bytes is not None and (part := drive.partition(path))
    ]
    room = room_bytes(stripe.kind, stripe.level, places) if len(places) == len(parts) else None
    yield from layers.array_differences(stripe, parts, _array(found[0], room))


def _array(layer: Layer, room: int | None) -> layers.ArraySeen:
    folder = sysfs_folder(layer.path)
    misses = _text(folder, "degraded")
    return layers.ArraySeen(
        layer.path,
        _text(folder, "level"),
        _text(folder, "raid_disks"),
        _text(folder, "array_state"),
        frozenset(node_of(slave.name) for slave in (folder / "slaves").glob("*")),
        _number(misses),
        layer.size_bytes or 0,
        room,
    )


def _text(folder: Path, name: str) -> str:
    with suppress(OSError):
        return (folder / "md" / name).read_text().strip()
    return ""


def _group(part: str) -> layers.GroupSeen:
    name = group_of(part)
    if not name:
        return layers.GroupSeen(part, name)
    physical, misses = physical_in(name)
    fields = ("lv_name", "lv_size", "segtype", "stripes")
    volumes = tuple(
        layers.Logical(row["lv_name"], _number(row["lv_size"]), row["segtype"], _number(row["stripes"]))
        for row in asked("lvs", fields, name, _look)
    )
    return layers.GroupSeen(part, name, physical, misses, volumes)


def _number(text: str) -> int:
    return int(text) if text.isdigit() else 0


def physical_in(group: str) -> tuple[frozenset[str], bool]:
    """Return the physical volumes of a group, and True if one is missing, whose name is then not a device
    node. Raises Failed."""
    rows = asked("pvs", ("pv_name", "vg_name", "pv_missing"), "--all", _look)
    own = [row for row in rows if row.get("vg_name") == group]
    return frozenset(row["pv_name"] for row in own), any(row.get("pv_missing") for row in own)


def group_of(part: str) -> str:
    """Return the volume group of a physical volume; empty if none. Raises Failed."""
    (row,) = asked("pvs", ("pv_name", "vg_name"), part, _look) or ({},)
    return row.get("vg_name", "")


def subvolume_faults(
    subvolumes: Sequence[layout.Subvolume], device: str, lines: Sequence[Line], file: str
) -> Iterator[Message]:
    """Report places where fstab or the kernel mounts another part of the Btrfs. Missing mounts are not
    reported."""
    roots = {mounted.mount_point: mounted.root for mounted in read_mounts()}
    for one in subvolumes:
        place, option, wanted = one.mount_point, subvolume_option(one.name), f"/{one.name}"
        if place is None:
            continue
        options = {option, option.replace("=/", "=")}
        if any(line.mount_point == place and options.isdisjoint(line.options) for line in lines):
            yield t(
                "{file} mounts {device} at {place} without the option {option}",
                device=device,
                place=place,
                option=option,
                file=file,
            )
        elif (found := roots.get(place, wanted)) != wanted:
            yield t(
                "{device} is mounted at {place} from {found} instead of {wanted}",
                device=device,
                place=place,
                found=found,
                wanted=wanted,
            )


def places_at_boot(drive: Drive, device: str, environment: Environment) -> tuple[str, ...]:
    """Return the fstab mount points of an open container; empty if it is closed."""
    layer = differences.opened_on(drive, device)
    return tuple(line.mount_point for line in lines_of(layer, environment)) if layer else ()


def container_faults(
    volume: layout.Volume,
    encryption: layout.Encryption,
    asked: VolumeRequest,
    drive: Drive,
    environment: Environment,
) -> Iterator[Message]:
    """Describe why an encrypted volume is not used as requested, or cannot be read. Raises Refused and Failed
    if its key or the container is unreadable."""
    device, key = encryption.device, encryption.key
    if not opens(device, read_key(Path(key))):
        yield t("{key} does not open the container on {device}", device=device, key=key)
        return
    layer = differences.opened_on(drive, device)
    if layer is None:
        yield t(
            "the contents of {device} are unknown; open the container with `cryptsetup "
            "open --key-file {key} {device} {name}`",
            device=device,
            key=key,
            name=encryption.name,
        )
        return
    if places_of(volume):
        own = openings(drive, device, environment.crypttab)
        if len(own) != 1 or own[0].key != key:
            yield t(
                "{file} lacks an entry to open {device} with {key}",
                device=device,
                key=key,
                file=environment.crypttab,
            )
    yield from layer_faults(volume, asked, layer, environment)


def layer_faults(
    volume: layout.Volume, asked: VolumeRequest, layer: Layer, environment: Environment
) -> Iterator[Message]:
    """Describe why a volume on a layer, such as an open container, is not used as requested."""
    lines, file = lines_of(layer, environment), str(environment.fstab)
    if volume.filesystem == "swap":
        yield from swap_faults(volume, layer.path, lines, environment)
        return
    wanted = places_of(volume)
    listed = [line.mount_point for line in lines]
    others = tuple(place for place in listed if place not in wanted)
    if wanted and others:
        yield leftover.OTHER_PLACE(device=layer.path, found=others, wanted=wanted[0], file=file)
    elif others and asked.mount_point == layout.NO_PLACE:
        yield leftover.MOUNTED_NOWHERE(device=layer.path, place=others[0], file=file)
    yield from missing_places(layer.path, wanted, listed, layer.mount_points, file)
    yield from subvolume_faults(volume.subvolumes, layer.path, lines, file)


def swap_faults(
    volume: layout.Volume, device: str, lines: Sequence[Line], environment: Environment
) -> Iterator[Message]:
    """Report swap that is requested but missing in fstab."""
    if volume.mount_point == layout.NO_PLACE and not any(line.kind == "swap" for line in lines):
        yield t("{file} lacks an entry for swap on {device}", device=device, file=environment.fstab)


def missing_places(
    device: str, wanted: Sequence[str], listed: Collection[str], mounted: Collection[str], file: str
) -> Iterator[Message]:
    """Report requested places that fstab does not list, or where the device is not mounted."""
    for place in wanted:
        if place not in listed:
            yield leftover.NO_LINE(device=device, place=place, file=file)
        elif place not in mounted:
            yield NOT_MOUNTED_AT(device=device, mount_point=place)


def lines_of(layer: Layer, environment: Environment) -> list[Line]:
    """Return the fstab lines for an open container."""
    node, tags = os.path.realpath(layer.path), tags_of(layer.signatures, None)
    return [line for line in read_lines(environment.fstab) if line.means(node, tags)]
