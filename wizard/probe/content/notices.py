"""The notice on a drive that waits: looked for in the few places where it can be, and nowhere that a
partition lies in which something is recognised."""

import os
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from typing import Any

from wizard.documents.notice import notice_bytes, read_notice
from wizard.model.notice import Notice, notice_places
from wizard.model.units import rounded_up

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
