"""Which of many alike cases a day looks at: a sample, another one each day, and all of them with --full."""

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
"""A whole tier was asked for: the loop tier and the lab do half of their checks today, the rest tomorrow."""

Case = TypeVar("Case")


def one_in(every: int, cases: Iterable[Case]) -> list[Case]:
    """Of so many cases in a row one, another one in each row."""
    return [
        case
        for number, case in enumerate(cases)
        if IS_FULL or number % every == (number // every + DAY) % every
    ]
