"""Asking the kernel for the zones of a drive (BLKREPORTZONE, linux/blkzoned.h). Nothing is written, and no
zone changes its state."""

import fcntl
import os
import struct
from collections.abc import Iterator

from wizard.probe.host.numbers import UNIT_BYTES

BLKREPORTZONE = 0xC0101282
HAS_CAPACITY = 1
HEAD = struct.Struct("=QII")
"""First sector asked for; number of zones, wanted and given; flags."""

ZONE = struct.Struct("=QQQBBBB4xQ24x")
"""Start, length and write pointer in sectors of 512 bytes; type, condition, non-sequential, reset wanted;
capacity."""

FULL = 14
POINTED = range(2, 5)
"""Zone conditions: written to the end; open or closed, with a write pointer."""

ASKED_AT_ONCE = 4096

Zone = tuple[int, int, int]
"""Type, size in bytes, capacity in bytes."""


def read_zones(path: str) -> list[dict[str, int]]:
    """The zones in the shape of `facts.RawZones`, those alike and next to each other together; raises
    OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        return together(_reported(descriptor))
    finally:
        os.close(descriptor)


def together(zones: Iterator[tuple[Zone, bool]]) -> list[dict[str, int]]:
    """Runs of equal zones; the flag of each says whether it was written to."""
    runs: list[dict[str, int]] = []
    last: Zone | None = None
    for zone, written in zones:
        if zone != last:
            runs.append(
                {"count": 0, "type": zone[0], "size_bytes": zone[1], "capacity_bytes": zone[2], "written": 0}
            )
        runs[-1]["count"] += 1
        runs[-1]["written"] += written
        last = zone
    return runs


def _reported(descriptor: int) -> Iterator[tuple[Zone, bool]]:
    sector = 0
    while True:
        buffer = bytearray(HEAD.size + ASKED_AT_ONCE * ZONE.size)
        HEAD.pack_into(buffer, 0, sector, ASKED_AT_ONCE, 0)
        fcntl.ioctl(descriptor, BLKREPORTZONE, buffer)
        _, given, flags = HEAD.unpack_from(buffer)
        if not 0 < given <= ASKED_AT_ONCE:
            return
        for index in range(given):
            start, length, pointer, kind, condition, _, _, capacity = ZONE.unpack_from(
                buffer, HEAD.size + index * ZONE.size
            )
            if length <= 0 or start + length <= sector:
                return
            sector = start + length
            held = capacity if flags & HAS_CAPACITY else length
            yield (
                (kind, length * UNIT_BYTES, held * UNIT_BYTES),
                condition == FULL or (condition in POINTED and pointer > start),
            )
