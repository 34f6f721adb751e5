"""Which of many alike cases a day looks at: a sample that the seed picks, and all of them with --full."""

import os
from collections.abc import Iterable
from typing import TypeVar

SEED_VARIABLE, FULL_VARIABLE = "DISKWRIGHT_SEED", "DISKWRIGHT_EVERY_FILESYSTEM"
"""The lab hands them on to its guests."""
SEED = int(os.environ.get(SEED_VARIABLE, "1"))
IS_FULL = FULL_VARIABLE in os.environ

Case = TypeVar("Case")


def one_in(every: int, cases: Iterable[Case]) -> list[Case]:
    """Of so many cases in a row one, another one in each row."""
    return [
        case
        for number, case in enumerate(cases)
        if IS_FULL or number % every == (number // every + SEED) % every
    ]
