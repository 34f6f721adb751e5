"""What is said of a change that is made on a snapshot of a filesystem, put on its device, and undone."""

from wizard.model.said import Sentence

# Beginning it.

# Finding it again.
THERE_TWICE = Sentence("The filesystem {uuid} is there {times} times: {devices:list}. Nothing was written.")

# Putting it on the device.

# Taking it back.
