"""The sentences of pages that are read: help, words, reasons, and steps with their commands."""

from wizard.model.said import Sentence

# Help.
HELP = Sentence("desk.asides.pages.help", "Help")
KEYS = Sentence("desk.asides.pages.keys", "Keys")
NOT_NOW = Sentence("desk.asides.pages.not-now", "(not now: {why})")

# What words mean.
WORDS = Sentence("desk.asides.pages.words", "What the words mean")
TERM = Sentence("desk.asides.pages.term", "Word")
HERE = Sentence("desk.asides.pages.here", "here")
ALSO = Sentence("desk.asides.pages.also", "Also")
ALSO_SAID = Sentence("desk.asides.pages.also-said", "Also: {spellings:list}.")
WORDS_HELP = Sentence(
    "desk.asides.pages.words-help",
    "Words marked `here` stand on the screen that you came from. They come first.",
)
WORDS_OWN = Sentence(
    "desk.asides.pages.words-own",
    "Your own words go into ~/.config/diskwright/glossary. `diskwright glossary --help` says how.",
)

# Reasons.
REASONS_HELP = Sentence(
    "desk.asides.pages.reasons-help", "Each line is a sentence. Beside or below it stands what is behind it."
)
REASONS_EVIDENCE = Sentence(
    "desk.asides.pages.reasons-evidence",
    "Figures are published ones, with when, on what kernel and on what hardware they were measured.",
)
NO_REASONS = Sentence("desk.asides.pages.no-reasons", "Nothing more can be said of this.")
WHY = Sentence("desk.asides.pages.why", "Why:")
DO = Sentence("desk.asides.pages.do", "Do:")
SOURCE = Sentence("desk.asides.pages.source", "Source:")
RULE = Sentence("desk.asides.pages.rule", "Rule:")
RULE_MEANS = Sentence("desk.asides.pages.rule-means", "{code}: {meaning}")
RISK = Sentence("desk.asides.pages.risk", "Risk:")
CANNOT = Sentence("desk.asides.pages.cannot", "Cannot:")
UNDO = Sentence("desk.asides.pages.undo", "Undo:")
DESTROYS = Sentence("desk.asides.pages.destroys", "Destroys:")
CHECKED = Sentence("desk.asides.pages.checked", "Checked afterwards:")
POWER = Sentence("desk.asides.pages.power", "If the power goes:")
TAKES = Sentence("desk.asides.pages.takes", "Takes {seconds:time}, by estimate.")
IN_DOUBT = Sentence("desk.asides.pages.in-doubt", "In doubt:")
NOT_KNOWN = Sentence("desk.asides.pages.not-known", "It could not be known when the plan was made.")
BUT = Sentence("desk.asides.pages.but", "But:")
MKFS = Sentence("desk.asides.pages.mkfs", "When made:")
MOUNT = Sentence("desk.asides.pages.mount", "When mounted:")
SCHEDULER = Sentence("desk.asides.pages.scheduler", "Scheduler:")
WITHHELD_MKFS = Sentence("desk.asides.pages.withheld-mkfs", "Not offered when made:")
WITHHELD_MOUNT = Sentence("desk.asides.pages.withheld-mount", "Not offered when mounted:")
WITHHELD_SCHEDULER = Sentence("desk.asides.pages.withheld-scheduler", "Not offered as scheduler:")
OF_DRIVE = Sentence(
    "desk.asides.pages.of-drive", "This holds of the drive and the purpose, whatever is put on it."
)
WAY_OFF = Sentence("desk.asides.pages.way-off", "The way off it")
RECORDING = Sentence(
    "desk.asides.pages.recording",
    "{count} clue to how the drive records",
    "{count} clues to how the drive records",
)
CLUE_SOURCE = Sentence("desk.asides.pages.clue-source", "{source}:")
CLUE_TRUST = Sentence("desk.asides.pages.clue-trust", "How far it can be trusted: {confidence}.")
HIGH = Sentence("desk.asides.pages.high", "high")
MEDIUM = Sentence("desk.asides.pages.medium", "medium")
LOW = Sentence("desk.asides.pages.low", "low")
OK = Sentence("desk.asides.pages.ok", "fine:")

# Published figures.
PUBLISHED = Sentence("desk.asides.pages.published", "What others measured")
NO_FIGURES = Sentence(
    "desk.asides.pages.no-figures", "No published figure stands behind this. It is a judgement."
)
LESS = Sentence("desk.asides.pages.less", "{unit}, less is better")
MORE = Sentence("desk.asides.pages.more", "{unit}, more is better")
MEASURED_ON = Sentence("desk.asides.pages.measured-on", "Measured: {era}, kernel {kernel}, {hardware}")

# Where a partition starts.
ON_BLOCK = Sentence(
    "desk.asides.pages.on-block",
    "Partition {number} starts at byte {start}, on a physical block of {block} bytes.",
)
ON_BLOCK_GRAIN = Sentence(
    "desk.asides.pages.on-block-grain",
    "Partition {number} starts at byte {start}, on a physical block of {block} bytes and on 1 MiB.",
)
OFF_BLOCK = Sentence(
    "desk.asides.pages.off-block",
    "Partition {number} starts at byte {start}, off a physical block by {off} bytes.",
)
OFF_BLOCK_GRAIN = Sentence(
    "desk.asides.pages.off-block-grain",
    "Partition {number} starts at byte {start}, off a physical block by {off} bytes, but on 1 MiB.",
)

# A measurement.
NOTHING_MEASURED = Sentence("desk.asides.pages.nothing-measured", "Nothing was measured.")
PAIRS = Sentence(
    "desk.asides.pages.pairs",
    "Pairs of {size} bytes were timed: one on a block's boundary, one {shift} bytes beside it.",
)
NEIGHBOURS = Sentence(
    "desk.asides.pages.neighbours", "The two of a pair lie side by side, and come right after each other."
)
FACTOR = Sentence("desk.asides.pages.factor", "Factor:")
FACTOR_MEANS = Sentence(
    "desk.asides.pages.factor-means",
    "{estimate:.2f} times as long misaligned, {low:.2f} to {high:.2f} with {percent:.0f} % confidence.",
)
LIMITS = Sentence(
    "desk.asides.pages.limits", "This limits what the measurement shows; the result claims no more than that."
)
ACCESS = Sentence("desk.asides.pages.access", "Time of one access, less is better")
ALIGNED = Sentence("desk.asides.pages.aligned", "aligned")
MISALIGNED = Sentence("desk.asides.pages.misaligned", "misaligned")
SPREAD = Sentence("desk.asides.pages.spread", "Pairs by factor (misaligned time over aligned)")
BETWEEN = Sentence("desk.asides.pages.between", "{low:g} to {high:g}")
OVER = Sentence("desk.asides.pages.over", "over {low:g}")
BY_READING = Sentence(
    "desk.asides.pages.by-reading",
    "{count} pair of {size} bytes by reading, {seconds:.0f} s.",
    "{count} pairs of {size} bytes by reading, {seconds:.0f} s.",
)
BY_WRITING = Sentence(
    "desk.asides.pages.by-writing",
    "{count} pair of {size} bytes by writing, {seconds:.0f} s.",
    "{count} pairs of {size} bytes by writing, {seconds:.0f} s.",
)
