"""Create a filesystem with Btrfs subvolumes and owner, and mount it."""

import re
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from wizard.apply.block.devices import forget_caches, reread_table
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
from wizard.model.layout import Writer
from wizard.model.said import Message, Sentence, reason_of, t
from wizard.operations.filesystem import MakeFilesystem, MakeSubvolumes, Resizing, SetOwner
from wizard.operations.mounts import Mount
from wizard.operations.table import ResetZones
from wizard.plan.messages import who
from wizard.plan.steps.commands import commands_of, private_mount
from wizard.process.program import run


def make_filesystem(operation: MakeFilesystem, context: StepContext) -> Message:
    """Create the filesystem. Check that libblkid recognises exactly this one, and that its checker finds it
    clean."""
    for argv in commands_of(operation):
        context.command(argv)
    return made_as_planned(operation, context)


def made_as_planned(operation: MakeFilesystem, context: StepContext) -> Message:
    """Check that a filesystem is as planned, and return a summary. Raises Failed."""
    devices = (operation.device, *operation.others)
    for device in devices:
        forget_caches(device)
    paths = [member.drive.path for device in devices if (member := context.plan.member(device))]
    drives = look_at_all(paths) if paths else ()
    for device in devices:
        found = signatures_on(device, context.plan, context.seconds, drives)
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
    # Check before mounting, so the checker can read everything.
    if kind.clean_check:
        context.command((*kind.clean_check, operation.device))
    if differences := spread_differences(operation, context.seconds):
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


def reset_zones(operation: ResetZones, context: StepContext) -> Message:
    """Reset all zones, and check that no signatures are left. The kernel then forgets the partitions."""
    for argv in commands_of(operation):
        context.command(argv)
    forget_caches(operation.device)
    reread_table(operation.device, anew=True)
    if left := list_signatures(operation.device, context.seconds):
        raise Failed(
            t(
                "{device} still has signatures after erasing: {kinds:list}.",
                device=operation.device,
                kinds=kinds_of(left),
            )
        )
    return t("Every zone of {device} is empty.", device=operation.device)


NO_FOLDER = Sentence("Cannot create the folder {place}: {why}.")


LIST = ("btrfs", "subvolume", "list")


def work_within(operation: MakeSubvolumes | SetOwner, context: StepContext) -> Message:
    """Mount the filesystem privately, execute the operation, unmount, and return a summary. Raises Failed."""
    if isinstance(operation, SetOwner):
        return _set_owner(operation, context)
    return _make_subvolumes(operation, context)


def _make_subvolumes(operation: MakeSubvolumes, context: StepContext) -> Message:
    with at_private_place(operation, context) as (place, commands):
        for argv in commands:
            context.command(argv)
        differences = name_differences(operation.names, listed(context.command((*LIST, str(place))).output))
    if differences:
        raise Failed(
            t(
                "The subvolumes of {device} differ from the plan: {differences:semicolons}.",
                device=operation.device,
                differences=differences,
            )
        )
    return t("{device} has the subvolumes {names:list}.", device=operation.device, names=operation.names)


def _set_owner(operation: SetOwner, context: StepContext) -> Message:
    writer = operation.writer
    with at_private_place(operation, context) as (place, commands):
        for argv in commands:
            context.command(argv)
        has_owner = all(_has_owner(place / name, writer) for name in ("", *operation.names))
    if not has_owner:
        raise Failed(t("Cannot make {who} the owner of {device}.", device=operation.device, who=who(writer)))
    return t(
        "The top of {device} belongs to {uid}:{gid}, mode {mode}.",
        device=operation.device,
        uid=writer.uid,
        gid=writer.gid,
        mode=f"{writer.mode:o}",
    )


def _has_owner(folder: Path, writer: Writer) -> bool:
    try:
        status = folder.stat()
    except OSError:
        return False
    wanted = (writer.uid, writer.gid, writer.mode)
    return (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == wanted


@contextmanager
def at_private_place(
    operation: MakeSubvolumes | SetOwner | Resizing, context: StepContext
) -> Iterator[tuple[Path, tuple[Argv, ...]]]:
    """Mount the filesystem at its private place and unmount it afterwards. Yields the place and the
    operation's commands in between. Raises Failed."""
    mount = private_mount(operation)
    place = Path(mount.mount_point)
    _make_place(place)
    *commands, closing = commands_of(operation)
    mounting = next(at for at, argv in enumerate(commands, 1) if argv[0] == "mount")
    for argv in commands[:mounting]:
        context.command(argv)
    try:
        yield place, tuple(commands[mounting:])
    finally:
        # Report the earlier error. A remaining mount is found on resume.
        with suppress(Failed):
            context.command(closing)
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
    """Create the private folder, accessible only to root. Raises Failed if it is in use."""
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
    """Parse `btrfs subvolume list`, and return the paths: `ID 256 gen 8 top level 5 path @`. Pure."""
    return tuple(re.findall(r"(?m)^ID \d+ .*?path (.*)$", text))


def name_differences(wanted: tuple[str, ...], seen: tuple[str, ...]) -> tuple[Message, ...]:
    """Describe differences between subvolumes and the plan, as clauses. Pure."""
    missing = [t("{name} is missing", name=name) for name in wanted if name not in seen]
    unplanned = [printable(name, 60) for name in seen if name not in wanted]
    return (*missing, *(t("{name} was not planned", name=name) for name in unplanned))


def planned_differences(operation: MakeSubvolumes, seconds: float) -> tuple[Message | str, ...]:
    """Describe differences between a mounted filesystem's subvolumes and the plan. Empty if it is not
    mounted, since they were checked when created. Ignores others, which the user may have created since."""
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


def mount_filesystem(operation: Mount, context: Commands) -> Message:
    """Create the folder, mount, and compare with the kernel's mount table. Repeatable."""
    place = Path(operation.mount_point)
    if not is_mounted(operation):
        try:
            check_mount_point(place)
            place.mkdir(parents=True, exist_ok=True)
        except Refused as error:
            raise Failed(reason_of(error)) from None
        except OSError as error:
            raise Failed(NO_FOLDER(place=str(place), why=str(error.strerror))) from None
        mount_checked(operation, context.command)
    if differences := mount_differences(operation):
        raise Failed(NOT_MOUNTED(place=str(place), differences=tuple(differences)))
    return t(
        "{device} is mounted at {place} with all recommended options.",
        device=operation.device,
        place=str(place),
    )


def mount_checked(operation: Mount, do: Callable[[Sequence[str]], object]) -> None:
    """Mount at a free place. If it then shows another filesystem, unmount it again. Raises Failed."""
    for argv in commands_of(operation):
        do(argv)
    mounts = [entry for entry in read_mounts() if entry.mount_point == operation.mount_point]
    # Of two mounts, the upper one is another program's and hides ours.
    if len(mounts) == 1 and not is_mounted(operation):
        differences = mount_differences(operation)
        do(("umount", operation.mount_point))
        raise Failed(NOT_MOUNTED(place=operation.mount_point, differences=differences))
