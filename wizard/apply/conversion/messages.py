"""Messages about conversions."""

from wizard.model.said import Sentence, t

NO_FSTAB = t("not an fstab file")
ANOTHER_DRIVE = Sentence("{fault:First}. Nothing was written.")
OTHER_FILESYSTEM = Sentence("{device} no longer contains filesystem {uuid}.")

# End of a run.
STOPPED = Sentence("Stopped before step {step} as requested.")
STEP_FAILED = Sentence("Step {step} of {steps} failed:")
RESULT_RUNNING = Sentence("The run is still in progress.")

# Resume, undo and keep.
UNDOING = Sentence(
    "The undo of run {name} is unfinished, so the run cannot resume. Finish with `diskwright undo {run}`."
)
UNDONE = Sentence("Run {name} is already undone.")
WROTE_NOTHING = Sentence("Run {name} made no changes to undo.")
KEPT = Sentence("Run {name} is already kept.")
NOTHING_TO_RESUME = Sentence("Run {name} is {state}; no steps remain to resume.")

# Programs.
ENDED = Sentence("{program} ended with status {status}:")
WAS_ENDED = Sentence("{program} ended with status {status}")
