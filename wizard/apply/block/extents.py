"""Find the data ranges of a file with FIEMAP or SEEK_DATA, and read, compare and write them on a drive.

Source: Linux Documentation/filesystems/fiemap.rst; lseek(2), SEEK_DATA.
"""

import errno
import fcntl
import mmap
import os
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Protocol, Self

from wizard.apply.block import devices
from wizard.apply.run.process import UNOPENED
from wizard.model.errors import Failed
from wizard.model.machine import Extent
from wizard.model.said import MIB, Sentence, failing, rounded_up
from wizard.probe.host.sysfs import text

GET_MAP = 0xC020660B
"""FS_IOC_FIEMAP from linux/fs.h."""

HEAD, ENTRY = struct.Struct("=2Q4L"), struct.Struct("=3Q2Q4L")
"""struct fiemap and struct fiemap_extent from linux/fiemap.h."""

DISCARD, ZERO_OUT = 0x1277, 0x127F
"""BLKDISCARD and BLKZEROOUT from linux/fs.h."""

SYNC, LAST = 1, 1
"""FIEMAP_FLAG_SYNC and FIEMAP_EXTENT_LAST."""

AT_ONCE = 500
ZEROS = bytes(MIB)
GRAIN_BYTES = 4096
"""Page size, of which the data ranges of a file are multiples."""

NO_MAP = frozenset({errno.EOPNOTSUPP, errno.ENOTTY, errno.EBADR})

Read = Callable[[int, int], bytes]
"""From start and length in bytes."""


def merged(places: Iterable[Extent], block_bytes: int, end_bytes: int) -> tuple[Extent, ...]:
    """Align extents to whole blocks, cut them at `end_bytes`, and join those that touch, in order."""
    wide = (
        (
            max(0, place.start_bytes // block_bytes * block_bytes),
            min(end_bytes, rounded_up(place.end_bytes, block_bytes)),
        )
        for place in places
    )
    joined: list[tuple[int, int]] = []
    for start, end in sorted(wide):
        if end <= start:
            continue
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(Extent(start, end - start) for start, end in joined)


def clipped(places: Iterable[Extent], allowed: Iterable[Extent]) -> Iterator[Extent]:
    """Yield the parts of `places` within the `allowed` extents. Both are sorted and do not overlap."""
    bounds = iter(allowed)
    bound = next(bounds, None)
    for place in places:
        while bound is not None and bound.start_bytes < place.end_bytes:
            start = max(place.start_bytes, bound.start_bytes)
            end = min(place.end_bytes, bound.end_bytes)
            if end > start:
                yield Extent(start, end - start)
            if bound.end_bytes > place.end_bytes:
                break
            bound = next(bounds, None)


def gaps(places: Iterable[Extent], size_bytes: int) -> Iterator[Extent]:
    """Yield the gaps before, between and after sorted, separate extents, up to `size_bytes`."""
    ends = [Extent(0, 0), *places, Extent(size_bytes, 0)]
    for before, after in pairwise(ends):
        if after.start_bytes > before.end_bytes:
            yield Extent(before.end_bytes, after.start_bytes - before.end_bytes)


def chunks(places: Iterable[Extent]) -> Iterator[Extent]:
    """Split extents at each MiB."""
    for place in places:
        for start in range(place.start_bytes, place.end_bytes, MIB):
            yield Extent(start, min(MIB, place.end_bytes - start))


def pieces(places: Iterable[Extent], read: Read) -> Iterator[tuple[int, bytes]]:
    """Read extents in chunks of at most 1 MiB, each with its start."""
    for chunk in chunks(places):
        yield chunk.start_bytes, read(chunk.start_bytes, chunk.size_bytes)


def read_all(places: Iterable[Extent], read: Read) -> bytes:
    """Read extents of any size, one after the other."""
    return b"".join(data for _, data in pieces(places, read))


def copy(places: Iterable[Extent], read: Read, write: Callable[[int, bytes], object]) -> None:
    """Copy extents to the same offsets."""
    for start, data in pieces(places, read):
        write(start, data)


def held(file: int) -> tuple[Extent, ...]:
    """Return the allocated ranges of a file, including allocated zeros. Raises OSError."""
    size = os.fstat(file).st_size
    os.fsync(file)
    try:
        found = list(_fiemap_extents(file, size))
    except OSError as error:
        if error.errno not in NO_MAP:
            raise
        found = list(data_extents(file, size))
    return merged(found, GRAIN_BYTES, size)


def seeking_finds(file: int, size_bytes: int) -> tuple[Extent, ...]:
    """Return the data ranges of a synced file by SEEK_DATA. All else is zeros, allocated or not. Raises
    OSError."""
    return merged(data_extents(file, size_bytes), GRAIN_BYTES, size_bytes)


def _fiemap_extents(file: int, size_bytes: int) -> Iterator[Extent]:
    """Yield the extents of a file by FIEMAP, including unwritten ones, which are zeros."""
    start = 0
    while start < size_bytes:
        request = HEAD.pack(start, size_bytes - start, SYNC, 0, AT_ONCE, 0)
        reply = bytearray(request + bytes(ENTRY.size * AT_ONCE))
        fcntl.ioctl(file, GET_MAP, reply, True)
        count = HEAD.unpack_from(reply)[3]
        if not count:
            return
        for at in range(count):
            logical, _, length, _, _, flags, *_ = ENTRY.unpack_from(reply, HEAD.size + at * ENTRY.size)
            yield Extent(logical, length)
            start = logical + length
            if flags & LAST:
                return


def data_extents(file: int, size_bytes: int) -> Iterator[Extent]:
    """Yield the data ranges of a file (lseek(2), SEEK_DATA). The rest is holes."""
    position = 0
    while position < size_bytes:
        try:
            start = os.lseek(file, position, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:
                return
            raise
        position = min(os.lseek(file, start, os.SEEK_HOLE), size_bytes)
        if start < position:
            yield Extent(start, position - start)


def differing(places: Iterable[Extent], one: Read, other: Read) -> Iterator[Extent]:
    """Yield the 4096-byte blocks, or parts of blocks within a place, in which two readers differ. Joined
    within 1 MiB."""
    for chunk in chunks(places):
        left, right = (read(chunk.start_bytes, chunk.size_bytes) for read in (one, other))
        if left == right:
            continue
        blocks = []
        for start in range(-(chunk.start_bytes % GRAIN_BYTES), chunk.size_bytes, GRAIN_BYTES):
            at, to = max(0, start), min(start + GRAIN_BYTES, chunk.size_bytes)
            if left[at:to] != right[at:to]:
                blocks.append(Extent(chunk.start_bytes + at, to - at))
        yield from merged(blocks, 1, chunk.end_bytes)


def reader_of(first_bytes: int, data: bytes) -> Read:
    """Return a reader of data that begins at an offset."""
    return lambda start, length: data[start - first_bytes :][:length]


class Medium(Protocol):
    """Drive or file whose chunks are replaced, in whole logical blocks. Raises Failed."""

    @property
    def size_bytes(self) -> int:
        """Size of the medium."""

    @property
    def logical_block_bytes(self) -> int:
        """Smallest unit of a write."""

    def read(self, offset_bytes: int, length_bytes: int) -> bytes:
        """Read at most 1 MiB past all caches."""

    def write(self, offset_bytes: int, data: bytes) -> None:
        """Write data. Until `flush` any part of it may be missing on the medium."""

    def zero(self, place: Extent) -> None:
        """Write zeros to a place of any size, as `write` does."""

    def flush(self) -> None:
        """Flush all writes to the medium."""


class DeviceMedium:
    """Block device opened for reading with O_DIRECT. Writes fail, unless it is a `HeldDrive`."""

    flags = os.O_RDONLY

    def __init__(self, node: str) -> None:
        self.node = node
        self.size_bytes = devices.size_bytes(node)
        self.logical_block_bytes, _ = devices.block_bytes(node)
        with failing(UNOPENED, path=node):
            self._fd = os.open(node, self.flags | os.O_DIRECT | os.O_CLOEXEC)
        self._buffer = mmap.mmap(-1, MIB)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the device."""
        os.close(self._fd)

    def read(self, offset_bytes: int, length_bytes: int) -> bytes:
        """See `Medium`."""
        return devices.read_direct(self._fd, self.node, self._buffer, offset_bytes, length_bytes)

    def write(self, offset_bytes: int, data: bytes) -> None:
        """See `Medium`; at most 1 MiB."""
        devices.write_direct(self._fd, self.node, offset_bytes, data)

    def zero(self, place: Extent) -> None:
        """See `Medium`."""
        try:
            self.request(ZERO_OUT, place)
        except OSError:
            # Some kernels refuse this while another partition is in use.
            copy((place,), lambda _, length: ZEROS[:length], self.write)

    def request(self, call: int, place: Extent) -> None:
        """Make an ioctl for whole logical blocks of the device. Raises OSError."""
        fcntl.ioctl(self._fd, call, struct.pack("=QQ", place.start_bytes, place.size_bytes))

    def flush(self) -> None:
        """See `Medium`."""
        with failing(devices.UNFLUSHED, device=self.node):
            os.fsync(self._fd)


class HeldDrive(DeviceMedium):
    """Block device opened exclusively (O_EXCL) and past the page cache. Only the requested blocks are
    written."""

    flags = os.O_RDWR | os.O_EXCL

    def __init__(self, node: str) -> None:
        devices.check_unclaimed(node)
        super().__init__(node)

    @property
    def discards(self) -> bool:
        """True if the drive supports discards according to sysfs."""
        limit = text(devices.sysfs_folder(self.node) / "queue/discard_max_bytes")
        return limit not in (None, "0")

    def discard(self, places: Iterable[Extent]) -> int:
        """Discard whole logical blocks, and return their size in bytes. The contents are undefined then."""
        total = 0
        for place in places:
            with failing(
                Sentence("Cannot discard free space in the new volumes on {drive}: {why}."), drive=self.node
            ):
                self.request(DISCARD, place)
            total += place.size_bytes
        return total


class HeldPart(HeldDrive):
    """Drive with one partition opened exclusively. Others may be in use.

    A partition that the kernel does not know cannot be in use.
    """

    flags = os.O_RDWR

    def __init__(self, node: str, part: str) -> None:
        DeviceMedium.__init__(self, node)
        self._part, self._part_from = self._fd, 0
        if not Path(part).exists():
            return
        try:
            with failing(devices.IN_USE, device=part):
                devices.check_unclaimed(part)
                self._part = os.open(part, os.O_RDWR | os.O_EXCL | os.O_DIRECT | os.O_CLOEXEC)
                self._part_from = devices.start_bytes(part)
        except Failed:
            self.close()
            raise

    def request(self, call: int, place: Extent) -> None:
        """See `DeviceMedium`. The kernel discards on a whole drive only if no part is in use."""
        start = place.start_bytes - self._part_from
        if start < 0:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        fcntl.ioctl(self._part, call, struct.pack("=QQ", start, place.size_bytes))

    def close(self) -> None:
        """Close the partition and the drive."""
        if self._part != self._fd:
            os.close(self._part)
        super().close()


@contextmanager
def holding(nodes: Sequence[str], part: str = "") -> Iterator[tuple[HeldDrive, ...]]:
    """Yield these drives, opened exclusively, or the one drive with only the partition `part` exclusive.
    Raises Failed if one is in use."""
    with ExitStack() as stack:
        drives = (HeldPart(node, part) if part else HeldDrive(node) for node in nodes)
        yield tuple(map(stack.enter_context, drives))
