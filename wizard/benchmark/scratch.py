"""Limit a benchmark's writes to free space of an unused, fully known and confirmed drive."""

import errno
import fcntl
import os
import struct
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from types import TracebackType
from typing import Self

from wizard.model.errors import Refused, printable
from wizard.model.machine import Drive, Extent
from wizard.model.said import KERNEL_SECTOR_BYTES, MIB, Message, Sentence, t
from wizard.probe.host.sysfs import SYS, name_of, node_of

SECTORS_WRITTEN = 6
"""The field of a block device's `stat` (Documentation/block/stat.rst), counting 512 bytes. It is up to date
when a write returns."""

STAT_BYTES = 512
DEV = Path("/dev")


class Watch:
    """Asked before each write. A trial writes back what it read a moment ago, and whoever writes there
    meanwhile must not lose it.

    It must answer quickly: a drive that works off what it took before uses the time between two timed writes.

    Somebody else's buffered writes are seen when the kernel sends them to the drive. At most one piece of the
    trial's may come after them: the kernel sends what lies in its way first, and the next look finds it.
    """

    def __init__(self, path: str, sys: Path = SYS, dev: Path = DEV) -> None:
        self.path = path
        self._folder, self._nodes_folder = sys / "block" / name_of(path), dev
        self._known = _partitions_in(self._folder)
        self._descriptors: list[int] = []
        self._marks: tuple[int, int] | None = None
        self._counted: int | None = None
        self._has_counted = False

    def __enter__(self) -> Self:
        try:
            for place in (self._folder, self._nodes_folder, self._folder / "stat"):
                self._descriptors.append(os.open(place, os.O_RDONLY | os.O_CLOEXEC))
        except OSError:
            self.__exit__(None, None, None)
        self._marks = self._read_marks()
        self._counted = self._read_sectors()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        while self._descriptors:
            os.close(self._descriptors.pop())

    @property
    def partitions(self) -> frozenset[str]:
        """The nodes of the partitions that the kernel had when the watch was made."""
        return frozenset(node_of(name) for name in self._known)

    def trouble(self) -> str | None:
        """Why the trial must not write any more, as the beginning of a sentence; None while all is well."""
        marks = self._read_marks()
        if marks is None or marks != self._marks:
            if _partitions_in(self._folder) != self._known:
                return str(t("The partitions of {drive} changed during the trial", drive=self.path))
            self._marks = marks
        if self._counted is not None and self._read_sectors() != self._counted:
            return str(t("Another program is writing to {drive}", drive=self.path))
        return None

    def wrote(self, size_bytes: int) -> None:
        """The trial has written so much: the kernel's count must have risen by it, and by no more."""
        if self._counted is None:
            return
        before = self._counted
        self._counted += size_bytes // KERNEL_SECTOR_BYTES
        if not self._has_counted and self._read_sectors() == before:
            # A kernel that was told to keep no statistics of this drive (queue/iostats).
            self._counted = None
        self._has_counted = True

    def _read_marks(self) -> tuple[int, int] | None:
        """Two numbers of which one changes whenever the kernel makes or drops a partition: the folders
        beneath the drive's own in sysfs are counted as links, and a node that comes or goes is a change of
        /dev. Both are read much faster than a list of partitions."""
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


def other_writer(nodes: Collection[str]) -> str | None:
    """A process, not this one, that has one of these nodes open for writing, as the beginning of a sentence;
    None where none is seen.

    A virtual machine's drive, for one: claiming it alone does not fail. Root sees all processes of its own
    container, others only theirs.
    """
    # psutil is needed here alone, and takes a moment to load.
    from wizard.probe.host.environment import name_of, opened, others, writes

    for number in others():
        for descriptor, node in opened(number):
            # It may be closed at any moment, and its program be gone.
            with suppress(OSError):
                if node in nodes and writes(number, descriptor) and (name := name_of(number)) is not None:
                    return str(
                        t(
                            "{name} (process {process}) has {node} open for writing",
                            name=name,
                            process=str(number),
                            node=node,
                        )
                    )
    return None


def _partitions_in(folder: Path) -> frozenset[str]:
    """The names of a drive's partitions; nothing where it is gone."""
    try:
        return frozenset(entry.name for entry in folder.iterdir() if entry.name.startswith(folder.name))
    except OSError:
        return frozenset()


MARGIN_BYTES = MIB
"""Kept from the ends of free space: a power cut in a misaligned write may harm the physical blocks it
touches, which must hold nothing."""

LEAST_BYTES = 16 * MIB
BLKGETDISKSEQ = 0x80081280
LOCK_SECONDS = 2.0
ESSENTIAL = (
    "drive",
    "size_bytes",
    "geometry",
    "table",
    "partitions",
    "signatures",
    "uses",
    "free",
    "read_only",
)


def confirm_scratch(drive: Drive, token: str) -> None:
    """Raises Refused unless `token` is what this drive is confirmed with."""
    if token != drive.token:
        other = (
            Sentence(
                "{token} does not confirm {drive}. Type the serial number shown by "
                "`diskwright inspect {drive}`."
            )
            if drive.token == drive.serial
            else Sentence(
                "{token} does not confirm {drive}. Type the name shown by `diskwright inspect {drive}`."
            )
        )
        raise refused(other(token=repr(printable(token, 40)), drive=drive.path))


def scratch_extents(drive: Drive) -> tuple[Extent, ...]:
    """The parts of free space that a trial may write; raises Refused with the reason where there is none."""
    kept = free_extents(drive, MARGIN_BYTES)
    if not kept:
        room = LEAST_BYTES + 2 * MARGIN_BYTES
        raise Refused(
            str(
                t(
                    "{drive} lacks a contiguous free space of {room:exact} for writing. Nothing "
                    "was written. To test reading only, omit --scratch.",
                    drive=drive.path,
                    room=room,
                )
            )
        )
    return kept


def free_extents(drive: Drive, margin_bytes: int) -> tuple[Extent, ...]:
    """The parts of free space, less a margin at both ends, that are large enough for a trial; raises Refused
    where nothing may be written at all. Whole physical blocks need no margin."""
    if reason := _obstacle(drive):
        raise refused(reason)
    assert drive.size_bytes is not None
    free = (Extent(0, drive.size_bytes),) if drive.is_empty else drive.free
    for partition in drive.partitions:
        free = _without(free, partition.start_bytes, partition.end_bytes)
        if partition.kernel_start_bytes is not None and partition.kernel_size_bytes is not None:
            free = _without(
                free, partition.kernel_start_bytes, partition.kernel_start_bytes + partition.kernel_size_bytes
            )
    inner = tuple(_shrink(extent, drive.size_bytes, margin_bytes) for extent in free)
    return tuple(extent for extent in inner if extent.size_bytes >= LEAST_BYTES)


def refused(why: Message) -> Refused:
    """The refusal of a trial that has written nothing."""
    return Refused(str(t("{why} Nothing was written.", why=why)))


def _obstacle(drive: Drive) -> Message | None:
    """Why nothing may be written at all, in a sentence."""
    unknown = [unread for unread in drive.unread if unread.what in ESSENTIAL]
    if unknown or drive.table is None or drive.size_bytes is None or drive.geometry is None:
        why = unknown[0].why if unknown else t("Cannot read the partition table or size.")
        return t("Cannot read the contents of {drive}. {why}", drive=drive.path, why=why)
    if drive.uses or drive.layers:
        by = drive.uses[0].by if drive.uses else drive.layers[0].path
        subject = drive.uses[0].subject if drive.uses else drive.layers[0].below
        return t("{drive} is in use: {subject} by {by}.", drive=drive.path, subject=subject, by=by)
    if any(partition.mount_points for partition in drive.partitions):
        return t("{drive} is in use: a partition is mounted.", drive=drive.path)
    if drive.read_only is not False:
        return t("{drive} is read-only, or writability is unknown.", drive=drive.path)
    if drive.zoned == "host-managed":
        return t(
            "{drive} is host-managed. Zones accept writes only where the last one ended, "
            "not at random places.",
            drive=drive.path,
        )
    if drive.table.kind not in ("gpt", "mbr", "none") or drive.table.primary == "damaged":
        return t(
            "{drive} has a partition table ({kind}) that cannot reliably show the free space.",
            drive=drive.path,
            kind=printable(drive.table.kind, 20),
        )
    if drive.waiting:
        return t(
            "Run {run} is waiting on {drive}. Space shown as free is not free.",
            run=drive.waiting.run,
            drive=drive.path,
        )
    if drive.signatures:
        return t(
            "{drive} as a whole contains {kind}, so no space is free.",
            drive=drive.path,
            kind=printable(drive.signatures[0].kind, 40),
        )
    return None


def _without(extents: tuple[Extent, ...], start: int, end: int) -> tuple[Extent, ...]:
    """The extents less the bytes from `start` to `end`."""
    left: list[Extent] = []
    for extent in extents:
        if end <= extent.start_bytes or extent.end_bytes <= start:
            left.append(extent)
            continue
        if extent.start_bytes < start:
            left.append(Extent(extent.start_bytes, start - extent.start_bytes))
        if end < extent.end_bytes:
            left.append(Extent(end, extent.end_bytes - end))
    return tuple(left)


def _shrink(extent: Extent, drive_size_bytes: int, margin_bytes: int) -> Extent:
    start = max(extent.start_bytes, 0) + margin_bytes
    return Extent(start, max(0, min(extent.end_bytes, drive_size_bytes) - margin_bytes - start))


@dataclass(frozen=True, slots=True)
class Claim:
    """A drive that this process has for itself: a descriptor for direct writes, where it may write, and who
    watches over it."""

    descriptor: int
    extents: tuple[Extent, ...]
    watch: Watch


@contextmanager
def claimed(drive: Drive, probe: Callable[[str], Drive], *, synchronous: bool) -> Iterator[Claim]:
    """Locks the drive, probes it again, and opens it alone; `synchronous` writes return when the drive calls
    them durable.

    Raises Refused where it is another drive by now, in use, or without free space.
    """
    with locked(drive.path):
        fresh = probe(drive.path)
        _same_drive(drive, fresh)
        extents = scratch_extents(fresh)
        with opened_alone(fresh, synchronous=synchronous) as descriptor, Watch(drive.path) as watch:
            _refuse_others(fresh, watch)
            yield Claim(descriptor, extents, watch)


@contextmanager
def held(drive: Drive, probe: Callable[[str], Drive]) -> Iterator[tuple[int, Drive]]:
    """The descriptor of the drive's lock, and the drive as it was probed again: nobody else had it a moment
    ago. Unlike one that is claimed, its partitions can be mounted. Raises Refused as `claimed` does."""
    with locked(drive.path) as lock:
        fresh = probe(drive.path)
        _same_drive(drive, fresh)
        with opened_alone(fresh, synchronous=False), Watch(drive.path) as watch:
            _refuse_others(fresh, watch)
        yield lock, fresh


def _refuse_others(fresh: Drive, watch: Watch) -> None:
    """Raises Refused where others are about to change the drive."""
    if watch.partitions != {part.path for part in fresh.partitions if part.kernel_start_bytes is not None}:
        raise refused(t("The partitions of {drive} are being changed.", drive=fresh.path))
    if writer := other_writer({fresh.path, *watch.partitions}):
        raise refused(t("{writer}.", writer=writer))


def _same_drive(known: Drive, fresh: Drive) -> None:
    """Raises Refused where another drive answers at this path now, or it holds something else."""
    for what in ("serial", "wwn", "size_bytes", "geometry", "diskseq", "content_digest"):
        if getattr(known, what) != getattr(fresh, what):
            raise refused(
                t(
                    "{drive} is not the confirmed drive: {what} has changed.",
                    drive=known.path,
                    what=what,
                )
            )


@contextmanager
def locked(path: str, seconds: float = LOCK_SECONDS) -> Iterator[int]:
    """Holds the drive's lock, which other diskwrights and udev respect, by this descriptor; Refused where
    someone else keeps it for so long."""
    descriptor = _open(path, os.O_RDONLY)
    try:
        deadline = monotonic() + seconds
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if monotonic() > deadline:
                    raise refused(
                        t("Another program has locked {drive}, possibly to change the drive.", drive=path)
                    ) from None
                sleep(0.05)
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def opened_alone(drive: Drive, *, synchronous: bool) -> Iterator[int]:
    """A descriptor for direct writes, claimed alone; Refused where someone else has claimed it, or the drive
    was swapped."""
    descriptor = _open(drive.path, os.O_RDWR | os.O_EXCL | os.O_DIRECT | (os.O_DSYNC if synchronous else 0))
    try:
        if os.lseek(descriptor, 0, os.SEEK_END) != drive.size_bytes or not _is_same(
            descriptor, drive.diskseq
        ):
            raise refused(t("{drive} is no longer the same drive.", drive=drive.path))
        yield descriptor
    finally:
        os.close(descriptor)


def _open(path: str, flags: int) -> int:
    try:
        return os.open(path, flags)
    except OSError as error:
        if error.errno == errno.EBUSY:
            raise refused(t("{drive} is in use: the kernel refuses exclusive access.", drive=path)) from None
        raise refused(
            t("Cannot open {drive} for writing ({why}).", drive=path, why=str(error.strerror))
        ) from None


def _is_same(descriptor: int, diskseq: int | None) -> bool:
    """Whether it is still the disk with this sequence number; true where the kernel (before 5.15) counts
    none."""
    if diskseq is None:
        return True
    try:
        answer = fcntl.ioctl(descriptor, BLKGETDISKSEQ, bytes(8))
    except OSError:
        return True
    return int(struct.unpack("Q", answer)[0]) == diskseq
