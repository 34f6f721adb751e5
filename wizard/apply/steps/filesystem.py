"""Create a filesystem with Btrfs subvolumes and owner, and mount it."""

import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from wizard.apply.block.devices import forget_caches, kernel_name
from wizard.apply.steps.step_context import Finished, StepContext, checked, look_at_all, matched
from wizard.apply.steps.wipe import (
    recognised_differences,
    signatures_on,
)
from wizard.apply.system.mounts import is_mounted, mounted_at, read_mounts
from wizard.filesystems.registry import MADE
from wizard.model.errors import Failed, printable
from wizard.model.layout import Writer
from wizard.model.machine import Striping
from wizard.model.run import Check
from wizard.model.said import Message, Sentence, reason_of, t, tn
from wizard.operations.filesystem import Inside, MakeFilesystem, MakeSubvolumes, Resize, SetOwner
from wizard.process.program import run


def make_filesystem(operation: MakeFilesystem, context: StepContext) -> Message:
    """Create the filesystem. Check that libblkid recognises exactly this one, and that its checker finds it
    clean."""
    for argv in operation.commands():
        context.command(argv)
    return made_as_planned(operation, context)


def made_as_planned(operation: MakeFilesystem, context: StepContext) -> Message:
    """Check that a filesystem is as planned, and return a summary. Raises Failed."""
    devices = operation.devices
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


NO_FOLDER = Sentence("Cannot create the folder {place}: {why}.")


LIST = ("btrfs", "subvolume", "list")


def make_subvolumes(operation: MakeSubvolumes, context: StepContext) -> Message:
    """Create the subvolumes, and compare them with btrfs's list. Raises Failed."""
    with at_private_place(operation, context) as place:
        for argv in operation.inside():
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


def set_owner(operation: SetOwner, context: StepContext) -> Message:
    """Set owner and mode, and read them back. Raises Failed."""
    writer = operation.writer
    with at_private_place(operation, context) as place:
        for argv in operation.inside():
            context.command(argv)
        has_owner = all(_has_owner(place / name, writer) for name in ("", *operation.names))
    if not has_owner:
        raise Failed(t("Cannot make {who} the owner of {device}.", device=operation.device, who=writer.shown))
    return operation.result()


def _has_owner(folder: Path, writer: Writer) -> bool:
    try:
        status = folder.stat()
    except OSError:
        return False
    wanted = (writer.uid, writer.gid, writer.mode)
    return (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == wanted


@contextmanager
def at_private_place(operation: Inside | Resize, context: StepContext) -> Iterator[Path]:
    """Mount the filesystem at its private place, which is yielded, and unmount it afterwards. Raises
    Failed."""
    mount = operation.mount
    place = Path(mount.mount_point)
    _make_place(place)
    for argv in mount.commands():
        context.command(argv)
    try:
        yield place
    finally:
        # Report the earlier error. A remaining mount is found on resume.
        with suppress(Failed):
            context.command(("umount", mount.mount_point))
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
    devices = operation.devices
    place = next((entry.mount_point for entry in read_mounts() if entry.source in devices), None)
    if place is None:
        return ()
    try:
        seen = listed(run((*LIST, place), seconds=seconds).output)
    except Failed as error:
        return (reason_of(error),)
    return name_differences(operation.names, tuple(name for name in seen if name in operation.names))


def filesystem_checks(operation: MakeFilesystem, finished: Finished) -> Iterator[Check]:
    """Check signatures, consistency and striping of a filesystem."""
    kind, seconds = operation.filesystem, finished.seconds
    for device in operation.devices:
        yield matched(
            t("{device} is {filesystem} with the planned UUID and label", device=device, filesystem=kind),
            partial(_planned_differences, operation, device, finished),
        )
    if MADE[kind].clean_check:
        yield clean_check(operation.device, kind, finished)
    if operation.striping or operation.others:
        yield matched(
            t(
                "{device} is spread over the drives as planned, according to the superblock",
                device=operation.device,
            ),
            lambda: spread_differences(operation, seconds),
        )


def _planned_differences(operation: MakeFilesystem, device: str, finished: Finished) -> tuple[Message, ...]:
    found = signatures_on(device, finished.plan, finished.seconds, finished.drives)
    return recognised_differences(found, operation.filesystem, operation.uuid, operation.label)


def resize_checks(operation: Resize, finished: Finished) -> Iterator[Check]:
    """Check that a resized filesystem is clean."""
    kind = operation.filesystem
    yield clean_check(operation.device, "ext4" if kind.startswith("ext") else kind, finished)


def subvolume_checks(operation: MakeSubvolumes, finished: Finished) -> Iterator[Check]:
    """Check the subvolumes of a mounted filesystem."""
    yield matched(
        t("{device} has the planned subvolumes", device=operation.device),
        lambda: planned_differences(operation, finished.seconds),
    )


def spread_differences(operation: MakeFilesystem, seconds: float) -> tuple[Message, ...]:
    """Describe differences between the filesystem's striping and the plan, according to its superblock. Empty
    without striping. Raises Failed."""
    if not operation.striping and not operation.others:
        return ()
    kind = MADE[operation.filesystem]
    text = run([*kind.superblock_reader, operation.device], seconds=seconds).output
    if operation.others:
        profile = "RAID1" if operation.is_mirrored else "RAID0"
        return () if f"DATA|{profile}" in text else (t("the data profile is not {profile}", profile=profile),)
    seen = kind.striping_in(text) if kind.striping_in else None
    if seen == operation.striping:
        return ()
    return (
        t(
            "the superblock has {seen}, not {wanted}",
            seen=_describe(seen),
            wanted=_describe(operation.striping),
        ),
    )


def _describe(striping: Striping | None) -> Message:
    if striping is None:
        return t("no striping")
    return t(
        "{unit:exact} per drive, {width:exact} in all",
        unit=striping.unit_bytes,
        width=striping.width_bytes,
    )


def clean_check(device: str, filesystem: str, finished: Finished) -> Check:
    """Check that the filesystem is clean: with its own checker or, if mounted and that is impossible, by the
    kernel's error count."""
    what = t("{device} is clean", device=device)
    made = finished.plan.filesystems
    devices = next((one.devices for one in made if one.device == device), (device,))
    # Another program may have mounted a filesystem that the plan does not mount.
    if mounted := next((entry for entry in read_mounts() if entry.source in devices), None):
        return _mounted_check(what, device, filesystem, mounted.mount_point, finished)
    check = MADE[filesystem].clean_check
    try:
        finished.do([*check, device])
    except Failed as error:
        return checked(what, False, error)
    return checked(what, True, t("{tool} found no errors", tool=check[0]))


def _mounted_check(what: Message, device: str, filesystem: str, place: str, finished: Finished) -> Check:
    if check := MADE[filesystem].mounted_check:
        try:
            finished.do([*check, place])
        except Failed as error:
            return checked(what, False, error)
        return checked(what, True, t("checked before mounting; no device error since"))
    errors = Path("/sys/fs") / filesystem / kernel_name(device) / "errors_count"
    if errors.exists():
        count = int(errors.read_text())
        return checked(
            what,
            count == 0,
            tn(
                "checked before mounting; {count} error since",
                "checked before mounting; {count} errors since",
                count=count,
            ),
        )
    return checked(what, True, t("checked before mounting; mounted without errors"))
