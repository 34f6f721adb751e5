"""The sentences of the quick test whether a drive is shingled."""

from wizard.model.said import Sentence

TITLE = Sentence("desk.displaced.title", "Is {drive} shingled?")
WHAT = Sentence(
    "desk.displaced.what",
    "A shingled drive keeps what is written in small pieces in another place at first. This test looks for "
    "that.",
)
READS = Sentence(
    "desk.displaced.reads",
    "It reads {count} small blocks all over free space, and writes the same bytes back: {size:exact} in all.",
)
COMPARES = Sentence(
    "desk.displaced.compares",
    "Then it reads them and their neighbours again, and compares the times. That takes about {usual} s, "
    "{most} s at most.",
)
UNCHANGED = Sentence(
    "desk.displaced.unchanged",
    "Every byte stays as it is. Partitions are not touched, nor is the drive's write cache switched off.",
)
CUT = Sentence(
    "desk.displaced.cut",
    "If the power goes meanwhile, what lies in free space may be damaged, such as files you hope to recover.",
)
UNCONFIRMED = Sentence(
    "desk.displaced.unconfirmed",
    "No real drive has confirmed this test yet. It was tried on simulated drives only.",
)
NOT_PROOF = Sentence(
    "desk.displaced.not-proof", "It never says that a drive is not shingled: nothing found is no proof."
)
NOT_POSSIBLE = Sentence("desk.displaced.not-possible", "Not possible on this drive:")
TEST_ABOUT = Sentence("desk.displaced.test-about", "test, about {seconds} s")
AGAIN = Sentence("desk.displaced.again", "test again")
ALLOW = Sentence("desk.displaced.allow", "Test by writing?")

READING = Sentence("desk.displaced.reading", "Reading what will be written back")
WRITING = Sentence("desk.displaced.writing", "Writing the same bytes back")
STREAMING = Sentence("desk.displaced.streaming", "Reading elsewhere, to empty the drive's memory")
LOOKING = Sentence("desk.displaced.looking", "Comparing")
IDLING = Sentence("desk.displaced.idling", "Something shows. Leaving the drive alone for ten seconds")
LOOKING_AGAIN = Sentence("desk.displaced.looking-again", "Comparing again")
LEFT = Sentence("desk.displaced.left", "{doing}, at most {seconds:time} left")
STARTING = Sentence("desk.displaced.starting", "Starting ...")

TIMES = Sentence("desk.displaced.times", "What a read usually takes (median)")
WRITTEN = Sentence("desk.displaced.written", "written, at random")
UNWRITTEN = Sentence("desk.displaced.unwritten", "not written, at random")
WRITTEN_IN_ORDER = Sentence("desk.displaced.written-in-order", "written, in order")
UNWRITTEN_IN_ORDER = Sentence("desk.displaced.unwritten-in-order", "not written, in order")
TOOK = Sentence("desk.displaced.took", "It wrote {written:size} and read {read:size} in {seconds:.0f} s.")
BEFORE_IDLE = Sentence("desk.displaced.before-idle", "Before the drive was left alone")
AFTER_IDLE = Sentence("desk.displaced.after-idle", "After it was left alone")
AT_RANDOM = Sentence(
    "desk.displaced.at-random",
    "At random places, written takes {ratio:.2f} times as long (Welch's t {t:.1f}).",
)
IN_ORDER = Sentence(
    "desk.displaced.in-order",
    "In the order of writing, the times lie {distance:.1f} apart (Kolmogorov-Smirnov; by chance 1.4).",
)
FROM_MEMORY = Sentence(
    "desk.displaced.from-memory", "{percent:.0f} % of the written blocks came from a memory."
)

HELP_PAIRS = Sentence(
    "desk.displaced.help-pairs",
    "Blocks come in pairs that lie side by side. A coin says which one of each pair is written.",
)
HELP_ALIKE = Sentence(
    "desk.displaced.help-alike",
    "On a conventional drive both are read alike afterwards, however fast, old or busy it is.",
)
HELP_IDLE = Sentence(
    "desk.displaced.help-idle",
    "Some server drives keep small writes elsewhere too, and bring them home soon. So it looks twice.",
)
