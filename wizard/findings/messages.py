"""How a drive records: the clues, what they come to, and where they contradict each other."""

from wizard.model.said import Sentence, t

# Where a clue was read.
KERNEL = t("queue/zoned of the kernel")
PAGE = t("SCSI VPD page B1h, byte 8, bits 5:4")
WORD = t("IDENTIFY word 69, bits 1:0")
SMARTCTL = t("smartctl, the drive's zoned capability")
DATABASE = t("smartmontools' drive database")
SMARTCTL_AND_DATABASE = t("smartctl and its drive database")
DISCARD = t("rotational, and discard (TRIM)")
MODELS = Sentence("list of models, after {source}")
OWN_LIST = t("the user's own list")
QUICK_TEST = t("the quick test")
OWN_ROTATION = t("the drive's own rotation rate (IDENTIFY word 217, or smartctl)")
KERNELS_ROTATION = t("/sys/block/*/queue/rotational")

# What it says.
STATED = Sentence("{management}")
STATED_BITS = Sentence("{bits}: {management}")
NOT_REPORTED = t("not reported")
BITS_NOT_REPORTED = Sentence("{bits}: not reported")
AS_MANAGED_TOO = Sentence("{zoned}, as drive-managed drives say too")
FAMILY = Sentence("{family}")
FAMILY_SILENT = Sentence("{family}, which says neither")
NO_USE_FOR_TRIM = t("hard disks that are not shingled have no use for TRIM")
LISTED = Sentence("{management}")
LISTED_FAMILY = Sentence("{family}: {management}")
REPORTED = Sentence("reported as {management}")
REPORTED_FAMILY = Sentence("{family}: reported as {management}")
PROBED_LIKELY = Sentence(
    "what is written is read from another place (no real drive has confirmed this test yet)"
)
PROBED_NOTHING = t("nothing found, which is no proof")
PROBED_IN_VAIN = t("it could not tell")
NOTHING_TURNS = t("nothing turns: there are no tracks to overlap")

# Why it could not be asked.
NOT_ASKED = Sentence("could not be asked: {why}")
NO_ZONES = t("this kernel does not know of zones")
BRIDGE_NOT_ASKED = t("the kernel asks few USB bridges for it, and not this one")
NO_PAGE = t("drive or kernel has no such page")
BRIDGE_SILENT = t("this USB bridge does not pass on the drive's own words")
KERNEL_SILENT = t("this kernel does not pass on the drive's own words (Linux 5.5 and later do)")

# The verdict.
CLUE = Sentence("{source}: {says}")
SOURCE_SAYS = Sentence("{source} says {says}")
SOURCE_AND_WHY = Sentence("{source} ({says})")
LIKELY = Sentence("{drive} is likely shingled ({clues:semicolons}).")
HOST_AWARE = Sentence("{drive} is shingled and host-aware ({clues:semicolons}).")
SHINGLED = Sentence("{drive} is shingled, and manages that by itself ({clues:semicolons}).")
WHY_SHINGLED = t(
    "Tracks overlap: random writes are gathered in a cache and rewritten in whole bands later. Once the "
    "cache is full, they crawl. As a file server, ext4 did 52.7 operations a second on a shingled drive, "
    "and 142.3 on a conventional one."
)
STUDY = t("a comparison of filesystems on a Seagate ST8000AS0002 and a conventional Toshiba")
SHINGLED_REMEDY = t(
    "The recording itself cannot be changed. Use the drive for large files written once, and mount it "
    "with noatime. Keep databases, virtual machines and parity arrays off it."
)
HOST_MANAGED = Sentence(
    "{drive} is host-managed: each zone must be written in order from its start ({clues:semicolons})."
)
HOST_MANAGED_WHY = t(
    "The kernel refuses partitions on it, and ext4 cannot live there. Writes out of order fail."
)
HOST_MANAGED_SOURCE = t("Linux, block/partitions/core.c and Documentation/block (zoned devices)")
HOST_MANAGED_REMEDY = Sentence(
    "Give the whole drive to Btrfs in its zoned mode, without partitions. `diskwright advise {drive} "
    "--workload ID` says whether this kernel and these tools can. It also says what else could live there."
)

# Not known.
UNKNOWN = Sentence("Not known whether {drive} is shingled (SMR): the drive does not say.")
UNKNOWN_LISTED = Sentence(
    "Nothing says that {drive} is shingled (SMR), and it is listed as conventional ({clues:semicolons})."
)
UNKNOWN_UNHEARD = Sentence(
    "Not known whether {drive} is shingled (SMR). These could not be asked: {sources:semicolons}."
)
UNKNOWN_WHY = t(
    "Some shingled drives do not say so (ST8000AS0002, MQ04UBB400): silence is no proof of a conventional "
    "drive."
)
UNHEARD = Sentence("Not heard: {clues:semicolons}.")
UNKNOWN_SOURCE = t(
    "the kernel, VPD page B1h, IDENTIFY data, smartctl, discard and the list of models, where they could "
    "be asked"
)
UNKNOWN_REMEDY = Sentence(
    "Look the model up at its maker, and put what you learn into /etc/diskwright/drives; one line is "
    "enough. With free space on it, `diskwright bench {drive} --scratch --shingled --quick` tests it in a "
    "minute. Without `--quick` it looks for a shingled drive's fall in speed."
)

# Contradictions.
CONTRADICTION = Sentence("The sources contradict each other about how {drive} records: {clues:semicolons}.")
BELIEVED = Sentence(
    "{source} is believed: the drive's own word counts most, then its maker's and smartmontools', then "
    "others'."
)
BELIEVED_FOR_NOW = Sentence("{source} is believed for now, as the stronger of the two, and not as a proof.")
NONE_BELIEVED = t(
    "None is believed: they are equally strong, so the drive counts as unknown. One model number can be "
    "of either kind."
)
HIGHEST_BELIEVED = Sentence(
    "{source} is believed: it stands highest of those that say who manages the zones."
)
CONTRADICTION_SOURCE = t("the ladder of clues, each shown with its confidence by `diskwright inspect --json`")
CONTRADICTION_REMEDY = t(
    "Read the exact model number off the label and look it up at its maker. Until then, treat the drive "
    "as shingled: that costs little if it is not."
)

# Whether it turns.
TURNS_AS_DISK = Sentence(
    "The kernel takes {drive} for a drive without moving parts; the drive says that it turns {rate} times "
    "a minute."
)
SOLID_AS_DISK = Sentence(
    "The kernel takes {drive} for a hard disk; the drive says that it is a solid-state drive."
)
ROTATION_WHY = t(
    "The drive is believed: enclosures and controllers often leave it out, and root can set queue/rotational."
)
ROTATION_SOURCE = t("queue/rotational in sysfs, against IDENTIFY word 217 or smartctl")
ROTATION_REMEDY = Sentence(
    "`echo {turns} > /sys/block/{name}/queue/rotational` corrects the kernel until the next start. What "
    "is concluded about the recording does not depend on it."
)

# How its blocks lie.
LARGER_BLOCKS = Sentence(
    "{drive} says that its blocks are {own} bytes; the kernel knows blocks of {kernels} bytes."
)
LARGER_BLOCKS_WHY = t(
    "Something between them hides the larger blocks. A partition that is aligned for the kernel may be "
    "misaligned on the drive."
)
LARGER_BLOCKS_REMEDY = t(
    "Nothing to do for layouts made here, which start on a whole MiB. Give other tools starts in MiB."
)
SHIFTED = Sentence(
    "{drive} says that its physical blocks begin {own} bytes from its start; the kernel says {kernels}."
)
SHIFTED_WHY = t(
    "Something between them hides the shift, which a jumper on the drive causes. What the kernel calls "
    "aligned then lies across two physical blocks."
)
SHIFTED_REMEDY = Sentence(
    "Take the jumper off before anything is stored, or attach the drive without the bridge. `diskwright "
    "bench {drive}` measures which of the two is right."
)
BLOCKS_SOURCE = t("physical_block_size and alignment_offset in sysfs, against IDENTIFY words 106 and 209")


# A run of diskwright that waits on the drive.

# Uses.

# What could not be read.
NAMES = {
    "drive": Sentence("the drive itself"),
    "size_bytes": Sentence("its size"),
    "geometry": Sentence("its block sizes"),
    "table": Sentence("the partition table"),
    "partitions": Sentence("the partitions"),
    "signatures": Sentence("what the drive and its partitions hold"),
    "uses": Sentence("what uses it"),
    "free": Sentence("its free space"),
    "content_digest": Sentence("a checksum of what it holds"),
    "contents": Sentence("what the drive holds"),
    "notice": Sentence("whether a run waits on it"),
    "layers": Sentence("what lies on it in layers (LUKS, LVM, md)"),
    "zones": Sentence("its zones"),
    "smart": Sentence("the drive's health (SMART)"),
    "ata": Sentence("its identity (ATA)"),
    "nvme_formats": Sentence("its block formats (NVMe)"),
}
"""What a person knows each field by that the probe can fail to read."""


NOTHING_TO_DO = t("Nothing to do.")
NAMED = Sentence("{path} ({kind})")

TWO_BLOCKS = t(
    "A write that fills a filesystem's block fills no physical block: the drive must read, change and "
    "write two."
)
LIARS = t(
    "Some drives report 512-byte blocks and have 4096-byte ones (WD10EARS, HD204UI). On those every write "
    "here is slow."
)
