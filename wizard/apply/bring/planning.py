"""What is to be brought where, worked out from how both are found. Nothing is written."""

import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path, PurePosixPath

from wizard.apply.bring import words
from wizard.apply.bring.places import (
    Ground,
    Held,
    device_of,
    drive_of,
    ground_of,
    held_on,
    mount_of,
    refused,
    shown,
    source_open,
)
from wizard.apply.bring.steps.taking import taken_place
from wizard.apply.bring.survey import names_in, survey
from wizard.apply.run.environment import Environment
from wizard.apply.system.mounts import read_mounts
from wizard.layout.bring.losses import losses_of
from wizard.model.documents.bring import Bring, BringFrom, BringTo
from wizard.model.errors import BadInput
from wizard.model.said import t


def work_out(
    source: str,
    target: str,
    into: str | None,
    environment: Environment | None = None,
    *,
    takes_place: bool = False,
) -> Bring:
    """Look at both, and count; with `takes_place` the target is to be mounted where the source is. Raises
    BadInput for what is not there, Refused where it cannot be brought."""
    ground = _target_ground(target)
    to = _target(ground, into)
    wanted = _source(source)
    _check_apart(wanted, ground, to)
    takes = taken_place(wanted, to, environment or Environment()) if takes_place else None
    drive = drive_of(to.device)
    block_bytes = os.statvfs(ground.mounted.mount_point).f_frsize
    with source_open(wanted) as top:
        _check_free(top, to)
        amount = survey(top, to.filesystem, block_bytes)
    if not amount.entries:
        raise refused(t("{source} is empty: there is nothing to copy.", source=shown(source)))
    bring = Bring(drive, wanted, to, amount, takes)
    check_room_there(bring)
    return replace(bring, doubts=losses_of(bring))


def _target_ground(target: str) -> Ground:
    path = Path(target)
    if path.is_block_device():
        mounted = mount_of(str(path.resolve()))
        if mounted is None:
            raise refused(
                t(
                    "{device} is not mounted. Mount it first: `diskwright mount {device}`.",
                    device=shown(target),
                )
            )
        return Ground(Path(mounted.mount_point), mounted)
    return ground_of(path)


def _target(ground: Ground, into: str | None) -> BringTo:
    mounted = ground.mounted
    device = device_of(mounted)
    if device is None:
        raise refused(t("{path} does not lie on a drive.", path=shown(ground.folder)))
    if "ro" in mounted.options:
        raise refused(words.READ_ONLY(path=shown(mounted.mount_point)))
    held = held_on(device)
    folder = ground.folder
    if into is not None:
        inner = PurePosixPath(into)
        if inner.is_absolute() or ".." in inner.parts or not inner.parts:
            raise BadInput(
                t("--into takes a path within the target, such as old/photos, not {path}.", path=shown(into))
            )
        folder = ground.folder / inner
    return BringTo(
        held.node,
        held.filesystem,
        held.uuid,
        mounted.mount_point,
        str(folder),
        _missing(ground.folder, folder),
    )


def _missing(ground: Path, folder: Path) -> tuple[str, ...]:
    """The folders that have to be made, the outermost first; raises Refused where something else is in their
    place."""
    ways = [folder, *folder.parents]
    missing = []
    for path in ways[: ways.index(ground)]:
        if not os.path.lexists(path):
            missing.append(str(path))
        elif path.is_symlink() or not path.is_dir() or path.is_mount():
            raise refused(t("{path} is no folder.", path=shown(path)))
    return tuple(reversed(missing))


def _source(source: str) -> BringFrom:
    path = Path(source)
    if path.is_block_device():
        held = held_on(source)
        mounted = mount_of(held.node)
        below = _mounted_below(Path(mounted.mount_point)) if mounted else ()
        return BringFrom(held.node, True, held.filesystem, held.uuid, below)
    ground = ground_of(path)
    device = device_of(ground.mounted)
    below = _mounted_below(ground.folder)
    known: Held | None = None
    # A folder can be read where its device cannot, as in a container.
    with suppress(BadInput):
        known = held_on(device) if device else None
    filesystem, uuid = (known.filesystem, known.uuid) if known else (ground.mounted.filesystem, "")
    return BringFrom(str(ground.folder), False, filesystem, uuid, below)


def _mounted_below(folder: Path) -> tuple[str, ...]:
    places = (Path(one.mount_point) for one in read_mounts())
    return tuple(sorted({str(place) for place in places if place != folder and place.is_relative_to(folder)}))


def _check_apart(source: BringFrom, ground: Ground, to: BringTo) -> None:
    """Raises Refused where the copy would lie in what is copied, or the other way round."""
    mounted = mount_of(source.path) if source.is_device else None
    if source.is_device and mounted is None:
        return
    there = Ground(Path(mounted.mount_point), mounted) if mounted else ground_of(Path(source.path))
    folder = replace(ground, folder=Path(to.folder))
    if there.overlaps(folder):
        raise refused(
            t(
                "{source} and {target} are the same place, or one lies in the other.",
                source=shown(source.path),
                target=shown(to.folder),
            )
        )


def _check_free(top: Path, to: BringTo) -> None:
    fd = os.open(top, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        names = names_in(fd)
    finally:
        os.close(fd)
    check_names_free(names, to)


def check_names_free(names: frozenset[bytes], to: BringTo) -> None:
    """Raises Refused for the first name that is taken in the target."""
    folder = os.fsencode(to.folder)
    for name in sorted(names):
        if os.path.lexists(folder + b"/" + name):
            raise refused(
                t(
                    "{path} exists already, and nothing is overwritten. Name another folder with "
                    "--into FOLDER.",
                    path=shown(os.fsdecode(folder + b"/" + name)),
                )
            )


def check_room_there(bring: Bring) -> None:
    """Raises Refused where the copy does not fit."""
    to, amount = bring.target, bring.amount
    status = os.statvfs(to.place)
    free, needed = status.f_bfree * status.f_frsize, amount.room_bytes
    if needed > free:
        raise refused(
            t(
                "{target} has {free:size} free, and the copy takes about {needed:size}.",
                target=shown(to.place),
                free=free,
                needed=needed,
            )
        )
    # Where a filesystem makes inodes as it needs them, it counts none.
    if status.f_files and amount.entries > status.f_ffree:
        said = t(
            "{target} has room for {free:,d} more files, and {needed:,d} are to be copied.",
            target=shown(to.place),
            free=status.f_ffree,
            needed=amount.entries,
        )
        raise refused(said)
