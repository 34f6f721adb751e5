"""Read the zones of a drive from the kernel (BLKREPORTZONE, linux/blkzoned.h). Read-only: no zone changes
state."""

import fcntl
import re
import struct
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from wizard.model.drive_facts import Zones
from wizard.model.machine import Program
from wizard.model.said import KERNEL_SECTOR_BYTES
from wizard.probe.facts import RawDrive, RawMachine
from wizard.probe.host.sysfs import bytes_at, whole_number
from wizard.probe.unread import opened

BLKREPORTZONE = 0xC0101282
HAS_CAPACITY = 1
HEAD = struct.Struct("=QII")
"""First sector; number of zones, requested and returned; flags."""

ZONE = struct.Struct("=QQQBBBB4xQ24x")
"""Start, length and write pointer in 512-byte sectors; type, condition, non-sequential, reset recommended;
capacity."""

FULL = 14
POINTED = range(2, 5)
"""Zone conditions: full; open or closed, with a write pointer."""

ASKED_AT_ONCE = 4096

Zone = tuple[int, int, int]
"""Type, size and capacity in bytes."""


def read_zones(path: str) -> list[dict[str, int]]:
    """Return the zones as `facts.RawZones`, one for each run of equal zones. Raises OSError."""
    runs = []
    with opened(path) as descriptor:
        for (kind, size, capacity), equal in groupby(_reported(descriptor), itemgetter(0)):
            written = [flag for _, flag in equal]
            sizes = {"size_bytes": size, "capacity_bytes": capacity}
            runs.append({"count": len(written), "type": kind, **sizes, "written": sum(written)})
    return runs


def _reported(descriptor: int) -> Iterator[tuple[Zone, bool]]:
    """Yield each zone, and True if it was written."""
    sector = 0
    while True:
        buffer = bytearray(HEAD.size + ASKED_AT_ONCE * ZONE.size)
        HEAD.pack_into(buffer, 0, sector, ASKED_AT_ONCE, 0)
        fcntl.ioctl(descriptor, BLKREPORTZONE, buffer)
        _, returned, flags = HEAD.unpack_from(buffer)
        if not 0 < returned <= ASKED_AT_ONCE:
            return
        for index in range(returned):
            start, length, pointer, kind, condition, _, _, capacity = ZONE.unpack_from(
                buffer, HEAD.size + index * ZONE.size
            )
            if length <= 0 or start + length <= sector:
                return
            sector = start + length
            usable = capacity if flags & HAS_CAPACITY else length
            yield (
                (kind, length * KERNEL_SECTOR_BYTES, usable * KERNEL_SECTOR_BYTES),
                condition == FULL or (condition in POINTED and pointer > start),
            )


CONVENTIONAL = 1
SEQUENTIAL_PREFERRED = 3
"""Zone types in linux/blkzoned.h. Type 2 is sequential write required."""

OPTION = re.compile(r"(?m)^CONFIG_(\w+)=[ym]$|^# CONFIG_(\w+) is not set$")
"""An option in the kernel's configuration, built or left out."""

_VERSION = re.compile(r"(\d{1,3})\.(\d{1,3})")
_FEATURE = re.compile(r"(?m)^([a-z][\w-]*) +- ")
_DEFAULTS = re.compile(r"(?m)^\s*ext4 = \{\s*features = (\S+)")
"""The features of ext4 in mke2fs.conf."""


def zones_of(raw: RawDrive) -> Zones | None:
    """Return the zones of a zoned drive, None for others."""
    texts = raw.sysfs
    if texts.get("queue/zoned", "none") == "none":
        return None
    runs, devices = raw.zones, whole_number(texts.get("ext_range"))
    # The kernel allows no partitions on host-managed drives (block/partitions/core.c). For others, ext_range
    # is the number of block devices per disk. 1 means the disk only, which some kernels before 6.8 report
    # for host-aware drives too.
    takes_partitions = None if devices is None else devices > 1
    return Zones(
        size_bytes=bytes_at(texts, "queue/chunk_sectors") or None,
        count=whole_number(texts.get("queue/nr_zones")),
        conventional=sum(run.count for run in runs if run.type in (CONVENTIONAL, SEQUENTIAL_PREFERRED))
        if runs
        else None,
        capacity_bytes=min((run.capacity_bytes for run in runs), default=None),
        written=sum(run.written for run in runs) if runs else None,
        most_open=whole_number(texts.get("queue/max_open_zones")),
        most_active=whole_number(texts.get("queue/max_active_zones")),
        takes_partitions=texts.get("queue/zoned") != "host-managed" and takes_partitions,
    )


def programs_of(raw: RawMachine) -> tuple[Program, ...]:
    """Parse the recorded output of tools: versions and features."""
    texts: dict[str, list[str]] = {}
    for command, said in raw.said.items():
        texts.setdefault(command.split(" ")[0], []).append(said)
    programs = []
    for name, parts in texts.items():
        text = "\n".join(parts)
        lines = (line for line in text.split("\n") if name in line or "version" in line.lower())
        version = next(filter(None, map(_VERSION.search, lines)), None)
        features = frozenset(_FEATURE.findall(text))
        defaults = frozenset(one for line in _DEFAULTS.findall(text) for one in line.split(","))
        number = (int(version[1]), int(version[2])) if version else (0, 0)
        programs.append(Program(name, number, features, defaults))
    return tuple(programs)
