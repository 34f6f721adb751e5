"""Drive opened exclusively for writing, so that nobody can mount the drive or a partition."""

import fcntl
import os
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from wizard.apply.block import devices
from wizard.apply.block.extents import DeviceMedium
from wizard.model.errors import Failed
from wizard.model.machine import Extent
from wizard.model.said import Sentence, failing

BLKDISCARD = 0x1277
"""From linux/fs.h."""


class HeldDrive(DeviceMedium):
    """Block device opened exclusively (O_EXCL) and past the page cache. Only the requested blocks are
    written."""

    flags = os.O_RDWR | os.O_EXCL

    def __init__(self, node: str) -> None:
        devices.check_unclaimed(node)
        super().__init__(node)

    def _discard_target(self, place: Extent) -> tuple[int, int]:
        """Return the descriptor for discarding a place, and the offset there."""
        return self._fd, place.start_bytes

    @property
    def discards(self) -> bool:
        """True if the drive supports discards according to sysfs."""
        try:
            limit = devices.SYS_BLOCK / devices.kernel_name(self.node) / "queue/discard_max_bytes"
            return int(limit.read_text()) > 0
        except (OSError, ValueError):
            return False

    def discard(self, places: Iterable[Extent]) -> int:
        """Discard whole logical blocks, and return their size in bytes. The contents are undefined then."""
        total = 0
        for place in places:
            with failing(
                Sentence("Cannot discard free space in the new volumes on {drive}: {why}."), drive=self.node
            ):
                fd, start = self._discard_target(place)
                fcntl.ioctl(fd, BLKDISCARD, struct.pack("=QQ", start, place.size_bytes))
            total += place.size_bytes
        return total


class HeldPart(HeldDrive):
    """Drive with one partition opened exclusively. Others may be in use.

    A partition that the kernel does not know cannot be in use.
    """

    flags = os.O_RDWR

    def __init__(self, node: str, part: str) -> None:
        DeviceMedium.__init__(self, node)
        self._part, self._part_start = -1, 0
        if Path(part).exists():
            try:
                devices.check_unclaimed(part)
                self._part = os.open(part, os.O_RDWR | os.O_EXCL | os.O_DIRECT | os.O_CLOEXEC)
                self._part_start = devices.start_bytes(part)
            except OSError as error:
                self.close()
                raise Failed(devices.IN_USE(device=part, why=error)) from None
            except Failed:
                self.close()
                raise

    def close(self) -> None:
        """Close the partition and the drive."""
        if self._part >= 0:
            os.close(self._part)
            self._part = -1
        super().close()

    def _discard_target(self, place: Extent) -> tuple[int, int]:
        # The kernel discards on a whole drive only if no part is in use.
        if self._part < 0:
            return super()._discard_target(place)
        return self._part, place.start_bytes - self._part_start


@contextmanager
def holding(nodes: Sequence[str], part: str = "") -> Iterator[tuple[HeldDrive, ...]]:
    """Yield these drives, opened exclusively, or the one drive with only the partition `part` exclusive.
    Raises Failed if one is in use."""
    with ExitStack() as stack:
        if part:
            (node,) = nodes
            yield (stack.enter_context(HeldPart(node, part)),)
            return
        yield tuple(stack.enter_context(HeldDrive(node)) for node in nodes)
