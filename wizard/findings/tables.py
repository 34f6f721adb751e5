"""Check that the partition table is intact and plausible, and find contradicting signatures."""

from collections.abc import Iterator
from itertools import combinations
from math import isqrt

from wizard.filesystems.partition_types import is_extended, is_half_moved
from wizard.findings.contents import SIZES
from wizard.findings.use import OTHER_BLOCKS
from wizard.model.finding import Commands, Finding, Severity, command
from wizard.model.machine import Drive, Extent, Obstacle, Placed, Signature, Table
from wizard.model.said import KIB, Message, Sentence, join, t

UEFI = t("UEFI specification 2.10, section 5.3 (GUID partition table)")
ENTRY = t("the partition table")
EITHER = t("Writing to one destroys data in the other.")
SAVE = t(
    "Do not write to the partitions or repair the table. Mount each partition read-only, save the data, and "
    "set up the drive again."
)

MBR_BLOCKS = 1 << 32
FIRST_LOGICAL = 5
GROUP_BLOCKS = 8
"""A block group of ext has this many blocks per byte of a block, so its copy shows the block size."""

ENTRY_BYTES, USUAL_ENTRIES = 128, 128
"""Size and number of GPT entries."""


def find_tables(drive: Drive) -> Iterator[Finding]:
    """Yield faults of the table, the partitions' bounds and the signatures."""
    if any(mark.kind == "iso9660" for mark in drive.signatures):
        yield Finding(
            "disc-image",
            Severity.INFO,
            drive.path,
            t("{drive} contains a disc image, such as an installer.", drive=drive),
            t("Partition tables of images may overlap on purpose, so that both BIOS and UEFI can boot."),
            t("libblkid"),
            t("For booting, leave the drive as is. To reuse the drive, start a new setup."),
        )
        return
    if table := drive.table:
        yield from _table(drive, table)
        yield from _on_table(drive, table)
        yield from _outside(drive, table)
    yield from _overlaps(drive)
    yield from _overhangs(drive)
    if not any(map(is_half_moved, drive.partitions)):
        # A move changes the kernel's view itself when it ends.
        yield from _kernel(drive)
    yield from _signatures(drive)


def _table(drive: Drive, table: Table) -> Iterator[Finding]:
    if any(one.obstacle is Obstacle.OTHER_BLOCKS for one in drive.unread):
        return  # Reported with the fields that could not be read.
    if _is_lost(table):
        yield Finding(
            "table-both-damaged",
            Severity.DANGER,
            drive.path,
            t("Both copies of the GPT of {drive} are damaged.", drive=drive),
            t("No reliable record of the partitions exists. A repair would write a guess."),
            UEFI,
            join(
                OTHER_BLOCKS,
                t("Otherwise, make an image and search the image for partitions with testdisk."),
            ),
        )
    elif table.primary == "damaged":
        yield Finding(
            "table-primary-damaged",
            Severity.DANGER,
            drive.path,
            t("The primary GPT of {drive} is damaged.", drive=drive),
            t(
                "Only the backup at the end of the drive still records the partitions. "
                "Firmware and other systems may not see them."
            ),
            UEFI,
            *_repair(
                drive,
                table,
                t("Save your data first. gdisk then offers to restore the table from the backup."),
                command("gdisk", drive.path),
            ),
        )
    if table.backup in ("missing", "damaged", "misplaced") and not _is_lost(table):
        yield _backup(drive, table, table.backup)
    if table.kind == "mbr" and drive.size_bytes and drive.geometry:
        reach = MBR_BLOCKS * drive.geometry.logical_block_bytes
        if drive.size_bytes > reach:
            yield Finding(
                "table-mbr-over-2tib",
                Severity.WARNING,
                drive.path,
                t(
                    "The MBR table of {drive} covers only {reach:size} of {size:size}; {beyond} "
                    "bytes are out of reach.",
                    drive=drive,
                    size=drive.size_bytes,
                    reach=reach,
                    beyond=drive.size_bytes - reach,
                ),
                t("An MBR has 32-bit block numbers: partitions cannot start beyond that limit or be longer."),
                ENTRY,
                t(
                    "Set up the drive again with a GPT. To convert in place, make a backup first, then use "
                    "sgdisk."
                ),
                command("sgdisk", "--mbrtogpt", drive.path, unused=drive.path),
            )
    if table.kind == "hybrid":
        yield Finding(
            "table-hybrid",
            Severity.WARNING,
            drive.path,
            t("{drive} has both a GPT and an MBR with partitions.", drive=drive),
            t("Each program uses one of the two. Once they differ, programs overwrite each other's data."),
            UEFI,
            t(
                "If no system boots from the MBR entries, set up the drive again with a GPT. "
                "Otherwise change both tables alike."
            ),
        )


def _overhangs(drive: Drive) -> Iterator[Finding]:
    for part in drive.partitions:
        if (more := part.overhang) is None:
            continue
        others = (one for one in drive.partitions if one is not part and not is_extended(one))
        hit = next((one for one in others if one.overlaps(more)), None)
        beyond = drive.size_bytes is not None and more.end_bytes > drive.size_bytes
        yield Finding(
            "content-beyond-partition",
            Severity.DANGER,
            part.path,
            t(
                "The {kind} on {part} is {more:size} larger than its partition.",
                kind=part.filesystem or part.signatures[0].kind,
                part=part,
                more=more.size_bytes,
            ),
            t("Files at its end are out of reach, and anything written after the partition destroys them."),
            SIZES,
            t(
                "The drive ends before the filesystem does. Copy the files from the original "
                "drive again, or attach the drive as it was when the filesystem was created."
            )
            if beyond
            else t(
                "Do not write to {part}. Its end is in {other}, which may have overwritten files.",
                part=part,
                other=hit,
            )
            if hit
            else t(
                "Do not write to {part}. Restore its end first, which changes only the table.",
                part=part,
            ),
            () if beyond or hit else command("diskwright", "plan", part.path, "--grow"),
        )


def _is_lost(table: Table) -> bool:
    """Only a sound copy has bounds of usable space."""
    return (
        table.primary == "damaged"
        and table.backup in ("missing", "damaged")
        and table.first_usable_bytes is None
    )


def _repair(drive: Drive, table: Table, remedy: Message, commands: Commands) -> tuple[Message, Commands]:
    """Warn instead if the repair would overwrite a partition or the metadata of an array."""
    if array := _array_of(drive):
        member = t(
            "Change nothing. {drive} is a member of an array ({kind}), which the table belongs to. A repair "
            "would overwrite the array's metadata.",
            kind=array.kind,
            drive=drive,
        )
        return member, ()
    extents = [*table.own]
    if drive.size_bytes and drive.geometry:
        # Where the backup would be written.
        block = drive.geometry.logical_block_bytes
        entries = (table.most_partitions or USUAL_ENTRIES) * ENTRY_BYTES
        length = (1 + -(-entries // block)) * block
        extents.append(Extent(max(0, drive.size_bytes // block * block - length), length))
    covering = (part for part in drive.partitions if any(_shared(part, end) > 0 for end in extents))
    overwritten = next(covering, None)
    if overwritten is None:
        return remedy, commands
    warning = t(
        "Do not repair the table: {partition} occupies that copy's location and "
        "would be overwritten. Save the data and set up the drive again.",
        partition=overwritten,
    )
    return warning, ()


def _array_of(drive: Drive) -> Signature | None:
    return next((mark for mark in drive.signatures if mark.usage == "raid"), None)


def _shared(part: Placed, place: Placed) -> int:
    """Return the bytes in both ranges; negative if apart."""
    return min(part.end_bytes, place.end_bytes) - max(part.start_bytes, place.start_bytes)


def _backup(drive: Drive, table: Table, state: str) -> Finding:
    sentence = {
        "missing": Sentence("The GPT of {drive} has no backup at the end of the drive."),
        "damaged": Sentence("The backup GPT of {drive} is damaged."),
        "misplaced": Sentence(
            "The backup GPT of {drive} is not in the last block. The drive grew, or was "
            "copied from a smaller one."
        ),
    }[state]
    remedy = t("Write a new backup at the end; partitions do not change.")
    commands = command("sgdisk", "--move-second-header", drive.path)
    if state == "misplaced":
        remedy = t("Any change of the table by diskwright also moves the backup.")
        last = max(drive.partitions, key=lambda part: part.end_bytes, default=None)
        commands = command("diskwright", "plan", last.path, "--grow") if last else ()
    return Finding(
        f"table-backup-{state}",
        Severity.INFO if _array_of(drive) else Severity.WARNING,
        drive.path,
        sentence(drive=drive.path),
        t("If the primary table is damaged, no other copy records the partitions."),
        UEFI,
        *_repair(drive, table, remedy, commands),
    )


def _outside(drive: Drive, table: Table) -> Iterator[Finding]:
    """Yield partitions outside the usable space, or logical ones outside the extended partition."""
    extended = [part for part in drive.partitions if is_extended(part) and part.number < FIRST_LOGICAL]
    first = table.first_usable_bytes or 0
    end = min((end for end in (table.end_usable_bytes, drive.size_bytes) if end is not None), default=None)
    for part in drive.partitions:
        is_logical = table.kind == "mbr" and bool(extended) and part.number >= FIRST_LOGICAL
        if is_logical and not any(map(part.is_within, extended)):
            sentence = t(
                "Logical partition {partition} is not inside extended partition {extended}.",
                partition=part,
                extended=extended[0],
            )
        elif part.start_bytes < first or (end is not None and part.end_bytes > end):
            sentence = t(
                "{partition} covers bytes {start} to {end}, but only bytes {first} to {last} are usable.",
                partition=part,
                start=part.start_bytes,
                end=part.end_bytes - 1,
                first=first,
                last=(part.end_bytes if end is None else end) - 1,
            )
        else:
            continue
        yield Finding(
            "table-outside",
            Severity.DANGER,
            part.path,
            sentence,
            t(
                "The bytes outside cannot be read or written, or other programs use them, as for the table "
                "or another partition."
            ),
            ENTRY,
            join(OTHER_BLOCKS, t("Otherwise save all readable data and set up the drive again.")),
        )


def _on_table(drive: Drive, table: Table) -> Iterator[Finding]:
    """Extended partitions may overlap the table: they contain records of logical ones."""
    for part in drive.partitions:
        if part.size_bytes <= 0:
            yield Finding(
                "table-no-bytes",
                Severity.WARNING,
                part.path,
                t("{partition} has no bytes: the entry ends before the start.", partition=part),
                t("The entry is unusable, and programs that check tables refuse changes to this one."),
                ENTRY,
                t("Delete the entry if unused."),
                command("sfdisk", "--delete", drive.path, str(part.number), unused=drive.path),
            )
        places = [place for place in table.own if _shared(part, place) > 0]
        if not places or is_extended(part):
            continue
        shared, at = _shared(part, places[0]), max(part.start_bytes, places[0].start_bytes)
        yield Finding(
            "table-covered",
            Severity.DANGER,
            part.path,
            t(
                "{partition} overlaps the partition table: {shared} bytes from byte {at}.",
                partition=part,
                shared=shared,
                at=at,
            ),
            EITHER,
            ENTRY,
            SAVE,
        )


def _overlaps(drive: Drive) -> Iterator[Finding]:
    ordered = sorted(drive.partitions, key=lambda part: (part.start_bytes, part.number))
    for one, other in combinations(ordered, 2):
        shared = _shared(one, other)
        # A logical partition outside the extended one is another finding.
        is_extended_pair = any(
            is_extended(outer) and outer.number < FIRST_LOGICAL <= inner.number
            for outer, inner in ((one, other), (other, one))
        )
        if shared > 0 and not is_extended_pair:
            yield Finding(
                "table-overlap",
                Severity.DANGER,
                other.path,
                t(
                    "{one} and {other} overlap: {shared} bytes from byte {start}.",
                    one=one,
                    other=other,
                    shared=shared,
                    start=max(one.start_bytes, other.start_bytes),
                ),
                EITHER,
                ENTRY,
                SAVE,
            )


def _kernel(drive: Drive) -> Iterator[Finding]:
    for part in drive.partitions:
        start, size = part.kernel_start_bytes, part.kernel_size_bytes
        # The kernel shows one or two blocks of an extended partition (block/partitions/msdos.c).
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
            t(
                "The kernel and the table disagree about {partition}. Kernel: start byte "
                "{kernel_start}, {kernel_size} bytes. Table: start byte {start}, {size} "
                "bytes.",
                partition=part,
                kernel_start=start,
                kernel_size=size,
                start=part.start_bytes,
                size=part.size_bytes,
            ),
            t(
                "The table was changed while the partition was in use. After a reboot, its "
                "contents are expected elsewhere."
            ),
            t("the kernel's view in sysfs"),
            t("Unmount all of {drive} and update the kernel's view, or reboot.", drive=drive),
            command("partx", "--update", drive.path, unused=drive.path),
        )


def _signatures(drive: Drive) -> Iterator[Finding]:
    for path, signatures in drive.signatures_by_device:
        contradicting = any(signature.ambivalent for signature in signatures)
        if contradicting or (len(signatures) > 1 and not _is_transparent(signatures)):
            yield Finding(
                "signatures-ambivalent",
                Severity.WARNING,
                path,
                t(
                    "{device} has conflicting signatures: {kinds:list}.",
                    device=path,
                    kinds=_names(signatures),
                ),
                t(
                    "libblkid then reports no filesystem, so mounting by UUID fails. A repair "
                    "tool may choose the wrong signature."
                ),
                t("libblkid"),
                t(
                    "List the signatures. Once the stale one is identified, erase it with wipefs; "
                    "diskwright does not guess."
                ),
                command("wipefs", path),
            )
    yield from _lost_signatures(drive)
    if drive.signatures and drive.has_table and not _is_transparent(drive.signatures):
        yield Finding(
            "signatures-beside-table",
            Severity.WARNING,
            drive.path,
            t(
                "{drive} has a partition table and a whole-drive signature: {kinds:list}.",
                drive=drive,
                kinds=_names(drive.signatures),
            ),
            t("One of the two is stale. A program that uses the stale one overwrites the other's data."),
            t("libblkid"),
            *_erase_stale(drive),
        )


ZFS_ENDS_BYTES = 768 * KIB
"""Both ends of a drive up to here can contain the four labels of ZFS, each of 256 KiB."""


def _erase_stale(drive: Drive) -> tuple[Message, Commands]:
    size = drive.size_bytes or 0
    ends = (Extent(0, ZFS_ENDS_BYTES), Extent(max(0, size - ZFS_ENDS_BYTES), ZFS_ENDS_BYTES))
    places = [Extent(mark.offset_bytes or 0, 1) for mark in drive.signatures if mark.kind != "zfs_member"]
    if len(places) < len(drive.signatures):
        places += ends
    if any(part.overlaps(place) for part in drive.partitions for place in places):
        inside = t(
            "Parts of the signature may be in a partition, so do not erase anything before the partition's "
            "files are saved."
        )
        return inside, command("wipefs", drive.path)
    kinds = ",".join(_names(drive.signatures))
    remedy = t("If the partitions are right, erase only the stale signature, with all copies.")
    return remedy, command(*("wipefs", "--all", "--types", kinds, "--backup", drive.path), unused=drive.path)


def _lost_signatures(drive: Drive) -> Iterator[Finding]:
    if drive.waiting:
        # The copy belongs to the waiting run's old or new contents, reported elsewhere.
        return
    whole = ((drive.path, drive.superblock_copy_bytes),) if drive.table_kind == "none" else ()
    parts = (part for part in drive.partitions if not is_half_moved(part))
    for path, place in (*whole, *((part.path, part.superblock_copy_bytes) for part in parts)):
        if place is not None:
            block = isqrt(place // GROUP_BLOCKS)
            yield Finding(
                "signatures-lost",
                Severity.WARNING,
                path,
                t(
                    "{device} looks empty, but a backup superblock of ext2, ext3 or ext4 remains "
                    "at byte {place}.",
                    device=path,
                    place=place,
                ),
                t(
                    "The device was erased on purpose, or only the first superblock is damaged "
                    "and all files may still exist."
                ),
                SIZES,
                t("If files should be there, make an image, then check the backup without writing."),
                command("e2fsck", "-n", "-b", str(place // block), "-B", str(block), path, unused=path),
            )


def _is_transparent(signatures: tuple[Signature, ...]) -> bool:
    """A RAID superblock at the end leaves the data at the start; other signatures belong to the array."""
    return any(
        mark.data_offset_bytes == 0
        if mark.kind == "linux_raid_member"
        else mark.kind.endswith("_raid_member")
        for mark in signatures
    )


def _names(signatures: tuple[Signature, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(signature.kind for signature in signatures))
