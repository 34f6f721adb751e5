"""The statistics of the quick test for shingled recording, compared with known values."""

from math import exp, sqrt
from random import Random
from statistics import NormalDist

import pytest

from wizard.benchmark.smr_probe import MILLISECOND, kolmogorov, share_error, share_of_swaps, welch

SLEEP = (
    (0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0),
    (1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4),
)
"""Student's own sleep data; R's t.test(extra ~ group, sleep) says t = -1.8608, and means of 0.75 and 2.33."""


def test_welch_agrees_with_r_on_student_sleep_data() -> None:
    one, other = ([exp(value) for value in values] for values in SLEEP)
    t, ratio = welch(one, other)
    assert t == pytest.approx(-1.8608, abs=5e-5)
    assert ratio == pytest.approx(exp(0.75 - 2.33))
    assert welch(other, one)[0] == -t
    assert welch([2.0, 2.0], [2.0, 2.0])[0] == 0


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ((1, 2, 3, 4), (3, 4, 5, 6), 0.5),
        ((1, 2, 3), (4, 5, 6), 1.0),
        ((1, 2, 3), (1, 2, 3), 0.0),
        ((1, 1, 1, 2), (1, 2, 2, 2), 0.5),
        ((2, 2, 2), (2, 2), 0.0),
    ],
    ids=str,
)
def test_kolmogorov_distance_by_hand_also_with_equal_values(
    one: tuple[int, ...], other: tuple[int, ...], distance: float
) -> None:
    scale = sqrt(len(one) * len(other) / (len(one) + len(other)))
    assert kolmogorov(one, other) == pytest.approx(distance * scale)
    assert kolmogorov(other, one) == kolmogorov(one, other)


def test_distance_exceeds_1_36_by_chance_once_in_20_times() -> None:
    random = Random(3)
    draws = [
        kolmogorov([random.random() for _ in range(100)], [random.random() for _ in range(100)])
        for _ in range(2000)
    ]
    assert 0.03 < sum(draw > 1.36 for draw in draws) / len(draws) < 0.055


def flat(batches: list[list[float]]) -> list[float]:
    return [value for batch in batches for value in batch]


def test_permutations_swap_whole_batches() -> None:
    """Permuting whole batches reproduces the difference from a burst in a single batch."""
    random = Random(1)
    calm = [[random.gauss(10, 1) * MILLISECOND for _ in range(5)] for _ in range(20)]
    other = [[random.gauss(10, 1) * MILLISECOND for _ in range(5)] for _ in range(20)]
    slower = [[value + 5 * MILLISECOND for value in batch] for batch in other]
    apart = kolmogorov(flat(calm), flat(slower))
    assert share_of_swaps(calm, slower, apart, Random(2)) <= 0.005
    burst = [[value + 50 * MILLISECOND for value in other[0]], *other[1:]]
    seen = kolmogorov(flat(calm), flat(burst))
    assert share_of_swaps(calm, burst, seen, Random(2)) > 0.05
    # One batch a side can only be exchanged whole: half of the coins bring the very same.
    assert share_of_swaps([flat(calm)], [flat(slower)], apart, Random(2)) == 1.0


def test_shares_differ_by_standard_errors() -> None:
    assert share_error(0.5, 100, 0.5, 100) == 0
    assert share_error(0.6, 100, 0.4, 100) == pytest.approx(0.2 / sqrt(2 * 0.24 / 100))
    assert 0 < share_error(0.01, 84, 0.0, 84) < NormalDist().inv_cdf(0.95)
