"""From raw facts to the zones of a drive, and to what this kernel and these programs can do with zones.
Pure."""

import re

from wizard.model.drive_facts import Zones
from wizard.model.machine import Program
from wizard.probe.facts import RawDrive, RawMachine
from wizard.probe.host.numbers import bytes_at, whole_number

CONVENTIONAL = 1
SEQUENTIAL_PREFERRED = 3
"""Zone types of linux/blkzoned.h; 2 are those that must be written in order."""

_OPTION = re.compile(r"(?m)^CONFIG_(\w+)=[ym]$|^# CONFIG_(\w+) is not set$")
_VERSION = re.compile(r"(\d{1,3})\.(\d{1,3})")
_FEATURE = re.compile(r"(?m)^([a-z][\w-]*) +- ")


def zones_of(raw: RawDrive) -> Zones | None:
    """The zones of a drive that the kernel calls zoned; None for any other."""
    if raw.sysfs.get("queue/zoned", "none") == "none":
        return None
    alike = raw.zones
    return Zones(
        size_bytes=bytes_at(raw.sysfs, "queue/chunk_sectors") or None,
        count=whole_number(raw.sysfs.get("queue/nr_zones")),
        conventional=sum(run.count for run in alike if run.type in (CONVENTIONAL, SEQUENTIAL_PREFERRED))
        if alike
        else None,
        capacity_bytes=min((run.capacity_bytes for run in alike), default=None),
        written=sum(run.written for run in alike) if alike else None,
        most_open=whole_number(raw.sysfs.get("queue/max_open_zones")),
        most_active=whole_number(raw.sysfs.get("queue/max_active_zones")),
        takes_partitions=_takes_partitions(raw.sysfs),
    )


def _takes_partitions(sysfs: dict[str, str]) -> bool | None:
    """Never on a host-managed drive (block/partitions/core.c). Elsewhere the kernel tells how many block
    devices the disk may be: one is the disk itself, which is what some kernels before 6.8 say of host-aware
    drives too."""
    most = whole_number(sysfs.get("ext_range"))
    if sysfs.get("queue/zoned") == "host-managed":
        return False
    return None if most is None else most > 1


def options_of(raw: RawMachine) -> tuple[tuple[str, bool], ...]:
    """The options in the lines of the kernel's configuration. A driver that can be loaded was built, whatever
    could not be read."""
    found = {built or left_out: bool(built) for built, left_out in _OPTION.findall(raw.config)}
    return tuple(sorted(found.items()))


def programs_of(raw: RawMachine) -> tuple[Program, ...]:
    """The programs that said something of themselves."""
    names = dict.fromkeys(command.split(" ")[0] for command in raw.said)
    return tuple(
        _program(name, [said for command, said in raw.said.items() if command.split(" ")[0] == name])
        for name in names
    )


def _program(name: str, said: list[str]) -> Program:
    versions = (
        _VERSION.search(line)
        for text in said
        for line in text.split("\n")
        if name in line or "version" in line.lower()
    )
    version = next((match for match in versions if match), None)
    features = frozenset(feature for text in said for feature in _FEATURE.findall(text))
    return Program(name, (int(version[1]), int(version[2])) if version else (0, 0), features)
