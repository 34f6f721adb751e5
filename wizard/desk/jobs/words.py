"""What is said of something that can be begun."""

from wizard.model.said import Sentence

SET_UP = Sentence("desk.jobs.set-up", "Set up {what}")
FORMAT = Sentence("desk.jobs.format", "Format {what}")
DELETE = Sentence("desk.jobs.delete", "Delete {what}")
GROW = Sentence("desk.jobs.grow", "Grow {what}")
SHRINK = Sentence("desk.jobs.shrink", "Shrink {what}")
CHANGE = Sentence("desk.jobs.change", "Change {device}")
MOVE = Sentence("desk.jobs.move", "Move {device} by {shift:size}")
MOVE_SEVERAL = Sentence("desk.jobs.move-several", "Move {devices:and} to aligned places")
BRING = Sentence("desk.jobs.bring", "Bring files to {folder}")
MOVE_CUT_OFF = Sentence(
    "desk.jobs.move-cut-off",
    "The move was cut off. Nothing is lost. Until it is finished nobody can mount {part:and}.",
)
MIGRATE = Sentence("desk.jobs.migrate", "{device} to ext4")

LOST_NOW = Sentence("desk.jobs.lost-now", "Lost when it is applied")
LOST_KEPT = Sentence("desk.jobs.lost-kept", "Lost once you keep the result")
UNLESS_POWER = Sentence(
    "desk.jobs.unless-power", "Every file stays, if the power does not fail. Have a backup."
)
NO_WAY_BACK = Sentence("desk.jobs.no-way-back", "Every file stays, and there is no way back.")
NOTHING_THERE = Sentence(
    "desk.jobs.nothing-there", "There is nothing to put back, so it is put to use at once."
)
WAITS = Sentence(
    "desk.jobs.waits",
    "When all is written it waits for you: keep it, or undo it, which puts back what was there.",
)
WAITS_SECRET = Sentence("desk.jobs.waits-secret", "Keeping it asks for the passphrase.")

CHANGED = Sentence("desk.jobs.changed", "Done: {device} is as shown, and was checked.")
POWERED_OFF = Sentence("desk.jobs.powered-off", "{device} is off. You can unplug it now.")
BRING_BACK = Sentence(
    "desk.jobs.bring-back", "Undo removes what was copied, as far as its source still holds the same."
)
PLACE_BACK = Sentence(
    "desk.jobs.place-back", "Undo puts the old lines of fstab back first, also where the drive is gone."
)
BRING_POWER = Sentence(
    "desk.jobs.bring-power",
    "The source stays as it is. What is copied stays, and `diskwright resume` goes on.",
)
UNDO_LATER = Sentence("desk.jobs.undo-later", "To undo it: sudo diskwright undo {run}")
NOT_DONE = Sentence("desk.jobs.not-done", "It was not done.")
APPLY_COMMAND = Sentence("desk.jobs.apply-command", "sudo diskwright apply {file} {options}")
MOVE_PAUSES = Sentence(
    "desk.jobs.move-pauses",
    "This is also the pause: it stops soon, between two pieces. Then G goes on from there, on any later day, "
    "and U moves it back.",
)
