"""How a drive records: the clues, what they come to, and where they contradict each other."""

from wizard.model.said import Sentence

# Where a clue was read.
KERNEL = Sentence("diagnose.recording.kernel", "queue/zoned of the kernel")
PAGE = Sentence("diagnose.recording.page", "SCSI VPD page B1h, byte 8, bits 5:4")
WORD = Sentence("diagnose.recording.word", "IDENTIFY word 69, bits 1:0")
SMARTCTL = Sentence("diagnose.recording.smartctl", "smartctl, the drive's zoned capability")
DATABASE = Sentence("diagnose.recording.database", "smartmontools' drive database")
SMARTCTL_AND_DATABASE = Sentence(
    "diagnose.recording.smartctl-and-database", "smartctl and its drive database"
)
DISCARD = Sentence("diagnose.recording.discard", "rotational, and discard (TRIM)")
MODELS = Sentence("diagnose.recording.models", "list of models, after {source}")
OWN_LIST = Sentence("diagnose.recording.own-list", "the user's own list")
QUICK_TEST = Sentence("diagnose.recording.quick-test", "the quick test")
OWN_ROTATION = Sentence(
    "diagnose.recording.own-rotation",
    "the drive's own rotation rate (IDENTIFY word 217, or smartctl)",
)
KERNELS_ROTATION = Sentence("diagnose.recording.kernels-rotation", "/sys/block/*/queue/rotational")

# What it says.
STATED = Sentence("diagnose.recording.stated", "{management}")
STATED_BITS = Sentence("diagnose.recording.stated-bits", "{bits}: {management}")
NOT_REPORTED = Sentence("diagnose.recording.not-reported", "not reported")
BITS_NOT_REPORTED = Sentence("diagnose.recording.bits-not-reported", "{bits}: not reported")
AS_MANAGED_TOO = Sentence("diagnose.recording.as-managed-too", "{zoned}, as drive-managed drives say too")
FAMILY = Sentence("diagnose.recording.family", "{family}")
FAMILY_SILENT = Sentence("diagnose.recording.family-silent", "{family}, which says neither")
NO_USE_FOR_TRIM = Sentence(
    "diagnose.recording.no-use-for-trim", "hard disks that are not shingled have no use for TRIM"
)
LISTED = Sentence("diagnose.recording.listed", "{management}")
LISTED_FAMILY = Sentence("diagnose.recording.listed-family", "{family}: {management}")
REPORTED = Sentence("diagnose.recording.reported", "reported as {management}")
REPORTED_FAMILY = Sentence("diagnose.recording.reported-family", "{family}: reported as {management}")
PROBED_LIKELY = Sentence(
    "diagnose.recording.probed-likely",
    "what is written is read from another place (no real drive has confirmed this test yet)",
)
PROBED_NOTHING = Sentence("diagnose.recording.probed-nothing", "nothing found, which is no proof")
PROBED_IN_VAIN = Sentence("diagnose.recording.probed-in-vain", "it could not tell")
NOTHING_TURNS = Sentence("diagnose.recording.nothing-turns", "nothing turns: there are no tracks to overlap")

# Why it could not be asked.
NOT_ASKED = Sentence("diagnose.recording.not-asked", "could not be asked: {why}")
NO_ZONES = Sentence("diagnose.recording.no-zones", "this kernel does not know of zones")
BRIDGE_NOT_ASKED = Sentence(
    "diagnose.recording.bridge-not-asked", "the kernel asks few USB bridges for it, and not this one"
)
NO_PAGE = Sentence("diagnose.recording.no-page", "drive or kernel has no such page")
BRIDGE_SILENT = Sentence(
    "diagnose.recording.bridge-silent", "this USB bridge does not pass on the drive's own words"
)
KERNEL_SILENT = Sentence(
    "diagnose.recording.kernel-silent",
    "this kernel does not pass on the drive's own words (Linux 5.5 and later do)",
)

# The verdict.
CLUE = Sentence("diagnose.recording.clue", "{source}: {says}")
SOURCE_SAYS = Sentence("diagnose.recording.source-says", "{source} says {says}")
SOURCE_AND_WHY = Sentence("diagnose.recording.source-and-why", "{source} ({says})")
LIKELY = Sentence("diagnose.recording.likely", "{drive} is likely shingled ({clues:semicolons}).")
HOST_AWARE = Sentence(
    "diagnose.recording.host-aware", "{drive} is shingled and host-aware ({clues:semicolons})."
)
SHINGLED = Sentence(
    "diagnose.recording.shingled", "{drive} is shingled, and manages that by itself ({clues:semicolons})."
)
WHY_SHINGLED = Sentence(
    "diagnose.recording.why-shingled",
    "Tracks overlap: random writes are gathered in a cache and rewritten in whole bands later. Once the "
    "cache is full, they crawl. As a file server, ext4 did 52.7 operations a second on a shingled drive, "
    "and 142.3 on a conventional one.",
)
STUDY = Sentence(
    "diagnose.recording.study",
    "a comparison of filesystems on a Seagate ST8000AS0002 and a conventional Toshiba",
)
SHINGLED_REMEDY = Sentence(
    "diagnose.recording.shingled-remedy",
    "The recording itself cannot be changed. Use the drive for large files written once, and mount it "
    "with noatime. Keep databases, virtual machines and parity arrays off it.",
)
HOST_MANAGED = Sentence(
    "diagnose.recording.host-managed",
    "{drive} is host-managed: each zone must be written in order from its start ({clues:semicolons}).",
)
HOST_MANAGED_WHY = Sentence(
    "diagnose.recording.host-managed-why",
    "The kernel refuses partitions on it, and ext4 cannot live there. Writes out of order fail.",
)
HOST_MANAGED_SOURCE = Sentence(
    "diagnose.recording.host-managed-source",
    "Linux, block/partitions/core.c and Documentation/block (zoned devices)",
)
HOST_MANAGED_REMEDY = Sentence(
    "diagnose.recording.host-managed-remedy",
    "Give the whole drive to Btrfs in its zoned mode, without partitions. `diskwright advise {drive} "
    "--workload ID` says whether this kernel and these tools can. It also says what else could live there.",
)

# Not known.
UNKNOWN = Sentence(
    "diagnose.recording.unknown", "Not known whether {drive} is shingled (SMR): the drive does not say."
)
UNKNOWN_LISTED = Sentence(
    "diagnose.recording.unknown-listed",
    "Nothing says that {drive} is shingled (SMR), and it is listed as conventional ({clues:semicolons}).",
)
UNKNOWN_UNHEARD = Sentence(
    "diagnose.recording.unknown-unheard",
    "Not known whether {drive} is shingled (SMR). These could not be asked: {sources:semicolons}.",
)
UNKNOWN_WHY = Sentence(
    "diagnose.recording.unknown-why",
    "Some shingled drives do not say so (ST8000AS0002, MQ04UBB400): silence is no proof of a conventional "
    "drive.",
)
UNHEARD = Sentence("diagnose.recording.unheard", "Not heard: {clues:semicolons}.")
UNKNOWN_SOURCE = Sentence(
    "diagnose.recording.unknown-source",
    "the kernel, VPD page B1h, IDENTIFY data, smartctl, discard and the list of models, where they could "
    "be asked",
)
UNKNOWN_REMEDY = Sentence(
    "diagnose.recording.unknown-remedy",
    "Look the model up at its maker, and put what you learn into /etc/diskwright/drives; one line is "
    "enough. With free space on it, `diskwright bench {drive} --scratch --shingled --quick` tests it in a "
    "minute. Without `--quick` it looks for a shingled drive's fall in speed.",
)

# Contradictions.
CONTRADICTION = Sentence(
    "diagnose.recording.contradiction",
    "The sources contradict each other about how {drive} records: {clues:semicolons}.",
)
BELIEVED = Sentence(
    "diagnose.recording.believed",
    "{source} is believed: the drive's own word counts most, then its maker's and smartmontools', then "
    "others'.",
)
BELIEVED_FOR_NOW = Sentence(
    "diagnose.recording.believed-for-now",
    "{source} is believed for now, as the stronger of the two, and not as a proof.",
)
NONE_BELIEVED = Sentence(
    "diagnose.recording.none-believed",
    "None is believed: they are equally strong, so the drive counts as unknown. One model number can be "
    "of either kind.",
)
HIGHEST_BELIEVED = Sentence(
    "diagnose.recording.highest-believed",
    "{source} is believed: it stands highest of those that say who manages the zones.",
)
CONTRADICTION_SOURCE = Sentence(
    "diagnose.recording.contradiction-source",
    "the ladder of clues, each shown with its confidence by `diskwright inspect --json`",
)
CONTRADICTION_REMEDY = Sentence(
    "diagnose.recording.contradiction-remedy",
    "Read the exact model number off the label and look it up at its maker. Until then, treat the drive "
    "as shingled: that costs little if it is not.",
)

# Whether it turns.
TURNS_AS_DISK = Sentence(
    "diagnose.recording.turns-as-disk",
    "The kernel takes {drive} for a drive without moving parts; the drive says that it turns {rate} times "
    "a minute.",
)
SOLID_AS_DISK = Sentence(
    "diagnose.recording.solid-as-disk",
    "The kernel takes {drive} for a hard disk; the drive says that it is a solid-state drive.",
)
ROTATION_WHY = Sentence(
    "diagnose.recording.rotation-why",
    "The drive is believed: enclosures and controllers often leave it out, and root can set "
    "queue/rotational.",
)
ROTATION_SOURCE = Sentence(
    "diagnose.recording.rotation-source",
    "queue/rotational in sysfs, against IDENTIFY word 217 or smartctl",
)
ROTATION_REMEDY = Sentence(
    "diagnose.recording.rotation-remedy",
    "`echo {turns} > /sys/block/{name}/queue/rotational` corrects the kernel until the next start. What "
    "is concluded about the recording does not depend on it.",
)

# How its blocks lie.
LARGER_BLOCKS = Sentence(
    "diagnose.recording.larger-blocks",
    "{drive} says that its blocks are {own} bytes; the kernel knows blocks of {kernels} bytes.",
)
LARGER_BLOCKS_WHY = Sentence(
    "diagnose.recording.larger-blocks-why",
    "Something between them hides the larger blocks. A partition that is aligned for the kernel may be "
    "misaligned on the drive.",
)
LARGER_BLOCKS_REMEDY = Sentence(
    "diagnose.recording.larger-blocks-remedy",
    "Nothing to do for layouts made here, which start on a whole MiB. Give other tools starts in MiB.",
)
SHIFTED = Sentence(
    "diagnose.recording.shifted",
    "{drive} says that its physical blocks begin {own} bytes from its start; the kernel says {kernels}.",
)
SHIFTED_WHY = Sentence(
    "diagnose.recording.shifted-why",
    "Something between them hides the shift, which a jumper on the drive causes. What the kernel calls "
    "aligned then lies across two physical blocks.",
)
SHIFTED_REMEDY = Sentence(
    "diagnose.recording.shifted-remedy",
    "Take the jumper off before anything is stored, or attach the drive without the bridge. `diskwright "
    "bench {drive}` measures which of the two is right.",
)
BLOCKS_SOURCE = Sentence(
    "diagnose.recording.blocks-source",
    "physical_block_size and alignment_offset in sysfs, against IDENTIFY words 106 and 209",
)
