"""Mounting a volume where the plan says."""

from collections.abc import Callable, Sequence
from pathlib import Path

from wizard.apply.plan.guard import check_mount_point
from wizard.apply.steps.step_context import Commands
from wizard.apply.steps.words import filesystems as words
from wizard.apply.system.mounts import is_mounted, mount_differences, read_mounts
from wizard.layout.steps.commands import commands_of
from wizard.model.errors import Failed, Refused
from wizard.model.plan import Mount
from wizard.model.said import Said, Sentence, reason_of, t

NOT_MOUNTED = Sentence("{place} is not mounted as planned: {differences:semicolons}.")


def mount_filesystem(operation: Mount, site: Commands) -> Said:
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
            raise Failed(words.NO_FOLDER(place=str(place), why=str(error.strerror))) from None
        mount_checked(operation, site.command)
    if differences := mount_differences(operation):
        raise Failed(NOT_MOUNTED(place=str(place), differences=tuple(differences)))
    return t(
        "{device} is mounted at {place} with every option that was advised.",
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
