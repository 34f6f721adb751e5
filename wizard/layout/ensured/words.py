"""What is said of drives that are wanted otherwise than they are."""

from wizard.model.said import Sentence

# The document.
NO_DRIVES = Sentence("layout.ensured.no-drives", "{file} names no drive; begin one with [[drive]].")
NO_MATCH_KEY = Sentence(
    "layout.ensured.no-match-key",
    "{file}, drive {number}: match says nothing; give path, model, serial, size or bus.",
)
IN_FILE = Sentence("layout.ensured.in-file", "{file}: {why}")
IN_DRIVE = Sentence("layout.ensured.in-drive", "{file}, drive {number}: {why}")
NO_VOLUMES = Sentence("layout.ensured.no-volumes", "no volume is wanted; begin one with [[drive.volume]].")
COMMA = Sentence("layout.ensured.comma", "{key} '{value}' holds a comma, which no volume can have.")
NO_KEY = Sentence(
    "layout.ensured.no-key", "an encrypted volume needs a key, since nobody is asked for a passphrase."
)

MIRROR_AND_STRIPE = Sentence(
    "layout.ensured.mirror-and-stripe", "mirror and stripe exclude each other; give one of them."
)
HOW_TOGETHER = Sentence(
    "layout.ensured.how-together",
    "also names further drives, so mirror or stripe has to say how they are used.",
)
NO_OTHER = Sentence(
    "layout.ensured.no-other", "{option} needs further drives; name them as also = [{{ ... }}]."
)
NOT_TOGETHER = Sentence("layout.ensured.not-together", "{option} and {key} exclude each other.")
ONE_VOLUME = Sentence(
    "layout.ensured.one-volume", "{option} makes one volume of all drives; name just one [[drive.volume]]."
)

# Which drive.
NONE_MATCHES = Sentence(
    "layout.ensured.none-matches", "No drive matches {criteria}. The drives here are: {known:semicolons}."
)
SEVERAL_MATCH = Sentence(
    "layout.ensured.several-match",
    "{number} drives match {criteria}, and one has to be meant: {found:semicolons}.",
)
CANDIDATE = Sentence(
    "layout.ensured.candidate", "{drive} (model {model}, serial {serial}, {size:size}, bus {bus})"
)
UNKNOWN = Sentence("layout.ensured.unknown", "unknown")
NO_DRIVE_AT_ALL = Sentence("layout.ensured.no-drive-at-all", "none")

TWICE = Sentence("layout.ensured.twice", "Two of the matches mean {drive}; each has to mean another drive.")

# How it differs.
WITHOUT_TABLE = Sentence("layout.ensured.without-table", "{drive} has no table and holds {held:and}")
OTHER_TABLE = Sentence("layout.ensured.other-table", "{drive} has the table {found} instead of {wanted}")
OTHER_COUNT = Sentence(
    "layout.ensured.other-count", "{drive} has {found} partitions, others than the {wanted} that are wanted"
)
NO_PARTITION = Sentence("layout.ensured.no-partition", "there is no {device}")
OTHER_SIZE = Sentence("layout.ensured.other-size", "{device} has {found:round} instead of {wanted:round}")
OTHER = Sentence("layout.ensured.other", "{device}: {what} is {found} instead of {wanted}")
TYPE = Sentence("layout.ensured.type", "the type in the table")
FILESYSTEM = Sentence("layout.ensured.filesystem", "the filesystem")
HOLDS = Sentence("layout.ensured.holds", "what it holds")
LABEL = Sentence("layout.ensured.label", "the label")
NONE = Sentence("layout.ensured.none", "nothing")

# How several drives differ that hold one volume together.
HALF = Sentence(
    "layout.ensured.half",
    "{drives:and} looks as wanted, and may hold all files of a mirror whose other drives are missing",
    "{drives:and} look as wanted, and may hold all files of a mirror whose other drives are missing",
)
OTHER_BTRFS = Sentence(
    "layout.ensured.other-btrfs", "{devices:and} hold parts of different Btrfs filesystems"
)
OTHER_DEVICES = Sentence(
    "layout.ensured.other-devices",
    "{device}: its Btrfs lies on {found} devices, others than the {wanted} that are wanted",
)
COPIED_DEVICE = Sentence(
    "layout.ensured.copied-device", "{devices:and} are the same device of one Btrfs, so some are copies"
)
WORKS_WITHOUT = Sentence(
    "layout.ensured.works-without", "the Btrfs is mounted, and works without {devices:and}"
)
WORKS_WITH = Sentence("layout.ensured.works-with", "the Btrfs is mounted, and works with {devices:and}, too")
MISSING_DEVICE = Sentence("layout.ensured.missing-device", "the kernel misses a device of the Btrfs")
FELL_BEHIND = Sentence(
    "layout.ensured.fell-behind", "{devices:and} did not get what was written to the other drives last"
)
OTHER_PROFILE = Sentence(
    "layout.ensured.other-profile", "the Btrfs keeps {what} as {found:and} instead of {wanted}"
)
NO_GROUP = Sentence("layout.ensured.no-group", "LVM finds no volume group on {devices:and}")
OTHER_GROUPS = Sentence("layout.ensured.other-groups", "{devices:and} belong to different volume groups")
MORE_PHYSICAL = Sentence(
    "layout.ensured.more-physical", "the volume group on {devices:and} lies on {more:and}, too"
)
MISSING_PHYSICAL = Sentence(
    "layout.ensured.missing-physical", "the volume group on {devices:and} misses a physical volume"
)
MORE_LOGICAL = Sentence("layout.ensured.more-logical", "the volume group holds {names:and}, too")
NO_LOGICAL = Sentence("layout.ensured.no-logical", "the volume group has no logical volume {name}")
OTHER_LOGICAL = Sentence("layout.ensured.other-logical", "{name} is {found} instead of {wanted}")
SPREAD = Sentence("layout.ensured.spread", "{kind} over {parts}")
NOT_ACTIVE = Sentence(
    "layout.ensured.not-active",
    "the logical volume {name} is not active, so what it holds is unknown; `vgchange --activate y` activates "
    "it",
)
OTHER_ARRAYS = Sentence("layout.ensured.other-arrays", "{devices:and} are parts of different arrays")
NOT_RUNNING = Sentence(
    "layout.ensured.not-running",
    "the array on {devices:and} does not run, so what it holds is unknown; try `mdadm --assemble --scan`",
)
OTHER_LEVEL = Sentence("layout.ensured.other-level", "{device} is {found} instead of {wanted}")
OTHER_DRIVES = Sentence("layout.ensured.other-drives", "{device} is of {found} drives instead of {wanted}")
DEGRADED = Sentence(
    "layout.ensured.degraded",
    "{device} lacks a drive, or still copies to it",
    "{device} lacks {count} drives",
)
ARRAY_WITHOUT = Sentence("layout.ensured.array-without", "{device} runs without {devices:and}")
ARRAY_WITH = Sentence("layout.ensured.array-with", "{device} runs with {devices:and}, too")
FILES = Sentence("layout.ensured.files", "files")
RECORDS = Sentence("layout.ensured.records", "its own records")
