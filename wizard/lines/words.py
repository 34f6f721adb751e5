"""What only the line-by-line face says: how its lines are answered, and how what others draw is told."""

from wizard.model.said import Sentence

REPLACED = Sentence(
    "lines.replaced",
    "(Letters that this terminal may not have are shown as plain ones, or as question marks.)",
)
INTRO = Sentence(
    "lines.intro",
    "diskwright sets up a drive, question by question. Answer by a number and Enter; ? explains a question.",
)
INTRO_WRITES = Sentence(
    "lines.intro-writes", "Nothing is written before you have heard the plan and typed the drive's token."
)
ASKS_ROOT = Sentence("lines.asks-root", "diskwright asks for root's rights, and goes on with the answer.")
NOTHING_WRITTEN = Sentence("lines.nothing-written", "Ended. Nothing has been written to any drive.")
ONLY_MEASURED = Sentence("lines.only-measured", "Ended. Only measuring has written, to free space.")
NOT_KNOWN = Sentence(
    "lines.not-known", "Ended. Whether the run has begun is not known here; `diskwright status` tells."
)
ENDED_BY_YOU = Sentence("lines.ended-by-you", "Ended by you.")

STEP = Sentence("lines.step", "Step {number} of {count}: {name}")
DRIVES = Sentence("lines.drives", "Drives")
PURPOSE = Sentence("lines.purpose", "Purpose")
PLAN = Sentence("lines.plan", "Plan")
REVIEW = Sentence("lines.review", "Review")
WORK = Sentence("lines.work", "Work")

CHOSEN = Sentence("lines.chosen", "chosen")
CANNOT = Sentence("lines.cannot", "Cannot be chosen:")
LOST = Sentence("lines.lost", "lost")
NEW = Sentence("lines.new", "new")
SIZED = Sentence("lines.sized", "{size:size}")
MORE = Sentence("lines.more", "{count} more")
PERCENT = Sentence("lines.percent", "{percent} percent.")

ANSWER = Sentence("lines.answer", "Answer:")
BY_NUMBER = Sentence("lines.by-number", "A number, an empty line for {number} ({label}), or: {ways:list}.")
TO_TAKE = Sentence("lines.to-take", "A number: {take}. An empty line: {label}. Or: {ways:list}.")
TO_READ = Sentence(
    "lines.to-read", "A number for what stands behind it, an empty line for {label}, or: {ways:list}."
)
NUMBER_ONLY = Sentence("lines.number-only", "A number, or: {ways:list}.")
EMPTY_LINE = Sentence("lines.empty-line", "An empty line: {label}. Or: {ways:list}.")
WAYS = Sentence("lines.ways", "One of: {ways:list}.")
WATCHING = Sentence("lines.watching", "An empty line goes on watching. Or: {ways:list}.")
AFTER_LAST = Sentence("lines.after-last", "After the last answer: {label}. Or: {ways:list}.")

KEEPS = Sentence("lines.keeps", "An empty line keeps {value}.")
KEEPS_EMPTY = Sentence("lines.keeps-empty", "An empty line leaves it empty.")
NOT_SHOWN = Sentence("lines.not-shown", "What you type is not shown.")
ONE_OF_THESE = Sentence("lines.one-of-these", "It has to be one of these.")

MISUNDERSTOOD = Sentence(
    "lines.misunderstood", '"{answer}" is no answer here. ? explains, l tells everything again.'
)
NO_ANSWER = Sentence("lines.no-answer", "An empty line is no answer here.")
MEANWHILE = Sentence("lines.meanwhile", "Something has changed meanwhile, so nothing was done.")
UNCHANGED = Sentence("lines.unchanged", "All is as before.")

HELP_MORE = Sentence("lines.help-more", "2?: more about number 2.")
HELP_AT = Sentence("lines.help-at", "A number and a key: do that with this one, as in 2 w.")
HELP_AGAIN = Sentence("lines.help-again", "l: tell everything again.")
HELP_WORD = Sentence("lines.help-word", "? and a word: what the word means, as in ? 512e.")
HELP_LITERAL = Sentence(
    "lines.help-literal", "= before an answer: it is meant as it is. = alone empties the field."
)
HELP_HOLD = Sentence(
    "lines.help-hold", "Ctrl+S holds the output where it scrolls too fast; Ctrl+Q lets it go on."
)
