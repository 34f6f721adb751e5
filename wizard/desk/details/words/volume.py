"""The sentences of the form for one volume."""

from wizard.model.said import Sentence

# The fields.

# What they can be.


HELP = (
    Sentence(
        "One volume: a partition, the filesystem in it, and where it is mounted. Nothing is written by this "
        "form."
    ),
    Sentence("Purpose: what the volume will hold. It ranks the filesystems and proposes a label."),
    Sentence(
        "Size: empty or rest for all that is left. 500G and 500GiB are powers of 1024. 750GB is as on the "
        "drive's box. 30% is that share of all the room."
    ),
    Sentence(
        "Mount point: the folder where the files appear, now and at every start, by a line in /etc/fstab. "
        "Empty or none to mount it yourself."
    ),
    Sentence(
        "Who may write: one user, a group, everyone, or root only. To a system's volume only root writes."
    ),
    Sentence(
        "Role: what the volume is to a system that starts from this drive. The partition gets the type by "
        "which that is found. It is mounted only where you name a place."
    ),
    Sentence(
        "Encryption: all in the volume is encrypted by LUKS2. Every start asks for the passphrase. Whoever "
        "loses it loses the data."
    ),
    Sentence(
        "Subvolumes: parts of a Btrfs, such as @:/mnt/new, @home:/mnt/new/home. Behind the colon stands "
        "where each is mounted."
    ),
)
