"""Messages about the recording technology of a drive: clues, conclusions and contradictions."""

from wizard.model.said import Sentence, t

# Sources of clues.
PAGE = t("SCSI VPD page B1h, byte 8, bits 5:4")
WORD = t("IDENTIFY word 69, bits 1:0")
SMARTCTL = t("smartctl, the drive's zoned capability")
DATABASE = t("smartmontools' drive database")

# Contents of clues.
STATED = Sentence("{management}")
STATED_BITS = Sentence("{bits}: {management}")
FAMILY = Sentence("{family}")
LISTED = Sentence("{management}")
LISTED_FAMILY = Sentence("{family}: {management}")
REPORTED = Sentence("reported as {management}")
REPORTED_FAMILY = Sentence("{family}: reported as {management}")
PROBED_LIKELY = Sentence("written data is read from another place (this test is unconfirmed on real drives)")

# Reasons for unavailable sources.
NOT_ASKED = Sentence("not available: {why}")

# The verdict.
CLUE = Sentence("{source}: {says}")
LIKELY = Sentence("{drive} is likely shingled ({clues:semicolons}).")
HOST_AWARE = Sentence("{drive} is shingled and host-aware ({clues:semicolons}).")
SHINGLED = Sentence("{drive} is shingled and drive-managed ({clues:semicolons}).")

# Unknown recording method.

# Contradictions.

# Rotation.

# Blocks.

# Unread facts.
NAMES = {
    "drive": Sentence("the drive"),
    "size_bytes": Sentence("size"),
    "geometry": Sentence("block sizes"),
    "table": Sentence("partition table"),
    "partitions": Sentence("partitions"),
    "signatures": Sentence("contents of the drive and partitions"),
    "uses": Sentence("current use"),
    "free": Sentence("free space"),
    "content_digest": Sentence("checksum of the contents"),
    "contents": Sentence("drive contents"),
    "notice": Sentence("waiting run, if any"),
    "layers": Sentence("storage layers (LUKS, LVM, md)"),
    "zones": Sentence("zones"),
    "smart": Sentence("health (SMART)"),
    "ata": Sentence("identity (ATA)"),
    "nvme_formats": Sentence("block formats (NVMe)"),
}
"""Names of the fields that the probe can fail to read."""


NOTHING_TO_DO = t("No action needed.")
NAMED = Sentence("{path} ({kind})")

TWO_BLOCKS = t(
    "A full filesystem block straddles physical blocks: for each write, the "
    "drive must read, modify and rewrite two."
)
LIARS = t(
    "Some drives with 4096-byte blocks report 512-byte blocks (WD10EARS, "
    "HD204UI). On such drives, every write here is slow."
)
