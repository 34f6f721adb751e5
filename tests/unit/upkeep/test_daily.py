"""The daily samples cover everything in the long run."""

import pytest

from tests import daily


def on_day(monkeypatch: pytest.MonkeyPatch, day: int) -> None:
    """Simulate another day."""
    monkeypatch.setattr(daily, "IS_FULL", False)
    monkeypatch.setattr(daily, "IS_SHARED", True)
    monkeypatch.setattr(daily, "DAY", day)
    monkeypatch.setattr(daily, "PHASE", daily.phase(day))


def test_each_check_of_a_shared_tier_is_due_once_in_four_days(monkeypatch: pytest.MonkeyPatch) -> None:
    due: list[int] = []
    for day in range(20785, 20785 + daily.SHARE_DAYS):
        on_day(monkeypatch, day)
        due += daily.todays_share(range(103))
    assert sorted(due) == list(range(103))


@pytest.mark.parametrize("every", [2, 3, 4, 5, 7, 8, 9])
def test_check_due_every_fourth_day_covers_all_its_cases(every: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for first in range(daily.SHARE_DAYS):
        met: set[int] = set()
        for day in range(first, first + every * daily.SHARE_DAYS, daily.SHARE_DAYS):
            on_day(monkeypatch, day)
            met.update(daily.one_in(every, range(2 * every)))
        assert met == set(range(2 * every))
