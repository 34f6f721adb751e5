"""A move that loses power at any write or flush, and goes on: nothing is lost, and nobody ever sees half."""

import pytest

from tests.unit.lossy import POLICIES
from tests.unit.powercuts import CASES, Case, cut_everywhere


@pytest.mark.parametrize("number", range(len(CASES)))
def test_no_power_cut_costs_anything(number: int) -> None:
    case: Case = CASES[number]
    tally = cut_everywhere(case, number + 1, POLICIES[:3], step=3, first=number)
    assert tally.states > 50
    assert not tally.wrong, tally.wrong[:3]
