"""The sentences of measuring whether alignment matters on a drive."""

from wizard.model.said import Sentence

TITLE = Sentence("desk.places.trial.title", "Does alignment matter on {drive}?")
NOT_YET = Sentence(
    "desk.places.trial.not-yet", "Reading for at most half a minute tells. It changes nothing on the drive."
)
HIDING = Sentence(
    "desk.places.trial.hiding",
    "It says that its blocks have 512 bytes, so nothing can be beside them. Some drives hide larger ones.",
)
CAN_WRITE = Sentence(
    "desk.places.trial.can-write",
    "It has free space that nothing uses. Measuring by writing there says more.",
)
NO_WRITING = Sentence("desk.places.trial.no-writing", "Writing cannot be measured:")
STARTING = Sentence("desk.places.trial.starting", "Starting ...")
LEFT = Sentence("desk.places.trial.left", "at most {seconds:time} left")
SO_FAR = Sentence(
    "desk.places.trial.so-far",
    "{count} pair so far: misaligned takes {estimate:.2f} times as long.",
    "{count} pairs so far: misaligned takes {estimate:.2f} times as long.",
)
NOTHING_YET = Sentence(
    "desk.places.trial.nothing-yet",
    "{count} pair so far, and nothing to say yet.",
    "{count} pairs so far, and nothing to say yet.",
)
NOT_512 = Sentence("desk.places.trial.not-512", "This is for drives that claim blocks of 512 bytes.")

# Keys.
READ = Sentence("desk.places.trial.read", "measure by reading")
WRITE = Sentence("desk.places.trial.write", "by writing")
AS_LARGE = Sentence("desk.places.trial.as-large", "as 4096-byte blocks")

# Before writing.
ALLOW = Sentence("desk.places.trial.allow", "Measure by writing?")
ALLOW_TEXT = Sentence(
    "desk.places.trial.allow-text",
    "Pieces of free space are read, and the very same bytes are written back there.",
)

HELP_PAIRS = Sentence(
    "desk.places.trial.help-pairs",
    "Small pieces are read in pairs: one on a block boundary, and one beside it right afterwards.",
)
HELP_END = Sentence(
    "desk.places.trial.help-end", "It ends as soon as the answer is sure, or after {seconds} seconds."
)
HELP_INTERVAL = Sentence(
    "desk.places.trial.help-interval",
    "1.8x (1.6-2.0, 95 %): in 95 of 100 such measurements the true factor lies between 1.6 and 2.0.",
)
HELP_WRITING = Sentence(
    "desk.places.trial.help-writing",
    "Reading alone never clears a drive: the price of misalignment is paid in writing.",
)
