"""A drive that is held for writing: nobody mounts it, or a partition of it, meanwhile."""

import fcntl
import mmap
import os
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

from wizard.apply.block.devices import SYS_BLOCK, kernel_name, open_exclusively, size_bytes
from wizard.apply.block.medium import PastCaches, block_bytes
from wizard.model.errors import Failed
from wizard.model.machine import Extent

BLKDISCARD = 0x1277
"""From linux/fs.h."""


class HeldDrive:
    """A block device, open for this process alone (O_EXCL), read and written past the page cache: nothing but
    the blocks that are meant is written, not even again as it was.
    """

    def __init__(self, node: str) -> None:
        self.node = node
        self.size_bytes = size_bytes(node)
        self.logical_block_bytes, _ = block_bytes(node)
        if reason := open_exclusively(node):
            raise Failed(f"{node} is in use: {reason}.")
        try:
            self._fd = os.open(node, os.O_RDWR | os.O_DIRECT | os.O_EXCL | os.O_CLOEXEC)
        except OSError as error:
            raise Failed(f"{node} could not be opened for writing: {error.strerror}.") from None
        self._past_caches = PastCaches(self._fd, node)

    def close(self) -> None:
        """Let go of it."""
        os.close(self._fd)

    def read(self, offset_bytes: int, length_bytes: int) -> bytes:
        """What lies there, from the drive itself; no more than 1 MiB, in whole logical blocks."""
        return self._past_caches.read(offset_bytes, length_bytes)

    def write(self, offset_bytes: int, data: bytes) -> None:
        """Hand over at most 1 MiB. Until `flush` nobody knows which part of it arrived."""
        with mmap.mmap(-1, len(data)) as buffer:
            buffer[:] = data
            try:
                put = os.pwritev(self._fd, [buffer], offset_bytes)
            except OSError as error:
                raise Failed(
                    f"{self.node} could not be written at byte {offset_bytes}: {error.strerror}."
                ) from None
            if put != len(data):
                raise Failed(
                    f"{self.node} could not be written at byte {offset_bytes}: it took {put} of {len(data)} "
                    "bytes."
                )

    def write_through(self, offset_bytes: int, data: bytes) -> None:
        """Write it; on return it is on the medium."""
        self.write(offset_bytes, data)
        self.flush()

    @property
    def discards(self) -> bool:
        """Whether the drive can be told what nobody needs any more, by the kernel's word."""
        try:
            return int((SYS_BLOCK / kernel_name(self.node) / "queue/discard_max_bytes").read_text()) > 0
        except (OSError, ValueError):
            return False

    def discard(self, places: Iterable[Extent]) -> int:
        """Tell it so of places, in whole logical blocks; how many bytes that are. What they hold afterwards
        is anything."""
        total = 0
        for place in places:
            try:
                fcntl.ioctl(self._fd, BLKDISCARD, struct.pack("=QQ", place.start_bytes, place.size_bytes))
            except OSError as error:
                raise Failed(
                    f"{self.node} did not take that its new volumes are empty: {error.strerror}."
                ) from None
            total += place.size_bytes
        return total

    def flush(self) -> None:
        """On return everything that was written is on the medium."""
        try:
            os.fsync(self._fd)
        except OSError as error:
            raise Failed(f"{self.node} did not take what was written: {error.strerror}.") from None


@contextmanager
def holding(nodes: Sequence[str]) -> Iterator[tuple[HeldDrive, ...]]:
    """All of these drives, held for as long as the block lasts; raises Failed where one cannot be had
    alone."""
    with ExitStack() as stack:
        held = []
        for node in nodes:
            drive = HeldDrive(node)
            stack.callback(drive.close)
            held.append(drive)
        yield tuple(held)
