"""Progress and results of every measurement as blocks. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from math import ceil, inf
from statistics import median
from typing import TYPE_CHECKING

from wizard.benchmark.candidates import compare
from wizard.benchmark.smr_cliff import PHASES, rate_in_words, total, windows_of
from wizard.benchmark.smr_probe import UNCONFIRMED
from wizard.model.said import KIB, Message, format_capacity, format_nanoseconds, join, t, tn
from wizard.model.verdict import (
    CliffOutcome,
    CliffVerdict,
    Displaced,
    DisplacedVerdict,
    Outcome,
    ProbeComparison,
    Statistics,
    Verdict,
    WritePhase,
)
from wizard.ui import messages
from wizard.ui import view as ui
from wizard.ui.components.reasons import PUBLISHED, evidence_blocks

if TYPE_CHECKING:
    from wizard.benchmark.results import BenchmarkResult

TONES = {
    Outcome.ALIGNED_FASTER: ui.Tone.WARN,
    Outcome.NO_DIFFERENCE: ui.Tone.GOOD,
    CliffOutcome.FOUND: ui.Tone.WARN,
    Displaced.LIKELY: ui.Tone.WARN,
    compare.TrialFinding.SLOWER: ui.Tone.WARN,
    compare.TrialFinding.FASTER: ui.Tone.GOOD,
}
"""Tones of results. All others are Tone.ACCENT."""

BY_WRITING = t("by writing")
EDGES = (0.0, 0.5, 0.8, 0.95, 1.05, 1.25, 2.0, 4.0, inf)
"""Bounds of the histogram of factors."""

ROWS = 16
"""Bars of random writes."""


def verdict_banner(verdict: BenchmarkResult) -> ui.Banner:
    """Return the result in a sentence. A trial's banner has all conclusions in the tone of the worst one."""
    match verdict:
        case compare.TrialVerdict():
            said = tuple(compare.sentence_for(verdict, one) for one in verdict.comparisons)
            tones = [TONES.get(one.finding, ui.Tone.ACCENT) for one in verdict.comparisons]
            tone = next(tone for tone in (ui.Tone.WARN, ui.Tone.ACCENT, ui.Tone.GOOD) if tone in tones)
            return ui.Banner(said[0], said[1:], tone)
        case _:
            detail = (UNCONFIRMED,) if isinstance(verdict, DisplacedVerdict) else ()
            return ui.Banner(verdict.sentence, detail, TONES.get(verdict.outcome, ui.Tone.ACCENT))


def verdict_blocks(verdict: BenchmarkResult) -> ui.Blocks:
    """Show the measurements and the caveats."""
    match verdict:
        case Verdict():
            yield from _pairs(verdict)
        case CliffVerdict():
            yield from _cliff(verdict)
        case DisplacedVerdict():
            yield from _quick(verdict)
        case compare.TrialVerdict():
            yield from _trial(verdict)
    caveats = compare.caveats(verdict) if isinstance(verdict, compare.TrialVerdict) else verdict.caveats
    yield from (ui.para(caveat, hang=2) for caveat in caveats)


def verdict_page(verdict: BenchmarkResult) -> ui.Blocks:
    """Show the result with method, measurements, caveats and published results."""
    yield ui.heading(verdict_banner(verdict).text)
    yield from method_blocks(verdict)
    yield from verdict_blocks(verdict)
    if isinstance(verdict, Verdict):
        from wizard.advice.evidence import evidence_for

        yield from (ui.GAP, ui.heading(PUBLISHED), *evidence_blocks(evidence_for("alignment")))


def method_blocks(verdict: BenchmarkResult) -> ui.Blocks:
    """Show how the result was derived from the measurements."""
    match verdict:
        case Verdict() if not verdict.pairs:
            yield ui.para(t("No measurements."))
        case Verdict():
            timed = t(
                "Timed pairs of {size} bytes: one on a block boundary, one {shift} bytes off.",
                size=verdict.block_bytes,
                shift=verdict.shift_bytes,
            )
            adjacent = t("Both blocks of a pair are adjacent and accessed one after the other.")
            yield ui.para(join(timed, adjacent))
            yield ui.GAP
            if ratio := verdict.ratio:
                factor = t(
                    "{estimate:.2f} times as long misaligned, {low:.2f} to {high:.2f} with {percent:.0f} % "
                    "confidence.",
                    estimate=ratio.estimate,
                    low=ratio.low,
                    high=ratio.high,
                    percent=100 * ratio.confidence,
                )
                yield ui.heading(t("Factor:"), factor)
                yield ui.GAP
        case DisplacedVerdict():
            looks = (
                (t("Before the idle time"), verdict.statistics),
                (t("After the idle time"), verdict.statistics_after_idle),
            )
            for caption, statistics in looks:
                if statistics is not None:
                    yield ui.heading(caption)
                    yield from _statistics(statistics)
                    yield ui.GAP


def _pairs(verdict: Verdict) -> ui.Blocks:
    if not verdict.pairs:
        return
    aligned = median(pair.aligned_ns for pair in verdict.pairs)
    misaligned = median(pair.misaligned_ns for pair in verdict.pairs)
    other = t("misaligned") if verdict.shift_bytes else t("actual")
    times = ((str(t("aligned")), aligned), (str(other), misaligned))
    yield _figures(t("Time per access, less is better"), times, format_nanoseconds)
    yield ui.GAP
    counts = []
    for low, high in pairwise(EDGES):
        name = t("over {low:g}", low=low) if high == inf else t("{low:g} to {high:g}", low=low, high=high)
        counts.append((str(name), float(sum(low <= pair.factor < high for pair in verdict.pairs))))
    found = [place for place, (_, count) in enumerate(counts) if count]
    shown = counts[found[0] : found[-1] + 1]
    yield _figures(t("Pairs by factor (misaligned time over aligned)"), shown, "{:.0f}".format)
    yield ui.GAP
    count, how = len(verdict.pairs), BY_WRITING if verdict.access == "write" else t("by reading")
    yield ui.para(
        t(
            "Pairs of {size} bytes {how}: {count}, in {seconds:.0f} s.",
            count=count,
            size=verdict.block_bytes,
            how=how,
            seconds=verdict.seconds,
        )
    )


def _figures(
    unit: ui.Text, values: Iterable[tuple[str, float]], shown: Callable[[float], str | Message]
) -> ui.Figures:
    return ui.Figures(unit, tuple((name, value, str(shown(value))) for name, value in values))


def _cliff(verdict: CliffVerdict) -> ui.Blocks:
    if random := windows_of(verdict.windows):
        size, rates, written = ceil(len(random) / ROWS), [], 0
        for first in range(0, len(random), size):
            part = total(random[first : first + size])
            rates.append((format_capacity(written), part.bytes_per_second))
            written += part.written_bytes
        yield _figures(t("Random writes, from"), rates, rate_in_words)
        yield ui.GAP
    phases = [total(verdict.windows, phase) for phase in PHASES if phase is not WritePhase.RANDOM]
    if sequential := [(str(PHASES[one.phase]), one.bytes_per_second) for one in phases if one.written_bytes]:
        yield _figures(t("Sequential writes"), sequential, rate_in_words)
        yield ui.GAP
    if verdict.windows:
        yield ui.para(
            t(
                "Wrote {size:size} at random in {block} KiB blocks; {seconds:time} including reads.",
                size=verdict.random_bytes,
                block=verdict.block_bytes // KIB,
                seconds=verdict.seconds,
            )
        )


def _quick(verdict: DisplacedVerdict) -> ui.Blocks:
    look = verdict.timings.look_after_idle or verdict.timings.look
    if look is not None and (times := medians(look)):
        yield _figures(t("Median read time"), times, format_nanoseconds)
        yield ui.GAP
    yield ui.para(
        t(
            "Wrote {written:size} and read {read:size} in {seconds:.0f} s, including idle time.",
            written=verdict.written_bytes,
            read=verdict.read_bytes,
            seconds=verdict.seconds,
        )
    )


def medians(look: ProbeComparison) -> tuple[tuple[str, float], ...]:
    """Return the median of each kind of read in nanoseconds."""
    kinds = (
        (t("written, random"), look.written_at_random),
        (t("unwritten, random"), look.unwritten_at_random),
        (t("written, in order"), look.written_in_order),
        (t("unwritten, in order"), look.unwritten_in_order),
    )
    return tuple(
        (str(name), median(time for batch in batches for time in batch)) for name, batches in kinds if batches
    )


def _statistics(statistics: Statistics) -> ui.Blocks:
    if statistics.t is not None and statistics.ratio is not None:
        slower = t(
            "At random positions, written blocks need {ratio:.2f} times as long (Welch's t {t:.1f}).",
            ratio=statistics.ratio,
            t=statistics.t,
        )
        yield ui.para(slower, indent=2)
    if (distance := statistics.distance) is not None:
        differ = t(
            "In write order, the times differ by {distance:.1f} (Kolmogorov-Smirnov; by chance 1.4).",
            distance=distance,
        )
        yield ui.para(differ, indent=2)
    if (cached := statistics.from_memory) is not None:
        said = t("{percent:.0f} % of the written blocks came from a cache.", percent=100 * cached)
        yield ui.para(said, indent=2)


def _trial(verdict: compare.TrialVerdict) -> ui.Blocks:
    compared = [(one, one.ratio) for one in verdict.comparisons if one.ratio]
    if compared:
        planned = str(verdict.candidate(verdict.planned).title)
        values = (
            (
                str(verdict.candidate(one.candidate).title),
                ratio.estimate,
                f"{ratio.estimate:.2f} ({ratio.low:.2f}-{ratio.high:.2f})",
            )
            for one, ratio in compared
        )
        yield ui.Figures(
            t("times as long as {planned} (95 % range); less is better", planned=planned),
            ((planned, 1.0, "1.00"), *values),
        )
        yield ui.GAP
    yield ui.para(
        tn(
            "{count} round in {seconds:time}, {written:size} written.",
            "{count} rounds in {seconds:time}, {written:size} written.",
            count=len(verdict.rounds),
            seconds=verdict.seconds,
            written=verdict.written_bytes,
        ),
        compare.INTERVALS,
    )
    for load, phase, speeds in compare.phase_speeds(verdict):
        yield ui.GAP
        yield ui.Figures(
            messages.MORE_IS_BETTER(unit=f"{load}, {phase}"),
            tuple(
                (
                    str(verdict.candidate(one.candidate).title),
                    one.median,
                    str(compare.rate(one.unit, one.median)),
                )
                for one in speeds
            ),
        )
