"""Figures as bars: what others have published, and what was measured here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import inf
from statistics import median
from typing import TYPE_CHECKING

from wizard.desk.asides.words import pages as words
from wizard.desk.view import GAP, Block, Figures, muted, para, strong
from wizard.model.said import ProfileText, Sentence, Sentences, t
from wizard.model.units import format_nanoseconds

if TYPE_CHECKING:
    from wizard.model.advice import Evidence
    from wizard.model.said import Said
    from wizard.model.verdict import Verdict

EDGES = (0.0, 0.5, 0.8, 0.95, 1.05, 1.25, 2.0, 4.0, inf)
"""Of the ranges of factors in which pairs are counted."""


def evidence_blocks(evidence: Sequence[Evidence]) -> tuple[Block, ...]:
    """Published figures as bars, with what dates them; where there is none, that is said."""
    if not evidence:
        return (para(t("No published figure stands behind this. It is a judgement.")),)
    told: set[Said | str] = set()
    return tuple(block for item in evidence for block in _evidence(item, told))


def _evidence(item: Evidence, told: set[Said | str]) -> Iterator[Block]:
    """A note or a source that was `told` already is not told again; every figure is dated."""
    yield para(strong(item.title))
    if item.figures:
        unit = (
            Sentence("{unit}, less is better") if item.lower_is_better else Sentence("{unit}, more is better")
        )(unit=item.unit)
        named = tuple((str(ProfileText(name)), value) for name, value in item.figures)
        yield Figures(unit, named, tuple(f"{value:g}" for _, value in item.figures))
    if item.note and item.note not in told:
        yield para(item.note, indent=2)
    measured = t(
        "Measured: {era}, kernel {kernel}, {hardware}",
        era=item.era,
        kernel=item.kernel,
        hardware=item.hardware,
    )
    yield para(measured, indent=2, hang=2)
    if item.source not in told:
        yield para(muted(words.SOURCE), item.source, indent=2, hang=2)
    told.update((item.note, item.source))
    yield GAP


def measured_blocks(verdict: Verdict) -> tuple[Block, ...]:
    """What the pairs say: the medians, the spread, how many there are; nothing where none was measured."""
    if not verdict.pairs:
        return ()
    count = (
        Sentences(
            "{count} pair of {size} bytes by writing, {seconds:.0f} s.",
            "{count} pairs of {size} bytes by writing, {seconds:.0f} s.",
        )
        if verdict.access == "write"
        else Sentences(
            "{count} pair of {size} bytes by reading, {seconds:.0f} s.",
            "{count} pairs of {size} bytes by reading, {seconds:.0f} s.",
        )
    )(count=len(verdict.pairs), size=verdict.block_bytes, seconds=verdict.seconds)
    return (_medians(verdict), GAP, _spread(verdict), GAP, para(count))


def _medians(verdict: Verdict) -> Figures:
    """What a usual access takes, aligned and misaligned."""
    aligned = median(pair.aligned_ns for pair in verdict.pairs)
    misaligned = median(pair.misaligned_ns for pair in verdict.pairs)
    values = ((str(t("aligned")), aligned), (str(t("misaligned")), misaligned))
    return Figures(
        t("Time of one access, less is better"),
        values,
        tuple(format_nanoseconds(value) for _, value in values),
    )


def _spread(verdict: Verdict) -> Figures:
    """How many pairs came out with which factor, from the first range with any to the last one."""
    factors = [pair.misaligned_ns / max(1, pair.aligned_ns) for pair in verdict.pairs]
    counts = [(low, high, sum(low <= factor < high for factor in factors)) for low, high in pairwise(EDGES)]
    found = [place for place, (_, _, count) in enumerate(counts) if count]
    shown = counts[found[0] : found[-1] + 1]
    values = tuple((_range(low, high), float(count)) for low, high, count in shown)
    return Figures(
        t("Pairs by factor (misaligned time over aligned)"),
        values,
        tuple(str(count) for _, _, count in shown),
    )


def _range(low: float, high: float) -> str:
    return str(t("over {low:g}", low=low) if high == inf else t("{low:g} to {high:g}", low=low, high=high))
