"""Minimal output for serial lines, where every byte costs time. Sends only changed cells."""

import os
import re
import sys
from collections.abc import Iterator

from rich.cells import cell_len
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver

Cell = tuple[str, str]
"""A character and its attributes, as the numbers of an SGR sequence; the second half of a wide character is
empty."""

Place = tuple[int, int]
"""Line and column, from 0."""

BLANK: Cell = (" ", "")
CLEAR = "\x1b[0m\x1b[H\x1b[2J"
SECOND, FIRST = "\x1b[?1049h", "\x1b[?1049l"
FILLED = 6
"""Cells: as many unchanged ones cost no more than a sequence that goes past them."""
ERASED = 3
"""Cells: more blanks than these at the end of a line cost more than the sequence that erases them."""

_TOKEN = re.compile(
    r"\x1b\[(?P<move>[0-9;]*)H|\x1b\[(?P<ink>[0-9;]*)m|(?P<line>\r\n)|(?P<mode>\x1b\[\?(?:25|7|1049)[hl])|"
    r"(?P<other>\x1b\[[?<=>]?[0-9;]*[ $]?[a-zA-Z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.)|"
    r"(?P<text>[^\x1b\r\n]+)|(?P<rest>.)",
    re.DOTALL,
)
"""Modes are those of old terminals: cursor, wrapping, second screen. Of the others and of questions to the
terminal, a vt220 knows none."""

_SHOWN_ON_BLANK = frozenset({"4", "7", *(str(number) for number in range(40, 48))})


class TerminalContent:
    """What the terminal shows, as far as it was told."""

    def __init__(self) -> None:
        self._cells: dict[Place, Cell] = {}
        self._at: Place = (0, 0)
        self._left: Place = (0, 0)
        self._ink = ""

    def clear(self) -> str:
        """An empty screen."""
        self._cells.clear()
        return CLEAR

    def changed(self, data: str) -> str:
        """What has to be sent so that the terminal shows the same as if it had got `data`."""
        wanted: dict[Place, Cell] = {}
        sent: list[str] = []
        for token in _TOKEN.finditer(data):
            match token.lastgroup:
                case "move":
                    line, _, column = token["move"].partition(";")
                    self._at = (int(line or 1) - 1, int(column or 1) - 1)
                case "ink":
                    self._ink = _ink_after(self._ink, token["ink"])
                case "line":
                    self._at = (self._at[0] + 1, 0)
                case "text":
                    self._write(token["text"], wanted)
                case "mode":
                    sent += [*self._drawn(wanted), self._mode(token["mode"])]
                    wanted.clear()
        drawn = [*self._drawn(wanted)]
        sent += drawn
        if drawn or self._at != self._left:
            sent.append(f"\x1b[{self._at[0] + 1};{self._at[1] + 1}H")
            self._left = self._at
        return "".join(sent)

    def _mode(self, mode: str) -> str:
        """The second screen is begun empty, and left empty: a terminal without one shows what comes next on
        the same screen."""
        if mode == SECOND:
            return mode + self.clear()
        return self.clear() + mode if mode == FIRST else mode

    def _write(self, text: str, wanted: dict[Place, Cell]) -> None:
        line, column = self._at
        for char in text:
            width = cell_len(char)
            blank = char == " " and not _is_seen_on_blank(self._ink)
            wanted[line, column] = BLANK if blank else (char, self._ink)
            if width == 2:
                wanted[line, column + 1] = ("", self._ink)
            column += width
        self._at = (line, column)

    def _drawn(self, wanted: dict[Place, Cell]) -> Iterator[str]:
        """Line by line, what differs; the model then shows it."""
        for line in sorted({line for line, _ in wanted}):
            row = {column: cell for (at, column), cell in wanted.items() if at == line}
            old = {column: self._cells.get((line, column), BLANK) for column in row}
            wide = any(not char for char, _ in (*row.values(), *old.values()))
            changed = sorted(column for column in row if wide or old[column] != row[column])
            self._cells.update({(line, column): cell for column, cell in row.items()})
            for first, last in _runs(changed):
                yield from self._run(line, first, last)

    def _run(self, line: int, first: int, last: int) -> Iterator[str]:
        yield f"\x1b[{line + 1};{first + 1}H"
        end = max(
            (column for (at, column), cell in self._cells.items() if at == line and cell != BLANK), default=-1
        )
        erase = last - max(end, first - 1) > ERASED
        ink = ""
        for column in range(first, (end if erase else last) + 1):
            cell = self._cells.get((line, column), BLANK)
            char, wanted = cell
            # Between words in bold a blank is a blank, and needs no other ink.
            if wanted != ink and (cell != BLANK or _is_seen_on_blank(ink)):
                yield f"\x1b[{';'.join(filter(None, ('0', wanted)))}m"
                ink = wanted
            yield char
        if ink:
            yield "\x1b[0m"
        if erase:
            yield "\x1b[K"


def _ink_after(ink: str, numbers: str) -> str:
    """All that an SGR sequence adds to since the last reset; the default colours add nothing to nothing."""
    for number in numbers.split(";"):
        if number in ("", "0"):
            ink = ""
        elif ink or number not in ("39", "49"):
            ink = f"{ink};{number}" if ink else number
    return ink


def _is_seen_on_blank(ink: str) -> bool:
    """Whether a blank in this ink is more than a blank."""
    return not _SHOWN_ON_BLANK.isdisjoint(ink.split(";"))


def _runs(columns: list[int]) -> Iterator[tuple[int, int]]:
    """First and last of stretches that are sent at once."""
    start = 0
    for index in range(1, len(columns) + 1):
        if index == len(columns) or columns[index] - columns[index - 1] > FILLED:
            yield columns[start], columns[index - 1]
            start = index


class FrugalDriver(LinuxDriver):
    """Textual's own, but for what is written."""

    def __init__(
        self,
        app: App[object],
        *,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._shown = TerminalContent()
        self._known_size: os.terminal_size | None = None

    def write(self, data: str) -> None:
        """Only what differs. A terminal that has another size by now is begun anew: what it made of its
        content is not known."""
        size = _terminal_size()
        cleared = "" if self._known_size in (None, size) else self._shown.clear()
        self._known_size = size
        super().write(cleared + self._shown.changed(data))


def _terminal_size() -> os.terminal_size | None:
    try:
        return os.get_terminal_size(sys.__stderr__.fileno() if sys.__stderr__ else 2)
    except OSError:
        return None


class LeavingDriver(LinuxDriver):
    """For the Linux console, which has no second screen (or only a new kernel's has): the wizard's is empty
    before it ends, and not left behind under the prompt."""

    def write(self, data: str) -> None:
        """Clear the screen before the first one comes back."""
        super().write(CLEAR + data if data == FIRST else data)
