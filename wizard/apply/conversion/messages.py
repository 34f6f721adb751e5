"""Messages about conversions."""

from wizard.model.said import Sentence, t

# The drive, the device and the file.
NO_FSTAB = t("no file of mounts at boot")


ANOTHER_DRIVE = Sentence("{fault:First}. Nothing was written.")


OTHER_FILESYSTEM = Sentence("{device} no longer holds the filesystem {uuid}.")


# How a run ends.
STOPPED = Sentence("Stopped before step {step} as asked.")


STEP_FAILED = Sentence("Step {step} of {steps} failed:")


# Going on, undoing and keeping.
UNDOING = Sentence(
    "The run {name} was being undone: it cannot go on. Run `diskwright undo {run}` to finish that."
)


UNDONE = Sentence("The run {name} is undone already.")


WROTE_NOTHING = Sentence("The run {name} wrote nothing, so there is nothing to undo.")


KEPT = Sentence("The run {name} is kept already.")


# The result, and what is left to decide.
RESULT_RUNNING = Sentence("The run is still at work.")


# Steps.
NOTHING_TO_RESUME = Sentence("The run {name} is {state}: there is nothing to resume.")


ENDED = Sentence("{program} ended with status {status}:")


WAS_ENDED = Sentence("{program} ended with status {status}")
