"""Which of many alike cases a day looks at: a sample that the seed picks, and all of them with --full."""

import os
from collections.abc import Iterable
from typing import TypeVar

SEED = int(os.environ.get("DISKWRIGHT_SEED", "1"))
IS_FULL = "DISKWRIGHT_EVERY_FILESYSTEM" in os.environ

Case = TypeVar("Case")


def one_in(every: int, cases: Iterable[Case]) -> list[Case]:
    """Of so many cases in a row one, another one in each row."""
    return [
        case
        for number, case in enumerate(cases)
        if IS_FULL or number % every == (number // every + SEED) % every
    ]
