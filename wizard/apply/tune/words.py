"""What is said of changing a filesystem in use: how it stands, why it is refused, how it ended."""

from wizard.model.said import Sentence

NOTHING_WRITTEN = Sentence("apply.tune.nothing-written", "{why} Nothing was written.")
"""A refusal."""
TOLD = Sentence("apply.tune.told", "{said}")
"""A sentence of another room."""
SENTENCE = Sentence("apply.tune.sentence", "{clause:First}.")

# How something stands: clauses.
KEPT_FOR_ROOT = Sentence("apply.tune.kept-for-root", "{blocks} blocks are kept for root")
NOT_MOUNTED_AT = Sentence("apply.tune.not-mounted-at", "{device} is not mounted at {place}")
MOUNTED_AT = Sentence("apply.tune.mounted-at", "{device} is mounted at {place}")
MOUNTED_WITH = Sentence("apply.tune.mounted-with", "it is mounted with {options}")
NOTHING_MOUNTED = Sentence("apply.tune.nothing-mounted", "nothing is mounted at {place}")
HAS_LABEL = Sentence("apply.tune.has-label", "{device} has the label '{label}'")
KERNEL_HAS = Sentence("apply.tune.kernel-has", "the kernel has {device}")
KERNEL_HAS_NOT = Sentence("apply.tune.kernel-has-not", "the kernel no longer has {device}")
FILE_SAYS = Sentence("apply.tune.file-says", "{file} says {value}")
FILE_SAYS_NOTHING = Sentence("apply.tune.file-says-nothing", "{file} says nothing")
FILE_ABSENT = Sentence("apply.tune.file-absent", "{file} is not there")
FILE_NEW = Sentence("apply.tune.file-new", "{file} holds the new lines")
FILE_OTHER = Sentence("apply.tune.file-other", "{file} holds other lines")
TIMER_IS = Sentence("apply.tune.timer-is", "systemd says that {unit} is {state}")
TIMER_UNKNOWN = Sentence("apply.tune.timer-unknown", "systemd does not know {unit}")
LINES_THERE = Sentence("apply.tune.lines-there", "the new lines are there once, and no old one")
LINES_BEFORE = Sentence("apply.tune.lines-before", "the file is as it was")
LINES_OTHER = Sentence("apply.tune.lines-other", "{file} was changed")
HAS_BYTES = Sentence(
    "apply.tune.has-bytes", "{device} has {size:size} in the table, and {kernel:size} for the kernel"
)
NO_SUCH_PARTITION = Sentence("apply.tune.no-such-partition", "{device} no longer begins where it did")
ROOM_TAKEN = Sentence("apply.tune.room-taken", "the free space behind {device} is taken")
HOLDS_BYTES = Sentence("apply.tune.holds-bytes", "the filesystem on {device} has {size:size}")

# What cannot be read, or is not as it should be.
NOT_ONE = Sentence("apply.tune.not-one", "{device} no longer holds one filesystem.")
NO_RESERVE = Sentence(
    "apply.tune.no-reserve", "dumpe2fs does not say how many blocks of {device} are kept for root."
)
DRIVE_UNMEASURED = Sentence(
    "apply.tune.drive-unmeasured", "{drive} does not tell its size, so nothing is changed there."
)
NO_DEVICE = Sentence(
    "apply.tune.no-device", "There is no device {device}; `diskwright inspect` lists the drives."
)
NO_BLOCK_DEVICE = Sentence(
    "apply.tune.no-block-device", "{device} is no block device; name a partition, such as /dev/sdX1."
)
HOLDS = Sentence(
    "apply.tune.holds",
    "{device} holds {what}: name a partition that holds one filesystem. Without root little can be read of "
    "it.",
)
HOLDS_NOTHING = Sentence(
    "apply.tune.holds-nothing",
    "{device} holds nothing that is recognised: name a partition that holds one filesystem. Without root "
    "little can be read of it.",
)
BY_TUNE = Sentence("apply.tune.by-tune", "What suits a purpose is worked out by `diskwright tune`.")
NOTHING_BETTER = Sentence(
    "apply.tune.nothing-better", "Nothing that is known would suit {device} better for this purpose."
)
TABLE_OTHERWISE = Sentence(
    "apply.tune.table-otherwise", "{drive} does not hold the table that was written to it."
)

# Why it is refused.
OTHER_DRIVE = Sentence("apply.tune.other-drive", "{drive} is not a drive that this run may touch.")
NOT_TRUSTED = Sentence(
    "apply.tune.not-trusted", "{node} cannot be trusted to be on the drive of these changes: {reason}."
)
OTHER_FILE = Sentence(
    "apply.tune.other-file",
    "These changes are for {file}, not for {fstab}: say --fstab {file} if that is the system that you mean.",
)
OTHER_FOLDER = Sentence(
    "apply.tune.other-folder", "These changes write {file}, which does not lie in {folder}."
)
RUNNING_ONLY = Sentence("apply.tune.running-only", "{unit} can be switched on for the running system only.")
UNWRITABLE = Sentence("apply.tune.unwritable", "{file} cannot be written here.")
STANDS_OTHERWISE = Sentence(
    "apply.tune.stands-otherwise",
    "{seen:First} since these changes were made, or were begun. Make them again. Nothing was written.",
)
NOT_THERE = Sentence("apply.tune.not-there", "{drive} is not there")
CLONED = Sentence(
    "apply.tune.cloned", "{devices:list} hold the same filesystem {uuid}: detach all but the right one"
)
OTHER_FILESYSTEM = Sentence("apply.tune.other-filesystem", "{device} no longer holds the {kind} {uuid}")
FAULT_AGAIN = Sentence("apply.tune.fault-again", "{fault:First}. Make them again. Nothing was written.")
OTHER_TOKEN = Sentence(
    "apply.tune.other-token",
    "To confirm that these changes are for {device}, give its drive's token with --confirm {token}: "
    "'{given}' is not it.",
)
NO_APPLY = Sentence(
    "apply.tune.no-apply", "The run {run} is no `apply`: it is not undone over what changed since."
)
NOTHING_TO_KEEP = Sentence(
    "apply.tune.nothing-to-keep", "The run {run} changed a filesystem in use: there is nothing to keep."
)
NOTHING_TO_RESUME = Sentence(
    "apply.tune.nothing-to-resume", "The run {run} is {state}: there is nothing to resume."
)
BEING_UNDONE = Sentence(
    "apply.tune.being-undone",
    "The run {run} was being undone: it cannot go on. Run `diskwright undo {name}` to finish that.",
)
CANNOT_GO_ON = Sentence("apply.tune.cannot-go-on", "The run {run} cannot go on: {fault}.")
UNDONE_ALREADY = Sentence("apply.tune.undone-already", "The run {run} is undone already.")
WROTE_NOTHING = Sentence(
    "apply.tune.wrote-nothing", "The run {run} wrote nothing, so there is nothing to undo."
)
MAY_NOT_GROW = Sentence(
    "apply.tune.may-not-grow",
    "The kernel does not let root grow an ext filesystem in use here (CAP_SYS_RESOURCE). Unmount it first.",
)
NEVER_BACK = Sentence(
    "apply.tune.never-back", "The run {run} cannot be undone: {title} does not shrink while it is mounted."
)

# How a step, and a run, went.
ENDED_WITH = Sentence("apply.tune.ended-with", "{program} ended with status {status}: {said}.")
CHANGED_MEANWHILE = Sentence(
    "apply.tune.changed-meanwhile",
    "It was not changed, since somebody else has changed it meanwhile: {seen}.",
)
NOT_HOLDING = Sentence("apply.tune.not-holding", "It does not hold: {seen}. {now}")
NOT_PUT_BACK = Sentence("apply.tune.not-put-back", "It could not be put back either: {error}")
NOW = Sentence("apply.tune.now", "Now {seen}.")
LEFT = Sentence("apply.tune.left", "Left as it is, since it was changed since: {seen}.")
LEFT_GROWN = Sentence(
    "apply.tune.left-grown", "{device} keeps its new end: the filesystem on it has grown into it."
)
AS_IT_WAS = Sentence("apply.tune.as-it-was", "It is as it was: {seen}.")
NOT_TAKEN_BACK = Sentence("apply.tune.not-taken-back", "It could not be undone: {seen}.")
TAKEN_BACK = Sentence("apply.tune.taken-back", "Undone: {seen}.")
HAS_POWER = Sentence("apply.tune.has-power", "{device} is in use: {reason}. It has power still.")
NOT_SET = Sentence("apply.tune.not-set", "{file} does not take {value}: {reason}.")
NOT_GONE = Sentence("apply.tune.not-gone", "{file} could not be taken away: {reason}.")
MAKING = Sentence(
    "apply.tune.making", "Making one change for {device}.", "Making {count} changes for {device}."
)
GOING_ON = Sentence("apply.tune.going-on", "Going on with the changes for {device}.")
TAKING_BACK = Sentence("apply.tune.taking-back", "Taking back what was changed for {device}.")
STOPPED = Sentence("apply.tune.stopped", "Stopped before step {step} as asked. {far}")
STEP_FAILED = Sentence("apply.tune.step-failed", "Step {step} of {steps} failed: {error} {far}")
CHECKS_FAIL = Sentence(
    "apply.tune.checks-fail",
    "Every step was done, but 1 check does not hold.",
    "Every step was done, but {count} checks do not hold.",
)
IS_OFF = Sentence("apply.tune.is-off", "{device} is powered off: it can be unplugged.")
IS_CHANGED = Sentence(
    "apply.tune.is-changed",
    "{device} is changed exactly as shown; every check holds. `diskwright undo {run}` undoes it.",
)
IS_GROWN = Sentence(
    "apply.tune.is-grown", "{device} has grown as shown; every check holds. There is no way back."
)
DRIVES_OWN_STAYS = Sentence(
    "apply.tune.drives-own-stays", "{said:row} What is the drive's own could not be undone: {fault}."
)

# What a plan takes away that fstab or crypttab names. `remedy` is one of the sentences below.
LINE_LEFT = Sentence("apply.tune.line-left", "Line {line} of {file} names {source}, which is lost. {remedy}")
LINE_STOPS = Sentence(
    "apply.tune.line-stops",
    "Line {line} of {file} names {source}, which is lost. It has no nofail: the next start may stop there. "
    "{remedy}",
)
LINE_OVERWRITES = Sentence(
    "apply.tune.line-overwrites",
    "Line {line} of {file} overwrites {source} at every start. What this plan makes may be lost there. "
    "{remedy}",
)
UNMOUNT_IT = Sentence("apply.tune.unmount-it", "`diskwright unmount {device} --boot` first takes it out.")
TAKE_IT_OUT = Sentence("apply.tune.take-it-out", "Take that line out first.")
