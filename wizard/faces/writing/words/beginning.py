"""What is said before a run that one token confirms: of changes, or of a migration."""

from wizard.model.said import Sentence

UNCONFIRMED = Sentence(
    "faces.writing.beginning.unconfirmed",
    "Nothing was written. {outcome}; `diskwright show` has every step. To go on, confirm {drive} by its "
    "token:",
)
ONE_TOKEN = Sentence(
    "faces.writing.beginning.one-token", "{why}: give its token once, with {option}. Nothing was written."
)
STOPS = Sentence(
    "faces.writing.beginning.stops", "Ctrl+C: the run has begun, and will stop before its next step."
)
UNCHECKED = Sentence(
    "faces.writing.beginning.unchecked",
    "Without root it could not be checked whether all of it stands as it was found. Nothing was written.",
)
CHECKED = Sentence(
    "faces.writing.beginning.checked", "Every check before the first step holds. Nothing was written."
)

# Changes.
OF_FILESYSTEM = Sentence(
    "faces.writing.beginning.of-filesystem", "Changes for {device} ({filesystem}, UUID {uuid}) on {drive}"
)
OF_DRIVE = Sentence("faces.writing.beginning.of-drive", "Changes for {drive}")
STAYS_IN_USE = Sentence(
    "faces.writing.beginning.stays-in-use", "It stays in use; nothing of what it holds is touched."
)
POWERS_OFF = Sentence("faces.writing.beginning.powers-off", "This would power {device} off")
CHANGES_USE = Sentence("faces.writing.beginning.changes-use", "This would change how {device} is used")
ITS_DRIVE = Sentence("faces.writing.beginning.its-drive", "its drive")
ONE_DRIVE = Sentence("faces.writing.beginning.one-drive", "These changes are for one drive")
