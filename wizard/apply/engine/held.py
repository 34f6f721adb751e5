"""A drive that is held for writing: nobody mounts it, or a partition of it, meanwhile."""

import fcntl
import os
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

from wizard.apply.block.devices import SYS_BLOCK, kernel_name, open_exclusively
from wizard.apply.block.medium import DeviceMedium
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
            raise Failed(f"{node} is in use: {reason}.")
        super().__init__(node)

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


@contextmanager
def holding(nodes: Sequence[str]) -> Iterator[tuple[HeldDrive, ...]]:
    """All of these drives, held for as long as the block lasts; raises Failed where one cannot be had
    alone."""
    with ExitStack() as stack:
        yield tuple(stack.enter_context(HeldDrive(node)) for node in nodes)
