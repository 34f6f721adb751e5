"""Moving the windows, by either scheme.

Direct: a window goes to the hole only, so at any cut the recorded boundary is right, whatever was torn.
Logged: a window is in the log before its place is written; after a cut the log's windows are written again.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

from wizard.apply.move.journal import Journal, MovingDrive, Window, read_bytes, write_bytes
from wizard.apply.move.state import Side, State
from wizard.apply.move.windows import after, ends, windows
from wizard.model.documents.move import Scheme


class Stopped(Exception):
    """Somebody wanted to stop; the journal says how far it is."""


class Moving:
    """The windows between the boundary and the target's end."""

    def __init__(
        self, drive: MovingDrive, journal: Journal, state: State, told: Callable[[int], bool]
    ) -> None:
        self._drive, self._journal, self._told = drive, journal, told
        self.state = state
        course = state.course
        self._buffers = [drive.buffer(course.window_bytes + 4 * course.physical_bytes) for _ in range(2)]
        self._ahead = ThreadPoolExecutor(1)

    def to(self, target: Side) -> State:
        """Move all that is left; the state then, which is not recorded yet. Raises Stopped where that was
        wanted, with everything recorded."""
        try:
            if self.state.course.scheme is Scheme.LOGGED:
                self._redo()
            self.state = replace(self.state, target=target)
            parts = [*windows(self.state.course, self.state.boundary_bytes, target)]
            if parts:
                self._begin(target, parts[0])
                (self._direct if self.state.course.scheme is Scheme.DIRECT else self._logged)(parts, target)
        finally:
            self._ahead.shutdown()
        return self.state

    def _begin(self, target: Side, first: tuple[int, int]) -> None:
        """Before the first window: where its fixed end shares a physical block with what else lies there,
        that block is kept. What is in the ring is of before."""
        course = self.state.course
        edges: tuple[int, ...] = ()
        if course.scheme is Scheme.DIRECT:
            _, place = ends(course, target)
            fixed = place + (first[1] if course.raises(target) else first[0])
            block = course.physical_bytes
            edges = (fixed // block * block,) if fixed % block else ()
        kept = b"".join(read_bytes(self._drive, at, course.physical_bytes) for at in edges)
        self._record(replace(self.state, epoch=self.state.epoch + 1, edges=edges), kept)
        self._drive.flush()

    def _record(self, state: State, edges: bytes = b"") -> None:
        self.state = state
        self._journal.save(state, edges)

    def _moved_to(self, boundary: int) -> State:
        return replace(self.state, boundary_bytes=boundary, edges=())

    def _stop(self, boundary: int) -> None:
        self._record(self._moved_to(boundary))
        self._drive.flush()
        raise Stopped

    # ---- direct

    def _direct(self, parts: list[tuple[int, int]], target: Side) -> None:
        course, upwards = self.state.course, self.state.course.raises(target)
        source, place = ends(course, target)
        # Without a flush of its own, the record of a window is on the medium with the window after it.
        unrecorded: int | None = None
        for number, (part, data) in enumerate(self._read_ahead(parts, source)):
            self._drive.write(place + part[0], data)
            if unrecorded is not None:
                self._record(self._moved_to(unrecorded))
            self._drive.flush()
            unrecorded = after(part, upwards)
            if not course.lags:
                self._record(self._moved_to(unrecorded))
                self._drive.flush()
                unrecorded = None
            if self._told(part[1] - part[0]) and number + 1 < len(parts):
                self._stop(after(part, upwards))
        self.state = self._moved_to(after(parts[-1], upwards))

    def _read_ahead(
        self, parts: list[tuple[int, int]], source: int
    ) -> Iterator[tuple[tuple[int, int], memoryview]]:
        """Each window with its bytes; the next one is read while this one is written."""

        def read(number: int) -> memoryview:
            start, end = parts[number]
            buffer = self._buffers[number % 2][: end - start]
            self._drive.read_into(source + start, buffer)
            return buffer

        coming = self._ahead.submit(read, 0)
        for number, part in enumerate(parts):
            data = coming.result()
            if number + 1 < len(parts):
                coming = self._ahead.submit(read, number + 1)
            yield part, data

    # ---- logged

    def _logged(self, parts: list[tuple[int, int]], target: Side) -> None:
        course, upwards = self.state.course, self.state.course.raises(target)
        first = self.state.epoch << 32

        def log(number: int) -> Window:
            buffer = self._buffers[number % 2]
            window = self._whole(first + number, parts[number], target, buffer)
            self._journal.log(course, window, buffer)
            return window

        window = log(0)
        self._drive.flush()
        for number, part in enumerate(parts):
            last = number + 1 == len(parts)
            coming: Future[Window] | None = None if last else self._ahead.submit(log, number + 1)
            self._drive.write(window.place, memoryview(window.data))
            if coming is not None:
                window = coming.result()
            self._drive.flush()
            self.state = self._moved_to(after(part, upwards))
            if self._told(part[1] - part[0]) and not last:
                self._stop(after(part, upwards))

    def _whole(self, number: int, part: tuple[int, int], target: Side, buffer: memoryview) -> Window:
        """The window with what else lies in the physical blocks at both its ends, at the place it goes to:
        those are written whole. Its bytes lie in the buffer behind one block."""
        course = self.state.course
        block = course.physical_bytes
        source, place = ends(course, target)
        start, end = part
        below, above = (place + start) % block, -(place + end) % block
        size = below + end - start + above
        data = buffer[block : block + size]
        self._drive.read_into(source + start, data[below : below + end - start])
        if below:
            self._drive.read_into(place + start - below, data[:below])
        if above:
            self._drive.read_into(place + end, data[size - above :])
        return Window(number, start, end, place + start - below, course.raises(target), data)

    def _redo(self) -> None:
        """Write the windows of the log again: the last of them may be torn."""
        course, state = self.state.course, self.state
        found = [*self._journal.logged(course, self.state.epoch << 32)]
        for window in found:
            write_bytes(self._drive, window.place, bytes(window.data))
            state = replace(state, boundary_bytes=after((window.start, window.end), window.upwards))
        if found:
            self._drive.flush()
            self._record(state)
            self._drive.flush()
