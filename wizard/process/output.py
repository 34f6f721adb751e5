"""Search stdout and stderr of this process for a pattern. Also hides typed input on a terminal."""

import os
import re
import signal
import sys
import termios
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from types import FrameType, TracebackType
from typing import BinaryIO, Self, TextIO, cast

LONGEST = 80
"""Characters of earlier text to search together with new text."""


class OutputSearch:
    """Searches stdout and stderr for a pattern while open, also across writes."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.found = False
        self.pattern = pattern
        self._streams = (sys.stdout, sys.stderr)

    def __enter__(self) -> Self:
        sys.stdout, sys.stderr = (cast(TextIO, _Stream(one, self)) for one in self._streams)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        sys.stdout, sys.stderr = self._streams


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


class Listener:
    """Pipe for lines from a command, which writes to `end`. `on_line` is called in a thread."""

    def __init__(self, on_line: Callable[[str], None]) -> None:
        self._on_line = on_line
        self._begin, self.end = os.pipe()
        self._thread = Thread(target=self._listen, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self.end)
        self._thread.join()

    def _listen(self) -> None:
        with os.fdopen(self._begin, "rb") as lines:
            for line in lines:
                self._on_line(line.decode(errors="replace").rstrip("\n"))
