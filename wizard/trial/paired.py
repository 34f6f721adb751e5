"""The statistics of paired timings: how much longer misaligned accesses take, and an interval that holds at
95 % over all looks.

Two pairs of opposite order make one unit: the mean of their log ratios, in which the effect of coming second
cancels. The estimate is the median unit, its interval the one that inverts the sign test (exact from the
binomial distribution, whatever the noise's). The looks at the data are at sizes fixed before, and their
levels add up to 5 %.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, lgamma, log
from statistics import median

from wizard.model.verdict import Outcome, Pair, Ratio

CONFIDENCE = 0.95
BAND = (0.95, 1.05)
"""Ratios within are called no difference; a claim of one needs the whole interval above."""

CACHE_CLAIM = 1.5
"""Instead of the band's end, where the page cache answers: a misaligned block lies in two of its pages, which
alone costs up to 1.2."""

NARROW = 1.2
"""An interval whose ends differ by less than this factor is narrow enough to stop."""

LEVELS = ((1 / 16, 0.002), (1 / 8, 0.004), (1 / 4, 0.008), (1 / 2, 0.012), (1.0, 0.024))
"""The looks: the share of the planned units, and the chance of error spent there. The last gets most, since
most depends on it."""

FEWEST_UNITS = 24
PAIRS_A_UNIT = 2


@dataclass(frozen=True, slots=True)
class Look:
    """One planned look at the data, after `units`, with an interval that fails with probability `alpha` at
    most."""

    units: int
    alpha: float


def plan_looks(units: int) -> tuple[Look, ...]:
    """The looks for a run of so many units; looks at too few are left out."""
    looks = (Look(int(units * share), alpha) for share, alpha in LEVELS)
    return tuple(look for look in looks if look.units >= FEWEST_UNITS)


def unit_ratios(pairs: Sequence[Pair]) -> list[float]:
    """The log of misaligned over aligned time of each whole unit, in order."""
    logs = [log(max(pair.misaligned_ns, 1) / max(pair.aligned_ns, 1)) for pair in pairs]
    return [(one + other) / PAIRS_A_UNIT for one, other in zip(logs[::2], logs[1::2], strict=False)]


def look_at(pairs: Sequence[Pair], look: Look) -> Ratio | None:
    """The ratio after a look's units, None where there are fewer; its `confidence` is that of all looks
    together."""
    units = unit_ratios(pairs[: look.units * PAIRS_A_UNIT])
    rank = interval_rank(look.units, look.alpha)
    if len(units) < look.units or rank < 1:
        return None
    ordered = sorted(units)
    return Ratio(
        exp(median(ordered)),
        exp(ordered[rank - 1]),
        exp(ordered[-rank]),
        CONFIDENCE,
        look.units * PAIRS_A_UNIT,
    )


def interval_rank(count: int, alpha: float) -> int:
    """The k for which the k-th smallest and k-th largest of `count` values enclose the median, but for a
    chance of `alpha`; 0: none."""
    below, rank = 0.0, 0
    while rank < count // 2:
        below += exp(lgamma(count + 1) - lgamma(rank + 1) - lgamma(count - rank + 1) - count * log(2))
        if 2 * below > alpha:
            break
        rank += 1
    return rank


def judge(ratio: Ratio | None, claim_above: float = BAND[1]) -> Outcome:
    """What may be claimed; a difference only where the whole interval lies above `claim_above`."""
    if ratio is None:
        return Outcome.INCONCLUSIVE
    if BAND[0] <= ratio.low and ratio.high <= BAND[1]:
        return Outcome.NO_DIFFERENCE
    return Outcome.ALIGNED_FASTER if ratio.low > claim_above else Outcome.INCONCLUSIVE


def is_enough(ratio: Ratio | None, claim_above: float = BAND[1]) -> bool:
    """Whether measuring on would bring nothing a person needs."""
    if ratio is None:
        return False
    match judge(ratio, claim_above):
        case Outcome.NO_DIFFERENCE:
            return True
        case Outcome.ALIGNED_FASTER:
            return ratio.high / ratio.low <= NARROW
        case _:
            return False
