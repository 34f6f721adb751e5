"""What is said of looking at a filesystem that is to become ext4."""

from wizard.model.said import Sentence

# The device and its superblock.
NEEDS_ROOT = Sentence(
    "apply.migration.looking.needs-root", "Only root can read {device}: run it as  {command}"
)
UNREADABLE = Sentence(
    "apply.migration.looking.unreadable",
    "{device} cannot be read: {why}. Save what can be read of it first. Nothing was written.",
)
DAMAGED = Sentence("apply.migration.looking.damaged", "The superblock of {device} is damaged.")
DAMAGED_SAYS = Sentence(
    "apply.migration.looking.damaged-says", "The superblock of {device} is damaged ({program}: {said})."
)
HAS_COPY = Sentence(
    "apply.migration.looking.has-copy",
    "Its copy at block {block} is whole, and `{command}` repairs by it; make an image of the device first. "
    "Nothing was written.",
)
NO_COPY = Sentence(
    "apply.migration.looking.no-copy",
    "Make an image of the device before any repair. Nothing was written.",
)
NO_EXT = Sentence(
    "apply.migration.looking.no-ext",
    "{device} holds no ext2, ext3 or ext4 filesystem; `diskwright inspect` shows what it holds.",
)
SEVERAL = Sentence(
    "apply.migration.looking.several",
    "{device} lies on {drives:and}: a migration needs a filesystem on one drive. Nothing was written.",
)
NO_DRIVE = Sentence(
    "apply.migration.looking.no-drive",
    "{device} lies on no drive: a migration needs a filesystem on one drive. Nothing was written.",
)

# Why the volume for a fresh one cannot take it, as a clause.
ITSELF = Sentence("apply.migration.looking.itself", "it is the filesystem itself")
HOLDS = Sentence("apply.migration.looking.holds", "it holds {what}")
PARTITIONED = Sentence("apply.migration.looking.partitioned", "it has partitions, or could not be read")
READ_ONLY = Sentence("apply.migration.looking.read-only", "it is read-only")
IN_USE = Sentence("apply.migration.looking.in-use", "it is in use")
SMALLER = Sentence("apply.migration.looking.smaller", "it is smaller than what is to be copied")

# Why a folder cannot hold what is replaced, as a clause.
NOT_SEEN = Sentence("apply.migration.looking.not-seen", "it cannot be looked at ({why})")
NO_FOLDER = Sentence("apply.migration.looking.no-folder", "there is no such folder")
ON_ITSELF = Sentence("apply.migration.looking.on-itself", "it lies on the filesystem that is to be changed")
IN_MEMORY = Sentence(
    "apply.migration.looking.in-memory", "it lies in memory, and would be gone after a power cut"
)

# Why the filesystem's own fstab cannot be changed, as a clause; and how it was.
NOT_READ = Sentence("apply.migration.looking.not-read", "it cannot be read ({why})")
NEWER = Sentence("apply.migration.looking.newer", "the journal may hold a newer one")
NO_FILE = Sentence("apply.migration.looking.no-file", "it is no file of its own but a {kind}, in a {folder}")
NAMES = Sentence("apply.migration.looking.names", "it has {links} names (hard links)")
TOO_LARGE = Sentence("apply.migration.looking.too-large", "it is larger than any such file")
OTHER_FSTAB = Sentence(
    "apply.migration.looking.other-fstab",
    "{file} on {device} is not what was looked at. Look at it again with `diskwright migrate`.",
)
NOT_AS_WRITTEN = Sentence(
    "apply.migration.looking.not-as-written", "{file} on {node} does not read as it was to be written."
)
DONE = Sentence("apply.migration.looking.done", "Done on {node}.")
FILE_NOT_READ = Sentence("apply.migration.looking.file-not-read", "{path} on {node} cannot be read:")

# GRUB's own driver.
GRUB_SAME = Sentence("apply.migration.looking.grub-same", "{program} finds every byte the same")
GRUB_READS = Sentence("apply.migration.looking.grub-reads", "GRUB's own driver reads {path} as Linux does.")
GRUB_LISTS = Sentence("apply.migration.looking.grub-lists", "GRUB's own driver lists {folder} as Linux does.")
GRUB_MISSES = Sentence("apply.migration.looking.grub-misses", "{names:list} missing: {said}")
GRUB_ALL = Sentence("apply.migration.looking.grub-all", "the one name", "all {count} names")

# A plan that was carried.
NOT_MADE_FOR = Sentence(
    "apply.migration.looking.not-made-for",
    "{device} is not what the plan was made for: {difference}. Make the plan again. Nothing was written.",
)
TWICE = Sentence(
    "apply.migration.looking.twice",
    "The filesystem {uuid} is there {times} times: {nodes:list}. Detach the copies, so that it is plain "
    "which one is meant. Nothing was written.",
)
