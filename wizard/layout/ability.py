"""What the running system must have for what is planned: programs, and what the kernel does between
partitions and filesystems."""

from collections.abc import Iterable

from wizard.advise.missing import lacking
from wizard.model.errors import Refused
from wizard.model.machine import Kernel, Machine
from wizard.model.names import printable

DEVICE_MAPPER, CRYPT = "dm_mod", "dm_crypt"
NEEDED = {
    DEVICE_MAPPER: ("device mapper", "LVM's volumes cannot be had"),
    CRYPT: ("dm-crypt", "no encrypted volume can be opened"),
    "raid0": ("md RAID0", "md stripes nothing"),
    "raid1": ("md RAID1", "md mirrors nothing"),
}
"""By module, which for md is also its level: what it is called, and what is so without it."""


def refuse_lacking(kernel: Kernel, module: str) -> None:
    """Raises Refused where the kernel surely neither has the module nor can load it."""
    if kernel.lacks(module):
        name, without = NEEDED[module]
        raise Refused(
            f"The running kernel ({printable(kernel.release, 60)}) has no {name}, without which {without}: "
            "boot one that has, or install its module."
        )


def refuse_missing(machine: Machine, programs: Iterable[str]) -> None:
    """Raises Refused where one of these programs is not installed."""
    if absent := lacking(machine, programs):
        raise Refused(str(absent.said))


def rehearsal_doubts(kernel: Kernel) -> tuple[str, ...]:
    """What is said where the kernel surely has no loop devices to rehearse on."""
    if not kernel.lacks("loop"):
        return ()
    return (
        f"The running kernel ({printable(kernel.release, 60)}) has no loop devices, so nothing is tried out "
        "on a stand-in: every step runs on the drive itself, and what it formats cannot be put back.",
    )
