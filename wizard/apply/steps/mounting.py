"""Execute and verify operations that put a volume to use: fstab line, mount and swap."""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from uuid import uuid4

from wizard.apply.plan.guard import check_mount_point
from wizard.apply.steps.filesystem import NO_FOLDER
from wizard.apply.steps.step_context import Commands, Finished, StepContext, line_checks, matched
from wizard.apply.system import fstab
from wizard.apply.system.edited_file import kept_as
from wizard.apply.system.mounts import is_mounted, is_swap, mount_differences, read_mounts
from wizard.model.errors import Failed, Refused
from wizard.model.layout import Writer
from wizard.model.run import Check
from wizard.model.said import Message, reason_of, t
from wizard.operations.mounts import AddFstabLine, Mount, TurnOnSwap


def mount_filesystem(operation: Mount, context: Commands) -> None:
    """Create the folder, mount, and compare with the kernel's mount table. Repeatable. Raises Failed."""
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
    _check_mount(operation)


def mount_in_step(operation: Mount, context: StepContext) -> Message:
    """Mount the filesystem, and return a summary. Raises Failed."""
    mount_filesystem(operation, context)
    return context.confirm([matched(lambda: mount_differences(operation))])


def _check_mount(operation: Mount) -> None:
    if differences := mount_differences(operation):
        raise Failed(
            t(
                "{place} is not mounted as planned: {differences:semicolons}.",
                place=operation.mount_point,
                differences=differences,
            )
        )


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


def mount_checks(operation: Mount, finished: Finished) -> Iterator[Check]:
    """Check the mount, and that the planned writer can write there. No check if only root may write, or for
    read-only mounts."""
    place = operation.mount_point
    yield matched(lambda: mount_differences(operation))
    volume = next((volume for volume in finished.plan.volumes if volume.path == operation.device), None)
    if volume is None or volume.writer.kind == "root" or "ro" in operation.options:
        return
    fault = (
        _write_fault(Path(operation.mount_point), volume.writer)
        if is_mounted(operation)
        else t("not mounted there")
    )
    what = t("{who} can write to {place}", who=volume.writer.shown, place=place)
    yield Check(str(what), not fault, str(fault or t("wrote and deleted a file")))


def _write_fault(folder: Path, writer: Writer) -> str:
    """Return the system error if the writer cannot create and delete a file in the folder, or an empty
    string. Requires root."""
    file = folder / f".diskwright-{uuid4()}"
    if not (child := os.fork()):
        code = UNKNOWN
        try:
            code = _try_as(writer, file)
        finally:
            # Exit without cleanup: inherited resources belong to the run's process.
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return os.strerror(code) if code else ""


def _try_as(writer: Writer, file: Path) -> int:
    """Become the writer for good, create and delete a file. Return 0 or the error number. A group's writer is
    nobody with that group."""
    person = writer.kind == "person"
    try:
        os.setgroups([writer.gid] if writer.kind == "group" else [])
        os.setgid(writer.gid if person else NOBODY)
        os.setuid(writer.uid if person else NOBODY)
        fd = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        os.write(fd, b"written to see that it can be\n")
        os.close(fd)
        file.unlink()
    except OSError as error:
        return error.errno or UNKNOWN
    return 0


def swap_checks(operation: TurnOnSwap, finished: Finished) -> Iterator[Check]:
    """Check that the kernel uses the swap."""
    yield matched(lambda: () if is_swap(operation.device) else [t("not listed")])


def turn_on(operation: TurnOnSwap, context: StepContext) -> Message:
    """Enable swap on the device, and check that the kernel lists it. Repeatable. Raises Failed."""
    if not is_swap(operation.device):
        context.run_commands()
    return context.confirm(swap_checks(operation, context.finished()))


def add_fstab_line(operation: AddFstabLine, context: StepContext) -> Message:
    """Add the line to fstab, and return a summary. Raises Failed."""
    file = context.environment.fstab
    fstab.add_line(file, operation, kept_as(file, context.run_name))
    return context.confirm(fstab_checks(operation, context.finished()))


def fstab_checks(operation: AddFstabLine, finished: Finished) -> Iterator[Check]:
    """Check that fstab has the line once."""
    return line_checks(finished.environment.fstab, operation.line)
