"""Find the notice on a drive with a waiting run, at its few possible offsets. Skips partitions with a
recognised signature. Also reads the slots of a move's journal."""

import json
import struct
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import sha256

from wizard.documents.profiles import notice_bytes, read_notice
from wizard.model.finding import Notice, notice_places
from wizard.model.machine import Extent, Placed
from wizard.model.moves import journal_places
from wizard.model.said import KERNEL_SECTOR_BYTES, KIB, rounded_up
from wizard.probe.content.tables import Read
from wizard.probe.facts import RawNotice

HEAD_BYTES = 4096


def find_notice(read: Read, drive_bytes: int, taken: Iterable[Placed]) -> RawNotice | None:
    """Return the drive's notice, or None. `taken`: partitions. A
    waiting run takes precedence over a leftover notice. Raises OSError."""

    found = None
    for notice, data in notices(read, drive_bytes, tuple(taken)):
        bare = is_bare(notice, read)
        if bare or found is None:
            found = RawNotice(notice.start_bytes, data, bare)
        if bare:
            return found
    return found


def notices(read: Read, drive_bytes: int, taken: tuple[Placed, ...] = ()) -> Iterator[tuple[Notice, bytes]]:
    """Yield every plausible notice, with the bytes."""
    for start in notice_places(drive_bytes):
        if any(part.start_bytes <= start < part.end_bytes for part in taken):
            continue
        if not (length := notice_bytes(read(start, HEAD_BYTES))):
            continue
        data = read(start, rounded_up(length, HEAD_BYTES))[:length]
        notice = read_notice(data)
        # Anyone may have written a notice. It must be at its stated offset, and name only places on the
        # drive.
        if notice is None or (notice.drive_bytes, notice.start_bytes) != (drive_bytes, start):
            continue
        named = [notice.extent, *notice.places, *notice.withheld, *notice.zeros]
        if all(
            place.start_bytes >= 0 < place.size_bytes and place.end_bytes <= drive_bytes for place in named
        ):
            yield notice, data


def is_bare(notice: Notice, read: Read) -> bool:
    """Return True if the withheld bytes are still missing. Raises OSError."""
    digest = sha256()
    for one in notice.withheld:
        digest.update(read(one.start_bytes, one.size_bytes))
    return digest.hexdigest() == notice.bare_digest


MAGIC = b"DWMOVE\x001"
SLOT_BYTES = 128 * KIB
SLOTS = 2
HEADER = struct.Struct("<8sQII32s")
"""Magic, number, lengths of state and edges, and the digest of all three."""

OVER = "done"
"""Phase of a finished move."""


def read_slot(raw: bytes) -> tuple[int, bytes, bytes] | None:
    """Return the number, state and edges of a valid slot, else None."""
    if len(raw) < HEADER.size:
        return None
    magic, number, plain_bytes, edge_bytes, digest = HEADER.unpack_from(raw)
    end = HEADER.size + plain_bytes
    if magic != MAGIC or end + edge_bytes > min(SLOT_BYTES, len(raw)):
        return None
    plain, edges = raw[HEADER.size : end], raw[end : end + edge_bytes]
    return (number, plain, edges) if digest_of(raw[8:24], plain, edges) == digest else None


def digest_of(lengths: bytes, plain: bytes, edges: bytes) -> bytes:
    """Return the digest of a slot: number and lengths as in the header, state, and edges."""
    return sha256(lengths + plain + edges).digest()


def is_moving(read: Read, span: Extent) -> bool:
    """Return True if the entry that covers `span` has the journal of an unfinished move. Raises OSError."""
    for at in journal_places(span):
        slots = [read_slot(read(at + number * SLOT_BYTES, SLOT_BYTES)) for number in range(SLOTS)]
        found = [slot for slot in slots if slot is not None]
        phase = None
        with suppress(ValueError, KeyError, TypeError):
            phase = json.loads(max(found)[1])["phase"] if found else OVER
        if phase != OVER:
            return True
    return False


SECTOR_BYTES = 512
NEXT_AT = 0x5C
MARK = b"GRUB \0Geom\0"
SIGNATURE = b"\x55\xaa"


def next_of(sector: bytes) -> int | None:
    """Return where on the drive, in bytes, GRUB continues after a sector, or None."""
    if len(sector) < SECTOR_BYTES or MARK not in sector or sector[510:512] != SIGNATURE:
        return None
    return int(struct.unpack_from("<Q", sector, NEXT_AT)[0]) * KERNEL_SECTOR_BYTES
