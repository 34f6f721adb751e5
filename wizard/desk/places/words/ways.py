"""The sentences of the ways to ext4."""

from wizard.model.said import Sentence

TITLE = Sentence("desk.places.ways.title", "{device} to ext4")
TITLE_NAMED = Sentence("desk.places.ways.title-named", '{device} "{label}" to ext4')
ABOUT = Sentence("desk.places.ways.about", "{device}  {kind}  {size:size}")
KEEPS = Sentence("desk.places.ways.keeps", "Every way keeps every file.")
LOOKING = Sentence("desk.places.ways.looking", "Looking at the filesystem; nothing is written by that ...")
PLANNING = Sentence("desk.places.ways.planning", "Looking once more, and planning ...")
MOMENT = Sentence("desk.places.ways.moment", "The filesystem is still being looked at.")
NEEDS_LOOK = Sentence("desk.places.ways.needs-look", "The ways are not known yet. r looks at the filesystem.")
NOT_SHOWN = Sentence("desk.places.ways.not-shown", "The ways cannot be shown:")
NO_WAY = Sentence("desk.places.ways.no-way", "No way is possible now:")
LEAD = Sentence("desk.places.ways.lead", "Recommended:")

# Columns.
WAY = Sentence("desk.places.ways.way", "Way")
TAKES = Sentence("desk.places.ways.takes", "Takes")
ROOM = Sentence("desk.places.ways.room", "Room elsewhere")
POWER = Sentence("desk.places.ways.power", "If the power goes")
HERE = Sentence("desk.places.ways.here", "Here")
NO_TIME = Sentence("desk.places.ways.no-time", "no time")
NO_ROOM = Sentence("desk.places.ways.no-room", "none")
NOTHING_HAPPENS = Sentence("desk.places.ways.nothing-happens", "nothing happens")
NOTHING_LOST = Sentence("desk.places.ways.nothing-lost", "nothing is lost")
HAVE_BACKUP = Sentence("desk.places.ways.have-backup", "have a backup")
RECOMMENDED = Sentence("desk.places.ways.recommended", "recommended")
GOOD_TOO = Sentence("desk.places.ways.good-too", "good too")
CANNOT = Sentence("desk.places.ways.cannot", "cannot")

# One way.
CANNOT_HERE = Sentence("desk.places.ways.cannot-here", "Cannot:")
GETS = Sentence("desk.places.ways.gets", "Gets:")
COSTS = Sentence("desk.places.ways.costs", "Costs:")
UNDO = Sentence("desk.places.ways.undo", "Undo:")
HOW = Sentence("desk.places.ways.how", "How:")
SETTLED = Sentence("desk.places.ways.settled", "Settled:")
COMPARED = Sentence(
    "desk.places.ways.compared", "every file is compared before and after, which takes {seconds:time}."
)
NOT_COMPARED = Sentence("desk.places.ways.not-compared", "files are not compared one by one.")
COMPARES_ITSELF = Sentence("desk.places.ways.compares-itself", "the way itself compares every file.")
NOTHING_TO_COMPARE = Sentence("desk.places.ways.nothing-to-compare", "there is nothing to compare.")
REPAIRED = Sentence("desk.places.ways.repaired", "Damage may be repaired.")
NOT_REPAIRED = Sentence("desk.places.ways.not-repaired", "Damage is not repaired.")
IN_FOLDER = Sentence("desk.places.ways.in-folder", "Room is taken in {folder}.")
ON_TARGET = Sentence("desk.places.ways.on-target", "It is made on {target}.")
FOUND = Sentence("desk.places.ways.found", "About this filesystem")

# Keys.
REVIEW = Sentence("desk.places.ways.review", "review this way")
CHOOSE_TARGET = Sentence("desk.places.ways.choose-target", "choose its volume")
COMPARE = Sentence("desk.places.ways.compare", "compare files")
DO_NOT_COMPARE = Sentence("desk.places.ways.do-not-compare", "do not compare")
REPAIR = Sentence("desk.places.ways.repair", "repair damage")
DO_NOT_REPAIR = Sentence("desk.places.ways.do-not-repair", "do not repair")
CARRY = Sentence("desk.places.ways.carry", "carry")
FOLDER = Sentence("desk.places.ways.folder", "folder")
TARGET = Sentence("desk.places.ways.target", "target")
AGAIN = Sentence("desk.places.ways.again", "look again")
TAKE = Sentence("desk.places.ways.take", "take it")

# What is typed.
FOLDER_TITLE = Sentence("desk.places.ways.folder-title", "Where may room be taken?")
FOLDER_TEXT = Sentence(
    "desk.places.ways.folder-text",
    "A folder on another filesystem than this one, with room for what the way needs.",
)
FOLDER_ROOT = Sentence("desk.places.ways.folder-root", "Only root should be able to write to it.")
FOLDER_EMPTY = Sentence("desk.places.ways.folder-empty", "An empty line takes the usual one.")
FOLDER_FIELD = Sentence("desk.places.ways.folder-field", "Folder")
FOLDER_HINT = Sentence("desk.places.ways.folder-hint", "such as /mnt/backup")
TARGET_TITLE = Sentence("desk.places.ways.target-title", "Where is the fresh ext4 to be made?")
TARGET_TEXT = Sentence(
    "desk.places.ways.target-text",
    "A partition or volume that holds nothing, and is large enough for every file.",
)
TARGET_NOTHING = Sentence("desk.places.ways.target-nothing", "Nothing is written to it yet.")
TARGET_FIELD = Sentence("desk.places.ways.target-field", "Volume")
TARGET_HINT = Sentence("desk.places.ways.target-hint", "such as /dev/sdb1")
NO_TARGET = Sentence("desk.places.ways.no-target", "Type the name of a volume, or press Esc.")

# What is carried.
CARRIED = Sentence("desk.places.ways.carried", "the plan to be carried")
CARRIED_TITLE = Sentence("desk.places.ways.carried-title", "What to do with the plan")
CARRIED_NOTHING = Sentence("desk.places.ways.carried-nothing", "Nothing has been changed yet.")

HELP_WAY = Sentence("desk.places.ways.help-way", "Each line is a way from this filesystem to ext4.")
HELP_EXTENT = Sentence(
    "desk.places.ways.help-extent",
    "Extent: ext4 notes a file as a few runs of blocks, ext3 every single block.",
)
HELP_INODE = Sentence(
    "desk.places.ways.help-inode",
    "Inode: what the filesystem keeps of one file: owner, times, where its blocks are.",
)
HELP_COMPARE = Sentence(
    "desk.places.ways.help-compare",
    "Compare: every file is read before and after. It is the best proof there is, and takes the time told.",
)
HELP_FOLDER = Sentence(
    "desk.places.ways.help-folder", "Folder: where a way takes the room that it needs elsewhere."
)
HELP_TARGET = Sentence(
    "desk.places.ways.help-target", "Target: the volume on which a fresh ext4 would be made."
)
HELP_CARRY = Sentence(
    "desk.places.ways.help-carry",
    "Carry: a filesystem in use is changed from a rescue medium. The plan for that is saved.",
)
HELP_REPAIR = Sentence(
    "desk.places.ways.help-repair",
    "Repair: damage may be repaired, where the filesystem says that it has any.",
)
