"""A drive held against a layout: what differs, in pieces of sentences. Pure."""

from wizard.layout.room.space import is_container
from wizard.model.machine import Drive, Partition
from wizard.model.names import printable
from wizard.model.plan import Layout, Slot


def disk_differences(wanted: Layout, drive: Drive) -> tuple[str, ...]:
    """What the table on the disk says otherwise than the layout: kind, numbers, starts, lengths, types,
    names, flags."""
    kind = drive.table.kind if drive.table else "unread"
    found = [] if kind == wanted.table else [f"the table is {kind}, not {wanted.table}"]
    by_number = {part.number: part for part in drive.partitions}
    for slot in wanted.partitions:
        part = by_number.pop(slot.number, None)
        if part is None:
            found.append(f"partition {slot.number} is missing")
        else:
            found += _entry_differences(slot, part)
    found += [f"there is a partition {number} that was not planned" for number in sorted(by_number)]
    return tuple(found)


def _entry_differences(slot: Slot, part: Partition) -> list[str]:
    pairs: list[tuple[str, object, object]] = [
        ("starts at byte", part.start_bytes, slot.start_bytes),
        ("has a length in bytes of", part.size_bytes, slot.size_bytes),
        ("has the type", part.type, slot.type),
        ("has the name", part.name or "", slot.name or ""),
        ("has the flags", hex(part.attributes), hex(slot.attributes)),
    ]
    if slot.kept and slot.part_uuid:
        pairs.append(("has the UUID", part.part_uuid, slot.part_uuid))
    return [
        f"partition {slot.number} {what} {_shown(seen)}, not {_shown(wanted)}"
        for what, seen, wanted in pairs
        if seen != wanted
    ]


def kernel_differences(wanted: Layout, drive: Drive) -> tuple[str, ...]:
    """What the kernel believes otherwise than the layout."""
    found = []
    by_number = {part.number: part for part in drive.partitions}
    for slot in wanted.partitions:
        part = by_number.get(slot.number)
        if part is None or part.kernel_start_bytes is None:
            found.append(f"the kernel has no partition {slot.number}")
            continue
        if part.kernel_start_bytes != slot.start_bytes:
            found.append(
                f"the kernel has partition {slot.number} at byte {part.kernel_start_bytes}, not "
                f"{slot.start_bytes}"
            )
        # Of an extended partition the kernel shows only the first record, so that nobody writes over the
        # logical ones.
        if not is_container(slot) and part.kernel_size_bytes != slot.size_bytes:
            found.append(
                f"the kernel has partition {slot.number} with {part.kernel_size_bytes} bytes, not "
                f"{slot.size_bytes}"
            )
    return tuple(found)


def strangers(drive: Drive, *known: Layout) -> tuple[Partition, ...]:
    """Partitions on the drive that none of the layouts has at that place."""
    places = {(slot.start_bytes, slot.size_bytes) for layout in known for slot in layout.partitions}
    return tuple(part for part in drive.partitions if (part.start_bytes, part.size_bytes) not in places)


def _shown(value: object) -> str:
    return repr(printable(value, 40)) if isinstance(value, str) else str(value)
