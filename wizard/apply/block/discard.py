"""Telling a drive which bytes nobody needs any more (BLKDISCARD, linux/fs.h), as mkfs does on the drive itself."""

import fcntl
import os
import struct
from collections.abc import Iterable

from wizard.apply.block.devices import SYS_BLOCK, kernel_name
from wizard.model.errors import Failed
from wizard.model.machine import Extent

BLKDISCARD = 0x1277


def discards(node: str) -> bool:
    """Whether the drive takes such advice, by the kernel's word."""
    try:
        return int((SYS_BLOCK / kernel_name(node) / "queue/discard_max_bytes").read_text()) > 0
    except (OSError, ValueError):
        return False


def discard(node: str, places: Iterable[Extent]) -> int:
    """Discard places of a drive, in bytes of whole logical blocks; how many bytes that were. Raises Failed where the drive refuses."""
    total = 0
    try:
        fd = os.open(node, os.O_RDWR | os.O_EXCL | os.O_CLOEXEC)
        try:
            for place in places:
                fcntl.ioctl(fd, BLKDISCARD, struct.pack("=QQ", place.start_bytes, place.size_bytes))
                total += place.size_bytes
        finally:
            os.close(fd)
    except OSError as error:
        raise Failed(f"{node} did not discard what is not needed any more: {error.strerror}.") from None
    return total
