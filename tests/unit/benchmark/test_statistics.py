"""The statistics of the alignment benchmark, on simulated drives with a known ratio."""

from math import exp
from random import Random

import pytest

from wizard.benchmark.measure import (
    FEWEST_UNITS,
    LEVELS,
    interval_rank,
    is_enough,
    judge,
    look_at,
    plan_looks,
    unit_ratios,
)
from wizard.model.verdict import Outcome, Pair, Ratio


def simulate(ratio: float, units: int, seed: int, *, spread: float = 0.25) -> list[Pair]:
    """Return pairs from a drive with drift, a faster second access in each pair, stalls and log-normal
    noise."""
    random = Random(seed)
    pairs = []
    for unit in range(units):
        drift = 1 + 2 * unit / units
        aligned_first = random.random() < 0.5
        for first in (aligned_first, not aligned_first):
            times = []
            for factor, is_second in ((1.0, not first), (ratio, first)):
                noise = exp(random.gauss(0, spread)) * (0.6 if is_second else 1.0)
                stall = random.paretovariate(1.1) * 5e6 if random.random() < 0.05 else 0.0
                times.append(int(1e6 * drift * factor * noise + stall))
            pairs.append(Pair(*times))
    return pairs


def run(ratio: float, units: int, seed: int, *, spread: float = 0.25) -> tuple[Ratio | None, Outcome]:
    """Return the benchmark's result, with interim looks and early stopping."""
    pairs, found = simulate(ratio, units, seed, spread=spread), None
    for look in plan_looks(units):
        found = look_at(pairs, *look)
        if is_enough(found):
            break
    return found, judge(found)


def test_levels_of_all_looks_add_up_to_five_percent() -> None:
    assert sum(alpha for _, alpha in LEVELS) == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("count", "alpha", "rank"),
    [(5, 0.05, 0), (6, 0.05, 1), (10, 0.05, 2), (20, 0.05, 6), (100, 0.05, 40), (4096, 0.05, 1985)],
)
def test_interval_ranks_match_the_sign_test(count: int, alpha: float, rank: int) -> None:
    assert interval_rank(count, alpha) == rank


def test_equal_drives_are_seldom_called_different() -> None:
    runs = [run(1.0, 400, seed) for seed in range(200)]
    assert sum(outcome is Outcome.ALIGNED_FASTER for _, outcome in runs) <= 2


def test_intervals_cover_the_truth_in_95_percent_over_all_looks() -> None:
    for ratio in (1.0, 1.2, 2.0):
        found = [run(ratio, 256, 1000 + seed)[0] for seed in range(200)]
        missed = sum(one is None or not one.low <= ratio <= one.high for one in found)
        assert missed <= 15, f"{missed} of 200 intervals missed {ratio}"


def test_real_penalty_is_found() -> None:
    for seed in range(40):
        ratio, outcome = run(2.0, 400, seed)
        assert outcome is Outcome.ALIGNED_FASTER
        assert ratio is not None and 1.7 < ratio.estimate < 2.3


def test_small_penalty_is_never_called_none() -> None:
    outcomes = [run(1.2, 1024, seed)[1] for seed in range(40)]
    assert Outcome.NO_DIFFERENCE not in outcomes
    assert outcomes.count(Outcome.ALIGNED_FASTER) >= 36


def test_no_difference_needs_a_narrow_interval() -> None:
    quiet = [run(1.0, 4096, seed, spread=0.1)[1] for seed in range(10)]
    noisy = [run(1.0, 100, seed, spread=1.0)[1] for seed in range(40)]
    assert quiet.count(Outcome.NO_DIFFERENCE) == 10
    assert Outcome.NO_DIFFERENCE not in noisy


def test_few_pairs_claim_no_result() -> None:
    assert not [*plan_looks(FEWEST_UNITS - 1)]
    assert look_at(simulate(5.0, 10, 1), 40, 0.05) is None
    assert judge(None) is Outcome.INCONCLUSIVE


def test_order_cancels_within_a_unit() -> None:
    second_is_faster = [Pair(1_000_000, 100_000), Pair(100_000, 1_000_000)]
    assert unit_ratios(second_is_faster) == [pytest.approx(0.0)]


@pytest.mark.parametrize(
    ("low", "high", "outcome", "enough"),
    [
        (0.96, 1.04, Outcome.NO_DIFFERENCE, True),
        (0.94, 1.04, Outcome.INCONCLUSIVE, False),
        (1.02, 1.09, Outcome.INCONCLUSIVE, False),
        (1.06, 1.10, Outcome.ALIGNED_FASTER, True),
        (1.5, 2.1, Outcome.ALIGNED_FASTER, False),
        (0.5, 0.8, Outcome.INCONCLUSIVE, False),
    ],
)
def test_claims(low: float, high: float, outcome: Outcome, enough: bool) -> None:
    ratio = Ratio((low + high) / 2, low, high, 0.95, 100)
    assert judge(ratio) is outcome
    assert is_enough(ratio) is enough
