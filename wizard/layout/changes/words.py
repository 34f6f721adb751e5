"""What is said of changes to a filesystem that exists: why one is not possible, what each does, and how it is
undone."""

from wizard.model.said import Sentence

UNREAD = Sentence("layout.changes.unread", "What {device} holds could not be read: run as root.")
HOLDS_NONE = Sentence("layout.changes.holds-none", "{device} holds no filesystem.")
HOLDS_OTHER = Sentence("layout.changes.holds-other", "{device} holds {what}, not a filesystem.")
READ_ONLY = Sentence("layout.changes.read-only", "{drive} is read-only.")
IN_USE = Sentence("layout.changes.in-use", "{use}.")
NO_LABEL = Sentence("layout.changes.no-label", "diskwright cannot change the label of {title}.")
UNMOUNT_FIRST = Sentence(
    "layout.changes.unmount-first", "{title} takes a new label only while unmounted; unmount {place} first."
)
HIDDEN = Sentence(
    "layout.changes.hidden", "{device} is mounted where this session cannot see it; unmount it there."
)
LABEL_FAULT = Sentence("layout.changes.label-fault", "The label '{label}' {fault}.")
OLD_LABEL = Sentence(
    "layout.changes.old-label", "The present label '{label}' {fault}, so it could not be put back."
)
SAME_LABEL = Sentence("layout.changes.same-label", "{device} has the label '{label}' already.")
LABEL_TAKEN = Sentence(
    "layout.changes.label-taken", "Line {number} of {file} mounts another filesystem by the label '{label}'."
)
STARTED_BY_LABEL = Sentence(
    "layout.changes.started-by-label",
    "The kernel was started with {word}; have the boot loader name the filesystem by its UUID first.",
)
BOOT_LOADER = Sentence(
    "layout.changes.boot-loader",
    "The system starts from {device}: make sure that its boot loader does not look for the old label.",
)
NEVER_MOUNTED = Sentence("layout.changes.never-mounted", "{device} holds {title}, which is never mounted.")
NO_DRIVER = Sentence("layout.changes.no-driver", "This kernel cannot mount {title}.")
MOUNTED = Sentence("layout.changes.mounted", "{device} is mounted at {places:and} already.")
MOUNTED_AT_BOOT = Sentence(
    "layout.changes.mounted-at-boot", "{device} is mounted at {place} already, also at every boot."
)
NOT_MOUNTED = Sentence("layout.changes.not-mounted", "{device} is not mounted.")
NOT_AT_BOOT = Sentence(
    "layout.changes.not-at-boot", "{device} is not mounted, and {file} has no line for it."
)
SYSTEM_NEEDS = Sentence("layout.changes.system-needs", "The running system needs {device} ({place}).")
BUSY = Sentence("layout.changes.busy", "{place} is in use by {users:and}. End that first.")
BELOW = Sentence("layout.changes.below", "{below} is mounted below {place}; unmount that first.")
FOLDER_ALONE = Sentence(
    "layout.changes.folder-alone", "Only a folder of {device} is mounted at {place}; unmount it with umount."
)
JOURNAL_THERE = Sentence(
    "layout.changes.journal-there", "The run's journal lies on {place}; name another folder with --journal."
)
NEEDS_PLACE = Sentence(
    "layout.changes.needs-place", "{device} has no label to name a folder in /srv by; name one with --at."
)
PLACE_FAULT = Sentence("layout.changes.place-fault", "The mount point {place} {fault}.")
OTHER_PLACE = Sentence("layout.changes.other-place", "{file} mounts {device} at {place}; leave out --at.")
OTHER_OPTIONS = Sentence(
    "layout.changes.other-options", "{file} has options for {device}; change those with `diskwright remount`."
)
LINE_THERE = Sentence("layout.changes.line-there", "{file}, {conflict}. Remove that line first.")
NO_UUID = Sentence("layout.changes.no-uuid", "{device} has no UUID to name it by in {file}; mount it --once.")
OPTION_FAULT = Sentence("layout.changes.option-fault", "{fault}.")
RISKY = Sentence("layout.changes.risky", "{option} puts data at risk.")
SUBVOLUME_STAYS = Sentence(
    "layout.changes.subvolume-stays", "Another subvolume cannot be chosen by an option here."
)
NO_LINE = Sentence("layout.changes.no-line", "{file} has no line for {device}; mount it at boot first.")
NOTHING_CHANGES = Sentence("layout.changes.nothing-changes", "{device} has these options already.")
NOT_ADVISED = Sentence(
    "layout.changes.not-advised", "{device} holds {filesystem}, for which nothing is recommended."
)
NOT_REMOVABLE = Sentence("layout.changes.not-removable", "{drive} is not a removable drive.")
NVME_STAYS = Sentence(
    "layout.changes.nvme-stays", "{drive} is an NVMe drive, which cannot be powered off here."
)
NO_SWITCH = Sentence("layout.changes.no-switch", "The kernel offers no way to power {drive} off.")
WHOLE_DRIVE = Sentence("layout.changes.whole-drive", "{device} is a partition; name its drive, {drive}.")

RELABEL = Sentence("layout.changes.relabel", "Label {device} '{new}' instead of '{old}'.")
LABEL = Sentence("layout.changes.label", "Label {device} '{new}'.")
MOUNT = Sentence("layout.changes.mount", "Mount {device} at {place}.")
UNMOUNT = Sentence("layout.changes.unmount", "Unmount {device} from {place}.")
EDIT_LINES = Sentence(
    "layout.changes.edit-lines", "Change one line of {file}.", "Change {count} lines of {file}."
)
EDIT_OPTIONS = Sentence(
    "layout.changes.edit-options", "Give {place} in {file} the options {new}, in place of {old}."
)
ADD_LINE = Sentence("layout.changes.add-line", "Mount it at every boot: one line more in {file}.")
DROP_LINES = Sentence(
    "layout.changes.drop-lines",
    "Do not mount it at boot any more: one line less in {file}.",
    "Do not mount it at boot any more: {count} lines less in {file}.",
)
POWER_OFF = Sentence("layout.changes.power-off", "Flush {drive} and power it off.")
EXTEND = Sentence(
    "layout.changes.extend", "Give {device} the free space behind it, {new:size} in all; it stays in use."
)
GROW = Sentence("layout.changes.grow", "Grow the {title} on {device} to {new:size}; it stays in use.")
END = Sentence("layout.changes.end", "{sign}{device}: {size} bytes from byte {start} on")
END_BACK = Sentence("layout.changes.end-back", "It gets its old end back, if its filesystem has not grown.")
NO_SHRINKING = Sentence(
    "layout.changes.no-shrinking",
    "Once it has grown there is no way back: {title} does not shrink while it is mounted. Its files stay.",
)
NO_POWER_BACK = Sentence(
    "layout.changes.no-power-back", "Not possible: unplug the drive and plug it in again."
)
LINES_BACK = Sentence(
    "layout.changes.lines-back", "The lines of {file} go back; a copy of the old file is kept."
)
LABEL_READ = Sentence("layout.changes.label-read", "libblkid reads the label '{label}' from {device}.")
IS_MOUNTED = Sentence("layout.changes.is-mounted", "{device} is mounted at {place}.")
IS_UNMOUNTED = Sentence("layout.changes.is-unmounted", "Nothing of {device} is mounted at {place}.")
LINES_READ = Sentence("layout.changes.lines-read", "{file} has the new lines once, and no old one.")
IS_EXTENDED = Sentence(
    "layout.changes.is-extended", "The table and the kernel say that {device} has {new:size}."
)
IS_GROWN = Sentence("layout.changes.is-grown", "The filesystem fills {device}.")
IS_OFF = Sentence("layout.changes.is-off", "The kernel no longer has {drive}.")
NOT_TRIED = Sentence(
    "layout.changes.not-tried",
    "This is not tried out first: the kernel grows the filesystem itself. Unmount it to have it tried out.",
)
GROW_UNMOUNTED = Sentence(
    "layout.changes.grow-unmounted",
    "{device} is not mounted: `diskwright plan {device} --grow` tries it out first.",
)
NOT_A_PARTITION = Sentence(
    "layout.changes.not-a-partition", "{device} is no partition, and has no end to move."
)
FILLS_IT = Sentence("layout.changes.fills-it", "No free space follows {device}, and its filesystem fills it.")
READ_ONLY_MOUNT = Sentence(
    "layout.changes.read-only-mount", "{device} is mounted read-only at {place}: it does not grow."
)
NAME_STAYS = Sentence(
    "layout.changes.name-stays", "The partition's own name in the table stays '{name}', the old label."
)
ASKED_ANEW = Sentence("layout.changes.asked-anew", "These are not the changes that it would take now.")

# What the steps of a purpose do.
RESERVE = Sentence("layout.changes.reserve", "Keep {new:size} of {device} for root, instead of {old:size}.")
RESERVE_NONE = Sentence(
    "layout.changes.reserve-none", "Keep nothing of {device} for root, instead of {old:size}."
)
REMOUNT = Sentence(
    "layout.changes.remount", "Mount {device} at {place} {how} from now on; it stays in use meanwhile."
)
WITH = Sentence("layout.changes.with", "with {options}")
WITHOUT = Sentence("layout.changes.without", "without {options}")
WITH_AND_WITHOUT = Sentence("layout.changes.with-and-without", "with {come} and without {gone}")
SET_QUEUE = Sentence("layout.changes.set-queue", "Set {name} of {drive} to {new} now, instead of {old}.")
NEW_RULES = Sentence("layout.changes.new-rules", "Have udev set {values:and} at every start: a new file.")
OTHER_RULES = Sentence(
    "layout.changes.other-rules", "Have udev set {values:and} at every start: a file of its rules changed."
)
VALUE = Sentence("layout.changes.value", "{name} to {value}")
TIMER = Sentence(
    "layout.changes.timer",
    "Switch {unit} on: once a week, every drive of this system that takes discards is told which blocks are "
    "free.",
)
QUEUE_BACK = Sentence("layout.changes.queue-back", "By setting it to {old} again.")
FILE_GONE = Sentence("layout.changes.file-gone", "By taking the file away again.")
FILE_BACK = Sentence("layout.changes.file-back", "By giving the file its old lines back.")
RESERVED = Sentence(
    "layout.changes.reserved", "The superblock of {device} says that {blocks} blocks are kept for root."
)
IS_MOUNTED_WITH = Sentence("layout.changes.is-mounted-with", "{device} is mounted at {place} with {options}.")
RULES_READ = Sentence("layout.changes.rules-read", "{file} holds exactly these lines.")
TIMER_ENABLED = Sentence("layout.changes.timer-enabled", "systemd says that {unit} is enabled.")
AT_END = Sentence("layout.changes.at-end", "@@ at its end @@")

# What is doubtful about a change.
ROOT_ONLY = Sentence(
    "layout.changes.root-only",
    "How many blocks are kept for root only root can read, so nothing is changed there.",
)
LINE_TWICE = Sentence(
    "layout.changes.line-twice",
    "{file} has the line of {device} twice, so it is left as it is; put that right first.",
)
MORE_LINES = Sentence(
    "layout.changes.more-lines", "{file} has lines for {device} at {places:and} too, which stay as they are."
)
FROM_NEXT_MOUNT = Sentence(
    "layout.changes.from-next-mount", "The change to {options:and} holds from the next mount on."
)
NO_RULES = Sentence(
    "layout.changes.no-rules",
    "There is no folder of udev's rules, so what is set now holds until the next start only.",
)
RULES_CHANGED = Sentence(
    "layout.changes.rules-changed",
    "{file} was changed by hand, so it is left as it is. What is set now holds until the next start only.",
)
NO_SERIAL = Sentence(
    "layout.changes.no-serial",
    "{drive} tells no serial number that udev's rule could know it by: it goes by its name, which can "
    "change.",
)

# Why a label cannot be: the end of a sentence.
CANNOT_CHANGE = Sentence("layout.changes.cannot-change", "cannot be changed")
NO_TEXT = Sentence("layout.changes.no-text", "cannot be read as text")

# Why changes that were read are none that diskwright would make: clauses of BROKEN.
BROKEN = Sentence("layout.changes.broken", "{where} does not hold together: {fault}. Make it again.")
OTHERWISE = Sentence("layout.changes.otherwise", "{fault}")
"""A fault that the rules for plans tell."""
OTHER_DRIVE = Sentence("layout.changes.other-drive", "'{device}' is not on {drive}")
CHANGES_NOTHING = Sentence("layout.changes.changes-nothing", "it changes nothing")
NOT_WANTED = Sentence("layout.changes.not-wanted", "what is wanted takes no {kind}")
UNORDERED = Sentence("layout.changes.unordered", "its changes are not in their order, or not each once")
NOT_WHOLE = Sentence("layout.changes.not-whole", "it names a filesystem where the whole drive is meant")
NO_FILESYSTEM = Sentence(
    "layout.changes.no-filesystem", "'{filesystem}' is no filesystem that diskwright knows"
)
BAD_UUID = Sentence("layout.changes.bad-uuid", "'{uuid}' is no UUID")
NO_WORKLOAD = Sentence("layout.changes.no-workload", "it has the unknown workload '{workload}'")
SETS_OTHER = Sentence(
    "layout.changes.sets-other", "it sets '{name}' of '{device}', which is not to be changed"
)
CHANGES_OTHER = Sentence("layout.changes.changes-other", "it changes '{device}'")
LABELS_OTHER = Sentence("layout.changes.labels-other", "it labels another filesystem")
NO_MOUNT = Sentence("layout.changes.no-mount", "'{place}' is no place where anything is mounted")
ITS_LABEL = Sentence("layout.changes.its-label", "its label {fault}")
OLD_LABEL_FAULT = Sentence("layout.changes.old-label-fault", "its old label {fault}")
MOUNTS_OTHERWISE = Sentence("layout.changes.mounts-otherwise", "it mounts it otherwise than it can be")
ITS_PLACE = Sentence("layout.changes.its-place", "its mount point {fault}")
NO_OPTION = Sentence("layout.changes.no-option", "'{option}' is no option")
ENDS_OTHERWISE = Sentence("layout.changes.ends-otherwise", "it gives '{device}' an end that it cannot have")
GROWS_OTHERWISE = Sentence("layout.changes.grows-otherwise", "it grows something that does not grow so")
POWERS_OTHER = Sentence("layout.changes.powers-other", "it powers something else off")
BAD_VALUE = Sentence(
    "layout.changes.bad-value",
    "'{value}' for '{name}' is no value of a drive's queue that diskwright sets",
)
RESERVES_OTHER = Sentence("layout.changes.reserves-other", "it keeps blocks for root on '{device}'")
BAD_RESERVE = Sentence("layout.changes.bad-reserve", "the blocks that it keeps for root cannot be")
REMOUNTS_OTHER = Sentence("layout.changes.remounts-other", "it mounts '{device}' at '{place}' anew")
BAD_REMOUNT = Sentence(
    "layout.changes.bad-remount", "it mounts with other options than those that can be changed in use"
)
NO_FSTAB = Sentence("layout.changes.no-fstab", "'{file}' is no file of mounts at boot")
BAD_LINE = Sentence(
    "layout.changes.bad-line",
    "it changes no line of mounts at boot",
)
MORE_THAN_ADDED = Sentence("layout.changes.more-than-added", "it changes a line where it adds one")
MORE_THAN_TAKEN = Sentence("layout.changes.more-than-taken", "it changes a line where it takes one away")
MORE_THAN_LABEL = Sentence("layout.changes.more-than-label", "it changes more than the label")
MORE_THAN_CHANGED = Sentence("layout.changes.more-than-changed", "it adds a line, or takes one away")
MORE_THAN_OPTIONS = Sentence("layout.changes.more-than-options", "it changes more than a line's options")
AT_RISK = Sentence("layout.changes.at-risk", "{option} puts data at risk")
OTHER_RULES_FILE = Sentence(
    "layout.changes.other-rules-file", "'{file}' is not the drive's own file of udev's rules"
)
EMPTY_RULES = Sentence("layout.changes.empty-rules", "its rules set nothing, or something twice")
AGAIN_WITH_TUNE = Sentence("layout.changes.again-with-tune", "Make it again with `diskwright tune`.")
