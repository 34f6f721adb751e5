"""The sentences of trying filesystems where a plan puts a volume."""

from wizard.model.said import Sentence

TITLE = Sentence("Try filesystems: {purpose}")

# Keys.

# Before it begins.

# While it runs.

# The result.
HELP = (
    Sentence("Only free space is written. What was deleted there is lost; tables and partitions stay."),
    Sentence("Each filesystem is made in full size, by the planned options, and unmounted after every step."),
    Sentence("A difference is claimed only where all of its range lies beyond 5 %, in nearly every round."),
    Sentence("The plan changes only when you take another filesystem."),
)
