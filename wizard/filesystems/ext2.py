"""ext2: ext4(5); its own driver is marked deprecated since Linux 6.9 (fs/ext2/Kconfig)."""

from dataclasses import replace

from wizard.filesystems import words
from wizard.filesystems.ext4 import GROWING, RELABELLING
from wizard.filesystems.holding import EXT_FLAGS, SECOND, Holds
from wizard.filesystems.kind import RecognisedKind

KIND = RecognisedKind(
    name="ext2",
    title="ext2",
    kernel_names=("ext4", "ext2"),
    why_not=words.EXT2(),
    way_off=words.EXT2_OFF(),
    relabelling=RELABELLING,
    # Without a journal a power cut would leave it half grown.
    growing=replace(GROWING, in_use=None),
    # Of old inodes the dates are whole seconds.
    holds=Holds(flags=EXT_FLAGS, grain=SECOND),
)
