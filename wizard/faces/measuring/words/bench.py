"""The sentences of `diskwright bench`."""

from wizard.model.said import Sentence

SAYS = Sentence(
    "faces.measuring.bench.says",
    "Measure how much slower misaligned access is on a drive, by pairs of direct accesses, one of each kind. "
    "With --shingled, find out instead whether random writing falls off a cliff, as it does on drive-managed "
    "shingled drives.",
)
READS = Sentence(
    "faces.measuring.bench.reads", "reads only; ends when the interval is narrow, after 30 s at the latest"
)
PLACE = Sentence(
    "faces.measuring.bench.place",
    "cost of this partition's alignment; before and after a move",
)
DEVICE = Sentence("faces.measuring.bench.device", "a drive, such as /dev/sdb, or a partition")
NOT_OF_A_PART = Sentence(
    "faces.measuring.bench.not-of-a-part", "A drive is shingled as a whole: with --shingled name the drive."
)
MAY_LIE = Sentence(
    "faces.measuring.bench.may-lie", "for a drive that claims 512-byte physical blocks and may not have them"
)
WRITES = Sentence(
    "faces.measuring.bench.writes",
    "writes too, only in free space and only the bytes just read there; keeps the verdict as JSON",
)
LOOKS = Sentence(
    "faces.measuring.bench.looks",
    "looks for a shingled drive's write cliff in free space, for half an hour or 32 GiB at most",
)
TESTS = Sentence(
    "faces.measuring.bench.tests", "tests in a minute whether it is likely shingled; writes less than 2 MB"
)
ABOUT_SHINGLED = Sentence(
    "faces.measuring.bench.about-shingled",
    "No byte changes, even with --shingled, but a shingled drive is slow for a while afterwards.",
)

SCRATCH = Sentence(
    "faces.measuring.bench.scratch", "measure writing, in free space only, with the bytes already there"
)
CONFIRM = Sentence(
    "faces.measuring.bench.confirm",
    "with --scratch: the drive's serial number, or its name if it has none",
)
SHINGLED = Sentence(
    "faces.measuring.bench.shingled", "with --scratch: look for the write cliff of a shingled drive"
)
QUICK = Sentence(
    "faces.measuring.bench.quick",
    "with --shingled: a test in a minute, not yet confirmed on a real drive",
)
SECONDS = Sentence("faces.measuring.bench.seconds", "time limit in seconds (30; with --shingled 1800)")
MOST_BYTES = Sentence(
    "faces.measuring.bench.most-bytes", "with --shingled: limit of written data, such as 8G (32G)"
)
ASSUME_PHYSICAL = Sentence("faces.measuring.bench.assume-physical", "assume this physical block size")
JSON = Sentence(
    "faces.measuring.bench.json",
    "print the verdict as JSON (diskwright.verdict/1; with --shingled diskwright.cliff/1, with --quick "
    "diskwright.displaced/1)",
)
OUTPUT = Sentence("faces.measuring.bench.output", "save the verdict as JSON")

# What is refused.
NO_CONFIRM = Sentence(
    "faces.measuring.bench.no-confirm",
    "--scratch writes to the drive's free space, and wants --confirm with the drive's serial number. A drive "
    "without one is confirmed by its name.",
)
NO_SCRATCH = Sentence(
    "faces.measuring.bench.no-scratch", "--confirm belongs to --scratch; without it nothing is written."
)
READING_TELLS_NOT = Sentence(
    "faces.measuring.bench.reading-tells-not",
    "--shingled writes, and belongs to --scratch: reading does not show how a drive records.",
)
NOT_ALIGNMENT = Sentence(
    "faces.measuring.bench.not-alignment",
    "--assume-physical is about alignment; --shingled does not measure that.",
)
NO_SHINGLED = Sentence("faces.measuring.bench.no-shingled", "--most-bytes belongs to --shingled.")
SECONDS_BETWEEN = Sentence(
    "faces.measuring.bench.seconds-between", "--seconds must lie between {least} and {most}."
)
NO_FILE = Sentence("faces.measuring.bench.no-file", "{file} cannot be written as a file.")

# While it measures.
READING = Sentence(
    "faces.measuring.bench.reading", "Reading from {drive} for at most {duration}; Ctrl+C ends it."
)
WRITING = Sentence(
    "faces.measuring.bench.writing",
    "Writing back what is read in free space of {drive} for at most {duration}; Ctrl+C ends it.",
)
PAIRS = Sentence("faces.measuring.bench.pairs", "{pairs} pairs, at most {seconds:.0f} s left")
PAIRS_OF = Sentence(
    "faces.measuring.bench.pairs-of", "{pairs} of at most {most} pairs, at most {seconds:.0f} s left"
)
SO_FAR = Sentence("faces.measuring.bench.so-far", "{line}, so far {estimate:.2f}x")
ENDED = Sentence(
    "faces.measuring.bench.ended", "Ended by you; what is said above rests on what was measured until then."
)
VERDICT_FILE = Sentence("faces.measuring.bench.verdict-file", "The verdict")

# The verdict.
ALIGNED = Sentence("faces.measuring.bench.aligned", "aligned")
MISALIGNED = Sentence("faces.measuring.bench.misaligned", "misaligned")
IN_PLACE = Sentence("faces.measuring.bench.in-place", "its place")
MEDIANS_IN_PLACE = Sentence(
    "faces.measuring.bench.medians-in-place",
    "Medians of {pairs} accesses of {block} bytes each, in {duration}; its blocks are {shift} bytes off.",
)
MEDIANS = Sentence(
    "faces.measuring.bench.medians",
    "Medians of {pairs} accesses of {block} bytes each, in {duration}; misaligned by {shift} bytes.",
)
FACTOR = Sentence(
    "faces.measuring.bench.factor",
    "The factor above is that of a typical pair, each taken by itself, and not of the two medians.",
)
