"""Messages about layouts."""

from wizard.model.errors import printable
from wizard.model.operations import Writer
from wizard.model.said import Message, Sentence, Sentences, t

UNREAD = Sentences(
    "{drives:and} was not read, so this plan cannot be applied.",
    "{drives:and} were not read, so this plan cannot be applied.",
)
AS_ROOT = t("Create the plan as root:")
RECORD_AS_ROOT = t("Record the machine as root: sudo diskwright inspect --save FILE")
AGAIN_WITH_PLAN = t("Create the plan again with `diskwright plan`.")
AGAIN_AS_ROOT = t("Create the plan again as root, when the drive is readable.")

FIXED = Sentence(
    "Cannot write {file} here, so {label} is not mounted. Mount {label} through your system's configuration."
)
THE_GROUP = Sentence("the group {name}")
EVERYONE = t("everyone")
ROOT_ONLY = t("root only")
LET_WRITE = Sentence("Allow {who} to write to the filesystem on {device}.")
BELONGS = Sentence("The top of {device} belongs to {uid}:{gid}, mode {mode}.")
ROOTS_AGAIN = t("Run `chown root:root` and `chmod 755`. No files are lost.")
VOLUME_WRITABLE = Sentence('"{label}" will be writable by {who}.')
CAN_WRITE = Sentence("{who} can write to {place}")

OTHERWISE = Sentence("{fault}")
"""A fault described elsewhere."""

# Clauses of BROKEN: why a plan differs from what the planner writes.
BROKEN = Sentence("{where} is inconsistent: {fault}. Create the plan again with `diskwright plan`.")
ONE_AND_MORE = t("the plan changes one partition and other things")
ENCRYPTS_ELSEWHERE = t("the plan encrypts something other than a partition of one drive")
NOTHING_STRIPED = t("the plan has several drives but no stripe")
WHOLE_ELSEWHERE = t("the plan is for a whole drive without a table, but the volume is not")
WHOLE_NOT_ZONED = Sentence("{filesystem} without a partition table does not support zones")
AFTER_NOT_VOLUME = t("the final layout does not match the volume")
AFTER_NOT_CHANGE = t("the final layout does not match the change")
AFTER_NOT_TABLE = t("the final layout does not match the table")
OTHER_FOR_VOLUME = t("the operations do not match the volume")
OTHER_FOR_VOLUMES = t("the operations do not match the volumes")
OTHER_FOR_CHANGE = t("the operations do not match the change")
NOT_CHANGEABLE = Sentence("partition {number} cannot be changed")
RENUMBERED = t("logical partitions would be renumbered")
VOLUME_ELSEWHERE = t("the volume is not on the changed partition")
NOT_RESIZED = Sentence("partition {number} neither grows into free space nor shrinks")
PARTIAL_BLOCKS = Sentence("partition {number} is not a whole number of blocks")
NOT_RESIZABLE = Sentence("the contents of partition {number} cannot be resized to that size")
LOGICAL_RESIZED = t("resizing a logical partition is not supported")
TABLES_WRITTEN = Sentence("the plan writes {tables} tables instead of one")
NO_DRIVE = Sentence("'{path}' is not a drive in /dev")
NO_SUCH_SIZE = Sentence("{size} bytes is not a valid drive size")
NO_VOLUME = t("the plan creates no volume")
GROUP_ELSEWHERE = t("the volume group is not on one partition of one drive")
VOLUME_FAULT = Sentence("volume {number} {fault}")
SAME_NUMBER = t("two volumes have the same number")
SAME_UUID = t("two volumes have the same UUID")
NO_PARTITION = Sentence("partition {number} does not exist")
OTHER_DRIVE = Sentence("volume {number} is at '{path}', which is not on {drive}")
NO_WORKLOAD = Sentence("volume {number} has the unknown workload '{workload}'")
NOT_MADE = Sentence("volume {number} has the filesystem '{filesystem}', which diskwright cannot create")
LABEL_FAULT = Sentence("volume {number} has the label '{label}', which {fault}")
UUID_FAULT = Sentence("volume {number} has the UUID '{uuid}', which {fault}")
OPTIONS_FAULT = Sentence("volume {number}: {fault}")
PLACE_FAULT = Sentence("volume {number} has the mount point '{place}', which {fault}")
ADDED_TO_OTHER = Sentence("the plan adds partitions to a table of type '{kind}'")
KEPT_CONTRADICT = t("the preserved partitions overlap or are outside the drive")
TABLE_ELSEWHERE = Sentence("the plan writes a table on '{device}' instead of {drive}")
OTHER_TABLE = Sentence("the plan writes a {kind} table over a table of another type")
PARTITIONS_DIFFER = t("the new partitions do not match the volumes")
MBR_PRIMARY = t("an MBR has four primary partitions")
BEFORE_BEYOND = t("the initial layout exceeds the limits of a table")
OTHER_TYPE = Sentence("partition {number} has the type '{type}', which does not match the volume")
OUTSIDE = Sentence("partition {number} is outside the usable range of the drive")
NOT_ALIGNED = Sentence("partition {number} is not aligned")
NEW_OVERLAP = t("two new partitions overlap")
KEPT_OVERLAP = t("a new partition overlaps a preserved partition")
TABLE_DIFFERS = t("the table does not match the volumes and the preserved partitions")
DANGER_IN_SYSTEM = Sentence("has {danger}, which puts data at risk, on a system volume")
DANGER_UNSAID = Sentence("has {danger}, which puts data at risk, without a warning")

# Faults of labels, mount points and options: ends of sentences, or clauses.
BLOCKS_FAULT = Sentence("blocks of {logical} and {physical} bytes do not support partitions")
OFFSET_FAULT = Sentence("an alignment offset of {offset} bytes is impossible with blocks of {logical} bytes")
IO_FAULT = t("the recommended I/O sizes are out of range")
EMPTY = t("is empty")
CONTROLS = t("contains control characters")
BLANK_END = t("begins or ends with a space")
SLASH = t("contains a slash")
LONG_LABEL = Sentence("is longer than the {most} bytes of a {filesystem} label")
LONG_NAME = Sentence("is longer than the {most} characters of a partition name")
TOO_LONG = t("is too long")
NOT_ABSOLUTE = t("is not an absolute path")
NOT_PLAIN = t("is not in plain form (no //, no . or .., no trailing slash)")
HIDES_SYSTEM = t("would hide files required by the running system")
NEVER_MOUNTED = Sentence("is not possible for {filesystem}, which is never mounted; use {none} to enable it")
SYSTEMS_OWN = t("belongs to the system and is writable by root only")
NO_WRITER = t("has an invalid writer")
NO_MOUNT_OPTIONS = Sentence("{filesystem} is never mounted and has no mount options")
NO_MKFS_OPTION = Sentence("diskwright does not pass option '{option}' to {tool}")
MKFS_VALUE = Sentence("diskwright does not allow the value '{value}' for {option}")
MKFS_ELSEWHERE = Sentence("{option} {key} could refer to something other than the partition")
NO_MOUNT_OPTION = Sentence("diskwright does not pass mount option '{option}'")
MOUNT_ELSEWHERE = Sentence("'{option}' would change the action of mount")
NO_SERIAL = Sentence("is not a serial number of {digits} digits")
UUID_FORM = t("is not in plain lower-case form")
NO_UUID = t("is not a UUID")

# Why planning is not possible.
ZONED_NO_TABLE = Sentence("{drive} is a host-managed zoned drive and cannot have any partition table.")
ZONED_NO_PARTITIONS = Sentence("{drive} is a host-managed zoned drive and cannot be partitioned.")
ZONED_FULL = Sentence(
    "{drive} is a host-managed zoned drive and cannot be partitioned. Cannot add to the existing contents."
)
ZONED_ONE = Sentence(
    "{drive} is a host-managed zoned drive and cannot be partitioned. Request one volume without a size."
)
ZONED_NO_ROLE = Sentence("{drive} is a host-managed zoned drive and cannot be partitioned. Omit the role.")
ZONED_NOT_MADE = Sentence(
    "Cannot create {filesystem} on {drive}: host-managed zones accept only "
    "sequential writes. Only {zoned} in zoned mode works there."
)
GROUP_NOT_ENCRYPTED = t("Encryption inside a volume group is not supported.")
OBSTACLES = Sentence("Cannot create {filesystem} here: {obstacles:row}")
OPTIONS_REFUSED = Sentence("Cannot use the options recommended for {filesystem}: {fault}.")
MBR_FULL = Sentences(
    "The MBR of {drive} has {there} of at most 4 primary partitions, but {count} "
    "more was requested. Only a GPT supports more. --replace creates a GPT and "
    "erases everything.",
    "The MBR of {drive} has {there} of at most 4 primary partitions, but {count} "
    "more were requested. Only a GPT supports more. --replace creates a GPT and "
    "erases everything.",
)
GPT_FULL = Sentences(
    "The GPT of {drive} has {there} of at most {most} partitions, but {count} more was requested.",
    "The GPT of {drive} has {there} of at most {most} partitions, but {count} more were requested.",
)
LACKING = Sentence(
    "The running kernel ({release}) lacks {name}, so {without}. Boot a kernel "
    "with {name}, or install the module."
)
NO_LVM = Sentence("LVM volumes are unavailable")
NO_CRYPT = Sentence("encrypted volumes cannot be opened")
NO_RAID0 = Sentence("md cannot stripe")
NO_RAID1 = Sentence("md cannot mirror")

# Doubts about a plan.
NO_LOOP = Sentence(
    "The running kernel ({release}) has no loop devices, so plans cannot be "
    "rehearsed. Every step runs directly on the drive, and formatting cannot be "
    "undone."
)
FORGOTTEN = t(
    "This system runs from an image or in memory and may lose the boot mount "
    "configuration on shutdown. Everything else remains on the drive."
)
IN_CONTAINER = t(
    "This system runs in a container, which rarely mounts drives from its own "
    "fstab at startup. Everything else remains on the drive."
)
ZONES_ALONE = t("resetting zones cannot be rehearsed")
GROUP_ALONE = t("a volume group across several drives cannot be rehearsed yet")
NOT_READ = t("The drive was not read during planning. Any contents will be lost.")
ZONES_WRITTEN = Sentences(
    "{count} written zone has unrecognised data. This data will be lost.",
    "{count} written zones have unrecognised data. This data will be lost.",
)
NO_IDENTITY = Sentence("The drive reports no serial number or WWN and is identified {how}.")
SHARED_IDENTITY = Sentence("The drive reports the same identifiers as {others:list} and is identified {how}.")
BY_COUNT = t("only by the kernel's drive counter, so the plan is valid until you unplug the drive or reboot")
BY_SIZE = t("only by size")
NO_ALIGNMENT = t(
    "The underlying devices are misaligned to each other, so no partition can be aligned for all of them."
)
ZONED_UNREAD = t("Cannot read whether the drive is zoned.")
MAY_BE_SHINGLED = t("Unknown if the drive is shingled (SMR). Shingled drives slow down during long writes.")
LEFT_BY_RUN = Sentence("{told} of run {run}")
NO_NODES = Sentence(
    "The kernel has no node for {parts:list}. Old signatures there are erased only where a new volume begins."
)


def who(writer: Writer) -> Message | str:
    """Return the display name of a writer."""
    match writer.kind:
        case "person":
            return printable(writer.name, 60)
        case "group":
            return THE_GROUP(name=printable(writer.name, 60))
        case "everyone":
            return EVERYONE
        case "root":
            return ROOT_ONLY
