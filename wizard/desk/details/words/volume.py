"""The sentences of the form for one volume."""

from wizard.model.said import Sentence

NEW = Sentence("desk.details.volume.new", "A new volume")
THIS = Sentence("desk.details.volume.this", "This volume")
ABOUT = Sentence("desk.details.volume.about", "on {drive}")

# The fields.
PURPOSE = Sentence("desk.details.volume.purpose", "Purpose")
FILESYSTEM = Sentence("desk.details.volume.filesystem", "Filesystem")
SIZE = Sentence("desk.details.volume.size", "Size")
LABEL = Sentence("desk.details.volume.label", "Label")
MOUNT = Sentence("desk.details.volume.mount", "Mount point")
SWAP = Sentence("desk.details.volume.swap", "Turned on")
WRITER = Sentence("desk.details.volume.writer", "Who may write")
WRITER_NAME = Sentence("desk.details.volume.writer-name", "Their name")
ROLE = Sentence("desk.details.volume.role", "Role")
ENCRYPTION = Sentence("desk.details.volume.encryption", "Encryption")
SUBVOLUMES = Sentence("desk.details.volume.subvolumes", "Subvolumes")

# What they can be.
PLACED = Sentence("desk.details.volume.placed", "{filesystem}: {place}")
NO_FILESYSTEM = Sentence("desk.details.volume.no-filesystem", "none can be made here")
SIZE_HINT = Sentence("desk.details.volume.size-hint", "all that is left; or 500G, 750GB, 30%")
LABEL_HINT = Sentence("desk.details.volume.label-hint", "{label}, if left empty")
MOUNT_HINT = Sentence("desk.details.volume.mount-hint", "none; or such as /srv/media")
SWAP_ON = Sentence("desk.details.volume.swap-on", "now and at every start")
SWAP_OFF = Sentence("desk.details.volume.swap-off", "never by itself")
EVERYONE = Sentence("desk.details.volume.everyone", "everyone")
ROOT = Sentence("desk.details.volume.root", "root only")
CALLER = Sentence("desk.details.volume.caller", "{name}")
OTHER = Sentence("desk.details.volume.other", "somebody else")
WRITER_HINT = Sentence("desk.details.volume.writer-hint", "a user, or group:NAME")
NO_ROLE = Sentence("desk.details.volume.no-role", "none: its purpose says all")
NOT_ENCRYPTED = Sentence("desk.details.volume.not-encrypted", "none")
LUKS = Sentence("desk.details.volume.luks", "LUKS2: a passphrase at every start")
SUBVOLUMES_HINT = Sentence("desk.details.volume.subvolumes-hint", "none; or such as @:/mnt/new, @snapshots")

TAKE = Sentence("desk.details.volume.take", "take it")
NOTHING_FITS = Sentence(
    "desk.details.volume.nothing-fits", "No filesystem that suits this purpose can be made here."
)
NAME_THEM = Sentence("desk.details.volume.name-them", "Say who may write: a user's name, or group:NAME.")

HELP = (
    Sentence(
        "desk.details.volume.help-volume",
        "One volume: a partition, the filesystem in it, and where it is mounted. Nothing is written by this "
        "form.",
    ),
    Sentence(
        "desk.details.volume.help-purpose",
        "Purpose: what the volume will hold. It ranks the filesystems and proposes a label.",
    ),
    Sentence(
        "desk.details.volume.help-size",
        "Size: empty or rest for all that is left. 500G and 500GiB are powers of 1024. 750GB is as on the "
        "drive's box. 30% is that share of all the room.",
    ),
    Sentence(
        "desk.details.volume.help-mount",
        "Mount point: the folder where the files appear, now and at every start, by a line in /etc/fstab. "
        "Empty or none to mount it yourself.",
    ),
    Sentence(
        "desk.details.volume.help-writer",
        "Who may write: one user, a group, everyone, or root only. To a system's volume only root writes.",
    ),
    Sentence(
        "desk.details.volume.help-role",
        "Role: what the volume is to a system that starts from this drive. The partition gets the type by "
        "which that is found. It is mounted only where you name a place.",
    ),
    Sentence(
        "desk.details.volume.help-encryption",
        "Encryption: all in the volume is encrypted by LUKS2. Every start asks for the passphrase. Whoever "
        "loses it loses the data.",
    ),
    Sentence(
        "desk.details.volume.help-subvolumes",
        "Subvolumes: parts of a Btrfs, such as @:/mnt/new, @home:/mnt/new/home. Behind the colon stands "
        "where each is mounted.",
    ),
)
