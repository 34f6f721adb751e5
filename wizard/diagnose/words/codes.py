"""What each finding's code means. Codes are stable: scripts and bug reports name them."""

from wizard.model.said import Said, Sentence

_MEANINGS = (
    # How partitions lie.
    Sentence(
        "diagnose.codes.alignment-physical",
        "A partition starts off the drive's physical block or minimum I/O size, by the kernel's formula.",
    ),
    Sentence(
        "diagnose.codes.alignment-4096",
        "A partition starts off 4096 bytes on a drive that reports 512-byte blocks; some of those lie.",
    ),
    Sentence(
        "diagnose.codes.alignment-grain", "A partition is aligned to the physical block, but not to 1 MiB."
    ),
    Sentence(
        "diagnose.codes.alignment-ok",
        "A partition starts on a physical block and on 1 MiB. Many such partitions are one finding.",
    ),
    Sentence("diagnose.codes.alignment-end", "A partition ends within a physical block."),
    Sentence(
        "diagnose.codes.alignment-inside",
        "What a partition, container or array holds starts off the drive's blocks; it itself does not.",
    ),
    Sentence(
        "diagnose.codes.alignment-compensated",
        "Something starts off the drive's blocks, and its data makes up for that and starts on one.",
    ),
    Sentence(
        "diagnose.codes.alignment-chunk",
        "Data on a striped array starts off its chunks or, with parity, its full stripes.",
    ),
    Sentence(
        "diagnose.codes.alignment-stripe",
        "Whether a filesystem's stride and stripe width (XFS: su and sw) fit the array that it stands on.",
    ),
    Sentence(
        "diagnose.codes.alignment-stack",
        "The kernel found a stack of devices (RAID, device-mapper) misaligned in itself.",
    ),
    # What the drive says of its blocks.
    Sentence(
        "diagnose.codes.geometry-512e", "The drive emulates 512-byte blocks on physical blocks of 4096 bytes."
    ),
    Sentence("diagnose.codes.geometry-4kn", "The drive takes only 4096-byte blocks."),
    Sentence(
        "diagnose.codes.geometry-usb-4096",
        "A USB bridge presents 4096-byte blocks, perhaps of a drive that has 512-byte blocks without it.",
    ),
    Sentence("diagnose.codes.geometry-optimal-io-bogus", "The drive reports an impossible optimal I/O size."),
    Sentence(
        "diagnose.codes.geometry-contradiction",
        "The kernel and the drive disagree about its physical blocks.",
    ),
    Sentence(
        "diagnose.codes.geometry-nvme-formats",
        "An NVMe drive has a better format than the one in use; changing it erases the drive.",
    ),
    Sentence(
        "diagnose.codes.geometry-large-blocks", "The drive's physical blocks are larger than 4096 bytes."
    ),
    # How it records.
    Sentence(
        "diagnose.codes.recording-zoned-host-managed",
        "The drive takes writes only in the order of its zones.",
    ),
    Sentence(
        "diagnose.codes.recording-zoned-host-aware",
        "The drive is shingled and prefers writes in the order of its zones.",
    ),
    Sentence("diagnose.codes.recording-shingled", "The drive is shingled and manages that by itself."),
    Sentence(
        "diagnose.codes.recording-shingled-likely", "Something speaks for a shingled drive, without proof."
    ),
    Sentence("diagnose.codes.recording-unknown", "Nothing tells whether this hard disk is shingled."),
    Sentence(
        "diagnose.codes.recording-contradiction",
        "Sources contradict each other about how the drive records, or whether it turns.",
    ),
    # The partition table.
    Sentence("diagnose.codes.table-overlap", "Two partitions share bytes."),
    Sentence("diagnose.codes.table-outside", "A partition reaches beyond what the drive or its table has."),
    Sentence("diagnose.codes.table-covered", "A partition lies upon the partition table itself."),
    Sentence("diagnose.codes.table-no-bytes", "An entry of the table has no bytes."),
    Sentence(
        "diagnose.codes.table-kernel-differs",
        "The kernel and the table disagree about the bounds of a partition.",
    ),
    Sentence("diagnose.codes.table-primary-damaged", "The GPT at the start of the drive is damaged."),
    Sentence("diagnose.codes.table-both-damaged", "Both copies of the GPT are damaged."),
    Sentence("diagnose.codes.table-backup-missing", "The GPT has no backup at the end of the drive."),
    Sentence("diagnose.codes.table-backup-damaged", "The GPT's backup is damaged."),
    Sentence("diagnose.codes.table-backup-misplaced", "The GPT's backup is not at the end of the drive."),
    Sentence("diagnose.codes.table-mbr-over-2tib", "The drive is larger than an MBR table can reach."),
    Sentence("diagnose.codes.table-hybrid", "The drive has a GPT and an MBR that both name partitions."),
    # What lives on it.
    Sentence(
        "diagnose.codes.signatures-ambivalent", "Several signatures on one device contradict each other."
    ),
    Sentence(
        "diagnose.codes.signatures-lost",
        "Nothing is recognised, but a copy of a superblock of ext2, ext3 or ext4 is there.",
    ),
    Sentence(
        "diagnose.codes.signatures-beside-table",
        "The whole drive carries a signature although it has a partition table.",
    ),
    # Who uses it.
    Sentence("diagnose.codes.use-mounted", "Something of the drive is mounted."),
    Sentence("diagnose.codes.use-swap", "Something of the drive is used as swap space."),
    Sentence("diagnose.codes.use-holder", "Another block device is built on the drive."),
    Sentence("diagnose.codes.use-loop-backing", "A loop device stands on the drive."),
    Sentence(
        "diagnose.codes.use-raid-member",
        "The drive or a partition belongs to a RAID array or volume group that is active.",
    ),
    Sentence("diagnose.codes.use-running-system", "The drive carries the running system."),
    Sentence("diagnose.codes.use-opened", "A program holds the drive open for itself alone."),
    # The drive itself.
    Sentence("diagnose.codes.move-unfinished", "A partition is in the middle of a move by diskwright."),
    Sentence(
        "diagnose.codes.drive-waiting",
        "A run of diskwright waits on the drive, which looks empty to everything else.",
    ),
    Sentence(
        "diagnose.codes.drive-left",
        "A run of diskwright was left on the drive, and what it withheld was written to since.",
    ),
    Sentence(
        "diagnose.codes.identity-same-drive",
        "Nothing tells the drive from another one: one drive by several names, or a copy.",
    ),
    Sentence("diagnose.codes.identity-same-serial", "Another drive tells the same serial number."),
    Sentence("diagnose.codes.drive-no-size", "The kernel gives the drive no size, and cannot use it."),
    Sentence("diagnose.codes.drive-unread", "Something of the drive could not be read."),
    Sentence("diagnose.codes.drive-read-only", "The kernel allows no writes to the drive."),
    Sentence("diagnose.codes.health-failing", "The drive's own health check (SMART) has failed."),
    Sentence(
        "diagnose.codes.health-unreadable",
        "The drive has sectors that it cannot read, or its last self-test found errors.",
    ),
    Sentence(
        "diagnose.codes.health-worn",
        "The drive replaced bad sectors, lost data before, or is near the end of its endurance.",
    ),
)

CODES: dict[str, Said] = {one.code.rpartition(".")[2]: one() for one in _MEANINGS}
