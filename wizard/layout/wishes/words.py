"""What is said of what a person asks for: volumes, roles, subvolumes, encryption."""

from wizard.model.said import Sentence

# --volume, word by word.
NO_PAIR = Sentence(
    "layout.wishes.no-pair",
    "--volume '{volume}': '{piece}' is no key=value pair. An example: --volume {example}.",
)
NO_KEY = Sentence(
    "layout.wishes.no-key", "--volume '{volume}': there is no key '{key}'; the keys are {keys:list}."
)
KEY_TWICE = Sentence("layout.wishes.key-twice", "--volume '{volume}' names {key} twice.")
NO_ROLE = Sentence(
    "layout.wishes.no-role", "--volume '{volume}': '{role}' is no role; the roles are {roles:list}."
)
UNNAMED_WORKLOAD = Sentence(
    "layout.wishes.unnamed-workload",
    "--volume '{volume}' names no workload; `diskwright workloads` lists them.",
)
NO_ENCRYPTION = Sentence(
    "layout.wishes.no-encryption",
    "--volume '{volume}': nothing is encrypted by '{asked}'; say encrypt={known}.",
)
NO_WORKLOAD = Sentence(
    "layout.wishes.no-workload", "'{workload}' is no workload; `diskwright workloads` lists them."
)
NAME_PLACE = Sentence(
    "layout.wishes.name-place", "The mount point '{place}' {fault}; name one such as /srv/data."
)
PLACE_FAULT = Sentence("layout.wishes.place-fault", "The mount point '{place}' {fault}.")
NO_ROOM = Sentence(
    "layout.wishes.no-room",
    "A volume of '{size}' has no room; name a size such as 500G, or {rest} for all that is left.",
)
NO_SHARE = Sentence(
    "layout.wishes.no-share",
    "'{share}' is no share of the room: write a whole number from 1 to 100 with %, as 30%.",
)
THE_REST = Sentence("layout.wishes.the-rest", "the rest")
SUBVOLUMES = Sentence("layout.wishes.subvolumes", "subvolumes {names:list}")
ENCRYPTED = Sentence("layout.wishes.encrypted", "encrypted")

# Volumes that contradict themselves or each other.
NO_VOLUME = Sentence("layout.wishes.no-volume", "No volume was asked for; name a workload.")
LABEL_FAULT = Sentence(
    "layout.wishes.label-fault", "The label '{label}' {fault}; choose a shorter or plainer one."
)
VOLUME_FAULT = Sentence("layout.wishes.volume-fault", "The volume '{label}' {fault}.")
NO_SIZE = Sentence(
    "layout.wishes.no-size",
    "The volume '{label}' has no size; leave the size out for all that is left.",
)
ROLE_TWICE = Sentence(
    "layout.wishes.role-twice", "A drive has one {role}; give one of the volumes another role."
)
SYSTEM_AT_RISK = Sentence(
    "layout.wishes.system-at-risk",
    "{option} puts data at risk, and a volume that a system starts from or lives on does not get it.",
)
SHARE_RANGE = Sentence(
    "layout.wishes.share-range",
    "A share is from 1 to 100 percent of the room, and stands instead of a size.",
)
SHARES_TOGETHER = Sentence(
    "layout.wishes.shares-together",
    "The volumes together ask for {total} % of the room; 100 % is all there is.",
)
ONE_REST = Sentence(
    "layout.wishes.one-rest", "Only one volume can take all that is left; name a size for the others."
)
SAME_PLACE = Sentence(
    "layout.wishes.same-place",
    "Two volumes are to be mounted at {place}; name another place for one.",
)
HIDDEN = Sentence(
    "layout.wishes.hidden", "A volume at {later} would hide the one at {earlier}; name it first."
)
NONE_SUITS = Sentence(
    "layout.wishes.none-suits", "No filesystem that suits {workload} can be made on {drive}. {reasons:row}"
)
REASON = Sentence("layout.wishes.reason", "{filesystem}: {obstacles:row}")
NO_FILESYSTEM = Sentence(
    "layout.wishes.no-filesystem", "There is no filesystem '{filesystem}' to choose; there are {known:list}."
)
SYSTEM_WRITER = Sentence(
    "layout.wishes.system-writer", "Only root writes to a system volume: leave writable= out."
)
SWAP_WRITER = Sentence("layout.wishes.swap-writer", "Only root writes to swap: leave writable= out.")
SMALL_SYSTEM = Sentence(
    "layout.wishes.small-system",
    "{device} has {size:size}: a desktop's system needs {least:size} (Debian 12) and more.",
)
DESKTOP_ROOM = Sentence(
    "layout.wishes.desktop-room",
    "A desktop needs {least:exact}, and there is room for {room:size}. Ask for its volumes one by one, with "
    "a role each, to make them smaller.",
)

# Roles.
ESP_TITLE = Sentence("layout.wishes.esp-title", "EFI system partition")
BOOT_TITLE = Sentence("layout.wishes.boot-title", "Boot partition")
ROOT_TITLE = Sentence("layout.wishes.root-title", "System (root)")
HOME_TITLE = Sentence("layout.wishes.home-title", "Home directories")
SWAP_TITLE = Sentence("layout.wishes.swap-title", "Swap")
ESP = Sentence(
    "layout.wishes.esp",
    "Where the firmware finds the boot loader. 1 GiB holds the loaders and several kernels. 260 MiB is the "
    "least that is FAT32 on a drive with blocks of 4096 bytes.",
)
ESP_WHY = Sentence(
    "layout.wishes.esp-why", "The firmware reads no other filesystem: the UEFI specification asks for FAT."
)
BOOT = Sentence(
    "layout.wishes.boot",
    "Kernels and what they start with. It is needed where the boot loader cannot read the system's own "
    "volume, as where that is encrypted. 1 GiB holds several kernels.",
)
BOOT_WHY = Sentence(
    "layout.wishes.boot-why", "Every boot loader that reads a Linux filesystem at all reads ext4."
)
ROOT = Sentence("layout.wishes.root", "The system's own programs and settings.")
HOME = Sentence("layout.wishes.home", "What belongs to people: it outlives the system beside it.")
SWAP = Sentence(
    "layout.wishes.swap",
    "Where memory goes that is not in use. Its usual size follows from the memory.",
)
SWAP_WHY = Sentence("layout.wishes.swap-why", "Swap is no filesystem: the kernel uses it as it is.")
ROLE_UNKNOWN = Sentence(
    "layout.wishes.role-unknown", "has the role '{role}', which is none; the roles are {roles:list}"
)
ROLE_ENCRYPTED = Sentence(
    "layout.wishes.role-encrypted",
    "has the role {role}, which is read before anything can be decrypted: it cannot be encrypted",
)
ROLE_FILESYSTEM = Sentence(
    "layout.wishes.role-filesystem",
    "has the role {role}, for which {filesystem} does not do: it takes {possible}",
)
ROLE_ALONE = Sentence("layout.wishes.role-alone", "has a role, and no partition of its own")

# Subvolumes.
SUBVOLUME_NAME = Sentence(
    "layout.wishes.subvolume-name", "The subvolume '{name}' {fault}; name one such as @home."
)
SUBVOLUME_PLACE = Sentence(
    "layout.wishes.subvolume-place",
    "The mount point '{place}' of the subvolume {name} {fault}; name one such as /srv/data.",
)
NO_NAME = Sentence("layout.wishes.no-name", "has no name")
BEGINS_WITH_SLASH = Sentence(
    "layout.wishes.begins-with-slash",
    "begins with a slash: its path is from the top of the filesystem, without one",
)
NAME_NOT_PLAIN = Sentence("layout.wishes.name-not-plain", "is not plain: {allowed}, and {parts}")
NAME_ALLOWED = Sentence("layout.wishes.name-allowed", "letters, digits and @ _ + . - only")
NAME_PARTS = Sentence("layout.wishes.name-parts", "no part of it is empty, . or .., or begins with a hyphen")
NAME_TOO_LONG = Sentence("layout.wishes.name-too-long", "is too long")
NO_SUBVOLUMES = Sentence("layout.wishes.no-subvolumes", "cannot have subvolumes: {filesystem} has none")
MOST_SUBVOLUMES = Sentence(
    "layout.wishes.most-subvolumes", "has {subvolumes} subvolumes; {most} are the most"
)
SUBVOLUME_FAULT = Sentence("layout.wishes.subvolume-fault", "has the subvolume '{name}', which {fault}")
SUBVOLUME_TWICE = Sentence("layout.wishes.subvolume-twice", "has the subvolume '{name}' twice")
SUBVOLUME_WITHIN = Sentence(
    "layout.wishes.subvolume-within",
    "has the subvolume '{name}' within '{above}', which is no subvolume before it",
)
SUBVOLUME_AT = Sentence(
    "layout.wishes.subvolume-at", "has the subvolume '{name}' at '{place}', which {fault}"
)
NO_PLACE = Sentence("layout.wishes.no-place", "is no place")

# Encryption.
LOST = Sentence(
    "layout.wishes.lost",
    "Whoever loses the passphrase loses everything in the encrypted volume: nobody can open it without, and "
    "diskwright keeps it nowhere. A damaged header loses it too, unless `cryptsetup luksHeaderBackup` was "
    "kept elsewhere.",
)
OPENED_TO_KEEP = Sentence(
    "layout.wishes.opened-to-keep",
    "Keeping it opens what is encrypted, so that it can be used. That takes its passphrase, which diskwright "
    "has not kept.",
)
NO_TRIM = Sentence(
    "layout.wishes.no-trim",
    "The drive is not told which blocks of the encrypted volume are free (no trim). That would show to "
    "anyone who has the drive how much of it is used, and where. `discard` in /etc/crypttab allows it.",
)
NOT_THERE = Sentence("layout.wishes.not-there", "{why} The volume '{label}' cannot be encrypted there.")
NOT_WITHIN = Sentence(
    "layout.wishes.not-within", "{filesystem} is not made in an encrypted volume; {known:and} are."
)
NO_DISCARD = Sentence(
    "layout.wishes.no-discard",
    "`discard` has no effect on an encrypted volume, which does not tell the drive what is free: leave it "
    "out.",
)
LOST_UNSAID = Sentence(
    "layout.wishes.lost-unsaid", "it encrypts, and no doubt says what a lost passphrase means"
)
MADE_WITHIN = Sentence(
    "layout.wishes.made-within",
    "volume {number} is {filesystem}, which is not made in an encrypted volume",
)
CONTAINER_UUID = Sentence(
    "layout.wishes.container-uuid",
    "volume {number} is in a container with the UUID '{uuid}', which {fault}",
)
CONTAINER_SMALL = Sentence("layout.wishes.container-small", "volume {number} is too small to be encrypted")
OTHER_CONTAINER = Sentence(
    "layout.wishes.other-container",
    "volume {number} is encrypted otherwise than its partition asks for",
)
OPENED_ELSEWHERE = Sentence(
    "layout.wishes.opened-elsewhere",
    "volume {number} is at '{path}', which is not what its container opens to",
)

# Keys in files.
VOLUME_KEY = Sentence("layout.wishes.volume-key", "--volume '{volume}': key {fault}.")
KEYS_FAULT = Sentence("layout.wishes.keys-fault", "The key of an encrypted volume {fault}.")
PLANNED_KEY = Sentence("layout.wishes.planned-key", "the key of an encrypted volume {fault}")
KEY_FOR_NOTHING = Sentence("layout.wishes.key-for-nothing", "is for an encrypted volume: say encrypt, too")
KEY_PATH = Sentence(
    "layout.wishes.key-path", "is no plain path, such as /etc/keys/media.key, which crypttab takes as it is"
)
KEY_GONE = Sentence("layout.wishes.key-gone", "lies where nothing stays until the next start")
KEYS_DIFFER = Sentence("layout.wishes.keys-differ", "has to be the same for all of a drive")
KEY_WITHIN = Sentence("layout.wishes.key-within", "lies in a volume of the same drive")
KEY_SIZE = Sentence(
    "layout.wishes.key-size", "has {count} bytes; a key has {least} to {most}, all random at best"
)

# Passphrases.
PASSPHRASE_EMPTY = Sentence("layout.wishes.passphrase-empty", "is empty")
PASSPHRASE_LONG = Sentence(
    "layout.wishes.passphrase-long", "is longer than the {most} bytes that can be typed at a start"
)
PASSPHRASE_CONTROLS = Sentence(
    "layout.wishes.passphrase-controls",
    "holds a line end or a zero byte, which cannot be typed at a start",
)
PASSPHRASE_SHORT = Sentence(
    "layout.wishes.passphrase-short",
    "This passphrase is short: with fewer than {least} characters it can be guessed by trying. Several words "
    "are better.",
)
PASSPHRASE_PLAIN = Sentence(
    "layout.wishes.passphrase-plain",
    "This passphrase is hardly varied: it can be guessed by trying. Several words are better.",
)
PASSPHRASE_FOREIGN = Sentence(
    "layout.wishes.passphrase-foreign",
    "This passphrase has letters beyond plain ASCII. At a start another keyboard may be set, on which they "
    "cannot be typed.",
)
