"""What is said of the room that a migration needs, and of what the filesystem has already."""

from wizard.model.said import Sentence

# On the filesystem.
NO_JOURNAL = Sentence(
    "migrate.room.no-journal",
    "{device} has no room for a journal: that needs {needed:size}, and {free:size} are free.",
)
NO_JOURNAL_WHY = Sentence(
    "migrate.room.no-journal-why",
    "Without a journal, the whole filesystem must be checked after a power cut.",
)
NO_JOURNAL_REMEDY = Sentence(
    "migrate.room.no-journal-remedy", "Delete or move files off it first, or use the fresh way."
)
FULL = Sentence("migrate.room.full", "{device} is full: {free:size} are free, and {needed:size} are needed.")
FULL_WHY = Sentence(
    "migrate.room.full-why", "Files in many pieces need some more blocks when they are mapped by extents."
)
FULL_REMEDY = Sentence("migrate.room.full-remedy", "Delete or move files off it first.")
NARROW = Sentence(
    "migrate.room.narrow", "The inodes of {device} keep their length of {bytes} bytes: {fault}."
)
NARROW_WHY = Sentence(
    "migrate.room.narrow-why",
    "Without {bytes} bytes there are no dates past January 2038 and no times finer than a second.",
)
NARROW_FREE = Sentence("migrate.room.narrow-free", "Free {more:size} more for it.")
NARROW_FRESH = Sentence("migrate.room.narrow-fresh", "Only the fresh way gives that.")
NO_INODES = Sentence(
    "migrate.room.no-inodes",
    "{device} has no inode left: no file can be made on it, however much room is free.",
)
NO_INODES_WHY = Sentence(
    "migrate.room.no-inodes-why", "The number of inodes ({inodes}) is set when a filesystem is made."
)
NO_INODES_REMEDY = Sentence("migrate.room.no-inodes-remedy", "Only the fresh way gives more.")

# Elsewhere.
FOLDER = Sentence("migrate.room.folder", "{folder} cannot hold what is replaced: {fault}.")
FOLDER_WHY = Sentence(
    "migrate.room.folder-why",
    "What is replaced must lie on another filesystem that is there after a restart.",
)
FOLDER_REMEDY = Sentence("migrate.room.folder-remedy", "Name another folder.")
NO_FOLDER = Sentence(
    "migrate.room.no-folder",
    "There is no place for what is replaced: {folder} cannot hold it, since {fault}.",
)
NO_FOLDER_WHY = Sentence("migrate.room.no-folder-why", "Without it, nothing could be undone.")
NO_FOLDER_REMEDY = Sentence(
    "migrate.room.no-folder-remedy",
    "Name a folder on another filesystem (with the command: --store or --undo-dir).",
)
TARGET = Sentence("migrate.room.target", "{target} cannot take the fresh filesystem: {fault}.")
TARGET_WHY = Sentence(
    "migrate.room.target-why", "A new filesystem is made there, so whatever it held would be lost."
)
TARGET_REMEDY = Sentence("migrate.room.target-remedy", "Name another volume (with the command: --to).")

# Nothing to do.
COMPLETE = Sentence("migrate.room.complete", "{device} has everything that a conversion can give.")
LIGHT_COMPLETE = Sentence(
    "migrate.room.light-complete",
    "{device} has everything that can be switched on without rewriting anything.",
)
COMPLETE_WHY = Sentence("migrate.room.complete-why", "All of it was switched on before.")
COMPLETE_REMEDY = Sentence("migrate.room.complete-remedy", "There is nothing to do.")
