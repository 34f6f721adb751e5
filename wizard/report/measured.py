"""The page's part on what was measured: aligned against misaligned access, or the write cliff of a shingled
drive."""

from collections.abc import Iterator, Sequence
from statistics import median, quantiles

from wizard.model.units import format_capacity, format_duration, format_nanoseconds
from wizard.model.verdict import CliffVerdict, Verdict
from wizard.report.charts import Bar, bars, interval
from wizard.report.markup import Markup, join, listed, pairs, paragraphs, table, tag
from wizard.report.words import measured as words

EDGES = (0.0, 0.5, 0.8, 0.95, 1.05, 1.25, 2.0, 4.0)
"""Where the ranges of factors begin that pairs are counted in."""


def verdict_part(verdict: Verdict) -> Markup:
    """The sentence, the factor with its interval, usual times, how the single passes came out, and the
    caveats."""
    return join(
        (
            tag("h3", words.ALIGNMENT(drive=verdict.drive)),
            paragraphs(verdict.sentence),
            pairs(
                (
                    ("Outcome", verdict.outcome.value),
                    (
                        "Access",
                        words.ACCESS(
                            access=verdict.access, size=verdict.block_bytes, shift=verdict.shift_bytes
                        ),
                    ),
                    (
                        "Passes",
                        words.PASSES(pairs=len(verdict.pairs), duration=format_duration(verdict.seconds)),
                    ),
                )
            ),
            _ratio(verdict),
            *((_times(verdict), _spread(verdict)) if len(verdict.pairs) > 1 else ()),
            join((tag("h4", words.IN_MIND()), listed(verdict.caveats))) if verdict.caveats else "",
        )
    )


def _ratio(verdict: Verdict) -> Markup:
    if (ratio := verdict.ratio) is None:
        return paragraphs(words.NO_FACTOR())
    said = words.FACTOR(
        factor=f"{ratio.estimate:.2f}",
        confidence=f"{ratio.confidence:.0%}",
        low=f"{ratio.low:.2f}",
        high=f"{ratio.high:.2f}",
    )
    title = words.FACTOR_TITLE()
    row = (
        f"{ratio.estimate:.3f}",
        f"{ratio.low:.3f}",
        f"{ratio.high:.3f}",
        f"{ratio.confidence:.0%}",
        str(ratio.pairs),
    )
    return tag(
        "figure",
        tag("figcaption", said),
        interval("ratio", title, said, ratio.estimate, ratio.low, ratio.high),
        table(
            title, ("Factor", "At least", "At most", "Confidence", "Pairs"), [row], numbers=(0, 1, 2, 3, 4)
        ),
    )


def _times(verdict: Verdict) -> Markup:
    """Medians as bars, with the middle half of all accesses as whiskers."""
    kinds = (
        ("aligned", [pair.aligned_ns for pair in verdict.pairs]),
        ("misaligned", [pair.misaligned_ns for pair in verdict.pairs]),
    )
    title = words.TIMES_TITLE()
    parts = [(name, times, quantiles(times, n=4, method="inclusive")) for name, times in kinds]
    rows = [
        Bar(name, median(times), format_nanoseconds(median(times)), quarters[0], quarters[2], name)
        for name, times, quarters in parts
    ]
    numbers = [
        (name, *map(format_nanoseconds, (min(times), quarters[0], median(times), quarters[2], max(times))))
        for name, times, quarters in parts
    ]
    said = words.TIMES(medians=tuple(f"{row.name}: median {row.shown}" for row in rows))
    heads = ("Access", "Fastest", words.UNDER(), "Median", words.OVER(), "Slowest")
    return tag(
        "figure",
        tag("figcaption", title),
        bars("times", title, said, rows),
        table(words.IN_NUMBERS(), heads, numbers, numbers=(1, 2, 3, 4, 5)),
    )


def _spread(verdict: Verdict) -> Markup:
    title = words.SPREAD()
    rows = [Bar(name, count, str(count)) for name, count in factor_counts(verdict)]
    said = "; ".join(f"{row.name}: {row.shown}" for row in rows) + "."
    return tag(
        "figure",
        tag("figcaption", title),
        bars("spread", title, said, rows),
        table(title, ("Factor", "Pairs"), ((row.name, row.shown) for row in rows), numbers=(1,)),
    )


def factor_counts(verdict: Verdict) -> Iterator[tuple[str, int]]:
    """How many pairs came out within each range of factors."""
    factors = [pair.misaligned_ns / max(1, pair.aligned_ns) for pair in verdict.pairs]
    for low, high in zip(EDGES, (*EDGES[1:], float("inf")), strict=True):
        name = f"{low:g} to {high:g}" if high != float("inf") else str(words.AND_MORE(least=f"{low:g}"))
        yield name, sum(low <= factor < high for factor in factors)


def cliff_part(verdict: CliffVerdict) -> Markup:
    """Whether random writing fell off, and the rate of every window."""
    rows = _windows(verdict)
    title = words.RATE()
    said = "; ".join(f"{row.name}: {row.shown}" for row in rows) + "."
    chart = tag(
        "figure",
        tag("figcaption", title),
        bars("windows", title, said, rows),
        table(title, ("Window", "Rate"), ((row.name, row.shown) for row in rows), numbers=(1,)),
    )
    return join(
        (
            tag("h3", words.CLIFF(drive=verdict.drive)),
            paragraphs(verdict.sentence),
            pairs(
                (
                    ("Outcome", verdict.outcome.value),
                    (words.DOUBT(), verdict.doubt.value if verdict.doubt else ""),
                    (
                        words.RANDOM(),
                        words.PIECES(written=verdict.random_bytes, size=verdict.block_bytes),
                    ),
                    ("Took", format_duration(verdict.seconds)),
                )
            ),
            chart if rows else "",
            join((tag("h4", words.IN_MIND()), listed(verdict.caveats))) if verdict.caveats else "",
        )
    )


def _windows(verdict: CliffVerdict) -> Sequence[Bar]:
    return [
        Bar(
            f"{number}. {window.phase.value}",
            window.bytes_per_second,
            f"{format_capacity(round(window.bytes_per_second))}/s",
        )
        for number, window in enumerate(verdict.windows, 1)
    ]
