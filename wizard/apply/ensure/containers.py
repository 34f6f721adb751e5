"""An encrypted volume that is there, held against how it is wanted: whether its key opens it, and how it is
used where it is open. What is closed is not opened, and what is missing of it is only told."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from wizard.apply.ensure import words
from wizard.apply.ensure.subvolumes import subvolume_faults
from wizard.apply.run.environment import Environment
from wizard.apply.steps.containers import opens
from wizard.apply.system.crypttab import parse_crypttab
from wizard.apply.system.edited_file import read_text
from wizard.apply.system.fstab import Line, parse
from wizard.apply.system.key_file import read_key
from wizard.layout.ensured.differences import opened_on
from wizard.layout.wishes.subvolumes import places_of
from wizard.layout.wishes.wish import Request
from wizard.model.machine import Drive, Layer
from wizard.model.names import printable
from wizard.model.operations.encryption import Encryption
from wizard.model.plan import NO_PLACE, Volume
from wizard.model.said import Said, t


def places_at_boot(drive: Drive, device: str, environment: Environment) -> tuple[str, ...]:
    """Where fstab mounts what the container on a partition is open as; none where it is closed."""
    layer = opened_on(drive, device)
    return tuple(line.mount_point for line in lines_of(layer, environment)) if layer else ()


def container_faults(
    volume: Volume, encryption: Encryption, asked: Request, drive: Drive, environment: Environment
) -> Iterator[Said]:
    """What keeps an encrypted volume from being used as wanted, or from being looked at. Raises Refused and
    Failed where its key, or it, cannot be read."""
    device, key = encryption.device, encryption.key
    if not opens(device, read_key(Path(key))):
        yield t("{key} does not open the container on {device}", device=device, key=key)
        return
    layer = opened_on(drive, device)
    if layer is None:
        yield t(
            "{device} is closed, so what it holds is unknown; `cryptsetup open "
            "--key-file {key} {device} {name}` opens it",
            device=device,
            key=key,
            name=encryption.name,
        )
        return
    wanted = places_of(volume.mount_point, volume.subvolumes)
    if wanted:
        yield from _crypttab_faults(encryption, drive, environment)
    yield from layer_faults(volume, asked, layer, environment)


def layer_faults(volume: Volume, asked: Request, layer: Layer, environment: Environment) -> Iterator[Said]:
    """What keeps a volume on a layer, such as an open container, from being used as wanted."""
    if volume.filesystem == "swap":
        yield from _swap_faults(volume, layer, environment)
    else:
        wanted = places_of(volume.mount_point, volume.subvolumes)
        yield from _place_faults(wanted, asked, layer, environment)
        lines = lines_of(layer, environment)
        yield from subvolume_faults(volume.subvolumes, layer.path, lines, str(environment.fstab))


def _crypttab_faults(encryption: Encryption, drive: Drive, environment: Environment) -> Iterator[Said]:
    part, file = drive.partition(encryption.device), environment.crypttab
    uuid = (part.signatures[0].uuid or "") if part else ""
    own = [line for line in parse_crypttab(read_text(file)) if line.names({"UUID": uuid})]
    if len(own) != 1 or own[0].key != encryption.key:
        yield t(
            "{file} has no line that opens {device} with {key}",
            device=encryption.device,
            key=encryption.key,
            file=str(file),
        )


def _swap_faults(volume: Volume, layer: Layer, environment: Environment) -> Iterator[Said]:
    is_listed = any(line.kind == "swap" for line in lines_of(layer, environment))
    if volume.mount_point == NO_PLACE and not is_listed:
        yield words.NO_SWAP_LINE(device=layer.path, file=str(environment.fstab))


def _place_faults(
    wanted: Sequence[str], asked: Request, layer: Layer, environment: Environment
) -> Iterator[Said]:
    listed, file = [line.mount_point for line in lines_of(layer, environment)], str(environment.fstab)
    others = tuple(printable(place, 200) for place in listed if place not in wanted)
    if wanted and others:
        yield words.OTHER_PLACE(device=layer.path, found=others, wanted=printable(wanted[0], 200), file=file)
    elif others and asked.mount_point == NO_PLACE:
        yield words.MOUNTED_NOWHERE(device=layer.path, place=others[0], file=file)
    for place in wanted:
        shown = printable(place, 200)
        if place not in listed:
            yield words.NO_LINE(device=layer.path, place=shown, file=file)
        elif place not in layer.mount_points:
            yield words.NOT_MOUNTED(device=layer.path, place=shown)


def lines_of(layer: Layer, environment: Environment) -> list[Line]:
    """Those of fstab for what the container is open as."""
    file = environment.fstab
    held = layer.signatures[0] if layer.signatures else None
    tags = {"UUID": held.uuid, "LABEL": held.label} if held else {}
    node = os.path.realpath(layer.path)
    return [line for line in parse(read_text(file), str(file)) if line.means(node, tags)]
