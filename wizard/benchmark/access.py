"""Timed reads and writes that bypass the page cache. Writes only restore bytes just read at the same
offset."""

import errno
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from mmap import mmap
from random import Random
from time import monotonic, perf_counter_ns, sleep
from typing import Protocol

from wizard.model.errors import Failed, Refused
from wizard.model.machine import Extent
from wizard.model.said import KIB, MIB, Sentence, t
from wizard.probe.pool import is_attached

NARROWEST_BYTES, WIDEST_BYTES = 64 * KIB, 32 * MIB
REGIONS_WANTED = 1024
BLOCKS_A_REGION = 16
MOST_REGIONS = 20_000


@dataclass(frozen=True, slots=True)
class Grid:
    """Aligned places: multiples of `block_bytes` from `offset_bytes`. Misaligned ones are `shift_bytes`
    further."""

    block_bytes: int
    shift_bytes: int
    offset_bytes: int


@dataclass(frozen=True, slots=True)
class PairPlace:
    """Starts of an aligned and a misaligned access, of one block each."""

    aligned_bytes: int
    misaligned_bytes: int


def _region_bytes(extents: Sequence[Extent], grid: Grid) -> int:
    """Return the size of a pair's region, so wide that read-ahead of one access rarely covers the other."""
    share = sum(extent.size_bytes for extent in extents) // REGIONS_WANTED
    wide = min(max(share, NARROWEST_BYTES, BLOCKS_A_REGION * grid.block_bytes), WIDEST_BYTES)
    return wide // (2 * grid.block_bytes) * 2 * grid.block_bytes


def draw_places(extents: Sequence[Extent], grid: Grid, random: Random) -> Iterator[PairPlace]:
    """Yield pairs of places without end, each in a region of its own until all regions are used. Every access
    is inside an extent. Yields none if no extent has room for a region."""
    width = _region_bytes(extents, grid)
    firsts = [_align(extent.start_bytes, grid) for extent in extents]
    counts = [
        max(0, (extent.end_bytes - first) // width) for extent, first in zip(extents, firsts, strict=True)
    ]
    total = sum(counts)
    while total:
        for drawn in random.sample(range(total), min(total, MOST_REGIONS)):
            index = drawn
            for first, count in zip(firsts, counts, strict=True):
                if index < count:
                    yield _place(first + index * width, width, grid, random)
                    break
                index -= count


def _align(position_bytes: int, grid: Grid) -> int:
    return (
        grid.offset_bytes
        + max(0, -(-(position_bytes - grid.offset_bytes) // grid.block_bytes)) * grid.block_bytes
    )


def _place(start_bytes: int, width: int, grid: Grid, random: Random) -> PairPlace:
    """Return one access in each half of the region, at least a block from the ends."""
    half = width // 2
    lower, upper = (
        start_bytes + base + random.randrange(1, half // grid.block_bytes - 2) * grid.block_bytes
        for base in (0, half)
    )
    aligned, other = (lower, upper) if random.random() < 0.5 else (upper, lower)
    return PairPlace(aligned, other + grid.shift_bytes)


READING = Sentence("reading at byte {start}")
WRITING = Sentence("writing at byte {start}")

GOING_SECONDS = 1.0
"""Time the kernel may take to remove the node of a disconnected drive after a failed access."""


class Accesses(Protocol):
    """Accesses that a trial can time."""

    def prepare(self, places: Sequence[PairPlace]) -> None:
        """Prepare, untimed, for accesses to these places."""
        ...

    def access(self, start_bytes: int) -> int:
        """Access one block. Returns nanoseconds."""
        ...


class Overseer(Protocol):
    """Approves each write, and accounts for it afterwards."""

    def trouble(self) -> str | None:
        """Return why writing must stop, as the beginning of a sentence, or None."""
        ...

    def wrote(self, size_bytes: int) -> None:
        """Account for a write."""
        ...


class Reads:
    """Timed reads through a descriptor opened with O_DIRECT."""

    def __init__(self, path: str, descriptor: int, block_bytes: int) -> None:
        self._path, self._descriptor = path, descriptor
        self._buffer = mmap(-1, block_bytes)

    def prepare(self, places: Sequence[PairPlace]) -> None:
        """Do nothing. Every place is read only once."""

    def access(self, start_bytes: int) -> int:
        """Read one block. Returns nanoseconds."""
        begun = perf_counter_ns()
        try:
            done = os.preadv(self._descriptor, [self._buffer], start_bytes)
        except OSError as error:
            raise _failure(self._path, READING, start_bytes, error) from None
        took = perf_counter_ns() - begun
        if done != len(self._buffer):
            raise _short(self._path, start_bytes, done, len(self._buffer))
        return took

    @property
    def last(self) -> bytes:
        """Bytes of the last access."""
        return self._buffer[:]

    def contents(self, start_bytes: int) -> bytes:
        """Read and return one block."""
        self.access(start_bytes)
        return self.last


class WriteBacks:
    """Timed writes inside `extents` of exactly the bytes just read at the same offset.

    A batch is read before it is written: a drive that has just read a block can change part of it without
    another read, which is the cost of a misaligned write. Writes are synchronous (O_DSYNC), because a write
    cache would shift the cost to a later write.
    """

    def __init__(
        self, path: str, descriptor: int, block_bytes: int, extents: Sequence[Extent], watch: Overseer
    ) -> None:
        self._reads = Reads(path, descriptor, block_bytes)
        self._writer = TimedWriter(path, descriptor, extents, watch)
        self._buffer = mmap(-1, block_bytes)
        self._originals: dict[int, bytes] = {}

    def prepare(self, places: Sequence[PairPlace]) -> None:
        """Read the blocks to write back."""
        self._originals = {
            start: self._reads.contents(start)
            for place in places
            for start in (place.aligned_bytes, place.misaligned_bytes)
        }

    def access(self, start_bytes: int) -> int:
        """Write one block back to its offset. Returns nanoseconds."""
        self._buffer[:] = self._originals[start_bytes]
        return self._writer.write(start_bytes, memoryview(self._buffer))


class HeldPieces:
    """Long stretches read from a drive, to write pieces of them back. Writes are not synchronous; see
    `flush`."""

    def __init__(
        self, path: str, descriptor: int, extents: Sequence[Extent], watch: Overseer, stretch_bytes: int
    ) -> None:
        self._path, self._descriptor, self._stretch_bytes = path, descriptor, stretch_bytes
        self._writer = TimedWriter(path, descriptor, extents, watch)
        self._held: dict[int, mmap] = {}
        self._spare: list[mmap] = []
        self.saw_data = False

    def hold(self, starts_bytes: Sequence[int]) -> None:
        """Read the stretches at these offsets and drop the previous ones. Sets `saw_data` if any byte so far
        was not zero."""
        self._spare += self._held.values()
        self._held = {}
        for start in starts_bytes:
            buffer = self._spare.pop() if self._spare else mmap(-1, self._stretch_bytes)
            try:
                done = os.preadv(self._descriptor, [buffer], start)
            except OSError as error:
                raise _failure(self._path, READING, start, error) from None
            if done != self._stretch_bytes:
                raise _short(self._path, start, done, self._stretch_bytes)
            self._held[start] = buffer
            self.saw_data = self.saw_data or buffer[:] != bytes(self._stretch_bytes)

    def write(self, start_bytes: int, offset_bytes: int, size_bytes: int) -> int:
        """Write back a piece of the stretch at `start_bytes`. Returns nanoseconds."""
        piece = memoryview(self._held[start_bytes])[offset_bytes : offset_bytes + size_bytes]
        return self._writer.write(start_bytes + offset_bytes, piece)

    def flush(self) -> int:
        """Flush the drive's write cache. Returns nanoseconds."""
        begun = perf_counter_ns()
        try:
            os.fdatasync(self._descriptor)
        except OSError as error:
            raise _failure(self._path, Sentence("flushing at byte {start}"), 0, error) from None
        return perf_counter_ns() - begun


class TimedWriter:
    """Timed writes inside `extents`. Checks `watch` before each, so as not to overwrite other programs' new
    data."""

    def __init__(self, path: str, descriptor: int, extents: Sequence[Extent], watch: Overseer) -> None:
        self._path, self._descriptor, self._extents, self._watch = path, descriptor, tuple(extents), watch

    def write(self, start_bytes: int, content: memoryview) -> int:
        """Write bytes back to their offset. Returns nanoseconds."""
        size = len(content)
        if not any(
            extent.start_bytes <= start_bytes and start_bytes + size <= extent.end_bytes
            for extent in self._extents
        ):
            raise Refused(
                t(
                    "{drive}: byte {start} is outside the free space. Not written.",
                    drive=self._path,
                    start=start_bytes,
                )
            )
        if trouble := self._watch.trouble():
            if not is_attached(self._path, None):
                raise _gone(self._path, WRITING, start_bytes)
            raise Refused(
                t(
                    "{trouble}. The trial stopped writing. Every block written so far has its old contents.",
                    trouble=trouble,
                )
            )
        begun = perf_counter_ns()
        try:
            done = os.pwritev(self._descriptor, [content], start_bytes)
        except OSError as error:
            raise _failure(self._path, WRITING, start_bytes, error) from None
        took = perf_counter_ns() - begun
        if done != size:
            message = t(
                "{drive}: wrote {done} of {wanted} bytes at byte {start}. The contents are unchanged.",
                drive=self._path,
                start=start_bytes,
                done=done,
                wanted=size,
            )
            raise Failed(str(message))
        self._watch.wrote(size)
        return took


def _failure(path: str, doing: Sentence, start_bytes: int, error: OSError) -> Failed:
    # A disconnected drive causes EIO or ENOSPC, and ENODEV or ENXIO while the kernel removes it.
    if error.errno in (errno.ENODEV, errno.ENXIO) or _is_disconnected(path):
        return _gone(path, doing, start_bytes)
    message = t(
        "{drive}: {doing} failed ({why}). `dmesg` shows the kernel's errors. If the "
        "drive is failing, save your data first.",
        drive=path,
        doing=doing(start=start_bytes),
        why=str(error.strerror),
    )
    return Failed(str(message))


def _is_disconnected(path: str) -> bool:
    """Return True if the drive is gone or disappears shortly. Pending requests fail a moment before the
    kernel removes the node."""
    limit = monotonic() + GOING_SECONDS
    while is_attached(path, None):
        if monotonic() > limit:
            return False
        sleep(0.05)
    return True


def _short(path: str, start_bytes: int, done: int, wanted: int) -> Failed:
    """Return the error for a short read. A disconnected drive has size 0, so every read is short."""
    if not is_attached(path, None):
        return _gone(path, READING, start_bytes)
    return Failed(
        str(
            t(
                "{drive}: read {done} of {wanted} bytes at byte {start}.",
                drive=path,
                start=start_bytes,
                done=done,
                wanted=wanted,
            )
        )
    )


def _gone(path: str, doing: Sentence, start_bytes: int) -> Failed:
    return Failed(
        str(
            t(
                "{drive} was disconnected: {doing} failed. Reconnect the drive and restart the trial.",
                drive=path,
                doing=doing(start=start_bytes),
            )
        )
    )
