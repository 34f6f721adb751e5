"""UFS and UFS2, of the BSDs: Linux reads them, and calls writing dangerous (fs/ufs/Kconfig, UFS_FS_WRITE)."""

from wizard.filesystems.kind import RecognisedKind
from wizard.model.said import t

KIND = RecognisedKind(
    name="ufs",
    title="UFS2",
    kernel_names=("ufs",),
    why_not=t(
        "It is the filesystem of the BSDs. Linux reads it where its kernel was built "
        "so, and calls its own writing dangerous."
    ),
    way_off=t(
        "Where the kernel has ufs, mount it read-only (`mount -t ufs -o "
        "ro,ufstype=ufs2`). Else start a FreeBSD medium. Copy the files to a "
        "filesystem that Linux writes."
    ),
)
