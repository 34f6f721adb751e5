"""A filesystem that was migrated and waits for `keep` or `undo`: the kernel takes no writes to it, since a
mount for writing would end the way back.

The flag is the one of its own device. That of the whole drive does not hold for partitions (Linux 5.11 and
later, block/ioctl.c, blkdev_roset), and others of them can be in use. It does not outlive a restart: from
then on what was written is noticed instead (way_back.py).
"""

import array
import fcntl
import os
from contextlib import suppress

from wizard.apply.block.devices import SYS_BLOCK, kernel_name

BLKROSET = 0x125D
"""From linux/fs.h: whether the kernel takes writes to a device."""


def is_protected(device: str) -> bool:
    """Whether the kernel takes no writes to a device, by its own word; also where it is gone."""
    try:
        return (SYS_BLOCK / kernel_name(device) / "ro").read_text().strip() != "0"
    except OSError:
        return False


def protect(device: str) -> bool:
    """Have the kernel take no writes to it; whether it does so now. One that does not do it is no harm."""
    _tell(device, read_only=True)
    return is_protected(device)


def take_writes(device: str) -> bool:
    """Have the kernel take writes to a device again; whether it took none before."""
    if not is_protected(device):
        return False
    _tell(device, read_only=False)
    return True


def _tell(device: str, *, read_only: bool) -> None:
    with suppress(OSError):
        fd = os.open(device, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.ioctl(fd, BLKROSET, array.array("i", [int(read_only)]))
        finally:
            os.close(fd)
