"""What is said of something that can be begun."""

from wizard.model.said import Sentence

SET_UP = Sentence("desk.job.set-up", "Set up {what}")
FORMAT = Sentence("desk.job.format", "Format {what}")
DELETE = Sentence("desk.job.delete", "Delete {what}")
GROW = Sentence("desk.job.grow", "Grow {what}")
SHRINK = Sentence("desk.job.shrink", "Shrink {what}")
CHANGE = Sentence("desk.job.change", "Change {device}")
MOVE = Sentence("desk.job.move", "Move {device} by {shift:size}")
MOVE_SEVERAL = Sentence("desk.job.move-several", "Move {devices:and} to aligned places")
BRING = Sentence("desk.job.bring", "Bring files to {folder}")
MOVE_CUT_OFF = Sentence(
    "desk.job.move-cut-off",
    "The move was cut off. Nothing is lost. Until it is finished nobody can mount {part:and}.",
)
MIGRATE = Sentence("desk.job.migrate", "{device} to ext4")

LOST_NOW = Sentence("desk.job.lost-now", "Lost when it is applied")
LOST_KEPT = Sentence("desk.job.lost-kept", "Lost once you keep the result")
UNLESS_POWER = Sentence(
    "desk.job.unless-power", "Every file stays, if the power does not fail. Have a backup."
)
NO_WAY_BACK = Sentence("desk.job.no-way-back", "Every file stays, and there is no way back.")
NOTHING_THERE = Sentence(
    "desk.job.nothing-there", "There is nothing to put back, so it is put to use at once."
)
WAITS = Sentence(
    "desk.job.waits",
    "When all is written it waits for you: keep it, or undo it, which puts back what was there.",
)
WAITS_SECRET = Sentence("desk.job.waits-secret", "Keeping it asks for the passphrase.")

CHANGED = Sentence("desk.job.changed", "Done: {device} is as shown, and was checked.")
POWERED_OFF = Sentence("desk.job.powered-off", "{device} is off. You can unplug it now.")
BRING_BACK = Sentence(
    "desk.job.bring-back", "Undo removes what was copied, as far as its source still holds the same."
)
PLACE_BACK = Sentence(
    "desk.job.place-back", "Undo puts the old lines of fstab back first, also where the drive is gone."
)
BRING_POWER = Sentence(
    "desk.job.bring-power",
    "The source stays as it is. What is copied stays, and `diskwright resume` goes on.",
)
UNDO_LATER = Sentence("desk.job.undo-later", "To undo it: sudo diskwright undo {run}")
NOT_DONE = Sentence("desk.job.not-done", "It was not done.")
APPLY_COMMAND = Sentence("desk.job.apply-command", "sudo diskwright apply {file} {options}")
MOVE_PAUSES = Sentence(
    "desk.job.move-pauses",
    "This is also the pause: it stops soon, between two pieces. Then G goes on from there, on any later day, "
    "and U moves it back.",
)
