"""Run the quick SMR test on a population of one class of simulated drives. Results depend only on the
numbers."""

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random

from msgspec import Struct

from tests.simulator.populations.mechanics import BLOCK, Plain
from wizard.benchmark.access import Clock, TimedDrive
from wizard.benchmark.smr_probe import SECONDS, SmrProbe, draw_pairs, outcome_of, stream_start
from wizard.model.machine import Extent
from wizard.model.said import MIB
from wizard.model.verdict import Basis, Displaced


class Simulated(TimedDrive):
    """A drive in memory with the interface of the test."""

    def __init__(self, drive: Plain) -> None:
        self.drive, self.rested = drive, 0.0

    def keep(self, start_bytes: int) -> int:
        return self.read(start_bytes)

    def read(self, start_bytes: int) -> int:
        self._end_rest()
        return round(self.drive.read(start_bytes) * 1e9)

    def write(self, start_bytes: int, offset_bytes: int = 0, size_bytes: int | None = None) -> int:
        self._end_rest()
        return round(self.drive.write(start_bytes) * 1e9)

    def stream(self, start_bytes: int, size_bytes: int, stop: Callable[[], bool]) -> bool:
        self.drive.stream(start_bytes, size_bytes)
        return True

    def _end_rest(self) -> None:
        if self.rested:
            self.drive.idle(self.rested)
            self.rested = 0.0


class DriveTime(Clock):
    """The time of a simulated drive. Several short rests are one long rest to the drive."""

    def __init__(self, subject: Simulated, seconds: float = SECONDS) -> None:
        super().__init__(seconds, lambda: False)
        self._subject = subject

    def idle(self, seconds: float) -> None:
        self._subject.rested += seconds

    def is_over(self) -> bool:
        return self.left <= 0

    @property
    def left(self) -> float:
        return self.seconds - self.elapsed

    @property
    def elapsed(self) -> float:
        return self._subject.drive.now + self._subject.rested


class Result(Struct, frozen=True):
    """Result for one drive."""

    basis: Basis
    seconds: float
    written_bytes: int

    @property
    def is_claimed(self) -> bool:
        return outcome_of(self.basis) is Displaced.LIKELY


class Census(Struct, frozen=True):
    """Results for one class."""

    kind: type[Plain]
    results: tuple[Result, ...]

    @property
    def claimed(self) -> int:
        return sum(result.is_claimed for result in self.results)

    @property
    def share(self) -> float:
        return self.claimed / len(self.results)

    @property
    def grounds(self) -> Counter[Basis]:
        return Counter(result.basis for result in self.results)


def probed(drive: Plain, seed: int, free: Sequence[Extent] = ()) -> tuple[SmrProbe, Result]:
    """Run the test and return the result. By default, the whole drive is free."""
    random = Random(seed)
    extents = free or (Extent(MIB, drive.size_bytes - 2 * MIB),)
    pairs = draw_pairs(extents, BLOCK, 0, random)
    subject = Simulated(drive)
    clock = DriveTime(subject)
    probe = SmrProbe(subject, clock, pairs, stream_start(drive.size_bytes, pairs, random), random)
    basis = probe.run()
    return probe, Result(basis, clock.elapsed, len(probe.timings.writes) * BLOCK)


def count(kind: type[Plain], drives: int, first: int = 0) -> Census:
    """Test this number of drives of a class, starting at this seed."""
    seeds = range(first, first + drives)
    return Census(kind, tuple(probed(kind(seed), seed)[1] for seed in seeds))
