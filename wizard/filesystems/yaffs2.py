"""YAFFS2: for bare NAND chips, in devices of the 2000s. Never part of Linux; libblkid does not know it, since
it has no mark."""

from wizard.filesystems import words
from wizard.filesystems.kind import RecognisedKind

KIND = RecognisedKind(
    name="yaffs2",
    title="YAFFS",
    kernel_names=("yaffs2", "yaffs"),
    why_not=words.YAFFS2(),
    way_off=words.YAFFS2_OFF(),
)
