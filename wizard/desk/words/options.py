"""The sentences on options beside those that are recommended."""

from wizard.model.said import Sentence

TITLE = Sentence("desk.options.title", "Options")
ABOUT = Sentence("desk.options.about", "{filesystem} on {drive}")

# How an option stands.
RECOMMENDED = Sentence("desk.options.recommended", "recommended")
GIVES_WAY = Sentence("desk.options.gives-way", "gives way")
TAKEN = Sentence("desk.options.taken", "taken")
CAN = Sentence("desk.options.can", "can be taken")
NOT_RECOMMENDED = Sentence("desk.options.not-recommended", "not recommended")
DANGER = Sentence("desk.options.danger", "danger")
CANNOT = Sentence("desk.options.cannot", "cannot")

# What is said of it.
FOR = Sentence("desk.options.for", "For:")
COST = Sentence("desk.options.cost", "Cost:")
DANGER_IS = Sentence("desk.options.danger-is", "Danger:")
AGAINST = Sentence("desk.options.against", "Against it:")
NOT_WITH = Sentence("desk.options.not-with", "Not together with {options:and}.")
CANNOT_HERE = Sentence("desk.options.cannot-here", "Not possible here:")
USED_ANYWAY = Sentence(
    "desk.options.used-anyway",
    "{option} is recommended: it is used unless you take one that cannot stand beside it.",
)

# A danger is typed back.
TYPE_BACK = Sentence("desk.options.type-back", "Danger: {option}")
AT_RISK = Sentence("desk.options.at-risk", "{option} puts data at risk.")
EXACTLY = Sentence("desk.options.exactly", "To have it all the same, type exactly:")
CAPTION = Sentence("desk.options.caption", "The danger")
HINT = Sentence("desk.options.hint", "the words above")
NOT_IT = Sentence(
    "desk.options.not-it", "That is not its danger. Type the words above exactly, or leave it out."
)

# Keys.
TAKE = Sentence("desk.options.take", "take")
DROP = Sentence("desk.options.drop", "drop")
TAKE_DANGER = Sentence("desk.options.take-danger", "take it")

HELP = (
    Sentence(
        "desk.options.help-list",
        "Each row is an option of the program that makes the filesystem, mkfs, or of mount.",
    ),
    Sentence(
        "desk.options.help-recommended",
        "A recommended one is used by itself. It gives way where you take one that cannot stand beside it.",
    ),
    Sentence(
        "desk.options.help-not",
        "not recommended: it is possible. The reason against it is shown, and repeated in the plan.",
    ),
    Sentence(
        "desk.options.help-danger",
        "danger: it puts data at risk. It is taken only when you type its danger back. A volume that the "
        "system lives on never gets it.",
    ),
    Sentence(
        "desk.options.help-cannot",
        "cannot: the kernel, the drive or the purpose stands against it.",
    ),
)
