"""The sentences of layouts."""

from wizard.model.names import printable
from wizard.model.operations.writer import Writer
from wizard.model.said import Said, Sentence

UNREAD = Sentence(
    "layout.unread",
    "{drives:and} was not read, so this plan cannot be applied.",
    "{drives:and} were not read, so this plan cannot be applied.",
)
AS_ROOT = Sentence("layout.as-root", "Make it as root:")
RECORD_AS_ROOT = Sentence(
    "layout.record-as-root", "Record the machine as root: sudo diskwright inspect --save FILE"
)
AGAIN_WITH_PLAN = Sentence("layout.again-with-plan", "Make it again with `diskwright plan`.")
AGAIN_AS_ROOT = Sentence("layout.again-as-root", "Make it again as root, when the drive can be read.")

FIXED = Sentence(
    "layout.fixed", "{file} cannot be written here, so {label} is not mounted: have your system mount it."
)
THE_GROUP = Sentence("layout.the-group", "the group {name}")
EVERYONE = Sentence("layout.everyone", "everyone")
ROOT_ONLY = Sentence("layout.root-only", "root only")
LET_WRITE = Sentence("layout.let-write", "Let {who} write to the filesystem on {device}.")
BELONGS = Sentence("layout.belongs", "The top of {device} belongs to {uid}:{gid}, mode {mode}.")
ROOTS_AGAIN = Sentence("layout.roots-again", "By `chown root:root` and `chmod 755`; no file is lost.")
VOLUME_WRITABLE = Sentence("layout.volume-writable", '"{label}" will be writable by {who}.')
CAN_WRITE = Sentence("layout.can-write", "{who} can write to {place}")

OTHERWISE = Sentence("layout.otherwise", "{fault}")
"""A fault that is told elsewhere."""

# Why a plan that was read is none that the planner makes: clauses of BROKEN.
BROKEN = Sentence(
    "layout.broken", "{where} does not hold together: {fault}. Make it again with `diskwright plan`."
)
ONE_AND_MORE = Sentence("layout.one-and-more", "it changes one partition, and more than that")
ENCRYPTS_ELSEWHERE = Sentence(
    "layout.encrypts-elsewhere", "it encrypts something other than a partition of one drive"
)
NOTHING_STRIPED = Sentence(
    "layout.nothing-striped",
    "it has several drives and stripes nothing over them",
)
WHOLE_ELSEWHERE = Sentence(
    "layout.whole-elsewhere", "it is for a whole drive without a table, and its volume is not"
)
WHOLE_NOT_ZONED = Sentence(
    "layout.whole-not-zoned", "{filesystem} without a partition table cannot live on zones"
)
AFTER_NOT_VOLUME = Sentence("layout.after-not-volume", "its layout after does not follow from its volume")
AFTER_NOT_CHANGE = Sentence(
    "layout.after-not-change", "its layout after does not follow from what it changes"
)
AFTER_NOT_TABLE = Sentence("layout.after-not-table", "its layout after does not follow from the table")
OTHER_FOR_VOLUME = Sentence("layout.other-for-volume", "its operations are not those that its volume needs")
OTHER_FOR_VOLUMES = Sentence("layout.other-for-volumes", "its operations are not those that its volumes need")
OTHER_FOR_CHANGE = Sentence("layout.other-for-change", "its operations are not those that the change needs")
NOT_CHANGEABLE = Sentence("layout.not-changeable", "partition {number} is not one that can be changed")
RENUMBERED = Sentence("layout.renumbered", "it would give logical partitions other numbers")
VOLUME_ELSEWHERE = Sentence("layout.volume-elsewhere", "its volume is not on the partition that it changes")
NOT_RESIZED = Sentence(
    "layout.not-resized", "partition {number} neither grows into free space nor gives up its end"
)
PARTIAL_BLOCKS = Sentence(
    "layout.partial-blocks",
    "partition {number} is no whole number of blocks",
)
NOT_RESIZABLE = Sentence(
    "layout.not-resizable", "partition {number} holds nothing that can be given that size"
)
LOGICAL_RESIZED = Sentence(
    "layout.logical-resized", "it changes the size of a logical partition, which is not done"
)
TABLES_WRITTEN = Sentence("layout.tables-written", "it writes {tables} tables instead of one")
NO_DRIVE = Sentence("layout.no-drive", "'{path}' is not a drive below /dev")
NO_SUCH_SIZE = Sentence("layout.no-such-size", "no drive has {size} bytes")
NO_VOLUME = Sentence("layout.no-volume", "it makes no volume")
GROUP_ELSEWHERE = Sentence("layout.group-elsewhere", "its volume group is not on one partition of one drive")
VOLUME_FAULT = Sentence("layout.volume-fault", "volume {number} {fault}")
SAME_NUMBER = Sentence("layout.same-number", "two volumes have the same number")
SAME_UUID = Sentence("layout.same-uuid", "two volumes have the same UUID")
NO_PARTITION = Sentence("layout.no-partition", "there is no partition number {number}")
OTHER_DRIVE = Sentence("layout.other-drive", "volume {number} is at '{path}', which is not on {drive}")
NO_WORKLOAD = Sentence("layout.no-workload", "volume {number} has the unknown workload '{workload}'")
NOT_MADE = Sentence(
    "layout.not-made", "volume {number} has the filesystem '{filesystem}', which diskwright does not make"
)
LABEL_FAULT = Sentence("layout.label-fault", "volume {number} has the label '{label}', which {fault}")
UUID_FAULT = Sentence("layout.uuid-fault", "volume {number} has the UUID '{uuid}', which {fault}")
OPTIONS_FAULT = Sentence("layout.options-fault", "volume {number}: {fault}")
PLACE_FAULT = Sentence("layout.place-fault", "volume {number} has the mount point '{place}', which {fault}")
ADDED_TO_OTHER = Sentence("layout.added-to-other", "it adds partitions to a table of kind '{kind}'")
KEPT_CONTRADICT = Sentence(
    "layout.kept-contradict", "the partitions that stay overlap or lie outside the drive"
)
TABLE_ELSEWHERE = Sentence("layout.table-elsewhere", "it writes a table on '{device}' instead of {drive}")
OTHER_TABLE = Sentence("layout.other-table", "it writes a table of kind {kind} over one of another kind")
PARTITIONS_DIFFER = Sentence("layout.partitions-differ", "its new partitions are not those of its volumes")
MBR_PRIMARY = Sentence("layout.mbr-primary", "an MBR has four primary partitions")
BEFORE_BEYOND = Sentence("layout.before-beyond", "its layout before reaches beyond what a table can hold")
OTHER_TYPE = Sentence(
    "layout.other-type",
    "partition {number} has the type '{type}', which does not fit its volume",
)
OUTSIDE = Sentence("layout.outside", "partition {number} lies outside the usable part of the drive")
NOT_ALIGNED = Sentence("layout.not-aligned", "partition {number} is not aligned")
NEW_OVERLAP = Sentence("layout.new-overlap", "two of its partitions overlap")
KEPT_OVERLAP = Sentence("layout.kept-overlap", "a new partition overlaps one that stays")
TABLE_DIFFERS = Sentence("layout.table-differs", "the table does not follow from its volumes and what stays")
DANGER_IN_SYSTEM = Sentence(
    "layout.danger-in-system", "has {danger}, which puts data at risk, and a system is to live on it"
)
DANGER_UNSAID = Sentence(
    "layout.danger-unsaid", "has {danger}, which puts data at risk, and no doubt says so"
)

# What a label, a mount point or an option may not be: each is the end of a sentence, or a clause.
BLOCKS_FAULT = Sentence(
    "layout.blocks-fault", "partitions cannot lie on blocks of {logical} and {physical} bytes"
)
OFFSET_FAULT = Sentence(
    "layout.offset-fault",
    "no block of {logical} bytes can begin at an alignment offset of {offset} bytes",
)
IO_FAULT = Sentence("layout.io-fault", "the sizes recommended for input and output are out of range")
EMPTY = Sentence("layout.empty", "is empty")
CONTROLS = Sentence("layout.controls", "holds control characters")
BLANK_END = Sentence("layout.blank-end", "begins or ends with a space")
SLASH = Sentence("layout.slash", "holds a slash")
LONG_LABEL = Sentence(
    "layout.long-label", "is longer than the {most} bytes that a label of {filesystem} can have"
)
LONG_NAME = Sentence("layout.long-name", "is longer than the {most} characters of a partition's name")
TOO_LONG = Sentence("layout.too-long", "is too long")
NOT_ABSOLUTE = Sentence("layout.not-absolute", "is not an absolute path")
NOT_PLAIN = Sentence("layout.not-plain", "is not in its plain form (no //, no . or .., no slash at the end)")
HIDES_SYSTEM = Sentence("layout.hides-system", "would hide what the running system needs")
NEVER_MOUNTED = Sentence(
    "layout.never-mounted", "is no place for {filesystem}, which is never mounted; {none} turns it on"
)
SYSTEMS_OWN = Sentence("layout.systems-own", "is the system's, and only root writes to it")
NO_WRITER = Sentence("layout.no-writer", "is given to nobody who could write to it")
NO_MOUNT_OPTIONS = Sentence(
    "layout.no-mount-options", "{filesystem} is mounted nowhere, and has no mount options"
)
NO_MKFS_OPTION = Sentence("layout.no-mkfs-option", "'{option}' is no option that diskwright hands to {tool}")
MKFS_VALUE = Sentence(
    "layout.mkfs-value", "{option} has the value '{value}', which diskwright does not hand on"
)
MKFS_ELSEWHERE = Sentence(
    "layout.mkfs-elsewhere", "{option} {key} could reach another place than the partition"
)
NO_MOUNT_OPTION = Sentence("layout.no-mount-option", "'{option}' is no mount option that diskwright hands on")
MOUNT_ELSEWHERE = Sentence("layout.mount-elsewhere", "'{option}' would make mount do something else")
NO_SERIAL = Sentence("layout.no-serial", "is no serial number of {digits} digits")
UUID_FORM = Sentence("layout.uuid-form", "is not in its plain lower-case form")
NO_UUID = Sentence("layout.no-uuid", "is no UUID")

# Why something cannot be planned.
ZONED_NO_TABLE = Sentence(
    "layout.zoned-no-table",
    "{drive} is a host-managed zoned drive, which takes no partition table of any kind.",
)
ZONED_NO_PARTITIONS = Sentence(
    "layout.zoned-no-partitions", "{drive} is a host-managed zoned drive, which takes no partitions."
)
ZONED_FULL = Sentence(
    "layout.zoned-full",
    "{drive} is a host-managed zoned drive, which takes no partitions: nothing can be added to what it "
    "holds.",
)
ZONED_ONE = Sentence(
    "layout.zoned-one",
    "{drive} is a host-managed zoned drive, which takes no partitions: ask for one volume without a size.",
)
ZONED_NO_ROLE = Sentence(
    "layout.zoned-no-role",
    "{drive} is a host-managed zoned drive, which takes no partitions: its volume cannot have a role.",
)
ZONED_NOT_MADE = Sentence(
    "layout.zoned-not-made",
    "{filesystem} cannot be made on {drive}: the zones of a host-managed drive are written in order only. "
    "Only {zoned} in its zoned mode can live on it.",
)
GROUP_NOT_ENCRYPTED = Sentence(
    "layout.group-not-encrypted",
    "Within a volume group nothing is encrypted.",
)
OBSTACLES = Sentence("layout.obstacles", "{filesystem} cannot be made here: {obstacles:row}")
OPTIONS_REFUSED = Sentence(
    "layout.options-refused", "The options recommended for {filesystem} cannot be taken: {fault}."
)
MBR_FULL = Sentence(
    "layout.mbr-full",
    "The MBR of {drive} has room for 4 primary partitions and has {there}; {count} more was asked for. Only "
    "a GPT holds more: --replace makes one, and erases everything.",
    "The MBR of {drive} has room for 4 primary partitions and has {there}; {count} more were asked for. Only "
    "a GPT holds more: --replace makes one, and erases everything.",
)
GPT_FULL = Sentence(
    "layout.gpt-full",
    "The GPT of {drive} has room for {most} partitions and has {there}; {count} more was asked for.",
    "The GPT of {drive} has room for {most} partitions and has {there}; {count} more were asked for.",
)
LACKING = Sentence(
    "layout.lacking",
    "The running kernel ({release}) has no {name}, without which {without}: boot one that has, or install "
    "its module.",
)
NO_LVM = Sentence("layout.no-lvm", "LVM's volumes are not possible")
NO_CRYPT = Sentence("layout.no-crypt", "no encrypted volume can be opened")
NO_RAID0 = Sentence("layout.no-raid0", "md stripes nothing")
NO_RAID1 = Sentence("layout.no-raid1", "md mirrors nothing")

# What is doubtful about a plan.
NO_LOOP = Sentence(
    "layout.no-loop",
    "The running kernel ({release}) has no loop devices, so nothing is tried out on a stand-in. Every step "
    "runs on the drive itself, and what it formats cannot be put back.",
)
FORGOTTEN = Sentence(
    "layout.forgotten",
    "This system runs from an image or in memory. It may forget at its end what is to be mounted at every "
    "boot; the drive keeps all else.",
)
IN_CONTAINER = Sentence(
    "layout.in-container",
    "This system runs in a container, whose start seldom mounts a drive by its own fstab. "
    "The drive keeps all else.",
)
ZONES_ALONE = Sentence("layout.zones-alone", "emptying zones cannot be tried out elsewhere")
GROUP_ALONE = Sentence(
    "layout.group-alone", "a volume group over several drives cannot be tried out elsewhere yet"
)
NOT_READ = Sentence(
    "layout.not-read",
    "What the drive holds was not read when this was planned: whatever it is, it will be lost.",
)
ZONES_WRITTEN = Sentence(
    "layout.zones-written",
    "{count} zone was written to, and nothing is recognised in it: whatever it is, it will be lost.",
    "{count} zones were written to, and nothing is recognised in them: whatever it is, it will be lost.",
)
NO_IDENTITY = Sentence(
    "layout.no-identity", "The drive tells no serial number and no WWN, so it is known {how}."
)
SHARED_IDENTITY = Sentence(
    "layout.shared-identity",
    "The drive tells the same numbers as {others:list}, so it is known {how}.",
)
BY_COUNT = Sentence(
    "layout.by-count",
    "only by the kernel's count of drives: the plan holds until it is unplugged or the machine restarts",
)
BY_SIZE = Sentence("layout.by-size", "by its size alone")
NO_ALIGNMENT = Sentence(
    "layout.no-alignment",
    "The devices beneath this one are misaligned to each other: no partition can be aligned for all of them.",
)
ZONED_UNREAD = Sentence("layout.zoned-unread", "Whether the drive is zoned could not be read.")
MAY_BE_SHINGLED = Sentence(
    "layout.may-be-shingled",
    "Whether the drive is shingled is not known; a shingled one slows down under long writing.",
)
LEFT_BY_RUN = Sentence("layout.left-by-run", "{told} of the run {run}")
NO_NODES = Sentence(
    "layout.no-nodes",
    "The kernel has no node for {parts:list}: old marks there are only erased where a new volume begins.",
)


def who(writer: Writer) -> Said | str:
    """The writer as a person is told: a name, or what stands for it."""
    match writer.kind:
        case "person":
            return printable(writer.name, 60)
        case "group":
            return THE_GROUP(name=printable(writer.name, 60))
        case "everyone":
            return EVERYONE()
        case "root":
            return ROOT_ONLY()
