"""The partition table, the bounds of partitions, and signatures."""

from wizard.model.said import Sentence

# Damage to a GPT.
PRIMARY_DAMAGED = Sentence("diagnose.tables.primary-damaged", "The GPT at the start of {drive} is damaged.")
PRIMARY_DAMAGED_WHY = Sentence(
    "diagnose.tables.primary-damaged-why",
    "Only the backup at the drive's end still says where the partitions are. Firmware and other systems "
    "may see none.",
)
PRIMARY_DAMAGED_REMEDY = Sentence(
    "diagnose.tables.primary-damaged-remedy",
    "Save your data first. Then run `gdisk {drive}`, which offers to restore the table from its backup.",
)
BOTH_DAMAGED = Sentence("diagnose.tables.both-damaged", "Both copies of the GPT of {drive} are damaged.")
BOTH_DAMAGED_WHY = Sentence(
    "diagnose.tables.both-damaged-why",
    "Nothing reliable says where the partitions are. A repair would write down a guess.",
)
BOTH_DAMAGED_REMEDY = Sentence(
    "diagnose.tables.both-damaged-remedy",
    "Write nothing to it. Attach it as it was when the table was made: another USB bridge may show other "
    "blocks, or fewer. If that does not help, make an image and let `testdisk` search that for the "
    "partitions.",
)
BACKUP_MISSING = Sentence(
    "diagnose.tables.backup-missing", "The GPT of {drive} has no backup at the end of the drive."
)
BACKUP_DAMAGED = Sentence("diagnose.tables.backup-damaged", "The backup of {drive}'s GPT is damaged.")
BACKUP_MISPLACED = Sentence(
    "diagnose.tables.backup-misplaced",
    "The backup of {drive}'s GPT is not in its last block: it grew, or was copied from a smaller drive.",
)
BACKUP_WHY = Sentence(
    "diagnose.tables.backup-why",
    "If the table at the start is damaged, nothing else says where the partitions are.",
)
BACKUP_REMEDY = Sentence(
    "diagnose.tables.backup-remedy",
    "`sgdisk --move-second-header {drive}` writes a new backup at the end and leaves the partitions alone.",
)
MISPLACED_REMEDY = Sentence(
    "diagnose.tables.misplaced-remedy",
    "Growing the last partition puts it there, too: `sudo diskwright plan PARTITION --grow`. "
    "`sgdisk --move-second-header {drive}` does nothing else.",
)
UEFI = Sentence("diagnose.tables.uefi", "UEFI specification 2.10, section 5.3 (GUID partition table)")

# MBR.
TOO_LARGE = Sentence(
    "diagnose.tables.too-large",
    "The MBR table of {drive} reaches only {reach:size} of {size:size}: {beyond} bytes lie beyond.",
)
TOO_LARGE_WHY = Sentence(
    "diagnose.tables.too-large-why",
    "An MBR counts blocks with 32 bits: no partition can start beyond, or be longer.",
)
TOO_LARGE_SOURCE = Sentence(
    "diagnose.tables.too-large-source", "the MBR's entry: first block and length in 32 bits each"
)
TOO_LARGE_REMEDY = Sentence(
    "diagnose.tables.too-large-remedy",
    "Set the drive up anew with a GPT. To convert it in place, make a backup first, then use `sgdisk "
    "--mbrtogpt`.",
)
HYBRID = Sentence("diagnose.tables.hybrid", "{drive} has a GPT and an MBR that both name partitions.")
HYBRID_WHY = Sentence(
    "diagnose.tables.hybrid-why",
    "Each program follows one of the two. Once they differ, one overwrites what the other keeps.",
)
HYBRID_REMEDY = Sentence(
    "diagnose.tables.hybrid-remedy",
    "If no system boots by the MBR's entries, set the drive up anew with a GPT. Otherwise change both "
    "tables alike.",
)

# Bounds.
ENDS_OUTSIDE = Sentence(
    "diagnose.tables.ends-outside",
    "{partition} ends {beyond} bytes past the last byte that {drive} or its table has for partitions.",
)
STARTS_OUTSIDE = Sentence(
    "diagnose.tables.starts-outside",
    "{partition} starts at byte {start}, before byte {first}, the table's first byte for partitions.",
)
OUTSIDE_WHY = Sentence(
    "diagnose.tables.outside-why",
    "What lies outside cannot be read or written, or is the partition table itself.",
)
OUTSIDE_SOURCE = Sentence("diagnose.tables.outside-source", "the MBR's entry: first block and length")
OUTSIDE_REMEDY = Sentence(
    "diagnose.tables.outside-remedy",
    "Attach the drive as it was when the table was made: another USB bridge may hide blocks. Otherwise "
    "save what can be read, and set the drive up anew.",
)
UPON_TABLE = Sentence(
    "diagnose.tables.upon-table",
    "{partition} lies upon the partition table: it shares {shared} bytes with it from byte {at} on.",
)
UPON_TABLE_WHY = Sentence(
    "diagnose.tables.upon-table-why",
    "Writing to the partition destroys the table. Whatever writes the table, or repairs it, destroys what "
    "the partition holds.",
)
UPON_TABLE_REMEDY = Sentence(
    "diagnose.tables.upon-table-remedy",
    "Make no filesystem there, and run no repair of the table. Mount the partition read-only, save what it "
    "holds, and set the drive up anew.",
)
NO_REPAIR = Sentence(
    "diagnose.tables.no-repair",
    "Do not repair the table: {partition} lies where that copy belongs, and would be written over. Save "
    "what it holds, and set the drive up anew.",
)
NO_BYTES = Sentence("diagnose.tables.no-bytes", "{partition} has no bytes: its entry ends before it starts.")
NO_BYTES_WHY = Sentence(
    "diagnose.tables.no-bytes-why",
    "No program can use it, and programs that check a table refuse to change this one.",
)
NO_BYTES_SOURCE = Sentence("diagnose.tables.no-bytes-source", "the entry in the drive's partition table")
NO_BYTES_REMEDY = Sentence(
    "diagnose.tables.no-bytes-remedy",
    "If nobody misses what it was, `sfdisk --delete {drive} {number}` takes the entry out.",
)
NOT_WITHIN = Sentence(
    "diagnose.tables.not-within",
    "{partition} is a logical partition, and does not lie within the extended one, {extended}.",
)
NOT_WITHIN_WHY = Sentence(
    "diagnose.tables.not-within-why",
    "Other programs take its bytes for free, or for another partition's, and write there.",
)
OVERLAP = Sentence(
    "diagnose.tables.overlap", "{one} and {other} overlap: they share {shared} bytes from byte {start} on."
)
OVERLAP_WHY = Sentence("diagnose.tables.overlap-why", "Writing to one destroys data in the other.")
OVERLAP_SOURCE = Sentence("diagnose.tables.overlap-source", "the two entries in the drive's partition table")
OVERLAP_REMEDY = Sentence(
    "diagnose.tables.overlap-remedy",
    "Write to neither. Mount each read-only, save what is whole, and set the drive up anew.",
)
KERNEL_DIFFERS = Sentence(
    "diagnose.tables.kernel-differs",
    "The kernel and the table disagree about {partition}. The kernel has it at byte {kernel_start} with "
    "{kernel_size} bytes, the table at byte {start} with {size} bytes.",
)
KERNEL_DIFFERS_WHY = Sentence(
    "diagnose.tables.kernel-differs-why",
    "The table was changed while the partition was in use. After a restart its contents are looked for "
    "elsewhere.",
)
KERNEL_DIFFERS_SOURCE = Sentence(
    "diagnose.tables.kernel-differs-source", "start and size of the partition in sysfs"
)
KERNEL_DIFFERS_REMEDY = Sentence(
    "diagnose.tables.kernel-differs-remedy",
    "Unmount everything of {drive} and run `partx --update {drive}`, or restart.",
)

# Signatures.
AMBIVALENT = Sentence(
    "diagnose.tables.ambivalent", "{device} carries signatures that contradict each other: {kinds:list}."
)
AMBIVALENT_WHY = Sentence(
    "diagnose.tables.ambivalent-why",
    "libblkid then names no filesystem, so mounting by UUID fails. A repair tool may take the wrong one.",
)
AMBIVALENT_SOURCE = Sentence("diagnose.tables.ambivalent-source", "libblkid, blkid_do_safeprobe")
AMBIVALENT_REMEDY = Sentence(
    "diagnose.tables.ambivalent-remedy",
    "`wipefs {device}` lists them. Erase the stale one with `wipefs --offset` once you know which; "
    "diskwright does not guess.",
)
LOST = Sentence(
    "diagnose.tables.lost",
    "{device} looks empty, but a copy of an ext2, ext3 or ext4 superblock is still at byte {place}.",
)
LOST_WHY = Sentence(
    "diagnose.tables.lost-why",
    "It was erased on purpose, or its first superblock is damaged and all files may still be there.",
)
LOST_SOURCE = Sentence(
    "diagnose.tables.lost-source",
    "the copy at the start of the second group of blocks, as mke2fs places it",
)
LOST_REMEDY = Sentence(
    "diagnose.tables.lost-remedy",
    "If it should hold files, do not set it up. Make an image of it, then see what `diskwright migrate "
    "{device}` says.",
)
BESIDE_TABLE = Sentence(
    "diagnose.tables.beside-table",
    "{drive} has a partition table and, as a whole, the signature of {kinds:list}.",
)
BESIDE_TABLE_WHY = Sentence(
    "diagnose.tables.beside-table-why",
    "One of the two is stale. A program that believes the stale one overwrites the other's data.",
)
BESIDE_TABLE_SOURCE = Sentence(
    "diagnose.tables.beside-table-source", "libblkid; new tables leave superblocks such as Btrfs' in place"
)
BESIDE_TABLE_REMEDY = Sentence(
    "diagnose.tables.beside-table-remedy",
    "`wipefs {drive}` lists it. If the partitions are what counts, erase it alone with `wipefs --offset`.",
)
