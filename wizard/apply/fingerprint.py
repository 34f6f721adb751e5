"""A fingerprint of everything on a device, to prove that it is again what it was."""

import hashlib
import mmap
import os
from collections.abc import Callable

from wizard.apply.devices import forget_caches, size_bytes
from wizard.model.errors import Failed
from wizard.model.units import MIB

PIECE_BYTES = 4 * MIB


def fingerprint(node: str, on_share: Callable[[float], None]) -> str:
    """SHA-256 of all bytes, read past every cache. `on_share` is told which part is done, from 0 to 1. Raises Failed."""
    total, done, made = size_bytes(node), 0, hashlib.sha256()
    forget_caches(node)
    try:
        fd = os.open(node, os.O_RDONLY | os.O_DIRECT | os.O_CLOEXEC)
        try:
            with mmap.mmap(-1, PIECE_BYTES) as buffer, memoryview(buffer) as view:
                while done < total:
                    got = os.preadv(fd, [view[: min(PIECE_BYTES, total - done)]], done)
                    if not got:
                        raise Failed(f"{node} ended at byte {done} of {total}.")
                    made.update(view[:got])
                    done += got
                    on_share(done / total)
        finally:
            os.close(fd)
    except OSError as error:
        raise Failed(f"{node} could not be read at byte {done}: {error.strerror}.") from None
    return made.hexdigest()
