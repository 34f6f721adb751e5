"""What is said of block devices, of stand-ins for them, and of snapshots."""

from wizard.model.said import Sentence

# Nodes.

# Reading and writing.
UNOPENED = Sentence("{device} could not be opened: {why}.")
UNREAD_AT = Sentence("{device} could not be read at byte {byte}: {why}.")
CAME = Sentence("{got} of {length} bytes came")
UNWRITTEN_AT = Sentence("{device} could not be written at byte {byte}: {why}.")
TOOK = Sentence("it took {got} of {length} bytes")
NOT_TAKEN = Sentence("{device} did not take what was written: {why}.")

# Stand-ins.

# Snapshots.

# A snapshot's store.
