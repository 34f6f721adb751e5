"""While something is done, and how it ended."""

from wizard.model.said import Sentence

PERCENT = Sentence("desk.work.percent", "{percent} %, {left:time} left, step {step} of {count}")
PERCENT_ONLY = Sentence("desk.work.percent-only", "{percent} %, step {step} of {count}")
FAR = Sentence("desk.work.far", "{what}: {percent} %, {left:time} left")
FAR_ONLY = Sentence("desk.work.far-only", "{what}: {percent} %")
FAR_UNKNOWN = Sentence("desk.work.far-unknown", "{what} ...")
BEFORE = Sentence("desk.work.before", "Reading what is there, and checking")
SAVING = Sentence("desk.work.saving", "Saving what was there")
WRITING = Sentence("desk.work.writing", "Writing it, and comparing")
LAST = Sentence("desk.work.last", "Putting it in place, and checking")
IF_POWER = Sentence("desk.work.if-power", "If the power goes now:")
NOTHING_TOLD = Sentence(
    "desk.work.nothing-told", "The step at work may be left half done. Then start diskwright again."
)
STEPS = Sentence("desk.work.steps", "Steps")
LATEST = Sentence("desk.work.latest", "Latest")
CHECKED = Sentence("desk.work.checked", "Checked: {holding} of {count} hold")
CHECKED_ALL = Sentence("desk.work.checked-all", "Checked: it holds", "Checked: all {count} hold")
UNDO_QUESTION = Sentence("desk.work.undo-question", "Undo what was done on {drives:and}?")
UNDO_EARLY = Sentence("desk.work.undo-early", "What was changed is put back, and compared.")
AS_ROOT = Sentence("desk.work.as-root", "As root: sudo diskwright resume {run}")
SEEN = Sentence("desk.work.seen", "seen: {seen}")
JOURNAL = Sentence("desk.work.journal", "Journal: {folder}")
DEMO = Sentence("desk.work.demo", "This was the demo: its drive goes when the wizard ends.")
GOES_ON = Sentence(
    "desk.work.goes-on", "The run goes on without this window. It comes first on the first screen."
)
GOES_ON_AS_ROOT = Sentence(
    "desk.work.goes-on-as-root",
    "The run goes on without this window. Only root sees it then: sudo diskwright status",
)
LOST_TOUCH = Sentence("desk.work.lost-touch", "{why} The run itself goes on.")
STOPPING = Sentence("desk.work.stopping", "It stops as soon as that is safe.")
KEEPING = Sentence("desk.work.keeping", "Putting it to use")
UNDOING = Sentence("desk.work.undoing", "Putting back what was there")
UNDONE = Sentence("desk.work.undone", "Undone.")
DECIDE = Sentence("desk.work.decide", "What next")
KEEP_MEANS = Sentence("desk.work.keep-means", "K keeps it. {means}")
UNDO_MEANS = Sentence("desk.work.undo-means", "U undoes it. {means}")
LATER = Sentence("desk.work.later", "Both can be done on any later day: it comes first on the first screen.")
RESUME_MEANS = Sentence("desk.work.resume-means", "G goes on where it stopped.")
OVER_MEANS = Sentence(
    "desk.work.over-means", "O goes on over the places that cannot be read. Zeros stay there:"
)
OVER_TITLE = Sentence("desk.work.over-title", "Go on over what cannot be read?")
OVER_COSTS = Sentence(
    "desk.work.over-costs",
    "These places become zeros, but for what the journal has. Undo brings back all but the zeros. Which "
    "files they are of cannot be told while it is half moved.",
)
OVER_YES = Sentence("desk.work.over-yes", "go on over them")
OVER = Sentence("desk.work.over", "over bad sectors")

STOP_TITLE = Sentence("desk.work.stop-title", "Stop it?")
STOP_MEANS = Sentence(
    "desk.work.stop-means", "The present step is finished first. Then you can go on or undo it."
)
STOP_YES = Sentence("desk.work.stop-yes", "stop it")
KEEP_YES = Sentence("desk.work.keep-yes", "keep it")
UNDO_YES = Sentence("desk.work.undo-yes", "undo it")
PASSPHRASE = Sentence("desk.work.passphrase", "Passphrase")
GO_ON = Sentence("desk.work.go-on", "go on")

LEAVE = Sentence("desk.work.leave", "leave it running")
STOP = Sentence("desk.work.stop", "stop")
COMMANDS = Sentence("desk.work.commands", "commands")
HOME = Sentence("desk.work.home", "to the drives")
DECIDE_LATER = Sentence("desk.work.decide-later", "decide later")
KEEP = Sentence("desk.work.keep", "keep")
UNDO = Sentence("desk.work.undo", "undo")
RESUME = Sentence("desk.work.resume", "go on")
RESUME_TITLE = Sentence("desk.work.resume-title", "Go on?")
WRITES_OVER = Sentence(
    "desk.work.writes-over",
    "Going on still writes over what {drives:and} holds.",
    "Going on still writes over what {drives:and} hold.",
)
WRITES_TO = Sentence("desk.work.writes-to", "Going on still writes to {drives:and}, and keeps every file.")
BRING = Sentence("desk.work.bring", "bring files over")
REPORT = Sentence("desk.work.report", "report")
THE_REPORT = Sentence("desk.work.the-report", "the report")

HELP_WORK = Sentence(
    "desk.work.help-work", "Each step is noted in a journal, on another drive, before and after it is done."
)
HELP_STAND_IN = Sentence(
    "desk.work.help-stand-in",
    "Most work is tried out on a stand-in first. Until then the drive stays as it is.",
)
HELP_KEEP = Sentence(
    "desk.work.help-keep", "Keeping puts it to use, and ends the way back. Undoing puts back what was there."
)
