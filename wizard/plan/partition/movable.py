"""Explain why a partition cannot be moved, or return None. Used by menus and the planner. Pure."""

from wizard.filesystems.kind import BIOS_BOOT_GPT_TYPE, CONTAINER_TYPES
from wizard.model.drive_facts import HOST_MANAGED
from wizard.model.errors import Refused, printable
from wizard.model.machine import Drive, Partition
from wizard.model.said import KIB, MIB, Message, t
from wizard.plan.refusals import measured, refuse_drive, refuse_table

WITHOUT_PLACE = frozenset(
    {
        "btrfs", "crypto_LUKS", "ext2", "ext3", "ext4", "f2fs", "jfs", "linux_raid_member", "LVM2_member",
        "nilfs2", "reiserfs", "swap", "xfs",
    }
)  # fmt: skip
"""libblkid names of contents written by Linux through the partition, so all positions are relative to its
start."""

MOVABLE = WITHOUT_PLACE | {"exfat", "ntfs", "vfat"}
"""The others store their start, which the move updates."""

SMALLEST_BYTES = MIB
LARGEST_PHYSICAL_BYTES = 16 * KIB


def why_not_move(drive: Drive, part: Partition) -> Message | str | None:
    """Return why the partition cannot be moved at all, or None."""
    return _why_not_drive(drive) or _why_not_content(drive, part)


def _why_not_drive(drive: Drive) -> Message | str | None:
    if drive.zoned == HOST_MANAGED:
        return t(
            "{drive} requires sequential writes within zones: moving in place is not possible.",
            drive=drive.path,
        )
    if drive.waiting is not None and drive.waiting.bare:
        return t(
            "Run {run} is waiting on {drive}. Keep or undo the run first.",
            run=drive.waiting.run,
            drive=drive.path,
        )
    try:
        refuse_drive(drive)
        _, geometry = measured(drive)
        refuse_table(drive)
    except Refused as refusal:
        return str(refusal)
    table = drive.table
    if table is not None and table.backup == "misplaced":
        return t(
            "The backup GPT of {drive} is misplaced. Growing the last partition or adding one corrects this.",
            drive=drive.path,
        )
    if table is None or table.kind not in ("gpt", "mbr"):
        return t(
            "{drive} has a partition table that does not support moves: {kind}.",
            drive=drive.path,
            kind=table.kind if table else "?",
        )
    if geometry.alignment_offset_bytes > 0:
        return t(
            "The physical blocks of {drive} begin at byte {offset}, not at 0. Moves on "
            "such drives are not supported yet.",
            drive=drive.path,
            offset=geometry.alignment_offset_bytes,
        )
    if geometry.physical_block_bytes > LARGEST_PHYSICAL_BYTES:
        return t(
            "{drive} has physical blocks of {size} bytes. Moves support up to 16384 bytes.",
            drive=drive.path,
            size=geometry.physical_block_bytes,
        )
    return None


def _why_not_content(drive: Drive, part: Partition) -> Message | None:
    if part.type in CONTAINER_TYPES:
        return t("{part} contains logical partitions and is not moved. Move those instead.", part=part.path)
    if (part.type or "").lower() == BIOS_BOOT_GPT_TYPE:
        return t(
            "A BIOS boots GRUB from {part} by position. The partition is not moved, which costs no speed.",
            part=part.path,
        )
    if part.size_bytes < SMALLEST_BYTES:
        return t(
            "{part} is smaller than {least:size}, the minimum for a move.",
            part=part.path,
            least=SMALLEST_BYTES,
        )
    if drive.is_unread(part):
        return t("The contents of {part} could not be read. Run this as root with sudo.", part=part.path)
    if not part.signatures:
        return t(
            "The contents of {part} are not recognised. It is unknown if the partition can be moved.",
            part=part.path,
        )
    what = "+".join(printable(signature.kind, 30) for signature in part.signatures)
    if part.filesystem is None:
        return t(
            "Several signatures found in {part}: {what}. Only one can be correct.",
            part=part.path,
            what=what,
        )
    return (
        None
        if part.filesystem in MOVABLE
        else t(
            "{part} contains {what}. It is unknown if this can be moved, so {part} is not moved.",
            part=part.path,
            what=what,
        )
    )
