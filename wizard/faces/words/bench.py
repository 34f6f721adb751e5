"""The sentences of `diskwright bench`."""

from wizard.model.said import Sentence

SAYS = Sentence(
    "faces.bench.says",
    "Measure how much slower misaligned access is on a drive, by pairs of direct accesses, one of each kind. "
    "With --shingled, find out instead whether random writing falls off a cliff, as it does on drive-managed "
    "shingled drives.",
)
READS = Sentence(
    "faces.bench.reads", "reads only; ends when the interval is narrow, after 30 s at the latest"
)
PLACE = Sentence(
    "faces.bench.place", "what it costs that this partition starts where it does; before and after a move"
)
DEVICE = Sentence("faces.bench.device", "a whole drive, such as /dev/sdb, or a partition of it")
NOT_OF_A_PART = Sentence(
    "faces.bench.not-of-a-part", "A drive is shingled as a whole: with --shingled name the drive."
)
MAY_LIE = Sentence(
    "faces.bench.may-lie", "for a drive that claims 512-byte physical blocks and may not have them"
)
WRITES = Sentence(
    "faces.bench.writes",
    "writes too, only in free space and only the bytes just read there; keeps the verdict as JSON",
)
LOOKS = Sentence(
    "faces.bench.looks",
    "looks for a shingled drive's write cliff in free space, for half an hour or 32 GiB at most",
)
TESTS = Sentence(
    "faces.bench.tests", "tests in a minute whether it is likely shingled; writes less than 4 MB"
)
ABOUT_SHINGLED = Sentence(
    "faces.bench.about-shingled",
    "Every byte stays as it is, also with --shingled, but a shingled drive is slow for a while afterwards.",
)

SCRATCH = Sentence("faces.bench.scratch", "measure writing, in free space only; what is there stays as it is")
CONFIRM = Sentence(
    "faces.bench.confirm", "with --scratch: the drive's serial number, or its name where it has none"
)
SHINGLED = Sentence("faces.bench.shingled", "with --scratch: look for the write cliff of a shingled drive")
QUICK = Sentence(
    "faces.bench.quick",
    "with --shingled: a test of a minute instead, which no real drive has confirmed yet",
)
SECONDS = Sentence(
    "faces.bench.seconds", "end after so many seconds at the latest (30; with --shingled 1800)"
)
MOST_BYTES = Sentence(
    "faces.bench.most-bytes", "with --shingled: write no more than this in all, such as 8G (32G)"
)
ASSUME_PHYSICAL = Sentence(
    "faces.bench.assume-physical", "take this for the physical block size, whatever the drive says"
)
JSON = Sentence(
    "faces.bench.json",
    "print the verdict as JSON (diskwright.verdict/1; with --shingled diskwright.cliff/1, with --quick "
    "diskwright.displaced/1)",
)
OUTPUT = Sentence("faces.bench.output", "also keep the verdict as JSON in this file")

# What is refused.
NO_CONFIRM = Sentence(
    "faces.bench.no-confirm",
    "--scratch writes to the drive's free space, and wants --confirm with the drive's serial number. A drive "
    "without one is confirmed by its name.",
)
NO_SCRATCH = Sentence(
    "faces.bench.no-scratch", "--confirm belongs to --scratch; without it nothing is written."
)
READING_TELLS_NOT = Sentence(
    "faces.bench.reading-tells-not",
    "--shingled writes, and belongs to --scratch: reading does not show how a drive records.",
)
NOT_ALIGNMENT = Sentence(
    "faces.bench.not-alignment", "--assume-physical is about alignment; --shingled does not measure that."
)
NO_SHINGLED = Sentence("faces.bench.no-shingled", "--most-bytes belongs to --shingled.")
SECONDS_BETWEEN = Sentence("faces.bench.seconds-between", "--seconds must lie between {least} and {most}.")
NO_FILE = Sentence("faces.bench.no-file", "{file} cannot be written as a file.")

# While it measures.
READING = Sentence("faces.bench.reading", "Reading from {drive} for at most {duration}; Ctrl+C ends it.")
WRITING = Sentence(
    "faces.bench.writing",
    "Writing back what is read in free space of {drive} for at most {duration}; Ctrl+C ends it.",
)
PAIRS = Sentence("faces.bench.pairs", "{pairs} pairs, at most {seconds:.0f} s left")
PAIRS_OF = Sentence("faces.bench.pairs-of", "{pairs} of at most {most} pairs, at most {seconds:.0f} s left")
SO_FAR = Sentence("faces.bench.so-far", "{line}, so far {estimate:.2f}x")
ENDED = Sentence(
    "faces.bench.ended", "Ended by you; what is said above rests on what was measured until then."
)
VERDICT_FILE = Sentence("faces.bench.verdict-file", "The verdict")

# The verdict.
ALIGNED = Sentence("faces.bench.aligned", "aligned")
MISALIGNED = Sentence("faces.bench.misaligned", "misaligned")
IN_PLACE = Sentence("faces.bench.in-place", "its place")
MEDIANS_IN_PLACE = Sentence(
    "faces.bench.medians-in-place",
    "Medians of {pairs} accesses of {block} bytes each, in {duration}; its blocks are {shift} bytes off.",
)
MEDIANS = Sentence(
    "faces.bench.medians",
    "Medians of {pairs} accesses of {block} bytes each, in {duration}; misaligned by {shift} bytes.",
)
FACTOR = Sentence(
    "faces.bench.factor",
    "The factor above is that of a typical pair, each taken by itself, and not of the two medians.",
)
