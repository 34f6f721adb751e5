"""What is said of changing a filesystem in use: how it stands, why it is refused, how it ended."""

from wizard.model.said import Sentence

# How something stands: clauses.

# What cannot be read, or is not as it should be.
DRIVE_UNMEASURED = Sentence("{drive} does not tell its size, so nothing is changed there.")

# Why it is refused.
CLONED = Sentence("{devices:list} hold the same filesystem {uuid}: detach all but the right one")

# How a step, and a run, went.

# What a plan takes away that fstab or crypttab names. `remedy` is one of the sentences below.
