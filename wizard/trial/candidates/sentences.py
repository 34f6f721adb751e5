"""A trial of filesystems in words. The verdict itself is codes and values."""

from collections.abc import Iterator

from wizard.filesystems.registry import KINDS
from wizard.model.said import Said, Sentence
from wizard.trial.candidates.compare import FEWEST
from wizard.trial.candidates.result import (
    Comparison,
    Ended,
    Finding,
    NotDone,
    Order,
    Ratio,
    Speed,
    TrialVerdict,
)
from wizard.trial.loads.load import Unit
from wizard.trial.words import candidates as words

ENDS = {
    Ended.TIME: words.ENDED_TIME,
    Ended.BYTES: words.ENDED_BYTES,
    Ended.PERSON: words.ENDED_PERSON,
}
LIMITS = {
    NotDone.MEMORY: words.NO_MEMORY,
    NotDone.PRESSURE: words.NO_PRESSURE,
    NotDone.DRIVE_MEMORY: words.NO_DRIVE_MEMORY,
    NotDone.FLUSHES: words.NO_FLUSHES,
}
RATES = {
    Unit.BYTES: words.RATE_BYTES,
    Unit.FILES: words.RATE_FILES,
    Unit.OPERATIONS: words.RATE_OPERATIONS,
}
DOING = {"mkfs": words.MAKING, "age": words.AGEING}
"""What is done beside the phases of a load."""


def announcement(order: Order) -> tuple[Said, ...]:
    """What it will do at most, and what is lost by it."""
    names = tuple(title_of(order, one.id) for one in order.candidates)
    bounds = order.bounds
    path = order.drive.path
    return (
        words.MOST(names=names, drive=path, seconds=bounds.seconds, written=bounds.written_bytes),
        words.LOST(drive=path),
        words.KEPT(),
    )


def title_of(trial: Order | TrialVerdict, name: str) -> Said | str:
    """A candidate as it is called."""
    candidate = next(one for one in trial.candidates if one.id == name)
    title = KINDS[candidate.filesystem].title
    if candidate.shift_bytes:
        return words.MISALIGNED(filesystem=title)
    return title if name == candidate.filesystem else words.AGAIN(filesystem=title)


def sentences(verdict: TrialVerdict) -> tuple[Said, ...]:
    """What is to be said of each other candidate; it never claims more than was measured."""
    return tuple(_sentence(verdict, one) for one in verdict.comparisons)


def _sentence(verdict: TrialVerdict, one: Comparison) -> Said:
    purpose: Said | str = verdict.workload.replace("-", " ")
    purpose = words.AGED(purpose=purpose) if verdict.aged else purpose
    planned, other = title_of(verdict, verdict.planned), title_of(verdict, one.candidate)
    ratio = one.ratio
    if ratio is None or one.rounds < FEWEST:
        few = words.TOO_FEW_BUSY if verdict.busy else words.TOO_FEW
        return few(purpose=purpose, planned=planned, other=other, rounds=one.rounds, fewest=FEWEST)
    turned = one.finding is Finding.SLOWER
    shown = Ratio(1 / ratio.estimate, 1 / ratio.high, 1 / ratio.low) if turned else ratio
    won = one.rounds - one.won if turned else one.won
    factor, low, high = (_number(value) for value in (shown.estimate, shown.low, shown.high))
    if one.finding in (Finding.FASTER, Finding.SLOWER):
        said = _claim(verdict, one.candidate, turned)
        return said(
            purpose=purpose,
            planned=planned,
            other=other,
            factor=factor,
            low=low,
            high=high,
            won=won,
            rounds=one.rounds,
        )
    still = words.BUSY_OPEN if verdict.busy else words.OPEN
    said = words.SAME if one.finding is Finding.SAME else still
    return said(purpose=purpose, planned=planned, other=other, low=low, high=high, rounds=one.rounds)


def _claim(verdict: TrialVerdict, other: str, turned: bool) -> Sentence:
    """What a difference means: for the plan, or for where a partition starts."""
    if next(one for one in verdict.candidates if one.id == other).shift_bytes:
        return words.MISALIGNED_FASTER if turned else words.ALIGNED_FASTER
    if turned:
        return words.SLOWER
    return words.FASTER if verdict.advised else words.FASTER_PLANNED


def _number(factor: float) -> str:
    return f"{factor:.2f}" if factor < 100 else f"{factor:.0f}"


def caveats(verdict: TrialVerdict) -> Iterator[Said]:
    """What a person must know to read it rightly."""
    if verdict.drive.startswith("/dev/loop"):
        yield words.LOOP()
    if verdict.busy:
        yield words.BUSY()
    if verdict.ended in ENDS and any(one.finding is Finding.OPEN for one in verdict.comparisons):
        yield ENDS[verdict.ended]()
    for limit in verdict.not_done:
        yield LIMITS[limit]()


def rate(unit: Unit, a_second: float) -> Said:
    """A speed."""
    value = a_second / 1e6 if unit is Unit.BYTES else a_second
    return RATES[unit](rate=f"{value:.0f}" if value >= 10 else f"{value:.1f}")


def phase_speeds(verdict: TrialVerdict) -> Iterator[tuple[str, str, tuple[Speed, ...]]]:
    """Each load's phases, with the speed of every candidate in the order of the plan."""
    phases = dict.fromkeys((speed.load, speed.phase) for speed in verdict.speeds)
    for load, phase in phases:
        yield (
            load,
            phase,
            tuple(one for one in verdict.speeds if (one.load, one.phase) == (load, phase)),
        )


def doing(phase: str) -> Said | str:
    """What is being done, by a phase's code."""
    return DOING[phase]() if phase in DOING else phase
