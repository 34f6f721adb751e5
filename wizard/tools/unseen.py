"""What is typed without being shown, such as a passphrase."""

import os
import signal
import termios
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import BinaryIO

ENDING = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def unseen(answers: BinaryIO) -> Iterator[None]:
    """While this lasts, a terminal does not show what is typed. Anything else has nothing to show. Ask
    within it: whoever types at once is not shown either.

    A process that is asked to end meanwhile leaves the terminal as it was.
    """
    try:
        before = termios.tcgetattr(answers.fileno())
    except (OSError, ValueError, termios.error):
        yield
        return
    during = [*before]
    during[3] &= ~termios.ECHO

    def end(number: int, _frame: FrameType | None) -> None:
        # The terminal may be the one thing that has gone.
        with suppress(termios.error):
            termios.tcsetattr(answers.fileno(), termios.TCSANOW, before)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    taken = [number for number in ENDING if signal.getsignal(number) is signal.SIG_DFL]
    for number in taken:
        signal.signal(number, end)
    try:
        termios.tcsetattr(answers.fileno(), termios.TCSADRAIN, during)
        yield
    finally:
        termios.tcsetattr(answers.fileno(), termios.TCSADRAIN, before)
        for number in taken:
            signal.signal(number, signal.SIG_DFL)
