"""The statistics of a trial of filesystems. Pure.

A round gives one figure for each other candidate: the log of its time over the planned one's, of the same
round. After each round from FEWEST on Student's interval of these figures is looked at. Each look has the
level LEVEL, so that with normal noise an interval of any look misses the truth in 5 % of the trials. Several
others share the level.
"""

from collections.abc import Sequence
from functools import cache
from math import exp, lgamma, log, sqrt
from statistics import fmean, median
from typing import TypeVar

from wizard.trial.candidates.result import (
    Comparison,
    Finding,
    PhaseRatio,
    PhaseRun,
    Ratio,
    Round,
    Run,
    Speed,
)

FEWEST, MOST = 6, 24
"""Rounds. With four of them one in twenty trials of a filesystem against itself claimed a difference."""

LEVEL = 0.010
CLAIM, SAME = 1.05, 1.10
"""A claim needs the whole interval beyond the first. All within the second is no difference that matters."""

ONE_AGAINST = 7
"""Of so many rounds one may speak against a claim."""

BUSY_PERCENT = 20.0

T = TypeVar("T")


def in_order(candidates: Sequence[T], number: int) -> tuple[T, ...]:
    """The candidates of a round, counted from 0, in the order in which they run: AB, BA, AB ... Three or more
    also take turns at beginning."""
    turned = number // 2 % len(candidates) if len(candidates) > 2 else 0
    order = (*candidates[turned:], *candidates[:turned])
    return order[::-1] if number % 2 else order


def interval(logs: Sequence[float], others: int = 1) -> Ratio:
    """The mean of at least two figures, with the interval of a look, for one of so many others."""
    mean, count = fmean(logs), len(logs)
    spread = sqrt(sum((one - mean) ** 2 for one in logs) / (count - 1))
    half = t_quantile(LEVEL / others, count - 1) * spread / sqrt(count)
    return Ratio(exp(mean), exp(mean - half), exp(mean + half))


def judge(logs: Sequence[float], others: int = 1) -> Finding:
    """What may be said after these rounds."""
    count = len(logs)
    if count < FEWEST:
        return Finding.OPEN
    ratio, needed = interval(logs, others), count - count // ONE_AGAINST
    if ratio.low > CLAIM and sum(one > 0 for one in logs) >= needed:
        return Finding.FASTER
    if ratio.high < 1 / CLAIM and sum(one < 0 for one in logs) >= needed:
        return Finding.SLOWER
    return Finding.SAME if ratio.low > 1 / SAME and ratio.high < SAME else Finding.OPEN


def comparisons(rounds: Sequence[Round], planned: str, others: Sequence[str]) -> tuple[Comparison, ...]:
    """The planned filesystem against each of the others."""
    return tuple(_compared(rounds, planned, other, len(others)) for other in others)


def _compared(rounds: Sequence[Round], planned: str, other: str, others: int) -> Comparison:
    pairs = [(one.run_of(planned), one.run_of(other)) for one in rounds]
    logs = [_log_ratio(second.seconds, first.seconds) for first, second in pairs]
    return Comparison(
        other,
        judge(logs, others),
        interval(logs, others) if len(logs) > 2 else None,
        sum(one > 0 for one in logs),
        len(logs),
        _phase_ratios(pairs),
    )


def _phase_ratios(pairs: Sequence[tuple[Run, Run]]) -> tuple[PhaseRatio, ...]:
    if not pairs:
        return ()
    found = []
    for at, phase in enumerate(pairs[0][0].phases):
        logs = [_log_ratio(two.phases[at].seconds, one.phases[at].seconds) for one, two in pairs]
        found.append(PhaseRatio(phase.load, phase.phase, exp(fmean(logs))))
    return tuple(found)


def _log_ratio(above: float, below: float) -> float:
    return log(max(above, 1e-9) / max(below, 1e-9))


def speeds(rounds: Sequence[Round], filesystems: Sequence[str]) -> tuple[Speed, ...]:
    """Each phase on each candidate, in units a second."""
    found = []
    for name in filesystems:
        runs = [one.run_of(name) for one in rounds]
        for at, phase in enumerate(runs[0].phases if runs else ()):
            rates = [_rate(run.phases[at]) for run in runs]
            found.append(
                Speed(name, phase.load, phase.phase, phase.unit, median(rates), min(rates), max(rates))
            )
    return tuple(found)


def _rate(phase: PhaseRun) -> float:
    return phase.amount / max(phase.seconds, 1e-9)


def is_busy(rounds: Sequence[Round]) -> bool:
    """Whether other programs had so much to do that it shows in what was measured."""
    for told in ([one.cpu_pressure for one in rounds], [one.io_pressure for one in rounds]):
        known = [one for one in told if one is not None]
        if known and median(known) > BUSY_PERCENT:
            return True
    return False


@cache
def t_quantile(two_sided: float, freedom: int) -> float:
    """The value that Student's t exceeds, on either side, with this probability."""
    low, high = 0.0, 2.0
    while t_tails(high, freedom) > two_sided:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        if t_tails(middle, freedom) > two_sided:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def t_tails(value: float, freedom: int) -> float:
    """How probable it is that Student's t lies beyond `value`, on either side."""
    return _beta_share(freedom / (freedom + value * value), freedom / 2, 0.5)


def _beta_share(at: float, first: float, second: float) -> float:
    """The regularised incomplete beta function, by its continued fraction (Lentz's method)."""
    if at <= 0 or at >= 1:
        return float(at >= 1)
    if at > (first + 1) / (first + second + 2):
        return 1 - _beta_share(1 - at, second, first)
    front = exp(
        lgamma(first + second) - lgamma(first) - lgamma(second) + first * log(at) + second * log(1 - at)
    )
    upper, lower = 1.0, _apart(1 - (first + second) * at / (first + 1))
    lower = 1 / lower
    fraction = lower
    for step in range(1, 300):
        double = 2 * step
        for term in (
            step * (second - step) * at / ((first + double - 1) * (first + double)),
            -(first + step) * (first + second + step) * at / ((first + double) * (first + double + 1)),
        ):
            lower = 1 / _apart(1 + term * lower)
            upper = _apart(1 + term / upper)
            fraction *= lower * upper
        if abs(lower * upper - 1) < 1e-14:
            break
    return front * fraction / first


def _apart(value: float) -> float:
    """Never nothing, by which is divided."""
    return value if abs(value) > 1e-300 else 1e-300
