"""Move the windows of a partition, direct or logged.

Direct: a window is written only to the hole. After a cut the recorded boundary is correct, even if a write
was torn.
Logged: a window is in the log before the target is written. After a cut the log's windows are written again.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from mmap import PAGESIZE

from msgspec.structs import replace

from wizard.apply.move.mover.journal import (
    Course,
    LogWindow,
    MoveJournal,
    MoveState,
    MovingDrive,
    PartitionSide,
    read_bytes,
    seal,
    write_bytes,
)
from wizard.apply.run.process import Stopped
from wizard.model.moves import Scheme


def windows(course: Course, boundary: int, *, upwards: bool) -> Iterator[tuple[int, int]]:
    """Yield the ranges [start, end) of the partition that remain to move, in order.

    The border between two windows is on a border of physical blocks at the target, so a torn write never
    damages another window.
    """
    block = course.physical_bytes
    while upwards and boundary > course.head_bytes:
        start = boundary - course.window_bytes
        if start <= course.head_bytes:
            start = course.head_bytes
        else:
            start += -(course.hi + start) % block
        yield start, boundary
        boundary = start
    while not upwards and boundary < course.size_bytes:
        end = boundary + course.window_bytes
        if end >= course.size_bytes:
            end = course.size_bytes
        else:
            end -= (course.lo + end) % block
        yield boundary, end
        boundary = end


def after(window: tuple[int, int], upwards: bool) -> int:
    """Return the boundary after the window has moved."""
    return window[0] if upwards else window[1]


BUFFERS = 3
"""For three windows: being written, next, and being read."""


class WindowMover:
    """The windows from the boundary to the end of the partition."""

    def __init__(
        self, drive: MovingDrive, journal: MoveJournal, state: MoveState, told: Callable[[int], bool]
    ) -> None:
        self._drive, self._journal, self._told = drive, journal, told
        self.state, self.edges = state, b""
        course = state.course
        # Reserve a block before each window, and align the window to a page. The kernel splits writes at page
        # borders, and a drive that reports 512-byte blocks may have 4096-byte ones.
        before = -course.physical_bytes % PAGESIZE
        size = before + course.window_bytes + 4 * course.physical_bytes
        self._buffers = [drive.buffer(size)[before:] for _ in range(BUFFERS)]
        self._ahead, self._beside = ThreadPoolExecutor(1), ThreadPoolExecutor(1)

    def to(self, target: PartitionSide) -> None:
        """Move all remaining windows. `state` is not saved yet then.

        Raises Stopped on request, with the state saved. Raises UnreadSector and Failed, with a journal as
        after a power cut.
        """
        course = self.state.course
        try:
            if course.scheme is Scheme.LOGGED:
                self._replay()
            self.state = replace(self.state, target=target)
            self._upwards = course.raises(target)
            self._source, self._place = (course.lo, course.hi) if self._upwards else (course.hi, course.lo)
            parts = [*windows(course, self.state.boundary_bytes, upwards=self._upwards)]
            if parts:
                # A new epoch invalidates the windows in the ring. The physical block that the fixed end of
                # the first window shares with other data is saved.
                fixed, block = self._place + after(parts[0], not self._upwards), course.physical_bytes
                has_edge = course.scheme is Scheme.DIRECT and fixed % block
                edges = (fixed // block * block,) if has_edge else ()
                shared = b"".join(read_bytes(self._drive, at, block) for at in edges)
                self._record(replace(self.state, epoch=self.state.epoch + 1, edges=edges), shared)
                self._drive.flush()
                (self._direct if course.scheme is Scheme.DIRECT else self._logged)(parts)
        finally:
            self._ahead.shutdown()
            self._beside.shutdown()

    def _record(self, state: MoveState, edges: bytes = b"") -> None:
        self.state, self.edges = state, edges
        self._journal.save(state, edges)

    def _advanced_to(self, boundary: int) -> MoveState:
        return replace(self.state, boundary_bytes=boundary, edges=())

    # ---- direct

    def _direct(self, parts: list[tuple[int, int]]) -> None:
        # A flush overlaps the write of the next window. Its result is recorded afterwards, and made durable
        # by the next flush. The hole has space for windows that are not recorded yet.
        flushed, arrived = None, self.state.boundary_bytes
        data_ahead = self._read_ahead(parts)
        for number, part in enumerate(parts):
            self._drive.write(self._place + part[0], next(data_ahead))
            if flushed is not None:
                flushed()
                self._record(self._advanced_to(arrived))
            flushed, arrived = self._drive.flushing(), after(part, self._upwards)
            stops = self._told(part[1] - part[0]) and number + 1 < len(parts)
            if stops or self.state.course.in_flight == 1:
                flushed()
                flushed = None
                self._record(self._advanced_to(arrived))
                self._drive.flush()
            if stops:
                raise Stopped
        self._drive.flush()
        self.state = self._advanced_to(arrived)

    def _read_ahead(self, parts: list[tuple[int, int]]) -> Iterator[memoryview]:
        block = self.state.course.physical_bytes

        def read(number: int) -> memoryview:
            start, end = parts[number]
            buffer = self._buffers[number % BUFFERS][block : block + end - start]
            self._drive.read_into(self._source + start, buffer)
            return buffer

        pending = self._ahead.submit(read, 0)
        for number in range(len(parts)):
            data = pending.result()
            if number + 1 < len(parts):
                pending = self._ahead.submit(read, number + 1)
            yield data

    # ---- logged

    def _logged(self, parts: list[tuple[int, int]]) -> None:
        first = self.state.epoch << 32

        def prepared(number: int) -> LogWindow | None:
            if number == len(parts):
                return None
            buffer = self._buffers[number % BUFFERS]
            window = self._padded_window(first + number, parts[number], buffer)
            seal(window, buffer)
            return window

        def log(number: int, window: LogWindow) -> None:
            self._journal.log(self.state.course, window, self._buffers[number % BUFFERS])

        window = prepared(0)
        assert window is not None
        log(0, window)
        self._drive.flush()
        upcoming = self._ahead.submit(prepared, 1)
        for number, part in enumerate(parts):
            following = upcoming.result()
            # The window being read does not overlap the targets of the two before it.
            upcoming = self._ahead.submit(prepared, min(number + 2, len(parts)))
            logging = self._beside.submit(log, number + 1, following) if following else None
            self._drive.write(window.place, memoryview(window.data))
            if logging is not None:
                logging.result()
            self._drive.flush()
            self.state = self._advanced_to(after(part, self._upwards))
            if following is None:
                return
            window = following
            if self._told(part[1] - part[0]):
                self._record(self.state)
                self._drive.flush()
                raise Stopped

    def _padded_window(self, number: int, part: tuple[int, int], buffer: memoryview) -> LogWindow:
        """Return a window with the neighbouring data in the physical blocks at both ends of its target, which
        are written whole. Its bytes start after one block of the buffer."""
        block, place = self.state.course.physical_bytes, self._place
        start, end = part
        below, above = (place + start) % block, -(place + end) % block
        size = below + end - start + above
        data = buffer[block : block + size]
        self._drive.read_into(self._source + start, data[below : below + end - start])
        if below:
            self._drive.read_into(place + start - below, data[:below])
        if above:
            self._drive.read_into(place + end, data[size - above :])
        return LogWindow(number, start, end, place + start - below, self._upwards, data)

    def _replay(self) -> None:
        """Repeat the windows in the log, since the last write may be torn."""
        course, state = self.state.course, self.state
        found = [*self._journal.logged(course, self.state.epoch << 32)]
        for window in found:
            write_bytes(self._drive, window.place, bytes(window.data))
            self.state = state
            state = self._advanced_to(after((window.start, window.end), window.upwards))
        if found:
            self._drive.flush()
            self._record(state)
            self._drive.flush()
