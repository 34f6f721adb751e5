"""What the running system must have for what is planned: programs, and what the kernel does between
partitions and filesystems."""

from collections.abc import Iterable

from wizard.advise.missing import Lacking, lacking
from wizard.layout import words
from wizard.model.documents.changes import EditFstab
from wizard.model.errors import Refused
from wizard.model.machine import Kernel, Machine
from wizard.model.names import printable
from wizard.model.operations.encryption import AddCrypttabLine
from wizard.model.plan import AddFstabLine
from wizard.model.said import Said

DEVICE_MAPPER, CRYPT = "dm_mod", "dm_crypt"
NEEDED = {
    DEVICE_MAPPER: ("device mapper", words.NO_LVM),
    CRYPT: ("dm-crypt", words.NO_CRYPT),
    "raid0": ("md RAID0", words.NO_RAID0),
    "raid1": ("md RAID1", words.NO_RAID1),
}
"""By module, which for md is also its level: what it is called, and what is so without it."""


def refuse_lacking(kernel: Kernel, module: str) -> None:
    """Raises Refused where the kernel surely neither has the module nor can load it."""
    if kernel.lacks(module):
        name, without = NEEDED[module]
        release = printable(kernel.release, 60)
        raise Refused(str(words.LACKING(release=release, name=name, without=without())))


def refuse_missing(machine: Machine, programs: Iterable[str]) -> None:
    """Raises Lacking where one of these programs is not installed."""
    if absent := lacking(machine, programs):
        raise Lacking(absent)


def rehearsal_doubts(kernel: Kernel) -> tuple[Said, ...]:
    """What is said where the kernel surely has no loop devices to rehearse on."""
    if not kernel.lacks("loop"):
        return ()
    return (words.NO_LOOP(release=printable(kernel.release, 60)),)


def forgotten_doubts(machine: Machine, operations: Iterable[object]) -> tuple[Said, ...]:
    """What is said of lines for every boot where the system may not have them at its next one, or not
    read them."""
    written = any(
        isinstance(one, AddFstabLine | AddCrypttabLine)
        or (isinstance(one, EditFstab) and any(line.new is not None for line in one.lines))
        for one in operations
    )
    if not written:
        return ()
    if machine.in_container:
        return (words.IN_CONTAINER,)
    return (words.FORGOTTEN,) if machine.live_medium else ()
