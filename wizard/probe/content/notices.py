"""Find the notice on a drive with a waiting run, at the few possible places.

Partitions with a recognised signature are skipped. Also reads the slots of a move's journal.
"""

import hashlib
import json
import os
import struct
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from typing import Any

from wizard.documents.profiles import notice_bytes, read_notice
from wizard.model.finding import Notice, notice_places
from wizard.model.machine import Extent
from wizard.model.migration import journal_places
from wizard.model.said import KERNEL_SECTOR_BYTES, KIB, rounded_up

HEAD_BYTES = 4096

Read = Callable[[int, int], bytes]
"""Reads from a byte on so many bytes; fewer where the drive ends. Raises OSError."""


def find_notice(descriptor: int, drive_bytes: int, taken: Iterable[tuple[int, int]]) -> dict[str, Any] | None:
    """The drive's notice in the shape of `facts.RawNotice`; None where there is none. `taken` are the bytes,
    from the first to that behind the last, that partitions have. One that waits goes before one that is left.
    Raises OSError.
    """

    def read(start: int, length: int) -> bytes:
        return os.pread(descriptor, length, start)

    found = None
    for notice, data in notices(read, drive_bytes, tuple(taken)):
        bare = is_bare(notice, read)
        if bare or found is None:
            found = {
                "offset_bytes": notice.start_bytes,
                "data": b64encode(data).decode("ascii"),
                "bare": bare,
            }
        if bare:
            break
    return found


def notices(
    read: Read, drive_bytes: int, taken: tuple[tuple[int, int], ...] = ()
) -> Iterator[tuple[Notice, bytes]]:
    """Every notice that says of itself that it belongs to a drive of this size, in this place, with its
    bytes."""
    for start in notice_places(drive_bytes):
        if any(begin <= start < end for begin, end in taken):
            continue
        if not (length := notice_bytes(read(start, HEAD_BYTES))):
            continue
        data = read(start, rounded_up(length, HEAD_BYTES))[:length]
        notice = read_notice(data)
        if notice is not None and _is_of(notice, drive_bytes, start):
            yield notice, data


def _is_of(notice: Notice, drive_bytes: int, start: int) -> bool:
    """Whether it lies where it says, and names no place beyond the drive: it can be anybody's."""
    named = [
        notice.extent,
        *notice.places,
        *(one.extent for one in notice.withheld),
    ]
    return (notice.drive_bytes, notice.start_bytes) == (drive_bytes, start) and all(
        place.start_bytes >= 0 < place.size_bytes and place.end_bytes <= drive_bytes for place in named
    )


def is_bare(notice: Notice, read: Read) -> bool:
    """Whether all that is withheld is not there, as it was left. Raises OSError."""
    digest = sha256()
    for one in notice.withheld:
        digest.update(read(one.start_bytes, one.size_bytes))
    return digest.hexdigest() == notice.bare_digest


MAGIC = b"DWMOVE\x001"
SLOT_BYTES = 128 * KIB
SLOTS = 2
HEADER = struct.Struct("<8sQII32s")
"""Magic, number, lengths of the state and of the edges, digest of all three."""

OVER = "done"
"""The phase in which nothing is left to be done."""


def read_slot(raw: bytes) -> tuple[int, bytes, bytes] | None:
    """The number of a valid slot, its state and its edges; None where it is none."""
    if len(raw) < HEADER.size:
        return None
    magic, number, plain_bytes, edge_bytes, digest = HEADER.unpack_from(raw)
    end = HEADER.size + plain_bytes
    if magic != MAGIC or end + edge_bytes > min(SLOT_BYTES, len(raw)):
        return None
    plain, edges = raw[HEADER.size : end], raw[end : end + edge_bytes]
    return (number, plain, edges) if digest_of(raw[8:24], plain, edges) == digest else None


def digest_of(lengths: bytes, plain: bytes, edges: bytes) -> bytes:
    """Of a slot: its number and lengths, as the header has them, its state and its edges."""
    return hashlib.sha256(lengths + plain + edges).digest()


def is_moving(read: Read, span: Extent) -> bool:
    """Whether the entry that covers `span` holds the journal of a move that is not over. Raises OSError."""
    for at in journal_places(span):
        slots = [read_slot(read(at + number * SLOT_BYTES, SLOT_BYTES)) for number in range(SLOTS)]
        found = [slot for slot in slots if slot is not None]
        if found and _phase(max(found)[1]) != OVER:
            return True
    return False


def _phase(plain: bytes) -> str:
    try:
        return str(json.loads(plain)["phase"])
    except (ValueError, KeyError, TypeError):
        return ""


SECTOR_BYTES = 512
NEXT_AT = 0x5C
MARK = b"GRUB \0Geom\0"
SIGNATURE = b"\x55\xaa"


def next_of(sector: bytes) -> int | None:
    """Where on the drive, in bytes, GRUB goes on from a sector; None where it is none of GRUB's."""
    if len(sector) < SECTOR_BYTES or MARK not in sector or sector[510:512] != SIGNATURE:
        return None
    return int(struct.unpack_from("<Q", sector, NEXT_AT)[0]) * KERNEL_SECTOR_BYTES
