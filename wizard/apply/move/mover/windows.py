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


def next_window(course: Course, boundary: int, target: PartitionSide) -> tuple[int, int] | None:
    """The next [start, end) of the content, or None where all of it lies at the target. The end that the next
    window begins at lies on a border of physical blocks at the place it goes to: a torn write never takes in
    what another window wrote."""
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
    """All of them, in order."""
    while (window := next_window(course, boundary, target)) is not None:
        yield window
        boundary = window[0] if course.raises(target) else window[1]


def after(window: tuple[int, int], upwards: bool) -> int:
    """Where the boundary is once the window has moved."""
    return window[0] if upwards else window[1]


def ends(course: Course, target: PartitionSide) -> tuple[int, int]:
    """Where content is read from and written to, as what is added to its offsets."""
    return (course.lo, course.hi) if course.raises(target) else (course.hi, course.lo)


BUFFERS = 3
"""One is written, one is written next, and one is read into."""


class MoveStopped(Exception):
    """Somebody wanted to stop; the journal says how far it is."""


class WindowMover:
    """The windows between the boundary and the target's end."""

    def __init__(
        self, drive: MovingDrive, journal: MoveJournal, state: MoveState, told: Callable[[int], bool]
    ) -> None:
        self._drive, self._journal, self._told = drive, journal, told
        self.state, self._upwards = state, True
        course = state.course
        # A window begins behind one block, and with a page: where the kernel splits a write, it does so
        # between pages of memory, and a drive that names 512 bytes may have physical blocks of 4096.
        before = -course.physical_bytes % PAGESIZE
        size = before + course.window_bytes + 4 * course.physical_bytes
        self._buffers = [drive.buffer(size)[before:] for _ in range(BUFFERS)]
        self._ahead, self._beside = ThreadPoolExecutor(1), ThreadPoolExecutor(1)

    def to(self, target: PartitionSide) -> MoveState:
        """Move all that is left; the state then, which is not recorded yet. Raises Stopped where that was
        wanted, and Unreadable where sectors cannot be read, with everything recorded."""
        try:
            if self.state.course.scheme is Scheme.LOGGED:
                self._redo()
            self.state, self._upwards = replace(self.state, target=target), self.state.course.raises(target)
            parts = [*windows(self.state.course, self.state.boundary_bytes, target)]
            if parts:
                self._begin(target, parts[0])
                (self._direct if self.state.course.scheme is Scheme.DIRECT else self._logged)(parts, target)
        finally:
            self._ahead.shutdown()
            self._beside.shutdown()
        return self.state

    def _begin(self, target: PartitionSide, first: tuple[int, int]) -> None:
        """Before the first window: where its fixed end shares a physical block with what else lies there,
        that block is kept. What is in the ring is of before."""
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

    def _moved_to(self, boundary: int) -> MoveState:
        """What was given up there has become zeros, and the rest was read."""
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
        """What lies there on the drive when this window is the next. Raises Unreadable."""
        boundary = part[1] if self._upwards else part[0]
        fill(self._drive, self.state, boundary, at_bytes, data)

    def _stop_before(self, unreadable: UnreadableBlocks) -> None:
        """What has moved is on the medium, and recorded now with what cannot be read."""
        state = replace(with_unread(self.state, unreadable.places), edges=())
        self._record(state)
        self._drive.flush()

    # ---- direct

    def _direct(self, parts: list[tuple[int, int]], target: PartitionSide) -> None:
        course, upwards = self.state.course, self.state.course.raises(target)
        source, place = ends(course, target)
        # A flush goes on beside the write of the next window. What it brought to the medium is recorded then,
        # and the next flush takes the record along: the hole has room for what no record tells of yet.
        flushed, arrived = None, self.state.boundary_bytes
        coming = self._read_ahead(parts, source)
        for number, part in enumerate(parts):
            try:
                data = next(coming)
            except UnreadableBlocks as unreadable:
                if flushed is not None:
                    flushed()
                self.state = self._moved_to(arrived)
                self._stop_before(unreadable)
                raise
            self._drive.write(place + part[0], data)
            if flushed is not None:
                flushed()
                self._record(self._moved_to(arrived))
            flushed, arrived = self._drive.flushing(), after(part, upwards)
            is_wanted = self._told(part[1] - part[0]) and number + 1 < len(parts)
            if is_wanted or course.in_flight == 1:
                flushed()
                flushed = None
                self._record(self._moved_to(arrived))
                self._drive.flush()
            if is_wanted:
                raise MoveStopped
        self._drive.flush()
        self.state = self._moved_to(arrived)

    def _read_ahead(self, parts: list[tuple[int, int]], source: int) -> Iterator[memoryview]:
        """The bytes of each window; the next one is read while this one is written."""
        block = self.state.course.physical_bytes

        def read(number: int) -> memoryview:
            start, end = parts[number]
            buffer = self._buffers[number % BUFFERS][block : block + end - start]
            self._fill(parts[number], source + start, buffer)
            return buffer

        coming = self._ahead.submit(read, 0)
        for number in range(len(parts)):
            data = coming.result()
            if number + 1 < len(parts):
                coming = self._ahead.submit(read, number + 1)
            yield data

    # ---- logged

    def _logged(self, parts: list[tuple[int, int]], target: PartitionSide) -> None:
        course, upwards = self.state.course, self.state.course.raises(target)
        first = self.state.epoch << 32

        def ready(number: int) -> LogWindow | None:
            if number == len(parts):
                return None
            buffer = self._buffers[number % BUFFERS]
            window = self._whole(first + number, parts[number], target, buffer)
            seal(window, buffer)
            return window

        def log(number: int, window: LogWindow) -> None:
            self._journal.log(course, window, self._buffers[number % BUFFERS])

        try:
            window = ready(0)
        except UnreadableBlocks as unreadable:
            self._stop_before(unreadable)
            raise
        assert window is not None
        log(0, window)
        self._drive.flush()
        coming = self._ahead.submit(ready, 1)
        for number, part in enumerate(parts):
            try:
                following = coming.result()
            except UnreadableBlocks as unreadable:
                # The log has the window before it, and redoes it.
                write_bytes(self._drive, window.place, bytes(window.data))
                self._drive.flush()
                self.state = self._moved_to(after(part, upwards))
                self._stop_before(unreadable)
                raise
            # What is read ahead lies where neither of the two windows before it goes.
            coming = self._ahead.submit(ready, min(number + 2, len(parts)))
            logging = self._beside.submit(log, number + 1, following) if following else None
            self._drive.write(window.place, memoryview(window.data))
            if logging is not None:
                logging.result()
            self._drive.flush()
            self.state = self._moved_to(after(part, upwards))
            if following is None:
                return
            window = following
            if self._told(part[1] - part[0]):
                self._record(self.state)
                self._drive.flush()
                raise MoveStopped

    def _whole(
        self, number: int, part: tuple[int, int], target: PartitionSide, buffer: memoryview
    ) -> LogWindow:
        """The window with what else lies in the physical blocks at both its ends, at the place it goes to:
        those are written whole. Its bytes lie in the buffer behind one block."""
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

    def _redo(self) -> None:
        """Write the windows of the log again: the last of them may be torn."""
        course, state = self.state.course, self.state
        found = [*self._journal.logged(course, self.state.epoch << 32)]
        for window in found:
            write_bytes(self._drive, window.place, bytes(window.data))
            self.state = state
            state = self._moved_to(after((window.start, window.end), window.upwards))
        if found:
            self._drive.flush()
            self._record(state)
            self._drive.flush()
