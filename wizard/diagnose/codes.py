"""What each finding's code means. Codes are stable: scripts and bug reports name them."""

from wizard.model.said import Said, t

CODES: dict[str, Said] = {
    # How partitions lie.
    "alignment-physical": t(
        "A partition starts off the drive's physical block or minimum I/O size, by the kernel's formula."
    ),
    "alignment-4096": t(
        "A partition starts off 4096 bytes on a drive that reports 512-byte blocks; some of those lie."
    ),
    "alignment-grain": t("A partition is aligned to the physical block, but not to 1 MiB."),
    "alignment-ok": t(
        "A partition starts on a physical block and on 1 MiB. Many such partitions are one finding."
    ),
    "alignment-end": t("A partition ends within a physical block."),
    "alignment-inside": t(
        "What a partition, container or array holds starts off the drive's blocks; it itself does not."
    ),
    "alignment-compensated": t(
        "Something starts off the drive's blocks, and its data makes up for that and starts on one."
    ),
    "alignment-chunk": t("Data on a striped array starts off its chunks or, with parity, its full stripes."),
    "alignment-stripe": t(
        "Whether a filesystem's stride and stripe width (XFS: su and sw) fit the array that it stands on."
    ),
    "alignment-stack": t("The kernel found a stack of devices (RAID, device-mapper) misaligned in itself."),
    # What the drive says of its blocks.
    "geometry-512e": t("The drive emulates 512-byte blocks on physical blocks of 4096 bytes."),
    "geometry-4kn": t("The drive takes only 4096-byte blocks."),
    "geometry-usb-4096": t(
        "A USB bridge presents 4096-byte blocks, perhaps of a drive that has 512-byte blocks without it."
    ),
    "geometry-optimal-io-bogus": t("The drive reports an impossible optimal I/O size."),
    "geometry-contradiction": t("The kernel and the drive disagree about its physical blocks."),
    "geometry-nvme-formats": t(
        "An NVMe drive has a better format than the one in use; changing it erases the drive."
    ),
    "geometry-large-blocks": t("The drive's physical blocks are larger than 4096 bytes."),
    # How it records.
    "recording-zoned-host-managed": t("The drive takes writes only in the order of its zones."),
    "recording-zoned-host-aware": t("The drive is shingled and prefers writes in the order of its zones."),
    "recording-shingled": t("The drive is shingled and manages that by itself."),
    "recording-shingled-likely": t("Something speaks for a shingled drive, without proof."),
    "recording-unknown": t("Nothing tells whether this hard disk is shingled."),
    "recording-contradiction": t(
        "Sources contradict each other about how the drive records, or whether it turns."
    ),
    # The partition table.
    "table-overlap": t("Two partitions share bytes."),
    "table-outside": t("A partition reaches beyond what the drive or its table has."),
    "table-covered": t("A partition lies upon the partition table itself."),
    "table-no-bytes": t("An entry of the table has no bytes."),
    "table-kernel-differs": t("The kernel and the table disagree about the bounds of a partition."),
    "table-primary-damaged": t("The GPT at the start of the drive is damaged."),
    "table-both-damaged": t("Both copies of the GPT are damaged."),
    "table-backup-missing": t("The GPT has no backup at the end of the drive."),
    "table-backup-damaged": t("The GPT's backup is damaged."),
    "table-backup-misplaced": t("The GPT's backup is not at the end of the drive."),
    "table-mbr-over-2tib": t("The drive is larger than an MBR table can reach."),
    "table-hybrid": t("The drive has a GPT and an MBR that both name partitions."),
    # What lives on it.
    "signatures-ambivalent": t("Several signatures on one device contradict each other."),
    "signatures-lost": t("Nothing is recognised, but a copy of a superblock of ext2, ext3 or ext4 is there."),
    "signatures-beside-table": t("The whole drive carries a signature although it has a partition table."),
    # Who uses it.
    "use-mounted": t("Something of the drive is mounted."),
    "use-swap": t("Something of the drive is used as swap space."),
    "use-holder": t("Another block device is built on the drive."),
    "use-loop-backing": t("A loop device stands on the drive."),
    "use-raid-member": t("The drive or a partition belongs to a RAID array or volume group that is active."),
    "use-running-system": t("The drive carries the running system."),
    "use-opened": t("A program holds the drive open for itself alone."),
    # The drive itself.
    "move-unfinished": t("A partition is in the middle of a move by diskwright."),
    "drive-waiting": t("A run of diskwright waits on the drive, which looks empty to everything else."),
    "drive-left": t("A run of diskwright was left on the drive, and what it withheld was written to since."),
    "identity-same-drive": t(
        "Nothing tells the drive from another one: one drive by several names, or a copy."
    ),
    "identity-same-serial": t("Another drive tells the same serial number."),
    "drive-no-size": t("The kernel gives the drive no size, and cannot use it."),
    "drive-unread": t("Something of the drive could not be read."),
    "drive-read-only": t("The kernel allows no writes to the drive."),
    "health-failing": t("The drive's own health check (SMART) has failed."),
    "health-unreadable": t("The drive has sectors that it cannot read, or its last self-test found errors."),
    "health-worn": t(
        "The drive replaced bad sectors, lost data before, or is near the end of its endurance."
    ),
}
