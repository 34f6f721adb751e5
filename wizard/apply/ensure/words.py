"""What is said of drives while they are brought to what is wanted."""

from wizard.model.said import Sentence

# What would be done.
NO_LINE = Sentence("{file} has no line that mounts {device} at {place}")
NOT_MOUNTED = Sentence("{device} is not mounted at {place}")

# What is otherwise, and stays so.
MOUNTED_NOWHERE = Sentence("{file} mounts {device} at {place}, and it is to be mounted nowhere")
OTHER_PLACE = Sentence("{file} mounts {device} at {found:and}, and {wanted} is wanted")
NO_SWAP_LINE = Sentence("{file} has no line for the swap on {device}")
