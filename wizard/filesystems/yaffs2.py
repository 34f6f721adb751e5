"""YAFFS2: for bare NAND chips, in devices of the 2000s. Never part of Linux; libblkid does not know it, since
it has no mark."""

from wizard.filesystems.kind import RecognisedKind
from wizard.model.said import t

KIND = RecognisedKind(
    name="yaffs2",
    title="YAFFS",
    kernel_names=("yaffs2", "yaffs"),
    why_not=t(
        "It is for bare NAND chips and never was part of Linux. A drive with a "
        "controller of its own has no place for it."
    ),
    way_off=t(
        "Copy the files off on the device that it is in, with that device's own "
        "system. Images of one are unpacked by programs such as unyaffs; Linux "
        "itself cannot mount them."
    ),
)
