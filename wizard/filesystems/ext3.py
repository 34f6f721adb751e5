"""ext3: its driver left Linux in 4.3, and the ext4 driver mounts it since (ext4(5))."""

from wizard.filesystems.ext4 import GROWING, RELABELLING
from wizard.filesystems.holding import EXT_FLAGS, SECOND, Holds
from wizard.filesystems.kind import RecognisedKind
from wizard.model.said import t

KIND = RecognisedKind(
    name="ext3",
    title="ext3",
    kernel_names=("ext4", "ext3"),
    why_not=t(
        "It is ext4 without extents and checksums: slower with large files and to "
        "check. A new one gains nothing."
    ),
    way_off=t(
        "Linux mounts it with the ext4 driver, so there is no hurry. It can become "
        "ext4 in place, where new files then get what ext4 has. Or copy the files to "
        "a new ext4, which gets all of it."
    ),
    relabelling=RELABELLING,
    growing=GROWING,
    # Of old inodes the dates are whole seconds.
    holds=Holds(flags=EXT_FLAGS, grain=SECOND),
)
