"""Whether the partition table is whole, and what it says can be true; signatures that contradict it."""

from collections.abc import Iterator, Sequence
from itertools import islice

from wizard.diagnose.alignment import is_extended
from wizard.diagnose.words import tables as words
from wizard.filesystems.partitions import is_half_moved
from wizard.model.finding import Finding, Severity
from wizard.model.machine import Drive, Extent, Partition, Signature, Table
from wizard.model.said import Said

MBR_BLOCKS = 1 << 32
FIRST_LOGICAL = 5
ENTRY_BYTES, USUAL_ENTRIES = 128, 128
"""Of a GPT."""


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
            words.PRIMARY_DAMAGED(drive=drive.path),
            words.PRIMARY_DAMAGED_WHY(),
            words.UEFI(),
            _repair(drive, table, words.PRIMARY_DAMAGED_REMEDY(drive=drive.path)),
        )
    if table.backup in ("missing", "damaged", "misplaced") and not _is_lost(table):
        yield _backup(drive, table, table.backup)
    if table.kind == "mbr" and drive.size_bytes and drive.geometry:
        reach = MBR_BLOCKS * drive.geometry.logical_block_bytes
        if drive.size_bytes > reach:
            yield _too_large(drive, drive.size_bytes, reach)
    if table.kind == "hybrid":
        yield Finding(
            "table-hybrid",
            Severity.WARNING,
            drive.path,
            words.HYBRID(drive=drive.path),
            words.HYBRID_WHY(),
            words.UEFI(),
            words.HYBRID_REMEDY(),
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
        words.BOTH_DAMAGED(drive=drive.path),
        words.BOTH_DAMAGED_WHY(),
        words.UEFI(),
        words.BOTH_DAMAGED_REMEDY(),
    )


def _repair(drive: Drive, table: Table, remedy: Said) -> Said:
    """The remedy that writes a copy of the table again, unless a partition lies in its place: then that would
    be written over."""
    ends = tuple(_where_copies_lie(drive, table))
    covering = (part for part in drive.partitions if any(_shared(part, end) > 0 for end in ends))
    taken = next(covering, None)
    return remedy if taken is None else words.NO_REPAIR(partition=taken.path)


def _where_copies_lie(drive: Drive, table: Table) -> Iterator[Extent]:
    """Where the table lies, and where its second copy would be written."""
    yield from table.own
    if drive.size_bytes and drive.geometry:
        block = drive.geometry.logical_block_bytes
        entries = (table.most_partitions or USUAL_ENTRIES) * ENTRY_BYTES
        length = (1 + -(-entries // block)) * block
        yield Extent(max(0, drive.size_bytes // block * block - length), length)


def _shared(part: Partition, place: Extent) -> int:
    """How many bytes of `place` the partition has."""
    return min(part.end_bytes, place.end_bytes) - max(part.start_bytes, place.start_bytes)


def _backup(drive: Drive, table: Table, state: str) -> Finding:
    sentence = {
        "missing": words.BACKUP_MISSING,
        "damaged": words.BACKUP_DAMAGED,
        "misplaced": words.BACKUP_MISPLACED,
    }[state]
    remedy = words.MISPLACED_REMEDY if state == "misplaced" else words.BACKUP_REMEDY
    return Finding(
        f"table-backup-{state}",
        Severity.WARNING,
        drive.path,
        sentence(drive=drive.path),
        words.BACKUP_WHY(),
        words.UEFI(),
        _repair(drive, table, remedy(drive=drive.path)),
    )


def _too_large(drive: Drive, size_bytes: int, reach_bytes: int) -> Finding:
    return Finding(
        "table-mbr-over-2tib",
        Severity.WARNING,
        drive.path,
        words.TOO_LARGE(
            drive=drive.path, size=size_bytes, reach=reach_bytes, beyond=size_bytes - reach_bytes
        ),
        words.TOO_LARGE_WHY(),
        words.TOO_LARGE_SOURCE(),
        words.TOO_LARGE_REMEDY(),
    )


def _bounds(drive: Drive, table: Table) -> Iterator[Finding]:
    yield from _upon_table(drive, table)
    yield from _empty(drive)
    yield from _loose(drive)
    first = table.first_usable_bytes or 0
    ends = [end for end in (table.end_usable_bytes, drive.size_bytes) if end is not None]
    for partition in drive.partitions:
        beyond = partition.end_bytes - min(ends, default=partition.end_bytes)
        if beyond > 0:
            sentence = words.ENDS_OUTSIDE(partition=partition.path, beyond=beyond, drive=drive.path)
        elif partition.start_bytes < first:
            start = partition.start_bytes
            sentence = words.STARTS_OUTSIDE(partition=partition.path, start=start, first=first)
        else:
            continue
        yield _outside(partition, table, sentence, words.OUTSIDE_WHY())


def _outside(partition: Partition, table: Table, sentence: Said, why: Said) -> Finding:
    return Finding(
        "table-outside",
        Severity.DANGER,
        partition.path,
        sentence,
        why,
        words.UEFI() if table.kind in ("gpt", "hybrid") else words.OUTSIDE_SOURCE(),
        words.OUTSIDE_REMEDY(),
    )


def _upon_table(drive: Drive, table: Table) -> Iterator[Finding]:
    """Partitions that lie upon the table itself. An extended one holds records of its logical ones."""
    for part in drive.partitions:
        places = [place for place in table.own if _shared(part, place) > 0]
        if not places or is_extended(part):
            continue
        shared, at = _shared(part, places[0]), max(part.start_bytes, places[0].start_bytes)
        yield Finding(
            "table-covered",
            Severity.DANGER,
            part.path,
            words.UPON_TABLE(partition=part.path, shared=shared, at=at),
            words.UPON_TABLE_WHY(),
            words.UEFI() if table.kind in ("gpt", "hybrid") else words.OUTSIDE_SOURCE(),
            words.UPON_TABLE_REMEDY(),
        )


def _empty(drive: Drive) -> Iterator[Finding]:
    for part in drive.partitions:
        if part.size_bytes <= 0:
            yield Finding(
                "table-no-bytes",
                Severity.WARNING,
                part.path,
                words.NO_BYTES(partition=part.path),
                words.NO_BYTES_WHY(),
                words.NO_BYTES_SOURCE(),
                words.NO_BYTES_REMEDY(drive=drive.path, number=part.number),
            )


def _loose(drive: Drive) -> Iterator[Finding]:
    """Logical partitions that are not within the extended one."""
    table = drive.table
    around = [part for part in drive.partitions if is_extended(part) and part.number < FIRST_LOGICAL]
    if table is None or table.kind != "mbr" or not around:
        return
    for part in drive.partitions:
        if part.number >= FIRST_LOGICAL and not any(_contains(outer, part) for outer in around):
            said = words.NOT_WITHIN(partition=part.path, extended=around[0].path)
            yield _outside(part, table, said, words.NOT_WITHIN_WHY())


def _pairs(parts: Sequence[Partition]) -> Iterator[tuple[Partition, Partition]]:
    """Those that share bytes, of partitions in the order of their starts; what is far apart is not asked."""
    for index, one in enumerate(parts):
        for other in islice(parts, index + 1, None):
            if other.start_bytes >= one.end_bytes:
                break
            yield one, other


def _overlaps(drive: Drive) -> Iterator[Finding]:
    ordered = sorted(drive.partitions, key=lambda part: (part.start_bytes, part.number))
    for one, other in _pairs(ordered):
        shared = min(one.end_bytes, other.end_bytes) - max(one.start_bytes, other.start_bytes)
        if shared > 0 and not _goes_around(one, other) and not _goes_around(other, one):
            yield Finding(
                "table-overlap",
                Severity.DANGER,
                other.path,
                words.OVERLAP(
                    one=one.path,
                    other=other.path,
                    shared=shared,
                    start=max(one.start_bytes, other.start_bytes),
                ),
                words.OVERLAP_WHY(),
                words.OVERLAP_SOURCE(),
                words.OVERLAP_REMEDY(),
            )


def _goes_around(outer: Partition, inner: Partition) -> bool:
    """Whether they are an extended partition and a logical one: that it may not be within is another
    finding."""
    return is_extended(outer) and outer.number < FIRST_LOGICAL <= inner.number


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
            words.KERNEL_DIFFERS(
                partition=part.path,
                kernel_start=start,
                kernel_size=size,
                start=part.start_bytes,
                size=part.size_bytes,
            ),
            words.KERNEL_DIFFERS_WHY(),
            words.KERNEL_DIFFERS_SOURCE(),
            words.KERNEL_DIFFERS_REMEDY(drive=drive.path),
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
                words.AMBIVALENT(device=path, kinds=_names(signatures)),
                words.AMBIVALENT_WHY(),
                words.AMBIVALENT_SOURCE(),
                words.AMBIVALENT_REMEDY(device=path),
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
            words.BESIDE_TABLE(drive=drive.path, kinds=_names(drive.signatures)),
            words.BESIDE_TABLE_WHY(),
            words.BESIDE_TABLE_SOURCE(),
            words.BESIDE_TABLE_REMEDY(drive=drive.path),
        )


def _left(drive: Drive) -> Iterator[Finding]:
    if drive.waiting:
        # Such a copy is of what the run withholds or can still put back, and that is told.
        return
    whole = (
        ((drive.path, drive.superblock_copy_bytes),)
        if drive.table is not None and drive.table.kind == "none"
        else ()
    )
    parts = (part for part in drive.partitions if not is_half_moved(part))
    for path, place in (*whole, *((part.path, part.superblock_copy_bytes) for part in parts)):
        if place is not None:
            yield Finding(
                "signatures-lost",
                Severity.WARNING,
                path,
                words.LOST(device=path, place=place),
                words.LOST_WHY(),
                words.LOST_SOURCE(),
                words.LOST_REMEDY(device=path),
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


def _names(signatures: tuple[Signature, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(signature.kind for signature in signatures))
