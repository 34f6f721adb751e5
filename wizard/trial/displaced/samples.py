"""The statistics of two samples of times, by hand. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from random import Random
from statistics import fmean, variance

Batches = Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True)
class Welch:
    """Welch's t of two samples' logarithms, and the ratio of their geometric means, the first over the
    second."""

    t: float
    ratio: float


def welch(one: Sequence[float], other: Sequence[float]) -> Welch:
    """Of two samples of at least two positive numbers each."""
    logs, other_logs = [log(value) for value in one], [log(value) for value in other]
    difference = fmean(logs) - fmean(other_logs)
    error = sqrt(variance(logs) / len(logs) + variance(other_logs) / len(other_logs))
    return Welch(difference / max(error, 1e-9), exp(difference))


def kolmogorov(one: Sequence[float], other: Sequence[float]) -> float:
    """The greatest distance between two samples' distributions (Kolmogorov and Smirnov), times the root of
    nm/(n+m). By chance it exceeds 1.36 once in 20 times."""
    left, right = sorted(one), sorted(other)
    first = second = 0
    greatest = 0.0
    while first < len(left) and second < len(right):
        value = min(left[first], right[second])
        # Equal values count on both sides before the distance is taken.
        while first < len(left) and left[first] == value:
            first += 1
        while second < len(right) and right[second] == value:
            second += 1
        greatest = max(greatest, abs(first / len(left) - second / len(right)))
    return greatest * sqrt(len(left) * len(right) / (len(left) + len(right)))


def share_of_swaps(
    one: Batches,
    other: Batches,
    statistic: Callable[[Sequence[float], Sequence[float]], float | None],
    seen: float,
    random: Random,
    swaps: int = 400,
) -> float:
    """The share of swaps of the two samples, batch by batch by a coin, whose statistic reaches `seen`.

    Other programs' bursts hit whole batches, not single reads: only whole batches may be exchanged.
    """
    reached = 0
    for _ in range(swaps):
        left: list[float] = []
        right: list[float] = []
        for mine, theirs in zip(one, other, strict=True):
            heads = random.random() < 0.5
            left += mine if heads else theirs
            right += theirs if heads else mine
        value = statistic(left, right)
        reached += value is not None and value >= seen
    return reached / swaps


def share_error(one: float, count: int, other: float, other_count: int) -> float:
    """How far a difference of two shares lies from nothing, in standard errors. Shares of nearly nothing or
    nearly all count as if they varied a little."""
    least = 0.02
    error = sqrt(max(least, one * (1 - one)) / count + max(least, other * (1 - other)) / other_count)
    return (one - other) / error
