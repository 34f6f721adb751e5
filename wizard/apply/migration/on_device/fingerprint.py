"""A fingerprint of everything on a device, to prove that it is again what it was."""

import hashlib
import mmap
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

from wizard.apply.block.devices import forget_caches, size_bytes
from wizard.apply.migration.on_device import words
from wizard.model.errors import Failed
from wizard.model.units import MIB

PIECE_BYTES = 4 * MIB


def fingerprint(node: str, on_share: Callable[[float], None]) -> str:
    """SHA-256 of all bytes, read past every cache, each piece while the one before is hashed. `on_share` is
    told which part is done, from 0 to 1. Raises Failed.
    """
    total, done, made = size_bytes(node), 0, hashlib.sha256()
    forget_caches(node)
    try:
        fd = os.open(node, os.O_RDONLY | os.O_DIRECT | os.O_CLOEXEC)
        try:
            for piece in _pieces(fd, total):
                made.update(piece)
                done += len(piece)
                on_share(done / total)
        finally:
            os.close(fd)
    except OSError as error:
        raise Failed(words.NOT_READ(device=node, place=done, why=str(error.strerror))) from None
    if done < total:
        raise Failed(words.ENDED(device=node, place=done, total=total))
    return made.hexdigest()


def _pieces(fd: int, total: int) -> Iterator[memoryview]:
    """All bytes in order, the next being read meanwhile; a piece is good until the next is asked for. Raises
    OSError."""
    # Reading past the caches wants memory that begins on a page.
    halves = [memoryview(mmap.mmap(-1, PIECE_BYTES)) for _ in range(2)]
    done = 0
    with ThreadPoolExecutor(1) as reader:

        def ask() -> Future[int]:
            return reader.submit(os.preadv, fd, [halves[0][: total - done]], done)

        asked = ask()
        while got := asked.result():
            piece = halves[0][:got]
            done += got
            halves.reverse()
            asked = ask()
            yield piece
