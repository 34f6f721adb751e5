"""Whether the partition table is whole, and what it says can be true; signatures that contradict it."""

from collections.abc import Iterator
from itertools import combinations

from wizard.diagnose.alignment import is_extended
from wizard.model.finding import Finding, Severity
from wizard.model.machine import Drive, Partition, Signature, Table
from wizard.model.names import printable
from wizard.model.units import format_capacity

UEFI = "UEFI specification 2.10, section 5.3 (GUID partition table)"
MBR_BLOCKS = 1 << 32
FIRST_LOGICAL = 5


def find_tables(drive: Drive) -> Iterator[Finding]:
    """Everything wrong with the table, the partitions' bounds and the signatures."""
    if drive.table is not None:
        yield from _table(drive, drive.table)
        yield from _bounds(drive, drive.table)
    yield from _overlaps(drive)
    yield from _kernel(drive)
    yield from _signatures(drive)


def _table(drive: Drive, table: Table) -> Iterator[Finding]:
    if _is_lost(table):
        yield _lost(drive)
    elif table.primary == "damaged":
        yield Finding(
            "table-primary-damaged",
            Severity.DANGER,
            drive.path,
            f"The GPT at the start of {drive.path} is damaged.",
            "Only the backup at the drive's end still says where the partitions are; firmware and other "
            "systems may see none.",
            UEFI,
            f"Save your data first. Then `gdisk {drive.path}`, which offers to restore the table from its "
            "backup.",
        )
    if table.backup in ("missing", "damaged", "misplaced") and not _is_lost(table):
        yield _backup(drive, table.backup)
    if table.kind == "mbr" and drive.size_bytes and drive.geometry:
        reach = MBR_BLOCKS * drive.geometry.logical_block_bytes
        if drive.size_bytes > reach:
            yield _too_large(drive, drive.size_bytes, reach)
    if table.kind == "hybrid":
        yield Finding(
            "table-hybrid",
            Severity.WARNING,
            drive.path,
            f"{drive.path} has a GPT and an MBR that both name partitions.",
            "Each program follows one of the two; once they differ, one overwrites what the other keeps.",
            UEFI,
            "If no system that needs the MBR's entries boots from it, plan the drive anew with a GPT; "
            "otherwise change both tables alike.",
        )


def _is_lost(table: Table) -> bool:
    """Whether neither copy is sound: only a sound one bounds the space for partitions."""
    return (
        table.primary == "damaged"
        and table.backup in ("missing", "damaged")
        and table.first_usable_bytes is None
    )


def _lost(drive: Drive) -> Finding:
    return Finding(
        "table-both-damaged",
        Severity.DANGER,
        drive.path,
        f"Neither copy of the GPT of {drive.path} is whole.",
        "Nothing that can be relied on says where the partitions are, and a repair would write down a guess.",
        UEFI,
        "Write nothing to it. Attach it as it was when the table was made: another USB bridge may show other "
        "blocks, or fewer. If that does not help, make an image of it and let `testdisk` look for the "
        "partitions in that.",
    )


def _backup(drive: Drive, state: str) -> Finding:
    sentence = {
        "missing": f"The GPT of {drive.path} has no backup at the end of the drive.",
        "damaged": f"The backup of {drive.path}'s GPT is damaged.",
        "misplaced": (
            f"The backup of {drive.path}'s GPT is not in the drive's last block: it has grown, or was copied "
            "from a smaller one."
        ),
    }[state]
    repair = (
        f"`sgdisk --move-second-header {drive.path}` writes a new backup at the end; it leaves the "
        "partitions alone."
    )
    return Finding(
        f"table-backup-{state}",
        Severity.WARNING,
        drive.path,
        sentence,
        "Should the table at the start be damaged, nothing else says where the partitions are.",
        UEFI,
        repair,
    )


def _too_large(drive: Drive, size_bytes: int, reach_bytes: int) -> Finding:
    return Finding(
        "table-mbr-over-2tib",
        Severity.WARNING,
        drive.path,
        f"{drive.path} has {format_capacity(size_bytes)}, of which its MBR table can reach "
        f"{format_capacity(reach_bytes)}: {size_bytes - reach_bytes} bytes lie beyond.",
        "An MBR counts blocks with 32 bits; no partition can start beyond, or be longer.",
        "the MBR's entry: first block and length in 32 bits each",
        "Plan the drive anew with a GPT; converting in place is left to `sgdisk --mbrtogpt`, after a backup.",
    )


def _bounds(drive: Drive, table: Table) -> Iterator[Finding]:
    first = table.first_usable_bytes or 0
    ends = [end for end in (table.end_usable_bytes, drive.size_bytes) if end is not None]
    for partition in drive.partitions:
        beyond = partition.end_bytes - min(ends, default=partition.end_bytes)
        if beyond > 0:
            where = (
                f"ends {beyond} bytes behind the last byte that {drive.path} or its table has for partitions"
            )
        elif partition.start_bytes < first:
            where = (
                f"starts at byte {partition.start_bytes}, before byte {first}, the first that the table has "
                "for partitions"
            )
        else:
            continue
        yield Finding(
            "table-outside",
            Severity.DANGER,
            partition.path,
            f"{partition.path} {where}.",
            "What lies outside cannot be read or written, or is the partition table itself.",
            UEFI if table.kind in ("gpt", "hybrid") else "the MBR's entry: first block and length",
            "Attach the drive as it was when the table was made (another USB bridge may hide blocks). "
            "Otherwise save what can be read, and plan the drive anew.",
        )


def _overlaps(drive: Drive) -> Iterator[Finding]:
    for one, other in combinations(
        sorted(drive.partitions, key=lambda part: (part.start_bytes, part.number)), 2
    ):
        shared = min(one.end_bytes, other.end_bytes) - max(one.start_bytes, other.start_bytes)
        if shared > 0 and not _contains(one, other) and not _contains(other, one):
            yield Finding(
                "table-overlap",
                Severity.DANGER,
                other.path,
                f"{one.path} and {other.path} share {shared} bytes, from byte "
                f"{max(one.start_bytes, other.start_bytes)} on.",
                "Writing to one destroys data in the other.",
                "the two entries in the drive's partition table",
                "Write to neither. Mount each read-only, save what is whole, and plan the drive anew.",
            )


def _contains(outer: Partition, inner: Partition) -> bool:
    """Whether `inner` is a logical partition within the extended one."""
    return (
        is_extended(outer)
        and inner.number >= FIRST_LOGICAL
        and inner.start_bytes >= outer.start_bytes
        and inner.end_bytes <= outer.end_bytes
    )


def _kernel(drive: Drive) -> Iterator[Finding]:
    for part in drive.partitions:
        start, size = part.kernel_start_bytes, part.kernel_size_bytes
        # An extended partition is one or two blocks long for the kernel (block/partitions/msdos.c).
        if (
            start is None
            or size is None
            or is_extended(part)
            or (start, size) == (part.start_bytes, part.size_bytes)
        ):
            continue
        yield Finding(
            "table-kernel-differs",
            Severity.WARNING,
            part.path,
            f"The kernel has {part.path} at byte {start} with {size} bytes; the table says byte "
            f"{part.start_bytes} with {part.size_bytes} bytes.",
            "The table was changed while the partition was in use; after the next start its contents are "
            "looked for elsewhere.",
            "start and size of the partition in sysfs",
            f"Unmount everything of {drive.path} and run `partx --update {drive.path}`, or restart.",
        )


def _signatures(drive: Drive) -> Iterator[Finding]:
    for path, signatures in (
        (drive.path, drive.signatures),
        *((part.path, part.signatures) for part in drive.partitions),
    ):
        contradicting = any(signature.ambivalent for signature in signatures)
        if contradicting or (len(signatures) > 1 and not _is_transparent(signatures)):
            yield Finding(
                "signatures-ambivalent",
                Severity.WARNING,
                path,
                f"{path} carries signatures that contradict each other: {_names(signatures)}.",
                "libblkid names no filesystem then, so that mounting by UUID fails, and a repair tool may "
                "take the wrong one.",
                "libblkid, blkid_do_safeprobe",
                f"`wipefs {path}` lists them. Erase the stale one with `wipefs --offset`, once you know "
                "which; diskwright does not guess.",
            )
    yield from _left(drive)
    if (
        drive.signatures
        and drive.table is not None
        and drive.table.kind != "none"
        and not _is_transparent(drive.signatures)
    ):
        yield Finding(
            "signatures-beside-table",
            Severity.WARNING,
            drive.path,
            f"{drive.path} has a partition table and, as a whole, the signature of "
            f"{_names(drive.signatures)}.",
            "One of the two is stale; a program that believes the stale one overwrites the other's data.",
            "libblkid; new tables leave superblocks such as Btrfs' in place",
            f"`wipefs {drive.path}` lists it. Erase it alone with `wipefs --offset`, if the partitions are "
            "what counts.",
        )


def _left(drive: Drive) -> Iterator[Finding]:
    whole = (
        ((drive.path, drive.superblock_copy_bytes),)
        if drive.table is not None and drive.table.kind == "none" and not drive.waiting
        else ()
    )
    # Where a run waits, such a copy is of what the run can still put back, and that is told.
    for path, place in (*whole, *((part.path, part.superblock_copy_bytes) for part in drive.partitions)):
        if place is not None:
            yield Finding(
                "signatures-lost",
                Severity.WARNING,
                path,
                f"{path} looks empty, but a copy of an ext2, ext3 or ext4 superblock is still on it, at byte "
                f"{place}.",
                "Either it was erased on purpose, or its first superblock is damaged and all files may still "
                "be there.",
                "the copy at the start of the second group of blocks, as mke2fs places it",
                "If there should be files on it, do not set it up: make an image of it, then see what "
                f"`diskwright migrate {path}` says.",
            )


def _is_transparent(signatures: tuple[Signature, ...]) -> bool:
    """Whether a RAID's superblock lies at the end and its data begin with the device: what else is seen there
    is the array's own."""
    return any(
        mark.data_offset_bytes == 0
        if mark.kind == "linux_raid_member"
        else mark.kind.endswith("_raid_member")
        for mark in signatures
    )


def _names(signatures: tuple[Signature, ...]) -> str:
    return ", ".join(dict.fromkeys(printable(signature.kind, 40) for signature in signatures))
