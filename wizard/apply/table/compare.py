"""A drive held against a layout: what differs, in pieces of sentences. Pure."""

from wizard.layout.room.space import is_container
from wizard.model.machine import Drive, Partition
from wizard.model.names import printable
from wizard.model.plan import Layout, Slot
from wizard.model.said import Sentence, t


def disk_differences(wanted: Layout, drive: Drive) -> tuple[str, ...]:
    """What the table on the disk says otherwise than the layout: kind, numbers, starts, lengths, types,
    names, flags."""
    kind = drive.table.kind if drive.table else "unread"
    found = (
        []
        if kind == wanted.table
        else [str(t("the table is {seen}, not {wanted}", seen=kind, wanted=wanted.table))]
    )
    by_number = {part.number: part for part in drive.partitions}
    for slot in wanted.partitions:
        part = by_number.pop(slot.number, None)
        if part is None:
            found.append(str(t("partition {number} is missing", number=slot.number)))
        else:
            found += _entry_differences(slot, part)
    found += [
        str(t("there is a partition {number} that was not planned", number=number))
        for number in sorted(by_number)
    ]
    return tuple(found)


def _entry_differences(slot: Slot, part: Partition) -> list[str]:
    pairs: list[tuple[Sentence, int | str | None, int | str | None]] = [
        (
            Sentence("partition {number} starts at byte {seen}, not {wanted}"),
            part.start_bytes,
            slot.start_bytes,
        ),
        (
            Sentence("partition {number} has a length in bytes of {seen}, not {wanted}"),
            part.size_bytes,
            slot.size_bytes,
        ),
        (Sentence("partition {number} has the type {seen!r}, not {wanted!r}"), part.type, slot.type),
        (
            Sentence("partition {number} has the name {seen!r}, not {wanted!r}"),
            part.name or "",
            slot.name or "",
        ),
        (
            Sentence("partition {number} has the flags {seen!r}, not {wanted!r}"),
            hex(part.attributes),
            hex(slot.attributes),
        ),
    ]
    if slot.kept and slot.part_uuid:
        pairs.append(
            (
                Sentence("partition {number} has the UUID {seen!r}, not {wanted!r}"),
                part.part_uuid,
                slot.part_uuid,
            )
        )
    return [
        str(differs(number=slot.number, seen=_shown(seen), wanted=_shown(wanted)))
        for differs, seen, wanted in pairs
        if seen != wanted
    ]


def kernel_differences(wanted: Layout, drive: Drive) -> tuple[str, ...]:
    """What the kernel believes otherwise than the layout."""
    found = []
    by_number = {part.number: part for part in drive.partitions}
    for slot in wanted.partitions:
        part = by_number.get(slot.number)
        if part is None or part.kernel_start_bytes is None:
            found.append(str(t("the kernel has no partition {number}", number=slot.number)))
            continue
        if part.kernel_start_bytes != slot.start_bytes:
            said = t(
                "the kernel has partition {number} at byte {seen}, not {wanted}",
                number=slot.number,
                seen=part.kernel_start_bytes,
                wanted=slot.start_bytes,
            )
            found.append(str(said))
        # Of an extended partition the kernel shows only the first record, so that nobody writes over the
        # logical ones.
        if not is_container(slot) and part.kernel_size_bytes != slot.size_bytes:
            said = t(
                "the kernel has partition {number} with {seen} bytes, not {wanted}",
                number=slot.number,
                seen=str(part.kernel_size_bytes),
                wanted=slot.size_bytes,
            )
            found.append(str(said))
    return tuple(found)


def strangers(drive: Drive, *known: Layout) -> tuple[Partition, ...]:
    """Partitions on the drive that none of the layouts has at that place."""
    places = {(slot.start_bytes, slot.size_bytes) for layout in known for slot in layout.partitions}
    return tuple(part for part in drive.partitions if (part.start_bytes, part.size_bytes) not in places)


def _shown(value: int | str | None) -> int | str:
    return value if isinstance(value, int) else printable(value or "", 40)
