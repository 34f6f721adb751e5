"""Lines of the screen: runs of text in a style, folded and cut by the cells they take."""

from collections.abc import Iterable, Sequence

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from wizard.desk.view import Text
from wizard.model.names import printable

Run = tuple[str, Style]
LONGEST = 12_000
"""Characters of a text: a table of 128 partitions can be lost in one sentence."""

_JOINERS = dict.fromkeys(range(0xFE00, 0xFE10))
"""Variation selectors: terminals do not agree how wide what they change is."""


def shown(text: Text) -> str:
    """The text as it can be sent to a terminal."""
    return printable(str(text), LONGEST).translate(_JOINERS)


def line(*runs: Run) -> Strip:
    """Runs, one behind the other."""
    return Strip([Segment(text, style) for text, style in runs if text])


def blank(width: int, style: Style | None = None) -> Strip:
    """An empty line."""
    return Strip.blank(width, style)


def fitted(strip: Strip, width: int, style: Style | None = None) -> Strip:
    """Exactly so many cells."""
    return strip.adjust_cell_length(max(0, width), style)


def joined(*strips: Strip) -> Strip:
    """Lines beside one another, as one."""
    return Strip.join(strips)


def ends(left: Strip, right: Strip, width: int, style: Style | None = None) -> Strip:
    """One at the left, one at the right; the left is cut where both do not fit."""
    room = max(0, width - right.cell_length)
    return fitted(joined(fitted(left, room, style), right), width, style)


def cut(text: str, width: int, more: str = "…") -> str:
    """The beginning of a text that fits, with a sign where something is left out."""
    if cell_len(text) <= width:
        return text
    return text[: fitting(text, max(0, width - cell_len(more)))] + more if width > len(more) else ""


def fitting(text: str, cells: int) -> int:
    """How many characters fit."""
    if text.isascii():
        return min(len(text), max(0, cells))
    taken = 0
    for index, char in enumerate(text):
        taken += cell_len(char)
        if taken > cells:
            return index
    return len(text)


def folded(runs: Sequence[Run], first: int, room: int | None = None) -> list[list[Run]]:
    """Lines of runs, broken at spaces, at most `first` cells and then `room`; a word that is too long is cut
    where its line ends."""
    text = "".join(part for part, _ in runs)
    lines: list[list[Run]] = []
    start = 0
    while True:
        end = start + max(1, fitting(text[start:], first if not lines or room is None else room))
        if end >= len(text):
            lines.append(_slice(runs, start, len(text)))
            return lines
        space = text.rfind(" ", start + 1, end + 1)
        lines.append(_slice(runs, start, space if space > start else end))
        start = space if space > start else end
        while start < len(text) and text[start] == " ":
            start += 1


def _slice(runs: Iterable[Run], start: int, end: int) -> list[Run]:
    found: list[Run] = []
    at = 0
    for text, style in runs:
        part = text[max(0, start - at) : max(0, end - at)]
        if part:
            found.append((part, style))
        at += len(text)
    return found


def restyled(strip: Strip, style: Style) -> Strip:
    """The whole line in one style."""
    return Strip([Segment(text, style) for text, _, _ in strip], strip.cell_length)
