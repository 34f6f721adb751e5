"""What is said of what was named and is no drive, no file or nobody."""

from wizard.model.said import Sentence

NOT_NAMED = Sentence("probe.named.not-named", "No device was named; `diskwright inspect` lists the drives.")
NOT_LOOKED_AT = Sentence("probe.named.not-looked-at", "{path} cannot be looked at: {why}.")
NO_DEVICE = Sentence(
    "probe.named.no-device", "There is no device {path}; `diskwright inspect` lists the drives."
)
FOLDER = Sentence(
    "probe.named.folder",
    "{path} is a directory; a drive is wanted, such as /dev/sda. `diskwright inspect` lists them.",
)
ORDINARY_FILE = Sentence(
    "probe.named.ordinary-file",
    "{path} is an ordinary file; a drive is wanted, such as /dev/sda. `diskwright inspect` lists them.",
)
NO_BLOCKS = Sentence(
    "probe.named.no-blocks",
    "{path} is no block device; a drive is wanted, such as /dev/sda. `diskwright inspect` lists them.",
)
PARTITION = Sentence(
    "probe.named.partition", "{path} is a partition of {drive}; a whole drive is wanted here, so say {drive}."
)
NO_DRIVE = Sentence(
    "probe.named.no-drive", "The kernel has no drive behind {path}; `diskwright inspect` lists the drives."
)
STALE_NODE = Sentence(
    "probe.named.stale-node",
    "The node {path} was left behind and leads to another device than {drive}. Remove it, and let the system "
    "make it.",
)
FACTS = Sentence("probe.named.facts", "The facts")
INPUT = Sentence("probe.named.input", "The input")
NO_FILE = Sentence(
    "probe.named.no-file", "There is no file {file}; `diskwright inspect --save {file}` would write one."
)
NO_USER = Sentence(
    "probe.named.no-user", "There is no user {name} here; say a user's name, group:NAME, everyone or root."
)
NO_GROUP = Sentence(
    "probe.named.no-group", "There is no group {name} here; say a user's name, group:NAME, everyone or root."
)
