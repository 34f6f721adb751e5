"""What is said of a drive that is not planned for, or has too little room."""

from wizard.model.said import Sentence

MOUNTED = Sentence("layout.room.mounted", "{subject} is mounted at {by}; unmount it first")
SWAP = Sentence("layout.room.swap", "{subject} is in use as swap; end that with swapoff first")
HELD = Sentence("layout.room.held", "{subject} is held by {by}; close that first")
LOOP = Sentence("layout.room.loop", "{subject} lies behind the loop device {by}; detach that first")
IN_RAID = Sentence("layout.room.in-raid", "{subject} is part of the running RAID {by}; stop that first")
RUNNING_SYSTEM = Sentence(
    "layout.room.running-system", "{subject} is part of the running system ({by}); choose another drive"
)
OPENED = Sentence("layout.room.opened", "{subject} is held open by another program; end that first")
OTHER_USE = Sentence("layout.room.other-use", "{subject} is in use by {by}; end that first")
IN_USE = Sentence("layout.room.in-use", "{drive} is in use: {how}.")
NOT_IN_USE = Sentence("layout.room.not-in-use", "Nothing is planned for a drive in use.")

READ_ONLY = Sentence(
    "layout.room.read-only",
    "{drive} is read-only: its lock switch is on, or a run waits there (`diskwright status` tells).",
)
SIZE = Sentence("layout.room.size", "size")
BLOCK_SIZE = Sentence("layout.room.block-size", "block size")
UNMEASURED = Sentence(
    "layout.room.unmeasured",
    "The {what} of {drive} could not be read. Nothing can be planned without it.",
)
UNMEASURED_WHY = Sentence(
    "layout.room.unmeasured-why",
    "The {what} of {drive} could not be read: {why} Nothing can be planned without it.",
)
UNUSABLE = Sentence(
    "layout.room.unusable",
    "The kernel gives {drive} no size: `diskwright inspect {drive}` says what that means.",
)
NO_SIZE = Sentence("layout.room.no-size", "{drive} has no size: insert a medium, or check its cable.")
NO_LAYOUT = Sentence("layout.room.no-layout", "{drive} cannot be laid out: {fault}.")

MAY_HOLD = Sentence("layout.room.may-hold", "{drive} was not read, so it may not be empty. {why}")
ERASE = Sentence("layout.room.erase", "Say --replace to erase it all.")
NOT_EMPTY = Sentence(
    "layout.room.not-empty",
    "{drive} is not empty: it holds {what}. Say --replace to erase everything on it.",
)
NOT_EMPTY_OR_FREE = Sentence(
    "layout.room.not-empty-or-free",
    "{drive} is not empty: it holds {what}. Say --replace to erase everything on it, or --use-free to keep "
    "every partition and use only free space.",
)
WAITING = Sentence(
    "layout.room.waiting",
    "{drive} is not empty, though it looks so: the run {run} waits on it. `diskwright inspect {drive}` tells "
    "how to put that to use. Replacing everything (--replace) erases it.",
)
HALF_MOVED = Sentence(
    "layout.room.half-moved",
    "{part} is in the middle of a move, with everything in it. `sudo diskwright resume` goes on; on another "
    "computer `sudo diskwright resume --from-drive {drive}`.",
)
NOTHING_ADDED = Sentence("layout.room.nothing-added", "Nothing can be added there: {why}")
LEFT_RUN = Sentence(
    "layout.room.left-run",
    "The run {run} was left on the drive: whatever of it is whole, it will be lost.",
)
TAKES_ROOT = Sentence("layout.room.takes-root", "Reading it takes root.")
REASON_UNKNOWN = Sentence("layout.room.reason-unknown", "The reason is not known.")

ON_DRIVE = Sentence("layout.room.on-drive", "{kind} on the whole drive")
A_TABLE = Sentence(
    "layout.room.a-table",
    "a table ({kind}) with {count} partition",
    "a table ({kind}) with {count} partitions",
)
OF_RUN = Sentence("layout.room.of-run", "what the run {run} left there")
ZONES = Sentence(
    "layout.room.zones",
    "{count} zone that was written to, with nothing that is recognised",
    "{count} zones that were written to, with nothing that is recognised",
)
PARTITIONS = Sentence("layout.room.partitions", "partitions")
UNRECOGNISED = Sentence("layout.room.unrecognised", "nothing recognised")
PART = Sentence("layout.room.part", "{part} ({content}, {size:size})")
NAMED = Sentence("layout.room.named", "{holds:and}: {parts:list}")
NAMED_MORE = Sentence("layout.room.named-more", "{holds:and}: {parts:list} and {more} more")
UNNAMED = Sentence("layout.room.unnamed", "{holds:and}")

NOT_KEPT = Sentence("layout.room.not-kept", "{drive} was not read, so nothing can be kept safely. {why}")
NO_TABLE = Sentence(
    "layout.room.no-table",
    "{drive} has no partition table to add to: it holds {what}. Only --replace can set it up, and erases "
    "that.",
)
CONTRADICTION = Sentence(
    "layout.room.contradiction",
    "{drive} holds {what}: these contradict each other. Settle which is right, or say --replace.",
)
HYBRID = Sentence(
    "layout.room.hybrid",
    "{drive} has a hybrid table: its GPT and its MBR name different partitions. Adding would break one of "
    "the two. Only --replace can set the drive up.",
)
OTHER_TABLE = Sentence(
    "layout.room.other-table",
    "{drive} has a table of a kind that diskwright does not add to. Only --replace can set it up.",
)
GPT_DAMAGED = Sentence(
    "layout.room.gpt-damaged",
    "The GPT at the start of {drive} is damaged: repair it from its backup first (gdisk: r, b, w).",
)
BACKUP_FAULT = Sentence(
    "layout.room.backup-fault",
    "The backup GPT of {drive} is {state}: repair it first (`sgdisk --move-second-header {drive}`).",
)
UNUSUAL_GPT = Sentence(
    "layout.room.unusual-gpt",
    "The GPT of {drive} keeps its entries in an unusual place or form, as some boards' boot loaders need it. "
    "Writing it again would move them over what lies there. Add the partition with the tool that made the "
    "table, or say --replace.",
)
TABLE_STAYS = Sentence(
    "layout.room.table-stays",
    "The table of {drive} stays as it is: a new MBR is only made where everything is replaced.",
)
MBR_ROOM = Sentence(
    "layout.room.mbr-room",
    "An MBR has room for {most} partitions, and {asked} were asked for. A GPT holds {gpt}.",
)
MBR_REACH = Sentence(
    "layout.room.mbr-reach",
    "An MBR counts blocks in 32 bits. It reaches {reach:size} of {drive}, which has {size:size}: the rest "
    "would be lost to it. A GPT reaches all of it.",
)
OVERLAP = Sentence(
    "layout.room.overlap",
    "Partitions {first} and {second} of {drive} overlap: nothing is added to a table that contradicts "
    "itself.",
)
LOOSE = Sentence(
    "layout.room.loose",
    "Partition {number} of {drive} is a logical one outside of the extended one: nothing is added to such a "
    "table.",
)
OUTSIDE = Sentence(
    "layout.room.outside",
    "{part} lies outside of what the table of {drive} says can be used: nothing is added to such a table.",
)
NO_BYTES = Sentence(
    "layout.room.no-bytes", "{part} has no bytes in the table of {drive}: nothing is added to such a table."
)
UPON_TABLE = Sentence(
    "layout.room.upon-table",
    "{part} lies upon the partition table of {drive} itself: nothing is added to such a table.",
)
BEYOND = Sentence(
    "layout.room.beyond",
    "{part} reaches beyond the end of {drive}: the table does not fit this drive, so nothing is added to it.",
)
TYPE_UNREAD = Sentence(
    "layout.room.type-unread", "The type of {part} could not be read, so it could not be kept as it is."
)
KERNEL_DIFFERS = Sentence(
    "layout.room.kernel-differs",
    "The kernel sees {part} elsewhere than the table says: run `partprobe {drive}` or restart, then plan "
    "again.",
)

TOO_SMALL = Sentence(
    "layout.room.too-small",
    "The volume {name} with {size:exact} is too small: it needs at least {least:exact}.",
)
TOO_LARGE = Sentence(
    "layout.room.too-large",
    "The volume {name} needs {wanted}, and {free:size} ({free} bytes) can be used.",
)
AT_LEAST = Sentence("layout.room.at-least", "at least {size:exact}")
LARGEST_PIECE = Sentence("layout.room.largest-piece", "The largest piece has {size:size}.")
OTHERS_TAKE = Sentence("layout.room.others-take", "The other volumes take {size:size} of it.")
ASK_LESS = Sentence("layout.room.ask-less", "Ask for less.")
NOT_ACTIVE = Sentence(
    "layout.room.not-active",
    "No partition of the MBR is marked as active (bootable), and a few old BIOSes start from no such drive. "
    "Boot loaders that lie in the MBR itself do not need the mark. Once the system is installed, `sfdisk "
    "--activate {drive} {number}` sets it.",
)
