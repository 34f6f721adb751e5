"""The sentences of `diskwright migrate`, and of a migration that is shown."""

from wizard.model.said import Sentence

SAYS = Sentence(
    "faces.planning.migrate.says",
    "Convert ext2 or ext3 to ext4 with all files. Compares the conversions, or plans one.",
)
IN_USE = Sentence("faces.planning.migrate.in-use", "where it is in use, such as the running root")
DEVICE = Sentence("faces.planning.migrate.device", "a partition, volume or drive")
WAY = Sentence("faces.planning.migrate.way", "plan this conversion (default: compare all four)")
STORE = Sentence(
    "faces.planning.migrate.store",
    "store changed blocks here, on another filesystem",
)
UNDO_DIR = Sentence("faces.planning.migrate.undo-dir", "without snapshots: store replaced blocks here")
MANIFEST = Sentence(
    "faces.planning.migrate.manifest", "compare content and attributes of every file before and after"
)
REPAIR = Sentence(
    "faces.planning.migrate.repair",
    "repair damage, if it can be undone",
)
TO = Sentence("faces.planning.migrate.to", "the empty volume for `--way fresh`")
FSTAB = Sentence("faces.planning.migrate.fstab", "fstab of the system on it")
OUTPUT = Sentence("faces.planning.migrate.output", "save the plan for `diskwright apply`")
CONFIRM = Sentence("faces.planning.migrate.confirm", "convert now: the drive's serial number, as in `apply`")
DRY_RUN = Sentence("faces.planning.migrate.dry-run", "make all checks of `apply`; write nothing")
JOURNAL = Sentence(
    "faces.planning.migrate.journal",
    "folder of the run, not on this filesystem (/var/lib/diskwright/runs)",
)
JSON = Sentence("faces.planning.migrate.json", "print a {ways} or, with --way, a {plan} document")

ABOUT_WAYS = Sentence(
    "faces.planning.migrate.about-ways",
    "Without --way it says what is found and sets the four ways side by side. Without --confirm nothing is "
    "written but the file that -o names. `diskwright apply` carries a plan out exactly as it was shown.",
)
ABOUT_IN_USE = Sentence(
    "faces.planning.migrate.about-in-use",
    "The filesystem must not be mounted for any way but `mount`. Where it is, -o writes a plan to be "
    "carried to a rescue medium. There `diskwright apply` finds the filesystem by its UUID.",
)

NO_WAY = Sentence(
    "faces.planning.migrate.no-way",
    "Say with --way which of the ways it is to be. Without it they are set side by side, and nothing is "
    "done.",
)
IS_IN_USE = Sentence(
    "faces.planning.migrate.is-in-use",
    "{device} is in use, so nothing can be done to it here. {file} is to be carried to a rescue medium.",
)

# Which filesystem it is.
LABELLED = Sentence("faces.planning.migrate.labelled", '{device}, "{label}"')
HEADING = Sentence(
    "faces.planning.migrate.heading",
    "{filesystem}: {kind}, {size:size}, {used:size} used, inodes of {inode} bytes, UUID {uuid}",
)
ON = Sentence("faces.planning.migrate.on", "on {drive}")
TO_VOLUME = Sentence("faces.planning.migrate.to-volume", "to a volume on {drive}, which is what is confirmed")

# The ways.
FOUND = Sentence("faces.planning.migrate.found", "Found:")
RECOMMENDED = Sentence("faces.planning.migrate.recommended", "Recommended: {way}.")
NOT_POSSIBLE = Sentence("faces.planning.migrate.not-possible", "Not possible:")
GAINS = Sentence("faces.planning.migrate.gains", "Gains:")
COSTS = Sentence("faces.planning.migrate.costs", "Costs:")
MADE_SAFE = Sentence("faces.planning.migrate.made-safe", "Made safe:")
TAKES = Sentence("faces.planning.migrate.takes", "Takes: roughly {duration}.")
TAKES_ROOM = Sentence(
    "faces.planning.migrate.takes-room", "Takes: roughly {duration}, and up to {room:size} of room elsewhere."
)

# One of them.
THE_WAY = Sentence("faces.planning.migrate.the-way", "The way {way}:")
KEPT_IN = Sentence(
    "faces.planning.migrate.kept-in", "What is replaced is kept in {folder}, up to {room:size}."
)
ROUGHLY = Sentence("faces.planning.migrate.roughly", "(roughly {duration})")
POWER = Sentence("faces.planning.migrate.power", "If the power goes:")

# Beginning.
OUTCOME = Sentence("faces.planning.migrate.outcome", "Here {outcome}")
ONE_DRIVE = Sentence("faces.planning.migrate.one-drive", "This migration is for one drive")

# One that is carried to a rescue medium.
CARRIED_WAY = Sentence(
    "faces.planning.migrate.carried-way", "The way {way}, to be carried out from a rescue medium:"
)
ROOT_LOOKS = Sentence(
    "faces.planning.migrate.root-looks",
    "Only root can look for the filesystem. Nothing was written. What you asked for, as root:",
)
IS_ON = Sentence("faces.planning.migrate.is-on", "The filesystem {uuid} is on {device} here.")
CARRY_OUT = Sentence(
    "faces.planning.migrate.carry-out",
    "Every check before the first step holds. Nothing was written. To carry it out, say the same with this "
    "token:",
)
