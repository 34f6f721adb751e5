"""What is said of a partition that is to move, before it does."""

from wizard.model.said import Sentence, t

# Why not.
NO_PARTITION = Sentence("{device} is no partition. Name one, such as /dev/sdX1.")

# What is good to know.

# The document, and the preview.
POWER = Sentence(
    "If the power goes meanwhile, nothing is lost. Until `diskwright resume` has finished the move nobody "
    "can "
    "mount {part:and}, on any computer."
)
BACK = t("`diskwright undo` takes it back at any moment, and afterwards until it is mounted.")


# The steps.
