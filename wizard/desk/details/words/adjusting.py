"""The sentences on where a partition lies and how large it is."""

from wizard.model.said import Sentence

TITLE = Sentence("desk.details.adjusting.title", "Size and place of {part}")
WHICH = Sentence("desk.details.adjusting.which", "Size and place of which partition?")
TAKE = Sentence("desk.details.adjusting.take", "take it")
START = Sentence("desk.details.adjusting.start", "Start")
END = Sentence("desk.details.adjusting.end", "End")
SIZE = Sentence("desk.details.adjusting.size", "Size")
IS = Sentence("desk.details.adjusting.is", "{value:exact}")
ROUGHLY = Sentence("desk.details.adjusting.roughly", "{value:size}")
WAS = Sentence("desk.details.adjusting.was", "was {value:exact}")
MEANS = Sentence("desk.details.adjusting.means", "That means:")
CANNOT = Sentence("desk.details.adjusting.cannot", "This cannot be done:")

POSSIBLE = Sentence("desk.details.adjusting.possible", "What can be")
MOVE = Sentence("desk.details.adjusting.move", "Move:")
GROW = Sentence("desk.details.adjusting.grow", "Grow:")
SHRINK = Sentence("desk.details.adjusting.shrink", "Shrink:")
ROOM = Sentence(
    "desk.details.adjusting.room",
    "there is room from {low:round} to {high:round} of the drive, journal and all.",
)
UP_TO = Sentence("desk.details.adjusting.up-to", "up to {most:round}.")
DOWN_TO = Sentence("desk.details.adjusting.down-to", "down to {least:round}.")
DOWN = Sentence("desk.details.adjusting.down", "how far is found when it is tried out.")

REVIEW = Sentence("desk.details.adjusting.review", "review")
MORE = Sentence("desk.details.adjusting.more", "more")
LESS = Sentence("desk.details.adjusting.less", "less")
MUCH_MORE = Sentence("desk.details.adjusting.much-more", "much more")
MUCH_LESS = Sentence("desk.details.adjusting.much-less", "much less")
TYPE = Sentence("desk.details.adjusting.type", "type it")
RESET = Sentence("desk.details.adjusting.reset", "as it is now")
FIRST = Sentence("desk.details.adjusting.first", "only the first")
TO_TYPE = Sentence(
    "desk.details.adjusting.to-type", "It is {value:exact} now. 2048s counts sectors of 512 bytes."
)
HINT = Sentence("desk.details.adjusting.hint", "such as 40G")
TAKE_VALUE = Sentence("desk.details.adjusting.take-value", "take it")
NO_FURTHER = Sentence("desk.details.adjusting.no-further", "It cannot go further: there is no room.")

HELP_STEPS = Sentence(
    "desk.details.adjusting.help-steps",
    "Right and Left, or + and -, step by {step:exact}; > and < by {long:exact}. t takes a typed value.",
)
HELP_START = Sentence(
    "desk.details.adjusting.help-start",
    "Its start takes the whole partition along. Its end and its size leave the start.",
)
HELP_JOBS = Sentence(
    "desk.details.adjusting.help-jobs",
    "Another start with another size takes two jobs. f leaves the first of them here; then comes the second.",
)
