"""What is said of filesystems: where each belongs, why some are not made, and the way off those."""

from wizard.model.said import Sentence

BTRFS = Sentence(
    "filesystems.btrfs",
    "It has checksums, snapshots and compression, though nothing was recorded of it for this work.",
)
BTRFS_LEAST = Sentence(
    "filesystems.btrfs-least", "with two copies of the metadata a smaller one has no room for data"
)

EXT2 = Sentence(
    "filesystems.ext2",
    "It keeps no journal: after a power cut all of it must be checked before it can be used. ext4 does all "
    "that it does. Its own driver is on the way out of Linux.",
)
EXT2_OFF = Sentence(
    "filesystems.ext2-off",
    "Linux mounts it with the ext4 driver. `tune2fs -j` gives an unmounted one a journal, which makes it "
    "ext3. Or copy the files to a new ext4, and compare them before the old one goes.",
)
EXT3 = Sentence(
    "filesystems.ext3",
    "It is ext4 without extents and checksums: slower with large files and to check. A new one gains "
    "nothing.",
)
EXT3_OFF = Sentence(
    "filesystems.ext3-off",
    "Linux mounts it with the ext4 driver, so there is no hurry. It can become ext4 in place, where new "
    "files then get what ext4 has. Or copy the files to a new ext4, which gets all of it.",
)
EXT4 = Sentence(
    "filesystems.ext4",
    "It is a sound choice for most Linux volumes, though nothing was recorded of it for this work.",
)
EXT4_LEAST = Sentence("filesystems.ext4-least", "a smaller one would be all journal, or have none")

EXFAT = Sentence(
    "filesystems.exfat",
    "It is for sharing with Windows, macOS and cameras: it has no journal, no owners and no permissions.",
)
EXFAT_LEAST = Sentence("filesystems.exfat-least", "the first megabytes go to its records")
EXFAT_LABEL = Sentence(
    "filesystems.exfat-label", "holds other characters than ASCII has, which mkfs.exfat is not given"
)

F2FS = Sentence(
    "filesystems.f2fs",
    "It is made for flash behind simple controllers, as in phones, cards and sticks. Elsewhere ext4 and XFS "
    "are at home on more machines, and their repair has seen more.",
)
F2FS_LEAST = Sentence(
    "filesystems.f2fs-least", "a smaller one would be mostly the reserve that its cleaner needs"
)
F2FS_ZONES = Sentence(
    "filesystems.f2fs-zones",
    "diskwright does not set up F2FS on zones; what can live there says whether it can be made by hand",
)

JFFS2 = Sentence(
    "filesystems.jffs2",
    "It is for bare flash chips that Linux drives itself (/dev/mtd*). Disks, SSDs, memory cards and USB "
    "sticks have a controller of their own, and no place for it.",
)
JFFS2_OFF = Sentence(
    "filesystems.jffs2-off",
    "Copy the files off on the device whose chip it is. An image of one can be mounted from the module "
    "mtdram (or nandsim), into which it is written first.",
)

JFS = Sentence(
    "filesystems.jfs",
    "It asks little of a processor, but hardly anybody works on it: its programs are of 2011. ext4 does all "
    "that it does.",
)
JFS_LEAST = Sentence("filesystems.jfs-least", "mkfs.jfs makes none that is smaller")

NILFS2 = Sentence(
    "filesystems.nilfs2",
    "It writes everything as one log and keeps its past states. A cleaner runs for that all the time. No "
    "program checks or repairs it.",
)
NILFS2_LEAST = Sentence("filesystems.nilfs2-least", "mkfs.nilfs2 wants more than sixteen segments of 8 MiB")
NILFS2_MTAB = Sentence("filesystems.nilfs2-mtab", "`ln -s /proc/self/mounts /etc/mtab` makes it")

NTFS = Sentence(
    "filesystems.ntfs",
    "It is for sharing with Windows. Linux writes it since 5.15 (ntfs3), but cannot repair it, which takes "
    "chkdsk on Windows.",
)
CHKDSK = Sentence(
    "filesystems.chkdsk",
    "ntfsresize marks the volume to be checked: Windows does that when it starts, or `chkdsk /f`. Until then "
    "Linux's ntfs3 only reads it. Without Windows, `ntfsfix --clear-dirty` takes the mark away.",
)
DATED = Sentence(
    "filesystems.dated",
    "Files may get other inode numbers, and their folders today's date; nothing else of them changes.",
)
"""What resize2fs does where whole groups go (e2fsprogs, resize/resize2fs.c, check_and_change_inodes)."""

NTFS_LEAST = Sentence("filesystems.ntfs-least", "its records take the first megabytes")
NTFS_LABEL = Sentence("filesystems.ntfs-label", "begins with a dash, which ntfslabel cannot be told")

REISER4 = Sentence(
    "filesystems.reiser4",
    "It never was part of Linux, and nobody keeps its patches up: no kernel of a distribution can mount it.",
)
REISER4_OFF = Sentence(
    "filesystems.reiser4-off",
    "Copy the files off on the system that made it, or one with a patched kernel. Check them there with "
    "fsck.reiser4 of reiser4progs first. It cannot be converted in place.",
)
REISERFS = Sentence(
    "filesystems.reiserfs",
    "Linux dropped it in version 6.13: a new one could not be read by any later kernel.",
)
REISERFS_OFF = Sentence(
    "filesystems.reiserfs-off",
    "Start a kernel before 6.13 that still has it, from a rescue medium if need be. Mount it read-only, and "
    "copy the files to a new ext4 or XFS while such kernels are about. It cannot be converted in place.",
)

SWAP = Sentence(
    "filesystems.swap", "It is no filesystem and holds no files: it is where memory goes that is not in use."
)
SWAP_LEAST = Sentence(
    "filesystems.swap-least", "mkswap takes no less than ten pages of memory, which can have 64 KiB each"
)
SWAP_ZONES = Sentence("filesystems.swap-zones", "swap is written in any order")

UFS = Sentence(
    "filesystems.ufs",
    "It is the filesystem of the BSDs. Linux reads it where its kernel was built so, and calls its own "
    "writing dangerous.",
)
UFS_OFF = Sentence(
    "filesystems.ufs-off",
    "Where the kernel has ufs, mount it read-only (`mount -t ufs -o ro,ufstype=ufs2`). Else start a FreeBSD "
    "medium. Copy the files to a filesystem that Linux writes.",
)

FAT = Sentence(
    "filesystems.fat",
    "It is for firmware and old devices. No file reaches 4 GiB, and it has no journal, owners or "
    "permissions.",
)
FAT_LEAST = Sentence(
    "filesystems.fat-least",
    "a smaller one would be no FAT32 on drives with blocks of 4096 bytes",
)
FAT_ASCII = Sentence(
    "filesystems.fat-ascii",
    "holds other characters than ASCII has, which a FAT writes in one of many code pages",
)
FAT_SMALL = Sentence("filesystems.fat-small", "has small letters, which a FAT's label has not")
FAT_NO_LABEL = Sentence("filesystems.fat-no-label", "is what a FAT without a label has")
FAT_FORBIDDEN = Sentence(
    "filesystems.fat-forbidden", "holds one of the characters {forbidden}, which a FAT's label cannot"
)

XFS = Sentence(
    "filesystems.xfs",
    "It is a sound choice for large Linux volumes, though it cannot shrink. Nothing was recorded of it for "
    "this work.",
)
XFS_LEAST = Sentence("filesystems.xfs-least", "mkfs.xfs makes none that is smaller since version 5.19")
XFS_ZONES = Sentence(
    "filesystems.xfs-zones",
    "diskwright does not set up XFS on zones; what can live there says whether it can be made by hand",
)
XFS_LABEL = Sentence(
    "filesystems.xfs-label",
    "holds a blank or a quotation mark, or begins with --, which xfs_io cannot be told",
)

YAFFS2 = Sentence(
    "filesystems.yaffs2",
    "It is for bare NAND chips and never was part of Linux. A drive with a controller of its own has no "
    "place for it.",
)
YAFFS2_OFF = Sentence(
    "filesystems.yaffs2-off",
    "Copy the files off on the device that it is in, with that device's own system. Images of one are "
    "unpacked by programs such as unyaffs; Linux itself cannot mount them.",
)

NO_ZONES = Sentence("filesystems.no-zones", "{title} has no code for zones")
NOT_MADE = Sentence("filesystems.not-made", "{title} is not made. {why}")
UNKNOWN = Sentence(
    "filesystems.unknown", "{name} is no filesystem that diskwright makes; it makes {made:list}."
)

# The types of partitions, as partitioners call them.
LINUX_FILESYSTEM = Sentence("filesystems.linux-filesystem", "Linux filesystem")
LINUX = Sentence("filesystems.linux", "Linux")
EFI_SYSTEM = Sentence("filesystems.efi-system", "EFI system")
LINUX_BOOT = Sentence("filesystems.linux-boot", "Linux extended boot")
LINUX_HOME = Sentence("filesystems.linux-home", "Linux home")
BIOS_BOOT = Sentence("filesystems.bios-boot", "BIOS boot")
LINUX_SWAP = Sentence("filesystems.linux-swap", "Linux swap")
LINUX_LVM = Sentence("filesystems.linux-lvm", "Linux LVM")
LINUX_RAID = Sentence("filesystems.linux-raid", "Linux RAID")
LINUX_LUKS = Sentence("filesystems.linux-luks", "Linux LUKS")
MOVING = Sentence("filesystems.moving", "being moved by diskwright")
BASIC_DATA = Sentence("filesystems.basic-data", "Microsoft basic data")
EXTENDED = Sentence("filesystems.extended", "extended")
NTFS_OR_EXFAT = Sentence("filesystems.ntfs-or-exfat", "NTFS or exFAT")
FAT32 = Sentence("filesystems.fat32", "FAT32")
LINUX_ROOT = Sentence("filesystems.linux-root", "Linux root for {architecture}")
