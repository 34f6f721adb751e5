"""Output to the terminal: only supported characters and colours, and only changed cells.

Textual sends every touched widget: 50 kB for a key on a large terminal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat

from rich.cells import cell_len
from rich.console import Console
from rich.control import Control
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.color import Color
from textual.drivers.linux_driver import LinuxDriver
from textual.filter import LineFilter
from textual.strip import Strip

from wizard.window.terminal import Colours, Glyphs, Terminal, translate


class SafeGlyphs(LineFilter):
    """Replaces characters missing in the terminal's font, and control characters."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__()
        self.glyphs = glyphs

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments in safe characters."""
        return [Segment(translate(text, self.glyphs), style, control) for text, style, control in segments]


class NoColours(LineFilter):
    """Removes colours. Keeps reverse and underline, which show the cursor."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments without colours."""
        return [
            Segment(text, None if style is None else _plain(style), control)
            for text, style, control in segments
        ]


class EightInks(LineFilter):
    """Makes text readable on its background.

    `paint` sets black, in case the terminal's background is unknown.

    On black, red is too dark unless bold, which terminals draw bright. On white, yellow, cyan and green are
    too bright.
    """

    def __init__(self, *, light: bool, paint: bool) -> None:
        super().__init__()
        self.light, self.paint = light, paint

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments in readable colours."""
        return [
            Segment(text, self._inked(style or Style.null()), control) for text, style, control in segments
        ]

    def _inked(self, style: Style) -> Style:
        if style.bgcolor is not None and not style.bgcolor.is_default:
            return style
        ink = style.color.number if style.color else None
        if self.light:
            return style + Style(color=_ON_WHITE[ink]) if ink in _ON_WHITE else style
        painted = (
            Style(color=None if ink is not None else "white", bgcolor="black") if self.paint else Style.null()
        )
        return style + painted + (Style(bold=True) if ink == _RED else Style.null())


_RED = 1
_ON_WHITE = {2: "blue", 3: "magenta", 6: "blue"}
"""Replacements for green, yellow and cyan."""


def _plain(style: Style) -> Style:
    return Style(
        reverse=style.reverse or None,
        underline=style.underline or None,
        bold=style.bold or None,
        meta=style.meta or None,
    )


def filters_of(terminal: Terminal) -> Sequence[LineFilter]:
    """Return the filters for a terminal."""
    found: list[LineFilter] = []
    if terminal.colours is Colours.EIGHT:
        # The Linux console is black. A terminal window can have any background.
        found.append(EightInks(light=terminal.light, paint=terminal.glyphs is Glyphs.ALL))
    found.append(SafeGlyphs(terminal.glyphs))
    if terminal.colours is Colours.NONE:
        found.append(NoColours())
    return found


Cell = tuple[str, Style | None]
"""A character and its style. The second half of a wide character is empty."""

CLEAR, ERASE = "\x1b[0m\x1b[H\x1b[2J", "\x1b[K"
FIRST = "\x1b[?1049l"
"""Returns from the alternate screen."""
FILLED = 6
"""Cells. Sending up to this many unchanged ones is no longer than a sequence to skip them."""
ERASED = 3
"""Cells. Sending more blanks than this at the end of a line is longer than the sequence to erase them."""

_UNKNOWN = re.compile(
    r"\x1b\[(?![0-9;]*[HmJK]|\?(?:25|7|1049)[hl])[?<=>]?[0-9;]*[ $]?[a-zA-Z]|"
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[^\[\]]"
)
"""Sequences other than those of old terminals: moving, attributes, erasing, cursor, wrapping, alternate
screen. A vt220 knows no other modes or queries."""


class Shown:
    """The terminal's lines."""

    def __init__(self) -> None:
        self._lines: dict[int, Strip] = {}
        self._width = 0

    def forget(self) -> None:
        """Clear the terminal before the next update, for unknown content."""
        self._lines = {}

    def difference(self, update: CompositorUpdate) -> CompositorUpdate | None:
        """Return an update with the same effect and fewer bytes, or None if nothing changed."""
        is_known = bool(self._lines)
        match update:
            case LayoutUpdate():
                lines = {y: Strip.join(each) for y, each in enumerate(update.strips, update.region.y)}
                is_known = is_known and update.region.width == self._width and len(lines) == len(self._lines)
                self._width = update.region.width
            case ChopsUpdate() if is_known:
                rows = {y for y, _, _ in update.spans}
                lines = {y: Strip.join(_pieces(self._lines[y], update.chops[y])) for y in rows}
            case _:
                self.forget()
                return update
        before = self._lines if is_known else {}
        blank = Strip.blank(self._width)
        runs = [
            (y, *run) for y, line in sorted(lines.items()) for run in _changed(before.get(y, blank), line)
        ]
        self._lines = before | lines
        return _ChangedCells(runs, clear=not is_known) if runs or not is_known else None


class _ChangedCells(CompositorUpdate):
    """Pieces of lines: line, column, cells, and True if the rest of the line is blank."""

    def __init__(self, runs: list[tuple[int, int, Strip, bool]], *, clear: bool) -> None:
        self.runs, self.clear = runs, clear

    def render_segments(self, console: Console) -> str:
        """Return the text for the terminal."""
        return (CLEAR if self.clear else "") + "".join(
            Control.move_to(x, y).segment.text + strip.render(console) + (ERASE if blank else "")
            for y, x, strip, blank in self.runs
        )


def _pieces(line: Strip, chops: Mapping[int, Strip | None]) -> Iterator[Strip]:
    """Yield a line with some replaced pieces."""
    end = 0
    for x, strip in sorted(chops.items()):
        if strip is not None:
            yield line.crop(end, x)
            yield strip
            end = x + strip.cell_length
    yield line.crop(end)


def _changed(before: Strip, after: Strip) -> Iterator[tuple[int, Strip, bool]]:
    """Yield the runs of cells that differ."""
    if before == after:
        return
    old, new = _cells(before), _cells(after)
    differs = [one != other for one, other in zip(old, new, strict=True)]
    for column, (char, _) in enumerate(new):
        # A wide character is sent as a whole.
        if not char and (differs[column] or differs[column - 1]):
            differs[column - 1] = differs[column] = True
    columns = [column for column, differ in enumerate(differs) if differ]
    end = max((column + 1 for column, cell in enumerate(new) if not _is_blank(cell)), default=0)
    for first, last in _runs(columns):
        is_blank = last + 1 - max(end, first) > ERASED
        yield first, after.crop(first, max(first, end) if is_blank else last + 1).simplify(), is_blank


def _cells(strip: Strip) -> list[Cell]:
    cells: list[Cell] = []
    for text, style, _ in strip:
        if text.isascii():
            cells.extend(zip(text, repeat(style), strict=False))
            continue
        for char in text:
            cells += [(char, style), ("", style)][: cell_len(char)]
    return cells


def _is_blank(cell: Cell) -> bool:
    char, style = cell
    if char != " " or style is None:
        return char == " "
    return not (style.reverse or style.underline or (style.bgcolor and not style.bgcolor.is_default))


def _runs(columns: list[int]) -> Iterator[tuple[int, int]]:
    """Yield first and last columns of runs to send together."""
    start = 0
    for index in range(1, len(columns) + 1):
        if index == len(columns) or columns[index] - columns[index - 1] > FILLED:
            yield columns[start], columns[index - 1]
            start = index


class ClearingDriver(LinuxDriver):
    """Driver for the Linux console, which has no alternate screen before recent kernels. Clears the wizard's
    screen at the end, so that it does not remain under the prompt."""

    def write(self, data: str) -> None:
        """Clear the screen before returning from the alternate one."""
        super().write(data.replace(FIRST, CLEAR + FIRST))


class SerialDriver(ClearingDriver):
    """Driver for old terminals and serial lines."""

    def write(self, data: str) -> None:
        """Write only what old terminals know."""
        super().write(known(data))


def known(data: str) -> str:
    """Return output without sequences that old terminals do not know."""
    return _UNKNOWN.sub("", data)
