"""The sentences on where a partition lies and how large it is."""

from wizard.model.said import Sentence

TITLE = Sentence("desk.adjusting.title", "Size and place of {part}")
WHICH = Sentence("desk.adjusting.which", "Size and place of which partition?")
TAKE = Sentence("desk.adjusting.take", "take it")
START = Sentence("desk.adjusting.start", "Start")
END = Sentence("desk.adjusting.end", "End")
SIZE = Sentence("desk.adjusting.size", "Size")
IS = Sentence("desk.adjusting.is", "{value:exact}")
ROUGHLY = Sentence("desk.adjusting.roughly", "{value:size}")
WAS = Sentence("desk.adjusting.was", "was {value:exact}")
MEANS = Sentence("desk.adjusting.means", "That means:")
CANNOT = Sentence("desk.adjusting.cannot", "This cannot be done:")

POSSIBLE = Sentence("desk.adjusting.possible", "What can be")
MOVE = Sentence("desk.adjusting.move", "Move:")
GROW = Sentence("desk.adjusting.grow", "Grow:")
SHRINK = Sentence("desk.adjusting.shrink", "Shrink:")
ROOM = Sentence(
    "desk.adjusting.room", "there is room from {low:round} to {high:round} of the drive, journal and all."
)
UP_TO = Sentence("desk.adjusting.up-to", "up to {most:round}.")
DOWN_TO = Sentence("desk.adjusting.down-to", "down to {least:round}.")
DOWN = Sentence("desk.adjusting.down", "how far is found when it is tried out.")

REVIEW = Sentence("desk.adjusting.review", "review")
MORE = Sentence("desk.adjusting.more", "more")
LESS = Sentence("desk.adjusting.less", "less")
MUCH_MORE = Sentence("desk.adjusting.much-more", "much more")
MUCH_LESS = Sentence("desk.adjusting.much-less", "much less")
TYPE = Sentence("desk.adjusting.type", "type it")
RESET = Sentence("desk.adjusting.reset", "as it is now")
FIRST = Sentence("desk.adjusting.first", "only the first")
TO_TYPE = Sentence("desk.adjusting.to-type", "It is {value:exact} now. 2048s counts sectors of 512 bytes.")
HINT = Sentence("desk.adjusting.hint", "such as 40G")
TAKE_VALUE = Sentence("desk.adjusting.take-value", "take it")
NO_FURTHER = Sentence("desk.adjusting.no-further", "It cannot go further: there is no room.")

HELP_STEPS = Sentence(
    "desk.adjusting.help-steps",
    "Right and Left, or + and -, step by {step:exact}; > and < by {long:exact}. t takes a typed value.",
)
HELP_START = Sentence(
    "desk.adjusting.help-start",
    "Its start takes the whole partition along. Its end and its size leave the start.",
)
HELP_JOBS = Sentence(
    "desk.adjusting.help-jobs",
    "Another start with another size takes two jobs. f leaves the first of them here; then comes the second.",
)
