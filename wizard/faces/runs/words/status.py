"""The sentences of `diskwright status`."""

from wizard.model.said import Sentence

SAYS = Sentence(
    "faces.runs.status.says", "List the runs and how they stand, or tell everything that one run did."
)
RUN = Sentence("faces.runs.status.run", "tell all of this run")
ABOUT_ORDER = Sentence(
    "faces.runs.status.about-order",
    "Runs that wait for a decision come first. Each run is in one of these states:",
)
ABOUT_RUNNING = Sentence("faces.runs.status.about-running", "running: the run is at work.")
ABOUT_WAITING = Sentence(
    "faces.runs.status.about-waiting",
    "waiting: all is written and not yet in use. `keep` puts it to use; `undo` puts back what was "
    "there, bit for bit.",
)
ABOUT_DONE = Sentence("faces.runs.status.about-done", "done: every step and every check.")
ABOUT_FAILED = Sentence(
    "faces.runs.status.about-failed",
    "failed, stopped and interrupted: `resume` goes on. `undo` puts back what was there, as long as it "
    "was not kept. Where the steps ran on the drive directly, it does so until something was formatted.",
)
ABOUT_REFUSED = Sentence("faces.runs.status.about-refused", "refused: the run's own last look found a doubt.")
ABOUT_UNDONE = Sentence("faces.runs.status.about-undone", "undone: what was there before is back.")
ABOUT_KEPT = Sentence("faces.runs.status.about-kept", "kept: in use, without a way back.")
WAITS_THERE = Sentence(
    "faces.runs.status.waits-there",
    "The run {run}, begun {begun:moment}, waits on {drive}, though no open run is listed: {told}.",
)
LOOK = Sentence("faces.runs.status.look", "(shows it read-only, before you decide)")
NOT_YET = Sentence("faces.runs.status.not-yet", "done, not yet in use")
STEPS = Sentence("faces.runs.status.steps", "{done} of {steps} steps")
STEPS_UNKNOWN = Sentence("faces.runs.status.steps-unknown", "steps unknown")
DRIVE_UNKNOWN = Sentence("faces.runs.status.drive-unknown", "unknown drive")
