"""Limit a benchmark's writes to free space of an unused, fully known and confirmed drive."""

import fcntl
import os
import struct
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

from wizard.findings import use
from wizard.findings.contents import unmarked_contents
from wizard.model.errors import Refused, why_not
from wizard.model.machine import Drive, Extent
from wizard.model.said import KERNEL_SECTOR_BYTES, MIB, Message, Sentence, join, t
from wizard.plan.refusals import refuse_drive
from wizard.probe.host import environment, sysfs
from wizard.probe.machine import probe_drive
from wizard.process.lock import lock_within

SECTORS_WRITTEN = 6
"""In a block device's `stat` (Documentation/block/stat.rst), in 512-byte sectors. Current as soon as a write
returns."""

STAT_BYTES = 512
CHANGED = Sentence("The partitions of {drive} have changed.")
OTHER_DRIVE = Sentence("{drive} is not the confirmed drive: {what} has changed.")
DEV = Path("/dev")


class Watch:
    """Detects other writers and partition changes before each write, to protect their new data. Checks must
    be fast: a drive with a write buffer uses the time between two timed writes to catch up. Another program's
    buffered writes are visible when the kernel sends them to the drive. At most one write of the trial can
    follow them: the kernel sends overlapping pages first, and the next check detects them."""

    def __init__(self, path: str, sys: Path = sysfs.SYS, dev: Path = DEV) -> None:
        self.path = path
        self._folder, self._dev = sys / "block" / sysfs.name_of(path), dev
        self._known = sysfs.partition_names(self._folder)
        self._descriptors: list[int] = []
        self._state: tuple[int, int] | None = None
        self._sectors: int | None = None
        self._has_written = False

    def __enter__(self) -> Self:
        try:
            for place in (self._folder, self._dev, self._folder / "stat"):
                self._descriptors.append(os.open(place, os.O_RDONLY | os.O_CLOEXEC))
        except OSError:
            self.__exit__()
        self._state, self._sectors = self._read_state(), self._read_sectors()
        return self

    def __exit__(self, *_: object) -> None:
        while self._descriptors:
            os.close(self._descriptors.pop())

    @property
    def partitions(self) -> frozenset[str]:
        """Nodes of the partitions at the start."""
        return frozenset(sysfs.node_of(name) for name in self._known)

    def trouble(self) -> Message | None:
        """Return why to stop writing."""
        state = self._read_state()
        if state is None or state != self._state:
            if sysfs.partition_names(self._folder) != self._known:
                return CHANGED(drive=self.path)
            self._state = state
        if self._sectors is not None and self._read_sectors() != self._sectors:
            return t("Another program is writing to {drive}.", drive=self.path)
        return None

    def wrote(self, size_bytes: int) -> None:
        """Account for a write of the trial."""
        if self._sectors is None:
            return
        before = self._sectors
        self._sectors += size_bytes // KERNEL_SECTOR_BYTES
        if not self._has_written and self._read_sectors() == before:
            # Statistics are disabled for this drive (queue/iostats).
            self._sectors = None
        self._has_written = True

    def _read_state(self) -> tuple[int, int] | None:
        """A changed partition changes sysfs' link count or the mtime of /dev, both faster to read than a
        list."""
        if not self._descriptors:
            return None
        return os.fstat(self._descriptors[0]).st_nlink, os.fstat(self._descriptors[1]).st_mtime_ns

    def _read_sectors(self) -> int | None:
        if not self._descriptors:
            return None
        try:
            return int(os.pread(self._descriptors[2], STAT_BYTES, 0).split()[SECTORS_WRITTEN])
        except (OSError, IndexError, ValueError):
            return None


def other_writer(nodes: Collection[str]) -> Message | None:
    """Name another process with one of these nodes open for writing, such as a virtual machine, whose drive
    can be opened exclusively. Root sees all processes of its container, other users only their own."""
    for number in environment.pids():
        for descriptor, node in environment.opened(number):
            # Files close and processes exit at any time.
            with suppress(OSError):
                if (
                    number != os.getpid()
                    and node in nodes
                    and environment.writes(number, descriptor)
                    and (name := environment.name_of(number)) is not None
                ):
                    return t(
                        "{name} (process {process}) has {node} open for writing.",
                        name=name,
                        process=str(number),
                        node=node,
                    )
    return None


MARGIN_BYTES = MIB
"""At the ends of free space. A power cut during a misaligned write can damage the physical blocks it touches,
so they must be unused."""

LEAST_BYTES = 16 * MIB
BLKGETDISKSEQ = 0x80081280
LOCK_SECONDS = 2.0
ESSENTIAL = (*use.ESSENTIAL, "free", "read_only")


def confirm_scratch(drive: Drive, token: str) -> None:
    """Raise Refused unless `token` is the drive's serial number or name."""
    if token != drive.token:
        raise refused(
            t(
                "{token} does not confirm {drive}. Type the serial number, or without one the name, that "
                "`diskwright inspect {drive}` shows.",
                token=repr(token),
                drive=drive,
            )
        )


def scratch_extents(drive: Drive) -> tuple[Extent, ...]:
    """Return the free space for a trial. Raises Refused if there is too little."""
    extents = free_extents(drive, MARGIN_BYTES)
    if not extents:
        raise refused(
            t(
                "{drive} lacks a contiguous free space of {room:exact} for writing. "
                "To test reading only, omit --scratch.",
                drive=drive,
                room=LEAST_BYTES + 2 * MARGIN_BYTES,
            )
        )
    return extents


def free_extents(drive: Drive, margin_bytes: int) -> tuple[Extent, ...]:
    """Return the free extents large enough for a trial, minus a margin. Raises Refused."""
    if reason := _obstacle(drive):
        raise refused(reason)
    assert drive.size_bytes is not None
    taken = [part.extent for part in drive.partitions]
    for part in drive.partitions:
        if part.kernel_start_bytes is not None and part.kernel_size_bytes is not None:
            taken.append(Extent(part.kernel_start_bytes, part.kernel_size_bytes))
    inner = []
    for whole in (Extent(0, drive.size_bytes),) if drive.is_empty else drive.free:
        for extent in whole.without(taken):
            start = max(extent.start_bytes, 0) + margin_bytes
            end = min(extent.end_bytes, drive.size_bytes) - margin_bytes
            if end - start >= LEAST_BYTES:
                inner.append(Extent(start, end - start))
    return tuple(inner)


def refused(why: Message) -> Refused:
    """Return a refusal before the first write."""
    return Refused(str(t("{why} Nothing was written.", why=why)))


def _obstacle(drive: Drive) -> Message | None:
    unknown = [unread for unread in drive.unread if unread.what in ESSENTIAL]
    needed = (drive.table, drive.size_bytes, drive.geometry, drive.read_only)
    if unknown or drive.table is None or None in needed:
        why = unknown[0].why if unknown else t("Cannot read the partition table, size or write protection.")
        return t("Cannot read the contents of {drive}. {why}", drive=drive, why=why)
    if fault := why_not(refuse_drive, drive):
        return join(fault)
    if drive.zoned == "host-managed":
        return t(
            "{drive} is host-managed. Zones accept writes only where the last one ended, "
            "not at random places.",
            drive=drive,
        )
    what: Message | str | None = None
    if drive.waiting:
        what = t("run {run}, which is waiting", run=drive.waiting.run)
    elif drive.table.kind not in ("gpt", "mbr", "none") or drive.table.primary == "damaged":
        what = t("a partition table ({kind})", kind=drive.table.kind)
    elif drive.signatures:
        what = drive.signatures[0].kind
    elif drive.table.kind == "none" and (data := unmarked_contents(drive)):
        what = data[0]
    if what is None:
        return None
    return t("{drive} contains {what}, which cannot reliably show free space.", drive=drive, what=what)


@contextmanager
def known(drive: Drive) -> Iterator[tuple[int, Drive]]:
    """Lock the drive and probe it again, and yield both. Raises Refused if drive or contents changed."""
    with locked(drive.path) as lock:
        fresh = probe_drive(drive.path)
        for what in ("serial", "wwn", "size_bytes", "geometry", "diskseq", "content_digest"):
            if getattr(drive, what) != getattr(fresh, what):
                raise refused(OTHER_DRIVE(drive=drive, what=what))
        yield lock, fresh


@contextmanager
def opened_alone(drive: Drive, *, synchronous: bool) -> Iterator[tuple[int, Watch]]:
    """Open the drive exclusively and watch it. `synchronous` writes return when durable. Raises Refused."""
    flags = os.O_RDWR | os.O_EXCL | os.O_DIRECT | (os.O_DSYNC if synchronous else 0)
    with _opened(drive.path, flags) as descriptor:
        diskseq = drive.diskseq
        # Kernels before 5.15 have no diskseq.
        if diskseq is not None:
            with suppress(OSError):
                (diskseq,) = struct.unpack("Q", fcntl.ioctl(descriptor, BLKGETDISKSEQ, bytes(8)))
        if os.lseek(descriptor, 0, os.SEEK_END) != drive.size_bytes or diskseq != drive.diskseq:
            raise refused(OTHER_DRIVE(drive=drive, what="diskseq"))
        with Watch(drive.path) as watch:
            present = {part.path for part in drive.partitions if part.kernel_start_bytes is not None}
            if watch.partitions != present:
                raise refused(CHANGED(drive=drive))
            if writer := other_writer({drive.path, *watch.partitions}):
                raise refused(writer)
            yield descriptor, watch


@contextmanager
def locked(path: str, seconds: float = LOCK_SECONDS) -> Iterator[int]:
    """Lock the drive for udev and other diskwright processes. Raises Refused after `seconds`."""
    with _opened(path, os.O_RDONLY) as descriptor:
        if not lock_within(descriptor, seconds):
            raise refused(t("Another program has locked {drive}, possibly to change the drive.", drive=path))
        yield descriptor


@contextmanager
def _opened(path: str, flags: int) -> Iterator[int]:
    try:
        descriptor = os.open(path, flags)
    except OSError as error:
        raise refused(t("Cannot open {drive} for writing alone ({why}).", drive=path, why=error)) from None
    try:
        yield descriptor
    finally:
        os.close(descriptor)
