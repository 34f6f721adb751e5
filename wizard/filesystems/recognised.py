"""Filesystems that are recognised but never created: YAFFS2, JFFS2, UFS2, Reiser4 and ReiserFS.

YAFFS2 is for bare NAND chips, in devices of the 2000s. It was never part of Linux. libblkid does not
recognise it, because YAFFS2 has no signature.
"""

from wizard.filesystems.kind import FilesystemKind
from wizard.model.said import t

YAFFS2_KIND = FilesystemKind(
    name="yaffs2",
    title="YAFFS",
    drivers=("yaffs2", "yaffs"),
    why_not=t(
        "It is for raw NAND chips and was never part of Linux. Drives with their own "
        "controllers cannot use it."
    ),
    way_off=t(
        "Copy the files off on the device that contains it, using that device's "
        "system. Programs such as unyaffs unpack images; Linux cannot mount them."
    ),
)


JFFS2_KIND = FilesystemKind(
    name="jffs2",
    title="JFFS2",
    why_not=t(
        "It is for raw flash chips managed by Linux (/dev/mtd*). Disks, SSDs, memory "
        "cards and USB sticks have their own controllers and cannot use it."
    ),
    way_off=t(
        "Copy the files off on the device with that chip. To mount an image, first "
        "write it to the module mtdram (or nandsim)."
    ),
)


UFS_KIND = FilesystemKind(
    name="ufs",
    title="UFS2",
    why_not=t(
        "It is the BSD filesystem. Linux reads it if the kernel was built with "
        "support, and calls its own write support dangerous."
    ),
    way_off=t(
        "If the kernel supports ufs, mount read-only (`mount -t ufs -o "
        "ro,ufstype=ufs2`). Otherwise boot a FreeBSD medium. Copy the files to a "
        "filesystem with Linux write support."
    ),
)


REISER4_KIND = FilesystemKind(
    name="reiser4",
    title="Reiser4",
    why_not=t(
        "It was never part of Linux, and the patches are unmaintained. Distribution kernels cannot mount it."
    ),
    way_off=t(
        "Copy the files on the system that created it, or with a patched kernel. "
        "First check the filesystem with fsck.reiser4 from reiser4progs. In-place "
        "conversion is not possible."
    ),
)


REISERFS_KIND = FilesystemKind(
    name="reiserfs",
    title="ReiserFS",
    why_not=t("Linux dropped it in version 6.13: later kernels could not read a new one."),
    way_off=t(
        "Boot a kernel before 6.13 with support for it, if needed from a rescue "
        "medium. Mount it read-only, and copy the files to a new ext4 or XFS while "
        "such kernels are available. In-place conversion is not possible."
    ),
)
