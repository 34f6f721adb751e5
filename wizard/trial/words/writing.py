"""What is said of where a trial may write, and of accesses that fail."""

from wizard.model.said import Sentence

NOTHING_WRITTEN = Sentence("trial.writing.nothing-written", "{why} Nothing was written.")
OTHER_SERIAL = Sentence(
    "trial.writing.other-serial",
    "{token} does not confirm {drive}: type its serial number as `diskwright inspect {drive}` shows it.",
)
OTHER_NAME = Sentence(
    "trial.writing.other-name",
    "{token} does not confirm {drive}: type its name as `diskwright inspect {drive}` shows it.",
)
NO_ROOM = Sentence(
    "trial.writing.no-room",
    "{drive} has no free space of {room:exact} in one piece to write in; nothing was written. Reading needs "
    "none: leave out --scratch.",
)

NOT_KNOWN = Sentence("trial.writing.not-known", "What {drive} holds is not known. {why}")
NO_TABLE = Sentence("trial.writing.no-table", "Its table or size could not be read.")
USED = Sentence("trial.writing.used", "{drive} is in use: {subject} by {by}.")
MOUNTED = Sentence("trial.writing.mounted", "{drive} is in use: a partition is mounted.")
READ_ONLY = Sentence("trial.writing.read-only", "{drive} is read-only, or does not say that it is not.")
HOST_MANAGED = Sentence(
    "trial.writing.host-managed",
    "{drive} is host-managed: its zones take writes only where the last one ended, not at random places.",
)
UNSURE_TABLE = Sentence(
    "trial.writing.unsure-table",
    "{drive} has a partition table ({kind}) that does not tell surely what is free.",
)
WAITING = Sentence("trial.writing.waiting", "The run {run} waits on {drive}: what looks free is not.")
WHOLE = Sentence("trial.writing.whole", "{drive} carries {kind} as a whole: none of it is free.")

CHANGING = Sentence("trial.writing.changing", "The partitions of {drive} are just being changed.")
WRITER = Sentence("trial.writing.writer", "{writer}.")
"""Another program that has the drive open."""

OTHER_DRIVE = Sentence(
    "trial.writing.other-drive", "{drive} is not the drive that was confirmed: its {what} has changed."
)
LOCKED = Sentence(
    "trial.writing.locked", "Another program holds the lock on {drive}, as if it were changing it."
)
SWAPPED = Sentence("trial.writing.swapped", "{drive} is no longer the drive it was a moment ago.")
NOT_ALONE = Sentence(
    "trial.writing.not-alone", "{drive} is in use: the kernel does not give it to a writer alone."
)
NOT_OPENED = Sentence("trial.writing.not-opened", "{drive} cannot be opened for writing ({why}).")

PARTITIONS_CHANGED = Sentence(
    "trial.writing.partitions-changed", "The partitions of {drive} have changed since the trial began"
)
OTHER_WRITER = Sentence("trial.writing.other-writer", "Another program writes to {drive}")
OPEN = Sentence("trial.writing.open", "{name} (process {process}) has {node} open for writing")
"""Beginnings of sentences, as the next one goes on."""

STOPPED = Sentence(
    "trial.writing.stopped",
    "{trouble}: the trial writes no more. What it wrote is what was there before.",
)
OUTSIDE = Sentence(
    "trial.writing.outside",
    "{drive}: byte {start} lies outside the free space; nothing was written there.",
)
SHORT_WRITE = Sentence(
    "trial.writing.short-write",
    "{drive}: writing at byte {start} took {done} bytes instead of {wanted}; what was there is unchanged.",
)
SHORT_READ = Sentence(
    "trial.writing.short-read",
    "{drive}: reading at byte {start} brought {done} bytes instead of {wanted}.",
)
READING = Sentence("trial.writing.reading", "reading at byte {start}")
WRITING = Sentence("trial.writing.writing", "writing at byte {start}")
FLUSHING = Sentence("trial.writing.flushing", "flushing at byte {start}")
FAILED = Sentence(
    "trial.writing.failed",
    "{drive}: {doing} failed ({why}). `dmesg` tells what the kernel met. If the drive is failing, save its "
    "data first.",
)
GONE = Sentence(
    "trial.writing.gone", "{drive} has gone: {doing} failed. Attach it again, and start the trial again."
)
