"""What is said of a document that nobody made so: each fault as a clause."""

from wizard.model.said import Sentence

# The drive, the device and the filesystem.
NO_DEVICE = Sentence('"{device}" is no device below /dev')

# The way.
