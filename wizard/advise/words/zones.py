"""What is said of drives whose zones the host must manage."""

from wizard.model.said import Sentence

TAKES_NO_PARTITIONS = Sentence(
    "advise.zones.takes-no-partitions",
    "The host must manage this drive's zones, and the kernel takes no partitions on it: {why}.",
)
IN_ORDER = Sentence(
    "advise.zones.in-order",
    "The drive takes writes only in the order of its zones. It has no partition table, and one filesystem on "
    "the whole drive.",
)
EMPTIED = Sentence(
    "advise.zones.emptied",
    "Making a filesystem empties every zone at once: nothing of what the drive held can be brought back.",
)
NOT_BOOTED = Sentence(
    "advise.zones.not-booted",
    "Nothing can be booted from such a drive: /boot and the boot loader must lie on another one.",
)

BTRFS = Sentence(
    "advise.zones.btrfs",
    "It writes everything in new places, zone after zone. It takes the whole drive, and is what diskwright "
    "makes there.",
)
ZONEFS = Sentence(
    "advise.zones.zonefs",
    "It shows every zone as a file that programs can only append to. It is for programs written for that, "
    "not for ordinary files.",
)
OTHERS = Sentence("advise.zones.others", "ext4, JFS, NILFS2 and partitions")
IN_PLACE = Sentence(
    "advise.zones.in-place",
    "They write in place, and the drive refuses that. mkfs.jfs even claims success, but what it made cannot "
    "be mounted.",
)

METADATA = Sentence("advise.zones.metadata", "Its metadata need zones that take any write.")
"""Of F2FS and XFS."""

F2FS_SECOND = Sentence(
    "advise.zones.f2fs-second",
    "They lie on a second, ordinary drive, since every zone of this one must be written in order.",
)
F2FS_RESERVE = Sentence(
    "advise.zones.f2fs-reserve", "It keeps a part of the drive in reserve to move data about."
)
XFS_EXPERIMENTAL = Sentence("advise.zones.xfs-experimental", "Its authors call it experimental.")
XFS_SECOND = Sentence(
    "advise.zones.xfs-second", "They lie on a second, ordinary drive of about a hundredth of this one's size."
)
DM_ZONED = Sentence(
    "advise.zones.dm-zoned",
    "It makes an ordinary device of the drive (below /dev/mapper), for any filesystem. That has a price: "
    "what is rewritten goes to zones that take any write, and is moved again later.",
)
DM_ZONED_LENT = Sentence("advise.zones.dm-zoned-lent", "A second, ordinary drive lends those zones.")
DM_ZONED_SECOND = Sentence("advise.zones.dm-zoned-second", "dm-zoned with a second drive")

FILESYSTEMS_UNKNOWN = Sentence(
    "advise.zones.filesystems-unknown", "Which filesystems the kernel has could not be read."
)
NO_DRIVER = Sentence("advise.zones.no-driver", "The running kernel ({release}) has no {title}.")
KERNEL_UNKNOWN = Sentence(
    "advise.zones.kernel-unknown",
    "The kernel's version could not be read; {title} needs {first} or later for zones.",
)
KERNEL_OLD = Sentence(
    "advise.zones.kernel-old", "Kernel {first} is the first with {title} for zones; {release} runs."
)
BUILD_UNKNOWN = Sentence(
    "advise.zones.build-unknown",
    "Whether this mkfs.btrfs was built for zones could not be found out: `mkfs.btrfs -O list-all` tells.",
)
NOT_BUILT = Sentence(
    "advise.zones.not-built",
    "This mkfs.btrfs was built without zones: version 5.12 is the first that can be built with them.",
)
SIZE_UNKNOWN = Sentence(
    "advise.zones.size-unknown", "The size and number of its zones could not be read, and were not checked."
)
ZONE_SIZE = Sentence(
    "advise.zones.zone-size",
    "Its zones have {size:exact} each; Btrfs takes powers of two from 4 MiB to 8 GiB.",
)
FEW_ZONES = Sentence(
    "advise.zones.few-zones",
    "It has {zones} zones; with fewer than {least}, Btrfs has hardly any room for data.",
)
FEW_ACTIVE = Sentence(
    "advise.zones.few-active", "It can write to {active} zones at a time; Btrfs needs {least} or more."
)
F2FS_SIZE = Sentence("advise.zones.f2fs-size", "{size:size} is more than F2FS can address (16 TiB).")
CONVENTIONAL_UNKNOWN = Sentence(
    "advise.zones.conventional-unknown",
    "Whether some zones take any write was not read (root can): without them it needs a second drive.",
)
NO_REALTIME = Sentence(
    "advise.zones.no-realtime",
    "The kernel was built without XFS's realtime part (CONFIG_XFS_RT), which holds the zones.",
)
REALTIME_UNKNOWN = Sentence(
    "advise.zones.realtime-unknown",
    "Whether the kernel has XFS's realtime part (CONFIG_XFS_RT) could not be read.",
)
MKFS_OLD = Sentence(
    "advise.zones.mkfs-old", "mkfs.xfs {version} is installed; {first} is the first that knows zones."
)
MKFS_UNKNOWN = Sentence("advise.zones.mkfs-unknown", "The version of mkfs.xfs could not be read.")
NO_DM_ZONED = Sentence("advise.zones.no-dm-zoned", "The kernel was built without dm-zoned (CONFIG_DM_ZONED).")
DM_ZONED_UNKNOWN = Sentence(
    "advise.zones.dm-zoned-unknown", "Whether the kernel has dm-zoned could not be read."
)
