"""Search stdout and stderr of this process for a pattern. Also hides typed input on a terminal."""

import os
import re
import signal
import sys
import termios
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from types import FrameType
from typing import BinaryIO, TextIO, cast

LONGEST = 80
"""Characters of earlier text to search together with new text."""


class OutputSearch:
    """A search for a pattern, also across writes."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.found = False
        self.pattern = pattern


@contextmanager
def search_output(pattern: re.Pattern[str]) -> Iterator[OutputSearch]:
    """Search stdout and stderr while open."""
    search, streams = OutputSearch(pattern), (sys.stdout, sys.stderr)
    sys.stdout, sys.stderr = (cast(TextIO, _Stream(one, search)) for one in streams)
    try:
        yield search
    finally:
        sys.stdout, sys.stderr = streams


class _Stream:
    def __init__(self, stream: TextIO, search: OutputSearch) -> None:
        self._stream, self._search, self._before = stream, search, ""

    def write(self, text: str) -> int:
        if not self._search.found:
            known = self._before + text
            self._search.found = self._search.pattern.search(known) is not None
            self._before = known[-LONGEST:]
        return self._stream.write(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


ENDING = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def no_echo(answers: BinaryIO) -> Iterator[None]:
    """Hide input typed on a terminal. Prompt inside the context, so that fast typing is hidden too. A process
    terminated meanwhile restores the terminal."""
    try:
        old_settings = termios.tcgetattr(answers.fileno())
    except (OSError, ValueError, termios.error):
        yield
        return
    new_settings = [*old_settings]
    new_settings[3] &= ~termios.ECHO

    def end(number: int, _frame: FrameType | None) -> None:
        # The terminal itself may be gone.
        with suppress(termios.error):
            termios.tcsetattr(answers.fileno(), termios.TCSANOW, old_settings)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    handled = [number for number in ENDING if signal.getsignal(number) is signal.SIG_DFL]
    for number in handled:
        signal.signal(number, end)
    try:
        termios.tcsetattr(answers.fileno(), termios.TCSADRAIN, new_settings)
        yield
    finally:
        termios.tcsetattr(answers.fileno(), termios.TCSADRAIN, old_settings)
        for number in handled:
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def listening(on_line: Callable[[str], None]) -> Iterator[int]:
    """Yield a pipe for lines from a command. `on_line` is called in a thread."""
    begin, end = os.pipe()

    def listen() -> None:
        with os.fdopen(begin, "rb") as lines:
            for line in lines:
                on_line(line.decode(errors="replace").rstrip("\n"))

    thread = Thread(target=listen, daemon=True)
    thread.start()
    try:
        yield end
    finally:
        os.close(end)
        thread.join()
