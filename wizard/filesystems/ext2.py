"""ext2: ext4(5); its own driver is marked deprecated since Linux 6.9 (fs/ext2/Kconfig)."""

from dataclasses import replace

from wizard.filesystems.ext4 import GROWING, RELABELLING
from wizard.filesystems.holding import EXT_FLAGS, SECOND, Holds
from wizard.filesystems.kind import RecognisedKind
from wizard.model.said import t

KIND = RecognisedKind(
    name="ext2",
    title="ext2",
    kernel_names=("ext4", "ext2"),
    why_not=t(
        "It keeps no journal: after a power cut all of it must be checked before it "
        "can be used. ext4 does all that it does. Its own driver is on the way out "
        "of Linux."
    ),
    way_off=t(
        "Linux mounts it with the ext4 driver. `tune2fs -j` gives an unmounted one a "
        "journal, which makes it ext3. Or copy the files to a new ext4, and compare "
        "them before the old one goes."
    ),
    relabelling=RELABELLING,
    # Without a journal a power cut would leave it half grown.
    growing=replace(GROWING, in_use=None),
    # Of old inodes the dates are whole seconds.
    holds=Holds(flags=EXT_FLAGS, grain=SECOND),
)
