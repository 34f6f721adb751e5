"""Output of this process: searched for a pattern, wrapped to columns, or hidden while a user types."""

import os
import re
import shlex
import signal
import sys
import termios
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
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


def cell_width(text: str) -> int:
    """Return the width of `text` in terminal columns: two for East Asian wide characters, none for combining
    ones."""
    return sum(map(_columns, text))


def _columns(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def _prefix(text: str, columns: int) -> str:
    """Return the longest prefix that fits in `columns`, at least one character."""
    used = 0
    for index, char in enumerate(text):
        used += _columns(char)
        if used > columns and index:
            return text[:index]
    return text


def wrapped(text: str, width: int, hang: int = 0) -> Iterator[str]:
    """Yield lines of up to `width` columns, broken at spaces if possible. Lines after the first are indented
    by `hang`."""
    rest = text
    indent = ""
    while cell_width(indent + rest) > width:
        line = _prefix(rest, width - cell_width(indent))
        body = len(line) - len(line.lstrip())
        at = line.rfind(" ", body)
        if rest[len(line) : len(line) + 1] == " ":
            at = len(line)
        line = line[:at] if at > body else line
        yield (indent + line).rstrip()
        rest = rest[len(line) :].lstrip(" ")
        indent = " " * hang
    yield indent + rest


def command_lines(argv: Sequence[str], width: int, indent: int) -> Iterator[str]:
    """Yield a shell command, quoted and wrapped with backslashes. A word longer than a line continues at the
    start of the next line."""
    line = " " * indent
    fresh = True
    for word in argv:
        quoted = shlex.quote(word)
        gap = "" if fresh else " "
        if cell_width(line + gap + quoted) <= width - 2:
            line += gap + quoted
            fresh = False
            continue
        if not fresh:
            yield line + " \\"
            line = " " * (indent + 4)
        if cell_width(line + quoted) > width - 2:
            *pieces, last = _pieces(word, width - indent - 4 - 2)
            for piece in pieces:
                yield line + piece + "\\"
                line = ""
            quoted = last
        line += quoted
        fresh = False
    yield line


def _pieces(word: str, columns: int) -> Iterator[str]:
    """Yield a word in quoted pieces of up to `columns`. The shell joins adjacent pieces."""
    piece = ""
    for char in word:
        if piece and cell_width(shlex.quote(piece + char)) > columns:
            yield shlex.quote(piece)
            piece = ""
        piece += char
    yield shlex.quote(piece)
