"""What a report says of the plan, and of the run that carried it out."""

from wizard.model.said import Sentence

NO_TABLE = Sentence("report.done.no-table", "no partition table")
TABLE_UNREAD = Sentence("report.done.table-unread", "not read")
MBR = Sentence("report.done.mbr", "an MBR table")
GPT = Sentence("report.done.gpt", "a GPT table")
IN_ORDER = Sentence("report.done.in-order", "{steps} in this order, about {duration} by estimate.")
TO_SCALE = Sentence("report.done.to-scale", "To scale, from the start of the drive: {pieces:semicolons}.")
ON_ITSELF = Sentence("report.done.on-itself", "; on the drive itself: {signatures:list}")
WAITING = Sentence("report.done.waiting", "; waiting there: {waiting}")
IN_NUMBERS = Sentence("report.done.in-numbers", "{drive} {when}, in numbers")
TOO_SMALL = Sentence(
    "report.done.too-small",
    "{stretches} stretches too small to be drawn one by one",
)
ALL = Sentence("report.done.all", "all of the drive")
FREE = Sentence("report.done.free", "free space")
DECIDED = Sentence("report.done.decided", "What was asked for, and what was decided")
TO_EXT4 = Sentence("report.done.to-ext4", "{device} ({kind}, {size:size}) to ext4, by the way {way}.")
ESTIMATE = Sentence("report.done.estimate", "{duration} (an estimate)")
MUST_HOLD = Sentence("report.done.must-hold", "Must hold afterwards")
IF_POWER_GOES = Sentence("report.done.if-power-goes", "If the power goes")

IF_POWER_WENT = Sentence("report.done.if-power-went", "If the power went now")
NOT_YET = Sentence("report.done.not-yet", "done, not yet in use")
WAITS_FOR = Sentence("report.done.waits-for", "It waits for one of")
STEPS = Sentence("report.done.steps", "Steps as they were done")
RESULT = Sentence("report.done.result", "What came of it")
JOURNAL = Sentence("report.done.journal", "The whole journal ({entries} entries)")
TOOK = Sentence("report.done.took", "How long each step took")
ESTIMATED = Sentence("report.done.estimated", "{took}, estimated {duration}")
HOLDS = Sentence("report.done.holds", "holds")
HOLDS_NOT = Sentence("report.done.holds-not", "does not hold")
CHECKS_HOLD = Sentence("report.done.checks-hold", "{holding} of {all} checks hold.")
CHECKS = Sentence("report.done.checks", "Checks after the last step")
TO_HOLD = Sentence("report.done.to-hold", "What was to hold")
SAID = Sentence("report.done.said", "What was said")
