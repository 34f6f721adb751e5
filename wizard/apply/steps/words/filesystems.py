"""What is said of erasing, of filesystems that are made and read back, of mounting them and of swap."""

from wizard.model.said import Sentence

# Erasing.

# Making one.

# How what is read back differs.

# Subvolumes.

# Mounting, and swap.
NO_FOLDER = Sentence("The folder {place} could not be made: {why}.")
