"""What another start, end or size of a partition means."""

from wizard.model.said import Sentence

STAYS = Sentence("layout.adjusted.stays", "It stays as it is.")
MOVES_BACK = Sentence(
    "layout.adjusted.moves-back", "Moves by {shift:round} towards the end of the drive; every file stays."
)
MOVES_FORTH = Sentence(
    "layout.adjusted.moves-forth",
    "Moves by {shift:round} towards the beginning of the drive; every file stays.",
)
GROWS = Sentence("layout.adjusted.grows", "Grows by {by:round} to {size:round}; every file stays.")
SHRINKS = Sentence(
    "layout.adjusted.shrinks",
    "Shrinks by {by:round} to {size:round}; every file stays, its end becomes free.",
)
SHRINKS_FIRST = Sentence(
    "layout.adjusted.shrinks-first",
    "These are two jobs: first it shrinks to {size:round}, then it moves to {start:round}.",
)
MOVES_FIRST = Sentence(
    "layout.adjusted.moves-first",
    "These are two jobs: first it moves to {start:round}, then it grows to {size:round}.",
)
GROWS_IN_USE = Sentence(
    "layout.adjusted.grows-in-use",
    "{part} is mounted. In use it only takes all that is free behind it: `diskwright grow {part}`.",
)
TAKEN = Sentence(
    "layout.adjusted.taken",
    "Something else lies there: between its neighbours there is room from {low:exact} to {high:exact}.",
)
NO_SIZE = Sentence("layout.adjusted.no-size", "Its end has to lie behind its start.")
