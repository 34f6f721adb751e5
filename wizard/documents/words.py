"""What is wrong with a document, or with the file that it is in or goes to."""

from wizard.model.said import Sentence

# A value that is not what it has to be. `what` names it: `size`, or option 2.


# Types of values.

# Where it stands.


TOO_LARGE = Sentence("{file} is too large to be a diskwright document.")
UNREADABLE = Sentence("{file} cannot be read: {why}.")
