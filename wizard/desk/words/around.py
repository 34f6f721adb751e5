"""What the first screen tells of the system itself."""

from wizard.model.said import Sentence

NO_DRIVE = Sentence("desk.around.no-drive", "No drive was found. Plug one in.")
CANNOT = Sentence(
    "desk.around.cannot",
    "Nothing can be set up here: this system lacks {programs:and}.",
)
LACKS = Sentence("desk.around.lacks", "This system lacks {programs:and}; the rest works.")
MEDIUM = Sentence(
    "desk.around.medium",
    "{drives:and} is not listed: this system was started from it.",
    "{drives:and} are not listed: this system was started from them.",
)
