"""What the ways and means of a migration are called, and what is said of their safety."""

from wizard.model.said import Sentence

# What the ways are called, and what they do.
MOUNT = Sentence("migrate.ways.mount", "Mount as ext4")
LIGHT = Sentence("migrate.ways.light", "New files only")
FULL = Sentence("migrate.ways.full", "Everything")
FRESH = Sentence("migrate.ways.fresh", "A fresh ext4")
MOUNT_DOES = Sentence(
    "migrate.ways.mount-does", "The ext4 driver mounts it as it is; nothing on the disk is changed."
)
LIGHT_DOES = Sentence(
    "migrate.ways.light-does",
    "Files that are written from now on get what ext4 has; the old ones stay as they are.",
)
FULL_DOES = Sentence(
    "migrate.ways.full-does", "All files, directories and metadata are brought to ext4, where they lie."
)
FRESH_DOES = Sentence(
    "migrate.ways.fresh-does",
    "A new ext4 is made on another volume, and everything is copied there and compared.",
)

# How it is made safe.
TRANSACTION = Sentence(
    "migrate.ways.transaction",
    "On a copy-on-write snapshot: the filesystem itself is changed only when all is done and checked there. "
    "A power cut costs nothing.",
)
DIRECT = Sentence(
    "migrate.ways.direct",
    "On the filesystem itself, with undo files of e2fsprogs. They do not cover a power cut: have a backup.",
)
FILES = Sentence("migrate.ways.files", "Only a file of the system is changed, which is replaced in one go.")
COPY = Sentence("migrate.ways.copy", "The old filesystem is only read.")
ROOM = Sentence("migrate.ways.room", "It takes up to {room:size} in {folder}, until you keep or undo it.")
COMPARED = Sentence(
    "migrate.ways.compared",
    "Every file is compared before and after: content, holes, owner, rights, times, links, extended "
    "attributes.",
)
NOT_COMPARED = Sentence(
    "migrate.ways.not-compared",
    "Files are not compared one by one; e2fsck checks the filesystem as a whole.",
)
REPAIRED = Sentence("migrate.ways.repaired", "Damage that e2fsck finds may be repaired.")

# What a power cut leaves between two steps, and before the first.
BETWEEN_TRANSACTION = Sentence(
    "migrate.ways.between-transaction",
    "The filesystem is still the old one, or half committed. Half committed, it cannot be mounted until "
    "`diskwright resume` finishes it or `diskwright undo` undoes it.",
)
BETWEEN_DIRECT = Sentence(
    "migrate.ways.between-direct",
    "The filesystem may be damaged, and the undo files may be useless: that is what the backup is for.",
)
BETWEEN_FILES = Sentence(
    "migrate.ways.between-files", "The file is the old one or the new one, never half of each."
)
BETWEEN_COPY = Sentence(
    "migrate.ways.between-copy", "The old filesystem has all files as before; the copy is begun anew."
)
UNTOUCHED = Sentence(
    "migrate.ways.untouched",
    "Nothing is lost: everything is only being read yet, and nothing was written to the filesystem.",
)

# What a power cut does.
POWER_TRANSACTION = Sentence(
    "migrate.ways.power-transaction",
    "If the power goes: the old filesystem is there, or `diskwright resume` finishes the new one. It is "
    "never mounted half done.",
)
POWER_DIRECT = Sentence(
    "migrate.ways.power-direct",
    "If the power goes, the filesystem can be damaged beyond the undo files' help. Without a backup, files "
    "can be lost.",
)
POWER_FILES = Sentence(
    "migrate.ways.power-files",
    "If the power goes: nothing on the disk has changed. The file of the system is the old one or the new "
    "one.",
)
POWER_COPY = Sentence(
    "migrate.ways.power-copy",
    "If the power goes: the old filesystem has everything, and the copy is made anew.",
)

# The way back.
BACK_TO_THE_BIT = Sentence(
    "migrate.ways.back-to-the-bit",
    "Undoing brings the old filesystem back to the bit, until you keep the new one or mount it for writing.",
)
BACK_FILES = Sentence("migrate.ways.back-files", "Undoing puts the file back as it was.")
BACK_COPY = Sentence(
    "migrate.ways.back-copy",
    "The old filesystem stays as it is and needs no undoing; the copy can be made anew.",
)
ONLY_EXT4 = Sentence("migrate.ways.only-ext4", "Afterwards only an ext4 driver can mount it.")
