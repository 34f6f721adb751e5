"""What is said of runs: where they are kept, whether they can be taken up, and how they stand."""

from wizard.model.said import Sentence, t

NOTHING_WRITTEN = t("Nothing was written.")
DISK_FULL = t("the disk is full")
UNWRITTEN = Sentence("{file} could not be written: {why}.")

# Beginning a run.

# Settling and ending it.

# The journal.
DAMAGED = Sentence("{place} is damaged.")

# Locks.
UNOPENED = Sentence("{path} cannot be opened: {why}.")

# Where runs lie.

# How far it is.

# What a document says of itself.

# What was saved of drives.
NO_BAD_SECTORS = Sentence(
    "{run} moves no partition: --over-bad-sectors means nothing for it. Nothing was written."
)
