"""ext3: its driver left Linux in 4.3, and the ext4 driver mounts it since (ext4(5))."""

from wizard.filesystems import words
from wizard.filesystems.ext4 import GROWING, RELABELLING
from wizard.filesystems.holding import EXT_FLAGS, SECOND, Holds
from wizard.filesystems.kind import RecognisedKind

KIND = RecognisedKind(
    name="ext3",
    title="ext3",
    kernel_names=("ext4", "ext3"),
    why_not=words.EXT3(),
    way_off=words.EXT3_OFF(),
    relabelling=RELABELLING,
    growing=GROWING,
    # Of old inodes the dates are whole seconds.
    holds=Holds(flags=EXT_FLAGS, grain=SECOND),
)
