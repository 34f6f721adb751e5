"""Having the kernel see one partition that changed, while its neighbours are in use."""

from contextlib import suppress
from pathlib import Path

from wizard.apply.block.devices import forget_caches, tell_of
from wizard.model.errors import DiskwrightError
from wizard.model.plan import Plan
from wizard.probe.machine import probe_drive
from wizard.tools.program import run


def tell_of_one(plan: Plan) -> None:
    """Have the kernel take up the plan's partition as the table has it now, or let go of it. Its neighbours
    are left alone. Whether it did is checked afterwards. Raises Failed."""
    drive, number, part = plan.drive.path, plan.part, plan.part_path
    forget_caches(drive)
    if any(one.number == number for one in probe_drive(drive).partitions if one.type is not None):
        tell_of(drive, (number,))
    elif Path(part).exists():
        with suppress(DiskwrightError):
            run(("partx", "--delete", "--nr", f"{number}:{number}", drive), seconds=30)
    if Path(part).exists():
        forget_caches(part)
