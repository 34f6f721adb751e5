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
ADD_LINE = Sentence("layout.changes.add-line", "Mount it at every boot: one line more in {file}.")
DROP_LINES = Sentence(
    "layout.changes.drop-lines",
    "Do not mount it at boot any more: one line less in {file}.",
    "Do not mount it at boot any more: {count} lines less in {file}.",
)
POWER_OFF = Sentence("layout.changes.power-off", "Flush {drive} and power it off.")
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
IS_OFF = Sentence("layout.changes.is-off", "The kernel no longer has {drive}.")
NAME_STAYS = Sentence(
    "layout.changes.name-stays", "The partition's own name in the table stays '{name}', the old label."
)
ASKED_ANEW = Sentence("layout.changes.asked-anew", "These are not the changes that it would take now.")
