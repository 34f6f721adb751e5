"""The sentences on what holds for all volumes of a drive."""

from wizard.model.said import Sentence

TITLE = Sentence("desk.details.arrangement.title", "Table and volume group")
TABLE = Sentence("desk.details.arrangement.table", "Table")
GPT = Sentence("desk.details.arrangement.gpt", "GPT, as is usual")
MBR = Sentence("desk.details.arrangement.mbr", "MBR, for old firmware")
GROUP = Sentence("desk.details.arrangement.group", "Volume group")
NO_GROUP = Sentence("desk.details.arrangement.no-group", "none: a partition each")
LVM = Sentence("desk.details.arrangement.lvm", "LVM: all in one")
TAKE = Sentence("desk.details.arrangement.take", "take it")

MEANS = Sentence("desk.details.arrangement.means", "What that means")
ABOUT_GPT = Sentence(
    "desk.details.arrangement.about-gpt",
    "A GPT keeps a second copy of itself with checksums, names its partitions, and holds 128 of them.",
)
ABOUT_MBR = Sentence(
    "desk.details.arrangement.about-mbr",
    "An MBR is the old table of four partitions, for firmware that knows nothing else. It ends at 2 TiB.",
)
ABOUT_LVM = Sentence(
    "desk.details.arrangement.about-lvm",
    "A volume group of LVM puts all volumes into one partition, where each can be made larger later. "
    "What has a role needs a partition of its own.",
)
ABOUT_PARTITIONS = Sentence(
    "desk.details.arrangement.about-partitions",
    "Without a volume group each volume has a partition of its own.",
)
