"""What the steps of a plan do."""

from wizard.model.said import Sentence

CLEAR_DRIVE = Sentence(
    "layout.steps.clear-drive", "Clear the signatures of {what} on the drive {device} itself."
)
CLEAR_DRIVE_ANY = Sentence(
    "layout.steps.clear-drive-any", "Clear old signatures on the drive {device} itself."
)
CLEAR = Sentence("layout.steps.clear", "Clear the signatures of {what} on {device}.")
CLEAR_ANY = Sentence("layout.steps.clear-any", "Clear old signatures in {device}.")
SWAP_AT_BOOT = Sentence(
    "layout.steps.swap-at-boot", "Turn it on as swap on every boot (one line in /etc/fstab)."
)
MOUNT_AT_BOOT = Sentence(
    "layout.steps.mount-at-boot", "Mount {what} at {place} on every boot (one line in /etc/fstab)."
)
IT = Sentence("layout.steps.it", "it")
MOUNT = Sentence("layout.steps.mount", "Mount {device} at {place}.")
MOUNT_SUBVOLUME = Sentence("layout.steps.mount-subvolume", "Mount {name} of {device} at {place}.")
SWAP_ON = Sentence("layout.steps.swap-on", "Let the kernel swap to {device}.")

EMPTY_ZONES = Sentence(
    "layout.steps.empty-zones", "{erased}, and whatever marks are left where it has no zones to empty."
)
ZONES_ERASED = Sentence(
    "layout.steps.zones-erased", "Empty every zone of {device}, which erases the whole drive"
)
MAKE = Sentence("layout.steps.make", "Make the {filesystem} {noun} {label} on {devices:and}.")
MAKE_SPREAD = Sentence(
    "layout.steps.make-spread", "Make the {filesystem} {noun} {label} on {devices:and}: {spread}."
)
SPREAD = Sentence("layout.steps.spread", "its files and its own records once, spread over all of them")
TWO_COPIES = Sentence("layout.steps.two-copies", "{copies}, so that a bad block is repaired from the other")
COPIES = Sentence(
    "layout.steps.copies", "its files and its own records in two copies, on two drives each (raid1)"
)
RECORDS_TWICE = Sentence(
    "layout.steps.records-twice",
    "{spread}, which costs little and lets a bad block in them be repaired, but brings no file back",
)
RECORDS_SPREAD = Sentence(
    "layout.steps.records-spread",
    "its files once, spread over all of them, and its own records on two (raid1)",
)
STRIPE_ARRAY = Sentence(
    "layout.steps.stripe-array",
    "Put {parts:and} together as the RAID0 {device}, named {name}: {chunk:exact} to each in turn.",
)
GROUP_ON = Sentence(
    "layout.steps.group-on", "Make LVM's volume group {name} on {part}, with its data from {start:exact} on."
)
GROUP_OF = Sentence("layout.steps.group-of", "Put {parts:and} together as LVM's volume group {name}.")
STRIPED_VOLUME = Sentence(
    "layout.steps.striped-volume",
    "Make the logical volume {device} over all {stripes} of them: {chunk:exact} to each in turn.",
)
NEW_TABLE = Sentence(
    "layout.steps.new-table",
    "Write a new {table} with {count} partition on {device}.",
    "Write a new {table} with {count} partitions on {device}.",
)
ADD = Sentence(
    "layout.steps.add",
    "Add {count} partition to the {table} on {device}; {kept}.",
    "Add {count} partitions to the {table} on {device}; {kept}.",
)
STAY = Sentence("layout.steps.stay", "{count} partition stays", "{count} partitions stay")
REHEARSED = Sentence(
    "layout.steps.rehearsed",
    "It is rehearsed on a stand-in for the drive first, where the kernel has loop devices.",
)
"""Said of a table that keeps partitions, in a plan whose other steps run on the drive itself; where the
kernel has none, the run says so before it writes.
"""
MAKE_SUBVOLUMES = Sentence(
    "layout.steps.make-subvolumes",
    "Make {names:list} in it, a subvolume of the filesystem on {device}.",
    "Make {names:list} in it, subvolumes of the filesystem on {device}.",
)
MAKE_CONTAINER = Sentence(
    "layout.steps.make-container",
    "{made}: its data begin {offset:exact} in, encrypted {sector} bytes at a stretch.",
)
CONTAINER = Sentence(
    "layout.steps.container",
    "Make an encrypted container (LUKS2) of {device}, which only the passphrase opens",
)
OPEN_CONTAINER = Sentence(
    "layout.steps.open-container",
    "Open the container on {device} as {opened}; it stays open until `cryptsetup close {name}` or the next "
    "start.",
)
OPEN_AT_START = Sentence(
    "layout.steps.open-at-start",
    "Have it opened as {name} at every start, which asks for the passphrase: one line in /etc/crypttab.",
)
OPEN_BY_KEY = Sentence(
    "layout.steps.open-by-key",
    "Have it opened as {name} at every start by the key in {key}: one line in /etc/crypttab.",
)

# What is written without a command.
TABLE_MARK_ZEROED = Sentence(
    "layout.steps.table-mark-zeroed",
    "zeros over a table's mark (55 AA, EFI PART) where one is left there",
)
"""FAT, NTFS and exFAT end their first sector with 55 AA, which wipefs takes for a table's and leaves in a
partition."""
PASSPHRASE_WAY = Sentence(
    "layout.steps.passphrase-way",
    "the passphrase, on the command's standard input; it is in no command, plan, journal or log",
)
TABLE_ENTRIES = Sentence("layout.steps.table-entries", "new {table} on {device}")
KEPT_ENTRIES = Sentence("layout.steps.kept-entries", "the {table} on {device}, with these entries")
FOLDER_MEANWHILE = Sentence("layout.steps.folder-meanwhile", "directory {place}, for as long as this takes")
FOLDER = Sentence("layout.steps.folder", "directory {place}, made if it is missing")
ENTRY = Sentence("layout.steps.entry", "partition {number}: {extent}, type {type}")
ENTRY_KEPT = Sentence("layout.steps.entry-kept", "partition {number}, kept: {extent}, type {type}")
ENTRY_NAMED = Sentence("layout.steps.entry-named", "{entry}, name {name}")
EXTENT = Sentence("layout.steps.extent", "start {start} bytes, size {size} bytes")
EXTENT_SECTOR = Sentence(
    "layout.steps.extent-sector", "start {start} bytes (sector {sector}), size {size} bytes"
)

# What a step destroys.
GPT = Sentence("layout.steps.gpt", "a GPT")
MBR = Sentence("layout.steps.mbr", "an MBR")
GPT_AND_MBR = Sentence("layout.steps.gpt-and-mbr", "a GPT and an MBR")
OLD = Sentence("layout.steps.old", "an old table")
MARKS = Sentence("layout.steps.marks", "{marks:and}")
ALL_OF_DRIVE = Sentence("layout.steps.all-of-drive", "All of {drive}: {content}, {size:size}.")
WIPED = Sentence("layout.steps.wiped", "The signatures of {what} on {device}; its data is overwritten later.")
WIPED_UNREAD = Sentence(
    "layout.steps.wiped-unread",
    "Whatever marks are on {device}; they could not be read when this was planned.",
)
EVERYTHING = Sentence("layout.steps.everything", "Everything on {device}, at once.")
WAITING_LOST = Sentence(
    "layout.steps.waiting-lost",
    "What waits there, {waiting}, and that run's way back to what was there before it.",
)
OLD_TABLE = Sentence("layout.steps.old-table", "The old table: {parts:semicolons}.")
OLD_TABLE_UNREAD = Sentence(
    "layout.steps.old-table-unread",
    "The old table, if there is one: it could not be read when this was planned.",
)
OLD_TABLE_EMPTY = Sentence(
    "layout.steps.old-table-empty", "The old table ({table}), which has no partitions."
)
ON_DRIVE = Sentence("layout.steps.on-drive", "on {drive}")
THERE = Sentence("layout.steps.there", "there")
DATA_LOST = Sentence("layout.steps.data-lost", "The data of what lay {where}: {parts:semicolons}.")
MARKED_LOST = Sentence("layout.steps.marked-lost", "The data of the {what} that lay {where}.")
UNREAD_LOST = Sentence(
    "layout.steps.unread-lost", "Whatever data lay {where}; they could not be read when this was planned."
)
PART = Sentence("layout.steps.part", "partition {number} ({content}, {size:size})")
LABELLED_PART = Sentence("layout.steps.labelled-part", "partition {number} ({content} {label}, {size:size})")

# How a step is undone.
UNTIL_KEPT = Sentence(
    "layout.steps.until-kept",
    "Until you keep it, `diskwright undo` puts back what was there, bit for bit; from then on that is lost.",
)
"""Said of every step that is rehearsed on a stand-in; the others are for plans that run on the drive
itself."""
KEPT_AT_ONCE = Sentence(
    "layout.steps.kept-at-once", "It is kept at once, and nothing is put back from then on."
)
"""The same of a plan that does not wait for a person's word."""
BYTES_SAVED = Sentence("layout.steps.bytes-saved", "The bytes it changes are saved first")
SAVED = Sentence(
    "layout.steps.saved",
    "{saved}, and `diskwright undo` puts them back as long as nothing was formatted.",
)
SAVED_TILL_MIRRORED = Sentence(
    "layout.steps.saved-till-mirrored",
    "{saved}, and `diskwright undo` puts them back as long as the mirror was not begun.",
)
TAKEN_APART = Sentence(
    "layout.steps.taken-apart",
    "{saved}; `diskwright undo` takes it apart again and puts them back as long as nothing was formatted.",
)
NOT_UNDONE = Sentence(
    "layout.steps.not-undone", "Cannot be undone: what was there before is lost from here on."
)
WITH_ITS_GROUP = Sentence(
    "layout.steps.with-its-group",
    "Together with its volume group, by `diskwright undo`, as long as nothing was formatted.",
)
FSTAB_BACK = Sentence(
    "layout.steps.fstab-back",
    "The old /etc/fstab is kept beside the new one; taking the line out again undoes it.",
)
CRYPTTAB_BACK = Sentence(
    "layout.steps.crypttab-back",
    "The old /etc/crypttab is kept beside the new one; taking the line out again undoes it.",
)
BY_UNMOUNTING = Sentence("layout.steps.by-unmounting", "By unmounting {place}.")
BY_SWAPOFF = Sentence("layout.steps.by-swapoff", "By `swapoff {device}`.")
BY_CLOSING = Sentence("layout.steps.by-closing", "By `cryptsetup close {name}`.")
SUBVOLUMES_BACK = Sentence(
    "layout.steps.subvolumes-back",
    "By `btrfs subvolume delete`, which loses nothing while they are empty; the filesystem itself stays.",
)

# What is checked when a step is done.
NOTHING_RECOGNISED = Sentence(
    "layout.steps.nothing-recognised", "No filesystem, RAID or table is recognised on {device}."
)
TABLE_READ = Sentence(
    "layout.steps.table-read",
    "The table read back from {device} has exactly these starts, sizes, types and names.",
)
KERNEL_SEES = Sentence("layout.steps.kernel-sees", "The kernel sees the same partitions.")
NEW_ALIGNED = Sentence(
    "layout.steps.new-aligned", "Each new partition is aligned by the kernel's rule and by parted's."
)
FSTAB_LINE = Sentence(
    "layout.steps.fstab-line",
    "/etc/fstab has exactly this one line for {what}, and every other line as before.",
)
SUBVOLUME_OF = Sentence("layout.steps.subvolume-of", "{name} of {uuid}")
CRYPTTAB_LINE = Sentence(
    "layout.steps.crypttab-line",
    "/etc/crypttab has exactly this one line for {uuid}, and every other line as before.",
)
IS_MOUNTED = Sentence("layout.steps.is-mounted", "{device} is mounted at {place}.")
IS_MOUNTED_WITH = Sentence("layout.steps.is-mounted-with", "{device} is mounted at {place} with {options}.")
SWAP_LISTED = Sentence("layout.steps.swap-listed", "The kernel lists {device} as swap.")
SUBVOLUMES_LISTED = Sentence("layout.steps.subvolumes-listed", "Btrfs lists on {device} exactly {names:and}.")
RECOGNISED = Sentence(
    "layout.steps.recognised",
    "{devices:and} is recognised as {what} with UUID {uuid}.",
    "{devices:and} are recognised as {what} with UUID {uuid}.",
)
SUPERBLOCK_STRIPED = Sentence(
    "layout.steps.superblock-striped",
    "Its superblock says that it is striped: {unit:exact} to a drive, {width:exact} to all of them.",
)
DATA_TWICE = Sentence("layout.steps.data-twice", "It lies on {devices} devices, with its data in two copies.")
DATA_STRIPED = Sentence(
    "layout.steps.data-striped", "It lies on {devices} devices, with its data striped over them."
)
ARRAY_FOUND = Sentence(
    "layout.steps.array-found",
    "mdadm finds on {device} and on each of its parts a RAID0 of {parts} with UUID {uuid}.",
)
GROUP_FOUND = Sentence(
    "layout.steps.group-found",
    "LVM finds the volume group {name} on {part} alone, with its data from {start:exact} on.",
)
GROUP_PARTS = Sentence(
    "layout.steps.group-parts",
    "LVM finds the volume group {name} on exactly these {parts} physical volumes.",
)
STRIPED_FOUND = Sentence(
    "layout.steps.striped-found", "LVM finds {device} striped over {stripes}, {chunk:exact} each."
)
KERNEL_ADVISES = Sentence(
    "layout.steps.kernel-advises",
    "The kernel advises {least:exact} at least and {best:exact} at best for {device}, and finds it aligned "
    "on every drive.",
)
HEADER_READ = Sentence(
    "layout.steps.header-read",
    "Its header says that the data begin {offset:exact} in, in sectors of {sector} bytes, and that place is "
    "aligned.",
)
IS_OPEN = Sentence(
    "layout.steps.is-open", "The device mapper has {opened} open on {device} and on nothing else."
)
