"""What is said of a migration that is carried out: why it is refused, how it ends, and what is left to do."""

from wizard.model.said import Sentence

AGAIN = Sentence("apply.migration.again", "Look at it again with `diskwright migrate`. Nothing was written.")

# The drive, the device and the file.
OTHER_DRIVE = Sentence(
    "apply.migration.other-drive", "{drive} is not a drive that this run may touch. Nothing was written."
)
NOT_TRUSTED = Sentence(
    "apply.migration.not-trusted",
    "{node} cannot be trusted to be on the drive of this migration: {reason}. Nothing was written.",
)
LIES_ON = Sentence("apply.migration.lies-on", "{device} lies on {drive}")
OTHER_FILE = Sentence(
    "apply.migration.other-file",
    "This migration changes {file}, not {fstab}: say --fstab {file} if you mean that system. Nothing was "
    "written.",
)
NO_FSTAB = Sentence("apply.migration.no-fstab", "no file of mounts at boot")
READ_ONLY = Sentence("apply.migration.read-only", "{drive} is read-only. Nothing was written.")
IN_USE = Sentence("apply.migration.in-use", "{device} is in use: {reason}. Nothing was written.")
NOT_THERE = Sentence("apply.migration.not-there", "{drive} is not there. Nothing was written.")
ANOTHER_DRIVE = Sentence("apply.migration.another-drive", "{fault:First}. Nothing was written.")
OTHER_FILESYSTEM = Sentence(
    "apply.migration.other-filesystem", "{device} no longer holds the filesystem {uuid}."
)
CHANGED = Sentence(
    "apply.migration.changed",
    "{device} was changed since the migration was made: its superblock says something else.",
)
NO_UNDO_FOLDER = Sentence(
    "apply.migration.no-undo-folder",
    "This migration names no folder for undo files; name one with --undo-dir DIR. Nothing was written.",
)
LINE_CHANGED = Sentence("apply.migration.line-changed", "{seen:First} since this migration was made.")

# How a run ends.
AS_EXT4 = Sentence(
    "apply.migration.as-ext4",
    "{device} is mounted as ext4 from now on. `diskwright undo {run}` undoes it.",
)
SHOWN = Sentence("apply.migration.shown", "{device} is ext4 as shown; every check holds.")
WRITTEN_SINCE = Sentence(
    "apply.migration.written-since",
    "It was written to since, so it can no longer be undone; `diskwright keep {run}` frees the room.",
)
UNMOUNTED = Sentence("apply.migration.unmounted", "It is left unmounted.")
PROTECTED = Sentence(
    "apply.migration.protected",
    "It is left unmounted. Until you keep it or undo it, or the machine restarts, nobody can write to it.",
)
THEN = Sentence(
    "apply.migration.then",
    "Then `diskwright keep {run}` keeps it, or `diskwright undo {run}` undoes it.",
)
CHECKS = Sentence("apply.migration.checks", "A check does not hold.", "{count} checks do not hold.")
STOPPED = Sentence("apply.migration.stopped", "Stopped before step {step} as asked.")
STEP_FAILED = Sentence("apply.migration.step-failed", "Step {step} of {steps} failed:")
ONLY_READ = Sentence(
    "apply.migration.only-read", "{device} was only read; the copy begins anew when the run goes on."
)

# Going on, undoing and keeping.
UNDOING = Sentence(
    "apply.migration.undoing",
    "The run {name} was being undone: it cannot go on. Run `diskwright undo {run}` to finish that.",
)
UNDONE = Sentence("apply.migration.undone", "The run {name} is undone already.")
WAS_KEPT = Sentence(
    "apply.migration.was-kept", "The run {name} was kept: what could have undone it is deleted."
)
WROTE_NOTHING = Sentence(
    "apply.migration.wrote-nothing", "The run {name} wrote nothing, so there is nothing to undo."
)
KEEPING = Sentence(
    "apply.migration.keeping",
    "The run {name} was being kept. Run `diskwright keep {run}` to finish that. Nothing was written.",
)
KEPT = Sentence("apply.migration.kept", "The run {name} is kept already.")
NOT_DONE = Sentence(
    "apply.migration.not-done",
    "The run {name} is {state}: only what is done and was checked can be kept.",
)

# Mounting it at the end.
OTHER_NOW = Sentence(
    "apply.migration.other-now",
    "{device} holds another filesystem than {uuid} now, so it is not mounted.",
)
NOT_MOUNTED = Sentence("apply.migration.not-mounted", "It is not mounted:")
MOUNTED = Sentence("apply.migration.mounted", "{device} is mounted at {place}.")
MOUNTED_READ_ONLY = Sentence(
    "apply.migration.mounted-read-only",
    "{device} is mounted at {place}, read-only: to write to it, say `umount {place}` and mount it again.",
)
NEXT_TIME = Sentence("apply.migration.next-time", "It is mounted as ext4 when it is mounted next.")
CAN_BE_MOUNTED = Sentence("apply.migration.can-be-mounted", "{device} can be mounted now.")
MOUNT_FAILED = Sentence("apply.migration.mount-failed", "{device} could not be mounted at {place}:")
MOUNTED_SO = Sentence(
    "apply.migration.mounted-so",
    "{device} is mounted at {place} with the options of its line in {fstab}.",
)

# The result, and what is left to decide.
RESULT_DONE = Sentence("apply.migration.result-done", "The filesystem is as it was planned, and was checked.")
RESULT_FAILED = Sentence(
    "apply.migration.result-failed", "A step failed; the steps behind it were not begun."
)
RESULT_STOPPED = Sentence("apply.migration.result-stopped", "The run stopped between two steps.")
RESULT_REFUSED = Sentence(
    "apply.migration.result-refused",
    "The run was refused before its first write. The filesystem is as it was.",
)
RESULT_INTERRUPTED = Sentence("apply.migration.result-interrupted", "The run ended without finishing.")
RESULT_RUNNING = Sentence("apply.migration.result-running", "The run is still at work.")
RESULT_KEPT = Sentence(
    "apply.migration.result-kept", "The new filesystem is kept, and can no longer be undone."
)
RESULT_UNDONE = Sentence(
    "apply.migration.result-undone", "The migration was undone: the filesystem is as it was before."
)
RESULT = Sentence("apply.migration.result", "The run is {state}.")
TO_LOOK = Sentence(
    "apply.migration.to-look",
    "To look at it, say `mount -o ro,noload {device} /mnt`, and `umount /mnt` before it is undone. A mount "
    "for writing, without these options, ends the way back.",
)
ADVISED = Sentence(
    "apply.migration.advised",
    "`diskwright tune {device} --workload ID` tells which options suit its use, and can set them; "
    "`diskwright workloads` lists the IDs.",
)
KEEP = Sentence("apply.migration.keep", "Keep the new filesystem on {device}?")
KEEP_MEANS = Sentence("apply.migration.keep-means", "Keeping ends the way back.")
KEEP_FREES = Sentence(
    "apply.migration.keep-frees", "Keeping ends the way back and frees {room:size} in {folder}."
)
FROM_THEN = Sentence(
    "apply.migration.from-then", "From then on the filesystem is mounted and used as any other."
)
UNDO = Sentence("apply.migration.undo", "Undo the conversion of {device}?")
UNDO_FILE = Sentence("apply.migration.undo-file", "Undoing puts the file back as it was.")
UNDO_MEANS = Sentence(
    "apply.migration.undo-means",
    "Undoing brings the filesystem back to the bit, as it was before. That is possible as long as nobody has "
    "mounted it for writing. Once it is undone, the new one is gone.",
)

# Steps.
CONFIRM = Sentence(
    "apply.migration.confirm",
    "To confirm that {outcome}, give the token of {drive} with --confirm {token}: {given} is not it. Nothing "
    "was written.",
)
BECOMES = Sentence("apply.migration.becomes", "{device} is to become ext4")
BECOMES_FRESH = Sentence(
    "apply.migration.becomes-fresh", "{target} is to become a new ext4 with everything of {device}"
)
MIGRATING = Sentence(
    "apply.migration.migrating",
    "Migrating {device} in one step.",
    "Migrating {device} in {count} steps.",
)
GOING_ON = Sentence("apply.migration.going-on", "Going on with the migration of {device}.")
TAKING_BACK = Sentence("apply.migration.taking-back", "Taking back the migration of {device}.")
KEEPS = Sentence("apply.migration.keeps", "Keeping the migration of {device}.")
NO_APPLY = Sentence(
    "apply.migration.no-apply",
    "The run {name} is no `apply`: it is not undone over what changed since. Nothing was written.",
)
NOTHING_TO_RESUME = Sentence(
    "apply.migration.nothing-to-resume", "The run {name} is {state}: there is nothing to resume."
)
ENDED = Sentence("apply.migration.ended", "{program} ended with status {status}:")
WAS_ENDED = Sentence("apply.migration.was-ended", "{program} ended with status {status}")
DONE = Sentence("apply.migration.done", "Done on {node}.")
DONE_REPAIRED = Sentence("apply.migration.done-repaired", "Done on {node}; {repaired}.")
REPAIRED = Sentence("apply.migration.repaired", "e2fsck repaired what was damaged")
PUT_RIGHT = Sentence("apply.migration.put-right", "e2fsck put right what every start puts right")
FINISHED = Sentence("apply.migration.finished", "e2fsck put right what the change itself had left to it")
DAMAGED = Sentence(
    "apply.migration.damaged",
    "{device} is damaged, and nothing of it was repaired. The first of what e2fsck finds: {found}",
)
UNTOLD = Sentence("apply.migration.untold", "it does not say what.")
TO_REPAIR = Sentence(
    "apply.migration.to-repair",
    "To have it repaired first, in a way that can be undone, say `{command}`. A backup before that is wise.",
)

# The line of fstab.
LINE_AFTER = Sentence("apply.migration.line-after", "the new line is there once, and the old one no longer")
LINE_BEFORE = Sentence("apply.migration.line-before", "the line is as it was")
FILE_CHANGED = Sentence("apply.migration.file-changed", "{file} was changed")
SOMEBODY_ELSE = Sentence(
    "apply.migration.somebody-else",
    "It was not changed, since somebody else has changed it meanwhile: {seen}.",
)
NEW_LINE = Sentence("apply.migration.new-line", "Line {number} of {file} is the new one.")

# Checks.
SAME_FILESYSTEM = Sentence(
    "apply.migration.same-filesystem",
    "It is the same filesystem: its UUID, its label and its sizes are what they were.",
)
HAS_BYTES = Sentence("apply.migration.has-bytes", "inodes have {bytes} bytes")
MAPPED = Sentence("apply.migration.mapped", "{mapped} of {files} files and folders are mapped by extents")
LACKS = Sentence("apply.migration.lacks", "it lacks {features:list}")
HAS = Sentence("apply.migration.has", "it has {features:list}")
READ_BEFORE = Sentence(
    "apply.migration.read-before",
    "Every file was read before the first change: {entries} entries in {duration}.",
)
SAME_ENTRIES = Sentence(
    "apply.migration.same-entries",
    "{entries} entries are the same, to the byte, the hole and the attribute",
)
SAME_FILES = Sentence("apply.migration.same-files", "Every file, folder and link is what it was before.")

# On a snapshot, or in files alone.
STORE_USED = Sentence(
    "apply.migration.store-used",
    "{used:exact} of the snapshot's store are used; {device} has not changed.",
)
COMMITTED = Sentence(
    "apply.migration.committed",
    "{device} holds what was made and looked at on the snapshot, read again from the drive.",
)
COMMITTED_USED = Sentence(
    "apply.migration.committed-used",
    "{device} holds what was made and looked at on the snapshot. It was written to since the last of it was "
    "put there.",
)
SNAPSHOT_GONE = Sentence(
    "apply.migration.snapshot-gone",
    "Nothing of it is on {device}: everything was done on a snapshot, which is gone.",
)
BACK_USED = Sentence(
    "apply.migration.back-used",
    "{device} is the filesystem that it was: nothing of the change is on it. It was written to since, so "
    "that it can no longer be compared bit for bit.",
)
BACK = Sentence(
    "apply.migration.back",
    "{device} is what it was. All that was replaced was read again from the drive, and is the same bit for "
    "bit.",
)
DELETED = Sentence(
    "apply.migration.deleted", "What could have undone it is deleted, which freed {freed:exact}."
)
NOT_WRITTEN_TO = Sentence("apply.migration.not-written-to", "{device} was not written to.")
NOTHING_KEPT = Sentence(
    "apply.migration.nothing-kept", "Nothing was kept of {device}, since nothing on it was changed."
)

# The way back.
OPEN = Sentence("apply.migration.open", "It can be undone until it is mounted for writing.")
UNKNOWN = Sentence("apply.migration.unknown", "Whether it can still be undone is not known: {why}.")
CLOSED = Sentence(
    "apply.migration.closed",
    "{device} was mounted for writing on {day} at {time} UTC, so it can no longer be undone.",
)
CLOSED_WRITTEN = Sentence(
    "apply.migration.closed-written", "{device} was written to since, so it can no longer be undone."
)
KEEP_FREES_ROOM = Sentence(
    "apply.migration.keep-frees-room", "`diskwright keep {run}` frees the room that is kept for that."
)
RESUME_FINISHES = Sentence(
    "apply.migration.resume-finishes", "`diskwright resume {run}` does what is left to do."
)
PLAN_ANEW = Sentence(
    "apply.migration.plan-anew",
    "Nor can it go on. `diskwright keep {run}` frees the room, and `diskwright migrate {device}` plans what "
    "is left.",
)
NOT_HELD = Sentence("apply.migration.not-held", "{node} does not hold its filesystem now")
ROOT_ONLY = Sentence("apply.migration.root-only", "only root can look at it")
NODE_GONE = Sentence("apply.migration.node-gone", "{node} is not there")
NODE_UNREAD = Sentence("apply.migration.node-unread", "{node} cannot be read ({why})")
NO_ANSWER = Sentence("apply.migration.no-answer", "{node} does not answer")
