"""The mark of an MBR's active (bootable) partition, which diskwright does not set: what is said of it."""

from collections.abc import Sequence

from wizard.layout.room import words
from wizard.layout.wishes.roles import role_of
from wizard.model.names import printable
from wizard.model.plan import Layout, Volume
from wizard.model.said import Said

ACTIVE = 0x80
"""The first byte of an MBR's entry for the partition that an old boot record starts from (UEFI 2.10, table
5.1, BootIndicator)."""


def unmarked_doubts(drive_path: str, after: Layout, volumes: Sequence[Volume]) -> tuple[Said, ...]:
    """What is said where a system is to start from an MBR that marks no partition, with the command that
    marks the right one."""
    if after.table != "mbr" or any(slot.attributes & ACTIVE for slot in after.partitions):
        return ()
    parts = {role.name: volume.partition for volume in volumes if (role := role_of(volume))}
    number = parts.get("boot", parts.get("root"))
    if number is None:
        return ()
    return (words.NOT_ACTIVE(drive=printable(drive_path), number=number),)
