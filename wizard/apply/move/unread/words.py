"""What is said of sectors that cannot be read while a partition moves."""

from wizard.model.said import Sentence

UNREADABLE = Sentence(
    "apply.move.unread.unreadable",
    "1 physical block cannot be read.",
    "{count} stretches of physical blocks cannot be read.",
)
TOO_MANY = Sentence(
    "apply.move.unread.too-many",
    "{why} More than {count} reads failed there, so no more are tried: the drive may be dying.",
)
TOO_MANY_KEPT = Sentence(
    "apply.move.unread.too-many-kept",
    "{count} stretches of the partition cannot be read, more than the journal holds: the drive may be dying.",
)
BESIDE = Sentence(
    "apply.move.unread.beside",
    "The drive could not be read at byte {byte}, in a block that the partition shares with what lies beside.",
)
