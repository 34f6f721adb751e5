"""NILFS2, JFS, F2FS and swap, and filesystems that are recognised but never created: YAFFS2, JFFS2, UFS2,
Reiser4 and ReiserFS.

NILFS2: mkfs.nilfs2(8) and nilfs-tune(8) of nilfs-utils; tested with 2.2.9. Swap: mkswap(8), swapon(8),
fstab(5). Swap is activated instead of mounted. YAFFS2 is for bare NAND chips, in devices of the 2000s. It was
never part of Linux. libblkid does not recognise it, because YAFFS2 has no signature.
"""

from wizard.filesystems import kind, partition_types
from wizard.model.said import MIB, TIB, Sentence, t

NILFS2_KIND = kind.MadeKind(
    name="nilfs2",
    title="NILFS2",
    # -f overwrites old signatures without asking, but still refuses a mounted device.
    commands=lambda new: (
        ("mkfs.nilfs2", "-q", "-f", "-L", new.label, *new.options, new.device),
        ("nilfs-tune", "-U", new.uuid, new.device),
    ),
    discards=True,
    in_general=t(
        "It writes everything as one log and preserves past states. Below 10 % free "
        "space, a cleaner removes them. No tool checks or repairs it."
    ),
    minimum_bytes=136 * MIB,
    minimum_why=t("mkfs refuses smaller volumes"),
    maximum_bytes=8 * 1024 * 1024 * TIB - 1,
    label_bytes=80,
    fsck_pass=0,
    seconds=(1.0, 0.5, 1.0),
    # No such tool exists.
    clean_check=(),
    flags=frozenset({"-b", "-B", "-m", "-O"}),
    bare_flags=frozenset({"-K"}),
    for_trial=kind.without_discard,
    also=("nilfs-tune",),
    # mkfs.nilfs2 reads /etc/mtab to find mounted devices, and exits if the file is missing.
    needs_files=(("/etc/mtab", t("`ln -s /proc/self/mounts /etc/mtab` creates it")),),
    relabelling=kind.Relabelling(command=kind.label_with("nilfs-tune", "-L")),
)


JFS_KIND = kind.MadeKind(
    name="jfs",
    title="JFS",
    # -q skips the confirmation; mkfs.jfs still refuses a mounted device.
    commands=lambda new: (
        ("mkfs.jfs", "-q", "-L", new.label, *new.options, new.device),
        ("jfs_tune", "-U", new.uuid, new.device),
    ),
    in_general=t(
        "It needs little CPU time but is hardly maintained: the tools date from "
        "2011. ext4 has all the same features."
    ),
    minimum_bytes=16 * MIB,
    minimum_why=t("mkfs refuses smaller volumes"),
    maximum_bytes=32 * 1024 * TIB,
    label_bytes=16,
    # Only fsck.jfs replays the journal. Without fsck, JFS is mounted read-only after a power cut.
    fsck_pass=2,
    seconds=(1.0, 2.0, 10.0),
    clean_check=("jfs_fsck", "-n", "-f"),
    flags=frozenset({"-s"}),
    also=("jfs_tune",),
    relabelling=kind.Relabelling(command=kind.label_with("jfs_tune", "-L")),
)


F2FS_KIND = kind.MadeKind(
    name="f2fs",
    title="F2FS",
    commands=lambda new: (
        ("mkfs.f2fs", "-q", "-f", "-U", new.uuid, "-l", new.label, *new.options, new.device),
    ),
    discards=True,
    in_general=t(
        "It is designed for flash behind simple controllers, as in phones, cards and "
        "sticks. Elsewhere, ext4 and XFS are more widely supported, with "
        "better-tested repair tools."
    ),
    # mkfs.f2fs refuses less than 56 MiB.
    minimum_bytes=128 * MIB,
    maximum_bytes=16 * TIB,
    no_zones=kind.MANUAL_ZONES,
    label_bytes=255,
    fsck_pass=2,
    seconds=(1.0, 0.5, 1.0),
    for_trial=lambda options: options if "-t" in options else (*options, "-t", "0"),
    # --dry-run alone prints repairs without writing, and reports damage in the exit status.
    clean_check=("fsck.f2fs", "--dry-run"),
    flags=frozenset({"-a", "-o", "-O", "-s", "-t", "-z"}),
    relabelling=kind.Relabelling(command=lambda device, _place, label: ("f2fslabel", "--", device, label)),
)


SWAP_KIND = kind.MadeKind(
    name="swap",
    title="swap",
    drivers=(),
    maker="mkswap",
    # Without -f, mkswap refuses a device in use, mounted or as swap.
    commands=lambda new: (("mkswap", "-q", "-U", new.uuid, "-L", new.label, new.device),),
    in_general=t("It is not a filesystem and stores no files, only unused memory pages."),
    minimum_bytes=MIB,
    # The page count has 32 bits; most machines have 4096-byte pages.
    maximum_bytes=16 * TIB,
    no_zones=Sentence("swap writes are in any order"),
    # 16 including the terminating zero byte.
    label_bytes=15,
    fsck_pass=0,
    seconds=(0.2, 0.1, 0.1),
    clean_check=(),
    noun="space",
    gpt_type=partition_types.SWAP_GPT,
    mbr_type=partition_types.SWAP_MBR,
    also=("swapon", "swapoff"),
    set_uuid=lambda device, uuid: ("swaplabel", "-U", uuid, device),
    relabelling=kind.Relabelling(command=kind.label_with("swaplabel", "-L")),
)


YAFFS2_KIND = kind.FilesystemKind(
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


JFFS2_KIND = kind.FilesystemKind(
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


UFS_KIND = kind.FilesystemKind(
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


REISER4_KIND = kind.FilesystemKind(
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


REISERFS_KIND = kind.FilesystemKind(
    name="reiserfs",
    title="ReiserFS",
    why_not=t("Linux dropped it in version 6.13: later kernels could not read a new one."),
    way_off=t(
        "Boot a kernel before 6.13 with support for it, if needed from a rescue "
        "medium. Mount it read-only, and copy the files to a new ext4 or XFS while "
        "such kernels are available. In-place conversion is not possible."
    ),
)
