"""Order, progress and verdict of a filesystem comparison, as data."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from math import exp, lgamma, log, sqrt
from statistics import fmean, median
from typing import TypeVar

from wizard.benchmark.loads.load import Unit
from wizard.model.machine import Drive, Extent
from wizard.model.operations import MakeFilesystem
from wizard.model.said import MIB


@dataclass(frozen=True, slots=True)
class Candidate:
    """A filesystem as the plan would make and mount it. `id` is mostly the filesystem's name; no two
    candidates have the same. `make` names the planned node; the trial has one of its own. Its partition
    starts `shift_bytes` into the trial's extent."""

    id: str
    make: MakeFilesystem
    mount_options: tuple[str, ...]
    shift_bytes: int = 0

    @property
    def filesystem(self) -> str:
        """libblkid's name."""
        return self.make.filesystem


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a trial may use at most. No run is begun that would go beyond."""

    seconds: float
    written_bytes: int
    rounds: int


@dataclass(frozen=True, slots=True)
class Order:
    """A trial as it is asked for. The first candidate is the planned one, with which the others are compared.
    `extent` is where the plan puts the volume. `advised` tells whether the planned one is recommended.

    The loads are drawn from `seed`; their `scale` is worked out where none is given.
    """

    drive: Drive
    workload: str
    extent: Extent
    candidates: tuple[Candidate, ...]
    loads: tuple[str, ...]
    bounds: Bounds
    aged: bool = False
    advised: bool = True
    seed: int = 1
    scale: float | None = None

    def extent_of(self, candidate: Candidate) -> Extent:
        """Where a candidate's partition lies. All are as large: by the most that one starts later."""
        cut = max(one.shift_bytes for one in self.candidates)
        size_bytes = (self.extent.size_bytes - cut) // MIB * MIB if cut else self.extent.size_bytes
        return Extent(self.extent.start_bytes + candidate.shift_bytes, size_bytes)

    @property
    def extents(self) -> tuple[Extent, ...]:
        """Each place where a candidate lies, once."""
        return tuple(dict.fromkeys(map(self.extent_of, self.candidates)))


@dataclass(frozen=True, slots=True)
class Counts:
    """What the kernel counted on the drive: requests, bytes, and flushes; None where it counts none."""

    reads: int
    read_bytes: int
    writes: int
    written_bytes: int
    flushes: int | None


@dataclass(frozen=True, slots=True)
class PhaseRun:
    """A phase, done once. `seconds` include the unmount that ended it."""

    load: str
    phase: str
    unit: Unit
    amount: int
    seconds: float
    counts: Counts | None


@dataclass(frozen=True, slots=True)
class Run:
    """One candidate, made and put to work once. `make_seconds` is not part of what is compared."""

    candidate: str
    make_seconds: float
    phases: tuple[PhaseRun, ...]

    @property
    def seconds(self) -> float:
        """What all its phases took."""
        return sum(phase.seconds for phase in self.phases)


@dataclass(frozen=True, slots=True)
class Round:
    """One run of each candidate, in the order in which they ran. The pressures are percentages of time in
    which other programs waited for a processor, or for a drive while the trial was idle; None where the
    kernel does not tell."""

    runs: tuple[Run, ...]
    cpu_pressure: float | None
    io_pressure: float | None

    def run_of(self, candidate: str) -> Run:
        """The run of a candidate, by its name."""
        return next(run for run in self.runs if run.candidate == candidate)


class TrialFinding(StrEnum):
    """What may be said of the planned filesystem and another one."""

    FASTER = "planned-faster"
    SLOWER = "other-faster"
    SAME = "no-measurable-difference"
    OPEN = "undecided"


@dataclass(frozen=True, slots=True)
class TimeRatio:
    """Time of the other one over time of the planned one: above 1, the planned one is faster. `low` and
    `high` bound it, at 95 % over all looks."""

    estimate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class PhaseRatio:
    """How a single phase compares, as a mean over the rounds; nothing is claimed of it."""

    load: str
    phase: str
    estimate: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """The planned filesystem against another candidate. `won` counts the rounds in which the planned one was
    faster."""

    candidate: str
    finding: TrialFinding
    ratio: TimeRatio | None
    won: int
    rounds: int
    phases: tuple[PhaseRatio, ...] = ()


@dataclass(frozen=True, slots=True)
class Speed:
    """Units a second of one phase on one candidate: the median round, the slowest and the fastest."""

    candidate: str
    load: str
    phase: str
    unit: Unit
    median: float
    low: float
    high: float


class EndReason(StrEnum):
    """Why no further round was begun."""

    DECIDED = "decided"
    ROUNDS = "rounds"
    TIME = "time"
    BYTES = "bytes"
    PERSON = "person"


class NotDone(StrEnum):
    """What the trial would have done, and could not do here."""

    MEMORY = "memory-not-limited"
    PRESSURE = "pressure-not-told"
    DRIVE_MEMORY = "drive-memory-not-emptied"
    FLUSHES = "flushes-not-counted"


@dataclass(frozen=True, slots=True)
class TrialVerdict:
    """All of a trial. `scale` is how large the loads were, `memory_bytes` what their files could be cached
    in."""

    drive: str
    serial: str | None
    workload: str
    planned: str
    extent: Extent
    loads: tuple[str, ...]
    aged: bool
    advised: bool
    ended: EndReason
    busy: bool
    scale: float
    seconds: float
    written_bytes: int
    memory_bytes: int | None
    kernel: str
    comparisons: tuple[Comparison, ...]
    speeds: tuple[Speed, ...]
    not_done: tuple[NotDone, ...]
    candidates: tuple[Candidate, ...]
    rounds: tuple[Round, ...]

    @property
    def better(self) -> str:
        """The candidate that was faster here than the planned one, by the most; empty for none. No plan
        takes one that is misaligned."""
        shifted = {one.id for one in self.candidates if one.shift_bytes}
        faster = [
            (one.ratio.estimate, one.candidate)
            for one in self.comparisons
            if one.finding is TrialFinding.SLOWER and one.ratio and one.candidate not in shifted
        ]
        return min(faster)[1] if faster else ""


@dataclass(frozen=True, slots=True)
class TrialProgress:
    """How far a trial is. `doing` is a candidate's name, or empty; `number` the round, 0 before the first."""

    number: int
    doing: str
    phase: str
    seconds_left: float
    written_bytes: int
    comparisons: tuple[Comparison, ...] = ()


FEWEST, MOST = 6, 24
"""Rounds. With four of them one in twenty trials of a filesystem against itself claimed a difference."""

LEVEL = 0.010
CLAIM, SAME = 1.05, 1.10
"""A claim needs the whole interval beyond the first. All within the second is no difference that matters."""

ONE_AGAINST = 7
"""Of so many rounds one may speak against a claim."""

BUSY_PERCENT = 20.0

T = TypeVar("T")


def in_order(candidates: Sequence[T], number: int) -> tuple[T, ...]:
    """The candidates of a round, counted from 0, in the order in which they run: AB, BA, AB ... Three or more
    also take turns at beginning."""
    turned = number // 2 % len(candidates) if len(candidates) > 2 else 0
    order = (*candidates[turned:], *candidates[:turned])
    return order[::-1] if number % 2 else order


def interval(logs: Sequence[float], others: int = 1) -> TimeRatio:
    """The mean of at least two figures, with the interval of a look, for one of so many others."""
    mean, count = fmean(logs), len(logs)
    spread = sqrt(sum((one - mean) ** 2 for one in logs) / (count - 1))
    half = t_quantile(LEVEL / others, count - 1) * spread / sqrt(count)
    return TimeRatio(exp(mean), exp(mean - half), exp(mean + half))


def judge(logs: Sequence[float], others: int = 1) -> TrialFinding:
    """What may be said after these rounds."""
    count = len(logs)
    if count < FEWEST:
        return TrialFinding.OPEN
    ratio, needed = interval(logs, others), count - count // ONE_AGAINST
    if ratio.low > CLAIM and sum(one > 0 for one in logs) >= needed:
        return TrialFinding.FASTER
    if ratio.high < 1 / CLAIM and sum(one < 0 for one in logs) >= needed:
        return TrialFinding.SLOWER
    return TrialFinding.SAME if ratio.low > 1 / SAME and ratio.high < SAME else TrialFinding.OPEN


def comparisons(rounds: Sequence[Round], planned: str, others: Sequence[str]) -> tuple[Comparison, ...]:
    """The planned filesystem against each of the others."""
    return tuple(_compared(rounds, planned, other, len(others)) for other in others)


def _compared(rounds: Sequence[Round], planned: str, other: str, others: int) -> Comparison:
    pairs = [(one.run_of(planned), one.run_of(other)) for one in rounds]
    logs = [_log_ratio(second.seconds, first.seconds) for first, second in pairs]
    return Comparison(
        other,
        judge(logs, others),
        interval(logs, others) if len(logs) > 2 else None,
        sum(one > 0 for one in logs),
        len(logs),
        _phase_ratios(pairs),
    )


def _phase_ratios(pairs: Sequence[tuple[Run, Run]]) -> tuple[PhaseRatio, ...]:
    if not pairs:
        return ()
    found = []
    for at, phase in enumerate(pairs[0][0].phases):
        logs = [_log_ratio(two.phases[at].seconds, one.phases[at].seconds) for one, two in pairs]
        found.append(PhaseRatio(phase.load, phase.phase, exp(fmean(logs))))
    return tuple(found)


def _log_ratio(above: float, below: float) -> float:
    return log(max(above, 1e-9) / max(below, 1e-9))


def speeds(rounds: Sequence[Round], filesystems: Sequence[str]) -> tuple[Speed, ...]:
    """Each phase on each candidate, in units a second."""
    found = []
    for name in filesystems:
        runs = [one.run_of(name) for one in rounds]
        for at, phase in enumerate(runs[0].phases if runs else ()):
            rates = [_rate(run.phases[at]) for run in runs]
            found.append(
                Speed(name, phase.load, phase.phase, phase.unit, median(rates), min(rates), max(rates))
            )
    return tuple(found)


def _rate(phase: PhaseRun) -> float:
    return phase.amount / max(phase.seconds, 1e-9)


def is_busy(rounds: Sequence[Round]) -> bool:
    """Whether other programs had so much to do that it shows in what was measured."""
    for told in ([one.cpu_pressure for one in rounds], [one.io_pressure for one in rounds]):
        known = [one for one in told if one is not None]
        if known and median(known) > BUSY_PERCENT:
            return True
    return False


@cache
def t_quantile(two_sided: float, freedom: int) -> float:
    """The value that Student's t exceeds, on either side, with this probability."""
    low, high = 0.0, 2.0
    while t_tails(high, freedom) > two_sided:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        if t_tails(middle, freedom) > two_sided:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def t_tails(value: float, freedom: int) -> float:
    """How probable it is that Student's t lies beyond `value`, on either side."""
    return _beta_share(freedom / (freedom + value * value), freedom / 2, 0.5)


def _beta_share(at: float, first: float, second: float) -> float:
    """The regularised incomplete beta function, by its continued fraction (Lentz's method)."""
    if at <= 0 or at >= 1:
        return float(at >= 1)
    if at > (first + 1) / (first + second + 2):
        return 1 - _beta_share(1 - at, second, first)
    front = exp(
        lgamma(first + second) - lgamma(first) - lgamma(second) + first * log(at) + second * log(1 - at)
    )
    upper, lower = 1.0, _apart(1 - (first + second) * at / (first + 1))
    lower = 1 / lower
    fraction = lower
    for step in range(1, 300):
        double = 2 * step
        for term in (
            step * (second - step) * at / ((first + double - 1) * (first + double)),
            -(first + step) * (first + second + step) * at / ((first + double) * (first + double + 1)),
        ):
            lower = 1 / _apart(1 + term * lower)
            upper = _apart(1 + term / upper)
            fraction *= lower * upper
        if abs(lower * upper - 1) < 1e-14:
            break
    return front * fraction / first


def _apart(value: float) -> float:
    """Never nothing, by which is divided."""
    return value if abs(value) > 1e-300 else 1e-300
