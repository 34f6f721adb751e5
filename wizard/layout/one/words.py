"""What is said of changing one partition."""

from wizard.model.names import printable
from wizard.model.plan import GrowFilesystem, Resizing, Slot, TableEntry, WriteTable
from wizard.model.said import Said, Sentence

OTHERWISE = Sentence("layout.one.otherwise", "{why}")
"""A refusal that the rules for whole drives and tables make."""

BACKUP_MOVES = Sentence(
    "layout.one.backup-moves",
    "The backup of {drive}'s GPT lies where a smaller drive ended. It is written to the end of this one.",
)
USED = Sentence("layout.one.used", "{part} is in use: {how}.")
NO_NODE = Sentence(
    "layout.one.no-node",
    "The kernel has not taken {part} over from the table: run `partprobe {drive}` or restart first.",
)
CONTAINER = Sentence(
    "layout.one.container",
    "{part} is an extended partition, which only holds the logical ones: change those instead.",
)
WAITING = Sentence(
    "layout.one.waiting", "The run {run} waits on {drive}: `diskwright keep` or `diskwright undo` it first."
)
ZONED = Sentence("layout.one.zoned", "{drive} is a host-managed zoned drive, which takes no partitions.")
NOT_LAST = Sentence(
    "layout.one.not-last",
    "Logical partitions behind {part} would get other numbers: delete partition {last} first.",
)
MISALIGNED = Sentence(
    "layout.one.misaligned",
    "{part} is misaligned by {off:exact} and stays so, which can make writing slower.",
)
NEIGHBOURS = Sentence(
    "layout.one.neighbours",
    "Other partitions of {drive} are in use while its table is written. A power cut in that moment may leave "
    "only the table's copy. `gdisk` (r, b, w) restores it.",
)
SIZE_STAYS = Sentence(
    "layout.one.size-stays",
    "{part} keeps its size of {size:size}: ask for no other size, or delete it first.",
)
ONE_VOLUME = Sentence("layout.one.one-volume", "{part} takes one volume, and {asked} were asked for.")
LOST = Sentence("layout.one.lost", "All files on {part}: {what}, {size:size}.")
UNKNOWN_LOST = Sentence(
    "layout.one.unknown-lost", "Whatever is on {part}, {size:size}: nothing is recognised there."
)
EMPTIED = Sentence("layout.one.emptied", "Delete partition {number} from the {table} on {drive}.")
CHANGED = Sentence(
    "layout.one.changed",
    "Give partition {number} of the {table} on {drive} its new type or name; place and size stay.",
)
ENDS = Sentence(
    "layout.one.ends",
    "Give partition {number} of the {table} on {drive} the free space behind it, {size:size} in all.",
)
ENDS_SOONER = Sentence(
    "layout.one.ends-sooner",
    "Have partition {number} of the {table} on {drive} end after {size:size}; what is behind becomes free.",
)
GROWN = Sentence(
    "layout.one.grown", "Grow the {filesystem} filesystem on {part} to {size:size}, files and all."
)
SHRUNK = Sentence(
    "layout.one.shrunk", "Shrink the {filesystem} filesystem on {part} to {size:size}, files and all."
)
GROWN_CLEAN = Sentence("layout.one.grown-clean", "The filesystem's own check finds it clean.")
NO_ROOM = Sentence("layout.one.no-room", "There is no free space right behind {part}.")
NO_DRIVER = Sentence(
    "layout.one.no-driver",
    "The running kernel ({release}) has no {title}, which grows only while it is mounted: boot one that has.",
)
NOT_GROWN = Sentence(
    "layout.one.not-grown", "{part} holds {what}: only ext2, ext3, ext4, XFS, Btrfs and NTFS grow so far."
)
NOT_GROWN_IN_USE = Sentence(
    "layout.one.not-grown-in-use", "{part} holds {kind}, which does not grow in use: unmount it first."
)
NO_JOURNAL = Sentence(
    "layout.one.no-journal",
    "The filesystem on {part} has no journal, and does not grow in use: unmount it first.",
)
SMALL = Sentence(
    "layout.one.small",
    "{part} has blocks of {block} bytes from byte {start} on; only whole pages of 4096 can be grown so far.",
)
NOTHING_INSIDE = Sentence(
    "layout.one.nothing-inside", "Nothing is recognised on {part} whose size could change."
)
LOGICAL_STAYS = Sentence(
    "layout.one.logical-stays", "{part} is a logical partition, and those keep their size so far."
)
NEVER_SHRINKS = Sentence(
    "layout.one.never-shrinks",
    "{title} cannot shrink. Copy its files to a smaller volume instead: `diskwright bring {part} VOLUME`.",
)
NOT_SHRUNK = Sentence(
    "layout.one.not-shrunk",
    "{part} holds {what}: only ext2, ext3, ext4 and NTFS shrink so far. Copy its files to a smaller volume "
    "instead: `diskwright bring {part} VOLUME`.",
)
UNMOUNT_FIRST = Sentence(
    "layout.one.unmount-first",
    "{part} is mounted, and shrinks only unmounted: `diskwright unmount {part}` first.",
)
NOT_UNMOUNTED = Sentence(
    "layout.one.not-unmounted",
    "{part} was not unmounted cleanly. Check it first: `e2fsck -f {part}`.",
)
FULL = Sentence(
    "layout.one.full",
    "{part} has no room to give: its files and records take {taken:size}, and it has {size:size}.",
)
TOO_SMALL = Sentence(
    "layout.one.too-small",
    "{part} cannot be that small: its files and records take {taken:size}. Ask for {least:exact} at least.",
)
NOT_SMALLER = Sentence(
    "layout.one.not-smaller",
    "{part} has {size:exact}, and its end lies on whole {grain:exact}: ask for less.",
)
TOO_LARGE = Sentence(
    "layout.one.too-large",
    "{part} cannot be that large: with what is free right behind it, it can have {most:exact}.",
)
NOT_LARGER = Sentence("layout.one.not-larger", "{part} has {size:exact} already: ask for more.")
UNCHANGED = Sentence("layout.one.unchanged", "Keep the {table} on {drive} as it is.")
OTHERS_STAY = Sentence(
    "layout.one.others-stay",
    "{start} The other partition stays.",
    "{start} The other {count} partitions stay.",
)


def table_said(slot: Slot, table: WriteTable) -> Said:
    """What a kept table has otherwise of the partition `slot`."""
    drive, kind = table.device, table.table.upper()
    others = sum(entry.kept for entry in table.entries)
    if not changes(slot, table):
        return UNCHANGED(table=kind, drive=drive)
    new = next((entry for entry in table.entries if entry.number == slot.number), None)
    if new and new.size_bytes != slot.size_bytes:
        ends = ENDS if new.size_bytes > slot.size_bytes else ENDS_SOONER
        start = ends(number=slot.number, table=kind, drive=drive, size=new.size_bytes)
        return OTHERS_STAY(start=start, count=others) if others else start
    gone = new is None
    start = (EMPTIED if gone else CHANGED)(number=slot.number, table=kind, drive=drive)
    return OTHERS_STAY(start=start, count=others) if others else start


def resized_said(operation: Resizing) -> Said:
    """What changing a filesystem's size does."""
    said = GROWN if isinstance(operation, GrowFilesystem) else SHRUNK
    return said(filesystem=operation.filesystem, part=operation.device, size=operation.size_bytes)


def lost(part: str, slot: Slot) -> Said:
    """What goes with a partition that is formatted or deleted."""
    if not slot.filesystem:
        return UNKNOWN_LOST(part=part, size=slot.size_bytes)
    label = slot.label or slot.name
    what = printable(slot.filesystem, 40) + (f' "{printable(label, 40)}"' if label else "")
    return LOST(part=part, what=what, size=slot.size_bytes)


def changes(slot: Slot, table: WriteTable) -> bool:
    """Whether the table is another one than before."""
    entry = next((one for one in table.entries if one.number == slot.number), None)
    same = TableEntry(slot.number, slot.start_bytes, slot.size_bytes, slot.type or "", slot.name or "")
    return entry != same
