"""What is said of each step of a migration."""

from wizard.model.said import Sentence

# What it does.
MOUNT_AS_EXT4 = Sentence(
    "migrate.steps.mount-as-ext4", "Have it mounted as ext4 from now on: line {number} of {file}."
)
OWN_AS_EXT4 = Sentence(
    "migrate.steps.own-as-ext4",
    "Have the system on {device} mount it as ext4 from now on: line {number} of its own /etc/fstab, one "
    "letter.",
)
MAKE = Sentence("migrate.steps.make", "Make a new ext4 on {target}.")
COPY = Sentence("migrate.steps.copy", "Copy everything from {device} to {target}, and compare both.")
JOURNAL = Sentence(
    "migrate.steps.journal", "Give it a journal, so that a power cut later on leaves it in order."
)
WIDEN = Sentence(
    "migrate.steps.widen",
    "Make room for {bytes} bytes about every file instead of 128: finer times, dates past 2038, small "
    "attributes.",
)
FEATURES = Sentence("migrate.steps.features", "Switch on what it may use from now on: {features:list}.")
CONVERT = Sentence(
    "migrate.steps.convert",
    "Map every file and folder by extents (runs of blocks) instead of block by block, and pack the folders "
    "anew.",
)
BLOCK_NUMBERS = Sentence(
    "migrate.steps.block-numbers",
    "Make block numbers 64 bits wide, which also makes room for full checksums.",
)
ADD_CHECKSUMS = Sentence(
    "migrate.steps.add-checksums",
    "Give everything but the files' own content checksums, and write them everywhere, so that damage is "
    "noticed.",
)
CHECK = Sentence(
    "migrate.steps.check", "Check everything on {device}. Where anything is damaged, it ends here."
)
CHECK_PENDING = Sentence(
    "migrate.steps.check-pending",
    "Put what the journal of {device} holds in its place, and check everything. Small damage is repaired, as "
    "at any start.",
)
REPAIR = Sentence("migrate.steps.repair", "Check everything on {device}, and repair what is damaged.")

# How it is undone.
LINE_BACK = Sentence("migrate.steps.line-back", "`diskwright undo` puts the old line back in its place.")
MADE_STAYS = Sentence(
    "migrate.steps.made-stays",
    "There is nothing to undo: {target} held nothing before, and the old filesystem stays as it is.",
)
COPY_UNUSED = Sentence(
    "migrate.steps.copy-unused", "The old filesystem stays as it is; the copy can be left unused."
)
BLOCKS_BACK = Sentence(
    "migrate.steps.blocks-back",
    "`diskwright undo` puts back every block that was replaced, until it is kept or mounted for writing.",
)
UNDO_FILE_BACK = Sentence(
    "migrate.steps.undo-file-back",
    "`diskwright undo` puts back every replaced block from an undo file (e2undo), until it is kept or "
    "mounted for writing.",
)

# If the power goes meanwhile.
LINE_WHOLE = Sentence(
    "migrate.steps.line-whole", "The file holds the old line or the new one, never anything between."
)
COPY_AGAIN = Sentence(
    "migrate.steps.copy-again",
    "The old filesystem is only read, so nothing of it is lost; the copy is begun again.",
)
NOTHING_LOST = Sentence(
    "migrate.steps.nothing-lost",
    "Nothing is lost: the work is done on a copy of what changes. The filesystem itself is as it was.",
)
BACKUP_HELPS = Sentence(
    "migrate.steps.backup-helps",
    "It can be damaged beyond repair, and the undo file can be useless: only a backup would help.",
)

# What is checked afterwards.
SOUND = Sentence("migrate.steps.sound", "e2fsck finds nothing that is wrong.")
NEW_LINE = Sentence("migrate.steps.new-line", "{file} has the new line once, and the old one no longer.")
OWN_LINE = Sentence(
    "migrate.steps.own-line",
    "Line {number} of its own /etc/fstab is the new one, and nothing else in that file has changed.",
)
NEW_UUID = Sentence("migrate.steps.new-uuid", "The new filesystem is ext4 with the UUID {uuid}.")
SAME = Sentence(
    "migrate.steps.same",
    "Every file, folder and link on both is the same: content, owner, rights, times, attributes.",
)
HAS_JOURNAL = Sentence("migrate.steps.has-journal", "Its superblock says that it has a journal.")
HAS_BYTES = Sentence("migrate.steps.has-bytes", "Its superblock says that inodes have {bytes} bytes.")
LISTS = Sentence("migrate.steps.lists", "Its superblock lists {features:list}.")
ALL_MAPPED = Sentence("migrate.steps.all-mapped", "No file or folder is still mapped block by block.")
