"""Fingerprint of a file or device. Drives are mostly holes or zeros: holes are not read, and only the
position of zeros counts."""

import errno
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

PIECE_BYTES = 1 << 20
ZEROS = bytes(PIECE_BYTES)


def fingerprint(path: Path) -> str:
    """Return a digest that depends on the bytes, not on holes."""
    found = hashlib.sha256()
    descriptor = os.open(path, os.O_RDONLY)
    try:
        size = os.lseek(descriptor, 0, os.SEEK_END)
        for number in _pieces(descriptor, size):
            piece = os.pread(descriptor, PIECE_BYTES, number * PIECE_BYTES)
            if piece != ZEROS[: len(piece)]:
                found.update(b"%d:%d:" % (number, len(piece)))
                found.update(piece)
    finally:
        os.close(descriptor)
    return f"{size}:{found.hexdigest()}"


def _pieces(descriptor: int, size: int) -> Iterator[int]:
    """Yield the numbers of pieces outside holes, each once, in order."""
    at, following = 0, 0
    while at < size:
        try:
            begin = os.lseek(descriptor, at, os.SEEK_DATA)
            at = os.lseek(descriptor, begin, os.SEEK_HOLE)
        except OSError as error:
            if error.errno == errno.ENXIO:
                return
            # A device tells of no holes.
            begin, at = 0, size
        after = -(-at // PIECE_BYTES)
        yield from range(max(begin // PIECE_BYTES, following), after)
        following = after
