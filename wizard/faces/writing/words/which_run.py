"""What is said of the run that a command means, and of its drives."""

from wizard.model.said import Sentence

HALF = Sentence(
    "faces.writing.which_run.half", "What this run writes there is not complete, so nothing recognises it."
)
HALF_BACK = Sentence(
    "faces.writing.which_run.half-back",
    "What was there before is not back completely, so nothing recognises it.",
)
BARRED = Sentence(
    "faces.writing.which_run.barred",
    "What this run made there is barred: all is written but the marks by which anything recognises it.",
)
SEVERAL = Sentence("faces.writing.which_run.several", "{runs} runs are open. Say which one is meant:")
WHICH = Sentence(
    "faces.writing.which_run.which",
    "`diskwright {command}` without a name could mean any of {runs} runs. Nothing was written.",
)
NOTHING_TO_LOOK_AT = Sentence(
    "faces.writing.which_run.nothing-to-look-at",
    "There is nothing to look at: no run in {folder} waits to be kept. A filesystem that was led to ext4 is "
    "looked at by mounting it read-only: `diskwright status` has the command. Nothing was written.",
)
NOTHING_TO_DO = Sentence(
    "faces.writing.which_run.nothing-to-do",
    "There is nothing to {command}: no run in {folder} is open (the newest, {newest}: {state}). `diskwright "
    "status` lists all. Nothing was written.",
)
BRIEF_DRIVE = Sentence("faces.writing.which_run.brief-drive", "{path}, {model}, {size:size}")
BRIEF = Sentence(
    "faces.writing.which_run.brief", "{drives:semicolons}: {state}, {done} of {steps} steps done"
)
RUN = Sentence("faces.writing.which_run.run", "Run {run}:")
LATER = Sentence(
    "faces.writing.which_run.later",
    "The run {name} was begun on the same drive after this one and wrote there. Therefore first settle that "
    "one, by `diskwright undo {run}` or `diskwright keep {run}`.",
)
NOT_TOLD = Sentence("faces.writing.which_run.not-told", "What it holds cannot be told:")
OTHER_DRIVE = Sentence(
    "faces.writing.which_run.other-drive", "What is at {path} now is not this drive: {difference}."
)
HOLDS = Sentence("faces.writing.which_run.holds", "It holds {what}.")
