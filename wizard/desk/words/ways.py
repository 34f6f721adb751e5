"""The sentences of the ways to ext4."""

from wizard.model.said import Sentence

TITLE = Sentence("desk.ways.title", "{device} to ext4")
TITLE_NAMED = Sentence("desk.ways.title-named", '{device} "{label}" to ext4')
ABOUT = Sentence("desk.ways.about", "{device}  {kind}  {size:size}")
KEEPS = Sentence("desk.ways.keeps", "Every way keeps every file.")
LOOKING = Sentence("desk.ways.looking", "Looking at the filesystem; nothing is written by that ...")
PLANNING = Sentence("desk.ways.planning", "Looking once more, and planning ...")
MOMENT = Sentence("desk.ways.moment", "The filesystem is still being looked at.")
NEEDS_LOOK = Sentence("desk.ways.needs-look", "The ways are not known yet. r looks at the filesystem.")
NOT_SHOWN = Sentence("desk.ways.not-shown", "The ways cannot be shown:")
NO_WAY = Sentence("desk.ways.no-way", "No way is possible now:")
LEAD = Sentence("desk.ways.lead", "Recommended:")

# Columns.
WAY = Sentence("desk.ways.way", "Way")
TAKES = Sentence("desk.ways.takes", "Takes")
ROOM = Sentence("desk.ways.room", "Room elsewhere")
POWER = Sentence("desk.ways.power", "If the power goes")
HERE = Sentence("desk.ways.here", "Here")
NO_TIME = Sentence("desk.ways.no-time", "no time")
NO_ROOM = Sentence("desk.ways.no-room", "none")
NOTHING_HAPPENS = Sentence("desk.ways.nothing-happens", "nothing happens")
NOTHING_LOST = Sentence("desk.ways.nothing-lost", "nothing is lost")
HAVE_BACKUP = Sentence("desk.ways.have-backup", "have a backup")
RECOMMENDED = Sentence("desk.ways.recommended", "recommended")
GOOD_TOO = Sentence("desk.ways.good-too", "good too")
CANNOT = Sentence("desk.ways.cannot", "cannot")

# One way.
CANNOT_HERE = Sentence("desk.ways.cannot-here", "Cannot:")
GETS = Sentence("desk.ways.gets", "Gets:")
COSTS = Sentence("desk.ways.costs", "Costs:")
UNDO = Sentence("desk.ways.undo", "Undo:")
HOW = Sentence("desk.ways.how", "How:")
SETTLED = Sentence("desk.ways.settled", "Settled:")
COMPARED = Sentence(
    "desk.ways.compared", "every file is compared before and after, which takes {seconds:time}."
)
NOT_COMPARED = Sentence("desk.ways.not-compared", "files are not compared one by one.")
COMPARES_ITSELF = Sentence("desk.ways.compares-itself", "the way itself compares every file.")
NOTHING_TO_COMPARE = Sentence("desk.ways.nothing-to-compare", "there is nothing to compare.")
REPAIRED = Sentence("desk.ways.repaired", "Damage may be repaired.")
NOT_REPAIRED = Sentence("desk.ways.not-repaired", "Damage is not repaired.")
IN_FOLDER = Sentence("desk.ways.in-folder", "Room is taken in {folder}.")
ON_TARGET = Sentence("desk.ways.on-target", "It is made on {target}.")
FOUND = Sentence("desk.ways.found", "About this filesystem")

# Keys.
REVIEW = Sentence("desk.ways.review", "review this way")
CHOOSE_TARGET = Sentence("desk.ways.choose-target", "choose its volume")
COMPARE = Sentence("desk.ways.compare", "compare files")
DO_NOT_COMPARE = Sentence("desk.ways.do-not-compare", "do not compare")
REPAIR = Sentence("desk.ways.repair", "repair damage")
DO_NOT_REPAIR = Sentence("desk.ways.do-not-repair", "do not repair")
CARRY = Sentence("desk.ways.carry", "carry")
FOLDER = Sentence("desk.ways.folder", "folder")
TARGET = Sentence("desk.ways.target", "target")
AGAIN = Sentence("desk.ways.again", "look again")
TAKE = Sentence("desk.ways.take", "take it")

# What is typed.
FOLDER_TITLE = Sentence("desk.ways.folder-title", "Where may room be taken?")
FOLDER_TEXT = Sentence(
    "desk.ways.folder-text", "A folder on another filesystem than this one, with room for what the way needs."
)
FOLDER_ROOT = Sentence("desk.ways.folder-root", "Only root should be able to write to it.")
FOLDER_EMPTY = Sentence("desk.ways.folder-empty", "An empty line takes the usual one.")
FOLDER_FIELD = Sentence("desk.ways.folder-field", "Folder")
FOLDER_HINT = Sentence("desk.ways.folder-hint", "such as /mnt/backup")
TARGET_TITLE = Sentence("desk.ways.target-title", "Where is the fresh ext4 to be made?")
TARGET_TEXT = Sentence(
    "desk.ways.target-text", "A partition or volume that holds nothing, and is large enough for every file."
)
TARGET_NOTHING = Sentence("desk.ways.target-nothing", "Nothing is written to it yet.")
TARGET_FIELD = Sentence("desk.ways.target-field", "Volume")
TARGET_HINT = Sentence("desk.ways.target-hint", "such as /dev/sdb1")
NO_TARGET = Sentence("desk.ways.no-target", "Type the name of a volume, or press Esc.")

# What is carried.
CARRIED = Sentence("desk.ways.carried", "the plan to be carried")
CARRIED_TITLE = Sentence("desk.ways.carried-title", "What to do with the plan")
CARRIED_NOTHING = Sentence("desk.ways.carried-nothing", "Nothing has been changed yet.")

HELP_WAY = Sentence("desk.ways.help-way", "Each line is a way from this filesystem to ext4.")
HELP_EXTENT = Sentence(
    "desk.ways.help-extent",
    "Extent: ext4 notes a file as a few runs of blocks, ext3 every single block.",
)
HELP_INODE = Sentence(
    "desk.ways.help-inode",
    "Inode: what the filesystem keeps of one file: owner, times, where its blocks are.",
)
HELP_COMPARE = Sentence(
    "desk.ways.help-compare",
    "Compare: every file is read before and after. It is the best proof there is, and takes the time told.",
)
HELP_FOLDER = Sentence("desk.ways.help-folder", "Folder: where a way takes the room that it needs elsewhere.")
HELP_TARGET = Sentence("desk.ways.help-target", "Target: the volume on which a fresh ext4 would be made.")
HELP_CARRY = Sentence(
    "desk.ways.help-carry",
    "Carry: a filesystem in use is changed from a rescue medium. The plan for that is saved.",
)
HELP_REPAIR = Sentence(
    "desk.ways.help-repair", "Repair: damage may be repaired, where the filesystem says that it has any."
)
