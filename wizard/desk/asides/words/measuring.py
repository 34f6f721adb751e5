"""The sentences that are alike wherever something is measured on a drive."""

from wizard.model.said import Sentence

NOT_HERE = Sentence("desk.asides.measuring.not-here", "Not possible here:")
AS_ROOT = Sentence("desk.asides.measuring.as-root", "Start the wizard by sudo diskwright to measure.")
AT_WORK = Sentence("desk.asides.measuring.at-work", "The drive is being measured. S stops that.")
STOPPING = Sentence("desk.asides.measuring.stopping", "Stopping ...")
STOP = Sentence("desk.asides.measuring.stop", "stop")
SAVE = Sentence("desk.asides.measuring.save", "save")
WHY = Sentence("desk.asides.measuring.why", "why")
RESULT = Sentence("desk.asides.measuring.result", "the result")
REASONS = Sentence("desk.asides.measuring.reasons", "Why: {drive}")
ALLOW_PARTITIONS = Sentence("desk.asides.measuring.allow-partitions", "Partitions are not touched.")
TOKEN = Sentence("desk.asides.measuring.token", "Token")
TOKEN_HINT = Sentence("desk.asides.measuring.token-hint", "type {token}")
NO_TOKEN = Sentence("desk.asides.measuring.no-token", "Type {token} to allow it, or press Esc.")
MEASURE = Sentence("desk.asides.measuring.measure", "measure")
HELP_TOKEN = Sentence(
    "desk.asides.measuring.help-token", "Token: the drive's serial number, or its name where it has none."
)
