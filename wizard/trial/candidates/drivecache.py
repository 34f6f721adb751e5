"""The memory in the drive itself, which no unmount empties: something else is read before cold phases."""

import mmap
import os

from wizard.model.machine import Drive, Extent
from wizard.model.units import MIB, rounded_up

READ_BYTES, PIECE_BYTES = 512 * MIB, 4 * MIB
NO_DRIVES = ("loop", "virtio")


class DriveCache:
    """The cache of a drive that turns. A solid-state drive keeps mostly its own maps there."""

    def __init__(self, drive: Drive, extent: Extent) -> None:
        self._drive = drive
        self._place = _elsewhere(drive, extent)

    @property
    def matters(self) -> bool:
        """Whether it is emptied, if it can be."""
        return self._drive.rotational is not False and self._drive.bus not in NO_DRIVES

    @property
    def can_be_emptied(self) -> bool:
        """Whether there is enough to read outside of what the trial uses."""
        return self.matters and self._place is not None

    def empty(self) -> None:
        """Read as much as no drive keeps; raises OSError where it cannot be read."""
        if not self.matters or self._place is None:
            return
        descriptor = os.open(self._drive.path, os.O_RDONLY | os.O_DIRECT)
        try:
            with mmap.mmap(-1, PIECE_BYTES) as buffer:
                for start in range(self._place, self._place + READ_BYTES, PIECE_BYTES):
                    os.preadv(descriptor, [buffer], start)
        finally:
            os.close(descriptor)


def _elsewhere(drive: Drive, extent: Extent) -> int | None:
    """Where so much can be read: behind the range, before it, or at its end, where little of a load comes
    to lie; None on a drive that is too small."""
    size = drive.size_bytes or 0
    grain = drive.geometry.physical_block_bytes if drive.geometry else PIECE_BYTES
    if size - extent.end_bytes >= READ_BYTES:
        return rounded_up(extent.end_bytes, grain)
    if extent.start_bytes >= READ_BYTES:
        return 0
    if extent.size_bytes >= 4 * READ_BYTES:
        return (extent.end_bytes - READ_BYTES) // grain * grain
    return None
