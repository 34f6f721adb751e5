"""Describe the verdict of a filesystem comparison, which consists of codes and values."""

from collections.abc import Iterator
from math import ceil

from wizard.benchmark.candidates.compare import (
    FEWEST,
    MOST,
    Comparison,
    EndReason,
    NotDone,
    Order,
    Speed,
    TimeRatio,
    TrialFinding,
    TrialVerdict,
)
from wizard.benchmark.loads.script import Unit
from wizard.filesystems.registry import KINDS
from wizard.model.said import GIB, Message, Sentence, t

ENDS = {
    EndReason.TIME: Sentence("The time limit was reached."),
    EndReason.BYTES: Sentence("Another round would have exceeded the write limit."),
    EndReason.PERSON: Sentence("You stopped the trial early."),
}
LONGER = 4
"""Factor that halves the interval."""

LIMITS = {
    NotDone.MEMORY: Sentence("Cannot limit memory here. Large files may not have reached the drive."),
    NotDone.PRESSURE: Sentence("The kernel does not report the machine's load, so load was not checked."),
    NotDone.DRIVE_MEMORY: Sentence(
        "The drive's own cache was not cleared before reading, because the drive is too small."
    ),
    NotDone.FLUSHES: Sentence("The kernel does not count flushes of this drive."),
}
RATES = {
    Unit.BYTES: Sentence("{rate} MB/s"),
    Unit.FILES: Sentence("{rate} files/s"),
    Unit.OPERATIONS: Sentence("{rate} operations/s"),
}
DOING = {"mkfs": Sentence("creating the filesystem"), "age": Sentence("ageing")}
"""Activities besides the phases of a load."""


def announcement(order: Order) -> tuple[Message, ...]:
    """Describe the limits of the trial, and the data it destroys."""
    names = tuple(title_of(order, one.id) for one in order.candidates)
    bounds = order.bounds
    path = order.drive.path
    return (
        t(
            "{names:and} are created in turn on {drive}. Takes up to {seconds:time} and "
            "writes up to {written:size}.",
            names=names,
            drive=path,
            seconds=bounds.seconds,
            written=bounds.written_bytes,
        ),
        t("A clear result ends the trial earlier, with less written."),
        t(
            "All data in the free space of {drive} is lost. Deleted files cannot be recovered afterwards.",
            drive=path,
        ),
        t("The partition table and partitions do not change."),
    )


def title_of(trial: Order | TrialVerdict, name: str) -> Message | str:
    """Return a candidate's display name."""
    candidate = next(one for one in trial.candidates if one.id == name)
    title = KINDS[candidate.filesystem].title
    if candidate.shift_bytes:
        return t("misaligned {filesystem}", filesystem=title)
    return title if name == candidate.filesystem else t("{filesystem} again", filesystem=title)


def sentences(verdict: TrialVerdict) -> tuple[Message, ...]:
    """Describe the result for each other candidate, claiming no more than was measured."""
    return tuple(_sentence(verdict, one) for one in verdict.comparisons)


def _sentence(verdict: TrialVerdict, one: Comparison) -> Message:
    purpose: Message | str = verdict.workload.replace("-", " ")
    purpose = t("{purpose}, aged", purpose=purpose) if verdict.aged else purpose
    planned, other = title_of(verdict, verdict.planned), title_of(verdict, one.candidate)
    ratio = one.ratio
    if ratio is None or one.rounds < FEWEST:
        return t(
            "{purpose}: {planned} or {other} undecided: {rounds} of at least {fewest} rounds completed.",
            purpose=purpose,
            planned=planned,
            other=other,
            rounds=one.rounds,
            fewest=FEWEST,
        )
    swapped = one.finding is TrialFinding.SLOWER
    shown = TimeRatio(1 / ratio.estimate, 1 / ratio.high, 1 / ratio.low) if swapped else ratio
    won = one.rounds - one.won if swapped else one.won
    factor, low, high = (_number(value) for value in (shown.estimate, shown.low, shown.high))
    if one.finding in (TrialFinding.FASTER, TrialFinding.SLOWER):
        sentence = _claim(verdict, one.candidate, swapped)
        return sentence(
            purpose=purpose,
            planned=planned,
            other=other,
            factor=factor,
            low=low,
            high=high,
            won=won,
            rounds=one.rounds,
        )
    sentence = (
        Sentence(
            "{purpose}: no measurable difference between {planned} and {other} "
            "({low}-{high}, {rounds} rounds)."
        )
        if one.finding is TrialFinding.SAME
        else Sentence("{purpose}: {planned} or {other} undecided after {rounds} rounds ({low}-{high}).")
    )
    return sentence(purpose=purpose, planned=planned, other=other, low=low, high=high, rounds=one.rounds)


def _claim(verdict: TrialVerdict, other: str, swapped: bool) -> Sentence:
    """Return the sentence for a difference: about the plan, or about alignment."""
    if next(one for one in verdict.candidates if one.id == other).shift_bytes:
        return (
            Sentence(
                "{purpose}: {other} {factor}x faster than {planned} ({low}-{high}), {won} of "
                "{rounds} rounds. The cause must be something other than alignment."
            )
            if swapped
            else Sentence(
                "{purpose}: {planned} {factor}x faster than {other} ({low}-{high}), {won} of "
                "{rounds} rounds: alignment matters here."
            )
        )
    if swapped:
        return Sentence(
            "{purpose}: {other} was {factor}x faster here than {planned} ({low}-{high}), "
            "{won} of {rounds} rounds. Use {other}?"
        )
    return (
        Sentence(
            "{purpose}: {planned} {factor}x faster than {other} ({low}-{high}), {won} of "
            "{rounds} rounds; advice confirmed."
        )
        if verdict.advised
        else Sentence(
            "{purpose}: {planned} {factor}x faster than {other} ({low}-{high}), {won} of "
            "{rounds} rounds; plan confirmed."
        )
    )


def _number(factor: float) -> str:
    return f"{factor:.2f}" if factor < 100 else f"{factor:.0f}"


def caveats(verdict: TrialVerdict) -> Iterator[Message]:
    """Yield what a person must know to interpret the verdict."""
    if verdict.drive.startswith("/dev/loop"):
        yield t(
            "This is a loop device. The test measured the backing file and this machine's cache, not a drive."
        )
    if verdict.busy:
        yield t(
            "The machine is busy. Other programs waited for a processor or drive. Try "
            "again when the machine is idle."
        )
    if any(one.finding is TrialFinding.OPEN for one in verdict.comparisons):
        if verdict.ended in ENDS:
            yield ENDS[verdict.ended]()
        yield (
            t("The difference is small or varies. Choose either.")
            if len(verdict.rounds) >= MOST
            else t(
                "To decide, repeat the trial with `--seconds {seconds} --most-bytes {most}G`.",
                seconds=ceil(verdict.seconds) * LONGER,
                most=ceil(verdict.written_bytes / GIB) * LONGER,
            )
        )
    for limit in verdict.not_done:
        yield LIMITS[limit]()


def rate(unit: Unit, a_second: float) -> Message:
    """Format a speed."""
    value = a_second / 1e6 if unit is Unit.BYTES else a_second
    return RATES[unit](rate=f"{value:.0f}" if value >= 10 else f"{value:.1f}")


def phase_speeds(verdict: TrialVerdict) -> Iterator[tuple[str, str, tuple[Speed, ...]]]:
    """Yield each load's phases, with the speed of every candidate in planned order."""
    phases = dict.fromkeys((speed.load, speed.phase) for speed in verdict.speeds)
    for load, phase in phases:
        yield (
            load,
            phase,
            tuple(one for one in verdict.speeds if (one.load, one.phase) == (load, phase)),
        )


def doing(phase: str) -> Message | str:
    """Return the activity for a phase's code."""
    return DOING[phase]() if phase in DOING else phase


INTERVALS = t(
    "In brackets: the range contains the true factor in 95 of 100 such trials. "
    "Single phases are not conclusive."
)
