"""Kernel counters of a comparison: requests to the drive and pressure. Also limits page cache memory."""

import ctypes
import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import fmean
from time import monotonic, sleep

from psutil import virtual_memory

from wizard.benchmark.candidates.compare import Counts
from wizard.benchmark.scratch import refused
from wizard.model.errors import Failed
from wizard.model.said import KERNEL_SECTOR_BYTES, MIB, Sentence, failing, t
from wizard.probe.host import sysfs
from wizard.process.program import run

PRESSURE, PRESSURES = Path("/proc/pressure"), ("cpu", "io")
CGROUPS = Path("/sys/fs/cgroup")
OWN_GROUPS = Path("/proc/self/cgroup")
GROUP = "diskwright-trial-"
READS, SECTORS_READ, WRITES, SECTORS_WRITTEN, FLUSHES = 0, 2, 4, 6, 15
"""In a block device's `stat` (Documentation/block/stat.rst). Partitions do not count flushes."""

IDLE_SECONDS = 0.25
MEMORY_BYTES = 128 * MIB
"""Of a phase, including cached files. Less than a computer has, so that large loads reach the drive."""


def counts(drive_path: str) -> Counts | None:
    """Return the kernel's counters, if it counts this drive."""
    text = sysfs.text(sysfs.folder_of(drive_path) / "stat") or ""
    fields = [int(one) for one in text.split()]
    if len(fields) <= SECTORS_WRITTEN:
        return None
    return Counts(
        fields[READS],
        fields[SECTORS_READ] * KERNEL_SECTOR_BYTES,
        fields[WRITES],
        fields[SECTORS_WRITTEN] * KERNEL_SECTOR_BYTES,
        fields[FLUSHES] if len(fields) > FLUSHES else None,
    )


def is_at_work(drive_path: str, before: Counts | None) -> bool:
    """Return True if the drive has written since, or has requests in flight."""
    inflight = (sysfs.text(sysfs.folder_of(drive_path) / "inflight") or "").split()
    now = counts(drive_path)
    written = before is not None and now is not None and now.written_bytes != before.written_bytes
    return written or any(one != "0" for one in inflight)


def between(before: Counts | None, after: Counts | None) -> Counts | None:
    """Return the difference."""
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


def pressures() -> tuple[float | None, ...]:
    """Sleep for a moment. Return the percentages of time in which other programs waited for a processor and
    a drive, if reported."""
    begun, before = monotonic(), [_total_us(what) for what in PRESSURES]
    sleep(IDLE_SECONDS)
    after, seconds = [_total_us(what) for what in PRESSURES], monotonic() - begun
    return tuple(
        None if start is None or end is None else min(100.0, (end - start) / seconds / 1e4)
        for start, end in zip(before, after, strict=True)
    )


def mean(percents: Sequence[float | None]) -> float | None:
    """Return the mean, if all are known."""
    known = [one for one in percents if one is not None]
    return fmean(known) if len(known) == len(percents) else None


def _total_us(what: str) -> int | None:
    line = (sysfs.text(PRESSURE / what) or "").partition("\n")[0]
    total = line.rpartition("total=")[2]
    return int(total) if total.isdecimal() else None


def refuse_little_memory() -> None:
    """Raise Refused if swapping or the OOM killer would distort the measurement."""
    available = virtual_memory().available
    if available < MEMORY_BYTES:
        raise refused(
            t(
                "Only {available:size} of memory is free. A trial needs {needed:size}. Close "
                "other programs first.",
                available=available,
                needed=MEMORY_BYTES,
            )
        )


class Memory:
    """A new control group (version 2 or 1) with little memory, joined for a while."""

    def __init__(self) -> None:
        self._group: Path | None = None
        self._home: Path | None = None
        own = (sysfs.text(OWN_GROUPS) or "").splitlines()
        for version, parent, limit in (
            ("0::", CGROUPS, "memory.max"),
            ("0::", CGROUPS / "unified", "memory.max"),
            (":memory:", CGROUPS / "memory", "memory.limit_in_bytes"),
        ):
            home = next((line.partition(version)[2].lstrip("/") for line in own if version in line), None)
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
                self._group, self._home = group, parent / home
                break

    @property
    def limit_bytes(self) -> int | None:
        """Limit, or None if the kernel has none."""
        return MEMORY_BYTES if self._group else None

    @contextmanager
    def limited(self) -> Iterator[None]:
        """Run inside the group."""
        _enter(self._group)
        try:
            yield
        finally:
            _enter(self._home)

    def end(self) -> None:
        """Remove the group."""
        if self._group:
            with suppress(OSError):
                self._group.rmdir()


def remove_groups() -> None:
    """Remove unused control groups of killed trials."""
    for group in (*CGROUPS.glob(f"{GROUP}*"), *CGROUPS.glob(f"*/{GROUP}*")):
        with suppress(OSError):
            group.rmdir()


def _enter(group: Path | None) -> None:
    if group:
        with suppress(OSError):
            (group / "cgroup.procs").write_text(str(os.getpid()))


NOT_UNMOUNTED = Sentence("Cannot unmount a trial filesystem: {why}.")

CLONE_NEWNS = 0x20000
"""From linux/sched.h."""

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
    """Enter a private mount namespace, with a tmpfs at `place`. Raises Failed."""
    with failing(Sentence("Cannot mount privately for the trial: {why}.")):
        _checked(_library().unshare(CLONE_NEWNS))
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
    run(("mount", "-n", "--make-rprivate", "/"), seconds=MOUNT_SECONDS)
    options = "nosuid,noexec,mode=0700,size=1m"
    run(("mount", "-n", "-t", "tmpfs", "-o", options, "diskwright", str(place)), seconds=MOUNT_SECONDS)


def close_below(place: Path) -> None:
    """Close files of this process. A signal right after open(2) leaves descriptors without a variable."""
    for entry in [*OPENED.iterdir()]:
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
                raise Failed(NOT_UNMOUNTED(why=error)) from None
        sleep(0.05)
    raise Failed(NOT_UNMOUNTED(why=os.strerror(errno.EBUSY)))
