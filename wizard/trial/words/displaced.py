"""What is said of the quick probe for shingled recording: what its verdict says, and what it does not say."""

from wizard.model.said import Sentence

# Why it is not possible.
NOT_WHOLE = Sentence(
    "trial.displaced.not-whole",
    "The quick test is for SATA, SAS and USB hard disks; {drive} ({bus}) is none. It may move what is "
    "written.",
)
EMULATED = Sentence(
    "trial.displaced.emulated", "{drive} is emulated: what would be timed is not a drive's platters."
)
NOTHING_TURNS = Sentence(
    "trial.displaced.nothing-turns", "{drive} has no platters, so that no tracks can overlap."
)
NO_ROTATION = Sentence(
    "trial.displaced.no-rotation",
    "{drive} does not say that it turns. Behind some USB bridges only smartctl can tell.",
)
LARGE_BLOCKS = Sentence(
    "trial.displaced.large-blocks", "{drive} reports physical blocks of {size} bytes, which cannot be meant."
)
LITTLE_ROOM = Sentence(
    "trial.displaced.little-room",
    "{drive} has too little free space for the quick test: it takes {least:exact}. Nothing was written.",
)
CHANGED = Sentence(
    "trial.displaced.changed",
    "{drive}: byte {start} reads otherwise than it was written. Save what the drive holds, and test its "
    "health.",
)

# The verdict.
LIKELY = Sentence("trial.displaced.likely", "{drive} is likely shingled: {why}.")
NOTHING_FOUND = Sentence(
    "trial.displaced.nothing-found",
    "{drive}: nothing found; written blocks were read as their neighbours were. That is no proof that it is "
    "not shingled.",
)
CANNOT_TELL = Sentence("trial.displaced.cannot-tell", "{drive}: can't tell; {why}.")

STAYS = Sentence(
    "trial.displaced.stays",
    "blocks that were written are read from another place than their neighbours, and stayed there while it "
    "was left alone",
)
REWRITES = Sentence(
    "trial.displaced.rewrites", "each small write takes {milliseconds} ms, as if a whole band were rewritten"
)
UNWRITTEN = Sentence(
    "trial.displaced.unwritten",
    "places that were never written answer without its platters, as those of a drive with TRIM do",
)
CAME_HOME = Sentence(
    "trial.displaced.came-home",
    "blocks that were written were read from another place, but came home while it was left alone. "
    "Conventional drives with a media cache do that",
)
FROM_MEMORY = Sentence(
    "trial.displaced.from-memory",
    "too much of what was written came from a memory: the drive's own, a controller's, or flash",
)
NO_PLATTERS = Sentence("trial.displaced.no-platters", "it answers as nothing that turns does")
MEDIA_CACHE = Sentence(
    "trial.displaced.media-cache",
    "this model ({family}) may have a media cache, which looks the same. Nothing was written",
)
TOO_SLOW = Sentence(
    "trial.displaced.too-slow", "its {seconds} s were over too early. Leave it alone, and try again"
)
ENDED = Sentence("trial.displaced.ended", "you ended it before it could say anything")

# What is to be kept in mind.
UNCONFIRMED = Sentence(
    "trial.displaced.unconfirmed",
    "No real drive has confirmed this test yet. It was tried on simulated drives only.",
)
CONTRIBUTE = Sentence(
    "trial.displaced.contribute",
    "If you know how this drive records, send its report to the project: it holds every time measured.",
)
CLIFF_PROVES = Sentence(
    "trial.displaced.cliff-proves",
    "The surer test is the write cliff: `diskwright bench {drive} --scratch --shingled`, for half an hour.",
)
SMALL_LATER = Sentence(
    "trial.displaced.small-later",
    "A conventional drive that empties a media cache late looks the same. Its model is not in the list.",
)

# The four kinds of reads that are compared.
READ_WRITTEN = Sentence("trial.displaced.read-written", "written, at random")
READ_UNWRITTEN = Sentence("trial.displaced.read-unwritten", "not written, at random")
READ_WRITTEN_IN_ORDER = Sentence("trial.displaced.read-written-in-order", "written, in order")
READ_UNWRITTEN_IN_ORDER = Sentence("trial.displaced.read-unwritten-in-order", "not written, in order")
