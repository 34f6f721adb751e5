"""Whether one partition of a drive can be changed while the others stay: the reason against it, or None.

The planner refuses for these reasons, and a menu shows them beforehand. Pure.
"""

from wizard.filesystems.partitions import CONTAINER_TYPES
from wizard.layout.before import layout_before
from wizard.layout.one.words import (
    CONTAINER,
    LOGICAL_STAYS,
    NO_NODE,
    NO_ROOM,
    NOT_GROWN,
    NOT_LAST,
    NOTHING_TO_GROW,
    OTHERWISE,
    USED,
    WAITING,
    ZONED,
)
from wizard.layout.room.refusals import in_use, measured, refuse_table, uses_of_part
from wizard.layout.room.space import MBR_PRIMARIES
from wizard.model.drive_facts import HOST_MANAGED
from wizard.model.errors import Refused
from wizard.model.geometry import align_down
from wizard.model.machine import Drive, Partition
from wizard.model.names import printable
from wizard.model.said import Said

GROWN_FILESYSTEMS = frozenset({"ext2", "ext3", "ext4"})
"""Those whose own records can be shown on a stand-in without their files, so that growing is tried out."""


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


def why_not_grow(drive: Drive, part: Partition) -> Said | None:
    """Why the partition, and the filesystem in it, cannot take the free space behind it."""
    if why := _why_not_touch(drive, part):
        return why
    if drive.table and drive.table.kind == "mbr" and part.number > MBR_PRIMARIES:
        return LOGICAL_STAYS(part=part.path)
    if not part.signatures:
        return NOTHING_TO_GROW(part=part.path)
    if part.filesystem not in GROWN_FILESYSTEMS:
        what = "+".join(printable(signature.kind, 30) for signature in part.signatures)
        return NOT_GROWN(part=part.path, what=what)
    return None if room_behind(drive, part) else NO_ROOM(part=part.path)


def room_behind(drive: Drive, part: Partition) -> int:
    """How many bytes a partition of a drive of known size can grow by: up to the last aligned place before
    what comes next."""
    size_bytes, geometry = measured(drive)
    slots = layout_before(drive, size_bytes, geometry, keep=True).slots
    free = (slot for slot in slots if not slot.number and slot.start_bytes == part.end_bytes)
    end = max((align_down(geometry, slot.end_bytes) for slot in free), default=0)
    return max(0, end - part.end_bytes)


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
