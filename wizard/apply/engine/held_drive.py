"""Drive opened exclusively for writing, so that nobody can mount the drive or a partition."""

import errno
import fcntl
import os
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from wizard.apply.block import devices
from wizard.apply.block.extents import DISCARD, DeviceMedium
from wizard.model.errors import Failed
from wizard.model.machine import Extent
from wizard.model.said import Sentence, failing
from wizard.probe.host.sysfs import text


class HeldDrive(DeviceMedium):
    """Block device opened exclusively (O_EXCL) and past the page cache. Only the requested blocks are
    written."""

    flags = os.O_RDWR | os.O_EXCL

    def __init__(self, node: str) -> None:
        devices.check_unclaimed(node)
        super().__init__(node)

    @property
    def discards(self) -> bool:
        """True if the drive supports discards according to sysfs."""
        limit = text(devices.sysfs_folder(self.node) / "queue/discard_max_bytes")
        return limit not in (None, "0")

    def discard(self, places: Iterable[Extent]) -> int:
        """Discard whole logical blocks, and return their size in bytes. The contents are undefined then."""
        total = 0
        for place in places:
            with failing(
                Sentence("Cannot discard free space in the new volumes on {drive}: {why}."), drive=self.node
            ):
                self.request(DISCARD, place)
            total += place.size_bytes
        return total


class HeldPart(HeldDrive):
    """Drive with one partition opened exclusively. Others may be in use.

    A partition that the kernel does not know cannot be in use.
    """

    flags = os.O_RDWR

    def __init__(self, node: str, part: str) -> None:
        DeviceMedium.__init__(self, node)
        self._part, self._part_from = self._fd, 0
        if not Path(part).exists():
            return
        try:
            with failing(devices.IN_USE, device=part):
                devices.check_unclaimed(part)
                self._part = os.open(part, os.O_RDWR | os.O_EXCL | os.O_DIRECT | os.O_CLOEXEC)
                self._part_from = devices.start_bytes(part)
        except Failed:
            self.close()
            raise

    def request(self, call: int, place: Extent) -> None:
        """See `DeviceMedium`. The kernel discards on a whole drive only if no part is in use."""
        start = place.start_bytes - self._part_from
        if start < 0:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        fcntl.ioctl(self._part, call, struct.pack("=QQ", start, place.size_bytes))

    def close(self) -> None:
        """Close the partition and the drive."""
        if self._part != self._fd:
            os.close(self._part)
        super().close()


@contextmanager
def holding(nodes: Sequence[str], part: str = "") -> Iterator[tuple[HeldDrive, ...]]:
    """Yield these drives, opened exclusively, or the one drive with only the partition `part` exclusive.
    Raises Failed if one is in use."""
    with ExitStack() as stack:
        drives = (HeldPart(node, part) if part else HeldDrive(node) for node in nodes)
        yield tuple(map(stack.enter_context, drives))
