"""The first screen's sentences."""

from wizard.model.said import Sentence, t

# How a drive stands, in a few words.

# Why nothing else can be done with a drive.
IS_CHANGED = t("It is being changed now.")

# Runs that come first.

# What the drive under the cursor is.
DANGER = Sentence("danger:")
WARNING = Sentence("warning:")
INFO = Sentence("note:")

# Keys.

# What happened.


# The system that diskwright runs on.
