"""What is said of what waits on drives whose run is lost."""

from wizard.model.said import Sentence

# Nothing that could be finished.
BEGUN = Sentence(
    "apply.plan.found.begun",
    "The run {name} has begun to put to use what waited on {drive}: `diskwright keep {run}` goes on with "
    "that. Nothing was written.",
)
WRITTEN_SINCE = Sentence(
    "apply.plan.found.written-since",
    "Nothing waits on {drive}. What was withheld from it was written to since. Nothing was written.",
)
NO_NOTICE = Sentence(
    "apply.plan.found.no-notice", "Nothing waits on {drive}. It has no notice. Nothing was written."
)
NOT_ALL = Sentence(
    "apply.plan.found.not-all",
    "The run {run} wrote to {drives} drives, and not all are attached: missing is {missing:list}. Nothing "
    "was written.",
)
DRIVE = Sentence("apply.plan.found.drive", "{model} of {size:size}")
MODEL_UNKNOWN = Sentence("apply.plan.found.model-unknown", "model unknown")
NOTICE_ON = Sentence("apply.plan.found.notice-on", "The notice on {drive}")
NOT_QUITE = Sentence(
    "apply.plan.found.not-quite", "{drive} is not quite the drive that the plan names: {difference}."
)
TWO_SAME = Sentence(
    "apply.plan.found.two-same",
    "Two drives say that they are the same one of this run: {drive} is one. Nothing was written.",
)
OTHER_SHAPE = Sentence(
    "apply.plan.found.other-shape",
    "{drive} has another size, or other logical blocks, than when it was written: attach it as it was "
    "attached then. Nothing was written.",
)
SENSELESS = Sentence(
    "apply.plan.found.senseless", "The notice on {drive} makes no sense at byte {byte}. Nothing was written."
)
OVERLAPS = Sentence(
    "apply.plan.found.overlaps",
    "The notice on {drive} lies where it says that something else lies. Nothing was written.",
)

# Finishing it.
TO_CONFIRM = Sentence(
    "apply.plan.found.to-confirm",
    "To confirm that what waits on {drives:list} is to be finished, add {options:row}. Nothing was written.",
)
RUN_IS_HERE = Sentence(
    "apply.plan.found.run-is-here",
    "The run's folder is here: `diskwright keep {run}` puts it to use, `diskwright undo {run}` puts back "
    "what was there. Nothing was written.",
)
FOUND_ON = Sentence("apply.plan.found.found-on", "Found on {drives:list}: the run {run}.")
WAITS = Sentence("apply.plan.found.waits", "It waits to be put to use.")
CHANGED = Sentence(
    "apply.plan.found.changed",
    "{drive} was written to since it was complete, or is not complete yet: what waits there is not whole. "
    "Nothing was written. To set it up anew, make a plan with --replace.",
)
