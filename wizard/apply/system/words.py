"""What is said of what is mounted, and of the files that name what is mounted and opened at boot."""

from wizard.model.said import Sentence

# A file that is edited.
NOT_THERE_BEFORE = Sentence(
    "{file}, {conflict}. It was not there when this run began. The file was not changed."
)

# What is opened at boot.

# What is mounted at boot.

# What is mounted now.

# A file with a key.
