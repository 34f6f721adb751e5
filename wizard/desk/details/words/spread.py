"""The sentences on laying one volume over several drives."""

from wizard.model.said import Sentence

TITLE = Sentence("desk.details.spread.title", "Which drives the volume takes")
BESIDES = Sentence("desk.details.spread.besides", "Drives besides {drive}")
HOW = Sentence("desk.details.spread.how", "How the volume lies")
NO_OTHER = Sentence("desk.details.spread.no-other", "There is no other drive.")
DRIVE = Sentence("desk.details.spread.drive", "{drive}, {model}, {size}, {serial}: {held}")
NO_NAME = Sentence("desk.details.spread.no-name", "no name")
SERIAL = Sentence("desk.details.spread.serial", "serial {serial}")
NO_SERIAL = Sentence("desk.details.spread.no-serial", "no serial number")
SIZE = Sentence("desk.details.spread.size", "{size:size}")
NO_SIZE = Sentence("desk.details.spread.no-size", "of unknown size")
NOT_READ = Sentence("desk.details.spread.not-read", "not read")
MEANS = Sentence("desk.details.spread.means", "What that means")
CANNOT = Sentence("desk.details.spread.cannot", "Not possible here:")
LAID = Sentence("desk.details.spread.laid", "It would lie on {spread}.")
NOTHING_HERE = Sentence("desk.details.spread.nothing-here", "Choose a drive or a way below.")

# Keys.
TAKE_DRIVE = Sentence("desk.details.spread.take-drive", "take the drive")
LEAVE_DRIVE = Sentence("desk.details.spread.leave-drive", "leave the drive")
LAY = Sentence("desk.details.spread.lay", "lay it so")

# Before anything is lost.
QUESTION = Sentence("desk.details.spread.question", "Take these drives whole?")
YES = Sentence("desk.details.spread.yes", "yes, take them")

HELP = (
    Sentence(
        "desk.details.spread.help-what",
        "One volume can lie on several drives together. Take the drives, then the way. "
        "Nothing is written here.",
    ),
    Sentence(
        "desk.details.spread.help-mirror",
        "A mirror keeps every file on more than one drive, so that a drive may fail. It has half the room or "
        "less. It is no backup: what is deleted is gone from all of them.",
    ),
    Sentence(
        "desk.details.spread.help-stripe",
        "A stripe puts each file in pieces on all drives, with the room and speed of all. Everything is lost "
        "when any one fails.",
    ),
    Sentence(
        "desk.details.spread.help-by",
        "Btrfs puts drives together by itself. On md and LVM another filesystem is made.",
    ),
    Sentence(
        "desk.details.spread.help-whole",
        "Every drive is taken whole, and gives as much as the smallest one has. A drive or a way that cannot "
        "be taken says why.",
    ),
)
