"""While something is done, and how it ended."""

from wizard.model.said import Sentence

PERCENT = Sentence("desk.places.work.percent", "{percent} %, {left:time} left, step {step} of {count}")
PERCENT_ONLY = Sentence("desk.places.work.percent-only", "{percent} %, step {step} of {count}")
FAR = Sentence("desk.places.work.far", "{what}: {percent} %, {left:time} left")
FAR_ONLY = Sentence("desk.places.work.far-only", "{what}: {percent} %")
FAR_UNKNOWN = Sentence("desk.places.work.far-unknown", "{what} ...")
BEFORE = Sentence("desk.places.work.before", "Reading what is there, and checking")
SAVING = Sentence("desk.places.work.saving", "Saving what was there")
WRITING = Sentence("desk.places.work.writing", "Writing it, and comparing")
LAST = Sentence("desk.places.work.last", "Putting it in place, and checking")
IF_POWER = Sentence("desk.places.work.if-power", "If the power goes now:")
NOTHING_TOLD = Sentence(
    "desk.places.work.nothing-told", "The step at work may be left half done. Then start diskwright again."
)
STEPS = Sentence("desk.places.work.steps", "Steps")
LATEST = Sentence("desk.places.work.latest", "Latest")
CHECKED = Sentence("desk.places.work.checked", "Checked: {holding} of {count} hold")
CHECKED_ALL = Sentence("desk.places.work.checked-all", "Checked: it holds", "Checked: all {count} hold")
UNDO_QUESTION = Sentence("desk.places.work.undo-question", "Undo what was done on {drives:and}?")
UNDO_EARLY = Sentence("desk.places.work.undo-early", "What was changed is put back, and compared.")
AS_ROOT = Sentence("desk.places.work.as-root", "As root: sudo diskwright resume {run}")
SEEN = Sentence("desk.places.work.seen", "seen: {seen}")
JOURNAL = Sentence("desk.places.work.journal", "Journal: {folder}")
DEMO = Sentence("desk.places.work.demo", "This was the demo: its drive goes when the wizard ends.")
GOES_ON = Sentence(
    "desk.places.work.goes-on", "The run goes on without this window. It comes first on the first screen."
)
GOES_ON_AS_ROOT = Sentence(
    "desk.places.work.goes-on-as-root",
    "The run goes on without this window. Only root sees it then: sudo diskwright status",
)
LOST_TOUCH = Sentence("desk.places.work.lost-touch", "{why} The run itself goes on.")
STOPPING = Sentence("desk.places.work.stopping", "It stops as soon as that is safe.")
KEEPING = Sentence("desk.places.work.keeping", "Putting it to use")
UNDOING = Sentence("desk.places.work.undoing", "Putting back what was there")
UNDONE = Sentence("desk.places.work.undone", "Undone.")
DECIDE = Sentence("desk.places.work.decide", "What next")
KEEP_MEANS = Sentence("desk.places.work.keep-means", "K keeps it. {means}")
UNDO_MEANS = Sentence("desk.places.work.undo-means", "U undoes it. {means}")
LATER = Sentence(
    "desk.places.work.later", "Both can be done on any later day: it comes first on the first screen."
)
RESUME_MEANS = Sentence("desk.places.work.resume-means", "G goes on where it stopped.")
OVER_MEANS = Sentence(
    "desk.places.work.over-means", "O goes on over the places that cannot be read. Zeros stay there:"
)
OVER_TITLE = Sentence("desk.places.work.over-title", "Go on over what cannot be read?")
OVER_COSTS = Sentence(
    "desk.places.work.over-costs",
    "These places become zeros, but for what the journal has. Undo brings back all but the zeros. Which "
    "files they are of cannot be told while it is half moved.",
)
OVER_YES = Sentence("desk.places.work.over-yes", "go on over them")
OVER = Sentence("desk.places.work.over", "over bad sectors")

STOP_TITLE = Sentence("desk.places.work.stop-title", "Stop it?")
STOP_MEANS = Sentence(
    "desk.places.work.stop-means", "The present step is finished first. Then you can go on or undo it."
)
STOP_YES = Sentence("desk.places.work.stop-yes", "stop it")
KEEP_YES = Sentence("desk.places.work.keep-yes", "keep it")
UNDO_YES = Sentence("desk.places.work.undo-yes", "undo it")
PASSPHRASE = Sentence("desk.places.work.passphrase", "Passphrase")
GO_ON = Sentence("desk.places.work.go-on", "go on")

LEAVE = Sentence("desk.places.work.leave", "leave it running")
STOP = Sentence("desk.places.work.stop", "stop")
COMMANDS = Sentence("desk.places.work.commands", "commands")
HOME = Sentence("desk.places.work.home", "to the drives")
DECIDE_LATER = Sentence("desk.places.work.decide-later", "decide later")
KEEP = Sentence("desk.places.work.keep", "keep")
UNDO = Sentence("desk.places.work.undo", "undo")
RESUME = Sentence("desk.places.work.resume", "go on")
RESUME_TITLE = Sentence("desk.places.work.resume-title", "Go on?")
WRITES_OVER = Sentence(
    "desk.places.work.writes-over",
    "Going on still writes over what {drives:and} holds.",
    "Going on still writes over what {drives:and} hold.",
)
WRITES_TO = Sentence(
    "desk.places.work.writes-to", "Going on still writes to {drives:and}, and keeps every file."
)
BRING = Sentence("desk.places.work.bring", "bring files over")
REPORT = Sentence("desk.places.work.report", "report")
THE_REPORT = Sentence("desk.places.work.the-report", "the report")

HELP_WORK = Sentence(
    "desk.places.work.help-work",
    "Each step is noted in a journal, on another drive, before and after it is done.",
)
HELP_STAND_IN = Sentence(
    "desk.places.work.help-stand-in",
    "Most work is tried out on a stand-in first. Until then the drive stays as it is.",
)
HELP_KEEP = Sentence(
    "desk.places.work.help-keep",
    "Keeping puts it to use, and ends the way back. Undoing puts back what was there.",
)
