"""Simulated drives for the write probe of shingled recording, and the probe's results on each."""

from collections.abc import Callable, Sequence
from random import Random

from tests.unit.machines import drive
from wizard.benchmark.access import Clock, MeasureProgress, TimedDrive
from wizard.benchmark.smr_cliff import PIECE_BYTES, WriteProbe, judge_cliff, lay_ground
from wizard.model.machine import Drive, Extent
from wizard.model.said import GIB, MIB
from wizard.model.verdict import Cliff, CliffDoubt

MILLISECOND = 1_000_000
Judged = tuple[CliffDoubt | None, Cliff | None]
CACHE_BYTES = 256 * MIB


class Simulated(TimedDrive):
    """A drive in memory. A sequential MiB takes 8 ms; the time of a random write depends on the kind."""

    def __init__(self, seed: int = 1) -> None:
        self.saw_data = True
        self.random = Random(seed)
        self.written_bytes = 0
        self.pieces: list[tuple[int, int]] = []
        self.holding: tuple[int, ...] = ()
        self.unflushed_ns = 0.0

    def hold(self, starts_bytes: Sequence[int]) -> None:
        self.holding = tuple(starts_bytes)

    def write(self, start_bytes: int, offset_bytes: int = 0, size_bytes: int | None = None) -> int:
        assert size_bytes is not None
        assert start_bytes in self.holding
        self.pieces.append((start_bytes + offset_bytes, size_bytes))
        milliseconds = self.in_order() if size_bytes > PIECE_BYTES else self.at_random()
        if size_bytes == PIECE_BYTES:
            self.written_bytes += size_bytes
        return int(milliseconds * MILLISECOND * self.random.lognormvariate(0, 0.3))

    def flush(self) -> int:
        took, self.unflushed_ns = self.unflushed_ns, 0.0
        return int(took)

    def in_order(self) -> float:
        return 8.0

    def at_random(self) -> float:
        raise NotImplementedError


class Shingled(Simulated):
    """2.5 ms per write until the cache is full, then the time to rewrite a band. `mercy` is the share of
    later writes that find space."""

    mercy = 0.0

    def at_random(self) -> float:
        full = self.written_bytes >= CACHE_BYTES and self.random.random() >= self.mercy
        return 300.0 if full else 2.5


class Merciful(Shingled):
    mercy = 0.3


class HardDisk(Simulated):
    def at_random(self) -> float:
        return 12.0


class Buffered(HardDisk):
    """A hard disk with a volatile cache of 64 MiB: writes return immediately and the flush takes the time."""

    def at_random(self) -> float:
        self.unflushed_ns += 12 * MILLISECOND
        return 0.5


class Controller(HardDisk):
    """A hard disk with a controller cache that flushes do not empty."""

    def at_random(self) -> float:
        return 0.3 if self.written_bytes < CACHE_BYTES else 12.0


class SolidState(Simulated):
    """Fast until the SLC cache is full, then slow at everything."""

    def slow(self) -> bool:
        return self.written_bytes > CACHE_BYTES

    def at_random(self) -> float:
        return 5.0 if self.slow() else 0.15

    def in_order(self) -> float:
        return 20.0 if self.slow() else 2.0


class Disturbed(HardDisk):
    """A hard disk used by others until `until_bytes` are written."""

    until_bytes = CACHE_BYTES + 2 * MIB

    def busy(self) -> bool:
        return CACHE_BYTES <= self.written_bytes < self.until_bytes

    def at_random(self) -> float:
        return 200.0 if self.busy() else 12.0

    def in_order(self) -> float:
        return 100.0 if self.busy() else 8.0


class DisturbedToTheEnd(Disturbed):
    until_bytes = 1000 * GIB


class FullAlready(Simulated):
    def at_random(self) -> float:
        return 250.0


def probed(
    subject: Simulated, *, most_bytes: int = GIB, stop: Callable[[], bool] = lambda: False
) -> tuple[WriteProbe, list[MeasureProgress]]:
    ground = lay_ground([Extent(MIB, 8 * GIB)], 0, most_bytes // 16)
    assert ground is not None
    told: list[MeasureProgress] = []
    probe = WriteProbe(subject, ground, Clock(600.0, stop, told.append), most_bytes)
    probe.write_all(Random(3))
    return probe, told


def judged(
    subject: Simulated,
    kind: Drive = drive(),  # noqa: B008 - frozen
    *,
    most_bytes: int = GIB,
) -> Judged:
    return judge_cliff(probed(subject, most_bytes=most_bytes)[0].windows, kind)
