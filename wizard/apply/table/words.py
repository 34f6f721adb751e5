"""What is said of writing a partition table: how it differs from the planned one, and what went wrong."""

from wizard.model.said import Sentence

END_TAKEN = Sentence(
    "apply.table.end-taken", "A partition lies where the backup of the GPT belongs, from byte {byte} on."
)

# How a table differs from the planned one.
KIND = Sentence("apply.table.kind", "the table is {seen}, not {wanted}")
MISSING = Sentence("apply.table.missing", "partition {number} is missing")
NOT_PLANNED = Sentence("apply.table.not-planned", "there is a partition {number} that was not planned")
START = Sentence("apply.table.start", "partition {number} starts at byte {seen}, not {wanted}")
LENGTH = Sentence("apply.table.length", "partition {number} has a length in bytes of {seen}, not {wanted}")
TYPE = Sentence("apply.table.type", "partition {number} has the type {seen!r}, not {wanted!r}")
NAME = Sentence("apply.table.name", "partition {number} has the name {seen!r}, not {wanted!r}")
FLAGS = Sentence("apply.table.flags", "partition {number} has the flags {seen!r}, not {wanted!r}")
UUID = Sentence("apply.table.uuid", "partition {number} has the UUID {seen!r}, not {wanted!r}")

# How the kernel's partitions differ from the planned ones.
KERNEL_MISSING = Sentence("apply.table.kernel-missing", "the kernel has no partition {number}")
KERNEL_START = Sentence(
    "apply.table.kernel-start", "the kernel has partition {number} at byte {seen}, not {wanted}"
)
KERNEL_LENGTH = Sentence(
    "apply.table.kernel-length", "the kernel has partition {number} with {seen} bytes, not {wanted}"
)

# How the writing ends.
PLANNED = Sentence("apply.table.planned", "Disk and kernel have exactly the planned table.")
DRAWN = Sentence("apply.table.drawn", "Disk and kernel have exactly the planned table: {drawn:semicolons}.")
TABLE_DRAWN = Sentence("apply.table.table-drawn", "the table is {uuid}")
PARTITION_DRAWN = Sentence("apply.table.partition-drawn", "partition {number} is {uuid}")
NOT_CHANGED = Sentence("apply.table.not-changed", "The table was not changed.")
CHANGED_MEANWHILE = Sentence(
    "apply.table.changed-meanwhile",
    "Somebody changed the table of {drive} while the new one was rehearsed. Nothing of it was written.",
)
NOT_HELD = Sentence("apply.table.not-held", "{drive} does not hold the table that was written to it.")
NOT_READ = Sentence("apply.table.not-read", "The table of {drive} could not be read: {why}.")
NOT_AS_PLANNED = Sentence(
    "apply.table.not-as-planned",
    "The table read back from {drive} is not the planned one: {differences:semicolons}.",
)
NOT_TAKEN_OVER = Sentence(
    "apply.table.not-taken-over",
    "The table is on {drive}, but the kernel did not take it over: {differences:semicolons}. A restart makes "
    "it do so.",
)

# On a stand-in first.
NO_STAND_IN = Sentence(
    "apply.table.no-stand-in",
    "No stand-in for {drive} is possible ({why}). libparted writes the table to the drive itself. A power "
    "cut meanwhile can leave it half written until the run goes on.",
)
REHEARSED = Sentence(
    "apply.table.rehearsed",
    "On a stand-in for {drive}, the new table is the planned one; all else is to the byte as before",
)
READ_SO = Sentence("apply.table.read-so", "libblkid and the kernel read it so")
NOT_REHEARSED = Sentence(
    "apply.table.not-rehearsed",
    "The new table did not come out as planned on {node}, a stand-in for {drive}. {why} Nothing of it was "
    "written to {drive}.",
)
DIFFERENCES = Sentence("apply.table.differences", "{differences:semicolons}.")
WRITTEN_OUTSIDE = Sentence(
    "apply.table.written-outside", "libparted wrote to byte {byte}, which is no place of the table."
)
STAND_IN_DIFFERS = Sentence("apply.table.stand-in-differs", "It does not hold what was written to it.")

# What libparted did.
GAVE_UP = Sentence(
    "apply.table.gave-up",
    "libparted gave up on {device} (it aborted); the table on it may be half written.",
)
NOT_WRITTEN = Sentence("apply.table.not-written", "libparted did not write the table of {device}: {why}")
OTHER_KIND = Sentence(
    "apply.table.other-kind", "libparted sees a table of kind {seen} on {device}, not {wanted}."
)
KEPT_MISSING = Sentence(
    "apply.table.kept-missing", "Partition {number}, which is to stay, is not on {device}."
)
STRANGER = Sentence(
    "apply.table.stranger",
    "{device} has a partition {number} that is not in the plan; the table was not changed.",
)
TYPE_NOT_GIVEN = Sentence(
    "apply.table.type-not-given", "libparted cannot give partition {number} the type {type}."
)
NOT_IN_BLOCKS = Sentence(
    "apply.table.not-in-blocks",
    "Partition {number} is no whole number of the {block} byte blocks of {device}.",
)
ELSEWHERE = Sentence(
    "apply.table.elsewhere",
    "libparted would make partition {made} at block {block} instead of {number} at {wanted}.",
)
WRITTEN = Sentence("apply.table.written", "libparted {version} wrote the table.")
KERNEL_NOT_TOLD = Sentence("apply.table.kernel-not-told", "libparted could not tell the kernel: {why}")
NO_NEW_HEADER = Sentence(
    "apply.table.no-new-header", "The table that was written on {drive} has no header in block {block}."
)
RECORD_CHANGED = Sentence(
    "apply.table.record-changed", "libparted changed the record of partition {number}, which is to stay."
)
BYTE_CHANGED = Sentence(
    "apply.table.byte-changed", "libparted changed byte {byte}, which belongs to no new partition."
)
COPY_NOT_WHOLE = Sentence(
    "apply.table.copy-not-whole", "libparted wrote a GPT that is not whole in both copies."
)

# What a changed table would be.
OTHER_TABLE = Sentence(
    "apply.table.other-table", "The table of {device} is not the one that was planned for."
)
OTHER_PARTITIONS = Sentence(
    "apply.table.other-partitions", "The changed table would not have the planned partitions."
)
KEPT_CHANGED = Sentence("apply.table.kept-changed", "Partition {number}, which is to stay, would change.")
NOT_BECOME = Sentence("apply.table.not-become", "Partition {number} would not become what was planned.")
RECORD_ELSEWHERE = Sentence(
    "apply.table.record-elsewhere", "The table's record at byte {byte} is not where tables have it."
)
NOT_LAST = Sentence("apply.table.not-last", "Partition {number} is not the last logical one.")
NO_HEADER = Sentence("apply.table.no-header", "The table has no header in block {block}.")
OUTSIDE = Sentence("apply.table.outside", "Byte {byte} would change, which is no part of the table.")
