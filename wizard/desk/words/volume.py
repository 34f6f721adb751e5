"""The sentences of the form for one volume."""

from wizard.model.said import Sentence

NEW = Sentence("desk.volume.new", "A new volume")
THIS = Sentence("desk.volume.this", "This volume")
ABOUT = Sentence("desk.volume.about", "on {drive}")

# The fields.
PURPOSE = Sentence("desk.volume.purpose", "Purpose")
FILESYSTEM = Sentence("desk.volume.filesystem", "Filesystem")
SIZE = Sentence("desk.volume.size", "Size")
LABEL = Sentence("desk.volume.label", "Label")
MOUNT = Sentence("desk.volume.mount", "Mount point")
SWAP = Sentence("desk.volume.swap", "Turned on")
WRITER = Sentence("desk.volume.writer", "Who may write")
WRITER_NAME = Sentence("desk.volume.writer-name", "Their name")
ROLE = Sentence("desk.volume.role", "Role")
ENCRYPTION = Sentence("desk.volume.encryption", "Encryption")
SUBVOLUMES = Sentence("desk.volume.subvolumes", "Subvolumes")

# What they can be.
PLACED = Sentence("desk.volume.placed", "{filesystem}: {place}")
NO_FILESYSTEM = Sentence("desk.volume.no-filesystem", "none can be made here")
SIZE_HINT = Sentence("desk.volume.size-hint", "all that is left; or 500G, 750GB, 30%")
LABEL_HINT = Sentence("desk.volume.label-hint", "{label}, if left empty")
MOUNT_HINT = Sentence("desk.volume.mount-hint", "none; or such as /srv/media")
SWAP_ON = Sentence("desk.volume.swap-on", "now and at every start")
SWAP_OFF = Sentence("desk.volume.swap-off", "never by itself")
EVERYONE = Sentence("desk.volume.everyone", "everyone")
ROOT = Sentence("desk.volume.root", "root only")
CALLER = Sentence("desk.volume.caller", "{name}")
OTHER = Sentence("desk.volume.other", "somebody else")
WRITER_HINT = Sentence("desk.volume.writer-hint", "a user, or group:NAME")
NO_ROLE = Sentence("desk.volume.no-role", "none: its purpose says all")
NOT_ENCRYPTED = Sentence("desk.volume.not-encrypted", "none")
LUKS = Sentence("desk.volume.luks", "LUKS2: a passphrase at every start")
SUBVOLUMES_HINT = Sentence("desk.volume.subvolumes-hint", "none; or such as @:/mnt/new, @snapshots")

TAKE = Sentence("desk.volume.take", "take it")
NOTHING_FITS = Sentence("desk.volume.nothing-fits", "No filesystem that suits this purpose can be made here.")
NAME_THEM = Sentence("desk.volume.name-them", "Say who may write: a user's name, or group:NAME.")

HELP = (
    Sentence(
        "desk.volume.help-volume",
        "One volume: a partition, the filesystem in it, and where it is mounted. Nothing is written by this "
        "form.",
    ),
    Sentence(
        "desk.volume.help-purpose",
        "Purpose: what the volume will hold. It ranks the filesystems and proposes a label.",
    ),
    Sentence(
        "desk.volume.help-size",
        "Size: empty or rest for all that is left. 500G and 500GiB are powers of 1024. 750GB is as on the "
        "drive's box. 30% is that share of all the room.",
    ),
    Sentence(
        "desk.volume.help-mount",
        "Mount point: the folder where the files appear, now and at every start, by a line in /etc/fstab. "
        "Empty or none to mount it yourself.",
    ),
    Sentence(
        "desk.volume.help-writer",
        "Who may write: one user, a group, everyone, or root only. To a system's volume only root writes.",
    ),
    Sentence(
        "desk.volume.help-role",
        "Role: what the volume is to a system that starts from this drive. The partition gets the type by "
        "which that is found. It is mounted only where you name a place.",
    ),
    Sentence(
        "desk.volume.help-encryption",
        "Encryption: all in the volume is encrypted by LUKS2. Every start asks for the passphrase. Whoever "
        "loses it loses the data.",
    ),
    Sentence(
        "desk.volume.help-subvolumes",
        "Subvolumes: parts of a Btrfs, such as @:/mnt/new, @home:/mnt/new/home. Behind the colon stands "
        "where each is mounted.",
    ),
)
