"""Why a partition cannot be moved, or None. A menu shows it beforehand, and nothing is planned against it.
Pure."""

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
"""By libblkid's names: what Linux wrote by way of a partition, and so counts from its start."""

MOVABLE = WITHOUT_PLACE | {"exfat", "ntfs", "vfat"}
"""The others say where they start, which is changed with them."""

SMALLEST_BYTES = MIB
LARGEST_PHYSICAL_BYTES = 16 * KIB


def why_not_move(drive: Drive, part: Partition) -> Message | str | None:
    """Why the partition cannot be moved at all."""
    return _why_not_drive(drive) or _why_not_content(drive, part)


def _why_not_drive(drive: Drive) -> Message | str | None:
    if drive.zoned == HOST_MANAGED:
        return t(
            "{drive} can only be written zone by zone, in order: nothing moves on it in place.",
            drive=drive.path,
        )
    if drive.waiting is not None and drive.waiting.bare:
        return t(
            "Run {run} waits on {drive}. Keep it or undo it first.", run=drive.waiting.run, drive=drive.path
        )
    try:
        refuse_drive(drive)
        _, geometry = measured(drive)
        refuse_table(drive)
    except Refused as refusal:
        return str(refusal)
    table = drive.table
    if table is None or table.kind not in ("gpt", "mbr"):
        return t(
            "{drive} has a table that partitions are not moved in: {kind}.",
            drive=drive.path,
            kind=table.kind if table else "?",
        )
    if geometry.alignment_offset_bytes > 0:
        return t(
            "The physical blocks of {drive} begin at byte {offset}, not at 0. Partitions "
            "are not moved on such drives yet.",
            drive=drive.path,
            offset=geometry.alignment_offset_bytes,
        )
    if geometry.physical_block_bytes > LARGEST_PHYSICAL_BYTES:
        return t(
            "{drive} has physical blocks of {size} bytes. Partitions move on those up to 16384 bytes.",
            drive=drive.path,
            size=geometry.physical_block_bytes,
        )
    return None


def _why_not_content(drive: Drive, part: Partition) -> Message | None:
    if part.type in CONTAINER_TYPES:
        return t("{part} holds logical partitions. Move those; it stays where it is.", part=part.path)
    if (part.type or "").lower() == BIOS_BOOT_GPT_TYPE:
        return t(
            "A BIOS starts GRUB from {part}, by its place on the drive. It stays, which costs no speed.",
            part=part.path,
        )
    if part.size_bytes < SMALLEST_BYTES:
        return t(
            "{part} is smaller than {least:size}. Nothing that small is moved.",
            part=part.path,
            least=SMALLEST_BYTES,
        )
    if drive.is_unread(part):
        return t("What {part} holds could not be read. Only root can; run this with sudo.", part=part.path)
    if not part.signatures:
        return t("Nothing is recognised in {part}, so nobody can tell whether it may move.", part=part.path)
    what = "+".join(printable(signature.kind, 30) for signature in part.signatures)
    if part.filesystem is None:
        return t(
            "Several things are recognised in {part}: {what}. Only one of them can be true.",
            part=part.path,
            what=what,
        )
    return (
        None
        if part.filesystem in MOVABLE
        else t(
            "{part} holds {what}. Whether that may move is not known, so it stays.", part=part.path, what=what
        )
    )
