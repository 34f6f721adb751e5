"""What is said of encrypted containers: made, opened, closed, and as they should be."""

from wizard.model.said import Sentence

# Before anything is written.

# The passphrase.

# Whether what is open is the run's own.

# How a step ends.

# Checks, and what they saw.
FOUND = Sentence("{times} found")
