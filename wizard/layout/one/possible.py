"""Whether one partition of a drive can be changed while the others stay: the reason against it, or None.

The planner refuses for these reasons, and a menu shows them beforehand. Pure.
"""

from wizard.filesystems.kind import Growing
from wizard.filesystems.partitions import CONTAINER_TYPES, is_half_moved
from wizard.filesystems.registry import KINDS
from wizard.layout.before import layout_before
from wizard.layout.one.words import (
    CONTAINER,
    FULL,
    LOGICAL_STAYS,
    NEVER_GROWS,
    NEVER_SHRINKS,
    NO_JOURNAL,
    NO_NODE,
    NO_ROOM,
    NOT_GROWN,
    NOT_GROWN_IN_USE,
    NOT_LARGER,
    NOT_LAST,
    NOT_SHRUNK,
    NOT_SMALLER,
    NOT_UNMOUNTED,
    NOTHING_INSIDE,
    OTHERWISE,
    SMALL,
    TOO_LARGE,
    TOO_SMALL,
    UNMOUNT_FIRST,
    USED,
    WAITING,
    ZONED,
)
from wizard.layout.room.refusals import in_use, measured, refuse_table, uses_of_part
from wizard.layout.room.space import MBR_PRIMARIES
from wizard.layout.room.words import HALF_MOVED
from wizard.model.drive_facts import HOST_MANAGED
from wizard.model.errors import Refused
from wizard.model.geometry import align_down, align_up, grain_bytes
from wizard.model.machine import Drive, Partition
from wizard.model.names import printable
from wizard.model.said import Said
from wizard.model.units import MIB

PAGE_BYTES = 4096
"""What a stand-in tells apart."""

MOUNTED = frozenset({"mounted", "running-system"})
"""The uses in which a filesystem that can grow while it is mounted does so."""

HAS_JOURNAL, NEEDS_RECOVERY = 0x4, 0x4
"""The features of an ext filesystem with a journal, and with one that has something to play back: of the
compatible ones, and of the incompatible ones (Linux fs/ext4/ext4.h)."""

MARGIN_SHARE, MARGIN_BYTES = 16, 8 * MIB
"""What is left beside what is taken: one part of so many, and so much. resize2fs leaves one of 500, and twice
the number of inodes at most (e2fsprogs, resize/resize2fs.c, calculate_minimum_resize_size)."""


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


def why_not_shrink(drive: Drive, part: Partition) -> Said | None:
    """Why the partition, and the filesystem in it, cannot give up the end of its room. That it never could
    comes first."""
    if why := _why_not_shrunk(part):
        return why
    if any(use.kind == "mounted" for use in uses_of_part(drive, part.path)):
        return UNMOUNT_FIRST(part=part.path)
    if why := _why_not_touch(drive, part) or _why_not_resized(drive, part):
        return why
    mark, growing = part.signatures[0], growing_of(part.filesystem)
    if growing and (why := _why_not_whole_pages(part, growing)):
        return why
    if mark.features is not None and mark.features[1] & NEEDS_RECOVERY:
        return NOT_UNMOUNTED(part=part.path)
    if least_bytes(drive, part) >= part.size_bytes:
        return FULL(part=part.path, taken=mark.taken_bytes or 0, size=part.size_bytes)
    return None


def why_not_shrink_to(drive: Drive, part: Partition, size_bytes: int) -> Said | None:
    """Why it cannot have this size, which `aligned_size` gave."""
    _, geometry = measured(drive)
    if size_bytes >= part.size_bytes:
        return NOT_SMALLER(part=part.path, size=part.size_bytes, grain=grain_bytes(geometry))
    if size_bytes < (least := least_bytes(drive, part)):
        return TOO_SMALL(part=part.path, taken=part.signatures[0].taken_bytes or 0, least=least)
    return None


def _why_not_shrunk(part: Partition) -> Said | None:
    """Why what the partition holds is never made smaller."""
    growing, kind = growing_of(part.filesystem), KINDS.get(part.filesystem or "")
    if not part.signatures or (growing and growing.smaller):
        return None
    if kind and kind.never_shrinks:
        return NEVER_SHRINKS(title=kind.title, part=part.path)
    return NOT_SHRUNK(part=part.path, what=_kinds_in(part))


def least_bytes(drive: Drive, part: Partition) -> int:
    """The least that a partition is shrunk to: what is taken of it, as far as that is known, and a margin.
    Its program may find when it is tried out that a little more is needed."""
    taken = part.signatures[0].taken_bytes or 0
    return aligned_size(drive, part, taken + taken // MARGIN_SHARE + MARGIN_BYTES)


def aligned_size(drive: Drive, part: Partition, asked_bytes: int) -> int:
    """The size that a partition of a drive of known size gets where so many bytes are asked for: up to the
    next aligned place, so that what becomes free begins there."""
    _, geometry = measured(drive)
    return align_up(geometry, part.start_bytes + asked_bytes) - part.start_bytes


def why_not_grow(drive: Drive, part: Partition) -> Said | None:
    """Why the partition, and the filesystem in it, cannot take the free space behind it."""
    if why := _why_not_touch(drive, part) or _why_not_grown(drive, part):
        return why
    growing = growing_of(part.filesystem)
    if growing and (why := _why_not_whole_pages(part, growing)):
        return why
    return None if room_behind(drive, part) else NO_ROOM(part=part.path)


def _why_not_whole_pages(part: Partition, growing: Growing) -> Said | None:
    """Why a stand-in, which tells whole pages apart, cannot show it."""
    block = part.signatures[0].block_bytes or PAGE_BYTES
    if growing.whole_pages and (block % PAGE_BYTES or part.start_bytes % PAGE_BYTES):
        return SMALL(part=part.path, block=block, start=part.start_bytes)
    return None


def why_not_grow_to(drive: Drive, part: Partition, size_bytes: int) -> Said | None:
    """Why it cannot have this size, which `aligned_size` gave."""
    most = part.size_bytes + room_behind(drive, part)
    if size_bytes > most:
        return TOO_LARGE(part=part.path, most=most)
    if size_bytes <= part.size_bytes:
        return NOT_LARGER(part=part.path, size=part.size_bytes)
    return None


def why_not_grow_mounted(drive: Drive, part: Partition) -> Said | None:
    """The same where a person has it mounted, and it stays so. Whether there is room is not asked: it may not
    even fill its partition."""
    if why := _why_not_touch(drive, part, mounted=True) or _why_not_grown(drive, part):
        return why
    growing, mark = growing_of(part.filesystem), part.signatures[0]
    if growing is None or growing.in_use is None:
        return NOT_GROWN_IN_USE(part=part.path, kind=printable(mark.kind, 30))
    if mark.kind.startswith("ext") and not (mark.features or (HAS_JOURNAL,))[0] & HAS_JOURNAL:
        return NO_JOURNAL(part=part.path)
    return None


def _why_not_grown(drive: Drive, part: Partition) -> Said | None:
    """Why the table, or what the partition holds, does not let it grow."""
    if why := _why_not_resized(drive, part):
        return why
    if growing_of(part.filesystem):
        return None
    kind = KINDS.get(part.filesystem or "")
    if kind and kind.why_not_grow:
        return NEVER_GROWS(part=part.path, why=kind.why_not_grow)
    return NOT_GROWN(part=part.path, what=_kinds_in(part))


def _why_not_resized(drive: Drive, part: Partition) -> Said | None:
    """Why the partition cannot have another size with what is in it, whichever that is."""
    if drive.table and drive.table.kind == "mbr" and part.number > MBR_PRIMARIES:
        return LOGICAL_STAYS(part=part.path)
    return None if part.signatures else NOTHING_INSIDE(part=part.path)


def _kinds_in(part: Partition) -> str:
    return "+".join(printable(signature.kind, 30) for signature in part.signatures)


def growing_of(filesystem: str | None) -> Growing | None:
    """How a filesystem by this name grows; None where it does not."""
    kind = KINDS.get(filesystem or "")
    return kind.growing if kind else None


def room_behind(drive: Drive, part: Partition) -> int:
    """How many bytes a partition of a drive of known size can grow by: up to the last aligned place before
    what comes next."""
    size_bytes, geometry = measured(drive)
    slots = layout_before(drive, size_bytes, geometry, keep=True).slots
    free = (slot for slot in slots if not slot.number and slot.start_bytes == part.end_bytes)
    end = max((align_down(geometry, slot.end_bytes) for slot in free), default=0)
    return max(0, end - part.end_bytes)


def _why_not_touch(drive: Drive, part: Partition, *, mounted: bool = False) -> Said | None:
    """Why nothing of the partition may change; that it is `mounted` may be no reason."""
    if drive.zoned == HOST_MANAGED:
        return ZONED(drive=drive.path)
    if part.type in CONTAINER_TYPES:
        return CONTAINER(part=part.path)
    if is_half_moved(part):
        return HALF_MOVED(part=part.path, drive=drive.path)
    uses = [use for use in uses_of_part(drive, part.path) if not (mounted and use.kind in MOUNTED)]
    if uses:
        return USED(part=part.path, how=in_use(uses[0]))
    if drive.waiting is not None and drive.waiting.bare:
        return WAITING(run=drive.waiting.run, drive=drive.path)
    try:
        measured(drive)
        refuse_table(drive, puts_backup_right=True)
    except Refused as refusal:
        return OTHERWISE(why=str(refusal))
    if part.kernel_start_bytes is None:
        return NO_NODE(part=part.path, drive=drive.path)
    return None
