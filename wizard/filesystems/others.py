"""NILFS2, JFS and F2FS. NILFS2: mkfs.nilfs2(8) and nilfs-tune(8) of nilfs-utils; tested with 2.2.9."""

from wizard.filesystems import kind
from wizard.model.said import MIB, TIB, t

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
    minimum_why=t("mkfs.nilfs2 needs more than sixteen segments of 8 MiB"),
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
    minimum_why=t("a smaller volume would be mostly reserve for the cleaner"),
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
