"""Move the windows of a partition, direct or logged.

Direct: a window is written only to the hole. After a cut the recorded boundary is correct, even if a write
was torn.
Logged: a window is in the log before the target is written. After a cut the log's windows are written again.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from mmap import PAGESIZE

from wizard.apply.block.extents import merged, without
from wizard.apply.move.bad_sectors import UnreadableBlocks, fill
from wizard.apply.move.mover.journal import (
    Course,
    LogWindow,
    MoveJournal,
    MoveState,
    MovingDrive,
    PartitionSide,
    seal,
    with_unread,
    write_bytes,
)
from wizard.model.machine import Extent
from wizard.model.migration import Scheme


def _next_window(course: Course, boundary: int, target: PartitionSide) -> tuple[int, int] | None:
    """Return the next range [start, end) of the partition to move, or None at the end.

    The border to the following window is on a border of physical blocks at the target, so a torn write never
    damages another window.
    """
    block = course.physical_bytes
    if course.raises(target):
        if boundary <= course.head_bytes:
            return None
        start = boundary - course.window_bytes
        if start <= course.head_bytes:
            return course.head_bytes, boundary
        start += -(course.hi + start) % block
        return start, boundary
    if boundary >= course.size_bytes:
        return None
    end = boundary + course.window_bytes
    if end >= course.size_bytes:
        return boundary, course.size_bytes
    end -= (course.lo + end) % block
    return boundary, end


def windows(course: Course, boundary: int, target: PartitionSide) -> Iterator[tuple[int, int]]:
    """Yield all remaining windows in order."""
    while (window := _next_window(course, boundary, target)) is not None:
        yield window
        boundary = window[0] if course.raises(target) else window[1]


def after(window: tuple[int, int], upwards: bool) -> int:
    """Return the boundary after the window has moved."""
    return window[0] if upwards else window[1]


def ends(course: Course, target: PartitionSide) -> tuple[int, int]:
    """Return the offsets of source and target on the drive."""
    return (course.lo, course.hi) if course.raises(target) else (course.hi, course.lo)


BUFFERS = 3
"""For three windows: being written, next, and being read."""


class MoveStopped(Exception):
    """Stopped on request. The journal contains the progress."""


class WindowMover:
    """The windows from the boundary to the end of the partition."""

    def __init__(
        self, drive: MovingDrive, journal: MoveJournal, state: MoveState, told: Callable[[int], bool]
    ) -> None:
        self._drive, self._journal, self._told = drive, journal, told
        self.state, self._upwards = state, True
        course = state.course
        # Reserve a block before each window, and align the window to a page. The kernel splits writes at page
        # borders, and a drive that reports 512-byte blocks may have 4096-byte ones.
        before = -course.physical_bytes % PAGESIZE
        size = before + course.window_bytes + 4 * course.physical_bytes
        self._buffers = [drive.buffer(size)[before:] for _ in range(BUFFERS)]
        self._ahead, self._beside = ThreadPoolExecutor(1), ThreadPoolExecutor(1)

    def to(self, target: PartitionSide) -> MoveState:
        """Move all remaining windows, and return the state, which is not saved yet.

        Raises MoveStopped on request and UnreadableBlocks for bad sectors, with the state saved.
        """
        try:
            if self.state.course.scheme is Scheme.LOGGED:
                self._replay()
            self.state, self._upwards = replace(self.state, target=target), self.state.course.raises(target)
            parts = [*windows(self.state.course, self.state.boundary_bytes, target)]
            if parts:
                self._start_epoch(target, parts[0])
                (self._direct if self.state.course.scheme is Scheme.DIRECT else self._logged)(parts, target)
        finally:
            self._ahead.shutdown()
            self._beside.shutdown()
        return self.state

    def _start_epoch(self, target: PartitionSide, first: tuple[int, int]) -> None:
        """Start a new epoch, which invalidates the windows in the ring. Save the physical block that the
        fixed end of the first window shares with other data."""
        course = self.state.course
        edges: tuple[int, ...] = ()
        if course.scheme is Scheme.DIRECT:
            _, place = ends(course, target)
            fixed = place + (first[1] if course.raises(target) else first[0])
            block = course.physical_bytes
            edges = (fixed // block * block,) if fixed % block else ()
        try:
            kept = b"".join(self._read_edge(first, at) for at in edges)
        except UnreadableBlocks as unreadable:
            self._stop_before(unreadable)
            raise
        self._record(replace(self.state, epoch=self.state.epoch + 1, edges=edges), kept)
        self._drive.flush()

    def _read_edge(self, first: tuple[int, int], at_bytes: int) -> bytes:
        buffer = self._drive.buffer(self.state.course.physical_bytes)
        self._fill(first, at_bytes, buffer)
        return bytes(buffer)

    def _record(self, state: MoveState, edges: bytes = b"") -> None:
        self.state = state
        self._journal.save(state, edges)

    def _advanced_to(self, boundary: int) -> MoveState:
        """Return the state for a new boundary. Given-up places in between have become zeros, and others were
        readable."""
        state, before = self.state, self.state.boundary_bytes
        if boundary == before:
            return replace(state, edges=())
        part = Extent(min(before, boundary), abs(boundary - before))
        left = tuple(piece for place in state.given_up for piece in without(place, (part,)))
        moved = (piece for place in state.given_up for piece in without(place, left))
        return replace(
            state,
            boundary_bytes=boundary,
            edges=(),
            unread=tuple(place for place in state.unread if without(place, (part,)) == (place,)),
            given_up=left,
            zeros=merged((*state.zeros, *moved), 1, state.course.size_bytes),
        )

    def _fill(self, part: tuple[int, int], at_bytes: int, data: memoryview) -> None:
        """Fill a buffer as the drive is when this window is next. Raises UnreadableBlocks."""
        boundary = part[1] if self._upwards else part[0]
        fill(self._drive, self.state, boundary, at_bytes, data)

    def _stop_before(self, unreadable: UnreadableBlocks) -> None:
        """Save the state with bad sectors. Everything moved so far is synced."""
        state = replace(with_unread(self.state, unreadable.places), edges=())
        self._record(state)
        self._drive.flush()

    # ---- direct

    def _direct(self, parts: list[tuple[int, int]], target: PartitionSide) -> None:
        course, upwards = self.state.course, self.state.course.raises(target)
        source, place = ends(course, target)
        # A flush overlaps the write of the next window. Its result is recorded afterwards, and made durable
        # by the next flush. The hole has space for windows that are not recorded yet.
        flushed, arrived = None, self.state.boundary_bytes
        data_ahead = self._read_ahead(parts, source)
        for number, part in enumerate(parts):
            try:
                data = next(data_ahead)
            except UnreadableBlocks as unreadable:
                if flushed is not None:
                    flushed()
                self.state = self._advanced_to(arrived)
                self._stop_before(unreadable)
                raise
            self._drive.write(place + part[0], data)
            if flushed is not None:
                flushed()
                self._record(self._advanced_to(arrived))
            flushed, arrived = self._drive.flushing(), after(part, upwards)
            stops = self._told(part[1] - part[0]) and number + 1 < len(parts)
            if stops or course.in_flight == 1:
                flushed()
                flushed = None
                self._record(self._advanced_to(arrived))
                self._drive.flush()
            if stops:
                raise MoveStopped
        self._drive.flush()
        self.state = self._advanced_to(arrived)

    def _read_ahead(self, parts: list[tuple[int, int]], source: int) -> Iterator[memoryview]:
        """Yield the bytes of each window, reading ahead by one."""
        block = self.state.course.physical_bytes

        def read(number: int) -> memoryview:
            start, end = parts[number]
            buffer = self._buffers[number % BUFFERS][block : block + end - start]
            self._fill(parts[number], source + start, buffer)
            return buffer

        pending = self._ahead.submit(read, 0)
        for number in range(len(parts)):
            data = pending.result()
            if number + 1 < len(parts):
                pending = self._ahead.submit(read, number + 1)
            yield data

    # ---- logged

    def _logged(self, parts: list[tuple[int, int]], target: PartitionSide) -> None:
        course, upwards = self.state.course, self.state.course.raises(target)
        first = self.state.epoch << 32

        def prepared(number: int) -> LogWindow | None:
            if number == len(parts):
                return None
            buffer = self._buffers[number % BUFFERS]
            window = self._padded_window(first + number, parts[number], target, buffer)
            seal(window, buffer)
            return window

        def log(number: int, window: LogWindow) -> None:
            self._journal.log(course, window, self._buffers[number % BUFFERS])

        try:
            window = prepared(0)
        except UnreadableBlocks as unreadable:
            self._stop_before(unreadable)
            raise
        assert window is not None
        log(0, window)
        self._drive.flush()
        upcoming = self._ahead.submit(prepared, 1)
        for number, part in enumerate(parts):
            try:
                following = upcoming.result()
            except UnreadableBlocks as unreadable:
                # The log contains the previous window, for repeating it.
                write_bytes(self._drive, window.place, bytes(window.data))
                self._drive.flush()
                self.state = self._advanced_to(after(part, upwards))
                self._stop_before(unreadable)
                raise
            # The window being read does not overlap the targets of the two before it.
            upcoming = self._ahead.submit(prepared, min(number + 2, len(parts)))
            logging = self._beside.submit(log, number + 1, following) if following else None
            self._drive.write(window.place, memoryview(window.data))
            if logging is not None:
                logging.result()
            self._drive.flush()
            self.state = self._advanced_to(after(part, upwards))
            if following is None:
                return
            window = following
            if self._told(part[1] - part[0]):
                self._record(self.state)
                self._drive.flush()
                raise MoveStopped

    def _padded_window(
        self, number: int, part: tuple[int, int], target: PartitionSide, buffer: memoryview
    ) -> LogWindow:
        """Return a window with the neighbouring data in the physical blocks at both ends of its target, which
        are written whole. Its bytes start after one block of the buffer."""
        course = self.state.course
        block = course.physical_bytes
        source, place = ends(course, target)
        start, end = part
        below, above = (place + start) % block, -(place + end) % block
        size = below + end - start + above
        data = buffer[block : block + size]
        self._fill(part, source + start, data[below : below + end - start])
        if below:
            self._fill(part, place + start - below, data[:below])
        if above:
            self._fill(part, place + end, data[size - above :])
        return LogWindow(number, start, end, place + start - below, course.raises(target), data)

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
