"""What each finding's code means. Codes are stable: scripts and bug reports name them."""

CODES = {
    # How partitions lie.
    "alignment-physical": (
        "A partition starts off the drive's physical block (or its minimum I/O size) by the kernel's formula."
    ),
    "alignment-4096": (
        "A partition starts off 4096 bytes on a drive that claims physical blocks of 512; drives that lie "
        "about it exist."
    ),
    "alignment-grain": "A partition is aligned to the physical block, but not to 1 MiB.",
    "alignment-ok": "A partition starts on a physical block and on 1 MiB; many of them are told together.",
    "alignment-inside": (
        "What stands in a partition, a container or an array begins off the drive's blocks, though what "
        "holds it does not."
    ),
    "alignment-compensated": (
        "Something begins off the drive's blocks, and the data in it make up for that and begin on one."
    ),
    "alignment-chunk": "Data on a striped array begin off its chunks or, with parity, its full stripes.",
    "alignment-stripe": (
        "Whether a filesystem's stride and stripe width (XFS: su and sw) fit the array that it stands on."
    ),
    "alignment-stack": "The kernel found a stack of devices (RAID, device-mapper) misaligned in itself.",
    # What the drive says of its blocks.
    "geometry-512e": "The drive emulates 512-byte blocks on physical blocks of 4096 bytes.",
    "geometry-4kn": "The drive's blocks are 4096 bytes; it takes nothing smaller.",
    "geometry-usb-4096": (
        "A USB bridge presents 4096-byte blocks, perhaps of a drive that has 512-byte blocks without it."
    ),
    "geometry-optimal-io-bogus": "The optimal I/O size that the drive reports cannot be meant.",
    "geometry-contradiction": "The kernel and the drive itself say different things of its physical blocks.",
    "geometry-nvme-formats": (
        "An NVMe drive has a better format than the one in use; changing it erases the drive."
    ),
    # How it records.
    "recording-zoned-host-managed": "The drive takes writes only in the order of its zones.",
    "recording-zoned-host-aware": "The drive is shingled and prefers writes in the order of its zones.",
    "recording-shingled": "The drive is shingled and manages that by itself.",
    "recording-shingled-likely": "Something speaks for a shingled drive, without proof.",
    "recording-unknown": "Nothing tells whether this hard disk is shingled.",
    "recording-contradiction": (
        "Sources contradict each other about how the drive records, or whether it turns."
    ),
    # The partition table.
    "table-overlap": "Two partitions share bytes.",
    "table-outside": "A partition reaches beyond what the drive or its table has.",
    "table-kernel-differs": "The kernel believes in other bounds of a partition than the table says.",
    "table-primary-damaged": "The GPT at the start of the drive is damaged.",
    "table-both-damaged": "Neither copy of the GPT is whole.",
    "table-backup-missing": "The GPT has no backup at the end of the drive.",
    "table-backup-damaged": "The GPT's backup is damaged.",
    "table-backup-misplaced": "The GPT's backup is not at the end of the drive.",
    "table-mbr-over-2tib": "The drive is larger than an MBR table can reach.",
    "table-hybrid": "The drive has a GPT and an MBR that both name partitions.",
    # What lives on it.
    "signatures-ambivalent": "Several signatures on one device contradict each other.",
    "signatures-lost": "Nothing is recognised, but the copy of a superblock tells of an ext filesystem.",
    "signatures-beside-table": "A signature lives on the whole drive although it has a partition table.",
    # Who uses it.
    "use-mounted": "Something of the drive is mounted.",
    "use-swap": "Something of the drive is used as swap space.",
    "use-holder": "Another block device is built on the drive.",
    "use-loop-backing": "A loop device stands on the drive.",
    "use-raid-member": "The drive or a partition belongs to a RAID array or volume group that is active.",
    "use-running-system": "The drive carries the running system.",
    "use-opened": "A program holds the drive open for itself alone.",
    # The drive itself.
    "drive-waiting": "A run of diskwright waits on the drive, which looks empty to everything else.",
    "drive-left": "A run of diskwright was left on the drive, and what it withheld was written to since.",
    "drive-unread": "Something of the drive could not be read.",
    "drive-read-only": "The kernel lets nothing be written to the drive.",
    "health-unreadable": "The drive has sectors that it cannot read, or its last self-test found errors.",
    "health-worn": "The drive replaced bad sectors, lost data before, or is near the end of its endurance.",
    "health-failing": "The drive's own health check (SMART) has failed.",
}
