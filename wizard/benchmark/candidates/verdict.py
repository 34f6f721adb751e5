"""Describe the verdict of a filesystem comparison, which consists of codes and values."""

from collections.abc import Iterator
from math import ceil

from wizard.benchmark.access import ENDED, LOOP
from wizard.benchmark.candidates import compare
from wizard.benchmark.loads.script import Unit
from wizard.filesystems.registry import KINDS
from wizard.model.finding import FindingCommand
from wizard.model.said import GIB, Message, Sentence, join, t

ENDS = {
    compare.EndReason.TIME: t("The time limit was reached."),
    compare.EndReason.BYTES: t("Another round would have exceeded the write limit."),
    compare.EndReason.PERSON: ENDED,
}
LONGER = 4
"""Factor that halves the interval."""

LIMITS = {
    compare.NotDone.MEMORY: t("Cannot limit memory here. Large files may not have reached the drive."),
    compare.NotDone.PRESSURE: t("The kernel does not report the machine's load, so load was not checked."),
    compare.NotDone.DRIVE_MEMORY: t(
        "The drive's own cache was not cleared before reading, because the drive is too small."
    ),
    compare.NotDone.FLUSHES: t("The kernel does not count flushes of this drive."),
}
RATES = {
    Unit.BYTES: Sentence("{rate} MB/s"),
    Unit.FILES: Sentence("{rate} files/s"),
    Unit.OPERATIONS: Sentence("{rate} operations/s"),
}
MKFS, AGE = t("creating the filesystem"), t("ageing")


def announcement(order: compare.Order) -> tuple[Message, ...]:
    """Describe the limits and the data that the trial destroys."""
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


def title_of(trial: compare.Order | compare.TrialVerdict, name: str) -> Message | str:
    """Return a candidate's title."""
    candidate = next(one for one in trial.candidates if one.id == name)
    title = KINDS[candidate.filesystem].title
    if candidate.shift_bytes:
        return t("misaligned {filesystem}", filesystem=title)
    return title if name == candidate.filesystem else t("{filesystem} again", filesystem=title)


def sentences(verdict: compare.TrialVerdict) -> tuple[Message, ...]:
    """Describe the results, claiming no more than was measured."""
    return tuple(_sentence(verdict, one) for one in verdict.comparisons)


def _sentence(verdict: compare.TrialVerdict, one: compare.Comparison) -> Message:
    purpose: Message | str = verdict.workload.replace("-", " ")
    purpose = t("{purpose}, aged", purpose=purpose) if verdict.aged else purpose
    planned, other = title_of(verdict, verdict.planned), title_of(verdict, one.candidate)
    ratio, swapped = one.ratio, one.finding is compare.TrialFinding.SLOWER
    if ratio is None or one.rounds < compare.FEWEST:
        return t(
            "{purpose}: {planned} or {other} undecided: {rounds} of at least {fewest} rounds completed.",
            purpose=purpose,
            planned=planned,
            other=other,
            rounds=one.rounds,
            fewest=compare.FEWEST,
        )
    shown = compare.TimeRatio(1 / ratio.estimate, 1 / ratio.high, 1 / ratio.low) if swapped else ratio
    factor, low, high = map(_number, (shown.estimate, shown.low, shown.high))
    if one.finding in (compare.TrialFinding.FASTER, compare.TrialFinding.SLOWER):
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
        return join(claim, _meaning(verdict, one.candidate, faster, swapped))
    sentence = (
        Sentence(
            "{purpose}: no measurable difference between {planned} and {other} "
            "({low}-{high}, {rounds} rounds)."
        )
        if one.finding is compare.TrialFinding.SAME
        else Sentence("{purpose}: {planned} or {other} undecided after {rounds} rounds ({low}-{high}).")
    )
    return sentence(purpose=purpose, planned=planned, other=other, low=low, high=high, rounds=one.rounds)


def _meaning(verdict: compare.TrialVerdict, other: str, faster: Message | str, swapped: bool) -> Message:
    if next(one for one in verdict.candidates if one.id == other).shift_bytes:
        if swapped:
            return t("The cause must be something other than alignment.")
        return t("Alignment matters here.")
    if swapped:
        return t("Use {other}?", other=faster)
    return t("Advice confirmed.") if verdict.advised else t("Plan confirmed.")


def _number(factor: float) -> str:
    return f"{factor:.2f}" if factor < 100 else f"{factor:.0f}"


def caveats(verdict: compare.TrialVerdict) -> Iterator[Message]:
    """Yield the caveats."""
    if verdict.drive.startswith("/dev/loop"):
        yield LOOP
    if verdict.busy:
        yield t(
            "The machine is busy. Other programs waited for a processor or drive. Try "
            "again when the machine is idle."
        )
    if any(one.finding is compare.TrialFinding.OPEN for one in verdict.comparisons):
        if verdict.ended in ENDS:
            yield ENDS[verdict.ended]
        yield (
            t("The difference is small or varies. Choose either.")
            if len(verdict.rounds) >= compare.MOST
            else t("To decide, run a longer trial: `{command}`.", command=_longer_trial(verdict).text)
        )
    for limit in verdict.not_done:
        yield LIMITS[limit]


def _longer_trial(verdict: compare.TrialVerdict) -> FindingCommand:
    others = [one for one in verdict.candidates if one.id != verdict.planned]
    is_shifted = any(one.shift_bytes for one in others)
    names = ("--misaligned",) if is_shifted else ("--with", ",".join(one.filesystem for one in others))
    seconds, most = ceil(verdict.seconds) * LONGER, ceil(verdict.written_bytes / GIB) * LONGER
    limits = ("--seconds", str(seconds), "--most-bytes", f"{most}G", *(("--aged",) if verdict.aged else ()))
    asked = ("--workload", verdict.workload, "--fs", verdict.planned, *names, *limits)
    return FindingCommand(("diskwright", "trial", verdict.drive, *asked))


def rate(unit: Unit, a_second: float) -> Message:
    """Format a speed."""
    value = a_second / 1e6 if unit is Unit.BYTES else a_second
    return RATES[unit](rate=f"{value:.0f}" if value >= 10 else f"{value:.1f}")


def phase_speeds(verdict: compare.TrialVerdict) -> Iterator[tuple[str, str, tuple[compare.Speed, ...]]]:
    """Yield each phase, with the speeds in planned order."""
    phases = dict.fromkeys((speed.load, speed.phase) for speed in verdict.speeds)
    for load, phase in phases:
        yield (
            load,
            phase,
            tuple(one for one in verdict.speeds if (one.load, one.phase) == (load, phase)),
        )


INTERVALS = t(
    "In brackets: the range contains the true factor in 95 of 100 such trials. "
    "Single phases are not conclusive."
)
