"""What is said of bringing files: whether it can be done, how far it is, and what came of it."""

from wizard.model.said import Sentence

# Whether it can be done.
READ_ONLY = Sentence("{path} is mounted read-only.")
UNREAD = Sentence("{path} cannot be read: {why}.")


# The run.

MORE_CHANGE = Sentence("{count:,d} more")


# Taking it back.
NOT_REMOVED = Sentence("{path} could not be removed: {why}.")
