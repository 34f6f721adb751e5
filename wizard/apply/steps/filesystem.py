"""Create a filesystem with Btrfs subvolumes and owner, and mount it."""

import re
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from wizard.apply.block.devices import forget_caches, tell_kernel
from wizard.apply.plan.guard import check_mount_point
from wizard.apply.steps.step_context import Commands, StepContext, look_at_all
from wizard.apply.steps.wipe import (
    kinds_of,
    list_signatures,
    recognised_differences,
    signatures_on,
    spread_differences,
)
from wizard.apply.system.mounts import is_mounted, mount_differences, mounted_at, read_mounts
from wizard.filesystems.kind import Argv
from wizard.filesystems.registry import MADE
from wizard.model.errors import Failed, Refused, printable
from wizard.model.ext import Event
from wizard.model.operations import MakeFilesystem, SetOwner, Writer
from wizard.model.plan import MakeSubvolumes, Mount, ResetZones, Resizing, WipeSignatures
from wizard.model.said import Message, Sentence, reason_of, t
from wizard.plan.messages import who
from wizard.plan.steps.commands import commands_of, private_mount, wipe
from wizard.process.program import run


def make_filesystem(operation: MakeFilesystem, site: StepContext) -> Message:
    """Run the program that makes it; then libblkid must see exactly this one, and its own check must find it
    clean."""
    if site.again:
        # mkfs.btrfs refuses a UUID that it finds anywhere, and an earlier process of this run may have got as
        # far as writing it.
        for device in (operation.device, *operation.others):
            again = ResetZones(device) if site.plan.after.whole else WipeSignatures(device, ())
            for argv in commands_of(again):
                site.command(argv)
    _run_makers(operation, site)
    return made_as_planned(operation, site)


def made_as_planned(operation: MakeFilesystem, site: StepContext) -> Message:
    """Look whether what was made is what was asked for; a sentence on it. Raises Failed."""
    devices = (operation.device, *operation.others)
    for device in devices:
        forget_caches(device)
    paths = [member.drive.path for device in devices if (member := site.plan.member(device))]
    drives = look_at_all(paths) if paths else ()
    for device in devices:
        found = signatures_on(device, site.plan, site.seconds, drives)
        if differences := recognised_differences(
            found, operation.filesystem, operation.uuid, operation.label
        ):
            raise Failed(
                t(
                    "{device} is not recognised as planned: {differences:semicolons}.",
                    device=device,
                    differences=differences,
                )
            )
    kind = MADE[operation.filesystem]
    # Before anything is mounted, the filesystem's own check can read all of it.
    if kind.clean_check:
        site.command((*kind.clean_check, operation.device))
    if differences := spread_differences(operation, site.seconds):
        raise Failed(
            t(
                "{device} is not striped as planned: {differences:semicolons}.",
                device=operation.device,
                differences=differences,
            )
        )
    made = (
        Sentence("{device} is recognised as {filesystem} with UUID {uuid} and passes a check.")
        if kind.clean_check
        else Sentence("{device} is recognised as {filesystem} with UUID {uuid}.")
    )
    return made(device=operation.device, filesystem=operation.filesystem, uuid=operation.uuid)


def _run_makers(operation: MakeFilesystem, site: StepContext) -> None:
    commands = commands_of(operation)
    if MADE[operation.filesystem].uuid_follows:
        drawn = t(
            "{device} first gets a random UUID from {program}, then the planned one.",
            device=operation.device,
            program=commands[0][0],
        )
        site.journal.add(Event.MAKING, drawn, step=site.step, command=commands[0])
    try:
        for argv in commands:
            site.command(argv)
    except Failed:
        if MADE[operation.filesystem].uuid_follows:
            # With the UUID that its maker drew it would pass for somebody else's when the run is taken up
            # again.
            with suppress(Failed):
                site.command(wipe(operation.device))
        raise


def reset_zones(operation: ResetZones, site: StepContext) -> Message:
    """Empty every zone, and see that nothing is recognised any more. The kernel then forgets the partitions
    that were there."""
    for argv in commands_of(operation):
        site.command(argv)
    forget_caches(operation.device)
    tell_kernel(operation.device, anew=True)
    if left := list_signatures(operation.device, site.seconds):
        raise Failed(
            t(
                "{device} still has signatures after erasing: {kinds:list}.",
                device=operation.device,
                kinds=kinds_of(left),
            )
        )
    return t("Every zone of {device} is empty.", device=operation.device)


# Erasing.

# Making one.

# How what is read back differs.

# Subvolumes.

# Mounting, and swap.
NO_FOLDER = Sentence("Cannot create the folder {place}: {why}.")


LIST = ("btrfs", "subvolume", "list")


def work_within(operation: MakeSubvolumes | SetOwner, site: StepContext) -> Message:
    """Mount the filesystem for itself, do that, and unmount it; a sentence on it. Raises Failed."""
    if isinstance(operation, SetOwner):
        return _set_owner(operation, site)
    return _make_subvolumes(operation, site)


def _make_subvolumes(operation: MakeSubvolumes, site: StepContext) -> Message:
    with at_private_place(operation, site) as (place, making):
        there = listed(site.command((*LIST, str(place))).output) if site.again else ()
        for name, argv in zip(operation.names, making, strict=True):
            if name not in there:
                site.command(argv)
        differences = name_differences(operation.names, listed(site.command((*LIST, str(place))).output))
    if differences:
        raise Failed(
            t(
                "The subvolumes of {device} differ from the plan: {differences:semicolons}.",
                device=operation.device,
                differences=differences,
            )
        )
    return t("{device} has the subvolumes {names:list}.", device=operation.device, names=operation.names)


def _set_owner(operation: SetOwner, site: StepContext) -> Message:
    writer = operation.writer
    with at_private_place(operation, site) as (place, giving):
        for argv in giving:
            site.command(argv)
        given = all(_is_theirs(place / name, writer) for name in ("", *operation.names))
    if not given:
        raise Failed(t("Cannot make {who} the owner of {device}.", device=operation.device, who=who(writer)))
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
    operation: MakeSubvolumes | SetOwner | Resizing, site: StepContext
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
                "Cannot unmount {device} from {place} again.",
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
        raise Failed(NO_FOLDER(place=str(place), why=str(error.strerror))) from None
    if taken:
        raise Failed(t("{place} is in use, so nothing was mounted there.", place=str(place)))


def listed(text: str) -> tuple[str, ...]:
    """The paths from the top in what `btrfs subvolume list` says: `ID 256 gen 8 top level 5 path @`. Pure."""
    return tuple(re.findall(r"(?m)^ID \d+ .*?path (.*)$", text))


def name_differences(wanted: tuple[str, ...], seen: tuple[str, ...]) -> tuple[Message, ...]:
    """How subvolumes differ from the planned ones, in pieces of sentences. Pure."""
    missing = [t("{name} is missing", name=name) for name in wanted if name not in seen]
    unplanned = [printable(name, 60) for name in seen if name not in wanted]
    return (*missing, *(t("{name} was not planned", name=name) for name in unplanned))


def planned_differences(operation: MakeSubvolumes, seconds: float) -> tuple[Message | str, ...]:
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


NOT_MOUNTED = Sentence("{place} is not mounted as planned: {differences:semicolons}.")


def mount_filesystem(operation: Mount, site: Commands) -> Message:
    """Make the folder, mount, and compare with what the kernel says. Repeatable: what is mounted as planned
    stays."""
    place = Path(operation.mount_point)
    if not is_mounted(operation):
        try:
            check_mount_point(place)
            place.mkdir(parents=True, exist_ok=True)
        except Refused as error:
            raise Failed(reason_of(error)) from None
        except OSError as error:
            raise Failed(NO_FOLDER(place=str(place), why=str(error.strerror))) from None
        mount_checked(operation, site.command)
    if differences := mount_differences(operation):
        raise Failed(NOT_MOUNTED(place=str(place), differences=tuple(differences)))
    return t(
        "{device} is mounted at {place} with all recommended options.",
        device=operation.device,
        place=str(place),
    )


def mount_checked(operation: Mount, do: Callable[[Sequence[str]], object]) -> None:
    """Mount at a place where nothing is mounted. If the place shows another filesystem then, unmount it at
    once. Raises Failed if a command fails."""
    for argv in commands_of(operation):
        do(argv)
    there = [entry for entry in read_mounts() if entry.mount_point == operation.mount_point]
    # Of two, the upper one is somebody else's, which hides ours.
    if len(there) == 1 and not is_mounted(operation):
        differences = mount_differences(operation)
        do(("umount", operation.mount_point))
        raise Failed(NOT_MOUNTED(place=operation.mount_point, differences=differences))
