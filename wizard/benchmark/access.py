"""What all measurements share: a time limit, progress, and timed accesses past the page cache. Writes only
restore bytes just read at the same offset."""

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import inf
from mmap import mmap
from time import monotonic, perf_counter_ns, sleep

from msgspec import Struct

from wizard.benchmark import scratch
from wizard.model.errors import Failed, Refused
from wizard.model.machine import Drive, Extent
from wizard.model.said import KIB, MIB, Message, Sentence, failing, t
from wizard.probe.pool import is_attached

READING, WRITING = t("reading"), t("writing")

GOING_SECONDS = 1.0
"""Time for the kernel to remove a disconnected drive's node."""


ENDED = t("You stopped the test early.")
INCONCLUSIVE = Sentence("{drive}: inconclusive; {why}.")
IMPLAUSIBLE = Sentence("{drive} reports implausible physical blocks of {size} bytes.")
LOOP = t("This is a loop device. The test measured the backing file and this machine's cache, not a drive.")

LARGEST_BLOCK_BYTES = 64 * KIB
PROGRESS_SECONDS = 0.25


def those_that_apply(*caveats: tuple[bool, Message]) -> tuple[str, ...]:
    """Return the caveats whose condition holds."""
    return tuple(str(caveat) for applies, caveat in caveats if applies)


class MeasureProgress(Struct, frozen=True):
    """Completed `share`, and the step with preliminary results."""

    share: float
    seconds_left: float
    said: tuple[Message, ...]


OnProgress = Callable[[MeasureProgress], None]
Stopped = Callable[[], bool]
"""True after the person stopped."""


class Clock:
    """Time limit and progress of a trial."""

    def __init__(self, seconds: float, stop: Stopped, on_progress: OnProgress = lambda _: None) -> None:
        self._begun = monotonic()
        self.seconds, self._stop, self._on_progress = seconds, stop, on_progress
        self._next_report = 0.0
        self.ended_by_person = False

    def report(self, *said: Message, seconds_left: float = inf) -> None:
        """Report progress as the elapsed share of the time."""
        left = min(self.left, max(0.0, seconds_left))
        self._on_progress(MeasureProgress(self.elapsed / max(self.elapsed + left, 1e-9), left, said))

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return monotonic() - self._begun

    @property
    def left(self) -> float:
        """Seconds until the limit."""
        return max(0.0, self.seconds - self.elapsed)

    def idle(self, seconds: float) -> None:
        """Wait without accessing the drive."""
        sleep(seconds)

    def is_over(self) -> bool:
        """Return True at the time limit, or after a stop."""
        self.ended_by_person = self.ended_by_person or self._stop()
        return self.ended_by_person or self.left <= 0

    def is_progress_due(self) -> bool:
        """True if the caller must report progress now."""
        if self.elapsed < self._next_report:
            return False
        self._next_report = self.elapsed + PROGRESS_SECONDS
        return True


class TimedDrive:
    """A drive with timed direct access, in nanoseconds. Only `held` pieces can be written back, inside
    `extents`. Raises Failed if the drive fails, Refused if a write would be unsafe."""

    def __init__(
        self,
        path: str,
        descriptor: int,
        piece_bytes: int,
        extents: Sequence[Extent] = (),
        watch: scratch.Watch | None = None,
    ) -> None:
        self.path, self.piece_bytes = path, piece_bytes
        self.held: dict[int, mmap] = {}
        self.saw_data = False
        self.read_bytes = 0
        self.extents, self._descriptor, self._watch = tuple(extents), descriptor, watch
        # Direct access needs page-aligned memory.
        self._buffer = mmap(-1, piece_bytes)

    def stream(self, start_bytes: int, size_bytes: int, stop: Stopped) -> bool:
        """Read a range in whole MiB. Returns False if stopped early."""
        with mmap(-1, MIB) as buffer:
            for start in range(start_bytes, start_bytes + size_bytes, MIB):
                if stop():
                    return False
                self._read(start, buffer)
        return True

    def read(self, start_bytes: int) -> int:
        """Return the time to read one piece. Raises Failed if a held piece has changed."""
        took = self._read(start_bytes, self._buffer)
        if start_bytes in self.held and self.held[start_bytes][:] != self._buffer[:]:
            raise Failed(
                t(
                    "{drive}: byte {start} does not read back as written. Save your data, and "
                    "check the drive's health.",
                    drive=self.path,
                    start=start_bytes,
                )
            )
        return took

    def keep(self, start_bytes: int) -> int:
        """Read a piece for a later write-back."""
        buffer = mmap(-1, self.piece_bytes)
        took = self._read(start_bytes, buffer)
        self.held[start_bytes] = buffer
        self.saw_data = self.saw_data or buffer[:] != bytes(self.piece_bytes)
        return took

    def hold(self, starts_bytes: Sequence[int]) -> None:
        """Hold only these pieces."""
        self.held = {}
        for start in starts_bytes:
            self.keep(start)

    def write(self, start_bytes: int, offset_bytes: int = 0, size_bytes: int | None = None) -> int:
        """Write back the held piece, or a part of it. Returns the time."""
        start, size = start_bytes + offset_bytes, size_bytes or self.piece_bytes
        content = memoryview(self.held[start_bytes])[offset_bytes : offset_bytes + size]
        if self._watch is None or not any(Extent(start, size).is_within(extent) for extent in self.extents):
            raise Refused(
                t(
                    "{drive}: byte {start} is outside the free space. Not written.",
                    drive=self.path,
                    start=start,
                )
            )
        if trouble := self._watch.trouble():
            if not is_attached(self.path):
                raise self._failed(WRITING, start, None)
            raise Refused(
                t(
                    "{trouble} The trial stopped writing. Every block written so far has its old contents.",
                    trouble=trouble,
                )
            )
        took = self._timed(WRITING, start, size, lambda: os.pwritev(self._descriptor, [content], start))
        self._watch.wrote(size)
        return took

    def flush(self) -> int:
        """Flush the drive's write cache. Returns the time."""

        def sync() -> int:
            os.fdatasync(self._descriptor)
            return 0

        return self._timed(t("flushing"), 0, 0, sync)

    def _read(self, start: int, buffer: mmap) -> int:
        self.read_bytes += len(buffer)
        return self._timed(READING, start, len(buffer), lambda: os.preadv(self._descriptor, [buffer], start))

    def _timed(self, doing: Message, start: int, size: int, work: Callable[[], int]) -> int:
        begun = perf_counter_ns()
        try:
            done = work()
        except OSError as error:
            # A disconnected drive causes EIO or ENOSPC, and ENODEV or ENXIO while the kernel removes it.
            is_gone = error.errno in (errno.ENODEV, errno.ENXIO) or self._disappears()
            raise self._failed(doing, start, None if is_gone else error) from None
        took = perf_counter_ns() - begun
        if done == size:
            return took
        # A disconnected drive has size 0, so every read is short.
        short = t("{done} of {wanted} bytes", done=done, wanted=size)
        raise self._failed(doing, start, short if is_attached(self.path) else None)

    def _disappears(self) -> bool:
        """Pending requests fail a moment before the kernel removes the node."""
        limit = monotonic() + GOING_SECONDS
        while is_attached(self.path):
            if monotonic() > limit:
                return False
            sleep(0.05)
        return True

    def _failed(self, doing: Message, start: int, why: Message | OSError | None) -> Failed:
        """Without a reason, the drive was disconnected."""
        if why is None:
            return Failed(
                t(
                    "{drive} was disconnected: {doing} at byte {start} failed. Reconnect it, then try again.",
                    drive=self.path,
                    doing=doing,
                    start=start,
                )
            )
        return Failed(
            t(
                "{drive}: {doing} at byte {start} failed ({why}). `dmesg` shows the kernel's errors. If the "
                "drive is failing, save your data first.",
                drive=self.path,
                doing=doing,
                start=start,
                why=why,
            )
        )


@contextmanager
def claimed(drive: Drive, piece_bytes: int, *, synchronous: bool) -> Iterator[TimedDrive]:
    """Open the confirmed drive exclusively, to write to free space. `synchronous` writes return when durable.
    Raises Refused."""
    with scratch.known(drive) as (_, fresh):
        extents = scratch.scratch_extents(fresh)
        with scratch.opened_alone(fresh, synchronous=synchronous) as (descriptor, watch):
            yield TimedDrive(drive.path, descriptor, piece_bytes, extents, watch)


@contextmanager
def opened_to_read(path: str, piece_bytes: int) -> Iterator[TimedDrive]:
    """Open the whole drive, which may be in use. Raises Failed."""
    unopened = Sentence("Cannot open {drive} for direct reading ({why}). Measuring requires root.")
    with failing(unopened, drive=path):
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECT)
    try:
        yield TimedDrive(path, descriptor, piece_bytes)
    finally:
        os.close(descriptor)
