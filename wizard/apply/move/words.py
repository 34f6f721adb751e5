"""What is said of moving a partition."""

from wizard.model.said import Sentence

# Before it begins.
OVER = Sentence("{run} is {state}. There is nothing left to do.")

# Found on a drive.

# How it goes.
NOT_SAME = Sentence("What {part} holds now is not what it held before. Do not use it.")
CHECKS_FAIL = Sentence("{part} was moved, but a check does not hold. {way}")
NO_JOURNAL = Sentence(
    "The journal of {run} is no longer on {drive}: something else was written there. Nothing was written now."
)

# If the power goes.
