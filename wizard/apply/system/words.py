"""What is said of what is mounted, and of the files that name what is mounted and opened at boot."""

from wizard.model.said import Sentence

# A file that is edited.
CHANGED_ALL_THE_TIME = Sentence(
    "apply.system.changed-all-the-time",
    "{file} is changed all the time by another program. It was left alone.",
)
NOT_AS_WRITTEN = Sentence("apply.system.not-as-written", "{file} does not read as it was written.")
NOT_REPLACED = Sentence("apply.system.not-replaced", "{file} could not be replaced: {why}. It is as it was.")
LOCKED = Sentence("apply.system.locked", "{folder} is locked by another program.")
NOT_LOCKED = Sentence("apply.system.not-locked", "{folder} cannot be locked: {why}.")
NOT_A_FILE = Sentence("apply.system.not-a-file", "{file} is {otherwise}. Nothing was written.")
NOT_WRITABLE = Sentence("apply.system.not-writable", "{file} cannot be written here. Nothing was written.")
NOT_THERE_BEFORE = Sentence(
    "apply.system.not-there-before",
    "{file}, {conflict}. It was not there when this run began. The file was not changed.",
)

# What is opened at boot.
NO_CRYPTTAB = Sentence("apply.system.no-crypttab", "no file of what is opened at boot")
OPENS = Sentence("apply.system.opens", "line {line} already opens {device} as {name}")
HAS_CONTAINER = Sentence("apply.system.has-container", "line {line} already speaks of the container {uuid}")
REMOVE_LINE = Sentence(
    "apply.system.remove-line", "{file}, {conflict}. Nothing was written. Remove that line."
)

# What is mounted at boot.
NO_ENTRY = Sentence(
    "apply.system.no-entry",
    "{file}, line {line} is no entry that mount can read: {text!r}. Put it right first.",
)
MOUNTS = Sentence("apply.system.mounts", "line {line} already mounts {device} at {place}")
HAS_FILESYSTEM = Sentence(
    "apply.system.has-filesystem", "line {line} already speaks of the filesystem {uuid}"
)
REMOVE_OR_CHOOSE = Sentence(
    "apply.system.remove-or-choose",
    "{file}, {conflict}. Nothing was written. Remove that line or choose another mount point.",
)
ANOTHER = Sentence("apply.system.another", "{file} is another by now. It was not changed.")
ANOTHER_LINE = Sentence(
    "apply.system.another-line", "Line {line} of {file} is another by now. The file was not changed."
)
LINES_AGAIN = Sentence(
    "apply.system.lines-again", "{file} has its old line again.", "{file} has its old lines again."
)
LINES_THERE = Sentence("apply.system.lines-there", "{file} has its old line.", "{file} has its old lines.")
CHANGED_SINCE = Sentence("apply.system.changed-since", "{file} was changed since, and is left as it is.")

# What is mounted now.
NOTHING_MOUNTED = Sentence("apply.system.nothing-mounted", "nothing is mounted there")
OTHER_DEVICE = Sentence("apply.system.other-device", "{found} is mounted there instead of {device}")
OTHER_NUMBER = Sentence(
    "apply.system.other-number", "device {number} is mounted there, which is not {device} any more"
)
OTHER_TYPE = Sentence("apply.system.other-type", "its type is {found}, not {filesystem}")
OTHER_SUBVOLUME = Sentence("apply.system.other-subvolume", "{found} of it is mounted, not {subvolume}")
OTHER_OPTION = Sentence("apply.system.other-option", "{option} was recommended and {other} is in force")
NO_OPTION = Sentence("apply.system.no-option", "{option} was recommended and is not in force")
READ_ONLY = Sentence("apply.system.read-only", "it is read-only")
A_PROGRAM = Sentence("apply.system.a-program", "a program")
OTHERS = Sentence("apply.system.others", "others")

# A file with a key.
KEY_NO_FILE = Sentence("apply.system.key-no-file", "The key {file} is no file.")
KEY_OTHERS = Sentence(
    "apply.system.key-others",
    "The key {file} belongs to {uid} with mode {mode}; it has to be root's, and readable by nobody else.",
)
KEY_UNREAD = Sentence("apply.system.key-unread", "The key {file} cannot be read: {why}.")
KEY_FAULT = Sentence("apply.system.key-fault", "The key {file} {fault}.")
