"""Explain why one partition cannot be changed without affecting the others, or return None.

The planner refuses for these reasons, and menus show them in advance. Pure.
"""

from wizard.filesystems import partition_types
from wizard.filesystems.kind import Growing
from wizard.filesystems.registry import KINDS, title_of
from wizard.model.drive_facts import HOST_MANAGED
from wizard.model.errors import why_not
from wizard.model.machine import Drive, Extent, Partition, kinds_in
from wizard.model.said import MIB, Message, Sentence, join, rounded_up, t
from wizard.plan import dangers, refusals
from wizard.plan.free_space import MBR_PRIMARIES
from wizard.plan.request.volume_request import size_text

MOUNTED = frozenset({"mounted", "running-system"})
"""Uses that still allow growing a filesystem that supports it while mounted."""

HAS_JOURNAL, NEEDS_RECOVERY = 0x4, 0x4
"""ext feature bits: journal (compatible) and pending recovery (incompatible) (Linux fs/ext4/ext4.h)."""

MARGIN_SHARE, MARGIN_BYTES = 16, 8 * MIB
"""Minimum free space after shrinking: one part in this many, plus this many bytes. resize2fs leaves one in
500, and at most twice the number of inodes (e2fsprogs, resize/resize2fs.c, calculate_minimum_resize_size)."""


WAITING = Sentence("Run {run} is waiting on {drive}. Use `diskwright keep` or `diskwright undo` first.")
EXTENDED = Sentence("{part} is an extended partition. Use the logical partitions inside instead.")
SAME_SIZE = Sentence("{part} already has {size:exact}. Ends are rounded up to a multiple of {grain:exact}.")
UNCLEAN = Sentence(
    "{device} is scheduled for a check. Start Windows twice, or run `chkdsk /f` there, then try again."
)


def why_not_delete(drive: Drive, part: Partition) -> Message | None:
    """Return why the partition cannot be deleted, or None."""
    if why := why_not_change(drive, part):
        return why
    last = max(other.number for other in drive.partitions)
    if drive.table_kind == "mbr" and MBR_PRIMARIES < part.number < last:
        return t(
            "Logical partitions after {part} would be renumbered. Delete partition {last} first.",
            part=part,
            last=last,
        )
    return None


def why_not_shrink(drive: Drive, part: Partition) -> Message | None:
    """Return why the partition and the filesystem cannot shrink, or None. Permanent reasons come first."""
    growing = growing_of(part.filesystem)
    if part.signatures and not (growing and growing.smaller):
        return t(
            "{what} cannot shrink. Copy the files to a smaller volume instead: "
            "`diskwright bring {part} VOLUME`.",
            part=part,
            what=title_of(kinds_in(part.signatures)),
        )
    if any(use.kind == "mounted" for use in refusals.uses_of(drive, part.path)):
        return t(
            "{part} is mounted and can only shrink unmounted. Run `diskwright unmount {part}` first.",
            part=part,
        )
    if why := why_not_change(drive, part) or _why_cannot_resize(drive, part):
        return why
    if part.overhang is not None:
        return t(
            "The contents of {part} continue after its end. Restore the end first: "
            "`diskwright plan {part} --grow`.",
            part=part,
        )
    mark = part.signatures[0]
    if mark.unclean:
        return UNCLEAN(device=part)
    if mark.features is not None and mark.features[1] & NEEDS_RECOVERY:
        return t(
            "{what} was not unmounted cleanly. Check the filesystem first: `{command}`.",
            what=part,
            command=f"e2fsck -f {part.path}",
        )
    if least_bytes(drive, part) >= part.size_bytes:
        return t(
            "{part} cannot shrink: files and metadata use {taken:size} of {size:size}.",
            part=part,
            taken=mark.taken_bytes or 0,
            size=part.size_bytes,
        )
    return None


def least_bytes(drive: Drive, part: Partition) -> int:
    """Return the minimum size of a partition when shrinking: used space, if known, plus a margin. The
    rehearsal may show that slightly more is needed."""
    taken = part.signatures[0].taken_bytes or 0
    return aligned_size(drive, part, taken + taken // MARGIN_SHARE + MARGIN_BYTES)


def how_to_free(drive: Drive) -> Message | None:
    """Return the command that frees the most space without loss, or else deletes the largest partition. None
    without partitions."""
    parts = [part for part in drive.partitions if part.type not in partition_types.CONTAINERS]
    if not parts:
        return None
    part = max(parts, key=lambda part: (_freed_bytes(drive, part), part.size_bytes))
    if why := why_not_shrink(drive, part):
        deletes = t("`diskwright plan {part} --delete` deletes it with all files.", part=part)
        return why if why_not_delete(drive, part) else join(why, deletes)
    return t(
        "`diskwright plan {part} --shrink {least}` frees {freed:size} at most, and preserves all files.",
        part=part,
        least=size_text(least_bytes(drive, part)),
        freed=_freed_bytes(drive, part),
    )


def _freed_bytes(drive: Drive, part: Partition) -> int:
    return 0 if why_not_shrink(drive, part) else part.size_bytes - least_bytes(drive, part)


def aligned_size(drive: Drive, part: Partition, asked_bytes: int) -> int:
    """Return the requested size rounded up to an aligned end, so free space starts aligned. The drive's size
    must be known."""
    _, geometry = refusals.measured(drive)
    return geometry.align_up(part.start_bytes + asked_bytes) - part.start_bytes


def why_not_grow(drive: Drive, part: Partition) -> Message | None:
    """Return why the partition and the filesystem cannot grow into the adjacent free space, or None."""
    if why := why_not_change(drive, part):
        return why
    if part.overhang is not None:
        return _why_cannot_resize(drive, part) or _why_not_restore_end(drive, part)
    if why := _why_cannot_grow(drive, part):
        return why
    if part.is_unfilled or room_behind(drive, part):
        return None
    return t("No free space directly after {part}.", part=part)


def _why_not_restore_end(drive: Drive, part: Partition) -> Message | None:
    """Return what occupies the end of the contents that the partition cuts, or None."""
    end = part.start_bytes + needed_bytes(drive, part)
    lost = Extent(part.end_bytes, end - part.end_bytes)
    for other in drive.partitions:
        if other is not part and (other.overlaps(lost) or (other.overhang or other).overlaps(lost)):
            return t("The end of the contents of {part} is in {other}.", part=part, other=other)
    if end > dangers.bounds_of(drive).end_bytes:
        return t(
            "The contents of {part} end at byte {end}, after the last usable byte of {drive}.",
            part=part,
            end=end,
            drive=drive,
        )
    return None


def needed_bytes(drive: Drive, part: Partition) -> int:
    """Return the least size of a partition in whole blocks that contains all its contents."""
    _, geometry = refusals.measured(drive)
    size = part.overhang.end_bytes - part.start_bytes if part.overhang else part.size_bytes
    return rounded_up(size, geometry.logical_block_bytes)


def largest_bytes(drive: Drive, part: Partition) -> int:
    """Return the size with all adjacent free space. For cut contents, just enough, with an aligned end if
    that space is free."""
    most, least = part.size_bytes + room_behind(drive, part), needed_bytes(drive, part)
    aligned = aligned_size(drive, part, least)
    return most if part.overhang is None else aligned if aligned <= most else least


def why_not_size(drive: Drive, part: Partition, size_bytes: int, *, grows: bool) -> Message | None:
    """Return why a size from `aligned_size` is not possible when growing or shrinking, or None."""
    _, geometry = refusals.measured(drive)
    least, most = least_bytes(drive, part), part.size_bytes
    if grows:
        least, most = needed_bytes(drive, part), part.size_bytes + room_behind(drive, part)
        if (limit := part.signatures[0].most_bytes) is not None:
            most = min(most, geometry.align_down(part.start_bytes + limit) - part.start_bytes)
    if size_bytes == part.size_bytes and not part.is_unfilled if grows else size_bytes >= part.size_bytes:
        return SAME_SIZE(part=part, size=part.size_bytes, grain=geometry.grain_bytes)
    if size_bytes > most:
        return t("{part} cannot be that large. Request at most {most:exact}.", part=part, most=most)
    if size_bytes < least:
        return t("{part} cannot be that small. Request at least {least:exact}.", part=part, least=least)
    return None


def why_not_grow_mounted(drive: Drive, part: Partition) -> Message | None:
    """Return why a mounted partition cannot grow, or None. Free space is not checked, because the filesystem
    may not fill its partition."""
    if why := why_not_change(drive, part, mounted=True) or _why_cannot_grow(drive, part):
        return why
    growing, mark = growing_of(part.filesystem), part.signatures[0]
    lacks_journal = mark.kind.startswith("ext") and not (mark.features or (HAS_JOURNAL,))[0] & HAS_JOURNAL
    if growing is None or growing.in_use is None or part.overhang is not None or lacks_journal:
        return t(
            "{part} contains {kind}, which cannot grow while in use. Unmount {part} first.",
            part=part,
            kind=mark.kind,
        )
    return None


def _why_cannot_grow(drive: Drive, part: Partition) -> Message | None:
    if why := _why_cannot_resize(drive, part):
        return why
    if growing_of(part.filesystem):
        return UNCLEAN(device=part) if part.signatures[0].unclean else None
    kind = KINDS.get(part.filesystem or "")
    if kind and kind.why_not_grow:
        return t(
            "{part} cannot grow: {why}. Copy the files to a new volume instead: "
            "`diskwright bring {part} VOLUME`.",
            part=part,
            why=kind.why_not_grow,
        )
    return t(
        "{part} contains {what}. Only ext2, ext3, ext4, XFS, Btrfs and NTFS can grow so far.",
        part=part,
        what=kinds_in(part.signatures),
    )


def _why_cannot_resize(drive: Drive, part: Partition) -> Message | None:
    if drive.table_kind == "mbr" and part.number > MBR_PRIMARIES:
        return t("{part} is a logical partition. Logical partitions cannot be resized so far.", part=part)
    return None if part.signatures else t("No resizable content recognised on {part}.", part=part)


def growing_of(filesystem: str | None) -> Growing | None:
    """Return how a filesystem grows, or None if it does not."""
    kind = KINDS.get(filesystem or "")
    return kind.growing if kind else None


def room_behind(drive: Drive, part: Partition) -> int:
    """Return how many bytes a partition can grow, up to the last aligned place before the next one. The
    drive's size must be known."""
    _, geometry = refusals.measured(drive)
    slots = dangers.layout_before(drive, preserve=True).slots
    least = part.overhang.end_bytes if part.overhang else part.end_bytes
    free = (slot for slot in slots if not slot.number and slot.start_bytes == least)
    needed = part.start_bytes + needed_bytes(drive, part)
    end = max((geometry.align_down(slot.end_bytes) for slot in free), default=0)
    return max(needed, end) - part.end_bytes


def why_not_change(drive: Drive, part: Partition, *, mounted: bool = False) -> Message | None:
    """Return why the partition must not be changed, or None. `mounted`: a mount is not a reason."""
    if drive.zoned == HOST_MANAGED:
        return refusals.HOST_MANAGED_ZONES(drive=drive)
    if part.type in partition_types.CONTAINERS:
        return EXTENDED(part=part)
    uses = [use for use in refusals.uses_of(drive, part.path) if not (mounted and use.kind in MOUNTED)]
    if uses:
        return refusals.IN_USE(drive=part, how=refusals.in_use(uses[0]))
    if drive.waiting is not None and drive.waiting.bare:
        return WAITING(run=drive.waiting.run, drive=drive)
    if refused := why_not(refusals.measured, drive) or why_not(refusals.refuse_table, drive):
        return join(refused)
    if part.kernel_start_bytes is None:
        return t(
            "The kernel has not read {part} from the table. Run `partprobe {drive}` or reboot first.",
            part=part,
            drive=drive,
        )
    return None
