"""The sentences on laying one volume over several drives."""

from wizard.model.said import Sentence

# Keys.

# Before anything is lost.

HELP = (
    Sentence(
        "One volume can lie on several drives together. Take the drives, then the way. "
        "Nothing is written here."
    ),
    Sentence(
        "A mirror keeps every file on more than one drive, so that a drive may fail. It has half the room or "
        "less. It is no backup: what is deleted is gone from all of them."
    ),
    Sentence(
        "A stripe puts each file in pieces on all drives, with the room and speed of all. Everything is lost "
        "when any one fails."
    ),
    Sentence("Btrfs puts drives together by itself. On md and LVM another filesystem is made."),
    Sentence(
        "Every drive is taken whole, and gives as much as the smallest one has. A drive or a way that cannot "
        "be taken says why."
    ),
)
