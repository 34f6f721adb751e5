"""A real drive, as the quick probe times one: past the page cache, each write durable, and of what was read
there."""

from collections.abc import Sequence
from mmap import mmap
from time import sleep

from wizard.model.errors import Failed
from wizard.model.machine import Extent
from wizard.model.units import MIB
from wizard.trial.access import Overseer, Reads, Writer
from wizard.trial.displaced.probe import OverError
from wizard.trial.measure import Clock
from wizard.trial.words import displaced as words


class TimedDrive:
    """What the first reading of a place brought is held, and written back there; later readings must bring
    the same."""

    def __init__(
        self,
        path: str,
        descriptor: int,
        block_bytes: int,
        extents: Sequence[Extent],
        watch: Overseer,
        clock: Clock,
        written: frozenset[int],
    ) -> None:
        self._path, self._clock, self._written = path, clock, written
        self._reads = Reads(path, descriptor, block_bytes)
        self._long = Reads(path, descriptor, MIB)
        self._writer = Writer(path, descriptor, extents, watch)
        # Direct writes want memory at whole pages.
        self._buffer = mmap(-1, block_bytes)
        self._held: dict[int, bytes] = {}
        self.read_bytes = 0

    def read(self, start_bytes: int) -> int:
        """Read one block; nanoseconds. Raises Failed where it holds something else than before."""
        took = self._reads.access(start_bytes)
        content = self._reads.last
        self.read_bytes += len(content)
        if start_bytes in self._written and self._held.setdefault(start_bytes, content) != content:
            raise Failed(str(words.CHANGED(drive=self._path, start=start_bytes)))
        return took

    def write(self, start_bytes: int) -> int:
        """Write back what was read there; nanoseconds."""
        self._buffer[:] = self._held[start_bytes]
        return self._writer.write(start_bytes, memoryview(self._buffer))

    def stream(self, start_bytes: int, size_bytes: int) -> None:
        """Read much in a row."""
        for start in range(start_bytes, start_bytes + size_bytes, MIB):
            if self.is_over():
                raise OverError
            self._long.access(start)
            self.read_bytes += MIB

    def idle(self, seconds: float) -> None:
        """Ask nothing of it."""
        sleep(seconds)

    def is_over(self) -> bool:
        """Whether time is over or the person has had enough."""
        return self._clock.is_over()

    @property
    def seconds_left(self) -> float:
        """Until the limit."""
        return self._clock.left
