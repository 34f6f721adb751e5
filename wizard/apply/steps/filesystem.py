"""Create a filesystem with Btrfs subvolumes and owner, and use it: fstab line, mount and swap."""

import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from wizard.apply.block.devices import forget_caches, kernel_name
from wizard.apply.plan.guard import check_mount_point
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.process import UNWRITTEN
from wizard.apply.steps.step_context import (
    StepContext,
    Steps,
    checked,
    matched,
)
from wizard.apply.steps.wipe import recognised_differences, signatures_on
from wizard.apply.system import fstab
from wizard.apply.system.edited_file import kept_as, read_text
from wizard.apply.system.mounts import is_mounted, is_swap, mount_differences, mounted_at, read_mounts
from wizard.filesystems.registry import MADE
from wizard.model.errors import Failed, Refused, printable
from wizard.model.layout import Writer
from wizard.model.run import Check, differences
from wizard.model.said import Message, Sentence, failing, reason_of, t
from wizard.operations.containers import AddCrypttabLine
from wizard.operations.filesystem import Inside, MakeFilesystem, MakeSubvolumes, Resize, SetOwner
from wizard.operations.mounts import AddFstabLine, Mount, TurnOnSwap
from wizard.probe.host.sysfs import text
from wizard.process.program import run


def _make_filesystem(operation: MakeFilesystem, context: StepContext) -> Message:
    """Create the filesystem, and check as `made_as_planned` does."""
    context.run_commands()
    return made_as_planned(operation, context)


def made_as_planned(operation: MakeFilesystem, context: StepContext) -> Message:
    """Check that libblkid recognises exactly this filesystem, and that its checker finds it clean. Return a
    summary. Raises Failed."""
    for device in operation.devices:
        forget_caches(device)
    checks = [*_made_checks(operation, context)]
    # Check before mounting, so the checker can read everything.
    if checker := MADE[operation.filesystem].clean_check:
        checks.append(_tool_check([*checker, operation.device], NO_ERRORS(tool=checker[0]), context))
    return context.confirm(checks)


LIST = ("btrfs", "subvolume", "list")


def _make_subvolumes(operation: MakeSubvolumes, context: StepContext) -> Message:
    """Create the subvolumes, and compare them with btrfs's list. Raises Failed."""
    with at_private_place(operation, context) as place:
        found = listed(context.command((*LIST, str(place))).output)
    return context.confirm([matched(lambda: name_differences(operation.names, found))])


def _set_owner(operation: SetOwner, context: StepContext) -> Message:
    """Set owner and mode, and read them back. Raises Failed."""
    writer = operation.writer
    with at_private_place(operation, context) as place:
        seen: list[os.stat_result] = []
        with suppress(OSError):
            seen = [(place / name).stat() for name in ("", *operation.names)]
    if {(one.st_uid, one.st_gid, stat.S_IMODE(one.st_mode)) for one in seen} != {
        (writer.uid, writer.gid, writer.mode)
    }:
        raise Failed(t("Cannot make {who} the owner of {device}.", device=operation.device, who=writer.shown))
    return operation.result()


@contextmanager
def at_private_place(operation: Inside | Resize, context: StepContext) -> Iterator[Path]:
    """Mount the filesystem at a private place, run the operation's commands there, yield the place, and
    unmount afterwards. Raises Failed."""
    mount = operation.mount
    place = Path(mount.mount_point)
    # Only root may see the filesystem.
    with failing(UNWRITTEN, file=place):
        place.parent.mkdir(mode=0o700, exist_ok=True)
        place.mkdir(mode=0o700, exist_ok=True)
        taken = (
            place.is_symlink()
            or place.parent.is_symlink()
            or any(place.iterdir())
            or mounted_at(str(place)) is not None
        )
    if taken:
        raise Failed(t("{place} is in use, so nothing was mounted there.", place=place))
    for argv in mount.commands():
        context.command(argv)
    try:
        for argv in operation.inside():
            context.command(argv)
        yield place
    finally:
        # Report the earlier error. A remaining mount is found on resume.
        with suppress(Failed):
            context.command(("umount", mount.mount_point))
        with suppress(OSError):
            place.rmdir()
    if is_mounted(mount):
        raise Failed(t("Cannot unmount {device} from {place} again.", device=operation.device, place=place))


def listed(text: str) -> tuple[str, ...]:
    """Parse `btrfs subvolume list`, and return the paths: `ID 256 gen 8 top level 5 path @`. Pure."""
    return tuple(re.findall(r"(?m)^ID \d+ .*?path (.*)$", text))


def name_differences(wanted: tuple[str, ...], seen: tuple[str, ...]) -> tuple[Message, ...]:
    """Describe differences between subvolumes and the plan, as clauses. Pure."""
    missing = [t("{name} is missing", name=name) for name in wanted if name not in seen]
    unplanned = [printable(name, 60) for name in seen if name not in wanted]
    return (*missing, *(t("{name} was not planned", name=name) for name in unplanned))


def _filesystem_checks(operation: MakeFilesystem, context: StepContext) -> Iterator[Check]:
    """Check signatures, striping and consistency of a filesystem."""
    yield from _made_checks(operation, context)
    if MADE[operation.filesystem].clean_check:
        yield from _clean_check(operation.device, operation.filesystem, context)


def _made_checks(operation: MakeFilesystem, context: StepContext) -> Iterator[Check]:
    def find() -> Iterator[Message]:
        for device in operation.devices:
            found = signatures_on(device, context)
            yield from recognised_differences(found, operation.filesystem, operation.uuid, operation.label)

    yield matched(find)
    if operation.striping or operation.others:
        yield matched(lambda: _spread_differences(operation, context.seconds))


def resize_checks(operation: Resize, context: StepContext) -> Iterator[Check]:
    """Check that a resized filesystem is clean."""
    kind = operation.filesystem
    yield from _clean_check(operation.device, "ext4" if kind.startswith("ext") else kind, context)


def _subvolume_checks(operation: MakeSubvolumes, context: StepContext) -> Iterator[Check]:
    """Check the subvolumes of a mounted filesystem. If it is not mounted, they were checked when created.
    Ignores others, which the user may have created since."""

    def find() -> tuple[Message, ...]:
        devices = operation.devices
        place = next((entry.mount_point for entry in read_mounts() if entry.source in devices), None)
        if place is None:
            return ()
        seen = listed(run((*LIST, place), seconds=context.seconds).output)
        return name_differences(operation.names, tuple(name for name in seen if name in operation.names))

    yield matched(find)


def _spread_differences(operation: MakeFilesystem, seconds: float) -> tuple[Message, ...]:
    """Compare the filesystem's striping with the plan, according to the superblock. Raises Failed."""
    kind = MADE[operation.filesystem]
    text = run([*kind.superblock_reader, operation.device], seconds=seconds).output
    if operation.others:
        profile = "RAID1" if operation.is_mirrored else "RAID0"
        return differences([("DATA", profile if f"DATA|{profile}" in text else None, profile)])
    seen, wanted = kind.striping_in(text) if kind.striping_in else None, operation.striping
    return differences(
        (name, getattr(seen, name, None), getattr(wanted, name)) for name in ("unit_bytes", "width_bytes")
    )


def _clean_check(device: str, filesystem: str, context: StepContext) -> Iterator[Check]:
    """Check that the filesystem is clean: with its own checker or, if mounted and that is impossible, by the
    kernel's error count. No second check of the bytes that passed in the rehearsal."""
    made = context.plan.filesystems
    devices = next((one.devices for one in made if one.device == device), (device,))
    # Another program may have mounted a filesystem that the plan does not mount.
    mounted = next((entry for entry in read_mounts() if entry.source in devices), None)
    before = Sentence("checked before mounting; errors since: {count}")
    if mounted is None:
        check = MADE[filesystem].clean_check
        if not context.compared:
            yield _tool_check([*check, device], NO_ERRORS(tool=check[0]), context)
    elif check := MADE[filesystem].mounted_check:
        yield _tool_check([*check, mounted.mount_point], before(count=0), context)
    else:
        errors = Path("/sys/fs") / filesystem / kernel_name(device) / "errors_count"
        count = int(text(errors) or 0)
        yield checked(count == 0, before(count=count))


NO_ERRORS = Sentence("{tool} found no errors")


def _tool_check(argv: Sequence[str], seen: Message, context: StepContext) -> Check:
    try:
        context.do(argv)
    except Failed as error:
        return checked(False, error)
    return checked(True, seen)


def mount_filesystem(operation: Mount, do: Callable[[Sequence[str]], object]) -> None:
    """Create the folder, mount, and compare with the kernel's mount table. Repeatable. Raises Failed."""
    place = Path(operation.mount_point)
    if not is_mounted(operation):
        try:
            check_mount_point(place)
        except Refused as error:
            raise Failed(reason_of(error)) from None
        with failing(UNWRITTEN, file=place):
            place.mkdir(parents=True, exist_ok=True)
        mount_checked(operation, do)
    _check_mount(operation)


def _mount_in_step(operation: Mount, context: StepContext) -> str:
    """Mount the filesystem, and return a summary. Raises Failed."""
    mount_filesystem(operation, context.command)
    return context.planned.holds[0]


def _check_mount(operation: Mount) -> None:
    if found := mount_differences(operation):
        message = Sentence("{place} is not mounted as planned: {differences:semicolons}.")
        raise Failed(message(place=operation.mount_point, differences=found))


def mount_checked(operation: Mount, do: Callable[[Sequence[str]], object]) -> None:
    """Mount at a free place. If it then shows another filesystem, unmount it again. Raises Failed."""
    for argv in operation.commands():
        do(argv)
    mounts = [entry for entry in read_mounts() if entry.mount_point == operation.mount_point]
    # Of two mounts, the upper one is another program's and hides ours.
    if len(mounts) == 1 and not is_mounted(operation):
        try:
            _check_mount(operation)
        finally:
            do(("umount", operation.mount_point))


NOBODY = 65534
"""Uid and gid of the user nobody, the same in every distribution."""

UNKNOWN = 255


def _mount_checks(operation: Mount, context: StepContext) -> Iterator[Check]:
    """Check the mount, and that the planned writer can write there. No check if only root may write, or for
    read-only mounts."""
    place = operation.mount_point
    yield matched(lambda: mount_differences(operation))
    volume = next((volume for volume in context.plan.volumes if volume.path == operation.device), None)
    if volume is None or volume.writer.kind == "root" or "ro" in operation.options:
        return
    is_there = is_mounted(operation)
    fault = _write_fault(Path(place), volume.writer) if is_there else t("nothing is mounted there")
    what = t("{who} can write to {place}", who=volume.writer.shown, place=place)
    yield Check(str(what), not fault, str(fault or t("wrote and deleted a file")))


def _write_fault(folder: Path, writer: Writer) -> str:
    """Return the system error if the writer cannot create and delete a file in the folder, or an empty
    string. Requires root."""
    file = folder / f".diskwright-{uuid4()}"
    if not (child := os.fork()):
        code, person = UNKNOWN, writer.kind == "person"
        try:
            # A group's writer is nobody with that group.
            os.setgroups([writer.gid] if writer.kind == "group" else [])
            os.setgid(writer.gid if person else NOBODY)
            os.setuid(writer.uid if person else NOBODY)
            fd = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            os.write(fd, b"written to see that it can be\n")
            os.close(fd)
            file.unlink()
            code = 0
        except OSError as error:
            code = error.errno or UNKNOWN
        finally:
            # Exit without cleanup: inherited resources belong to the run's process.
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return os.strerror(code) if code else ""


def _turn_on(operation: TurnOnSwap, context: StepContext) -> None:
    """Enable swap on the device. Repeatable. Raises Failed."""
    if not is_swap(operation.device):
        context.run_commands()


def _file_of(operation: AddFstabLine | AddCrypttabLine, environment: Environment) -> Path:
    return environment.crypttab if isinstance(operation, AddCrypttabLine) else environment.fstab


def add_line(operation: AddFstabLine | AddCrypttabLine, context: StepContext) -> None:
    """Add the line to fstab or crypttab. Raises Failed."""
    file = _file_of(operation, context.environment)
    fstab.add_line(file, operation, kept_as(file, context.work.run.name))


def _line_checks(operation: AddFstabLine | AddCrypttabLine, context: StepContext) -> Iterator[Check]:
    """Check that the file has the line exactly once."""
    times = read_text(_file_of(operation, context.environment)).splitlines().count(operation.line)
    yield checked(times == 1, t("{times} found", times=times))


STEPS: Steps = {
    MakeFilesystem: (_make_filesystem, _filesystem_checks),
    MakeSubvolumes: (_make_subvolumes, _subvolume_checks),
    SetOwner: (_set_owner, lambda *_: ()),
    AddFstabLine: (add_line, _line_checks),
    AddCrypttabLine: (add_line, _line_checks),
    Mount: (_mount_in_step, _mount_checks),
    TurnOnSwap: (
        _turn_on,
        lambda operation, _: [matched(lambda: () if is_swap(operation.device) else [t("nothing")])],
    ),
}
