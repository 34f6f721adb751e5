"""What is said of manifests: what cannot be read for one, and how two differ."""

from wizard.model.said import Sentence, t

# Reading and writing.
NOT_READ = Sentence("{path} cannot be read: {why}.")
NOT_WRITTEN = Sentence("{file} cannot be written: {why}.")
SHORTER = t("it is shorter than it was a moment ago")
ENTRY_OF = Sentence("An entry of {file}")

# Copying.

# Mounting it where nobody else sees it.

# How two manifests differ.

# How an entry differs.

# What an entry is.
