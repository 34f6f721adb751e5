"""Why a partition cannot be moved, or None. A menu shows it beforehand, and nothing is planned against it.
Pure."""

from wizard.filesystems.partitions import BIOS_BOOT_GPT_TYPE, CONTAINER_TYPES
from wizard.layout.moving import words
from wizard.layout.room.refusals import measured, refuse_drive, refuse_table
from wizard.model.drive_facts import HOST_MANAGED
from wizard.model.errors import Refused
from wizard.model.machine import Drive, Partition
from wizard.model.names import printable
from wizard.model.said import Said
from wizard.model.units import KIB, MIB

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


def why_not_move(drive: Drive, part: Partition) -> Said | str | None:
    """Why the partition cannot be moved at all."""
    return _why_not_drive(drive) or _why_not_content(drive, part)


def _why_not_drive(drive: Drive) -> Said | str | None:
    if drive.zoned == HOST_MANAGED:
        return words.HOST_MANAGED(drive=drive.path)
    if drive.waiting is not None and drive.waiting.bare:
        return words.WAITING(run=drive.waiting.run, drive=drive.path)
    try:
        refuse_drive(drive)
        _, geometry = measured(drive)
        refuse_table(drive)
    except Refused as refusal:
        return str(refusal)
    table = drive.table
    if table is None or table.kind not in ("gpt", "mbr"):
        return words.NOT_WITH_TABLE(drive=drive.path, kind=table.kind if table else "?")
    if geometry.alignment_offset_bytes > 0:
        return words.OFFSET(drive=drive.path, offset=geometry.alignment_offset_bytes)
    if geometry.physical_block_bytes > LARGEST_PHYSICAL_BYTES:
        return words.BLOCKS(drive=drive.path, size=geometry.physical_block_bytes)
    return None


def _why_not_content(drive: Drive, part: Partition) -> Said | None:
    if part.type in CONTAINER_TYPES:
        return words.CONTAINER(part=part.path)
    if (part.type or "").lower() == BIOS_BOOT_GPT_TYPE:
        return words.BIOS_BOOT(part=part.path)
    if part.size_bytes < SMALLEST_BYTES:
        return words.SMALL(part=part.path, least=SMALLEST_BYTES)
    if drive.is_unread(part):
        return words.UNREAD(part=part.path)
    if not part.signatures:
        return words.NOTHING(part=part.path)
    what = "+".join(printable(signature.kind, 30) for signature in part.signatures)
    if part.filesystem is None:
        return words.MIXED(part=part.path, what=what)
    return None if part.filesystem in MOVABLE else words.UNKNOWN(part=part.path, what=what)
