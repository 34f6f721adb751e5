"""Mounting a volume where the plan says."""

from pathlib import Path

from wizard.apply.plan.guard import check_mount_point
from wizard.apply.steps.step_context import Commands
from wizard.apply.system.mounts import is_mounted, mount_differences
from wizard.layout.steps.commands import commands_of
from wizard.model.errors import Failed, Refused
from wizard.model.names import printable
from wizard.model.plan import Mount


def mount_filesystem(operation: Mount, site: Commands) -> str:
    """Make the folder, mount, and compare with what the kernel says. Repeatable: what is mounted as planned
    stays."""
    place = Path(operation.mount_point)
    if not is_mounted(operation):
        try:
            check_mount_point(place)
            place.mkdir(parents=True, exist_ok=True)
        except Refused as error:
            raise Failed(str(error)) from None
        except OSError as error:
            raise Failed(
                f"The folder {printable(str(place), 200)} could not be made: {error.strerror}."
            ) from None
        for argv in commands_of(operation):
            site.command(argv)
    if differences := mount_differences(operation):
        raise Failed(f"{printable(str(place), 200)} is not mounted as planned: {'; '.join(differences)}.")
    return (
        f"{operation.device} is mounted at {printable(str(place), 200)} with every option that was advised."
    )
