"""Daily samples of similar cases: another sample each day, and all cases with --full."""

import os
from collections.abc import Iterable
from typing import TypeVar

DAY_VARIABLE, FULL_VARIABLE = "DISKWRIGHT_DAY", "DISKWRIGHT_EVERY_FILESYSTEM"
"""What `tests/run` sets, and the lab hands on to its guests."""
SEED = int(os.environ.get("DISKWRIGHT_SEED", "1"))
"""Of what is drawn."""
DAY = int(os.environ.get(DAY_VARIABLE, "1"))
IS_FULL = FULL_VARIABLE in os.environ
IS_SHARED = "DISKWRIGHT_SHARE" in os.environ and not IS_FULL
"""The whole loop tier or the whole lab was asked for: it does a share of its checks today."""
SHARE_DAYS = 4
"""After so many days of runs, each check of these tiers was due once."""


def phase(day: int) -> int:
    """Return the phase of samples within a check. From one fourth day to the next it advances by 11, which is
    prime to the size of every sample, so no case is left out for good."""
    return day + 7 * (day // SHARE_DAYS)


PHASE = phase(DAY)

Case = TypeVar("Case")


def one_in(every: int, cases: Iterable[Case]) -> list[Case]:
    """Return one case of each row of `every` cases; which one depends on the row and the day."""
    return [case for number, case in enumerate(cases) if IS_FULL or _is_due(number, every, PHASE)]


def todays_share(checks: Iterable[Case]) -> list[Case]:
    """Return the checks that are due today, or all of them unless a whole shared tier was asked for."""
    return [check for number, check in enumerate(checks) if not IS_SHARED or _is_due(number, SHARE_DAYS, DAY)]


def _is_due(number: int, every: int, phase: int) -> bool:
    return number % every == (number // every + phase) % every
