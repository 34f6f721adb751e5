"""What is said of a filesystem that exists already, and what would suit it better."""

from wizard.model.said import Sentence

SCHEDULER = Sentence("advise.existing.scheduler", "scheduler {wanted} instead of {now}")
WITHOUT = Sentence("advise.existing.without", "mounted without {option}")
WITH = Sentence("advise.existing.with", "mounted with {option}")
READ_AHEAD = Sentence("advise.existing.read-ahead", "read-ahead of {wanted:exact}")
LESS_AHEAD = Sentence(
    "advise.existing.less-ahead",
    "The kernel reads {now:exact} ahead there, less than it does by itself. It then reads long files in "
    "small pieces.",
)
TIMER = Sentence("advise.existing.timer", "fstrim.timer switched on")
NOT_TRIMMED = Sentence(
    "advise.existing.not-trimmed",
    "The drive takes discards, and nothing tells it once a week which blocks it need not keep.",
)
KEEPS_NONE = Sentence("advise.existing.keeps-none", "nothing kept for root")
KEEPS_ONE = Sentence("advise.existing.keeps-one", "1 % kept for root")
RESERVED = Sentence("advise.existing.reserved", "{size:size} are kept for root. {why}")
AND_RISK = Sentence("advise.existing.and-risk", "{why} Risk: {risk}")
