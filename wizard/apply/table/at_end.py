"""A GPT whose second copy does not lie at the drive's end, since it was copied from a smaller drive or the
drive grew: it is put there. Pure.

The first sector stays as it is: its protective line covers the smaller drive still, which readers of a GPT
take (Linux, block/partitions/efi.c, is_pmbr_valid).
"""

import struct
import zlib

from wizard.apply.table.image import Image
from wizard.apply.table.type_codes import CHECKSUM_AT
from wizard.model.errors import Failed
from wizard.model.said import t
from wizard.probe.table.gpt import HEADER, Copy, read_copy

OWN_AT, OTHER_AT, LAST_USABLE_AT, ENTRIES_AT = 24, 32, 48, 72
"""Where in a header the blocks stand of itself, of the other header, of the last that partitions may have,
and of the first of its entries (UEFI 2.10, 5.3.2)."""


FIRST_ENTRIES = 2
"""The block that the first copy's entries begin in, of a table that is changed here (`Table.ordinary`)."""


def with_backup_at_end(image: Image) -> Image:
    """The table's places with its second copy in the drive's last blocks, and with all between usable. As
    they are where it lies there already, or no copy is sound. Raises Failed where a partition lies in that
    place.

    Where only the copy at the end is sound, a write like this was cut off: the first one is made from it.
    """
    block, last = image.block_bytes, image.size_bytes // image.block_bytes - 1
    first = read_copy(image.read, 1, last, block)
    if first is None or first.alternate_lba == last:
        return image
    if not first.sound:
        return _first_made_again(image, last)
    far = last - -(-len(first.entries) // block)
    if _last_taken(first) >= far:
        raise Failed(
            t("A partition lies where the backup of the GPT belongs, from byte {byte} on.", byte=far * block)
        )
    header = image.read(block, block)
    entries = image.read(first.entries_lba * block, (last - far) * block)
    patches = {
        block: _header(header, {OTHER_AT: last, LAST_USABLE_AT: far - 1}),
        far * block: entries,
        last * block: _header(header, {OWN_AT: last, OTHER_AT: 1, LAST_USABLE_AT: far - 1, ENTRIES_AT: far}),
    }
    return image.having(patches)


def _first_made_again(image: Image, last: int) -> Image:
    other, block = read_copy(image.read, last, last, image.block_bytes), image.block_bytes
    if other is None or not other.sound:
        return image
    header = _header(image.read(last * block, block), {OWN_AT: 1, OTHER_AT: last, ENTRIES_AT: FIRST_ENTRIES})
    return image.having({block: header, FIRST_ENTRIES * block: other.entries})


def _last_taken(copy: Copy) -> int:
    """The last block that a partition has."""
    size = copy.entry_bytes
    records = (copy.entries[at : at + size] for at in range(0, len(copy.entries), size))
    return max((struct.unpack_from("<Q", one, 40)[0] for one in records if one[:16].strip(b"\0")), default=0)


def _header(header: bytes, blocks: dict[int, int]) -> bytes:
    made = bytearray(header)
    for at, block in blocks.items():
        struct.pack_into("<Q", made, at, block)
    return with_checksum(made)


def with_checksum(header: bytearray) -> bytes:
    """A header with its own checksum made anew."""
    length = HEADER.unpack_from(header)[2]
    struct.pack_into("<I", header, CHECKSUM_AT, 0)
    struct.pack_into("<I", header, CHECKSUM_AT, zlib.crc32(header[:length]))
    return bytes(header)
