"""The sentences of layouts."""

from wizard.model.errors import printable
from wizard.model.operations import Writer
from wizard.model.said import Message, Sentence, Sentences, t

UNREAD = Sentences(
    "{drives:and} was not read, so this plan cannot be applied.",
    "{drives:and} were not read, so this plan cannot be applied.",
)
AS_ROOT = t("Make it as root:")
RECORD_AS_ROOT = t("Record the machine as root: sudo diskwright inspect --save FILE")
AGAIN_WITH_PLAN = t("Make it again with `diskwright plan`.")
AGAIN_AS_ROOT = t("Make it again as root, when the drive can be read.")

FIXED = Sentence("{file} cannot be written here, so {label} is not mounted: have your system mount it.")
THE_GROUP = Sentence("the group {name}")
EVERYONE = t("everyone")
ROOT_ONLY = t("root only")
LET_WRITE = Sentence("Let {who} write to the filesystem on {device}.")
BELONGS = Sentence("The top of {device} belongs to {uid}:{gid}, mode {mode}.")
ROOTS_AGAIN = t("By `chown root:root` and `chmod 755`; no file is lost.")
VOLUME_WRITABLE = Sentence('"{label}" will be writable by {who}.')
CAN_WRITE = Sentence("{who} can write to {place}")

OTHERWISE = Sentence("{fault}")
"""A fault that is told elsewhere."""

# Why a plan that was read is none that the planner makes: clauses of BROKEN.
BROKEN = Sentence("{where} does not hold together: {fault}. Make it again with `diskwright plan`.")
ONE_AND_MORE = t("it changes one partition, and more than that")
ENCRYPTS_ELSEWHERE = t("it encrypts something other than a partition of one drive")
NOTHING_STRIPED = t("it has several drives and stripes nothing over them")
WHOLE_ELSEWHERE = t("it is for a whole drive without a table, and its volume is not")
WHOLE_NOT_ZONED = Sentence("{filesystem} without a partition table cannot live on zones")
AFTER_NOT_VOLUME = t("its layout after does not follow from its volume")
AFTER_NOT_CHANGE = t("its layout after does not follow from what it changes")
AFTER_NOT_TABLE = t("its layout after does not follow from the table")
OTHER_FOR_VOLUME = t("its operations are not those that its volume needs")
OTHER_FOR_VOLUMES = t("its operations are not those that its volumes need")
OTHER_FOR_CHANGE = t("its operations are not those that the change needs")
NOT_CHANGEABLE = Sentence("partition {number} is not one that can be changed")
RENUMBERED = t("it would give logical partitions other numbers")
VOLUME_ELSEWHERE = t("its volume is not on the partition that it changes")
NOT_RESIZED = Sentence("partition {number} neither grows into free space nor gives up its end")
PARTIAL_BLOCKS = Sentence("partition {number} is no whole number of blocks")
NOT_RESIZABLE = Sentence("partition {number} holds nothing that can be given that size")
LOGICAL_RESIZED = t("it changes the size of a logical partition, which is not done")
TABLES_WRITTEN = Sentence("it writes {tables} tables instead of one")
NO_DRIVE = Sentence("'{path}' is not a drive below /dev")
NO_SUCH_SIZE = Sentence("no drive has {size} bytes")
NO_VOLUME = t("it makes no volume")
GROUP_ELSEWHERE = t("its volume group is not on one partition of one drive")
VOLUME_FAULT = Sentence("volume {number} {fault}")
SAME_NUMBER = t("two volumes have the same number")
SAME_UUID = t("two volumes have the same UUID")
NO_PARTITION = Sentence("there is no partition number {number}")
OTHER_DRIVE = Sentence("volume {number} is at '{path}', which is not on {drive}")
NO_WORKLOAD = Sentence("volume {number} has the unknown workload '{workload}'")
NOT_MADE = Sentence("volume {number} has the filesystem '{filesystem}', which diskwright does not make")
LABEL_FAULT = Sentence("volume {number} has the label '{label}', which {fault}")
UUID_FAULT = Sentence("volume {number} has the UUID '{uuid}', which {fault}")
OPTIONS_FAULT = Sentence("volume {number}: {fault}")
PLACE_FAULT = Sentence("volume {number} has the mount point '{place}', which {fault}")
ADDED_TO_OTHER = Sentence("it adds partitions to a table of kind '{kind}'")
KEPT_CONTRADICT = t("the partitions that stay overlap or lie outside the drive")
TABLE_ELSEWHERE = Sentence("it writes a table on '{device}' instead of {drive}")
OTHER_TABLE = Sentence("it writes a table of kind {kind} over one of another kind")
PARTITIONS_DIFFER = t("its new partitions are not those of its volumes")
MBR_PRIMARY = t("an MBR has four primary partitions")
BEFORE_BEYOND = t("its layout before reaches beyond what a table can hold")
OTHER_TYPE = Sentence("partition {number} has the type '{type}', which does not fit its volume")
OUTSIDE = Sentence("partition {number} lies outside the usable part of the drive")
NOT_ALIGNED = Sentence("partition {number} is not aligned")
NEW_OVERLAP = t("two of its partitions overlap")
KEPT_OVERLAP = t("a new partition overlaps one that stays")
TABLE_DIFFERS = t("the table does not follow from its volumes and what stays")
DANGER_IN_SYSTEM = Sentence("has {danger}, which puts data at risk, and a system is to live on it")
DANGER_UNSAID = Sentence("has {danger}, which puts data at risk, and no doubt says so")

# What a label, a mount point or an option may not be: each is the end of a sentence, or a clause.
BLOCKS_FAULT = Sentence("partitions cannot lie on blocks of {logical} and {physical} bytes")
OFFSET_FAULT = Sentence("no block of {logical} bytes can begin at an alignment offset of {offset} bytes")
IO_FAULT = t("the sizes recommended for input and output are out of range")
EMPTY = t("is empty")
CONTROLS = t("holds control characters")
BLANK_END = t("begins or ends with a space")
SLASH = t("holds a slash")
LONG_LABEL = Sentence("is longer than the {most} bytes that a label of {filesystem} can have")
LONG_NAME = Sentence("is longer than the {most} characters of a partition's name")
TOO_LONG = t("is too long")
NOT_ABSOLUTE = t("is not an absolute path")
NOT_PLAIN = t("is not in its plain form (no //, no . or .., no slash at the end)")
HIDES_SYSTEM = t("would hide what the running system needs")
NEVER_MOUNTED = Sentence("is no place for {filesystem}, which is never mounted; {none} turns it on")
SYSTEMS_OWN = t("is the system's, and only root writes to it")
NO_WRITER = t("is given to nobody who could write to it")
NO_MOUNT_OPTIONS = Sentence("{filesystem} is mounted nowhere, and has no mount options")
NO_MKFS_OPTION = Sentence("'{option}' is no option that diskwright hands to {tool}")
MKFS_VALUE = Sentence("{option} has the value '{value}', which diskwright does not hand on")
MKFS_ELSEWHERE = Sentence("{option} {key} could reach another place than the partition")
NO_MOUNT_OPTION = Sentence("'{option}' is no mount option that diskwright hands on")
MOUNT_ELSEWHERE = Sentence("'{option}' would make mount do something else")
NO_SERIAL = Sentence("is no serial number of {digits} digits")
UUID_FORM = t("is not in its plain lower-case form")
NO_UUID = t("is no UUID")

# Why something cannot be planned.
ZONED_NO_TABLE = Sentence(
    "{drive} is a host-managed zoned drive, which takes no partition table of any kind."
)
ZONED_NO_PARTITIONS = Sentence("{drive} is a host-managed zoned drive, which takes no partitions.")
ZONED_FULL = Sentence(
    "{drive} is a host-managed zoned drive, which takes no partitions: nothing can be added to what it holds."
)
ZONED_ONE = Sentence(
    "{drive} is a host-managed zoned drive, which takes no partitions: ask for one volume without a size."
)
ZONED_NO_ROLE = Sentence(
    "{drive} is a host-managed zoned drive, which takes no partitions: its volume cannot have a role."
)
ZONED_NOT_MADE = Sentence(
    "{filesystem} cannot be made on {drive}: the zones of a host-managed drive are written in order only. "
    "Only {zoned} in its zoned mode can live on it."
)
GROUP_NOT_ENCRYPTED = t("Within a volume group nothing is encrypted.")
OBSTACLES = Sentence("{filesystem} cannot be made here: {obstacles:row}")
OPTIONS_REFUSED = Sentence("The options recommended for {filesystem} cannot be taken: {fault}.")
MBR_FULL = Sentences(
    "The MBR of {drive} has room for 4 primary partitions and has {there}; {count} more was asked for. Only "
    "a GPT holds more: --replace makes one, and erases everything.",
    "The MBR of {drive} has room for 4 primary partitions and has {there}; {count} more were asked for. Only "
    "a GPT holds more: --replace makes one, and erases everything.",
)
GPT_FULL = Sentences(
    "The GPT of {drive} has room for {most} partitions and has {there}; {count} more was asked for.",
    "The GPT of {drive} has room for {most} partitions and has {there}; {count} more were asked for.",
)
LACKING = Sentence(
    "The running kernel ({release}) has no {name}, without which {without}: boot one that has, or install "
    "its module."
)
NO_LVM = Sentence("LVM's volumes are not possible")
NO_CRYPT = Sentence("no encrypted volume can be opened")
NO_RAID0 = Sentence("md stripes nothing")
NO_RAID1 = Sentence("md mirrors nothing")

# What is doubtful about a plan.
NO_LOOP = Sentence(
    "The running kernel ({release}) has no loop devices, so nothing is tried out on a stand-in. Every step "
    "runs on the drive itself, and what it formats cannot be put back."
)
FORGOTTEN = t(
    "This system runs from an image or in memory. It may forget at its end what is to be mounted at every "
    "boot; the drive keeps all else."
)
IN_CONTAINER = t(
    "This system runs in a container, whose start seldom mounts a drive by its own fstab. "
    "The drive keeps all else."
)
ZONES_ALONE = t("emptying zones cannot be tried out elsewhere")
GROUP_ALONE = t("a volume group over several drives cannot be tried out elsewhere yet")
NOT_READ = t("What the drive holds was not read when this was planned: whatever it is, it will be lost.")
ZONES_WRITTEN = Sentences(
    "{count} zone was written to, and nothing is recognised in it: whatever it is, it will be lost.",
    "{count} zones were written to, and nothing is recognised in them: whatever it is, it will be lost.",
)
NO_IDENTITY = Sentence("The drive tells no serial number and no WWN, so it is known {how}.")
SHARED_IDENTITY = Sentence("The drive tells the same numbers as {others:list}, so it is known {how}.")
BY_COUNT = t(
    "only by the kernel's count of drives: the plan holds until it is unplugged or the machine restarts"
)
BY_SIZE = t("by its size alone")
NO_ALIGNMENT = t(
    "The devices beneath this one are misaligned to each other: no partition can be aligned for all of them."
)
ZONED_UNREAD = t("Whether the drive is zoned could not be read.")
MAY_BE_SHINGLED = t(
    "Whether the drive is shingled is not known; a shingled one slows down under long writing."
)
LEFT_BY_RUN = Sentence("{told} of the run {run}")
NO_NODES = Sentence(
    "The kernel has no node for {parts:list}: old marks there are only erased where a new volume begins."
)


def who(writer: Writer) -> Message | str:
    """The writer as a person is told: a name, or what stands for it."""
    match writer.kind:
        case "person":
            return printable(writer.name, 60)
        case "group":
            return THE_GROUP(name=printable(writer.name, 60))
        case "everyone":
            return EVERYONE
        case "root":
            return ROOT_ONLY
