"""Whether one partition of a drive can be changed while the others stay: the reason against it, or None.

The planner refuses for these reasons, and a menu shows them beforehand. Pure.
"""

from wizard.filesystems.partitions import CONTAINER_TYPES
from wizard.layout.one.words import CONTAINER, NO_NODE, NOT_LAST, OTHERWISE, USED, WAITING, ZONED
from wizard.layout.room.refusals import in_use, measured, refuse_table, uses_of_part
from wizard.layout.room.space import MBR_PRIMARIES
from wizard.model.drive_facts import HOST_MANAGED
from wizard.model.errors import Refused
from wizard.model.machine import Drive, Partition
from wizard.model.names import printable
from wizard.model.said import Said


def why_not_format(drive: Drive, part: Partition) -> Said | None:
    """Why the partition cannot be given a new filesystem in its place."""
    return _why_not_touch(drive, part)


def why_not_delete(drive: Drive, part: Partition) -> Said | None:
    """Why the partition cannot be taken out of the table."""
    if why := _why_not_touch(drive, part):
        return why
    last = max(other.number for other in drive.partitions)
    if drive.table and drive.table.kind == "mbr" and MBR_PRIMARIES < part.number < last:
        return NOT_LAST(part=part.path, last=last)
    return None


def _why_not_touch(drive: Drive, part: Partition) -> Said | None:
    if drive.zoned == HOST_MANAGED:
        return ZONED(drive=drive.path)
    if part.type in CONTAINER_TYPES:
        return CONTAINER(part=part.path)
    if uses := uses_of_part(drive, part.path):
        return USED(part=part.path, how=in_use(uses[0]))
    if drive.waiting is not None and drive.waiting.bare:
        return WAITING(run=printable(drive.waiting.run, 60), drive=drive.path)
    try:
        measured(drive)
        refuse_table(drive)
    except Refused as refusal:
        return OTHERWISE(why=str(refusal))
    if part.kernel_start_bytes is None:
        return NO_NODE(part=part.path, drive=drive.path)
    return None
