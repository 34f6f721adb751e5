"""The sentences of pages that are read: help, words, reasons, and steps with their commands."""

from wizard.model.said import Sentence

# Help.
HELP = Sentence("desk.pages.help", "Help")
KEYS = Sentence("desk.pages.keys", "Keys")
NOT_NOW = Sentence("desk.pages.not-now", "(not now: {why})")

# What words mean.
WORDS = Sentence("desk.pages.words", "What the words mean")
TERM = Sentence("desk.pages.term", "Word")
HERE = Sentence("desk.pages.here", "here")
ALSO = Sentence("desk.pages.also", "Also")
ALSO_SAID = Sentence("desk.pages.also-said", "Also: {spellings:list}.")
WORDS_HELP = Sentence(
    "desk.pages.words-help", "Words marked `here` stand on the screen that you came from. They come first."
)
WORDS_OWN = Sentence(
    "desk.pages.words-own",
    "Your own words go into ~/.config/diskwright/glossary. `diskwright glossary --help` says how.",
)

# Reasons.
REASONS_HELP = Sentence(
    "desk.pages.reasons-help", "Each line is a sentence. Beside or below it stands what is behind it."
)
REASONS_EVIDENCE = Sentence(
    "desk.pages.reasons-evidence",
    "Figures are published ones, with when, on what kernel and on what hardware they were measured.",
)
NO_REASONS = Sentence("desk.pages.no-reasons", "Nothing more can be said of this.")
WHY = Sentence("desk.pages.why", "Why:")
DO = Sentence("desk.pages.do", "Do:")
SOURCE = Sentence("desk.pages.source", "Source:")
RULE = Sentence("desk.pages.rule", "Rule:")
RULE_MEANS = Sentence("desk.pages.rule-means", "{code}: {meaning}")
RISK = Sentence("desk.pages.risk", "Risk:")
CANNOT = Sentence("desk.pages.cannot", "Cannot:")
UNDO = Sentence("desk.pages.undo", "Undo:")
DESTROYS = Sentence("desk.pages.destroys", "Destroys:")
CHECKED = Sentence("desk.pages.checked", "Checked afterwards:")
POWER = Sentence("desk.pages.power", "If the power goes:")
TAKES = Sentence("desk.pages.takes", "Takes {seconds:time}, by estimate.")
IN_DOUBT = Sentence("desk.pages.in-doubt", "In doubt:")
NOT_KNOWN = Sentence("desk.pages.not-known", "It could not be known when the plan was made.")
BUT = Sentence("desk.pages.but", "But:")
MKFS = Sentence("desk.pages.mkfs", "When made:")
MOUNT = Sentence("desk.pages.mount", "When mounted:")
SCHEDULER = Sentence("desk.pages.scheduler", "Scheduler:")
WITHHELD_MKFS = Sentence("desk.pages.withheld-mkfs", "Not offered when made:")
WITHHELD_MOUNT = Sentence("desk.pages.withheld-mount", "Not offered when mounted:")
WITHHELD_SCHEDULER = Sentence("desk.pages.withheld-scheduler", "Not offered as scheduler:")
OF_DRIVE = Sentence("desk.pages.of-drive", "This holds of the drive and the purpose, whatever is put on it.")
WAY_OFF = Sentence("desk.pages.way-off", "The way off it")
RECORDING = Sentence(
    "desk.pages.recording",
    "{count} clue to how the drive records",
    "{count} clues to how the drive records",
)
CLUE_SOURCE = Sentence("desk.pages.clue-source", "{source}:")
CLUE_TRUST = Sentence("desk.pages.clue-trust", "How far it can be trusted: {confidence}.")
HIGH = Sentence("desk.pages.high", "high")
MEDIUM = Sentence("desk.pages.medium", "medium")
LOW = Sentence("desk.pages.low", "low")
OK = Sentence("desk.pages.ok", "fine:")

# Published figures.
PUBLISHED = Sentence("desk.pages.published", "What others measured")
NO_FIGURES = Sentence("desk.pages.no-figures", "No published figure stands behind this. It is a judgement.")
LESS = Sentence("desk.pages.less", "{unit}, less is better")
MORE = Sentence("desk.pages.more", "{unit}, more is better")
MEASURED_ON = Sentence("desk.pages.measured-on", "Measured: {era}, kernel {kernel}, {hardware}")

# Where a partition starts.
ON_BLOCK = Sentence(
    "desk.pages.on-block",
    "Partition {number} starts at byte {start}, on a physical block of {block} bytes.",
)
ON_BLOCK_GRAIN = Sentence(
    "desk.pages.on-block-grain",
    "Partition {number} starts at byte {start}, on a physical block of {block} bytes and on 1 MiB.",
)
OFF_BLOCK = Sentence(
    "desk.pages.off-block",
    "Partition {number} starts at byte {start}, off a physical block by {off} bytes.",
)
OFF_BLOCK_GRAIN = Sentence(
    "desk.pages.off-block-grain",
    "Partition {number} starts at byte {start}, off a physical block by {off} bytes, but on 1 MiB.",
)

# A measurement.
NOTHING_MEASURED = Sentence("desk.pages.nothing-measured", "Nothing was measured.")
PAIRS = Sentence(
    "desk.pages.pairs",
    "Pairs of {size} bytes were timed: one on a block's boundary, one {shift} bytes beside it.",
)
NEIGHBOURS = Sentence(
    "desk.pages.neighbours", "The two of a pair lie side by side, and come right after each other."
)
FACTOR = Sentence("desk.pages.factor", "Factor:")
FACTOR_MEANS = Sentence(
    "desk.pages.factor-means",
    "{estimate:.2f} times as long misaligned, {low:.2f} to {high:.2f} with {percent:.0f} % confidence.",
)
LIMITS = Sentence(
    "desk.pages.limits", "This limits what the measurement shows; the result claims no more than that."
)
ACCESS = Sentence("desk.pages.access", "Time of one access, less is better")
ALIGNED = Sentence("desk.pages.aligned", "aligned")
MISALIGNED = Sentence("desk.pages.misaligned", "misaligned")
SPREAD = Sentence("desk.pages.spread", "Pairs by factor (misaligned time over aligned)")
BETWEEN = Sentence("desk.pages.between", "{low:g} to {high:g}")
OVER = Sentence("desk.pages.over", "over {low:g}")
BY_READING = Sentence(
    "desk.pages.by-reading",
    "{count} pair of {size} bytes by reading, {seconds:.0f} s.",
    "{count} pairs of {size} bytes by reading, {seconds:.0f} s.",
)
BY_WRITING = Sentence(
    "desk.pages.by-writing",
    "{count} pair of {size} bytes by writing, {seconds:.0f} s.",
    "{count} pairs of {size} bytes by writing, {seconds:.0f} s.",
)
