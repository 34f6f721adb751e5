"""What is said of what was named and is no drive, and of tables that do not hold together."""

from wizard.model.said import Sentence

NOT_NAMED = Sentence("probe.not-named", "No device was named; `diskwright inspect` lists the drives.")
NOT_LOOKED_AT = Sentence("probe.not-looked-at", "{path} cannot be looked at: {why}.")
NO_DEVICE = Sentence("probe.no-device", "There is no device {path}; `diskwright inspect` lists the drives.")
FOLDER = Sentence(
    "probe.folder",
    "{path} is a directory; a drive is wanted, such as /dev/sda. `diskwright inspect` lists them.",
)
ORDINARY_FILE = Sentence(
    "probe.ordinary-file",
    "{path} is an ordinary file; a drive is wanted, such as /dev/sda. `diskwright inspect` lists them.",
)
NO_BLOCKS = Sentence(
    "probe.no-blocks",
    "{path} is no block device; a drive is wanted, such as /dev/sda. `diskwright inspect` lists them.",
)
PARTITION = Sentence(
    "probe.partition", "{path} is a partition of {drive}; a whole drive is wanted here, so say {drive}."
)
NO_DRIVE = Sentence(
    "probe.no-drive", "The kernel has no drive behind {path}; `diskwright inspect` lists the drives."
)
STALE_NODE = Sentence(
    "probe.stale-node",
    "The node {path} was left behind and leads to another device than {drive}. Remove it, and let the system "
    "make it.",
)
INPUT = Sentence("probe.input", "The input")
NO_FILE = Sentence(
    "probe.no-file", "There is no file {file}; `diskwright inspect --save {file}` would write one."
)
NO_USER = Sentence(
    "probe.no-user", "There is no user {name} here; say a user's name, group:NAME, everyone or root."
)
NO_GROUP = Sentence(
    "probe.no-group", "There is no group {name} here; say a user's name, group:NAME, everyone or root."
)

TABLE_LOST = Sentence(
    "probe.table-lost", "neither copy of its GPT is whole, so that what stands on the drive is not known"
)
MANY_PARTITIONS = Sentence(
    "probe.many-partitions",
    "the table states {partitions} partitions, of which the first {most} are listed",
)
OTHER_BLOCKS = Sentence(
    "probe.other-blocks",
    "its GPT was made for logical blocks of {other} bytes, and here the drive has blocks of {size}",
)
CHAIN_BROKEN = Sentence("probe.chain-broken", "the chain of logical partitions breaks off at byte {start}")
CHAIN_RETURNS = Sentence("probe.chain-returns", "the chain of logical partitions returns to byte {start}")
BAD_SUM = Sentence("probe.bad-sum", "the drive's IDENTIFY data do not fit their own checksum")
NO_DISK = Sentence("probe.no-disk", "the drive's IDENTIFY data are not those of a disk")

SMARTCTL_SAYS = Sentence("probe.smartctl-says", "smartctl says: {said}")
SLEEPS = Sentence("probe.sleeps", "the drive sleeps ({mode})")
SMARTCTL_UNREADABLE = Sentence("probe.smartctl-unreadable", "smartctl gave nothing that can be read")
