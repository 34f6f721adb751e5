"""Having the kernel see one partition that changed, while its neighbours are in use."""

from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

from wizard.apply.block.devices import FORGET_SECONDS, forget_caches, tell_of
from wizard.model.errors import DiskwrightError, Failed
from wizard.model.plan import Plan
from wizard.probe.machine import probe_drive
from wizard.tools.program import run


def tell_of_one(plan: Plan) -> None:
    """Have the kernel take up the plan's partition as the table has it now, or let go of it. Its neighbours
    are left alone. Whether it did is checked afterwards. Raises Failed."""
    drive, number, part = plan.drive.path, plan.part, plan.part_path
    forget_caches(drive)
    entry = next((one for one in probe_drive(drive).partitions if one.number == number and one.type), None)
    there = Path(part).exists()
    if entry is not None and not there:
        tell_of(drive, (number,))
    elif entry is None and there:
        _partx("--delete", drive, number)
    elif entry is not None and entry.kernel_size_bytes != entry.size_bytes:
        _partx("--update", drive, number)
    if Path(part).exists():
        forget_caches(part)


def _partx(what: str, drive: str, number: int) -> None:
    """Ask again while it is busy: whoever looks at a partition, such as udev, has it open for a moment."""
    until = monotonic() + FORGET_SECONDS
    with suppress(DiskwrightError):
        while True:
            try:
                run(("partx", what, "--nr", f"{number}:{number}", drive), seconds=30)
                return
            except Failed:
                if monotonic() > until:
                    return
                sleep(0.2)
