"""UFS and UFS2, of the BSDs: Linux reads them, and calls writing dangerous (fs/ufs/Kconfig, UFS_FS_WRITE)."""

from wizard.filesystems.kind import RecognisedKind

KIND = RecognisedKind(
    name="ufs",
    title="UFS2",
    kernel_names=("ufs",),
    why_not=(
        "It is the filesystem of the BSDs: Linux reads it where its kernel was built so, and calls its own "
        "writing dangerous."
    ),
    way_off=(
        "Mount it read-only (`mount -t ufs -o ro,ufstype=ufs2`) where the kernel has ufs, else start a "
        "FreeBSD medium, and copy the files to a filesystem that Linux writes."
    ),
)
