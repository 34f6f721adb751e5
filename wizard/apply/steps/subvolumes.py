"""What is done in a filesystem once it is made: a Btrfs's subvolumes, and giving it to who may write."""

import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from wizard.apply.steps.step_context import Site
from wizard.apply.steps.words import filesystems as words
from wizard.apply.system.mounts import is_mounted, mounted_at, read_mounts
from wizard.filesystems.kind import Argv
from wizard.layout.steps.commands import commands_of, private_mount
from wizard.layout.words import who
from wizard.model.errors import Failed
from wizard.model.names import printable
from wizard.model.operations.writer import SetOwner, Writer
from wizard.model.plan import MakeSubvolumes, Resizing
from wizard.model.said import Said, reason_of, t
from wizard.tools.program import run

LIST = ("btrfs", "subvolume", "list")


def work_within(operation: MakeSubvolumes | SetOwner, site: Site) -> Said:
    """Mount the filesystem for itself, do that, and unmount it; a sentence on it. Raises Failed."""
    if isinstance(operation, SetOwner):
        return _set_owner(operation, site)
    return _make_subvolumes(operation, site)


def _make_subvolumes(operation: MakeSubvolumes, site: Site) -> Said:
    with at_private_place(operation, site) as (place, making):
        there = listed(site.command((*LIST, str(place))).output) if site.again else ()
        for name, argv in zip(operation.names, making, strict=True):
            if name not in there:
                site.command(argv)
        differences = name_differences(operation.names, listed(site.command((*LIST, str(place))).output))
    if differences:
        raise Failed(
            t(
                "{device} has other subvolumes than planned: {differences:semicolons}.",
                device=operation.device,
                differences=differences,
            )
        )
    return t("{device} has the subvolumes {names:list}.", device=operation.device, names=operation.names)


def _set_owner(operation: SetOwner, site: Site) -> Said:
    writer = operation.writer
    with at_private_place(operation, site) as (place, giving):
        for argv in giving:
            site.command(argv)
        given = all(_is_theirs(place / name, writer) for name in ("", *operation.names))
    if not given:
        raise Failed(t("{device} could not be given to {who}.", device=operation.device, who=who(writer)))
    return t(
        "The top of {device} belongs to {uid}:{gid}, mode {mode}.",
        device=operation.device,
        uid=writer.uid,
        gid=writer.gid,
        mode=f"{writer.mode:o}",
    )


def _is_theirs(folder: Path, writer: Writer) -> bool:
    try:
        found = folder.stat()
    except OSError:
        return False
    wanted = (writer.uid, writer.gid, writer.mode)
    return (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == wanted


@contextmanager
def at_private_place(
    operation: MakeSubvolumes | SetOwner | Resizing, site: Site
) -> Iterator[tuple[Path, tuple[Argv, ...]]]:
    """Mount the filesystem at its private place, and unmount it again: the place, and the operation's
    commands between the two. Raises Failed.

    An earlier process of this run may have been cut off at any of it, with the filesystem still mounted.
    """
    mount = private_mount(operation)
    place = Path(mount.mount_point)
    if site.again and is_mounted(mount):
        site.command(("umount", mount.mount_point))
    _make_place(place)
    *commands, closing = commands_of(operation)
    mounting = next(at for at, argv in enumerate(commands, 1) if argv[0] == "mount")
    for argv in commands[:mounting]:
        site.command(argv)
    try:
        yield place, tuple(commands[mounting:])
    finally:
        # The reason of a failure is what went wrong before; what stays mounted is found when the run is taken
        # up again.
        with suppress(Failed):
            site.command(closing)
        with suppress(OSError):
            place.rmdir()
    if is_mounted(mount):
        raise Failed(
            t(
                "{device} could not be unmounted from {place} again.",
                device=operation.device,
                place=str(place),
            )
        )


def _make_place(place: Path) -> None:
    """The private folder, which only root gets into; raises Failed where something is there already."""
    try:
        place.parent.mkdir(mode=0o700, exist_ok=True)
        place.mkdir(mode=0o700, exist_ok=True)
        taken = (
            place.is_symlink()
            or place.parent.is_symlink()
            or any(place.iterdir())
            or mounted_at(str(place)) is not None
        )
    except OSError as error:
        raise Failed(words.NO_FOLDER(place=str(place), why=str(error.strerror))) from None
    if taken:
        raise Failed(t("{place} is taken: nothing was mounted there.", place=str(place)))


def listed(text: str) -> tuple[str, ...]:
    """The paths from the top in what `btrfs subvolume list` says: `ID 256 gen 8 top level 5 path @`. Pure."""
    return tuple(re.findall(r"(?m)^ID \d+ .*?path (.*)$", text))


def name_differences(wanted: tuple[str, ...], seen: tuple[str, ...]) -> tuple[Said, ...]:
    """How subvolumes differ from the planned ones, in pieces of sentences. Pure."""
    missing = [t("{name} is missing", name=name) for name in wanted if name not in seen]
    unplanned = [printable(name, 60) for name in seen if name not in wanted]
    return (*missing, *(t("{name} was not planned", name=name) for name in unplanned))


def planned_differences(operation: MakeSubvolumes, seconds: float) -> tuple[Said | str, ...]:
    """How a filesystem's subvolumes differ from the planned ones, asked where the plan mounts it; nothing
    where it is mounted nowhere, since then they were looked at when they were made. The top may have been
    used since: what is there besides is its owner's.
    """
    devices = (operation.device, *operation.others)
    place = next((entry.mount_point for entry in read_mounts() if entry.source in devices), None)
    if place is None:
        return ()
    try:
        seen = listed(run((*LIST, place), seconds=seconds).output)
    except Failed as error:
        return (reason_of(error),)
    return name_differences(operation.names, tuple(name for name in seen if name in operation.names))
