"""What is said of drives while they are brought to what is wanted."""

from wizard.model.said import Sentence

UNNAMED = Sentence("apply.ensure.unnamed", "a drive")

# What would be done.
BLANK = Sentence(
    "apply.ensure.blank",
    "{drive:and} is blank; the volumes are to be made",
    "{drive:and} are blank; the volume over them is to be made",
)
NO_LINE = Sentence("apply.ensure.no-line", "{file} has no line that mounts {device} at {place}")
NOT_MOUNTED = Sentence("apply.ensure.not-mounted", "{device} is not mounted at {place}")
NO_OPTIONS = Sentence("apply.ensure.no-options", "the line of {device} in {file} lacks {options:list}")
GOES_ON = Sentence(
    "apply.ensure.goes-on", "the run {run}, which makes this on {drive}, was cut off and goes on"
)

# What is otherwise, and stays so.
MOUNTED_NOWHERE = Sentence(
    "apply.ensure.mounted-nowhere", "{file} mounts {device} at {place}, and it is to be mounted nowhere"
)
OTHER_PLACE = Sentence(
    "apply.ensure.other-place", "{file} mounts {device} at {found:and}, and {wanted} is wanted"
)
MOUNTED_ELSEWHERE = Sentence(
    "apply.ensure.mounted-elsewhere", "{device} is mounted at {found:and}, and {wanted} is wanted"
)
NO_SUBVOLUME = Sentence(
    "apply.ensure.no-subvolume", "{file} mounts {device} at {place} without the option {option}"
)
OTHER_SUBVOLUME = Sentence(
    "apply.ensure.other-subvolume", "at {place}, {device} is mounted from {found} instead of {wanted}"
)
NO_OWNER = Sentence("apply.ensure.no-owner", "{place} does not tell whose it is: {why}.")
OTHER_OWNER = Sentence(
    "apply.ensure.other-owner",
    "{place} belongs to {uid}:{gid} with mode {mode}, and {who} is to write there ({owner}, {wanted})",
)
NO_SWAP_LINE = Sentence("apply.ensure.no-swap-line", "{file} has no line for the swap on {device}")
KEY_WRONG = Sentence("apply.ensure.key-wrong", "{key} does not open the container on {device}")
CLOSED = Sentence(
    "apply.ensure.closed",
    "{device} is closed, so what it holds is unknown; `cryptsetup open --key-file {key} {device} {name}` "
    "opens it",
)
NO_CRYPTTAB_LINE = Sentence(
    "apply.ensure.no-crypttab-line", "{file} has no line that opens {device} with {key}"
)
OTHERWISE = Sentence(
    "apply.ensure.otherwise",
    '{drive:and} holds something else, which is never destroyed unless the file says so: replace = "{value}"',
    '{drive:and} hold something else, which is never destroyed unless the file says so: replace = "{value}"',
)
OTHER_REPLACE = Sentence(
    "apply.ensure.other-replace",
    'replace names another drive, or what {drive:and} held before; for what is held now: replace = "{value}"',
)
NEVER_REPLACED = Sentence(
    "apply.ensure.never-replaced",
    "nothing of that is replaced, since {drive:and} may hold what is wanted; put it right by hand",
)
REACHES_FURTHER = Sentence(
    "apply.ensure.reaches-further",
    "{device} is one of {count} devices of {what}, and the others are not named here, so nothing is replaced",
)
MAY_REACH = Sentence(
    "apply.ensure.may-reach",
    "{device} is a {kind}, so it may be a part of what lies on further drives; nothing is replaced",
)
NO_COUNT = Sentence(
    "apply.ensure.no-count", "mdadm does not say of how many drives the array on {device} is."
)
A_BTRFS = Sentence("apply.ensure.a-btrfs", "a Btrfs")
AN_ARRAY = Sentence("apply.ensure.an-array", "an md array")
A_GROUP = Sentence("apply.ensure.a-group", "a volume group")
HIDDEN = Sentence("apply.ensure.hidden", "{device} is in use where it cannot be seen, so how is not known.")
NOT_TOLD = Sentence(
    "apply.ensure.not-told", "The kernel does not say which devices the Btrfs {uuid} works with."
)
NO_SPACES = Sentence("apply.ensure.no-spaces", "btrfs does not say how {place} keeps what is written.")
SCAN_FIRST = Sentence(
    "apply.ensure.scan-first",
    "mount it by hand, since it lies on several drives: `btrfs device scan {devices:row}`, then `mount`",
)
UNREAD = Sentence(
    "apply.ensure.unread",
    "Not all of what {drive} holds could be read, so it may not be empty; `diskwright inspect` says why.",
)
NOT_ZERO = Sentence(
    "apply.ensure.not-zero",
    '{drive:and} has unrecognised data. To overwrite it: replace = "{value}"',
    '{drive:and} have unrecognised data. To overwrite it: replace = "{value}"',
)
DIRECT = Sentence(
    "apply.ensure.direct",
    "This cannot be tried out first on {drive:and}: {why}. Use `plan` and `apply`, which say what that "
    "means.",
)
AT_WORK = Sentence("apply.ensure.at-work", "A run is at work on {drive}; `{command}` shows it.")
WAITS = Sentence("apply.ensure.waits", "What a run made on {drive} waits for your word: `{commands}`.")
STUCK = Sentence("apply.ensure.stuck", "A run on {drive} is not over. {why}")
CUT_OFF = Sentence("apply.ensure.cut-off", "A run on {drive} was cut off, and comes first: `{commands}`.")
