"""Partition known only to the kernel, for a comparison. No table is written. Also erases signatures and
cleans up after killed comparisons."""

import ctypes
import errno
import fcntl
import json
import os
import stat
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import TypeVar

from msgspec import Struct

from wizard.benchmark.candidates import surroundings
from wizard.benchmark.scratch import locked
from wizard.documents.codec import from_json, to_json
from wizard.model.errors import BadInput, DiskwrightError, Failed, partition_path
from wizard.model.machine import Drive, Extent
from wizard.model.said import KERNEL_SECTOR_BYTES, KIB, MIB, Sentence, failing, t
from wizard.operations.filesystem import PRIVATE_PLACES
from wizard.probe.content.superblocks import COPIES
from wizard.probe.content.unmarked import POSSIBLE_STARTS, sampled
from wizard.probe.host import sysfs

NO_PARTITION = Sentence("The kernel cannot add a partition for the trial on {drive}: {why}.")

BLKPG = 0x1269
ADD, DELETE = 1, 2
"""From linux/blkpg.h."""

LEAST_NUMBER = 128
STILL_SECONDS, LONGEST_SECONDS = 10.0, 600.0
"""For a busy device, without and with activity. Programs such as udev open a new device for a moment. After a
kill, the kernel writes the filesystem's cached data before it unmounts, so the wait continues while the drive
is active."""

ENDS_BYTES = MIB
COPY_BYTES = 4 * KIB
BTRFS_COPIES = (64 * MIB, 256 * 1024 * MIB)
"""Backup superblocks of Btrfs (btrfs-man5, "filesystem limits")."""


T = TypeVar("T")


def _patiently(drive_path: str, work: Callable[[], T]) -> T:
    """Repeat `work` until the drive is idle for STILL_SECONDS. Raises the last OSError."""
    begun = active = monotonic()
    while True:
        before = surroundings.counts(drive_path)
        try:
            return work()
        except OSError as error:
            now = monotonic()
            if error.errno != errno.EBUSY or now - active > STILL_SECONDS or now - begun > LONGEST_SECONDS:
                raise
        sleep(0.2)
        if surroundings.is_at_work(drive_path, before):
            active = monotonic()


class TrialRecord(Struct, frozen=True):
    """The partition of a trial, in one of these extents. `sample`: pieces that the probe reads of an empty
    drive. Only with zeros again, the drive counts as empty and matches the plan."""

    drive: str
    diskseq: int | None
    number: int
    extents: tuple[Extent, ...]
    sample: tuple[Extent, ...]


class TrialPartition:
    """The kernel's partition, in one place at a time, with a node in `place`. `leave` erases the sample."""

    def __init__(self, lock: int, record: TrialRecord, place: Path) -> None:
        self.lock, self._record = lock, record
        self._node = place / "device"
        self._extent: Extent | None = None

    def at(self, extent: Extent) -> Path:
        """Return the node of a partition at `extent`. Raises Failed."""
        if extent != self._extent:
            self.leave()
            record = self._record
            with failing(NO_PARTITION, drive=record.drive):
                _patiently(record.drive, lambda: _blkpg(self.lock, ADD, record.number, extent))
            self._extent = extent
            folder = _folder_of(record)
            major, colon, minor = (sysfs.text(folder / "dev") or "").partition(":")
            if not colon:
                raise Failed(NO_PARTITION(drive=record.drive, why=folder.name))
            os.mknod(self._node, 0o600 | stat.S_IFBLK, os.makedev(int(major), int(minor)))
        return self._node

    def erase(self, sample: tuple[Extent, ...] = ()) -> None:
        """Erase the signatures and `sample` of the unused partition. Raises Failed."""
        assert self._extent is not None
        _erase(self._node, self._record.drive, (self._extent,), sample, self._extent.start_bytes)

    def leave(self) -> None:
        """Raises Failed if the partition stays in use. After a kill, the next trial does it."""
        if self._extent is None:
            return
        try:
            self.erase(self._record.sample)
        finally:
            _drop(self.lock, self._record)
            self._node.unlink(missing_ok=True)
            self._extent = None


def _folder_of(record: TrialRecord) -> Path:
    return sysfs.folder_of(partition_path(record.drive, record.number))


def _drop(lock: int, record: TrialRecord) -> None:
    """Remove the partition. Raises Failed if it stays in use."""
    try:
        _patiently(record.drive, lambda: _blkpg(lock, DELETE, record.number, Extent(0, 0)))
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise Failed(
                t(
                    "The kernel cannot remove the trial's partition on {drive}: {why}. The "
                    "partition disappears at the next reboot.",
                    drive=record.drive,
                    why=error,
                )
            ) from None


def _blkpg(descriptor: int, what: int, number: int, extent: Extent) -> None:
    part = ctypes.create_string_buffer(
        struct.pack("=qqi64s64s4x", extent.start_bytes, extent.size_bytes, number, b"", b"")
    )
    request = struct.pack("@iiiP", what, 0, len(part.raw) - 1, ctypes.addressof(part))
    fcntl.ioctl(descriptor, BLKPG, request)


def _erase(
    node: Path, drive_path: str, extents: Sequence[Extent], sample: tuple[Extent, ...], start_bytes: int = 0
) -> None:
    """Zero both ends of each extent, backup superblocks, and the parts of `sample` inside. `start_bytes`:
    where the node's device begins on the drive. Raises Failed."""
    with failing(Sentence("The trial's space on {drive} is still in use: {why}."), drive=drive_path):
        descriptor = _patiently(drive_path, lambda: os.open(node, os.O_RDWR | os.O_EXCL))
    try:
        for extent in extents:
            begin = extent.start_bytes - start_bytes
            places = [
                (0, ENDS_BYTES),
                (extent.size_bytes - ENDS_BYTES, ENDS_BYTES),
                *((place // COPY_BYTES * COPY_BYTES, 2 * COPY_BYTES) for place in (*COPIES, *BTRFS_COPIES)),
            ]
            for start, size in places:
                if ENDS_BYTES <= start + size <= extent.size_bytes:
                    os.pwrite(descriptor, bytes(size), begin + max(start, 0))
            for piece in sample:
                start = max(piece.start_bytes, extent.start_bytes)
                size = min(piece.end_bytes, extent.end_bytes) - start
                if size > 0:
                    os.pwrite(descriptor, bytes(size), start - start_bytes)
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


FOLDER = Path(PRIVATE_PLACES)
"""Cleared at boot, like the partitions."""

PATIENCE_SECONDS = 60.0
"""An mkfs that survives its trial keeps the lock until it exits."""


def _file(path: str) -> Path:
    return FOLDER / f"trial-{sysfs.name_of(path)}.json"


@contextmanager
def recorded(drive: Drive, extents: tuple[Extent, ...]) -> Iterator[TrialRecord]:
    """Record a partition with an unused number until the kernel has removed it. Raises Failed."""
    file, folder = _file(drive.path), sysfs.folder_of(drive.path)
    known = (int(sysfs.text(one) or 0) for one in folder.glob("*/partition"))
    number = max((LEAST_NUMBER - 1, *(part.number for part in drive.partitions), *known)) + 1
    size = drive.size_bytes if drive.is_empty else None
    sample = () if size is None else tuple(Extent(*piece) for piece in sampled(0, size, POSSIBLE_STARTS))
    record = TrialRecord(drive.path, drive.diskseq, number, extents, sample)
    with failing(Sentence("Cannot write {file} ({why}). Nothing was written."), file=file):
        FOLDER.mkdir(mode=0o700, exist_ok=True)
        file.write_text(json.dumps(to_json(record)))
    try:
        yield record
    finally:
        if not _exists(record):
            with suppress(OSError):
                file.unlink()


def sweep_all() -> None:
    """Clean up after killed trials, unless the drive has a running one."""
    for file in FOLDER.glob("trial-*.json"):
        with suppress(DiskwrightError):
            sweep(sysfs.node_of(file.stem.removeprefix("trial-")), 0)


def sweep(path: str, seconds: float = PATIENCE_SECONDS) -> bool:
    """Clean up after a killed trial, if there was one. Raises Refused or Failed if the drive stays in use."""
    file = _file(path)
    try:
        left = from_json(json.loads(file.read_text()), TrialRecord, str(file))
    except (OSError, ValueError, BadInput):
        return False
    with locked(path, seconds) as lock:
        exists = _exists(left)
        if exists:
            _drop(lock, left)
            _erase(Path(path), path, left.extents, left.sample)
            surroundings.remove_groups()
    with suppress(OSError):
        file.unlink()
    return exists


def _exists(record: TrialRecord) -> bool:
    start, size = (sysfs.text(_folder_of(record) / what) for what in ("start", "size"))
    sequence = sysfs.text(sysfs.folder_of(record.drive) / "diskseq")
    if start is None or size is None or record.diskseq not in (None, int(sequence or 0)):
        return False
    return Extent(int(start) * KERNEL_SECTOR_BYTES, int(size) * KERNEL_SECTOR_BYTES) in record.extents
