"""Minimal output for serial lines, where every byte costs time. Sends no part of a line twice."""

import os
import re
import sys
from contextlib import suppress
from functools import cached_property

from rich.cells import cell_len
from textual.drivers.linux_driver import LinuxDriver

from wizard.window import terminal

_TOKEN = re.compile(
    r"\x1b\[(?P<line>[0-9]+);(?P<column>[0-9]+)H(?P<text>(?:\x1b\[[0-9;]*m|[^\x1b\r\n])*)|"
    r"(?P<ink>\x1b\[[0-9;]*m)|(?P<clear>\x1b\[2J)|(?P<mode>\x1b\[\?(?:25|7|1049)[hl])|"
    r"\x1b\[[?<=>]?[0-9;]*[ $]?[a-zA-Z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.",
    re.DOTALL,
)
"""Modes are those of old terminals: cursor, wrapping, alternate screen. A vt220 knows no other modes or
queries."""

_INK = re.compile(r"\x1b\[([0-9;]*)m")
RESET = "\x1b[0m"
_BLANK_END = re.compile(r" {4,}((?:\x1b\[0m)?)$")
"""Blanks that are longer than the sequence to erase them."""
_VISIBLE_ON_BLANK = frozenset({"4", "7", *map(str, range(40, 48))})


class SentLines:
    """The text last sent for each line. Textual sends a position, and text that ends in default colours."""

    def __init__(self) -> None:
        self._lines: dict[int, tuple[int, str]] = {}
        self._cursor = (1, 1)

    def clear(self) -> str:
        """Return the sequence to clear the screen."""
        self._lines.clear()
        return terminal.CLEAR

    def changed(self, data: str, columns: int) -> str:
        """Return less output with the same effect as `data`, on a terminal with `columns`."""
        sent: list[str] = []
        cursor, drawn, ink = self._cursor, False, ""
        for token in _TOKEN.finditer(data):
            if token["line"]:
                line, column = int(token["line"]), int(token["column"])
                text = ink + token["text"]
                ink = "".join(code[0] for code in _INK.finditer(text.rpartition(RESET)[2]))
                end = column + cell_len(_INK.sub("", text))
                if end > column and self._lines.get(line) != (column, text):
                    self._lines[line], drawn = (column, text), True
                    text = _without_blank_end(text) if end > columns else text
                    sent.append(f"\x1b[{line};{column}H{text}{RESET if ink else ''}")
                cursor = line, end
            elif token["ink"]:
                ink += token["ink"]
            elif token["clear"]:
                sent.append(self.clear())
            elif mode := token["mode"]:
                # Clear on entering and leaving the alternate screen, for terminals without one.
                sent += [self.clear()] if mode == terminal.FIRST else []
                sent += [mode, *([self.clear()] if mode == terminal.SECOND else [])]
        if drawn or cursor != self._cursor:
            sent.append(f"\x1b[{cursor[0]};{cursor[1]}H")
            self._cursor = cursor
        return "".join(sent)


def _without_blank_end(text: str) -> str:
    """Erase the rest of a line instead of sending invisible blanks."""
    blanks = _BLANK_END.search(text)
    if blanks is None:
        return text
    before = text[: blanks.start()]
    inks = {number for code in _INK.finditer(before.rpartition(RESET)[2]) for number in code[1].split(";")}
    return text if inks & _VISIBLE_ON_BLANK else f"{before}{blanks[1]}\x1b[K"


class MinimalOutputDriver(LinuxDriver):
    """Textual's driver with minimal output."""

    _known_size: os.terminal_size | None = None

    @cached_property
    def _sent(self) -> SentLines:
        return SentLines()

    def write(self, data: str) -> None:
        """Write only differences. Clears the screen after a resize, when its content is unknown."""
        size: os.terminal_size | None = None
        with suppress(OSError):
            size = os.get_terminal_size(sys.__stderr__.fileno() if sys.__stderr__ else 2)
        cleared = "" if self._known_size in (None, size) else self._sent.clear()
        self._known_size = size
        super().write(cleared + self._sent.changed(data, size.columns if size else sys.maxsize))


class ClearingDriver(LinuxDriver):
    """Driver for the Linux console, which has no alternate screen before recent kernels. Clears the wizard's
    screen at the end, so that it does not remain under the prompt."""

    def write(self, data: str) -> None:
        super().write(terminal.CLEAR + data if data == terminal.FIRST else data)
