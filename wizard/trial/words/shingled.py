"""What is said of a write cliff: what the verdict says, and what it does not say."""

from wizard.model.said import Sentence

NO_BLOCKS = Sentence(
    "trial.shingled.no-blocks", "{drive}: its block sizes could not be read, so nothing can be measured."
)
LITTLE_ROOM = Sentence(
    "trial.shingled.little-room",
    "{drive} has too little free space in one piece to tell: it takes at least {least:exact}. Nothing was "
    "written.",
)

INCONCLUSIVE = Sentence("trial.shingled.inconclusive", "{drive}: inconclusive; {why}")
TOO_LITTLE = Sentence(
    "trial.shingled.too-little",
    "too little was written to say anything. Give it more time and more bytes.",
)
LATE = Sentence(
    "trial.shingled.late",
    "random writing became slower only at the very end, too late to tell why. Give it more time and more "
    "bytes.",
)
SLOW = Sentence(
    "trial.shingled.slow",
    "every random write took longer than {most} ms, from the first one on. A shingled drive whose cache was "
    "full already does that. So does one that is busy with something else, or failing, and any memory stick. "
    "Leave it alone for an hour, then try again.",
)

CLIFF = Sentence("trial.shingled.cliff", "{drive}: inconclusive; {fall}. {why}")
"""A cliff that something else may explain."""

FELL = Sentence(
    "trial.shingled.fell",
    "after {written:size} of random writes ({duration} of writing) their rate fell from {before} to {after}, "
    "to 1/{factor}",
)
UNKNOWN_RATE = Sentence("trial.shingled.unknown-rate", "an unknown rate")
FOUND = Sentence(
    "trial.shingled.found",
    "{drive}: write cliff found; {fall}. But sequential writing stayed at {after} ({before} before). A "
    "drive-managed shingled drive writes like that when its cache is full: this one is likely shingled.",
)
NONE_FOUND = Sentence(
    "trial.shingled.none-found",
    "{drive}: no write cliff within {written:size} of random writes. That is no proof that it is not "
    "shingled: a larger cache would not have shown.",
)

NO_COMPARISON = Sentence(
    "trial.shingled.no-comparison",
    "Sequential writing was not measured afterwards, so other work on the drive may have been the reason.",
)
SEQUENTIAL_TOO = Sentence(
    "trial.shingled.sequential-too",
    "But sequential writing became slower as well: other work, heat or a cache before the drive explain "
    "that.",
)
AS_FAST = Sentence(
    "trial.shingled.as-fast",
    "But it is still as fast as any hard disk that has to seek. A write cache that filled up, in a "
    "controller or an enclosure, explains that as well.",
)
SOLID_STATE = Sentence(
    "trial.shingled.solid-state",
    "It is a solid-state drive: its own fast cache filled up. That has nothing to do with shingled "
    "recording.",
)
REMOVABLE = Sentence(
    "trial.shingled.removable",
    "But it is removable: memory sticks and cards write at random like that by nature.",
)
NO_DRIVE = Sentence(
    "trial.shingled.no-drive",
    "But this is a loop device: the file beneath it and this machine's cache were measured, not a drive.",
)

EMPTIES = Sentence(
    "trial.shingled.empties",
    "The cache empties while the drive is left alone. Until then, an hour perhaps, it stays slow. Nothing is "
    "wrong with the drive.",
)
ZEROS = Sentence(
    "trial.shingled.zeros",
    "Everything read was zeros: this space was perhaps never written, or discarded. A shingled drive may "
    "write there without its cache. Space that once held data tells more.",
)
DISCARDED = Sentence(
    "trial.shingled.discarded",
    "Where free space was discarded or never written, a shingled drive may write without its cache and show "
    "no cliff.",
)
ALL_WRITTEN = Sentence(
    "trial.shingled.all-written",
    "All of its free space was written; a drive with more free space could be tried longer.",
)
USB = Sentence(
    "trial.shingled.usb",
    "What is attached by USB often counts as a hard disk without being one. This says nothing of a memory "
    "stick.",
)
NOT_ROTATING = Sentence(
    "trial.shingled.not-rotating",
    "Shingled recording is a matter of rotating drives, and this one says that it is none.",
)
ENDED = Sentence("trial.shingled.ended", "You ended it before its limits were reached.")
