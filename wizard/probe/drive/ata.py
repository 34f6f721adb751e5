"""What a drive's own IDENTIFY DEVICE data say, from SCSI VPD page 89h, which any user may read in sysfs.
Pure.

The kernel's ATA driver makes the page for every drive of its own; bridges and controllers that translate as
SAT asks (USB, SAS) have it too. Linux hands it on from 5.5 on.
Sources: SAT-4, ATA Information VPD page; ACS-4, IDENTIFY DEVICE data; Linux drivers/ata/libata-scsi.c,
drivers/scsi/scsi_sysfs.c and, for word 209, include/linux/ata.h.
"""

from wizard.model.drive_facts import Ata
from wizard.model.said import Said
from wizard.probe.drive.pages import vital_page
from wizard.probe.drive.rotation import told
from wizard.probe.facts import RawDrive
from wizard.probe.words.unread import BAD_SUM, NO_DISK

PAGE = "89"
COMMAND_BYTE, DATA_AT, DATA_BYTES = 56, 60, 512
IDENTIFY_DEVICE = 0xEC
"""The command whose answer the page holds; optical drives have another, with words of other meanings."""

SIGNATURE = 0xA5
"""In the lower byte of word 255: the upper one makes the sum of all bytes zero."""
NOT_REPORTED = 0xFFFF
WORD_BYTES = 2
USUAL_BLOCK_BYTES = 512


def ata_of(raw: RawDrive) -> tuple[Ata | None, Said | None]:
    """What the words say, and why they cannot be used where there are some that cannot."""
    page = vital_page(raw, PAGE)
    if page is None or len(page) < DATA_AT + DATA_BYTES or page[COMMAND_BYTE] != IDENTIFY_DEVICE:
        return None, None
    data = page[DATA_AT : DATA_AT + DATA_BYTES]
    if data[-WORD_BYTES] == SIGNATURE and sum(data) % 256:
        return None, BAD_SUM
    words = [int.from_bytes(data[at : at + WORD_BYTES], "little") for at in range(0, DATA_BYTES, WORD_BYTES)]
    if not any(words) or words[0] & 1 << 15:
        return None, NO_DISK
    logical = _logical_block_bytes(words)
    return (
        Ata(
            model=model_in(data),
            zoned=words[69] & 3 if words[69] not in (0, NOT_REPORTED) and words[69] & 3 != 3 else None,
            trims=bool(words[169] & 1) if words[169] != NOT_REPORTED else None,
            rotation_rate=told(words[217]),
            physical_block_bytes=logical * _blocks_in_physical(words) if _is_valid(words[106]) else None,
            alignment_offset_bytes=_alignment_offset(words, logical),
        ),
        None,
    )


def _is_valid(word: int) -> bool:
    """Bit 15 clear and bit 14 set, which neither a zero nor a word of ones has."""
    return word >> 14 == 1


def _logical_block_bytes(words: list[int]) -> int:
    """Words 118:117 count 16-bit units, where bit 12 of word 106 says that they do."""
    if _is_valid(words[106]) and words[106] & 1 << 12:
        return (words[118] << 16 | words[117]) * WORD_BYTES or USUAL_BLOCK_BYTES
    return USUAL_BLOCK_BYTES


def _blocks_in_physical(words: list[int]) -> int:
    return 1 << (words[106] & 0xF) if _is_valid(words[106]) and words[106] & 1 << 13 else 1


def _alignment_offset(words: list[int], logical: int) -> int | None:
    """Word 209 tells where in its physical block the first logical one lies; the next physical block begins
    that much earlier."""
    blocks = _blocks_in_physical(words)
    within = words[209] & 0x3FFF
    if not _is_valid(words[209]) or within >= blocks:
        return None
    return (blocks - within) % blocks * logical


def model_in(data: bytes) -> str | None:
    """Words 27 to 46: 40 characters, in each word the first one in the upper byte. None where they are no
    text."""
    swapped = bytes(data[at ^ 1] for at in range(54, 94))
    text = " ".join(swapped.decode("ascii", errors="replace").replace("\0", " ").split())
    return text if text and text.isprintable() and text.isascii() else None
