"""Messages about conversions."""

from wizard.model.said import Sentence, t

# The drive, the device and the file.
NO_FSTAB = t("not an fstab file")


ANOTHER_DRIVE = Sentence("{fault:First}. Nothing was written.")


OTHER_FILESYSTEM = Sentence("{device} no longer contains filesystem {uuid}.")


# How a run ends.
STOPPED = Sentence("Stopped before step {step} as requested.")


STEP_FAILED = Sentence("Step {step} of {steps} failed:")


# Going on, undoing and keeping.
UNDOING = Sentence(
    "The undo of run {name} is unfinished, so the run cannot resume. Finish with `diskwright undo {run}`."
)


UNDONE = Sentence("Run {name} is already undone.")


WROTE_NOTHING = Sentence("Run {name} made no changes to undo.")


KEPT = Sentence("Run {name} is already kept.")


# The result, and what is left to decide.
RESULT_RUNNING = Sentence("The run is still in progress.")


# Steps.
NOTHING_TO_RESUME = Sentence("Run {name} is {state}; no steps remain to resume.")


ENDED = Sentence("{program} ended with status {status}:")


WAS_ENDED = Sentence("{program} ended with status {status}")
