"""The last question."""

from wizard.model.said import Sentence

NOTHING_LOST = Sentence("desk.places.review.nothing-lost", "Nothing is lost.")
UNLESS_FAILS = Sentence(
    "desk.places.review.unless-fails", "What is there stays, if nothing fails: there is no way back."
)
TOKEN = Sentence("desk.places.review.token", "Serial")
TOKEN_OF = Sentence("desk.places.review.token-of", "{drive}")
HINT = Sentence("desk.places.review.hint", "the last four of {token}, or all of it")
HINT_WHOLE = Sentence("desk.places.review.hint-whole", "type {token}")
HINT_NO_SERIAL = Sentence(
    "desk.places.review.hint-no-serial", "type {token}: this drive has no serial number"
)
WORD = Sentence("desk.places.review.word", "And")
WORD_HINT = Sentence("desk.places.review.word-hint", "type {word}: what is there cannot be put back")
PASSPHRASE = Sentence("desk.places.review.passphrase", "Passphrase")
PASSPHRASE_HINT = Sentence("desk.places.review.passphrase-hint", "a new one; whoever loses it loses the data")
AGAIN = Sentence("desk.places.review.again", "Once more")
AGAIN_HINT = Sentence("desk.places.review.again-hint", "the same")

WRONG = Sentence("desk.places.review.wrong", "That is not {drive}'s: type {token}.")
EMPTY = Sentence("desk.places.review.empty", "Type {token} first: it proves that you mean {drive}.")
WRONG_WORD = Sentence("desk.places.review.wrong-word", "Type {word} too: what is there cannot be put back.")
NO_PASSPHRASE = Sentence("desk.places.review.no-passphrase", "Type a passphrase for what is encrypted.")
FAULTY = Sentence("desk.places.review.faulty", "This passphrase {fault}.")
DIFFERENT = Sentence("desk.places.review.different", "Type the same passphrase twice.")
ALL_THE_SAME = Sentence("desk.places.review.all-the-same", "{warning} Enter again takes it all the same.")
MEASURING = Sentence(
    "desk.places.review.measuring",
    "Trying it out on a stand-in first; nothing is written to the drive by that ...",
)
BEGINS_THEN = Sentence("desk.places.review.begins-then", "It begins as soon as that is known.")
BEGINNING = Sentence("desk.places.review.beginning", "Looking at the drive once more, then beginning ...")

ASKS_ROOT = Sentence(
    "desk.places.review.asks-root",
    "You are not root. Applying asks for that first, perhaps with your password.",
)
UNREAD = Sentence(
    "desk.places.review.unread",
    "What the drive holds was not read, so this is not applied. Read it as root first.",
)
HERE_NOT = Sentence("desk.places.review.here-not", "Save it, and apply it later by:")
WILL = Sentence("desk.places.review.will", "What will be done")
WAY_BACK = Sentence("desk.places.review.way-back", "Way back")
ROOM = Sentence("desk.places.review.room", "Room:")
DOUBTS = Sentence("desk.places.review.doubts", "Good to know, and in doubt")
TAKES = Sentence("desk.places.review.takes", "Takes {seconds:time}.")

APPLY = Sentence("desk.places.review.apply", "apply")
DESTROY = Sentence("desk.places.review.destroy", "delete and apply")
COMMANDS = Sentence("desk.places.review.commands", "commands")
SAVE = Sentence("desk.places.review.save", "save")
AS_ROOT = Sentence("desk.places.review.as-root", "read as root")

HELP_TOKEN = Sentence(
    "desk.places.review.help-token",
    "The serial proves that you mean this drive and no other. The label has it too.",
)
HELP_LOOK = Sentence(
    "desk.places.review.help-look",
    "Before the first write the drive is looked at again. If it differs, nothing is written.",
)
HELP_PROCESS = Sentence(
    "desk.places.review.help-process",
    "The work is a process of its own: closing this terminal does not stop it.",
)
HELP_PASSPHRASE = Sentence(
    "desk.places.review.help-passphrase",
    "The passphrase is kept nowhere. Several words that nobody guesses are best.",
)
