"""Messages about the recording technology of a drive: clues, conclusions and contradictions."""

from wizard.model.said import Sentence, t

# Sources of clues.
KERNEL = t("the kernel's queue/zoned")
PAGE = t("SCSI VPD page B1h, byte 8, bits 5:4")
WORD = t("IDENTIFY word 69, bits 1:0")
SMARTCTL = t("smartctl, the drive's zoned capability")
DATABASE = t("smartmontools' drive database")
SMARTCTL_AND_DATABASE = t("smartctl and its drive database")
DISCARD = t("rotational, and discard (TRIM)")
MODELS = Sentence("model list from {source}")
OWN_LIST = t("the user's own list")
QUICK_TEST = t("the quick test")
OWN_ROTATION = t("the drive's rotation rate (IDENTIFY word 217, or smartctl)")
KERNELS_ROTATION = t("/sys/block/*/queue/rotational")

# Contents of clues.
STATED = Sentence("{management}")
STATED_BITS = Sentence("{bits}: {management}")
NOT_REPORTED = t("not reported")
BITS_NOT_REPORTED = Sentence("{bits}: not reported")
AS_MANAGED_TOO = Sentence("{zoned}, as drive-managed drives also report")
FAMILY = Sentence("{family}")
FAMILY_SILENT = Sentence("{family}, stating neither")
NO_USE_FOR_TRIM = t("hard disks that are not shingled do not need TRIM")
LISTED = Sentence("{management}")
LISTED_FAMILY = Sentence("{family}: {management}")
REPORTED = Sentence("reported as {management}")
REPORTED_FAMILY = Sentence("{family}: reported as {management}")
PROBED_LIKELY = Sentence("written data is read from another place (this test is unconfirmed on real drives)")
PROBED_NOTHING = t("no evidence found, which is not proof")
PROBED_IN_VAIN = t("inconclusive")
NOTHING_TURNS = t("no rotation, so no overlapping tracks")

# Reasons for unavailable sources.
NOT_ASKED = Sentence("not available: {why}")
NO_ZONES = t("this kernel does not support zones")
BRIDGE_NOT_ASKED = t("the kernel queries few USB bridges, and not this one")
NO_PAGE = t("the drive or kernel does not provide this page")
BRIDGE_SILENT = t("this USB bridge does not pass on the drive's reports")
KERNEL_SILENT = t("this kernel does not pass on the drive's reports (Linux 5.5 and later do)")

# The verdict.
CLUE = Sentence("{source}: {says}")
SOURCE_SAYS = Sentence("{source}: {says}")
SOURCE_AND_WHY = Sentence("{source} ({says})")
LIKELY = Sentence("{drive} is likely shingled ({clues:semicolons}).")
HOST_AWARE = Sentence("{drive} is shingled and host-aware ({clues:semicolons}).")
SHINGLED = Sentence("{drive} is shingled and drive-managed ({clues:semicolons}).")
WHY_SHINGLED = t(
    "Tracks overlap: random writes are cached, and later rewritten in whole "
    "bands. When the cache is full, writes become very slow. As a file server, "
    "ext4 reached 52.7 operations a second on a shingled drive, and 142.3 on a "
    "conventional one."
)
STUDY = t("a comparison of filesystems on a Seagate ST8000AS0002 and a conventional Toshiba")
SHINGLED_REMEDY = t(
    "The recording method cannot be changed. Use the drive for large, write-once "
    "files, mounted with noatime. Avoid databases, virtual machines and parity "
    "arrays."
)
HOST_MANAGED = Sentence(
    "{drive} is host-managed: each zone requires sequential writes from the start ({clues:semicolons})."
)
HOST_MANAGED_WHY = t(
    "The kernel refuses partitions on this drive, and ext4 does not support it. Out-of-order writes fail."
)
HOST_MANAGED_SOURCE = t("Linux, block/partitions/core.c and Documentation/block (zoned devices)")
HOST_MANAGED_REMEDY = Sentence(
    "Use the whole drive for Btrfs in zoned mode, without partitions. "
    "`diskwright advise {drive} --workload ID` checks support in this kernel and "
    "tools, and lists alternatives."
)

# Unknown recording method.
UNKNOWN = Sentence("Unknown if {drive} is shingled (SMR): the drive does not report this.")
UNKNOWN_LISTED = Sentence(
    "No source reports {drive} as shingled (SMR), and it is listed as conventional ({clues:semicolons})."
)
UNKNOWN_UNHEARD = Sentence("Unknown if {drive} is shingled (SMR). Unavailable sources: {sources:semicolons}.")
UNKNOWN_WHY = t(
    "Some shingled drives do not report this (ST8000AS0002, MQ04UBB400): a "
    "missing report does not prove a conventional drive."
)
UNHEARD = Sentence("Unavailable sources: {clues:semicolons}.")
UNKNOWN_SOURCE = t(
    "the kernel, VPD page B1h, IDENTIFY data, smartctl, discard and the model list, if available"
)
UNKNOWN_REMEDY = Sentence(
    "Look up the model at the manufacturer and add the result to "
    "/etc/diskwright/drives; one line is enough. With free space, `diskwright "
    "bench {drive} --scratch --shingled --quick` tests the drive in a minute. "
    "Without `--quick`, the test looks for the slowdown of a shingled drive."
)

# Contradictions.
CONTRADICTION = Sentence("Sources disagree about the recording method of {drive}: {clues:semicolons}.")
BELIEVED = Sentence(
    "{source} is used: the drive ranks first, then the manufacturer and smartmontools, then others."
)
BELIEVED_FOR_NOW = Sentence("{source} is used for now as the stronger source, but is not proof.")
NONE_BELIEVED = t(
    "The sources are equally strong, so the drive counts as unknown. One model number can be either kind."
)
HIGHEST_BELIEVED = Sentence("{source} is used: it ranks highest among the sources on zone management.")
CONTRADICTION_SOURCE = t("the ranked evidence, with confidence shown by `diskwright inspect --json`")
CONTRADICTION_REMEDY = t(
    "Look up the exact model number on the label at the manufacturer. Until "
    "then, treat the drive as shingled: that costs little if wrong."
)

# Rotation.
TURNS_AS_DISK = Sentence(
    "The kernel reports {drive} as having no moving parts, but the drive reports {rate} rpm."
)
SOLID_AS_DISK = Sentence(
    "The kernel reports {drive} as a hard disk, but the drive reports a solid-state drive."
)
ROTATION_WHY = t(
    "The drive's report is used: enclosures and controllers often omit it, and root can set queue/rotational."
)
ROTATION_SOURCE = t("queue/rotational in sysfs, against IDENTIFY word 217 or smartctl")
ROTATION_REMEDY = Sentence(
    "`echo {turns} > /sys/block/{name}/queue/rotational` corrects the kernel "
    "until the next reboot. Conclusions about the recording method do not depend "
    "on this setting."
)

# Blocks.
LARGER_BLOCKS = Sentence("{drive} reports {own}-byte blocks, but the kernel uses {kernels}-byte blocks.")
LARGER_BLOCKS_WHY = t(
    "An intermediate layer hides the larger blocks. Partitions aligned for the "
    "kernel may be misaligned on the drive."
)
LARGER_BLOCKS_REMEDY = t(
    "No action needed for diskwright layouts, which start on a whole MiB. In "
    "other tools, specify starts in MiB."
)
SHIFTED = Sentence("{drive} reports an alignment offset of {own} bytes, but the kernel reports {kernels}.")
SHIFTED_WHY = t(
    "An intermediate layer hides the offset, which a jumper on the drive causes. "
    "Blocks aligned for the kernel then straddle two physical blocks."
)
SHIFTED_REMEDY = Sentence(
    "Remove the jumper before storing any data, or attach the drive without the "
    "bridge. `diskwright bench {drive}` measures which value is right."
)
BLOCKS_SOURCE = t("physical_block_size and alignment_offset in sysfs, against IDENTIFY words 106 and 209")

# Unread facts.
NAMES = {
    "drive": Sentence("the drive"),
    "size_bytes": Sentence("size"),
    "geometry": Sentence("block sizes"),
    "table": Sentence("partition table"),
    "partitions": Sentence("partitions"),
    "signatures": Sentence("contents of the drive and partitions"),
    "uses": Sentence("current use"),
    "free": Sentence("free space"),
    "content_digest": Sentence("checksum of the contents"),
    "contents": Sentence("drive contents"),
    "notice": Sentence("waiting run, if any"),
    "layers": Sentence("storage layers (LUKS, LVM, md)"),
    "zones": Sentence("zones"),
    "smart": Sentence("health (SMART)"),
    "ata": Sentence("identity (ATA)"),
    "nvme_formats": Sentence("block formats (NVMe)"),
}
"""Names of the fields that the probe can fail to read."""


NOTHING_TO_DO = t("No action needed.")
NAMED = Sentence("{path} ({kind})")

TWO_BLOCKS = t(
    "A full filesystem block straddles physical blocks: for each write, the "
    "drive must read, modify and rewrite two."
)
LIARS = t(
    "Some drives with 4096-byte blocks report 512-byte blocks (WD10EARS, "
    "HD204UI). On such drives, every write here is slow."
)
