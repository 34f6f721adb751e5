"""What is said of runs: where they are kept, whether they can be taken up, and how they stand."""

from wizard.model.said import Sentence

NOTHING_WRITTEN = Sentence("apply.run.nothing-written", "Nothing was written.")
NOTHING_WRITTEN_NOW = Sentence("apply.run.nothing-written-now", "Nothing was written now.")
DISK_FULL = Sentence("apply.run.disk-full", "the disk is full")
UNWRITTEN = Sentence("apply.run.unwritten", "{file} could not be written: {why}.")

# Beginning a run.
NEEDS_ROOT = Sentence(
    "apply.run.needs-root", "This needs root: say sudo before the command. Nothing was written."
)
CANNOT_STOP = Sentence(
    "apply.run.cannot-stop", "The run cannot be asked to stop: {file} cannot be written ({why})."
)
NOT_STARTED = Sentence("apply.run.not-started", "The process that applies could not be started: {why}.")
LAST_WORDS = Sentence(
    "apply.run.last-words", "The process that applies could not be started; {log} has its last words."
)

# Settling and ending it.
LATER = Sentence("apply.run.later", "Later: {commands}")
OR = Sentence("apply.run.or", "{first}, or {other}")
APPLYING = Sentence("apply.run.applying", "Applying")
KEEPING = Sentence("apply.run.keeping", "Keeping")
UNDOING = Sentence("apply.run.undoing", "Undoing")
INTERRUPTED = Sentence("apply.run.interrupted", "{doing} was interrupted.")
ENDED_BY_YOU = Sentence(
    "apply.run.ended-by-you",
    "Ended by you. {doing} goes on by itself; `diskwright status {run}` tells how it stands.",
)
AGAIN = Sentence("apply.run.again", "Run `diskwright {purpose} {run}` again; it can be repeated.")

# The journal.
JOURNAL_UNWRITTEN = Sentence("apply.run.journal-unwritten", "The journal in {run} cannot be written: {why}.")
JOURNAL_UNREAD = Sentence("apply.run.journal-unread", "The journal {file} cannot be read: {why}.")
JOURNAL_DAMAGED = Sentence("apply.run.journal-damaged", "it is damaged")
DAMAGED = Sentence("apply.run.damaged", "{place} is damaged.")
NOBODY_KNOWS = Sentence(
    "apply.run.nobody-knows",
    "Without it nobody knows what the run did to its drive. Put the run's folder back in its place, or look "
    "at the drive with `diskwright inspect` first.",
)
NO_STEP_BEGUN = Sentence(
    "apply.run.no-step-begun",
    "By its journal the run has begun no step, so it has written nothing to the drive.",
)
BY_ITS_JOURNAL = Sentence(
    "apply.run.by-its-journal", "By its journal {steps:and}; nothing after that was begun."
)
STEPS_DONE = Sentence("apply.run.steps-done", "step {steps:list} is done", "steps {steps:list} are done")
STEPS_BEGUN = Sentence(
    "apply.run.steps-begun",
    "step {steps:list} is begun and not done",
    "steps {steps:list} are begun and not done",
)
NOT_NOTED = Sentence("apply.run.not-noted", "Nothing can be noted in the journal in {run}: {why}.")
READ_ONLY = Sentence("apply.run.read-only", "its filesystem is read-only")
MAY_BE_FAILING = Sentence(
    "apply.run.may-be-failing",
    "If that filesystem turned read-only by itself, its disk may be failing: look at the kernel's messages "
    "first.",
)
WHEN_WRITABLE = Sentence(
    "apply.run.when-writable",
    "When it can be written to again (mount -o remount,rw), `diskwright resume {run}` goes on. Or "
    "`diskwright undo {run}` undoes what can be undone.",
)

# Locks.
UNOPENED = Sentence("apply.run.unopened", "{path} cannot be opened: {why}.")
LOCKED = Sentence(
    "apply.run.locked",
    "{path} is locked by another program, perhaps by a run that is still applying to it. Nothing was "
    "written. `diskwright status` lists the runs.",
)
LOCKED_MEANWHILE = Sentence(
    "apply.run.locked-meanwhile", "While udev caught up, another program locked one of the drives."
)
NO_LOCK = Sentence("apply.run.no-lock", "The run in {run} cannot be locked: {why}.")
BUSY = Sentence(
    "apply.run.busy",
    "The run {name} is being worked on by another process; `diskwright status` shows it.",
)
LOCK_UNREAD = Sentence(
    "apply.run.lock-unread", "{file} cannot be read: {why}. Whether the run is at work is not known."
)

# Where runs lie.
OPEN_FOLDER = Sentence(
    "apply.run.open-folder",
    "The journal is not kept in {folder}: everybody may write to {above}. Nothing was written. Name a "
    "folder that is root's alone with --journal DIR.",
)
NO_ROOM = Sentence("apply.run.no-room", "it has no room for {needed:exact}")
NOT_KEPT = Sentence(
    "apply.run.not-kept",
    "The journal cannot be kept in {folder}: {why}. Nothing was written. Make room, or name a folder on "
    "another mounted volume with --journal DIR.",
)
IN_MEMORY = Sentence(
    "apply.run.in-memory",
    "{folder} lies in memory: after a power cut this run could be neither resumed nor undone. Name a folder "
    "on another mounted volume with --journal DIR.",
)
NOT_LASTING = Sentence(
    "apply.run.not-lasting",
    "Without it nobody could finish what is half on the drive. Nothing was written.",
)
NOT_ROOTS = Sentence(
    "apply.run.not-roots",
    "{run} does not belong to root alone, so it is not trusted as a run. Nothing was written.",
)
ROOT_ONLY = Sentence(
    "apply.run.root-only", "The runs in {folder} can be read by root only: say sudo before the command."
)
NO_FOLDER = Sentence("apply.run.no-folder", "{folder} is no folder.")
RUNS_UNREAD = Sentence("apply.run.runs-unread", "The runs in {folder} cannot be read: {why}.")
NO_RUNS = Sentence("apply.run.no-runs", "There is no run in {folder}.")
UNKNOWN = Sentence("apply.run.unknown", "There is no run {name!r}; `diskwright status` lists them.")

# How far it is.
STEP_AT = Sentence("apply.run.step-at", "Step {step} is at {percent} percent.")
STEP_LEFT = Sentence("apply.run.step-left", "Step {step} is at {percent} percent, {left:time} left.")
STEP_RATE = Sentence(
    "apply.run.step-rate", "Step {step} is at {percent} percent, {left:time} left, at {rate:size} a second."
)
READING_AT = Sentence("apply.run.reading-at", "What it reads or checks now is at {percent} percent.")
READING_LEFT = Sentence(
    "apply.run.reading-left", "What it reads or checks now is at {percent} percent, {left:time} left."
)
HOW_FAR = Sentence("apply.run.how-far", "Done: {done}; not done: {left}.")
NONE = Sentence("apply.run.none", "none")
STEP = Sentence("apply.run.step", "step {number}")
STEPS = Sentence("apply.run.steps", "steps {first} to {last}")

# What a document says of itself.
NOT_TOLD = Sentence("apply.run.not-told", 'it does not tell what holds now, "{sentence}"')
WRONGLY_TOLD = Sentence("apply.run.wrongly-told", 'it tells what does not hold now, "{sentence}"')
OTHERWISE = Sentence(
    "apply.run.otherwise",
    "The document explains itself otherwise than it is worked out now: {fault}. Make it again with "
    "`{again}`. Nothing was written.",
)

# What was saved of drives.
REGIONS = Sentence("apply.run.regions", "1 region with {size:exact}", "{count} regions with {size:exact}")
NOT_SAVED = Sentence("apply.run.not-saved", "What is on the drive could not be saved in {folder}: {why}.")
SAVED_GONE = Sentence("apply.run.saved-gone", "What was saved of the drive is not there: {folder} is gone.")
SAVED_UNREAD = Sentence(
    "apply.run.saved-unread", "What was saved of the drive in {folder} cannot be read: {why}."
)
SAVED_CHANGED = Sentence("apply.run.saved-changed", "{file} was changed or damaged; it cannot be put back.")
NOT_REGULAR = Sentence("apply.run.not-regular", "it is no regular file")
NO_BAD_SECTORS = Sentence(
    "apply.run.no-bad-sectors",
    "{run} moves no partition: --over-bad-sectors means nothing for it. Nothing was written.",
)
