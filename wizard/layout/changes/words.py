"""What is said of changes to a filesystem that exists: why one is not possible, what each does, and how it is
undone."""

from wizard.model.said import Sentence, t

UNREAD = Sentence("What {device} holds could not be read: run as root.")
READ_ONLY = Sentence("{drive} is read-only.")
HIDDEN = Sentence("{device} is mounted where this session cannot see it; unmount it there.")
MOUNTED = Sentence("{device} is mounted at {places:and} already.")
NOT_ADVISED = Sentence("{device} holds {filesystem}, for which nothing is recommended.")

NO_SHRINKING = Sentence(
    "Once it has grown there is no way back: {title} does not shrink while it is mounted. Its files stay."
)
NO_POWER_BACK = t("Not possible: unplug the drive and plug it in again.")

# What the steps of a purpose do.

# What is doubtful about a change.

# Why a label cannot be: the end of a sentence.

# Why changes that were read are none that diskwright would make: clauses of BROKEN.
