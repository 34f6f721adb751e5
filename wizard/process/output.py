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
"""Characters before what is written next in which a match may have begun."""


class Heard:
    """Looks through all that is written to stdout and stderr while it is open; `found` is whether the pattern
    was there. A match may begin in one stream's text and end in its next."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.found = False
        self._pattern = pattern
        self._streams = (sys.stdout, sys.stderr)

    def __enter__(self) -> Self:
        sys.stdout, sys.stderr = (cast(TextIO, _Stream(one, self._listener())) for one in self._streams)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        sys.stdout, sys.stderr = self._streams

    def _listener(self) -> Callable[[str], None]:
        before = ""

        def hear(text: str) -> None:
            nonlocal before
            if not self.found:
                text = before + text
                self.found = self._pattern.search(text) is not None
                before = text[-LONGEST:]

        return hear


class _Stream:
    """A stream whose text is heard as it is written."""

    def __init__(self, stream: TextIO, hear: Callable[[str], None]) -> None:
        self._stream, self._hear = stream, hear

    def write(self, text: str) -> int:
        self._hear(text)
        return self._stream.write(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


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


class Listener:
    """A pipe that a command writes lines to. `end` is the command's descriptor; each line goes to `on_line`,
    from a thread of its own."""

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
