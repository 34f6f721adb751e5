"""The sentences of the quick test whether a drive is shingled."""

from wizard.model.said import Sentence

TITLE = Sentence("desk.places.displaced.title", "Is {drive} shingled?")
WHAT = Sentence(
    "desk.places.displaced.what",
    "A shingled drive keeps what is written in small pieces in another place at first. This test looks for "
    "that.",
)
READS = Sentence(
    "desk.places.displaced.reads",
    "It reads {count} small blocks all over free space, and writes the same bytes back: {size:exact} in all.",
)
COMPARES = Sentence(
    "desk.places.displaced.compares",
    "Then it reads them and their neighbours again, and compares the times. That takes about {usual} s, "
    "{most} s at most.",
)
UNCHANGED = Sentence(
    "desk.places.displaced.unchanged",
    "Every byte stays as it is. Partitions are not touched, nor is the drive's write cache switched off.",
)
CUT = Sentence(
    "desk.places.displaced.cut",
    "If the power goes meanwhile, what lies in free space may be damaged, such as files you hope to recover.",
)
UNCONFIRMED = Sentence(
    "desk.places.displaced.unconfirmed",
    "No real drive has confirmed this test yet. It was tried on simulated drives only.",
)
NOT_PROOF = Sentence(
    "desk.places.displaced.not-proof",
    "It never says that a drive is not shingled: nothing found is no proof.",
)
NOT_POSSIBLE = Sentence("desk.places.displaced.not-possible", "Not possible on this drive:")
TEST_ABOUT = Sentence("desk.places.displaced.test-about", "test, about {seconds} s")
AGAIN = Sentence("desk.places.displaced.again", "test again")
ALLOW = Sentence("desk.places.displaced.allow", "Test by writing?")

READING = Sentence("desk.places.displaced.reading", "Reading what will be written back")
WRITING = Sentence("desk.places.displaced.writing", "Writing the same bytes back")
STREAMING = Sentence("desk.places.displaced.streaming", "Reading elsewhere, to empty the drive's memory")
LOOKING = Sentence("desk.places.displaced.looking", "Comparing")
IDLING = Sentence("desk.places.displaced.idling", "Something shows. Leaving the drive alone for ten seconds")
LOOKING_AGAIN = Sentence("desk.places.displaced.looking-again", "Comparing again")
LEFT = Sentence("desk.places.displaced.left", "{doing}, at most {seconds:time} left")
STARTING = Sentence("desk.places.displaced.starting", "Starting ...")

TIMES = Sentence("desk.places.displaced.times", "What a read usually takes (median)")
TOOK = Sentence(
    "desk.places.displaced.took", "It wrote {written:size} and read {read:size} in {seconds:.0f} s."
)
BEFORE_IDLE = Sentence("desk.places.displaced.before-idle", "Before the drive was left alone")
AFTER_IDLE = Sentence("desk.places.displaced.after-idle", "After it was left alone")
AT_RANDOM = Sentence(
    "desk.places.displaced.at-random",
    "At random places, written takes {ratio:.2f} times as long (Welch's t {t:.1f}).",
)
IN_ORDER = Sentence(
    "desk.places.displaced.in-order",
    "In the order of writing, the times lie {distance:.1f} apart (Kolmogorov-Smirnov; by chance 1.4).",
)
FROM_MEMORY = Sentence(
    "desk.places.displaced.from-memory", "{percent:.0f} % of the written blocks came from a memory."
)

HELP_PAIRS = Sentence(
    "desk.places.displaced.help-pairs",
    "Blocks come in pairs that lie side by side. A coin says which one of each pair is written.",
)
HELP_ALIKE = Sentence(
    "desk.places.displaced.help-alike",
    "On a conventional drive both are read alike afterwards, however fast, old or busy it is.",
)
HELP_IDLE = Sentence(
    "desk.places.displaced.help-idle",
    "Some server drives keep small writes elsewhere too, and bring them home soon. So it looks twice.",
)
