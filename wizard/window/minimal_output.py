"""Minimal output for serial lines, where every byte costs time. Sends only changed cells."""

import os
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property

from rich.cells import cell_len
from textual.drivers.linux_driver import LinuxDriver

from wizard.window import terminal

Cell = tuple[str, str]
"""A character and the attributes as numbers of an SGR sequence. The second half of a wide character is
empty."""

Place = tuple[int, int]
"""Line and column, from 0."""

BLANK: Cell = (" ", "")
FILLED = 6
"""Cells. Sending up to this many unchanged ones is no longer than a sequence to skip them."""
ERASED = 3
"""Cells. Sending more blanks than this at the end of a line is longer than the sequence to erase them."""

_TOKEN = re.compile(
    r"\x1b\[(?P<move>[0-9;]*)H|\x1b\[(?P<ink>[0-9;]*)m|(?P<line>\r\n)|(?P<clear>\x1b\[2J)|"
    r"(?P<mode>\x1b\[\?(?:25|7|1049)[hl])|"
    r"(?P<other>\x1b\[[?<=>]?[0-9;]*[ $]?[a-zA-Z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.)|"
    r"(?P<text>[^\x1b\r\n]+)|(?P<rest>.)",
    re.DOTALL,
)
"""Modes are those of old terminals: cursor, wrapping, alternate screen. A vt220 knows no other modes or
queries."""

_VISIBLE_ON_BLANK = frozenset({"4", "7", *(str(number) for number in range(40, 48))})


class TerminalContent:
    """Model of the terminal's content."""

    def __init__(self) -> None:
        self._lines: defaultdict[int, dict[int, Cell]] = defaultdict(dict)
        self._at: Place = (0, 0)
        self._left: Place = (0, 0)
        self._ink = ""

    def clear(self) -> str:
        """Return the sequence to clear the screen."""
        self._lines.clear()
        return terminal.CLEAR

    def changed(self, data: str) -> str:
        """Return the least output with the same effect as `data`."""
        wanted: defaultdict[int, dict[int, Cell]] = defaultdict(dict)
        sent: list[str] = []
        for token in _TOKEN.finditer(data):
            match token.lastgroup:
                case "move":
                    line, _, column = token["move"].partition(";")
                    self._at = (int(line or 1) - 1, int(column or 1) - 1)
                case "ink":
                    self._ink = _attributes_after(self._ink, token["ink"])
                case "line":
                    self._at = (self._at[0] + 1, 0)
                case "clear":
                    sent.append(self.clear())
                    wanted.clear()
                case "text":
                    self._write(token["text"], wanted[self._at[0]])
                case "mode":
                    mode = token["mode"]
                    sent += self._differences(wanted)
                    # Clear on entering and leaving the alternate screen, for terminals without one.
                    sent += [self.clear()] if mode == terminal.FIRST else []
                    sent += [mode, *([self.clear()] if mode == terminal.SECOND else [])]
        drawn = [*self._differences(wanted)]
        sent += drawn
        if drawn or self._at != self._left:
            sent.append(f"\x1b[{self._at[0] + 1};{self._at[1] + 1}H")
            self._left = self._at
        return "".join(sent)

    def _write(self, text: str, row: dict[int, Cell]) -> None:
        line, column = self._at
        for char in text:
            width = cell_len(char)
            blank = char == " " and not _is_visible_on_blank(self._ink)
            row[column] = BLANK if blank else (char, self._ink)
            if width == 2:
                row[column + 1] = ("", self._ink)
            column += width
        self._at = (line, column)

    def _differences(self, wanted: dict[int, dict[int, Cell]]) -> Iterator[str]:
        """Consumes `wanted`."""
        for line, row in sorted(wanted.items()):
            cells = self._lines[line]
            old = {column: cells.get(column, BLANK) for column in row}
            wide = any(not char for char, _ in (*row.values(), *old.values()))
            changed = sorted(column for column in row if wide or old[column] != row[column])
            cells |= row
            for first, last in _runs(changed):
                yield f"\x1b[{line + 1};{first + 1}H"
                yield from _run(cells, first, last)
        wanted.clear()


def _run(cells: dict[int, Cell], first: int, last: int) -> Iterator[str]:
    end = max((column for column, cell in cells.items() if cell != BLANK), default=-1)
    erase = last - max(end, first - 1) > ERASED
    ink = ""
    for column in range(first, (end if erase else last) + 1):
        cell = cells.get(column, BLANK)
        char, wanted = cell
        # A blank between bold words needs no other attributes.
        if wanted != ink and (cell != BLANK or _is_visible_on_blank(ink)):
            yield f"\x1b[{';'.join(filter(None, ('0', wanted)))}m"
            ink = wanted
        yield char
    if ink:
        yield "\x1b[0m"
    if erase:
        yield "\x1b[K"


def _attributes_after(ink: str, numbers: str) -> str:
    """Return the attributes after an SGR sequence. Default colours without other attributes are omitted."""
    for number in numbers.split(";"):
        if number in ("", "0"):
            ink = ""
        elif ink or number not in ("39", "49"):
            ink = f"{ink};{number}" if ink else number
    return ink


def _is_visible_on_blank(ink: str) -> bool:
    return not _VISIBLE_ON_BLANK.isdisjoint(ink.split(";"))


def _runs(columns: list[int]) -> Iterator[tuple[int, int]]:
    start = 0
    for index in range(1, len(columns) + 1):
        if index == len(columns) or columns[index] - columns[index - 1] > FILLED:
            yield columns[start], columns[index - 1]
            start = index


class MinimalOutputDriver(LinuxDriver):
    """Textual's driver with minimal output."""

    _known_size: os.terminal_size | None = None

    @cached_property
    def _shown(self) -> TerminalContent:
        return TerminalContent()

    def write(self, data: str) -> None:
        """Write only differences. Clears the screen after a resize, when its content is unknown."""
        size: os.terminal_size | None = None
        with suppress(OSError):
            size = os.get_terminal_size(sys.__stderr__.fileno() if sys.__stderr__ else 2)
        cleared = "" if self._known_size in (None, size) else self._shown.clear()
        self._known_size = size
        super().write(cleared + self._shown.changed(data))


class ClearingDriver(LinuxDriver):
    """Driver for the Linux console, which has no alternate screen before recent kernels. Clears the wizard's
    screen at the end, so that it does not remain under the prompt."""

    def write(self, data: str) -> None:
        super().write(terminal.CLEAR + data if data == terminal.FIRST else data)
