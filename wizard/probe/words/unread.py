"""Why something could not be read.

Each reason is a whole sentence. What the system or another program says is a value of it.
"""

from wizard.model.said import Sentence

AS_RECORDED = Sentence("probe.unread.as-recorded", "{text}")
"""A reason in a recording that is older than these codes."""

# Whoever is not root.
ROOT_READS = Sentence("probe.unread.root-reads", "Reading the device needs root.")
ROOT_READS_LAYERS = Sentence("probe.unread.root-reads-layers", "Reading the layers on the drive needs root.")
ROOT_ASKS = Sentence("probe.unread.root-asks", "Asking the drive about its health needs root.")
ROOT_SEES_MOUNTS = Sentence(
    "probe.unread.root-sees-mounts", "Seeing the mounts of other users' namespaces needs root."
)

# What the system answers.
GONE = Sentence("probe.unread.gone", "The kernel no longer has the drive.")
NO_SIZE = Sentence("probe.unread.no-size", "The drive is empty: the device has no size.")
NO_MEDIUM = Sentence("probe.unread.no-medium", "No medium is inserted.")
REFUSED = Sentence("probe.unread.refused", "The kernel refuses to open {device}: {why}.")
FAILED = Sentence("probe.unread.failed", "{device} could not be read: {why}.")
BYTE = Sentence("probe.unread.byte", "Byte {byte} of {device} could not be read: {why}.")
NOTICE = Sentence("probe.unread.notice", "Whether a run waits on {device} could not be read: {why}.")
ZONES = Sentence("probe.unread.zones", "The zones of {device} could not be read: {why}.")
IDENTIFY = Sentence("probe.unread.identify", "The drive answered Identify with NVMe status {status}.")

# libblkid.
BLKID_OPENS = Sentence("probe.unread.blkid-opens", "libblkid could not open {device}: {why}.")
BLKID_READS = Sentence("probe.unread.blkid-reads", "libblkid could not read {device}: {why}.")
BLKID_READS_TABLE = Sentence(
    "probe.unread.blkid-reads-table", "libblkid could not read the table of {device}: {why}."
)

# What is left alone.
MANY_SUPERBLOCKS = Sentence(
    "probe.unread.many-superblocks",
    "The superblocks on the drive are larger than any in use. The rest of them is not read.",
)
MANY_LAYERS = Sentence("probe.unread.many-layers", "Only the first {most} layers are looked at.")
MANY_TO_READ = Sentence("probe.unread.many-to-read", "Only the first {most} layers are read.")
SUSPENDED = Sentence("probe.unread.suspended", "{device} is suspended, and a read of it would not return.")

# The process that reads a drive.
NO_ANSWER = Sentence("probe.unread.no-answer", "The drive did not answer within {seconds:g} s.")
OVER_TIME = Sentence(
    "probe.unread.over-time", "The drive did not answer within {seconds:g} s, and its probe was ended."
)
GARBAGE = Sentence("probe.unread.garbage", "The drive's probe printed garbage and was ended.")
NO_SENSE = Sentence("probe.unread.no-sense", "The drive's probe gave facts that make no sense.")
NO_RESULT = Sentence("probe.unread.no-result", "The drive's probe closed its output without a result.")
ENDED_BY_SIGNAL = Sentence("probe.unread.ended-by-signal", "The drive's probe was ended by signal {signal}.")
ENDED_WITH_STATUS = Sentence(
    "probe.unread.ended-with-status",
    "The drive's probe ended with status {status} and without a result.",
)
NO_TURN = Sentence("probe.unread.no-turn", "The probe's process ended before the drive's turn.")

# The table.
TABLE_LOST = Sentence(
    "probe.unread.table-lost",
    "Neither copy of the drive's GPT is whole, so that what stands on the drive is not known.",
)
MANY_PARTITIONS = Sentence(
    "probe.unread.many-partitions",
    "The table states {partitions} partitions, of which the first {most} are listed.",
)
OTHER_BLOCKS = Sentence(
    "probe.unread.other-blocks",
    "Its GPT was made for logical blocks of {other} bytes, and here the drive has blocks of {size}.",
)
CHAIN_BROKEN = Sentence(
    "probe.unread.chain-broken", "The chain of logical partitions breaks off at byte {start}."
)
CHAIN_RETURNS = Sentence(
    "probe.unread.chain-returns", "The chain of logical partitions returns to byte {start}."
)

# The drive's own word.
BAD_SUM = Sentence("probe.unread.bad-sum", "The drive's IDENTIFY data do not fit their own checksum.")
NO_DISK = Sentence("probe.unread.no-disk", "The drive's IDENTIFY data are not those of a disk.")
SMARTCTL_SAYS = Sentence("probe.unread.smartctl-says", "smartctl says: {said}.")
SLEEPS = Sentence("probe.unread.sleeps", "The drive sleeps ({mode}).")
SMARTCTL_UNREADABLE = Sentence("probe.unread.smartctl-unreadable", "smartctl gave nothing that can be read.")
