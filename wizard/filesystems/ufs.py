"""UFS and UFS2, of the BSDs: Linux reads them, and calls writing dangerous (fs/ufs/Kconfig, UFS_FS_WRITE)."""

from wizard.filesystems import words
from wizard.filesystems.kind import RecognisedKind

KIND = RecognisedKind(
    name="ufs",
    title="UFS2",
    kernel_names=("ufs",),
    why_not=words.UFS(),
    way_off=words.UFS_OFF(),
)
