"""A trial of filesystems as blocks: how far it is, and what it showed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wizard.desk.view import GAP, Banner, Block, Figures, Progress, Tone, para
from wizard.model.said import t, tn
from wizard.trial.candidates.result import Finding
from wizard.trial.candidates.sentences import caveats, doing, phase_speeds, rate, sentences, title_of
from wizard.trial.words.candidates import INTERVALS

if TYPE_CHECKING:
    from wizard.trial.candidates.result import Order, TrialVerdict
    from wizard.trial.candidates.result import Progress as Told

TONES = {Finding.SLOWER: Tone.WARN, Finding.OPEN: Tone.ACCENT}


def progress_blocks(told: Told | None, order: Order) -> Iterator[Block]:
    """How far it is."""
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
                    "{other} takes {estimate:.2f} times as long so far.",
                    other=other,
                    estimate=one.ratio.estimate,
                )
            )


def verdict_banner(verdict: TrialVerdict) -> Banner:
    """All that may be said; what speaks against the plan is the loudest."""
    said = sentences(verdict)
    found = [one.finding for one in verdict.comparisons]
    tone = next((tone for finding, tone in TONES.items() if finding in found), Tone.GOOD)
    return Banner(said[0], said[1:], tone)


def verdict_blocks(verdict: TrialVerdict) -> Iterator[Block]:
    """The factors with their ranges, the speed of every phase, and what limits them."""
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
