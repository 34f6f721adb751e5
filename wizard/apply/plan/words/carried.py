"""What is said while a plan is carried out, and of a run that is taken up again."""

from wizard.model.said import Sentence

# What failed; what is wrong stands behind a colon.
NOT_TOGETHER = Sentence("apply.plan.carried.not-together", "What was made could not be put together:")
CHANGED_MEANWHILE = Sentence(
    "apply.plan.carried.changed-meanwhile",
    "{device} was changed at byte {byte} by another program while udev caught up.",
)
NOTHING_MORE = Sentence("apply.plan.carried.nothing-more", "Nothing more was written.")
PULLED = Sentence("apply.plan.carried.pulled", "{drive} is not attached any more: plug it in again.")
HAS_LINE = Sentence("apply.plan.carried.has-line", "{file} has the line:")

# How it ended.
NOT_CHECKED = Sentence("apply.plan.carried.not-checked", "Every step was done, but nothing could be checked.")
CHECKS = Sentence(
    "apply.plan.carried.checks",
    "Every step was done, but {count} check does not hold.",
    "Every step was done, but {count} checks do not hold.",
)
SET_UP = Sentence(
    "apply.plan.carried.set-up",
    "{drives:list} is set up exactly as planned; every check holds.",
    "{drives:list} are set up exactly as planned; every check holds.",
)

# How far it came.
NOT_BACK = Sentence("apply.plan.carried.not-back", "It cannot be undone any more, since {final} was begun.")

# Taking a run up.
COMPLETE = Sentence("apply.plan.carried.complete", "The run {name} is complete.")
GOING_ON = Sentence("apply.plan.carried.going-on", "Going on with the run on {drives:list}.")
PUTTING_TO_USE = Sentence("apply.plan.carried.putting-to-use", "Putting {drives:list} to use.")
PUTTING_BACK = Sentence("apply.plan.carried.putting-back", "Putting back what was on {drives:list}.")
NOT_KEPT = Sentence(
    "apply.plan.carried.not-kept",
    "The run {name} wrote to the drive directly: there is nothing to keep. Nothing was written.",
)
OVER_LATER = Sentence(
    "apply.plan.carried.over-later",
    "Run {later} set up the drive after {run}. Putting back what {run} saved would destroy what {later} made."
    " The saved bytes stay in {folder}.",
)
NOT_OVER_CHANGES = Sentence(
    "apply.plan.carried.not-over-changes",
    "The run {name} wrote to the drive directly: it is not undone over what changed since. Nothing was "
    "written.",
)
