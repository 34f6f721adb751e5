"""The first screen's sentences."""

from wizard.model.said import Sentence

TITLE = Sentence("desk.drives.title", "Drives")
ABOUT = Sentence("desk.drives.about", "{count} drive, {who}", "{count} drives, {who}")
AS_ROOT = Sentence("desk.drives.as-root", "as root")
NOT_ROOT = Sentence("desk.drives.not-root", "not root")
RECORDED = Sentence("desk.drives.recorded", "recorded")
READING = Sentence("desk.drives.reading", "reading ...")
NO_NAME = Sentence("desk.drives.no-name", "no name")
UNKNOWN_SIZE = Sentence("desk.drives.unknown-size", "?")
SIZE = Sentence("desk.drives.size", "{size:size}")
HDD = Sentence("desk.drives.hdd", "HDD")
SSD = Sentence("desk.drives.ssd", "SSD")
KIND_UNKNOWN = Sentence("desk.drives.kind-unknown", "-")

# How a drive stands, in a few words.
NOT_READ = Sentence("desk.drives.not-read", "not read")
NEW = Sentence("desk.drives.new", "empty")
SYSTEM = Sentence("desk.drives.system", "in use: this system")
MOUNTED = Sentence("desk.drives.mounted", "mounted at {place}")
IN_USE = Sentence("desk.drives.in-use", "in use")
READ_ONLY = Sentence("desk.drives.read-only", "read-only")
DANGERS = Sentence("desk.drives.dangers", "! 1 danger", "! {count} dangers")
WARNINGS = Sentence("desk.drives.warnings", "! 1 warning", "! {count} warnings")
HOLDS = Sentence("desk.drives.holds", "1 partition", "{count} partitions")
WAITS = Sentence("desk.drives.waits", "! waits: keep or undo")
NO_FILESYSTEM = Sentence("desk.drives.no-filesystem", "nothing recognised")

# Why nothing else can be done with a drive.
IS_CHANGED = Sentence("desk.drives.is-changed", "It is being changed now.")
WAITS_FIRST = Sentence("desk.drives.waits-first", "It waits: K keeps it, U undoes it.")

# Runs that come first.
RUN_WORKS = Sentence("desk.drives.run-works", "is being changed now")
RUN_WAITS = Sentence("desk.drives.run-waits", "is done, not yet in use. Keep it?")
RUN_STOPPED = Sentence("desk.drives.run-stopped", "was not finished. Go on, or undo it?")

# What the drive under the cursor is.
NAME = Sentence("desk.drives.name", "{drive}  {model}  {size:size}  serial {serial}")
NO_SERIAL = Sentence("desk.drives.no-serial", "none")
STILL_READING = Sentence(
    "desk.drives.still-reading", "{drive} is being read. The other drives do not wait for it."
)
KEEP_MEANS = Sentence("desk.drives.keep-means", "It waits: keeping puts it to use.")
UNDO_MEANS = Sentence("desk.drives.undo-means", "Undoing puts back what was there.")
LEFT_EARLY = Sentence("desk.drives.left-early", "A run here was not finished: go on, or undo it.")
NOT_SET_UP = Sentence("desk.drives.not-set-up", "Cannot be set up now:")
FINE = Sentence("desk.drives.fine", "Nothing wrong was found.")
BETTER = Sentence("desk.drives.better", "can become ext4 with all files kept.")
DANGER = Sentence("desk.drives.danger", "danger:")
WARNING = Sentence("desk.drives.warning", "warning:")
INFO = Sentence("desk.drives.info", "note:")
MORE_ALIKE = Sentence("desk.drives.more-alike", "And 1 more like it.", "And {count} more like it.")
UNREAD_CONTENT = Sentence(
    "desk.drives.unread-content", "What it holds was not read: only root may. o reads it as root."
)
UNREAD_HERE = Sentence("desk.drives.unread-here", "What it holds could not be read. w says why.")

# Keys.
SET_UP = Sentence("desk.drives.set-up", "set up")
ACTIONS = Sentence("desk.drives.actions", "actions")
SHOW = Sentence("desk.drives.show", "show it")
KEEP = Sentence("desk.drives.keep", "keep")
UNDO = Sentence("desk.drives.undo", "undo")
TO_EXT4 = Sentence("desk.drives.to-ext4", "to ext4")
WHY = Sentence("desk.drives.why", "why")
HEALTH = Sentence("desk.drives.health", "health")
SPEED = Sentence("desk.drives.speed", "speed")
SHINGLED = Sentence("desk.drives.shingled", "test, about {seconds} s")
MOVE = Sentence("desk.drives.move", "move {part} to an aligned place")
MOVE_ALL = Sentence("desk.drives.move-all", "move {count} partitions to aligned places")
OPEN = Sentence("desk.drives.open", "partitions")
CLOSE = Sentence("desk.drives.close", "fold")
AGAIN = Sentence("desk.drives.again", "read again")
READ_AS_ROOT = Sentence("desk.drives.read-as-root", "read as root")

# What happened.
PLUGGED = Sentence("desk.drives.plugged", "{drives:and} was plugged in.", "{drives:and} were plugged in.")
LEFT = Sentence("desk.drives.left", "{drives:and} has gone.", "{drives:and} have gone.")
ANOTHER = Sentence(
    "desk.drives.another", "{drives:and} is another drive now.", "{drives:and} are other drives now."
)
GONE = Sentence("desk.drives.gone", "{drive} {model} is not attached any more, so its plan was dropped.")
NOT_ANSWERED = Sentence("desk.drives.not-answered", "This drive has not answered yet.")
LOOKING = Sentence("desk.drives.looking", "The kernel and the tools are still being looked at.")
NOTHING_HERE = Sentence("desk.drives.nothing-here", "There is no drive here.")
NOTHING_WAITS = Sentence("desk.drives.nothing-waits", "Nothing waits to be kept or undone.")
SEVERAL_WAIT = Sentence("desk.drives.several-wait", "Several wait. Go to the row of the one that you mean.")

HELP_LIST = Sentence(
    "desk.drives.help-list", "Each line is a drive. Reading it changes nothing. Right shows its partitions."
)
HELP_ENTER = Sentence(
    "desk.drives.help-enter", "Enter sets an empty drive up. Of any other it shows what can be done."
)
HELP_SEVERITY = Sentence(
    "desk.drives.help-severity",
    "A danger puts data at risk. A warning is likely harm, or a doubt. A note is good to know.",
)
HELP_WAITING = Sentence(
    "desk.drives.help-waiting",
    "What waits for you comes first: K puts it to use, U puts back what was there.",
)
HELP_EXT4 = Sentence(
    "desk.drives.help-ext4", "An ext2 or ext3 filesystem can become ext4 and keep every file: m."
)
HELP_PLUG = Sentence("desk.drives.help-plug", "A drive that is plugged in now appears by itself.")

# The system that diskwright runs on.
NO_DRIVE = Sentence("desk.drives.no-drive", "No drive was found. Plug one in.")
CANNOT = Sentence(
    "desk.drives.cannot",
    "Nothing can be set up here: this system lacks {programs:and}.",
)
LACKS = Sentence("desk.drives.lacks", "This system lacks {programs:and}; the rest works.")
MEDIUM = Sentence(
    "desk.drives.medium",
    "{drives:and} is not listed: this system was started from it.",
    "{drives:and} are not listed: this system was started from them.",
)
