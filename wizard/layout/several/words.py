"""What is said of one volume over several drives."""

from wizard.model.said import Sentence

# What a mirror is, and the steps that make it.
MIRROR_NOTE = Sentence(
    "layout.several.mirror-note",
    "A mirror survives the loss of {lost}, and is no backup. What is deleted, overwritten or damaged by a "
    "program is so on every copy at once. Of {raw:size} on the drives, about {files:size} hold files.",
)
ONE_DRIVE = Sentence("layout.several.one-drive", "one drive")
SOME_DRIVES = Sentence("layout.several.some-drives", "{lost} of its {drives} drives")
MIRROR = Sentence(
    "layout.several.mirror", "Put {parts:and} together as the mirror (RAID1) {device}, named {name}"
)
BITMAP = Sentence(
    "layout.several.bitmap",
    "{mirror}, with a bitmap of what is being written, so that after a crash only that is compared.",
)
COPYING = Sentence(
    "layout.several.copying", "As soon as it is put to use, md copies all of {first} over the rest"
)
COPYING_TIME = Sentence(
    "layout.several.copying-time",
    "at least {least} at the 200 MB/s that it allows itself, longer on slower drives",
)
COPIED_LATER = Sentence(
    "layout.several.copied-later",
    "{copying}: {time}; on a stand-in (--assume-clean) nothing is copied.",
)
USED_MEANWHILE = Sentence(
    "layout.several.used-meanwhile",
    "The volume can be used meanwhile, but only afterwards may a drive fail.",
)
MIRROR_FOUND = Sentence(
    "layout.several.mirror-found",
    "mdadm finds on {device} and on each of its parts a RAID1 of {parts} with UUID {uuid}",
)
MIRROR_SOUND = Sentence(
    "layout.several.mirror-sound", "{found} and a bitmap, its data aligned on every drive."
)
NO_STRIPE = Sentence(
    "layout.several.no-stripe",
    "The kernel advises no stripe for {device}, and finds it aligned on every drive.",
)
MIRROR_LOST = Sentence(
    "layout.several.mirror-lost",
    "What is on {parts:list}, which is written over from its first byte to its last.",
)

# Why several drives cannot be used together as was asked for.
CHUNK_FAULT = Sentence("layout.several.chunk-fault", "is no power of two from {least}K to {most}K")
NOT_ENCRYPTED = Sentence(
    "layout.several.not-encrypted",
    "Over several drives nothing is encrypted.",
)
TOO_LITTLE = Sentence(
    "layout.several.too-little", "The drives have too little room together: {filesystem} needs {least:exact}."
)
NONE_MADE = Sentence(
    "layout.several.none-made",
    "No filesystem that these drives could hold together can be made here. {reasons:row}",
)
REASON = Sentence("layout.several.reason", "{filesystem}: {obstacles:row}")
MIRROR_DRIVES = Sentence(
    "layout.several.mirror-drives",
    "A mirror takes from 2 to {most} drives; {count} was named.",
    "A mirror takes from 2 to {most} drives; {count} were named.",
)
STRIPE_DRIVES = Sentence(
    "layout.several.stripe-drives",
    "Striping takes from 2 to {most} drives; {count} was named.",
    "Striping takes from 2 to {most} drives; {count} were named.",
)
MIRROR_WHOLE = Sentence(
    "layout.several.mirror-whole", "A mirror takes whole drives: --use-free does not go with {option}."
)
STRIPE_WHOLE = Sentence(
    "layout.several.stripe-whole", "Striping takes whole drives: --use-free does not go with {option}."
)
MIRROR_SIZE = Sentence(
    "layout.several.mirror-size", "A mirrored volume takes all of its drives: leave the size out."
)
STRIPE_SIZE = Sentence(
    "layout.several.stripe-size", "A striped volume takes all of its drives: leave the size out."
)
MIRROR_ROLE = Sentence(
    "layout.several.mirror-role",
    "A mirrored volume has no role: firmware and boot loaders look for single partitions.",
)
STRIPE_ROLE = Sentence(
    "layout.several.stripe-role",
    "A striped volume has no role: firmware and boot loaders look for single partitions.",
)
NO_ENCRYPTION = Sentence("layout.several.no-encryption", "Encryption cannot be planned over several drives.")
OTHER_FILESYSTEM = Sentence(
    "layout.several.other-filesystem", "{option} {kind} takes {possible}, not {filesystem}."
)
BTRFS_MIRRORS = Sentence("layout.several.btrfs-mirrors", "Btrfs mirrors by itself: say {option} btrfs.")
BTRFS_STRIPES = Sentence("layout.several.btrfs-stripes", "Btrfs stripes by itself: say {option} btrfs.")
NO_MIRROR = Sentence("layout.several.no-mirror", "A mirror is made by {possible}, not by {kind}.")
MIRROR_OPTIONS = Sentence(
    "layout.several.mirror-options",
    "A mirror has no chunk, and Btrfs's records are kept twice with its files: leave --chunk and --metadata "
    "out.",
)
BTRFS_CHUNK = Sentence(
    "layout.several.btrfs-chunk",
    "Btrfs chooses its own chunk (64 KiB): --chunk does not go with --stripe btrfs.",
)
METADATA_ALONE = Sentence(
    "layout.several.metadata-alone",
    "--metadata is for --stripe btrfs; {kind} keeps no records of a filesystem.",
)
BAD_CHUNK = Sentence("layout.several.bad-chunk", "A chunk of {chunk:exact} {fault}; {usual:exact} is usual.")
BAD_METADATA = Sentence(
    "layout.several.bad-metadata", "Btrfs's metadata can be {possible} here, not '{asked}'."
)
ZONED = Sentence(
    "layout.several.zoned", "{drive} is a host-managed zoned drive: nothing can be spread over it."
)
SAME_NODE = Sentence("layout.several.same-node", "{drive} was named twice.")
SAME_SERIAL = Sentence(
    "layout.several.same-serial",
    "Two of the drives have the same serial number, {number}. It is one drive named twice, or nothing tells "
    "them apart.",
)
SAME_WWN = Sentence(
    "layout.several.same-wwn",
    "Two of the drives have the same WWN, {number}. It is one drive named twice, or nothing tells them "
    "apart.",
)
BLOCKS_DIFFER = Sentence(
    "layout.several.blocks-differ",
    "The drives have logical blocks of different sizes in bytes ({drives:list}): {kind} over them would not "
    "be sound.",
)
BLOCKS_OF = Sentence("layout.several.blocks-of", "{drive} {size}")
BAD_BLOCK = Sentence(
    "layout.several.bad-block", "The block size recommended for {filesystem} is no plain number of bytes."
)

# What is doubtful about several drives as one volume.
SHINGLED_MIRROR = Sentence(
    "layout.several.shingled-mirror",
    "{drive} is shingled: under long writing it stalls, and every drive of the mirror waits for it.",
)
SHINGLED_STRIPE = Sentence(
    "layout.several.shingled-stripe",
    "{drive} is shingled: under long writing it stalls, and every drive of the stripe waits for it.",
)
LIKELY_MIRROR = Sentence(
    "layout.several.likely-mirror",
    "{drive} is likely shingled: under long writing it stalls, and every drive of the mirror waits for it.",
)
LIKELY_STRIPE = Sentence(
    "layout.several.likely-stripe",
    "{drive} is likely shingled: under long writing it stalls, and every drive of the stripe waits for it.",
)
UNUSED = Sentence(
    "layout.several.unused",
    "{idle:size} of {drive} stay unused: every drive gives as much as the smallest one has.",
)
MIRROR_SLOW = Sentence("layout.several.mirror-slow", "a mirror writes as slowly as its slowest drive")
STRIPE_SLOW = Sentence("layout.several.stripe-slow", "a stripe is as fast as its slowest drive")
MIXED = Sentence("layout.several.mixed", "{turning} and {still}: {slow}, so the fast ones are wasted.")
ROTATE = Sentence("layout.several.rotate", "{drives:list} rotates", "{drives:list} rotate")
ROTATE_NOT = Sentence("layout.several.rotate-not", "{drives:list} does not", "{drives:list} do not")
LOOSE_MIRROR = Sentence(
    "layout.several.loose-mirror",
    "{drives:list} can be unplugged: a cable that slips in a write takes the drive out of the mirror. It "
    "then has to be put into the mirror again.",
)
LOOSE_STRIPE = Sentence(
    "layout.several.loose-stripe",
    "{drives:list} can be unplugged: a cable that slips takes the whole volume away, in the middle of a "
    "write.",
)
BUSES_DIFFER = Sentence(
    "layout.several.buses-differ", "The drives are attached in different ways ({buses:list}): {slow}."
)
NOBODY_TOLD = Sentence(
    "layout.several.nobody-told",
    "Whether anybody is told when a drive of the mirror fails could not be known. Unless somebody is, it "
    "then goes on in silence, with one copy less.",
)
MDADM_MAILS = Sentence("layout.several.mdadm-mails", "mdadm --monitor sends mail where it is set up.")
BTRFS_COUNTS = Sentence(
    "layout.several.btrfs-counts",
    "`btrfs device stats` counts errors, and with a drive gone it is mounted only with the option degraded.",
)
ASSEMBLED = Sentence(
    "layout.several.assembled",
    "Whether this system puts the array together at a start could not be known. mdadm's udev rules do so "
    "wherever mdadm stays installed. fstab then finds it by UUID, also when {device} has another number.",
)
MDADM_CONF = Sentence(
    "layout.several.mdadm-conf",
    "If it is needed before that (in the initramfs), add `{line}` to mdadm.conf (/etc/mdadm/mdadm.conf, or "
    "/etc/mdadm.conf). Then make the initramfs again.",
)
ACTIVATED = Sentence(
    "layout.several.activated",
    "Whether this system activates the volume group at a start could not be known. LVM's udev rules do so "
    "wherever lvm2 stays installed; elsewhere `vgchange --activate y {name}` does.",
)
SCANNED = Sentence(
    "layout.several.scanned",
    "Whether this system knows all devices of a Btrfs at a start could not be known. udev's rules tell the "
    "kernel of them wherever btrfs-progs stays installed. Elsewhere `btrfs device scan` does, before "
    "mounting.",
)

# Why a plan that was read is none that the planner makes.
BEFORE_UNORDERED = Sentence("layout.several.before-unordered", "its layout before is out of order")
BEFORE_BEYOND = Sentence(
    "layout.several.before-beyond", "its layout before reaches beyond what a drive can have"
)
BEFORE_MOUNTED = Sentence(
    "layout.several.before-mounted",
    "its layout before mounts something or keeps free space, as no plan does",
)
KEPT_IN_NEW = Sentence("layout.several.kept-in-new", "partition {number} is kept, while the table is new")
REMOVED_FROM_KEPT = Sentence(
    "layout.several.removed-from-kept", "partition {number} is removed, while the table is kept"
)
BEFORE_TWICE = Sentence("layout.several.before-twice", "its layout before names a partition twice")
BEFORE_WHOLE = Sentence(
    "layout.several.before-whole", "its layout before shows what only a layout after does"
)
WIPE_KEPT = Sentence("layout.several.wipe-kept", "it erases marks although everything is to stay")
WIPE_TWICE = Sentence("layout.several.wipe-twice", "it erases the marks of one device twice")
WIPE_ELSEWHERE = Sentence(
    "layout.several.wipe-elsewhere", "it erases marks on '{device}', which is not on {drive}"
)
WIPE_ON_NONE = Sentence(
    "layout.several.wipe-on-none", "it erases marks on '{device}', which is on none of its drives"
)
WRONG_COUNT = Sentence("layout.several.wrong-count", "it stripes over {drives} drives")
DRIVE_TWICE = Sentence("layout.several.drive-twice", "one drive is in it twice")
DRIVE_WITHIN = Sentence("layout.several.drive-within", "one of its drives could be a part of another")
SEVERAL_VOLUMES = Sentence("layout.several.several-volumes", "it stripes {volumes} volumes instead of one")
UUID_FAULT = Sentence("layout.several.uuid-fault", "its array has the UUID '{uuid}', which {fault}")
SAME_UUID = Sentence("layout.several.same-uuid", "two things in it have the same UUID")
UUID_COUNT = Sentence("layout.several.uuid-count", "its {kind} has {uuids} UUIDs instead of {wanted}")
OTHER_SETTING = Sentence(
    "layout.several.other-setting",
    "its {kind} has a name, a node or a setting that does not follow from its volume",
)
BLOCK_SIZES = Sentence("layout.several.block-sizes", "its drives have logical blocks of different sizes")
NO_COPIES = Sentence("layout.several.no-copies", "its {kind} keeps no copies, or has a chunk beside them")
ITS_CHUNK = Sentence("layout.several.its-chunk", "its chunk of {chunk:exact} {fault}")
NOT_MADE_ON = Sentence("layout.several.not-made-on", "{filesystem} is not made on {kind}")
VOLUME_ELSEWHERE = Sentence(
    "layout.several.volume-elsewhere", "its volume is at '{path}', which is not what it makes"
)
OTHER_OPTIONS = Sentence(
    "layout.several.other-options", "the options of its filesystem do not fit the stripe"
)
NO_ROOM = Sentence("layout.several.no-room", "its drives have no room")
OTHER_AFTER = Sentence(
    "layout.several.other-after", "the layout of {drive} after does not follow from its stripe"
)

OF_DRIVE = Sentence("layout.several.of-drive", "{drive}: {doubt}")
"""A doubt about one of several drives."""
