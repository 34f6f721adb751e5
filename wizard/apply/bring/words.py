"""What is said of bringing files: whether it can be done, how far it is, and what came of it."""

from wizard.model.said import Sentence

# Whether it can be done.
NO_FOLDER = Sentence("apply.bring.no-folder", "There is no folder {path}.")
NO_FILESYSTEM = Sentence(
    "apply.bring.no-filesystem", "{device} holds no filesystem that Linux mounts, or more than one."
)
DRIVE_UNMEASURED = Sentence("apply.bring.drive-unmeasured", "The size of {drive} cannot be read.")
NO_DRIVE = Sentence("apply.bring.no-drive", "{path} does not lie on a drive.")
NOT_MOUNTED = Sentence(
    "apply.bring.not-mounted", "{device} is not mounted. Mount it first: `diskwright mount {device}`."
)
READ_ONLY = Sentence("apply.bring.read-only", "{path} is mounted read-only.")
NOT_BELOW = Sentence(
    "apply.bring.not-below", "--into takes a path within the target, such as old/photos, not {path}."
)
IN_THE_WAY = Sentence("apply.bring.in-the-way", "{path} is no folder.")
SAME_PLACE = Sentence(
    "apply.bring.same-place", "{source} and {target} are the same place, or one lies in the other."
)
NOTHING_THERE = Sentence("apply.bring.nothing-there", "{source} is empty: there is nothing to copy.")
EXISTS = Sentence(
    "apply.bring.exists",
    "{path} exists already, and nothing is overwritten. Name another folder with --into FOLDER.",
)
NO_ROOM = Sentence(
    "apply.bring.no-room", "{target} has {free:size} free, and the copy takes about {needed:size}."
)
NO_INODES = Sentence(
    "apply.bring.no-inodes", "{target} has room for {free:,d} more files, and {needed:,d} are to be copied."
)
UNREAD = Sentence("apply.bring.unread", "{path} cannot be read: {why}.")
CANNOT_BE = Sentence("apply.bring.cannot-be", "{path} cannot be copied: {fault}. Rename it, or move it away.")
SAME_CASE = Sentence(
    "apply.bring.same-case",
    "{path} cannot be copied: {title} takes it for the same name as {other}. Rename one of both.",
)
OTHER_TOKEN = Sentence(
    "apply.bring.other-token",
    "The token of the drive of {device} is {token}, not {given}. Nothing was written.",
)
OTHER_DRIVE = Sentence("apply.bring.other-drive", "{drive} is no drive that this run may touch.")
ANOTHER_DRIVE = Sentence(
    "apply.bring.another-drive",
    "{device} is not on the drive that the files are copied to: {fault}.",
)
OTHER_SOURCE = Sentence(
    "apply.bring.other-source", "{path} is not there, or no longer what it was. Nothing was written now."
)
OTHER_TARGET = Sentence(
    "apply.bring.other-target",
    "What is mounted at {place} is not the {title} that files are brought to. Nothing was written now.",
)

TAKES_NOTHING = Sentence("apply.bring.takes-nothing", "{why}. The copy cannot take its place.")
NO_MOUNT_POINT = Sentence(
    "apply.bring.no-mount-point",
    "{source} is no mount point of a drive's filesystem: only what is one has a place to take.",
)
ONLY_WHOLE = Sentence(
    "apply.bring.only-whole",
    "{folder} is not the top of its volume. Only what is copied to {place} itself can take a place.",
)
NO_OWNERS_THERE = Sentence(
    "apply.bring.no-owners-there", "{title} keeps no owners, so it cannot take the place of {place}."
)
NO_LINE = Sentence(
    "apply.bring.no-line", "{file} has no line for {place}, so what mounts it at the start is not known."
)
SEVERAL_LINES = Sentence("apply.bring.several-lines", "{file} has more than one line for {place}.")
IS_BOUND = Sentence("apply.bring.is-bound", "{place} is a folder of another mount, bound there.")
NO_UUID = Sentence("apply.bring.no-uuid", "The filesystem on {device} has no UUID that fstab could name.")
PART_ONLY = Sentence(
    "apply.bring.part-only", "{place} is only a part of what is on {device}, and fstab has no line for it."
)
LINE_THERE = Sentence("apply.bring.line-there", "{file} has another line already: {conflict}.")
FSTAB_OTHER = Sentence("apply.bring.fstab-other", "It was changed meanwhile: {seen}.")

# The run.
BRINGING = Sentence("apply.bring.bringing", "Bringing {source} to {folder}.")
GOING_ON = Sentence("apply.bring.going-on", "Going on with bringing {source} to {folder}.")
TAKING_BACK = Sentence("apply.bring.taking-back", "Removing what was brought to {folder}.")
NOTHING_TO_RESUME = Sentence(
    "apply.bring.nothing-to-resume", "The run {run} is {state}: nothing is left to do."
)
NOTHING_TO_KEEP = Sentence(
    "apply.bring.nothing-to-keep", "What {run} brought is in its place already. Nothing was written."
)
NO_OVER = Sentence(
    "apply.bring.no-over", "{run} copied files: what was changed since is never removed. Nothing was written."
)
BEING_UNDONE = Sentence(
    "apply.bring.being-undone", "The run {run} was being undone: `diskwright undo {name}` goes on with that."
)
UNDONE_ALREADY = Sentence("apply.bring.undone-already", "The run {run} is undone already.")
WROTE_NOTHING = Sentence("apply.bring.wrote-nothing", "The run {run} wrote nothing, so nothing is undone.")

COPY = Sentence("apply.bring.copy", "Copy {entries:,d} files, folders and links, {size:size} of content.")
CATCH_UP = Sentence(
    "apply.bring.catch-up", "Copy again what changed meanwhile, and give folders their owners and dates."
)
COMPARE = Sentence("apply.bring.compare", "Read the copy back from the drive, and compare.")
TAKE_PLACE = Sentence(
    "apply.bring.take-place", "Have {file} mount {device} at {place} from the next start on."
)
COPIED = Sentence("apply.bring.copied", "{entries:,d} entries with {size:size} are on the drive.")
COPIED_AT = Sentence(
    "apply.bring.copied-at",
    "{entries:,d} entries with {size:size} are on the drive, at {rate:size} a second.",
)
NOTHING_CHANGED = Sentence("apply.bring.nothing-changed", "Nothing changed meanwhile.")
CAUGHT_UP = Sentence(
    "apply.bring.caught-up",
    "1 entry changed meanwhile, and was copied again.",
    "{count:,d} entries changed meanwhile, and were copied again.",
)
SAME = Sentence(
    "apply.bring.same", "{entries:,d} entries were read back from the drive, and are the same as in {source}."
)
ALL_SAME = Sentence("apply.bring.all-same", "Everything that was copied is the same as in its source")
NO_DIFFERENCE = Sentence("apply.bring.no-difference", "no difference in {entries:,d} entries")
NOT_SAME = Sentence("apply.bring.not-same", "The copy in {folder} is not the same:")
BROUGHT = Sentence(
    "apply.bring.brought",
    "{folder} holds everything of {source}, read back and compared. `diskwright undo {run}` removes it.",
)
BROUGHT_BUT = Sentence(
    "apply.bring.brought-but",
    "{folder} holds {source}, read back and compared, but for what still changes: {paths:list}.",
)
PLACE_TAKEN = Sentence(
    "apply.bring.place-taken",
    "From the next start on {device} is mounted at {place}. Restart soon: what is written there until then "
    "is not copied.",
)
OLD_KEPT = Sentence(
    "apply.bring.old-kept", "The old filesystem stays on {old} as it is. `diskwright undo {run}` goes back."
)
COPY_STAYS = Sentence(
    "apply.bring.copy-stays",
    "The copy on {device} stays, since it can be in use in its new place. The next start mounts the old "
    "filesystem at {place}.",
)
MORE_CHANGE = Sentence("apply.bring.more-change", "{count:,d} more")
NEW_AT_TOP = Sentence("apply.bring.new-at-top", "Not copied, since it appeared meanwhile: {paths:list}.")
STOPPED = Sentence("apply.bring.stopped", "Stopped as asked. What is copied stays.")
STEP_FAILED = Sentence(
    "apply.bring.step-failed", "Step {step} of {steps} failed: {error} What is copied stays."
)
NOT_NOTED = Sentence("apply.bring.not-noted", "{file} cannot be used: {why}.")
CHANGED_THERE = Sentence(
    "apply.bring.changed-there",
    "{path} in the copy holds something that the run did not write, and it is not overwritten. Move it away.",
)
TARGET_LOST = Sentence("apply.bring.target-lost", "{folder} cannot be written to: {why}.")

OF_ANOTHER_RUN = Sentence(
    "apply.bring.of-another-run",
    "{run} copied to {folder}, but its bring.json is of another run. Nothing was written now.",
)

# Taking it back.
REMOVED = Sentence(
    "apply.bring.removed",
    "1 entry was removed from {folder}.",
    "{count:,d} entries were removed from {folder}.",
)
NOT_REMOVED = Sentence("apply.bring.not-removed", "{path} could not be removed: {why}.")
LEFT = Sentence(
    "apply.bring.left",
    "Kept, since the copy and {source} differ: {paths:list}.",
)
ALL_KEPT = Sentence("apply.bring.all-kept", "All that were kept are listed in {file}.")
NOT_EMPTY = Sentence("apply.bring.not-empty", "Folders stay that hold something else: {paths:list}.")
SOURCE_GONE = Sentence(
    "apply.bring.source-gone",
    "Only what its source still holds is removed, and that cannot be read. {why} Nothing was removed.",
)
