"""The sentences on options beside those that are recommended."""

from wizard.model.said import Sentence

TITLE = Sentence("desk.details.options.title", "Options")
ABOUT = Sentence("desk.details.options.about", "{filesystem} on {drive}")

# How an option stands.
RECOMMENDED = Sentence("desk.details.options.recommended", "recommended")
GIVES_WAY = Sentence("desk.details.options.gives-way", "gives way")
TAKEN = Sentence("desk.details.options.taken", "taken")
CAN = Sentence("desk.details.options.can", "can be taken")
NOT_RECOMMENDED = Sentence("desk.details.options.not-recommended", "not recommended")
DANGER = Sentence("desk.details.options.danger", "danger")
CANNOT = Sentence("desk.details.options.cannot", "cannot")

# What is said of it.
FOR = Sentence("desk.details.options.for", "For:")
COST = Sentence("desk.details.options.cost", "Cost:")
DANGER_IS = Sentence("desk.details.options.danger-is", "Danger:")
AGAINST = Sentence("desk.details.options.against", "Against it:")
NOT_WITH = Sentence("desk.details.options.not-with", "Not together with {options:and}.")
CANNOT_HERE = Sentence("desk.details.options.cannot-here", "Not possible here:")
USED_ANYWAY = Sentence(
    "desk.details.options.used-anyway",
    "{option} is recommended: it is used unless you take one that cannot stand beside it.",
)

# A danger is typed back.
TYPE_BACK = Sentence("desk.details.options.type-back", "Danger: {option}")
AT_RISK = Sentence("desk.details.options.at-risk", "{option} puts data at risk.")
EXACTLY = Sentence("desk.details.options.exactly", "To have it all the same, type exactly:")
CAPTION = Sentence("desk.details.options.caption", "The danger")
HINT = Sentence("desk.details.options.hint", "the words above")
NOT_IT = Sentence(
    "desk.details.options.not-it", "That is not its danger. Type the words above exactly, or leave it out."
)

# Keys.
TAKE = Sentence("desk.details.options.take", "take")
DROP = Sentence("desk.details.options.drop", "drop")
TAKE_DANGER = Sentence("desk.details.options.take-danger", "take it")

HELP = (
    Sentence(
        "desk.details.options.help-list",
        "Each row is an option of the program that makes the filesystem, mkfs, or of mount.",
    ),
    Sentence(
        "desk.details.options.help-recommended",
        "A recommended one is used by itself. It gives way where you take one that cannot stand beside it.",
    ),
    Sentence(
        "desk.details.options.help-not",
        "not recommended: it is possible. The reason against it is shown, and repeated in the plan.",
    ),
    Sentence(
        "desk.details.options.help-danger",
        "danger: it puts data at risk. It is taken only when you type its danger back. A volume that the "
        "system lives on never gets it.",
    ),
    Sentence(
        "desk.details.options.help-cannot",
        "cannot: the kernel, the drive or the purpose stands against it.",
    ),
)
