"""What is said of working on the device itself, with undo files."""

from wizard.model.said import Sentence

# Steps.
TOOK = Sentence(
    "apply.migration.on_device.took", "Took the fingerprint of {device} as it was, in {seconds:.1f} s."
)
CUT_OFF = Sentence(
    "apply.migration.on_device.cut-off", "A step was cut off: all steps are undone, then done again."
)
ELSEWHERE = Sentence(
    "apply.migration.on_device.elsewhere", "Step {step} works on another device than {device}."
)
NO_FINGERPRINT = Sentence(
    "apply.migration.on_device.no-fingerprint", "The fingerprint of {device} is missing."
)
PUTS_BACK = Sentence("apply.migration.on_device.puts-back", "{kept:exact} can put back what it replaced.")

# Why the undo files cannot be relied on.
FOLDER_WRONG = Sentence(
    "apply.migration.on_device.folder-wrong",
    "The folder {folder} with the undo file of step {step} {fault}: {device} is left as it is.",
)
FILE_WRONG = Sentence(
    "apply.migration.on_device.file-wrong",
    "The undo file of step {step} in {folder} {fault}: {device} is left as it is.",
)
NOT_ROOTS = Sentence("apply.migration.on_device.not-roots", "does not belong to root alone")
MISSING = Sentence("apply.migration.on_device.missing", "is missing")
DAMAGED = Sentence("apply.migration.on_device.damaged", "is damaged")
NEW_FOLDER = Sentence(
    "apply.migration.on_device.new-folder", "The folder {folder} for the undo file {fault}."
)
NOT_MADE = Sentence(
    "apply.migration.on_device.not-made", "The folder {folder} for the undo file could not be made: {why}."
)
NOT_WRITTEN = Sentence(
    "apply.migration.on_device.not-written",
    "No undo file was written in {folder}, so this step could not be undone.",
)
NOT_SAFE = Sentence(
    "apply.migration.on_device.not-safe", "The undo file {file} is not safe on its disk: {why}."
)
NO_WHOLE_FILE = Sentence("apply.migration.on_device.no-whole-file", "there is no whole undo file in {folder}")
FILE_DAMAGED = Sentence("apply.migration.on_device.file-damaged", "its undo file {file} is damaged")
CANNOT_BACK = Sentence(
    "apply.migration.on_device.cannot-back",
    "{device} was changed by this step, and that cannot be put back: {why}.",
)
NOT_DELETED = Sentence(
    "apply.migration.on_device.not-deleted", "The undo files in {folder} could not be deleted: {why}."
)
NO_FOLDER = Sentence(
    "apply.migration.on_device.no-folder",
    "Undo files cannot be kept in {folder}: it is no folder that can be written. Nothing was written.",
)
NO_ROOM = Sentence(
    "apply.migration.on_device.no-room",
    "Undo files cannot be kept in {folder}: {free:exact} are free, and {needed:exact} may be needed. Nothing "
    "was written. Name a folder on another volume with --undo-dir DIR.",
)

# Undoing and keeping.
WROTE_NOTHING = Sentence(
    "apply.migration.on_device.wrote-nothing", "Nothing that this run wrote is on {device}."
)
DIFFERS = Sentence(
    "apply.migration.on_device.differs",
    "Everything that was kept is put back on {device}. Even so, it is not what it was, bit for bit: its "
    "fingerprint differs. `{command}` says whether it is sound. The undo files stay in {folder}.",
)
SAME = Sentence(
    "apply.migration.on_device.same",
    "{device} is bit for bit what it was: so says its fingerprint, of {size:exact} in {seconds:.1f} s.",
)
DELETED = Sentence(
    "apply.migration.on_device.deleted", "The undo files are deleted, which freed {freed:exact}."
)
OTHER_NOW = Sentence(
    "apply.migration.on_device.other-now",
    "{device} holds another filesystem now, {uuid}. Nothing was written.",
)
CHANGED = Sentence(
    "apply.migration.on_device.changed",
    "{device} was changed since the run {run} ended: its superblock is another. What was kept does not fit "
    "it any more. Nothing was written.",
)
MOUNTED_SINCE = Sentence(
    "apply.migration.on_device.mounted-since",
    "{device} was mounted for writing since the run {name} ended. Putting the old blocks back would tear "
    "apart what was written since, so it cannot be undone any more.",
)
RESUMES = Sentence(
    "apply.migration.on_device.resumes",
    "`diskwright resume {run}` does what is left to do. Nothing was written.",
)
KEEPS = Sentence(
    "apply.migration.on_device.keeps",
    "`diskwright keep {run}` deletes what was kept for that. Nothing was written.",
)

# Reading it.
NOT_READ = Sentence(
    "apply.migration.on_device.not-read", "{device} could not be read at byte {place}: {why}."
)
ENDED = Sentence("apply.migration.on_device.ended", "{device} ended at byte {place} of {total}.")
