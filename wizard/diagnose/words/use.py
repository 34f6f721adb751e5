"""Who uses a drive, what could not be read of it, and whether it fails."""

from wizard.model.said import Sentence

# A run of diskwright that waits on the drive.

# Uses.

# What could not be read.
NAMES = {
    "drive": Sentence("the drive itself"),
    "size_bytes": Sentence("its size"),
    "geometry": Sentence("its block sizes"),
    "table": Sentence("the partition table"),
    "partitions": Sentence("the partitions"),
    "signatures": Sentence("what the drive and its partitions hold"),
    "uses": Sentence("what uses it"),
    "free": Sentence("its free space"),
    "content_digest": Sentence("a checksum of what it holds"),
    "contents": Sentence("what the drive holds"),
    "notice": Sentence("whether a run waits on it"),
    "layers": Sentence("what lies on it in layers (LUKS, LVM, md)"),
    "zones": Sentence("its zones"),
    "smart": Sentence("the drive's health (SMART)"),
    "ata": Sentence("its identity (ATA)"),
    "nvme_formats": Sentence("its block formats (NVMe)"),
}
"""What a person knows each field by that the probe can fail to read."""
