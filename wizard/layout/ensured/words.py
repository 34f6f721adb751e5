"""What is said of drives that are wanted otherwise than they are."""

from wizard.model.said import Sentence

# The document.


# Which drive.


# How it differs.
OTHER_SIZE = Sentence("{device} has {found:round} instead of {wanted:round}")

# How several drives differ that hold one volume together.
NOT_RUNNING = Sentence(
    "the array on {devices:and} does not run, so what it holds is unknown; try `mdadm --assemble --scan`"
)
