"""The statistics of a benchmark of filesystems: known values, and simulated rounds with a known ratio."""

from collections import Counter
from collections.abc import Callable
from itertools import permutations
from math import log, sqrt
from random import Random

import pytest

from tests.unit.benchmark.trials import FASTER, OPEN, SAME, SLOWER, rounds
from wizard.benchmark.candidates.compare import (
    FEWEST,
    LEVEL,
    MOST,
    TrialFinding,
    comparisons,
    in_order,
    interval,
    is_busy,
    judge,
    speeds,
    t_quantile,
    t_tails,
)

TRIALS = 1500


def normal(draw: Random) -> float:
    return draw.gauss(0, 1)


def t3(draw: Random) -> float:
    """Return a value of Student's t with three degrees of freedom, scaled to variance 1."""
    return draw.gauss(0, 1) / sqrt(sum(draw.gauss(0, 1) ** 2 for _ in range(3)) / 3) / sqrt(3)


def concluded(
    noise: Callable[[Random], float], sd: float, ratio: float, seed: int
) -> tuple[TrialFinding, int]:
    """Return the finding of a benchmark and its number of rounds."""
    draw, logs = Random(seed), list[float]()
    found = TrialFinding.OPEN
    while found is TrialFinding.OPEN and len(logs) < MOST:
        logs.append(log(ratio) + sd * noise(draw))
        found = judge(logs)
    return found, len(logs)


def shares(
    noise: Callable[[Random], float], sd: float, ratio: float, trials: int = TRIALS
) -> dict[TrialFinding, float]:
    found = Counter(concluded(noise, sd, ratio, seed)[0] for seed in range(trials))
    return {finding: found[finding] / trials for finding in TrialFinding}


@pytest.mark.parametrize(
    ("two_sided", "freedom", "value"),
    [
        (0.05, 1, 12.706205),
        (0.01, 2, 9.924843),
        (0.01, 5, 4.032143),
        (0.05, 10, 2.228139),
        (0.01, 23, 2.807336),
        (0.001, 30, 3.645959),
        (0.01, 1000, 2.580755),
    ],
)
def test_quantiles_match_the_tables(two_sided: float, freedom: int, value: float) -> None:
    assert t_quantile(two_sided, freedom) == pytest.approx(value, abs=1e-5)
    assert t_tails(value, freedom) == pytest.approx(two_sided, rel=1e-5)


def test_interval_is_student_t() -> None:
    # R: t.test(x, conf.level = 0.99)
    ratio = interval((0.1, 0.2, 0.3, 0.2, 0.1, 0.3))
    assert (log(ratio.estimate), log(ratio.low), log(ratio.high)) == pytest.approx(
        (0.2, 0.05276646, 0.34723354), abs=1e-6
    )


def test_several_candidates_share_the_level() -> None:
    assert interval(OPEN, 3).high > interval(OPEN, 1).high
    wide, narrow = (log(interval(OPEN, others).high) - sum(OPEN) / 6 for others in (2, 1))
    assert wide / narrow == pytest.approx(t_quantile(LEVEL / 2, 5) / t_quantile(LEVEL, 5))


@pytest.mark.parametrize(
    ("logs", "finding"),
    [
        (FASTER, TrialFinding.FASTER),
        (SLOWER, TrialFinding.SLOWER),
        (SAME, TrialFinding.SAME),
        (OPEN, TrialFinding.OPEN),
        (FASTER[:5], TrialFinding.OPEN),
        # The whole interval lies above 1, but not above 1.05.
        ((0.05, 0.06, 0.04, 0.05, 0.06, 0.05), TrialFinding.SAME),
        ((0.12, 0.10, 0.14, 0.11, 0.13, 0.12), TrialFinding.FASTER),
    ],
)
def test_allowed_claims(logs: tuple[float, ...], finding: TrialFinding) -> None:
    assert judge(logs) is finding


def test_one_round_in_seven_may_contradict_a_claim() -> None:
    strong = [0.9, 0.9, 0.9, 0.9, 0.9, 0.9]
    assert judge([*strong, -0.01]) is TrialFinding.FASTER
    assert judge([*strong[:5], -0.01]) is TrialFinding.OPEN


@pytest.mark.parametrize("noise", [normal, t3])
@pytest.mark.parametrize("sd", [0.05, 0.1, 0.2, 0.5])
def test_filesystem_against_itself_rarely_differs(noise: Callable[[Random], float], sd: float) -> None:
    found = shares(noise, sd, 1.0)
    assert found[TrialFinding.FASTER] + found[TrialFinding.SLOWER] < 0.012


@pytest.mark.parametrize(
    ("sd", "ratio", "finding", "least"),
    [
        (0.05, 1.0, TrialFinding.SAME, 0.98),
        (0.10, 1.0, TrialFinding.SAME, 0.90),
        (0.05, 1.1, TrialFinding.FASTER, 0.90),
        (0.10, 1.1, TrialFinding.FASTER, 0.35),
        (0.05, 1.2, TrialFinding.FASTER, 0.99),
        (0.10, 1.2, TrialFinding.FASTER, 0.96),
        (0.20, 1.2, TrialFinding.FASTER, 0.50),
        (0.20, 1.3, TrialFinding.FASTER, 0.90),
        (0.10, 1 / 1.3, TrialFinding.SLOWER, 0.99),
    ],
)
def test_true_differences_are_found(sd: float, ratio: float, finding: TrialFinding, least: float) -> None:
    assert shares(normal, sd, ratio, 400)[finding] >= least


@pytest.mark.parametrize("noise", [normal, t3])
def test_interval_of_any_look_misses_the_truth_in_five_percent(noise: Callable[[Random], float]) -> None:
    missed = 0
    for seed in range(TRIALS):
        draw, logs = Random(seed), []
        for _ in range(MOST):
            logs.append(0.1 * noise(draw))
            if len(logs) >= FEWEST and not (ratio := interval(logs)).low < 1 < ratio.high:
                missed += 1
                break
    assert missed / TRIALS < 0.068


def test_two_candidates_take_turns_at_being_first() -> None:
    assert [in_order("ab", number) for number in range(4)] == [("a", "b"), ("b", "a")] * 2


@pytest.mark.parametrize("names", ["abc", "abcd"])
def test_more_candidates_take_turns_at_every_place(names: str) -> None:
    orders = [in_order(names, number) for number in range(2 * len(names))]
    assert set(orders) <= set(permutations(names))
    for place in range(len(names)):
        assert Counter(order[place] for order in orders) == dict.fromkeys(names, 2)
    # In every pair each comes before the other as often as behind it.
    for one, other in permutations(names, 2):
        assert sum(order.index(one) < order.index(other) for order in orders) == len(names)


def test_comparison_has_the_rounds_won_and_its_phases() -> None:
    (found,) = comparisons(rounds((*FASTER, -0.1)), "ext4", ("xfs",))
    assert (found.candidate, found.won, found.rounds) == ("xfs", 6, 7)
    assert [(one.load, one.phase) for one in found.phases] == [
        ("kernel-tree", "extract"),
        ("large-file", "write"),
    ]
    assert comparisons((), "ext4", ("xfs",))[0].ratio is None


def test_speeds_are_units_per_second_of_the_median_round() -> None:
    found = {
        (one.candidate, one.phase): one for one in speeds(rounds((0.0, log(2), log(2))), ("ext4", "xfs"))
    }
    assert found["ext4", "extract"].median == pytest.approx(210)
    assert found["xfs", "extract"].median == pytest.approx(105)
    assert (found["xfs", "extract"].low, found["xfs", "extract"].high) == pytest.approx((105, 210))
    assert speeds((), ("ext4",)) == ()


def test_busy_machine_is_detected_by_the_median_round() -> None:
    assert is_busy(rounds(SAME, pressure=21.0))
    assert not is_busy((*rounds(SAME, pressure=3.0), *rounds(SAME[:2], pressure=90.0)))
    assert not is_busy(())
