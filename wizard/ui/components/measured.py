"""Progress and verdicts of benchmarks as blocks. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wizard.benchmark.candidates.compare import TrialFinding
from wizard.benchmark.candidates.verdict import (
    INTERVALS,
    caveats,
    doing,
    phase_speeds,
    rate,
    sentences,
    title_of,
)
from wizard.benchmark.smr_run import amounts, medians
from wizard.model.said import Sentence, format_nanoseconds, t, tn
from wizard.ui.view import GAP, Banner, Block, Figures, Progress, Tone, para, strong

if TYPE_CHECKING:
    from wizard.benchmark.candidates.compare import Order, TrialVerdict
    from wizard.benchmark.candidates.compare import TrialProgress as Told
    from wizard.model.verdict import DisplacedVerdict, Statistics


TONES = {TrialFinding.SLOWER: Tone.WARN, TrialFinding.OPEN: Tone.ACCENT}


def progress_blocks(told: Told | None, order: Order) -> Iterator[Block]:
    """Show the progress of the trial."""
    if told is None:
        yield Progress(None, t("Starting ..."))
        return
    bounds = order.bounds
    share = 1 - told.seconds_left / max(bounds.seconds, 1.0)
    yield Progress(max(0.0, min(1.0, share)), t("at most {seconds:time} left", seconds=told.seconds_left))
    candidate = title_of(order, told.doing)
    if not told.comparisons and told.number <= 1:
        yield para(
            t("Before the first round: {candidate}, {doing}.", candidate=candidate, doing=doing(told.phase))
        )
    else:
        yield para(
            t(
                "Round {number}: {candidate}, {doing}. {written:size} written.",
                number=told.number,
                candidate=candidate,
                doing=doing(told.phase),
                written=told.written_bytes,
            )
        )
    for one in told.comparisons:
        if one.ratio:
            other = title_of(order, one.candidate)
            yield para(
                t(
                    "{other} so far: {estimate:.2f} times as long.",
                    other=other,
                    estimate=one.ratio.estimate,
                )
            )


def verdict_banner(verdict: TrialVerdict) -> Banner:
    """Return all conclusions in the tone of the worst one."""
    said = sentences(verdict)
    found = [one.finding for one in verdict.comparisons]
    tone = next((tone for finding, tone in TONES.items() if finding in found), Tone.GOOD)
    return Banner(said[0], said[1:], tone)


def verdict_blocks(verdict: TrialVerdict) -> Iterator[Block]:
    """Show factors with ranges, speed per phase and bottlenecks."""
    compared = [(one, one.ratio) for one in verdict.comparisons if one.ratio]
    if compared:
        planned = str(title_of(verdict, verdict.planned))
        values = [(planned, 1.0)]
        shown = ["1.00"]
        for one, ratio in compared:
            values.append((str(title_of(verdict, one.candidate)), ratio.estimate))
            shown.append(f"{ratio.estimate:.2f} ({ratio.low:.2f}-{ratio.high:.2f})")
        yield Figures(
            t("times as long as {planned} (95 % range); less is better", planned=planned),
            tuple(values),
            tuple(shown),
        )
        yield GAP
    yield para(
        tn(
            "{count} round in {seconds:time}, {written:size} written.",
            "{count} rounds in {seconds:time}, {written:size} written.",
            count=len(verdict.rounds),
            seconds=verdict.seconds,
            written=verdict.written_bytes,
        ),
        INTERVALS,
    )
    for limit in caveats(verdict):
        yield para(limit, hang=2)
    for load, phase, speeds in phase_speeds(verdict):
        yield GAP
        values = [(str(title_of(verdict, one.candidate)), one.median) for one in speeds]
        shown = [str(rate(one.unit, one.median)) for one in speeds]
        yield Figures(
            t("{load}, {phase}: more is better", load=load, phase=phase), tuple(values), tuple(shown)
        )


def smr_blocks(verdict: DisplacedVerdict) -> Iterator[Block]:
    """Show the median times and caveats of the quick test for shingled recording."""
    look = verdict.timings.look_after_idle or verdict.timings.look
    if look is not None and (times := medians(look)):
        shown = tuple(format_nanoseconds(time) for _, time in times)
        yield Figures(t("Median read time"), times, shown)
        yield GAP
    yield para(amounts(verdict))
    yield from (para(caveat, hang=2) for caveat in verdict.caveats)


def smr_statistics(verdict: DisplacedVerdict) -> Iterator[Block]:
    """Show the statistics before and after the idle time."""
    looks = (
        (Sentence("Before the idle time"), verdict.statistics),
        (Sentence("After the idle time"), verdict.statistics_after_idle),
    )
    for caption, statistics in looks:
        if statistics is not None:
            yield para(strong(caption()))
            yield from _told(statistics)
            yield GAP


def _told(statistics: Statistics) -> Iterator[Block]:
    if statistics.t is not None and statistics.ratio is not None:
        yield para(
            t(
                "At random positions, written blocks need {ratio:.2f} times as long (Welch's t {t:.1f}).",
                ratio=statistics.ratio,
                t=statistics.t,
            ),
            indent=2,
        )
    if statistics.distance is not None:
        yield para(
            t(
                "In write order, the times differ by {distance:.1f} (Kolmogorov-Smirnov; by chance 1.4).",
                distance=statistics.distance,
            ),
            indent=2,
        )
    if statistics.from_memory is not None:
        yield para(
            t(
                "{percent:.0f} % of the written blocks came from a cache.",
                percent=100 * statistics.from_memory,
            ),
            indent=2,
        )
