"""YAFFS2: for bare NAND chips, in devices of the 2000s. Never part of Linux; libblkid does not know it, since
it has no mark.
"""

from wizard.filesystems.kind import RecognisedKind
from wizard.model.said import t

YAFFS2_KIND = RecognisedKind(
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


JFFS2_KIND = RecognisedKind(
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


UFS_KIND = RecognisedKind(
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


REISER4_KIND = RecognisedKind(
    name="reiser4",
    title="Reiser4",
    kernel_names=("reiser4",),
    why_not=t(
        "It never was part of Linux, and nobody keeps its patches up: no kernel of a "
        "distribution can mount it."
    ),
    way_off=t(
        "Copy the files off on the system that made it, or one with a patched "
        "kernel. Check them there with fsck.reiser4 of reiser4progs first. It cannot "
        "be converted in place."
    ),
)


REISERFS_KIND = RecognisedKind(
    name="reiserfs",
    title="ReiserFS",
    kernel_names=("reiserfs",),
    why_not=t("Linux dropped it in version 6.13: a new one could not be read by any later kernel."),
    way_off=t(
        "Start a kernel before 6.13 that still has it, from a rescue medium if need "
        "be. Mount it read-only, and copy the files to a new ext4 or XFS while such "
        "kernels are about. It cannot be converted in place."
    ),
)
