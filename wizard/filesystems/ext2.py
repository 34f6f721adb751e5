"""ext2: ext4(5); its own driver is marked deprecated since Linux 6.9 (fs/ext2/Kconfig)."""

from wizard.filesystems.ext4 import RELABELLING
from wizard.filesystems.kind import RecognisedKind

KIND = RecognisedKind(
    name="ext2",
    title="ext2",
    kernel_names=("ext4", "ext2"),
    why_not=(
        "It keeps no journal, so that after a power cut all of it must be checked before it can be used; "
        "ext4 does all that it does, and its own driver is on the way out of Linux."
    ),
    way_off=(
        "Linux mounts it with the ext4 driver. `tune2fs -j` gives an unmounted one a journal, which makes it "
        "ext3; or copy the files to a new ext4 and compare them before the old one goes."
    ),
    relabelling=RELABELLING,
)
