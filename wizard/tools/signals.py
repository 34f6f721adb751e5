"""An orderly end for work that must not be cut off in the middle."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def ended_by_signal() -> Iterator[Callable[[], bool]]:
    """Turns the first Ctrl+C or request to end into an answer of true; a second one ends at once."""
    ended = False
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in numbers}

    def end(number: int, _frame: FrameType | None) -> None:
        nonlocal ended
        ended = True
        signal.signal(number, before[signal.Signals(number)])

    for number in numbers:
        signal.signal(number, end)
    try:
        yield lambda: ended
    finally:
        for number in numbers:
            signal.signal(number, before[number])
