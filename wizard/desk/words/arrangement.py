"""The sentences on what holds for all volumes of a drive."""

from wizard.model.said import Sentence

TITLE = Sentence("desk.arrangement.title", "Table and volume group")
TABLE = Sentence("desk.arrangement.table", "Table")
GPT = Sentence("desk.arrangement.gpt", "GPT, as is usual")
MBR = Sentence("desk.arrangement.mbr", "MBR, for old firmware")
GROUP = Sentence("desk.arrangement.group", "Volume group")
NO_GROUP = Sentence("desk.arrangement.no-group", "none: a partition each")
LVM = Sentence("desk.arrangement.lvm", "LVM: all in one")
TAKE = Sentence("desk.arrangement.take", "take it")

MEANS = Sentence("desk.arrangement.means", "What that means")
ABOUT_GPT = Sentence(
    "desk.arrangement.about-gpt",
    "A GPT keeps a second copy of itself with checksums, names its partitions, and holds 128 of them.",
)
ABOUT_MBR = Sentence(
    "desk.arrangement.about-mbr",
    "An MBR is the old table of four partitions, for firmware that knows nothing else. It ends at 2 TiB.",
)
ABOUT_LVM = Sentence(
    "desk.arrangement.about-lvm",
    "A volume group of LVM puts all volumes into one partition, where each can be made larger later. "
    "What has a role needs a partition of its own.",
)
ABOUT_PARTITIONS = Sentence(
    "desk.arrangement.about-partitions", "Without a volume group each volume has a partition of its own."
)
