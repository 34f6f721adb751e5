"""Lines of text: making them safe for the terminal, cutting, wrapping and joining them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from wizard.model.errors import printable
from wizard.ui.view import Text

Run = tuple[str, Style]
LONGEST = 12_000
"""Longest text in characters: one sentence can name all 128 partitions of a lost table."""

_JOINERS = dict.fromkeys(range(0xFE00, 0xFE10))
"""Variation selectors, since terminals disagree about the width of modified characters."""


def shown(text: Text) -> str:
    """Return text that is safe for a terminal."""
    return printable(str(text), LONGEST).translate(_JOINERS)


def line(*runs: Run) -> Strip:
    """Return a line from runs."""
    return Strip([Segment(text, style) for text, style in runs if text])


def blank(width: int, style: Style | None = None) -> Strip:
    """Return an empty line."""
    return Strip.blank(width, style)


def fitted(strip: Strip, width: int, style: Style | None = None) -> Strip:
    """Pad or crop a line to exactly `width` cells."""
    return strip.adjust_cell_length(max(0, width), style)


def joined(*strips: Strip) -> Strip:
    """Concatenate lines horizontally."""
    return Strip.join(strips)


def ends(left: Strip, right: Strip, width: int, style: Style | None = None) -> Strip:
    """Align one line left and one right. Crops the left one if necessary."""
    room = max(0, width - right.cell_length)
    return fitted(joined(fitted(left, room, style), right), width, style)


def cut(text: str, width: int, more: str = "…") -> str:
    """Cut text to `width` cells, with a sign for omitted text."""
    if cell_len(text) <= width:
        return text
    return text[: _fitting(text, max(0, width - cell_len(more)))] + more if width > len(more) else ""


def _fitting(text: str, cells: int) -> int:
    """Return how many characters fit."""
    if text.isascii():
        return min(len(text), max(0, cells))
    taken = 0
    for index, char in enumerate(text):
        taken += cell_len(char)
        if taken > cells:
            return index
    return len(text)


def folded(runs: Sequence[Run], first: int, room: int | None = None) -> list[list[Run]]:
    """Wrap runs at spaces, at most `first` cells and then `room`. Breaks words that are too long."""
    text = "".join(part for part, _ in runs)
    lines: list[list[Run]] = []
    start = 0
    while True:
        end = start + max(1, _fitting(text[start:], first if not lines or room is None else room))
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
    """Return the whole line in one style."""
    return Strip([Segment(text, style) for text, _, _ in strip], strip.cell_length)


def linked(strip: Strip, action: str) -> Strip:
    """Return a line that performs an action of the view when clicked."""
    return strip.apply_meta({"@click": f"app.perform({action!r})"})
