"""Order, progress and verdict of a filesystem comparison, as data and in words."""

from bisect import bisect
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import cache
from math import atan, ceil, cos, exp, log, pi, sin, sqrt
from statistics import fmean, median, stdev
from typing import TypeVar

from msgspec import Struct

from wizard.benchmark.access import ENDED, LOOP
from wizard.benchmark.loads.script import Unit
from wizard.filesystems.registry import KINDS
from wizard.model.finding import FindingCommand
from wizard.model.machine import Drive, Extent
from wizard.model.said import GIB, MIB, Message, Sentence, join, t
from wizard.operations.filesystem import MakeFilesystem


class Candidate(Struct, frozen=True):
    """A filesystem as planned. The partition starts `shift_bytes` into the extent. The trial replaces the
    node in `make`."""

    id: str
    make: MakeFilesystem
    mount_options: tuple[str, ...]
    shift_bytes: int = 0

    @property
    def filesystem(self) -> str:
        """libblkid's name."""
        return self.make.filesystem

    @property
    def title(self) -> Message | str:
        """Display name, distinct within a trial."""
        title = KINDS[self.filesystem].title
        if self.shift_bytes:
            return t("misaligned {filesystem}", filesystem=title)
        return title if self.id == self.filesystem else t("{filesystem} again", filesystem=title)


class Bounds(Struct, frozen=True):
    """Limits. No run starts that would exceed them."""

    seconds: float
    written_bytes: int
    rounds: int


class Order(Struct, frozen=True):
    """The first candidate is the planned one, and `extent` the planned volume. `advised`: that filesystem is
    recommended. If `scale` is None, the trial calculates it."""

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
        """All have equal sizes."""
        cut = max(one.shift_bytes for one in self.candidates)
        size_bytes = (self.extent.size_bytes - cut) // MIB * MIB if cut else self.extent.size_bytes
        return Extent(self.extent.start_bytes + candidate.shift_bytes, size_bytes)

    @property
    def extents(self) -> tuple[Extent, ...]:
        """Distinct extents of the candidates."""
        return tuple(dict.fromkeys(map(self.extent_of, self.candidates)))


class Counts(Struct, frozen=True):
    """The kernel's counters. Flushes may not be counted."""

    reads: int
    read_bytes: int
    writes: int
    written_bytes: int
    flushes: int | None


class PhaseRun(Struct, frozen=True):
    """A phase. `seconds` includes the final unmount."""

    load: str
    phase: str
    unit: Unit
    amount: int
    seconds: float
    counts: Counts | None


class Run(Struct, frozen=True):
    """A run of a candidate. `make_seconds` is not compared."""

    candidate: str
    make_seconds: float
    phases: tuple[PhaseRun, ...]

    @property
    def seconds(self) -> float:
        """Time of all phases."""
        return sum(phase.seconds for phase in self.phases)


class Round(Struct, frozen=True):
    """One run of each candidate, in order of execution. Pressures: percentages of time in which other
    programs waited for a processor or drive, if reported."""

    runs: tuple[Run, ...]
    cpu_pressure: float | None
    io_pressure: float | None

    def run_of(self, candidate: str) -> Run:
        """Return a candidate's run."""
        return next(run for run in self.runs if run.candidate == candidate)


class TrialFinding(StrEnum):
    """Of the planned filesystem against another."""

    FASTER = "planned-faster"
    SLOWER = "other-faster"
    SAME = "no-measurable-difference"
    OPEN = "undecided"


class TimeRatio(Struct, frozen=True):
    """Time of the other filesystem over the planned one, with 95 % bounds over all looks."""

    estimate: float
    low: float
    high: float


class PhaseRatio(Struct, frozen=True):
    """Mean ratio of a phase. Not conclusive."""

    load: str
    phase: str
    estimate: float


class Comparison(Struct, frozen=True):
    """The planned filesystem against another. `won`: rounds it won."""

    candidate: str
    finding: TrialFinding
    ratio: TimeRatio | None
    won: int
    rounds: int
    phases: tuple[PhaseRatio, ...] = ()


class Speed(Struct, frozen=True):
    """Units per second: median, slowest and fastest round."""

    candidate: str
    load: str
    phase: str
    unit: Unit
    median: float
    low: float
    high: float


class EndReason(StrEnum):
    """Why no further round started."""

    DECIDED = "decided"
    ROUNDS = "rounds"
    TIME = "time"
    BYTES = "bytes"
    PERSON = "person"


class NotDone(StrEnum):
    """Steps of the trial that were impossible here."""

    MEMORY = "memory-not-limited"
    PRESSURE = "pressure-not-told"
    DRIVE_MEMORY = "drive-memory-not-emptied"
    FLUSHES = "flushes-not-counted"


class TrialVerdict(Struct, frozen=True):
    """Result of a trial. `scale`: size of the loads."""

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

    def candidate(self, name: str) -> Candidate:
        """Return a candidate by id."""
        return next(one for one in self.candidates if one.id == name)

    @property
    def better(self) -> Candidate | None:
        """The fastest candidate that beats the planned one. Never a misaligned one."""
        faster = [
            (one.ratio.estimate, one.candidate)
            for one in self.comparisons
            if one.finding is TrialFinding.SLOWER
            and one.ratio
            and not self.candidate(one.candidate).shift_bytes
        ]
        return self.candidate(min(faster)[1]) if faster else None


FEWEST, MOST = 6, 24
"""Rounds. With four, one in 20 trials of a filesystem against itself claimed a difference."""

LEVEL = 0.010
CLAIM, SAME = 1.05, 1.10
"""A claim requires the whole interval beyond CLAIM, no difference inside SAME."""

ONE_AGAINST = 7
"""One in this many rounds may contradict a claim."""

BUSY_PERCENT = 20.0

T = TypeVar("T")


def in_order(candidates: Sequence[T], number: int) -> tuple[T, ...]:
    """Return the order of a round: AB, BA, AB ... Three or more also rotate."""
    turned = number // 2 % len(candidates) if len(candidates) > 2 else 0
    order = (*candidates[turned:], *candidates[:turned])
    return order[::-1] if number % 2 else order


def interval(logs: Sequence[float], others: int = 1) -> TimeRatio:
    """Return the geometric mean with the interval of a look, corrected for `others`. Needs two ratios."""
    mean, count = fmean(logs), len(logs)
    half = t_quantile(LEVEL / others, count - 1) * stdev(logs) / sqrt(count)
    return TimeRatio(exp(mean), exp(mean - half), exp(mean + half))


def judge(logs: Sequence[float], others: int = 1) -> TrialFinding:
    """Return the finding after these rounds."""
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
    """Compare the planned filesystem with the others."""
    count, found = len(others), []
    for other in others:
        pairs = [(one.run_of(planned), one.run_of(other)) for one in rounds]
        logs = [_log_ratio(pair) for pair in pairs]
        phases = tuple(
            PhaseRatio(both[0][0].load, both[0][0].phase, exp(fmean(map(_log_ratio, both))))
            for both in zip(*(zip(one.phases, two.phases, strict=True) for one, two in pairs), strict=True)
        )
        ratio = interval(logs, count) if len(logs) > 2 else None
        won = sum(one > 0 for one in logs)
        found.append(Comparison(other, judge(logs, count), ratio, won, len(logs), phases))
    return tuple(found)


def _log_ratio(pair: tuple[Run | PhaseRun, Run | PhaseRun]) -> float:
    return log(max(pair[1].seconds, 1e-9) / max(pair[0].seconds, 1e-9))


def speeds(rounds: Sequence[Round], filesystems: Sequence[str]) -> tuple[Speed, ...]:
    """Return the speed of each phase on each candidate."""
    found = []
    for name in filesystems:
        runs = [one.run_of(name) for one in rounds]
        for at, phase in enumerate(runs[0].phases if runs else ()):
            done = [run.phases[at] for run in runs]
            rates = [one.amount / max(one.seconds, 1e-9) for one in done]
            found.append(
                Speed(name, phase.load, phase.phase, phase.unit, median(rates), min(rates), max(rates))
            )
    return tuple(found)


def is_busy(rounds: Sequence[Round]) -> bool:
    """True if other programs could affect the result."""
    for pressures in ([one.cpu_pressure for one in rounds], [one.io_pressure for one in rounds]):
        known = [one for one in pressures if one is not None]
        if known and median(known) > BUSY_PERCENT:
            return True
    return False


@cache
def t_quantile(two_sided: float, freedom: int) -> float:
    """Return the value that Student's t exceeds in absolute value."""
    finest = 1 << 40
    steps = bisect(range(finest << 10), -two_sided, key=lambda step: -t_tails(step / finest, freedom))
    return steps / finest


def t_tails(value: float, freedom: int) -> float:
    """Return the probability beyond -t and t (Abramowitz and Stegun, 26.7.3 and 26.7.4)."""
    angle, odd = atan(value / sqrt(freedom)), freedom % 2
    term = total = cos(angle) if odd else 1.0
    for power in range(2 + odd, freedom - 1, 2):
        term *= (power - 1) / power * cos(angle) ** 2
        total += term
    if odd:
        return 1 - 2 / pi * (angle + (sin(angle) * total if freedom > 1 else 0))
    return 1 - sin(angle) * total


ENDS = {
    EndReason.TIME: t("The time limit was reached."),
    EndReason.BYTES: t("Another round would have exceeded the write limit."),
    EndReason.PERSON: ENDED,
}
LONGER = 4
"""Factor that halves the interval."""

LIMITS = {
    NotDone.MEMORY: t("Cannot limit memory here. Large files may not have reached the drive."),
    NotDone.PRESSURE: t("The kernel does not report the machine's load, so load was not checked."),
    NotDone.DRIVE_MEMORY: t(
        "The drive's own cache was not cleared before reading, because the drive is too small."
    ),
    NotDone.FLUSHES: t("The kernel does not count flushes of this drive."),
}
RATES = {
    Unit.BYTES: Sentence("{rate} MB/s"),
    Unit.FILES: Sentence("{rate} files/s"),
    Unit.OPERATIONS: Sentence("{rate} operations/s"),
}
MKFS, AGE = t("creating the filesystem"), t("ageing")


def announcement(order: Order) -> tuple[Message, ...]:
    """Describe the limits, and the data the trial destroys."""
    bounds, path = order.bounds, order.drive.path
    return (
        t(
            "{names:and} are created in turn on {drive}. Takes up to {seconds:time} and "
            "writes up to {written:size}.",
            names=tuple(one.title for one in order.candidates),
            drive=path,
            seconds=bounds.seconds,
            written=bounds.written_bytes,
        ),
        t(
            "All data in the free space of {drive} is lost. Deleted files cannot be recovered afterwards.",
            drive=path,
        ),
        t("The partition table and partitions do not change."),
    )


def sentence_for(verdict: TrialVerdict, one: Comparison) -> Message:
    """Describe what was measured."""
    purpose: Message | str = verdict.workload.replace("-", " ")
    purpose = t("{purpose}, aged", purpose=purpose) if verdict.aged else purpose
    compared = verdict.candidate(one.candidate)
    planned, other = verdict.candidate(verdict.planned).title, compared.title
    ratio, swapped = one.ratio, one.finding is TrialFinding.SLOWER
    if ratio is None or one.rounds < FEWEST:
        return t(
            "{purpose}: {planned} or {other} undecided: {rounds} of at least {fewest} rounds completed.",
            purpose=purpose,
            planned=planned,
            other=other,
            rounds=one.rounds,
            fewest=FEWEST,
        )
    shown = TimeRatio(1 / ratio.estimate, 1 / ratio.high, 1 / ratio.low) if swapped else ratio
    factor, low, high = map(_number, (shown.estimate, shown.low, shown.high))
    if one.finding in (TrialFinding.FASTER, TrialFinding.SLOWER):
        faster, slower = (other, planned) if swapped else (planned, other)
        claim = t(
            "{purpose}: {faster} was {factor}x faster than {slower} ({low}-{high}), "
            "{won} of {rounds} rounds.",
            purpose=purpose,
            faster=faster,
            slower=slower,
            factor=factor,
            low=low,
            high=high,
            won=one.rounds - one.won if swapped else one.won,
            rounds=one.rounds,
        )
        if compared.shift_bytes and swapped:
            meaning = t("The cause must be something other than alignment.")
        elif compared.shift_bytes:
            meaning = t("Alignment matters here.")
        elif swapped:
            meaning = t("Use {other}?", other=faster)
        else:
            meaning = t("Plan confirmed.")
        return join(claim, meaning)
    sentence = (
        Sentence(
            "{purpose}: no measurable difference between {planned} and {other} "
            "({low}-{high}, {rounds} rounds)."
        )
        if one.finding is TrialFinding.SAME
        else Sentence("{purpose}: {planned} or {other} undecided after {rounds} rounds ({low}-{high}).")
    )
    return sentence(purpose=purpose, planned=planned, other=other, low=low, high=high, rounds=one.rounds)


def _number(factor: float) -> str:
    return f"{factor:.2f}" if factor < 100 else f"{factor:.0f}"


def caveats(verdict: TrialVerdict) -> Iterator[Message]:
    """Yield the caveats."""
    if verdict.drive.startswith("/dev/loop"):
        yield LOOP
    if verdict.busy:
        yield t(
            "The machine is busy. Other programs waited for a processor or drive. Try "
            "again when the machine is idle."
        )
    if any(one.finding is TrialFinding.OPEN for one in verdict.comparisons):
        if verdict.ended in ENDS:
            yield ENDS[verdict.ended]
        if len(verdict.rounds) >= MOST:
            yield t("The difference is small or varies. Choose either.")
        else:
            others = [one for one in verdict.candidates if one.id != verdict.planned]
            is_shifted = any(one.shift_bytes for one in others)
            names = (
                ("--misaligned",) if is_shifted else ("--with", ",".join(one.filesystem for one in others))
            )
            seconds, most = ceil(verdict.seconds) * LONGER, ceil(verdict.written_bytes / GIB) * LONGER
            limits = ("--seconds", str(seconds), "--most-bytes", f"{most}G")
            asked = ("--workload", verdict.workload, "--fs", verdict.planned, *names, *limits)
            words = ("diskwright", "trial", verdict.drive, *asked, *(("--aged",) if verdict.aged else ()))
            yield t("To decide, run a longer trial: `{command}`.", command=FindingCommand(words).text)
    yield from (LIMITS[limit] for limit in verdict.not_done)


def rate(unit: Unit, a_second: float) -> Message:
    """Format a speed."""
    value = a_second / 1e6 if unit is Unit.BYTES else a_second
    return RATES[unit](rate=f"{value:.0f}" if value >= 10 else f"{value:.1f}")


def phase_speeds(verdict: TrialVerdict) -> Iterator[tuple[str, str, tuple[Speed, ...]]]:
    """Yield each phase, with the speeds in planned order."""
    for load, phase in dict.fromkeys((speed.load, speed.phase) for speed in verdict.speeds):
        yield load, phase, tuple(one for one in verdict.speeds if (one.load, one.phase) == (load, phase))


INTERVALS = t(
    "In brackets: the range contains the true factor in 95 of 100 such trials. "
    "Single phases are not conclusive."
)
