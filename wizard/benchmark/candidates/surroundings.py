"""Kernel counters of a comparison: requests to the drive and pressure. Also limits page cache memory."""

import ctypes
import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

from psutil import virtual_memory

from wizard.benchmark.candidates.compare import Counts
from wizard.model.errors import Failed, Refused
from wizard.model.said import KERNEL_SECTOR_BYTES, MIB, Sentence, t
from wizard.probe.host.sysfs import SYS, name_of
from wizard.process.program import run

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
                "Only {available:size} of memory is free. A trial needs {needed:size}. Close "
                "other programs first. Nothing was written.",
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


NOT_UNMOUNTED = Sentence("Cannot unmount a trial filesystem: {why}.")

CLONE_NEWNS = 0x20000
MS_NOSUID, MS_NOEXEC, MS_REC, MS_PRIVATE = 0x2, 0x8, 0x4000, 0x40000
"""From linux/sched.h and linux/mount.h."""

MOUNT_SECONDS = 120.0
UNMOUNT_TRIES = 100
OPENED = Path("/proc/self/fd")


def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _checked(answer: int) -> None:
    if answer:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def go_private(place: Path) -> None:
    """From here on this process's mounts are its own, and `place` is a folder in memory that nobody else
    sees. Raises Failed where the kernel refuses."""
    library = _library()
    try:
        _checked(library.unshare(CLONE_NEWNS))
        _checked(library.mount(b"none", b"/", None, ctypes.c_ulong(MS_REC | MS_PRIVATE), None))
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = ctypes.c_ulong(MS_NOSUID | MS_NOEXEC)
        _checked(library.mount(b"diskwright", os.fsencode(place), b"tmpfs", flags, b"mode=0700,size=1m"))
    except OSError as error:
        raise Failed(t("Cannot mount privately for the trial: {why}.", why=str(error.strerror))) from None


def mount(node: Path, place: Path, kernel_name: str, options: tuple[str, ...], lock: int) -> None:
    """Mount it; raises Failed with what mount says."""
    asked = ("-o", ",".join(options)) if options else ()
    argv = ("mount", "-n", "-i", "-t", kernel_name, *asked, str(node), str(place))
    run(argv, seconds=MOUNT_SECONDS, keep_open=(lock,))


def close_below(place: Path, opened: Path = OPENED) -> None:
    """Close whatever this process has open at `place` and below. A signal's handler that raises right after
    open(2) returned leaves a descriptor that no variable holds, and the filesystem would stay busy."""
    for entry in [*opened.iterdir()]:
        with suppress(OSError):
            target = entry.readlink()
            if target.is_relative_to(place):
                os.close(int(entry.name))


def unmount(place: Path) -> None:
    """Unmount it, which returns when all of it is written; raises Failed where it stays busy."""
    library = _library()
    for _ in range(UNMOUNT_TRIES):
        try:
            return _checked(library.umount2(os.fsencode(place), 0))
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise Failed(NOT_UNMOUNTED(why=str(error.strerror))) from None
        sleep(0.05)
    raise Failed(NOT_UNMOUNTED(why=os.strerror(errno.EBUSY)))
