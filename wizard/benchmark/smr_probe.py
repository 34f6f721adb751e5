"""Steps of the quick SMR probe on any timed drive: read, write back, read elsewhere, compare.

The comparison is repeated after the drive was idle.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from random import Random
from typing import Protocol

from wizard.benchmark.smr_judge import (
    Judgement,
    after_idling,
    after_looking,
    after_reading,
    after_writing,
    see,
    untold,
    usual_read_ns,
)
from wizard.model.machine import Extent
from wizard.model.said import MIB
from wizard.model.verdict import Basis, ProbeComparison, Statistics, Timings

SINGLES = 192
"""Pairs all over free space."""

GROUPS, GROUP_PAIRS = 44, 6
"""Groups of pairs within `GROUP_BYTES` each."""

WRITES = SINGLES + GROUPS * GROUP_PAIRS
NEAREST_BYTES, FARTHEST_BYTES = 3 * MIB, 6 * MIB
"""How far apart the two of a single pair lie: beyond a drive's read-ahead, within the same zone."""

GROUP_BYTES = 2 * GROUP_PAIRS * MIB
GROUP_BLOCKS = 64
"""Blocks of a group begin within so many of each MiB."""

LEAST_FREE_BYTES = 1024 * MIB
"""In less, the drive's memory would hold a good part of it."""

STREAM_BYTES = 768 * MIB
"""Read elsewhere, to empty the drive's memory; no drive has more than 512 MiB."""

STREAM_DRAWS = 32


@dataclass(frozen=True, slots=True)
class BlockPair:
    """The starts of a block that is written, and of its neighbour that is not."""

    written: int
    unwritten: int


@dataclass(frozen=True, slots=True)
class Pairs:
    """Every pair: single ones in random order, and groups in the order of writing. `block_bytes` are the
    size of a block."""

    block_bytes: int
    singles: tuple[BlockPair, ...]
    groups: tuple[tuple[BlockPair, ...], ...]

    @property
    def all(self) -> Iterator[BlockPair]:
        """Single ones first."""
        yield from self.singles
        for group in self.groups:
            yield from group


def free_bytes(extents: Sequence[Extent]) -> int:
    """What of free space is wide enough for a group."""
    return sum(extent.size_bytes for extent in _wide(extents))


def draw_pairs(extents: Sequence[Extent], block_bytes: int, offset_bytes: int, random: Random) -> Pairs:
    """Pairs all over `extents`, which must hold `LEAST_FREE_BYTES` that are wide enough. Blocks begin at
    whole multiples of `block_bytes` from `offset_bytes` on; none is drawn twice."""
    wide = _wide(extents)
    taken: set[int] = set()

    def aligned(place: int) -> int:
        return offset_bytes + max(0, -(-(place - offset_bytes) // block_bytes)) * block_bytes

    def toss(one: int, other: int) -> BlockPair:
        taken.update((one, other))
        return BlockPair(one, other) if random.random() < 0.5 else BlockPair(other, one)

    def single() -> BlockPair:
        while True:
            start = _place(wide, FARTHEST_BYTES + 2 * block_bytes, random)
            one = aligned(start)
            other = aligned(one + random.randrange(NEAREST_BYTES, FARTHEST_BYTES))
            if not taken & {one, other}:
                return toss(one, other)

    def group() -> tuple[BlockPair, ...]:
        while True:
            base = _place(wide, GROUP_BYTES + GROUP_BLOCKS * block_bytes, random)
            blocks = [
                aligned(base + slot * MIB + random.randrange(GROUP_BLOCKS) * block_bytes)
                for slot in range(2 * GROUP_PAIRS)
            ]
            if len(set(blocks)) == len(blocks) and not taken.intersection(blocks):
                pairs = [toss(one, other) for one, other in zip(blocks[::2], blocks[1::2], strict=True)]
                random.shuffle(pairs)
                return tuple(pairs)

    return Pairs(block_bytes, tuple(single() for _ in range(SINGLES)), tuple(group() for _ in range(GROUPS)))


def stream_start(size_bytes: int, pairs: Pairs, random: Random) -> tuple[int, int]:
    """Where the long read begins and how long it is: where few of the pairs lie."""
    length = min(STREAM_BYTES, size_bytes // 2) // MIB * MIB
    places = sorted(start for pair in pairs.all for start in (pair.written, pair.unwritten))
    drawn = [random.randrange(max(1, (size_bytes - length) // MIB)) * MIB for _ in range(STREAM_DRAWS)]
    return min(drawn, key=lambda start: sum(start <= place < start + length for place in places)), length


def _wide(extents: Sequence[Extent]) -> list[Extent]:
    return [extent for extent in extents if extent.size_bytes >= 2 * GROUP_BYTES]


def _place(wide: Sequence[Extent], needed_bytes: int, random: Random) -> int:
    """A place all over the extents that has so much behind it."""
    rooms = [extent.size_bytes - needed_bytes for extent in wide]
    drawn = random.randrange(sum(rooms))
    for extent, room in zip(wide, rooms, strict=True):
        if drawn < room:
            return extent.start_bytes + drawn
        drawn -= room
    raise IndexError(drawn)


BATCH = 8
"""Single pairs read in a row, written ones or unwritten ones. The first only brings the head there."""

IDLE_SECONDS = 10.0
"""A conventional drive's media cache brings home what it holds meanwhile, a block in milliseconds."""

IDLE_PIECE_SECONDS = 0.25
"""Between looks at whether the person has had enough."""


class Subject(Protocol):
    """A drive that can be timed."""

    def read(self, start_bytes: int) -> int:
        """Read one block; nanoseconds."""
        ...

    def write(self, start_bytes: int) -> int:
        """Write back what was first read there, and wait until it is durable; nanoseconds."""
        ...

    def stream(self, start_bytes: int, size_bytes: int) -> None:
        """Read much in a row."""
        ...

    def idle(self, seconds: float) -> None:
        """Leave it alone."""
        ...

    def is_over(self) -> bool:
        """Whether time is over or the person has had enough."""
        ...

    @property
    def seconds_left(self) -> float:
        """Until the limit."""
        ...


class ProbePhase(StrEnum):
    """What is being done."""

    READING = "reading"
    WRITING = "writing"
    STREAMING = "reading-elsewhere"
    LOOKING = "comparing"
    IDLING = "leaving-it-alone"
    LOOKING_AGAIN = "comparing-again"


SHARES = {
    ProbePhase.READING: 0.15,
    ProbePhase.WRITING: 0.15,
    ProbePhase.STREAMING: 0.2,
    ProbePhase.LOOKING: 0.1,
    ProbePhase.IDLING: 0.3,
    ProbePhase.LOOKING_AGAIN: 0.1,
}
"""Of the time, on a usual drive."""


@dataclass(frozen=True, slots=True)
class ProbeProgress:
    """Where a running probe stands; `share` is the part of the work that is done."""

    phase: ProbePhase
    share: float
    seconds_left: float


class OverError(Exception):
    """Time is over, or the person has had enough."""


class DisplacedProbe:
    """One run; what it timed stays in `timings`, however it ends."""

    def __init__(
        self,
        subject: Subject,
        pairs: Pairs,
        stream: tuple[int, int],
        random: Random,
        on_progress: Callable[[ProbeProgress], None] = lambda _: None,
    ) -> None:
        self.timings = Timings()
        self.statistics: Statistics | None = None
        self.statistics_after_idle: Statistics | None = None
        self.written_bytes = 0
        self._subject, self._pairs, self._stream, self._random = subject, pairs, stream, random
        self._on_progress = on_progress

    def run(self) -> Judgement:
        """All steps; those after the first look only where it showed something."""
        try:
            return self._judged()
        except OverError:
            return untold(Basis.TOO_SLOW)

    def _judged(self) -> Judgement:
        reads = self._read_first()
        self.timings = replace(self.timings, first_reads=tuple(reads))
        if early := after_reading(reads):
            return early
        if early := self._write_back(usual_read_ns(reads)):
            return early
        self._say(ProbePhase.STREAMING, 0.0)
        self._subject.stream(*self._stream)
        singles = list(self._pairs.singles)
        self._random.shuffle(singles)
        look, whole = self._look(
            ProbePhase.LOOKING, singles[: SINGLES // 2], self._pairs.groups[: GROUPS // 2]
        )
        self.timings = replace(self.timings, look=look)
        if not whole:
            raise OverError
        seen = see(look)
        self.statistics = seen.statistics
        if judged := after_looking(self.timings, seen):
            return judged
        self._leave_alone()
        again, whole = self._look(
            ProbePhase.LOOKING_AGAIN, singles[SINGLES // 2 :], self._pairs.groups[GROUPS // 2 :]
        )
        self.timings = replace(self.timings, look_after_idle=again)
        seen_again = see(again, again=True, memory=seen.statistics.from_memory)
        self.statistics_after_idle = seen_again.statistics
        return after_idling(self.timings, seen, seen_again, whole=whole)

    def _read_first(self) -> list[int]:
        """Every block that will be written; the times of the single ones, which lie all over."""
        times = []
        for done, pair in enumerate(self._pairs.all):
            self._check(ProbePhase.READING, done / WRITES)
            took = self._subject.read(pair.written)
            if done < SINGLES:
                times.append(took)
        return times

    def _write_back(self, read_ns: float) -> Judgement | None:
        """The same bytes, single ones and whole groups mixed."""
        units: list[tuple[BlockPair, ...]] = [(pair,) for pair in self._pairs.singles]
        units += self._pairs.groups
        self._random.shuffle(units)
        times: list[int] = []
        try:
            for pair in (pair for unit in units for pair in unit):
                self._check(ProbePhase.WRITING, len(times) / WRITES)
                times.append(self._subject.write(pair.written))
                self.written_bytes += self._pairs.block_bytes
                if early := after_writing(times, read_ns):
                    return early
        finally:
            self.timings = replace(self.timings, writes=tuple(times))
        return None

    def _look(
        self, phase: ProbePhase, singles: Sequence[BlockPair], groups: Sequence[Sequence[BlockPair]]
    ) -> tuple[ProbeComparison, bool]:
        """Written against unwritten blocks; and whether time was enough for all."""
        batches = [singles[first : first + BATCH] for first in range(0, len(singles) - BATCH + 1, BATCH)]
        count = len(batches) + len(groups)
        done = 0

        def compared(
            some: Sequence[Sequence[BlockPair]],
        ) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
            nonlocal done
            for batch in some:
                if self._subject.is_over():
                    return
                self._say(phase, done / count)
                yield self._compare(batch)
                done += 1

        at_random, in_order = list(compared(batches)), list(compared(groups))
        look = ProbeComparison(
            tuple(written for written, _ in at_random),
            tuple(unwritten for _, unwritten in at_random),
            tuple(written for written, _ in in_order),
            tuple(unwritten for _, unwritten in in_order),
        )
        return look, done == count

    def _compare(self, batch: Sequence[BlockPair]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """A batch of written and of unwritten blocks, which first by a coin."""
        sides = [[pair.written for pair in batch], [pair.unwritten for pair in batch]]
        written_first = self._random.random() < 0.5
        times = []
        for starts in sides if written_first else reversed(sides):
            self._subject.read(starts[0])
            times.append(tuple(self._subject.read(start) for start in starts[1:]))
        return (times[0], times[1]) if written_first else (times[1], times[0])

    def _leave_alone(self) -> None:
        left = IDLE_SECONDS
        while left > 0:
            self._check(ProbePhase.IDLING, 1 - left / IDLE_SECONDS)
            self._subject.idle(min(IDLE_PIECE_SECONDS, left))
            left -= IDLE_PIECE_SECONDS

    def _check(self, phase: ProbePhase, share: float) -> None:
        if self._subject.is_over():
            raise OverError
        self._say(phase, share)

    def _say(self, phase: ProbePhase, share: float) -> None:
        phases = list(ProbePhase)
        before = sum(SHARES[other] for other in phases[: phases.index(phase)])
        self._on_progress(ProbeProgress(phase, before + SHARES[phase] * share, self._subject.seconds_left))
