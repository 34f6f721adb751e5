"""What the running kernel must have for what stands between partitions and filesystems."""

from collections.abc import Sequence

from wizard.layout.rehearsed import why_on_drive
from wizard.model.errors import Refused
from wizard.model.machine import Kernel
from wizard.model.names import printable
from wizard.model.plan import Operation

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


def rehearsal_doubts(kernel: Kernel, operations: Sequence[Operation], *, keep: bool) -> tuple[str, ...]:
    """What is said where the kernel surely has no loop devices to rehearse on: of all the steps, or, in a
    plan whose steps run on the drive itself anyway, of a table that keeps partitions.
    """
    if not kernel.lacks("loop"):
        return ()
    if not why_on_drive(operations):
        return (
            f"The running kernel ({printable(kernel.release, 60)}) has no loop devices, so nothing is tried "
            "out on a stand-in: every step runs on the drive itself, and what it formats cannot be put back.",
        )
    if not keep:
        return ()
    return (
        f"The running kernel ({printable(kernel.release, 60)}) has no loop devices, so the new table is not "
        "rehearsed: libparted writes it to the drive itself, and a power cut meanwhile can leave it half "
        "written until the run goes on.",
    )
