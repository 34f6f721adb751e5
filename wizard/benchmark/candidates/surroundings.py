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
"""Fields of a block device's `stat` (Documentation/block/stat.rst). Partitions do not count flushes."""

IDLE_SECONDS = 0.25
MEMORY_BYTES = 128 * MIB
"""Memory limit of a phase, including cached files. Less than a computer has, so that large loads reach the
drive."""


def counts(drive_path: str, sys: Path = SYS) -> Counts | None:
    """Return the kernel's counters, or None if it does not count this drive."""
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
    """Return values that change while the drive is active: sectors written, and reads and writes in flight.
    Empty if the kernel does not count this drive."""
    folder = sys / "block" / name_of(drive_path)
    try:
        taken = (folder / "stat").read_text().split()[SECTORS_WRITTEN]
        return (taken, *(folder / "inflight").read_text().split())
    except (OSError, IndexError):
        return ()


def between(before: Counts | None, after: Counts | None) -> Counts | None:
    """Return the difference of two counters."""
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
    """Time that other programs waited for a processor or drive while the trial was idle. During the trial's
    work, its own waiting would count too."""

    proc: Path = PRESSURE
    seconds: float = 0.0
    cpu_us: int | None = 0
    io_us: int | None = 0

    def listen(self) -> None:
        """Sleep for a moment and add the waiting time of other programs."""
        begun, cpu, io = monotonic(), self._total("cpu"), self._total("io")
        sleep(IDLE_SECONDS)
        self.cpu_us = _added(self.cpu_us, cpu, self._total("cpu"))
        self.io_us = _added(self.io_us, io, self._total("io"))
        self.seconds += monotonic() - begun

    def percent(self, waited_us: int | None) -> float | None:
        """Return the waiting time as a percentage of the observed time."""
        return None if waited_us is None or not self.seconds else min(100.0, waited_us / self.seconds / 1e4)

    def _total(self, what: str) -> int | None:
        try:
            line = (self.proc / what).read_text().splitlines()[0]
            return int(line.rpartition("total=")[2])
        except (OSError, IndexError, ValueError):
            return None


def _added(so_far: int | None, before: int | None, after: int | None) -> int | None:
    return None if so_far is None or before is None or after is None else so_far + after - before


def refuse_little_memory() -> None:
    """Raise Refused if less memory is available than a phase may use. Otherwise swapping or the OOM killer
    would distort the measurement."""
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
    """A control group with little memory, which this process joins for a while."""

    def __init__(self, root: Path = CGROUPS, own: Path = OWN_GROUPS) -> None:
        self._group, self._home = _create_group(root, own)

    @property
    def limit_bytes(self) -> int | None:
        """Memory limit, or None if the kernel cannot limit it here."""
        return MEMORY_BYTES if self._group else None

    @contextmanager
    def limited(self) -> Iterator[None]:
        """Run inside the control group."""
        if self._group is None or self._home is None:
            yield
            return
        _enter(self._group)
        try:
            yield
        finally:
            _enter(self._home)

    def end(self) -> None:
        """Remove the control group."""
        if self._group:
            with suppress(OSError):
                self._group.rmdir()


def _create_group(root: Path, own: Path) -> tuple[Path | None, Path | None]:
    """Create a control group (version 2 or 1). Returns it with the current one, or (None, None) if
    impossible."""
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
    """Remove the control groups of killed trials. Groups with processes remain."""
    for group in (*root.glob(f"{GROUP}*"), *root.glob(f"*/{GROUP}*")):
        with suppress(OSError):
            group.rmdir()


def _home(own: Path, version: str) -> str | None:
    """Return this process's control group in a hierarchy."""
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
    """Give this process a private mount namespace, with a tmpfs at `place`. Raises Failed."""
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
    """Mount a filesystem. Raises Failed with mount's error."""
    option_flags = ("-o", ",".join(options)) if options else ()
    argv = ("mount", "-n", "-i", "-t", kernel_name, *option_flags, str(node), str(place))
    run(argv, seconds=MOUNT_SECONDS, keep_open=(lock,))


def close_below(place: Path, opened: Path = OPENED) -> None:
    """Close all open files of this process at `place` and below. If a signal handler raises right after
    open(2) returns, no variable refers to the descriptor, and the filesystem would stay busy."""
    for entry in [*opened.iterdir()]:
        with suppress(OSError):
            target = entry.readlink()
            if target.is_relative_to(place):
                os.close(int(entry.name))


def unmount(place: Path) -> None:
    """Unmount, which flushes all data. Raises Failed if the filesystem stays busy."""
    library = _library()
    for _ in range(UNMOUNT_TRIES):
        try:
            return _checked(library.umount2(os.fsencode(place), 0))
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise Failed(NOT_UNMOUNTED(why=str(error.strerror))) from None
        sleep(0.05)
    raise Failed(NOT_UNMOUNTED(why=os.strerror(errno.EBUSY)))
