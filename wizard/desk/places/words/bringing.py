"""Bringing files to a volume: from where, how, and what the copy does not keep."""

from wizard.model.said import Sentence

TITLE = Sentence("desk.places.bringing.title", "Bring files over: from where?")
TO = Sentence("desk.places.bringing.to", "to {places:and}")
LOOKING = Sentence("desk.places.bringing.looking", "Looking at what is attached ...")
NONE_FOUND = Sentence("desk.places.bringing.none-found", "No other filesystem is attached. Name a folder.")
OTHER = Sentence("desk.places.bringing.other", "another folder")
FOLDER = Sentence("desk.places.bringing.folder", "a folder")
KIND = Sentence("desk.places.bringing.kind", "{kind}, {size:size}")
NOT_MOUNTED = Sentence("desk.places.bringing.not-mounted", "not mounted; it is only read")
TAKE = Sentence("desk.places.bringing.take", "take it")
AGAIN = Sentence("desk.places.bringing.again", "look again")

HOW = Sentence("desk.places.bringing.how", "Bring files over")
ONLY_READ = Sentence(
    "desk.places.bringing.only-read", "The source is only read, and nothing in the target is overwritten."
)
FROM = Sentence("desk.places.bringing.from", "From")
FROM_HINT = Sentence("desk.places.bringing.from-hint", "a folder, or the device of a filesystem")
NO_SOURCE = Sentence("desk.places.bringing.no-source", "Name a folder, or the device of a filesystem.")
VOLUME = Sentence("desk.places.bringing.volume", "To")
INTO = Sentence("desk.places.bringing.into", "Into")
INTO_HINT = Sentence("desk.places.bringing.into-hint", "a folder in it; empty for its top")
PLACE = Sentence("desk.places.bringing.place", "Then")
STAYS = Sentence("desk.places.bringing.stays", "both stay where they are")
TAKES_PLACE = Sentence("desk.places.bringing.takes-place", "the copy takes its place at the next start")
NEXT = Sentence("desk.places.bringing.next", "count it")
COUNTING = Sentence("desk.places.bringing.counting", "Counting what is there ...")

LOOK = Sentence("desk.places.bringing.look", "What comes over")
NOT_ALL = Sentence("desk.places.bringing.not-all", "Not everything can be kept")
ALL = Sentence("desk.places.bringing.all", "The copy keeps all that the files are")
HOW_MUCH = Sentence("desk.places.bringing.how-much", "How much")
IN_FSTAB = Sentence("desk.places.bringing.in-fstab", "What changes in {file}")
REVIEW = Sentence("desk.places.bringing.review", "review")

HELP_SOURCE = Sentence("desk.places.bringing.help-source", "What is mounted below a folder is not copied.")
HELP_DEVICE = Sentence(
    "desk.places.bringing.help-device",
    "A filesystem that is not mounted is read without a byte of it changing.",
)
HELP_NOTHING = Sentence("desk.places.bringing.help-nothing", "Nothing happens before you review it.")
HELP_LOOK = Sentence(
    "desk.places.bringing.help-look",
    "A file that cannot be there at all is refused before anything is copied.",
)
