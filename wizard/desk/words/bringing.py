"""Bringing files to a volume: from where, how, and what the copy does not keep."""

from wizard.model.said import Sentence

TITLE = Sentence("desk.bringing.title", "Bring files over: from where?")
TO = Sentence("desk.bringing.to", "to {places:and}")
LOOKING = Sentence("desk.bringing.looking", "Looking at what is attached ...")
NONE_FOUND = Sentence("desk.bringing.none-found", "No other filesystem is attached. Name a folder.")
OTHER = Sentence("desk.bringing.other", "another folder")
FOLDER = Sentence("desk.bringing.folder", "a folder")
KIND = Sentence("desk.bringing.kind", "{kind}, {size:size}")
NOT_MOUNTED = Sentence("desk.bringing.not-mounted", "not mounted; it is only read")
TAKE = Sentence("desk.bringing.take", "take it")
AGAIN = Sentence("desk.bringing.again", "look again")

HOW = Sentence("desk.bringing.how", "Bring files over")
ONLY_READ = Sentence(
    "desk.bringing.only-read", "The source is only read, and nothing in the target is overwritten."
)
FROM = Sentence("desk.bringing.from", "From")
FROM_HINT = Sentence("desk.bringing.from-hint", "a folder, or the device of a filesystem")
NO_SOURCE = Sentence("desk.bringing.no-source", "Name a folder, or the device of a filesystem.")
VOLUME = Sentence("desk.bringing.volume", "To")
INTO = Sentence("desk.bringing.into", "Into")
INTO_HINT = Sentence("desk.bringing.into-hint", "a folder in it; empty for its top")
PLACE = Sentence("desk.bringing.place", "Then")
STAYS = Sentence("desk.bringing.stays", "both stay where they are")
TAKES_PLACE = Sentence("desk.bringing.takes-place", "the copy takes its place at the next start")
NEXT = Sentence("desk.bringing.next", "count it")
COUNTING = Sentence("desk.bringing.counting", "Counting what is there ...")

LOOK = Sentence("desk.bringing.look", "What comes over")
NOT_ALL = Sentence("desk.bringing.not-all", "Not everything can be kept")
ALL = Sentence("desk.bringing.all", "The copy keeps all that the files are")
HOW_MUCH = Sentence("desk.bringing.how-much", "How much")
IN_FSTAB = Sentence("desk.bringing.in-fstab", "What changes in {file}")
REVIEW = Sentence("desk.bringing.review", "review")

HELP_SOURCE = Sentence("desk.bringing.help-source", "What is mounted below a folder is not copied.")
HELP_DEVICE = Sentence(
    "desk.bringing.help-device", "A filesystem that is not mounted is read without a byte of it changing."
)
HELP_NOTHING = Sentence("desk.bringing.help-nothing", "Nothing happens before you review it.")
HELP_LOOK = Sentence(
    "desk.bringing.help-look", "A file that cannot be there at all is refused before anything is copied."
)
