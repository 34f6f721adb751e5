"""The sentences on options beside those that are recommended."""

from wizard.model.said import Sentence

# How an option stands.

# What is said of it.

# A danger is typed back.

# Keys.

HELP = (
    Sentence("Each row is an option of the program that makes the filesystem, mkfs, or of mount."),
    Sentence(
        "A recommended one is used by itself. It gives way where you take one that cannot stand beside it."
    ),
    Sentence("not recommended: it is possible. The reason against it is shown, and repeated in the plan."),
    Sentence(
        "danger: it puts data at risk. It is taken only when you type its danger back. A volume that the "
        "system lives on never gets it."
    ),
    Sentence("cannot: the kernel, the drive or the purpose stands against it."),
)
