"""What is said of changing one partition."""

from wizard.model.names import printable
from wizard.model.plan import GrowFilesystem, Resizing, Slot, TableEntry, WriteTable
from wizard.model.said import Said, Sentence, Sentences, t

BACKUP_MOVES = Sentence(
    "The backup of {drive}'s GPT lies where a smaller drive ended. It is written to the end of this one."
)
SIZE_STAYS = Sentence("{part} keeps its size of {size:size}: ask for no other size, or delete it first.")
OTHERS_STAY = Sentences("{start} The other partition stays.", "{start} The other {count} partitions stay.")


def table_said(slot: Slot, table: WriteTable) -> Said:
    """What a kept table has otherwise of the partition `slot`."""
    drive, kind = table.device, table.table.upper()
    others = sum(entry.kept for entry in table.entries)
    if not changes(slot, table):
        return t("Keep the {table} on {drive} as it is.", table=kind, drive=drive)
    new = next((entry for entry in table.entries if entry.number == slot.number), None)
    if new and new.size_bytes != slot.size_bytes:
        ends = (
            Sentence(
                "Give partition {number} of the {table} on {drive} the free space behind it, "
                "{size:size} in all."
            )
            if new.size_bytes > slot.size_bytes
            else Sentence(
                "Have partition {number} of the {table} on {drive} end after {size:size}; "
                "what is behind becomes free."
            )
        )
        start = ends(number=slot.number, table=kind, drive=drive, size=new.size_bytes)
        return OTHERS_STAY(start=start, count=others) if others else start
    gone = new is None
    start = (
        Sentence("Delete partition {number} from the {table} on {drive}.")
        if gone
        else Sentence(
            "Give partition {number} of the {table} on {drive} its new type or name; place and size stay."
        )
    )(number=slot.number, table=kind, drive=drive)
    return OTHERS_STAY(start=start, count=others) if others else start


def resized_said(operation: Resizing) -> Said:
    """What changing a filesystem's size does."""
    said = (
        Sentence("Grow the {filesystem} filesystem on {part} to {size:size}, files and all.")
        if isinstance(operation, GrowFilesystem)
        else Sentence("Shrink the {filesystem} filesystem on {part} to {size:size}, files and all.")
    )
    return said(filesystem=operation.filesystem, part=operation.device, size=operation.size_bytes)


def lost(part: str, slot: Slot) -> Said:
    """What goes with a partition that is formatted or deleted."""
    if not slot.filesystem:
        return t(
            "Whatever is on {part}, {size:size}: nothing is recognised there.",
            part=part,
            size=slot.size_bytes,
        )
    label = slot.label or slot.name
    what = printable(slot.filesystem, 40) + (f' "{printable(label, 40)}"' if label else "")
    return t("All files on {part}: {what}, {size:size}.", part=part, what=what, size=slot.size_bytes)


def changes(slot: Slot, table: WriteTable) -> bool:
    """Whether the table is another one than before."""
    entry = next((one for one in table.entries if one.number == slot.number), None)
    same = TableEntry(slot.number, slot.start_bytes, slot.size_bytes, slot.type or "", slot.name or "")
    return entry != same
