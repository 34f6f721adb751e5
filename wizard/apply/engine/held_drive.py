"""Drive opened exclusively for writing, so that nobody can mount the drive or a partition."""

import fcntl
import os
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from wizard.apply.block.devices import SYS_BLOCK, kernel_name, open_exclusively, start_bytes
from wizard.apply.block.extents import DeviceMedium
from wizard.apply.engine import record
from wizard.model.errors import Failed
from wizard.model.machine import Extent

BLKDISCARD = 0x1277
"""From linux/fs.h."""


class HeldDrive(DeviceMedium):
    """A block device, open for this process alone (O_EXCL), read and written past the page cache: nothing but
    the blocks that are meant is written, not even again as it was.
    """

    flags = os.O_RDWR | os.O_EXCL

    def __init__(self, node: str) -> None:
        if reason := open_exclusively(node):
            raise Failed(record.IN_USE(device=node, why=reason))
        super().__init__(node)

    def _discarded_by(self, place: Extent) -> tuple[int, int]:
        """The descriptor that a place is discarded by, and where it begins there."""
        return self._fd, place.start_bytes

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
                fd, start = self._discarded_by(place)
                fcntl.ioctl(fd, BLKDISCARD, struct.pack("=QQ", start, place.size_bytes))
            except OSError as error:
                raise Failed(record.NOT_EMPTIED(drive=self.node, why=str(error.strerror))) from None
            total += place.size_bytes
        return total


class HeldPart(HeldDrive):
    """A drive of which one partition is open for this process alone; the others may be in use. A partition
    that the kernel does not have is nobody's: then there is nothing to hold."""

    flags = os.O_RDWR

    def __init__(self, node: str, part: str) -> None:
        DeviceMedium.__init__(self, node)
        self._part, self._begins = -1, 0
        if Path(part).exists():
            try:
                if reason := open_exclusively(part):
                    raise Failed(record.IN_USE(device=part, why=reason))
                self._part = os.open(part, os.O_RDWR | os.O_EXCL | os.O_DIRECT | os.O_CLOEXEC)
                self._begins = start_bytes(part)
            except OSError as error:
                self.close()
                raise Failed(record.IN_USE(device=part, why=str(error.strerror))) from None
            except Failed:
                self.close()
                raise

    def close(self) -> None:
        """Let go of the partition and the drive."""
        if self._part >= 0:
            os.close(self._part)
            self._part = -1
        super().close()

    def _discarded_by(self, place: Extent) -> tuple[int, int]:
        # The kernel takes it of a drive only where nobody uses any part of it.
        if self._part < 0:
            return super()._discarded_by(place)
        return self._part, place.start_bytes - self._begins


@contextmanager
def holding(nodes: Sequence[str], part: str = "") -> Iterator[tuple[HeldDrive, ...]]:
    """All of these drives, held for as long as the block lasts, or of the one drive only the partition
    `part`; raises Failed where one cannot be had alone."""
    with ExitStack() as stack:
        if part:
            (node,) = nodes
            yield (stack.enter_context(HeldPart(node, part)),)
            return
        yield tuple(stack.enter_context(HeldDrive(node)) for node in nodes)
