"""The sentences of `diskwright status`."""

from wizard.model.said import Sentence

SAYS = Sentence("faces.runs.status.says", "List runs, or show everything about one.")
RUN = Sentence("faces.runs.status.run", "show everything about this run")
ABOUT_ORDER = Sentence(
    "faces.runs.status.about-order",
    "Waiting runs come first. States:",
)
ABOUT_RUNNING = Sentence("faces.runs.status.about-running", "running: at work.")
ABOUT_WAITING = Sentence(
    "faces.runs.status.about-waiting",
    "waiting: written, not in use yet. `keep` makes it permanent; `undo` restores the old "
    "content, bit for bit.",
)
ABOUT_DONE = Sentence("faces.runs.status.about-done", "done: all steps and checks succeeded.")
ABOUT_FAILED = Sentence(
    "faces.runs.status.about-failed",
    "failed, stopped, interrupted: `resume` continues. `undo` reverts, unless the run was "
    "kept. If it ran directly on the drive, only until a filesystem was created.",
)
ABOUT_REFUSED = Sentence("faces.runs.status.about-refused", "refused: a check failed before the next write.")
ABOUT_UNDONE = Sentence("faces.runs.status.about-undone", "undone: the old content is restored.")
ABOUT_KEPT = Sentence("faces.runs.status.about-kept", "kept: in use; undo is impossible.")
WAITS_THERE = Sentence(
    "faces.runs.status.waits-there",
    "The run {run}, begun {begun:moment}, waits on {drive}, though no open run is listed: {told}.",
)
LOOK = Sentence("faces.runs.status.look", "(shows it read-only, before you decide)")
NOT_YET = Sentence("faces.runs.status.not-yet", "done, not yet in use")
STEPS = Sentence("faces.runs.status.steps", "{done} of {steps} steps")
STEPS_UNKNOWN = Sentence("faces.runs.status.steps-unknown", "steps unknown")
DRIVE_UNKNOWN = Sentence("faces.runs.status.drive-unknown", "unknown drive")
