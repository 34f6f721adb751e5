"""Report section on benchmarks: alignment, write cliff, quick SMR test and filesystem comparison."""

from collections.abc import Iterator, Sequence
from statistics import median, quantiles

from wizard.benchmark.candidates.compare import Comparison, TimeRatio, TrialVerdict
from wizard.benchmark.candidates.verdict import caveats, phase_speeds, rate, sentences, title_of
from wizard.benchmark.smr_run import kinds_of_reads
from wizard.model.said import Sentence, format_capacity, format_duration, format_nanoseconds, t
from wizard.model.verdict import CliffVerdict, DisplacedVerdict, ProbeComparison, Timings, Verdict
from wizard.report.charts import ChartBar, Markup, bars, interval, join, listed, pairs, paragraphs, table, tag

IN_MIND = t("Caveats")
TIMES = Sentence("The whiskers span half of all accesses. {medians:semicolons}.")
PIECES = Sentence("{written:size} in {size}-byte pieces")
AT_FIRST = Sentence("Right after writing")
AFTER_IDLE = Sentence("After the idle time")

EDGES = (0.0, 0.5, 0.8, 0.95, 1.05, 1.25, 2.0, 4.0)
"""Lower ends of the ranges of factors."""


def verdict_part(verdict: Verdict) -> Markup:
    """Describe an alignment verdict: factor with interval, typical times, distribution of pairs, caveats."""
    return join(
        (
            tag("h3", t("Alignment on {drive}", drive=verdict.drive)),
            paragraphs(verdict.sentence),
            pairs(
                (
                    ("Outcome", verdict.outcome.value),
                    (
                        "Access",
                        t(
                            "{access} of {size} bytes, misaligned by {shift} bytes",
                            access=verdict.access,
                            size=verdict.block_bytes,
                            shift=verdict.shift_bytes,
                        ),
                    ),
                    (
                        "Passes",
                        t(
                            "{pairs} pairs, one access of each kind, in {duration}",
                            pairs=len(verdict.pairs),
                            duration=format_duration(verdict.seconds),
                        ),
                    ),
                )
            ),
            _ratio(verdict),
            *((_times(verdict), _spread(verdict)) if len(verdict.pairs) > 1 else ()),
            join((tag("h4", IN_MIND), listed(verdict.caveats))) if verdict.caveats else "",
        )
    )


def _ratio(verdict: Verdict) -> Markup:
    if (ratio := verdict.ratio) is None:
        return paragraphs(t("No factor available."))
    caption = t(
        "A misaligned access took {factor} times as long as an aligned one "
        "({confidence} confidence: {low} to {high}).",
        factor=f"{ratio.estimate:.2f}",
        confidence=f"{ratio.confidence:.0%}",
        low=f"{ratio.low:.2f}",
        high=f"{ratio.high:.2f}",
    )
    title = t("Misaligned over aligned time, with interval")
    row = (
        f"{ratio.estimate:.3f}",
        f"{ratio.low:.3f}",
        f"{ratio.high:.3f}",
        f"{ratio.confidence:.0%}",
        str(ratio.pairs),
    )
    return tag(
        "figure",
        tag("figcaption", caption),
        interval("ratio", title, caption, ratio.estimate, ratio.low, ratio.high),
        table(
            title, ("Factor", "At least", "At most", "Confidence", "Pairs"), [row], numbers=(0, 1, 2, 3, 4)
        ),
    )


def _times(verdict: Verdict) -> Markup:
    """Return medians as bars, with the middle half of all accesses as whiskers."""
    kinds = (
        ("aligned", [pair.aligned_ns for pair in verdict.pairs]),
        ("misaligned", [pair.misaligned_ns for pair in verdict.pairs]),
    )
    title = t("Access time: median and middle half")
    parts = [(name, times, quantiles(times, n=4, method="inclusive")) for name, times in kinds]
    rows = [
        ChartBar(name, median(times), format_nanoseconds(median(times)), quarters[0], quarters[2], name)
        for name, times, quarters in parts
    ]
    numbers = [
        (name, *map(format_nanoseconds, (min(times), quarters[0], median(times), quarters[2], max(times))))
        for name, times, quarters in parts
    ]
    description = TIMES(medians=tuple(f"{row.name}: median {row.shown}" for row in rows))
    heads = ("Access", "Fastest", t("Lower quartile"), "Median", t("Upper quartile"), "Slowest")
    return tag(
        "figure",
        tag("figcaption", title),
        bars("times", title, description, rows),
        table(t("As numbers"), heads, numbers, numbers=(1, 2, 3, 4, 5)),
    )


def _spread(verdict: Verdict) -> Markup:
    title = t("Pairs by factor (misaligned over aligned)")
    rows = [ChartBar(name, count, str(count)) for name, count in _factor_counts(verdict)]
    description = "; ".join(f"{row.name}: {row.shown}" for row in rows) + "."
    return tag(
        "figure",
        tag("figcaption", title),
        bars("spread", title, description, rows),
        table(title, ("Factor", "Pairs"), ((row.name, row.shown) for row in rows), numbers=(1,)),
    )


def _factor_counts(verdict: Verdict) -> Iterator[tuple[str, int]]:
    """Yield the number of pairs in each range of factors."""
    factors = [pair.misaligned_ns / max(1, pair.aligned_ns) for pair in verdict.pairs]
    for low, high in zip(EDGES, (*EDGES[1:], float("inf")), strict=True):
        name = f"{low:g} to {high:g}" if high != float("inf") else str(t("{least} or more", least=f"{low:g}"))
        yield name, sum(low <= factor < high for factor in factors)


def cliff_part(verdict: CliffVerdict) -> Markup:
    """Describe a write cliff verdict, with the rate of every window."""
    rows = _windows(verdict)
    title = t("Write rate by window")
    description = "; ".join(f"{row.name}: {row.shown}" for row in rows) + "."
    chart = tag(
        "figure",
        tag("figcaption", title),
        bars("windows", title, description, rows),
        table(title, ("Window", "Rate"), ((row.name, row.shown) for row in rows), numbers=(1,)),
    )
    return join(
        (
            tag("h3", t("Write cliff of {drive}", drive=verdict.drive)),
            paragraphs(verdict.sentence),
            pairs(
                (
                    ("Outcome", verdict.outcome.value),
                    (t("Unknown because"), verdict.doubt.value if verdict.doubt else ""),
                    (
                        t("Random writes"),
                        PIECES(written=verdict.random_bytes, size=verdict.block_bytes),
                    ),
                    ("Took", format_duration(verdict.seconds)),
                )
            ),
            chart if rows else "",
            join((tag("h4", IN_MIND), listed(verdict.caveats))) if verdict.caveats else "",
        )
    )


def _windows(verdict: CliffVerdict) -> Sequence[ChartBar]:
    return [
        ChartBar(
            f"{number}. {window.phase.value}",
            window.bytes_per_second,
            f"{format_capacity(round(window.bytes_per_second))}/s",
        )
        for number, window in enumerate(verdict.windows, 1)
    ]


def displaced_part(verdict: DisplacedVerdict) -> Markup:
    """Describe the quick test's verdict: typical times, statistics, and all times for independent
    evaluation."""
    looks = ((AT_FIRST, verdict.timings.look), (AFTER_IDLE, verdict.timings.look_after_idle))
    return join(
        (
            tag("h3", t("Is {drive} shingled? The quick test", drive=verdict.drive)),
            paragraphs(verdict.sentence),
            pairs(
                (
                    ("Outcome", verdict.outcome.value),
                    (t("Basis"), verdict.basis.value),
                    (
                        t("Written back"),
                        PIECES(written=verdict.written_bytes, size=verdict.block_bytes),
                    ),
                    ("Took", format_duration(verdict.seconds)),
                )
            ),
            *(_look(str(title()), look) for title, look in looks if look is not None),
            _statistics(verdict),
            _every_time(verdict.timings) if verdict.timings.first_reads else "",
            join((tag("h4", IN_MIND), listed(verdict.caveats))) if verdict.caveats else "",
        )
    )


def _look(title: str, look: ProbeComparison) -> Markup:
    """Return medians as bars, with the middle half of all reads as whiskers."""
    rows = []
    for name, batches in kinds_of_reads(look):
        times = [time for batch in batches for time in batch]
        if len(times) > 1:
            quarters = quantiles(times, n=4, method="inclusive")
            shown = format_nanoseconds(median(times))
            rows.append(ChartBar(name, median(times), shown, quarters[0], quarters[2], name))
    description = TIMES(medians=tuple(f"{row.name}: median {row.shown}" for row in rows))
    name = "displaced-" + title.split()[0].lower()
    return (
        tag("figure", tag("figcaption", title), bars(name, title, description, rows)) if rows else Markup("")
    )


def _statistics(verdict: DisplacedVerdict) -> Markup:
    looks = ((AT_FIRST, verdict.statistics), (AFTER_IDLE, verdict.statistics_after_idle))
    rows = [
        (
            str(title()),
            *(_figure(value) for value in (one.t, one.ratio, one.distance, one.quicker, one.from_memory)),
        )
        for title, one in looks
        if one is not None
    ]
    heads = (
        "Look",
        "Welch's t",
        "Ratio",
        "Kolmogorov-Smirnov",
        t("Extra memory reads, in order"),
        t("Memory reads, random"),
    )
    return (
        table(t("Written versus unwritten blocks"), heads, rows, numbers=(1, 2, 3, 4, 5))
        if rows
        else Markup("")
    )


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def _every_time(timings: Timings) -> Markup:
    """List all times in milliseconds, by batch."""
    rows = [
        (str(t("First reads")), _listed([timings.first_reads])),
        (str(t("Writes")), _listed([timings.writes])),
    ]
    looks = ((AT_FIRST, timings.look), (AFTER_IDLE, timings.look_after_idle))
    for title, look in looks:
        if look is not None:
            rows += [(f"{title()}: {name}", _listed(batches)) for name, batches in kinds_of_reads(look)]
    return table(t("All times in milliseconds; semicolons end batches"), ("What", "ms"), rows)


def _listed(batches: Sequence[Sequence[int]]) -> str:
    return "; ".join(" ".join(f"{time / 1e6:.2f}" for time in batch) for batch in batches)


def trial_part(verdict: TrialVerdict) -> Markup:
    """Describe a filesystem comparison: factors with intervals, speed of every phase, all rounds, caveats."""
    limits = [str(sentence) for sentence in caveats(verdict)]
    return join(
        (
            tag("h3", t("Filesystem test on {drive}", drive=verdict.drive)),
            *(paragraphs(str(sentence)) for sentence in sentences(verdict)),
            pairs(
                (
                    (t("Purpose"), verdict.workload),
                    (t("Loads"), ", ".join(verdict.loads)),
                    (t("Took"), format_duration(verdict.seconds)),
                    (t("Written"), t("{size:size}", size=verdict.written_bytes)),
                )
            ),
            *(_factor(verdict, one, one.ratio) for one in verdict.comparisons if one.ratio),
            *_speeds(verdict),
            _rounds(verdict),
            join((tag("h4", t("Caveats")), listed(limits))) if limits else "",
        )
    )


def _factor(verdict: TrialVerdict, one: Comparison, ratio: TimeRatio) -> Markup:
    planned, other = title_of(verdict, verdict.planned), title_of(verdict, one.candidate)
    title = t("{other} over {planned}, with interval", planned=planned, other=other)
    caption = t(
        "{other} took {factor} times as long as {planned} (95% confidence: {low} to {high}).",
        planned=planned,
        other=other,
        factor=f"{ratio.estimate:.2f}",
        low=f"{ratio.low:.2f}",
        high=f"{ratio.high:.2f}",
    )
    chart = interval(f"tried-{one.candidate}", title, caption, ratio.estimate, ratio.low, ratio.high)
    return tag("figure", tag("figcaption", caption), chart)


def _speeds(verdict: TrialVerdict) -> Iterator[Markup]:
    for number, (load, phase, speeds) in enumerate(phase_speeds(verdict)):
        title = t("{load}, {phase}: speed", load=load, phase=phase)
        rows = [
            ChartBar(
                str(title_of(verdict, one.candidate)),
                one.median,
                str(rate(one.unit, one.median)),
                low=one.low,
                high=one.high,
            )
            for one in speeds
        ]
        chart = bars(
            f"tried-speed-{number}",
            title,
            t("Median round; whiskers show the slowest and fastest."),
            rows,
        )
        yield tag("figure", tag("figcaption", title), chart)


def _rounds(verdict: TrialVerdict) -> Markup:
    """List the seconds of every run, by round."""
    names = [candidate.id for candidate in verdict.candidates]
    if not verdict.rounds:
        return Markup("")
    heads = (str(t("Round")), *(str(title_of(verdict, name)) for name in names))
    rows = [
        (str(number), *(f"{one.run_of(name).seconds:.2f} s" for name in names))
        for number, one in enumerate(verdict.rounds, 1)
    ]
    return table(t("Run times in seconds"), heads, rows, numbers=tuple(range(len(heads))))
