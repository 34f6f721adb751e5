"""What is said of a plan as a whole: what lies where, what goes, and until when it can be put back."""

from wizard.model.said import Sentence

# Until when what is on the drives can be put back.
TRIED = Sentence(
    "layout.told.tried",
    "Everything is tried out on a stand-in for the drive first, and what it holds where it changes is saved.",
    "Everything is tried out on a stand-in for the drives first, and what they hold where it changes is "
    "saved.",
)
WAITS = Sentence("layout.told.waits", "{written}: `diskwright keep` puts it to use, and until then {undone}.")
WRITTEN = Sentence("layout.told.written", "When all is written it waits, not yet in use")
UNDONE = Sentence("layout.told.undone", "`diskwright undo` puts back what was there, bit for bit")
KEPT_AT_ONCE = Sentence(
    "layout.told.kept-at-once",
    "It is put to use as soon as it is written. What was there is lost then, and `undo` does not bring it "
    "back.",
)
OPENED = Sentence(
    "layout.told.opened", "What is encrypted is opened then, so `keep` asks for the passphrase."
)
ONLY_ZEROS = Sentence(
    "layout.told.only-zeros",
    "Where it holds only zeros there is nothing to put back: it is put to use at once.",
    "Where they hold only zeros there is nothing to put back: it is put to use at once.",
)
DIRECT = Sentence(
    "layout.told.direct",
    "The steps run on the drive directly, since {why}. A power cut or an error can leave a part of them "
    "done. What was there can be put back only until the first step that cannot be undone.",
    "The steps run on the drives directly, since {why}. A power cut or an error can leave a part of them "
    "done. What was there can be put back only until the first step that cannot be undone.",
)
ONCE_KEPT = Sentence("layout.told.once-kept", ", once you keep it")
ROOM_NOT_YET = Sentence(
    "layout.told.room-not-yet",
    "How much room the way back takes is not known yet: root finds that out by trying the plan out.",
)

# What goes.
ALL_OF_PART = Sentence("layout.told.all-of-part", "All of partition {number}: {content}, {size:size}.")
DRIVES_PART = Sentence(
    "layout.told.drives-part", "{drive}: all of partition {number}, {content}, {size:size}."
)
DRIVE_UNREAD = Sentence(
    "layout.told.drive-unread",
    "{drive}: whatever it holds; it could not be read when this was planned.",
)
DRIVE_MARKED = Sentence(
    "layout.told.drive-marked", "{drive}: all of it, which is recognised as {marks:list}."
)
FREE_USED = Sentence(
    "layout.told.free-used",
    "Uses free space of {drives:and}. Data there that nothing recognises, such as a deleted partition, is "
    "lost.",
)

# What lies where.
NO_SERIAL = Sentence("layout.told.no-serial", "no serial number")
SERIAL = Sentence("layout.told.serial", "serial {number}")
UNNAMED = Sentence("layout.told.unnamed", "unnamed drive")
STRIPED = Sentence(
    "layout.told.striped",
    "Striping is no safety: every file is spread over all {drives} drives. When any one of them fails, "
    "everything on all of them is lost. Only a copy elsewhere helps against that.",
)
TOGETHER = Sentence(
    "layout.told.together", "On all {drives} of them together: {what}, about {size:size}, {how}."
)
CHUNKED = Sentence("layout.told.chunked", "{unit:exact} to each drive in turn")
COPIED = Sentence("layout.told.copied", "every byte on {copies} of them")
BEFORE = Sentence("layout.told.before", "Before: {holds:semicolons}")
AFTER = Sentence("layout.told.after", "After: {holds:semicolons}")
NO_TABLE = Sentence("layout.told.no-table", "no partition table")
NOT_READ = Sentence("layout.told.not-read", "not read")
ON_ITSELF = Sentence("layout.told.on-itself", "on the drive itself: {marks:list}")
WAITING_THERE = Sentence("layout.told.waiting-there", "waiting there: {waiting}")
ALL_OF_IT = Sentence("layout.told.all-of-it", "all of it")
IN_GROUP = Sentence("layout.told.in-group", "In {device}, LVM's volume group {name}:")
LEFT = Sentence(
    "layout.told.left",
    "{left:size} ({left} bytes) of it are left, for snapshots or to make one of them larger.",
)
WITHIN = Sentence(
    "layout.told.within", 'Within "{label}", as subvolumes that share its room: {subvolumes:list}.'
)
SUBVOLUME = Sentence("layout.told.subvolume", "{name} {where}")
TURNED_ON = Sentence("layout.told.turned-on", "turned on")
MOUNTED_AT = Sentence("layout.told.mounted-at", "mounted at {place}")
NOT_MOUNTED = Sentence("layout.told.not-mounted", "not mounted")

# The steps.
MOUNT_NOW_AND_AT_BOOT = Sentence(
    "layout.told.mount-now-and-at-boot", "Mount {what} at {place}, now and at every boot."
)
SWAP_NOW_AND_AT_BOOT = Sentence(
    "layout.told.swap-now-and-at-boot", "Swap to {device}, now and at every boot."
)
WITH_OPTIONS = Sentence("layout.told.with-options", "Options: {options}.")
MAY_WRITE = Sentence("layout.told.may-write", "Who may write: {who}.")
STEPS = Sentence(
    "layout.told.steps", "{count} step, {time} (an estimate):", "{count} steps, {time} (an estimate):"
)
TAKES = Sentence("layout.told.takes", "Takes {time} (an estimate).")
DESTROYS = Sentence("layout.told.destroys", "Destroys:")
UNDO = Sentence("layout.told.undo", "Undo:")
IN_DOUBT = Sentence("layout.told.in-doubt", "In doubt:")
