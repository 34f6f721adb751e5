"""Why a table cannot be changed for the move of one of its partitions."""

from wizard.model.said import Sentence

# The table as it is.
NO_TABLE = Sentence("apply.move.tables.no-table", "The drive has no GPT or MBR partition table.")
HYBRID = Sentence(
    "apply.move.tables.hybrid",
    "The drive has a hybrid MBR: two tables state the same partitions, and only one can change at a time.",
)
NOT_READ = Sentence("apply.move.tables.not-read", "The partition table was not read whole. {problems:row}")
UNREADABLE = Sentence(
    "apply.move.tables.unreadable", "The drive does not read at byte {byte}, where its table lies."
)
NOT_WHOLE = Sentence(
    "apply.move.tables.not-whole",
    "The GPT has only one sound copy. Restore the other one first: a power cut could cost the table.",
)
DIFFERENT = Sentence(
    "apply.move.tables.different",
    "The two copies of the GPT differ. Make them the same first, so that it is known which one is right.",
)
UNPROTECTED = Sentence(
    "apply.move.tables.unprotected",
    "The GPT has no protective MBR. Restore it first: other programs may take the drive for empty.",
)
DYNAMIC = Sentence(
    "apply.move.tables.dynamic",
    "The drive holds dynamic disks of Windows (LDM), whose own database states where everything lies.",
)
NOT_THERE = Sentence("apply.move.tables.not-there", "The table has no partition {number}.")
CONTAINER = Sentence(
    "apply.move.tables.container",
    "Partition {number} is the extended one. It is not moved; the logical ones in it can be.",
)
ODD_LINE = Sentence(
    "apply.move.tables.odd-line",
    "Partition {number} stands in an unusual line of its record, which Linux may not follow elsewhere.",
)

# The place.
OVERLAPS = Sentence(
    "apply.move.tables.overlaps", "The room for the move overlaps partition {other}, which stays where it is."
)
ON_TABLE = Sentence(
    "apply.move.tables.on-table", "The room for the move overlaps the table itself at byte {byte}."
)
OUTSIDE = Sentence(
    "apply.move.tables.outside",
    "The room for the move leaves the room for partitions, which is from byte {start} to byte {end}.",
)
OUTSIDE_EXTENDED = Sentence(
    "apply.move.tables.outside-extended",
    "The room for the move leaves the extended partition, or lies before the record of partition {number}.",
)
TOO_FAR = Sentence(
    "apply.move.tables.too-far",
    "An MBR counts blocks in 32 bits. The room for the move lies further in or is larger than that.",
)
SHARED_BLOCK = Sentence(
    "apply.move.tables.shared-block",
    "The physical block at byte {byte} holds a part of the table and content of partition {number}. "
    "Writing it could cost that content in a power cut.",
)
