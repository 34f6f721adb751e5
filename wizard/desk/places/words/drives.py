"""The first screen's sentences."""

from wizard.model.said import Sentence

TITLE = Sentence("desk.places.drives.title", "Drives")
ABOUT = Sentence("desk.places.drives.about", "{count} drive, {who}", "{count} drives, {who}")
AS_ROOT = Sentence("desk.places.drives.as-root", "as root")
NOT_ROOT = Sentence("desk.places.drives.not-root", "not root")
RECORDED = Sentence("desk.places.drives.recorded", "recorded")
READING = Sentence("desk.places.drives.reading", "reading ...")
NO_NAME = Sentence("desk.places.drives.no-name", "no name")
UNKNOWN_SIZE = Sentence("desk.places.drives.unknown-size", "?")
SIZE = Sentence("desk.places.drives.size", "{size:size}")
HDD = Sentence("desk.places.drives.hdd", "HDD")
SSD = Sentence("desk.places.drives.ssd", "SSD")
KIND_UNKNOWN = Sentence("desk.places.drives.kind-unknown", "-")

# How a drive stands, in a few words.
NOT_READ = Sentence("desk.places.drives.not-read", "not read")
NEW = Sentence("desk.places.drives.new", "empty")
SYSTEM = Sentence("desk.places.drives.system", "in use: this system")
MOUNTED = Sentence("desk.places.drives.mounted", "mounted at {place}")
IN_USE = Sentence("desk.places.drives.in-use", "in use")
READ_ONLY = Sentence("desk.places.drives.read-only", "read-only")
DANGERS = Sentence("desk.places.drives.dangers", "! 1 danger", "! {count} dangers")
WARNINGS = Sentence("desk.places.drives.warnings", "! 1 warning", "! {count} warnings")
HOLDS = Sentence("desk.places.drives.holds", "1 partition", "{count} partitions")
WAITS = Sentence("desk.places.drives.waits", "! waits: keep or undo")
NO_FILESYSTEM = Sentence("desk.places.drives.no-filesystem", "nothing recognised")

# Why nothing else can be done with a drive.
IS_CHANGED = Sentence("desk.places.drives.is-changed", "It is being changed now.")
WAITS_FIRST = Sentence("desk.places.drives.waits-first", "It waits: K keeps it, U undoes it.")

# Runs that come first.
RUN_WORKS = Sentence("desk.places.drives.run-works", "is being changed now")
RUN_WAITS = Sentence("desk.places.drives.run-waits", "is done, not yet in use. Keep it?")
RUN_STUCK = Sentence("desk.places.drives.run-stuck", "cannot go on. Enter shows why.")
RUN_STOPPED = Sentence("desk.places.drives.run-stopped", "was not finished. Go on, or undo it?")

# What the drive under the cursor is.
NAME = Sentence("desk.places.drives.name", "{drive}  {model}  {size:size}  serial {serial}")
NO_SERIAL = Sentence("desk.places.drives.no-serial", "none")
STILL_READING = Sentence(
    "desk.places.drives.still-reading", "{drive} is being read. The other drives do not wait for it."
)
KEEP_MEANS = Sentence("desk.places.drives.keep-means", "It waits: keeping puts it to use.")
UNDO_MEANS = Sentence("desk.places.drives.undo-means", "Undoing puts back what was there.")
LEFT_EARLY = Sentence("desk.places.drives.left-early", "A run here was not finished: go on, or undo it.")
NOT_SET_UP = Sentence("desk.places.drives.not-set-up", "Cannot be set up now:")
FINE = Sentence("desk.places.drives.fine", "Nothing wrong was found.")
BETTER = Sentence("desk.places.drives.better", "can become ext4 with all files kept.")
DANGER = Sentence("desk.places.drives.danger", "danger:")
WARNING = Sentence("desk.places.drives.warning", "warning:")
INFO = Sentence("desk.places.drives.info", "note:")
MORE_ALIKE = Sentence("desk.places.drives.more-alike", "And 1 more like it.", "And {count} more like it.")
UNREAD_CONTENT = Sentence(
    "desk.places.drives.unread-content", "What it holds was not read: only root may. o reads it as root."
)
UNREAD_HERE = Sentence("desk.places.drives.unread-here", "What it holds could not be read. w says why.")

# Keys.
SET_UP = Sentence("desk.places.drives.set-up", "set up")
ACTIONS = Sentence("desk.places.drives.actions", "actions")
SHOW = Sentence("desk.places.drives.show", "show it")
KEEP = Sentence("desk.places.drives.keep", "keep")
UNDO = Sentence("desk.places.drives.undo", "undo")
TO_EXT4 = Sentence("desk.places.drives.to-ext4", "to ext4")
WHY = Sentence("desk.places.drives.why", "why")
HEALTH = Sentence("desk.places.drives.health", "health")
SPEED = Sentence("desk.places.drives.speed", "speed")
SHINGLED = Sentence("desk.places.drives.shingled", "test, about {seconds} s")
MOVE = Sentence("desk.places.drives.move", "move {part} to an aligned place")
MOVE_ALL = Sentence("desk.places.drives.move-all", "move {count} partitions to aligned places")
OPEN = Sentence("desk.places.drives.open", "partitions")
CLOSE = Sentence("desk.places.drives.close", "fold")
AGAIN = Sentence("desk.places.drives.again", "read again")
READ_AS_ROOT = Sentence("desk.places.drives.read-as-root", "read as root")

# What happened.
PLUGGED = Sentence(
    "desk.places.drives.plugged", "{drives:and} was plugged in.", "{drives:and} were plugged in."
)
LEFT = Sentence("desk.places.drives.left", "{drives:and} has gone.", "{drives:and} have gone.")
ANOTHER = Sentence(
    "desk.places.drives.another", "{drives:and} is another drive now.", "{drives:and} are other drives now."
)
GONE = Sentence(
    "desk.places.drives.gone", "{drive} {model} is not attached any more, so its plan was dropped."
)
NOT_ANSWERED = Sentence("desk.places.drives.not-answered", "This drive has not answered yet.")
LOOKING = Sentence("desk.places.drives.looking", "The kernel and the tools are still being looked at.")
NOTHING_HERE = Sentence("desk.places.drives.nothing-here", "There is no drive here.")
NOTHING_WAITS = Sentence("desk.places.drives.nothing-waits", "Nothing waits to be kept or undone.")
SEVERAL_WAIT = Sentence(
    "desk.places.drives.several-wait", "Several wait. Go to the row of the one that you mean."
)

HELP_LIST = Sentence(
    "desk.places.drives.help-list",
    "Each line is a drive. Reading it changes nothing. Right shows its partitions.",
)
HELP_ENTER = Sentence(
    "desk.places.drives.help-enter", "Enter sets an empty drive up. Of any other it shows what can be done."
)
HELP_SEVERITY = Sentence(
    "desk.places.drives.help-severity",
    "A danger puts data at risk. A warning is likely harm, or a doubt. A note is good to know.",
)
HELP_WAITING = Sentence(
    "desk.places.drives.help-waiting",
    "What waits for you comes first: K puts it to use, U puts back what was there.",
)
HELP_EXT4 = Sentence(
    "desk.places.drives.help-ext4", "An ext2 or ext3 filesystem can become ext4 and keep every file: m."
)
HELP_PLUG = Sentence("desk.places.drives.help-plug", "A drive that is plugged in now appears by itself.")

# The system that diskwright runs on.
NO_DRIVE = Sentence("desk.places.drives.no-drive", "No drive was found. Plug one in.")
CANNOT = Sentence(
    "desk.places.drives.cannot",
    "Nothing can be set up here: this system lacks {programs:and}.",
)
LACKS = Sentence("desk.places.drives.lacks", "This system lacks {programs:and}; the rest works.")
MEDIUM = Sentence(
    "desk.places.drives.medium",
    "{drives:and} is not listed: this system was started from it.",
    "{drives:and} are not listed: this system was started from them.",
)
