"""The sentences that are alike wherever something is measured on a drive."""

from wizard.model.said import Sentence

NOT_HERE = Sentence("desk.measuring.not-here", "Not possible here:")
AS_ROOT = Sentence("desk.measuring.as-root", "Start the wizard by sudo diskwright to measure.")
AT_WORK = Sentence("desk.measuring.at-work", "The drive is being measured. S stops that.")
STOPPING = Sentence("desk.measuring.stopping", "Stopping ...")
STOP = Sentence("desk.measuring.stop", "stop")
SAVE = Sentence("desk.measuring.save", "save")
WHY = Sentence("desk.measuring.why", "why")
RESULT = Sentence("desk.measuring.result", "the result")
REASONS = Sentence("desk.measuring.reasons", "Why: {drive}")
ALLOW_PARTITIONS = Sentence("desk.measuring.allow-partitions", "Partitions are not touched.")
TOKEN = Sentence("desk.measuring.token", "Token")
TOKEN_HINT = Sentence("desk.measuring.token-hint", "type {token}")
NO_TOKEN = Sentence("desk.measuring.no-token", "Type {token} to allow it, or press Esc.")
MEASURE = Sentence("desk.measuring.measure", "measure")
HELP_TOKEN = Sentence(
    "desk.measuring.help-token", "Token: the drive's serial number, or its name where it has none."
)
