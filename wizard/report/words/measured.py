"""What a report says of what was measured."""

from wizard.model.said import Sentence

ALIGNMENT = Sentence("report.measured.alignment", "Alignment on {drive}")
ACCESS = Sentence("report.measured.access", "{access} of {size} bytes, misaligned by {shift} bytes")
PASSES = Sentence("report.measured.passes", "{pairs} pairs, one access of each kind, in {duration}")
IN_MIND = Sentence("report.measured.in-mind", "With this in mind")
NO_FACTOR = Sentence("report.measured.no-factor", "There is no factor to give.")
FACTOR = Sentence(
    "report.measured.factor",
    "A misaligned access took {factor} times as long as an aligned one; with {confidence} confidence "
    "{low} to {high}.",
)
FACTOR_TITLE = Sentence("report.measured.factor-title", "Misaligned over aligned time, with its interval")
TIMES_TITLE = Sentence(
    "report.measured.times-title", "Time of an access: the median, and the middle half of all"
)
TIMES = Sentence(
    "report.measured.times", "Half of all accesses lie within the whiskers. {medians:semicolons}."
)
UNDER = Sentence("report.measured.under", "A quarter under")
OVER = Sentence("report.measured.over", "A quarter over")
IN_NUMBERS = Sentence("report.measured.in-numbers", "The same in numbers")
SPREAD = Sentence("report.measured.spread", "How many pairs showed which factor (misaligned over aligned)")
AND_MORE = Sentence("report.measured.and-more", "{least} and more")
RATE = Sentence("report.measured.rate", "Rate of writing, window by window")
CLIFF = Sentence("report.measured.cliff", "Write cliff of {drive}")
DOUBT = Sentence("report.measured.doubt", "In doubt because")
RANDOM = Sentence("report.measured.random", "Written at random")
PIECES = Sentence("report.measured.pieces", "{written:size} in pieces of {size} bytes")
DISPLACED = Sentence("report.measured.displaced", "Is {drive} shingled? The quick test")
RESTS_ON = Sentence("report.measured.rests-on", "Rests on")
WRITTEN_BACK = Sentence("report.measured.written-back", "Written back")
AT_FIRST = Sentence("report.measured.at-first", "Right after writing")
AFTER_IDLE = Sentence("report.measured.after-idle", "After it was left alone")
STATISTICS = Sentence("report.measured.statistics", "Written against unwritten blocks")
QUICKER = Sentence("report.measured.quicker", "More without platters, in order")
FROM_MEMORY = Sentence("report.measured.from-memory", "From a memory, at random")
FIRST_READS = Sentence("report.measured.first-reads", "First reads")
WRITES = Sentence("report.measured.writes", "Writes")
EVERY_TIME = Sentence(
    "report.measured.every-time", "Every time, in milliseconds; batches end with a semicolon"
)
NO_DIFFERENCE = Sentence("report.measured.no-difference", "{factor}: no difference")
