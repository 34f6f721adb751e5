"""What each way costs, how it is undone, and why it is recommended."""

from wizard.model.said import Sentence

# Costs.
MOUNT_COSTS = Sentence(
    "migrate.offers.mount-costs",
    "Nothing on the disk becomes better: files are mapped block by block, and small inodes end in January "
    "2038.",
)
LIGHT_COSTS = Sentence(
    "migrate.offers.light-costs",
    "Files that are there already stay as they are. Older systems, and the types ext2 and ext3, can no "
    "longer mount it.",
)
FULL_COSTS = Sentence(
    "migrate.offers.full-costs",
    "Every file's entry is written anew. Older systems, and the types ext2 and ext3, can no longer mount it.",
)
FULL_STAYS = Sentence(
    "migrate.offers.full-stays",
    "It stays unlike one that is made anew: tables in every group, and old files' times of making are "
    "unknown.",
)
FRESH_COSTS = Sentence(
    "migrate.offers.fresh-costs",
    "Another volume with room for {used:size} and more is needed, and must hold nothing.",
)

# How it is undone.
MOUNT_UNDONE = Sentence("migrate.offers.mount-undone", "At any time: the old line of fstab goes back.")
FRESH_UNDONE = Sentence("migrate.offers.fresh-undone", "At any time: the old filesystem stays as it is.")
UNDONE = Sentence(
    "migrate.offers.undone",
    "To the bit, until it is kept or mounted for writing. After a power cut in the middle, resume it or undo "
    "it.",
)
DIRECT_UNDONE = Sentence(
    "migrate.offers.direct-undone",
    "To the bit by undo files, until it is kept or mounted for writing, if the power stays on meanwhile.",
)

# Why it is recommended.
FULL_WHY = Sentence(
    "migrate.offers.full-why",
    "It brings everything that this filesystem allows, and nothing reaches the drive before it is proven.",
)
LIGHT_WHY = Sentence(
    "migrate.offers.light-why",
    "It brings what is possible here, and nothing reaches the drive before it is proven.",
)
LIGHT_DIRECT_WHY = Sentence(
    "migrate.offers.light-direct-why",
    "A power cut cannot be covered here, and this way writes next to nothing, so that little can go wrong.",
)
FULL_DIRECT_WHY = Sentence(
    "migrate.offers.full-direct-why",
    "It brings what this filesystem still lacks. A power cut cannot be covered here: make a backup first.",
)
MOUNT_WHY = Sentence(
    "migrate.offers.mount-why",
    "It changes nothing on the disk, and what stands against the others does not stand against it.",
)
FRESH_WHY = Sentence("migrate.offers.fresh-why", "It only reads this filesystem.")
COMPLETE = Sentence("migrate.offers.complete", "It has everything that it can have without being made anew.")
NONE = Sentence("migrate.offers.none", "No way is possible as the filesystem stands; the findings say why.")
