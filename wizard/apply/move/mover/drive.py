"""The drive that a partition moves on: open for this process alone, past the page cache, in windows of any
size."""

import errno
import mmap
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from wizard.apply.block import words
from wizard.apply.block.devices import open_exclusively
from wizard.apply.engine.words import IN_USE
from wizard.apply.move.unread.narrowing import Unread
from wizard.model.errors import Failed

UNREAD = frozenset({errno.EIO, errno.ENODATA})
"""What the kernel says of a sector that cannot be read (Linux block/blk-core.c, blk_errors)."""


class MovedDrive:
    """See `MovingDrive`. Raises Failed where it cannot be had alone."""

    def __init__(self, node: str) -> None:
        self._node = node
        if reason := open_exclusively(node):
            raise Failed(IN_USE(device=node, why=reason))
        try:
            self._fd = os.open(node, os.O_RDWR | os.O_EXCL | os.O_DIRECT | os.O_CLOEXEC)
        except OSError as error:
            raise Failed(words.UNOPENED(device=node, why=str(error.strerror))) from None

        self._beside = ThreadPoolExecutor(1)

    def __enter__(self) -> "MovedDrive":
        return self

    def __exit__(self, *_: object) -> None:
        self._beside.shutdown()
        os.close(self._fd)

    def buffer(self, length_bytes: int) -> memoryview:
        """Whole pages, as direct reading and writing wants them."""
        return memoryview(mmap.mmap(-1, max(length_bytes, mmap.PAGESIZE)))[:length_bytes]

    def read_into(self, offset_bytes: int, buffer: memoryview) -> None:
        """See `MovingDrive`."""
        done = 0
        while done < len(buffer):
            try:
                got = os.preadv(self._fd, [buffer[done:]], offset_bytes + done)
            except OSError as error:
                kind = Unread if error.errno in UNREAD else Failed
                raise kind(
                    words.UNREAD_AT(device=self._node, byte=offset_bytes + done, why=str(error.strerror))
                ) from None
            if not got:
                came = words.CAME(got=done, length=len(buffer))
                raise Failed(words.UNREAD_AT(device=self._node, byte=offset_bytes + done, why=came))
            done += got

    def write(self, offset_bytes: int, data: memoryview) -> None:
        """See `MovingDrive`."""
        done = 0
        while done < len(data):
            try:
                done += os.pwritev(self._fd, [data[done:]], offset_bytes + done)
            except OSError as error:
                raise Failed(
                    words.UNWRITTEN_AT(device=self._node, byte=offset_bytes + done, why=str(error.strerror))
                ) from None

    def flush(self) -> None:
        """See `MovingDrive`."""
        try:
            os.fdatasync(self._fd)
        except OSError as error:
            raise Failed(words.NOT_TAKEN(device=self._node, why=str(error.strerror))) from None

    def flushing(self) -> Callable[[], None]:
        """See `MovingDrive`."""
        return self._beside.submit(self.flush).result
