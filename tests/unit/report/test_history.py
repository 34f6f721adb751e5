"""Durations of a run's steps, from a possibly damaged journal."""

import pytest

from wizard.report.gather import seconds_between

AT = "2026-01-01T12:00:00+00:00"


@pytest.mark.parametrize(
    ("start", "end", "seconds"),
    (
        (AT, "2026-01-01T12:00:05+00:00", 5.0),
        (AT, "2026-01-01T11:59:00+00:00", None),
        (None, AT, None),
        (AT, "saved", None),
        ("", AT, None),
        (AT, "2026-01-01T12:00:05", None),
    ),
)
def test_damaged_time_is_unknown(start: str | None, end: str, seconds: float | None) -> None:
    assert seconds_between(start, end) == seconds
