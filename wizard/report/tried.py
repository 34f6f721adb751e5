"""The page's part on a trial of filesystems."""

from collections.abc import Iterator

from wizard.model.said import t
from wizard.model.units import format_duration
from wizard.report.charts import Bar, bars, interval
from wizard.report.markup import Markup, join, listed, pairs, paragraphs, table, tag
from wizard.trial.candidates.result import Comparison, Ratio, TrialVerdict
from wizard.trial.candidates.sentences import caveats, phase_speeds, rate, sentences, title_of


def trial_part(verdict: TrialVerdict) -> Markup:
    """The sentences, each factor with its interval, the speed of every phase, every round, and the
    caveats."""
    limits = [str(said) for said in caveats(verdict)]
    return join(
        (
            tag("h3", t("Filesystems tried on {drive}", drive=verdict.drive)),
            *(paragraphs(str(said)) for said in sentences(verdict)),
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
            join((tag("h4", t("With this in mind")), listed(limits))) if limits else "",
        )
    )


def _factor(verdict: TrialVerdict, one: Comparison, ratio: Ratio) -> Markup:
    planned, other = title_of(verdict, verdict.planned), title_of(verdict, one.candidate)
    title = t("{other} over {planned}, with its interval", planned=planned, other=other)
    said = t(
        "{other} took {factor} times as long as {planned}; with 95% confidence {low} to {high}.",
        planned=planned,
        other=other,
        factor=f"{ratio.estimate:.2f}",
        low=f"{ratio.low:.2f}",
        high=f"{ratio.high:.2f}",
    )
    drawn = interval(f"tried-{one.candidate}", title, said, ratio.estimate, ratio.low, ratio.high)
    return tag("figure", tag("figcaption", said), drawn)


def _speeds(verdict: TrialVerdict) -> Iterator[Markup]:
    for number, (load, phase, speeds) in enumerate(phase_speeds(verdict)):
        title = t("{load}, {phase}: speed", load=load, phase=phase)
        rows = [
            Bar(
                str(title_of(verdict, one.candidate)),
                one.median,
                str(rate(one.unit, one.median)),
                low=one.low,
                high=one.high,
            )
            for one in speeds
        ]
        drawn = bars(
            f"tried-speed-{number}",
            title,
            t("The median round; the whiskers are the slowest and the fastest."),
            rows,
        )
        yield tag("figure", tag("figcaption", title), drawn)


def _rounds(verdict: TrialVerdict) -> Markup:
    """The seconds of every run, round by round."""
    names = [candidate.id for candidate in verdict.candidates]
    if not verdict.rounds:
        return Markup("")
    heads = (str(t("Round")), *(str(title_of(verdict, name)) for name in names))
    rows = [
        (str(number), *(f"{one.run_of(name).seconds:.2f} s" for name in names))
        for number, one in enumerate(verdict.rounds, 1)
    ]
    return table(t("The seconds of every run"), heads, rows, numbers=tuple(range(len(heads))))
