"""JFFS2: for bare flash chips (MTD) without a controller of their own. libblkid does not know its mark."""

from wizard.filesystems.kind import RecognisedKind
from wizard.model.said import t

KIND = RecognisedKind(
    name="jffs2",
    title="JFFS2",
    kernel_names=("jffs2",),
    why_not=t(
        "It is for bare flash chips that Linux drives itself (/dev/mtd*). Disks, "
        "SSDs, memory cards and USB sticks have a controller of their own, and no "
        "place for it."
    ),
    way_off=t(
        "Copy the files off on the device whose chip it is. An image of one can be "
        "mounted from the module mtdram (or nandsim), into which it is written first."
    ),
)
