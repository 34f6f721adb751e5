"""What the kernel tells of a trial and around it: requests on the drive, and how busy others are; and a limit
on the memory in which files are cached."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

from psutil import virtual_memory

from wizard.model.errors import Refused
from wizard.model.said import t
from wizard.model.units import KERNEL_SECTOR_BYTES, MIB
from wizard.probe.host.sysfs import SYS, name_of
from wizard.trial.candidates.result import Counts

PRESSURE = Path("/proc/pressure")
CGROUPS = Path("/sys/fs/cgroup")
OWN_GROUPS = Path("/proc/self/cgroup")
GROUP = "diskwright-trial-"
READS, SECTORS_READ, WRITES, SECTORS_WRITTEN, FLUSHES = 0, 2, 4, 6, 15
"""The fields of a block device's `stat` (Documentation/block/stat.rst). Of a whole drive: partitions count no
flushes."""

IDLE_SECONDS = 0.25
MEMORY_BYTES = 128 * MIB
"""What a phase may use, its cached files included. A computer has more; but a load that would take a minute
on a hard disk must not lie in memory all along."""


def counts(drive_path: str, sys: Path = SYS) -> Counts | None:
    """What the kernel has counted so far; None where it counts nothing of this drive."""
    try:
        fields = [int(one) for one in (sys / "block" / name_of(drive_path) / "stat").read_text().split()]
    except (OSError, ValueError):
        return None
    if len(fields) <= SECTORS_WRITTEN:
        return None
    return Counts(
        fields[READS],
        fields[SECTORS_READ] * KERNEL_SECTOR_BYTES,
        fields[WRITES],
        fields[SECTORS_WRITTEN] * KERNEL_SECTOR_BYTES,
        fields[FLUSHES] if len(fields) > FLUSHES else None,
    )


def at_work(drive_path: str, sys: Path = SYS) -> tuple[str, ...]:
    """What changes while the drive works: the sectors it has taken, and how many reads and writes it has
    before it. Empty where the kernel counts nothing of this drive."""
    folder = sys / "block" / name_of(drive_path)
    try:
        taken = (folder / "stat").read_text().split()[SECTORS_WRITTEN]
        return (taken, *(folder / "inflight").read_text().split())
    except (OSError, IndexError):
        return ()


def between(before: Counts | None, after: Counts | None) -> Counts | None:
    """What came in between."""
    if before is None or after is None:
        return None
    flushes = None if before.flushes is None or after.flushes is None else after.flushes - before.flushes
    return Counts(
        after.reads - before.reads,
        after.read_bytes - before.read_bytes,
        after.writes - before.writes,
        after.written_bytes - before.written_bytes,
        flushes,
    )


@dataclass
class Pressure:
    """How long others waited for a processor, or for a drive, in the moments in which the trial does nothing:
    while it works its own waiting counts as well."""

    proc: Path = PRESSURE
    seconds: float = 0.0
    cpu_us: int | None = 0
    io_us: int | None = 0

    def listen(self) -> None:
        """Do nothing for a moment, and add what others waited."""
        begun, cpu, io = monotonic(), self._total("cpu"), self._total("io")
        sleep(IDLE_SECONDS)
        self.cpu_us = _more(self.cpu_us, cpu, self._total("cpu"))
        self.io_us = _more(self.io_us, io, self._total("io"))
        self.seconds += monotonic() - begun

    def percent(self, waited_us: int | None) -> float | None:
        """Of the time in which was listened."""
        return None if waited_us is None or not self.seconds else min(100.0, waited_us / self.seconds / 1e4)

    def _total(self, what: str) -> int | None:
        try:
            line = (self.proc / what).read_text().splitlines()[0]
            return int(line.rpartition("total=")[2])
        except (OSError, IndexError, ValueError):
            return None


def _more(so_far: int | None, before: int | None, after: int | None) -> int | None:
    return None if so_far is None or before is None or after is None else so_far + after - before


def refuse_little_memory() -> None:
    """Raises Refused where less is available than a phase may use: the computer would swap, or the kernel
    would end a program, and neither filesystem would be measured."""
    available = virtual_memory().available
    if available < MEMORY_BYTES:
        raise Refused(
            t(
                "Only {available:size} of memory are free, and a trial needs {needed:size}: "
                "end other programs first. Nothing was written.",
                available=available,
                needed=MEMORY_BYTES,
            )
        )


class Memory:
    """A group of processes with little memory, which this process joins for a while."""

    def __init__(self, root: Path = CGROUPS, own: Path = OWN_GROUPS) -> None:
        self._group, self._home = _made_group(root, own)

    @property
    def limit_bytes(self) -> int | None:
        """How much it may use; None where the kernel sets no limit here."""
        return MEMORY_BYTES if self._group else None

    @contextmanager
    def limited(self) -> Iterator[None]:
        """In the group."""
        if self._group is None or self._home is None:
            yield
            return
        _enter(self._group)
        try:
            yield
        finally:
            _enter(self._home)

    def end(self) -> None:
        """Take the group away."""
        if self._group:
            with suppress(OSError):
                self._group.rmdir()


def _made_group(root: Path, own: Path) -> tuple[Path | None, Path | None]:
    """A new group, of version 2 or 1, and the one to come back to; neither where none can be had."""
    for version, parent, limit in (
        ("0::", root, "memory.max"),
        ("0::", root / "unified", "memory.max"),
        (":memory:", root / "memory", "memory.limit_in_bytes"),
    ):
        home = _home(own, version)
        if home is None or not (parent / "cgroup.procs").exists():
            continue
        group = parent / f"{GROUP}{os.getpid()}"
        try:
            group.mkdir()
            (group / limit).write_text(str(MEMORY_BYTES))
        except OSError:
            with suppress(OSError):
                group.rmdir()
        else:
            return group, parent / home
    return None, None


def remove_groups(root: Path = CGROUPS) -> None:
    """Take away the groups of trials that were killed; one with a process in it stays."""
    for left in (*root.glob(f"{GROUP}*"), *root.glob(f"*/{GROUP}*")):
        with suppress(OSError):
            left.rmdir()


def _home(own: Path, version: str) -> str | None:
    """Where this process is among the groups of a version."""
    try:
        lines = own.read_text().splitlines()
    except OSError:
        return None
    found = (line.partition(version)[2] for line in lines if version in line)
    return next((place.lstrip("/") for place in found), None)


def _enter(group: Path) -> None:
    with suppress(OSError):
        (group / "cgroup.procs").write_text(str(os.getpid()))
