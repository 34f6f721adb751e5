"""JFFS2: for bare flash chips (MTD) without a controller of their own. libblkid does not know its mark."""

from wizard.filesystems import words
from wizard.filesystems.kind import RecognisedKind

KIND = RecognisedKind(
    name="jffs2",
    title="JFFS2",
    kernel_names=("jffs2",),
    why_not=words.JFFS2(),
    way_off=words.JFFS2_OFF(),
)
