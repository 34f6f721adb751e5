"""Widgets for text: lines drawn for their width, panes with a title, and areas that scroll."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip
from textual.widget import Widget

from wizard.ui.view import GAP, Bar, Block, Pane, Text
from wizard.window.blocks import Pen, block_lines
from wizard.window.look import Look
from wizard.window.text import cut, folded, joined, line, shown

Draw = Callable[[int], Sequence[Strip]]
"""Draws lines for a width."""


class Lines(Widget):
    """Lines that are drawn for the width of the widget."""

    ALLOW_SELECT = False

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.least = 0
        self.least = 0
        self._draw: Draw = lambda width: ()
        self._drawn: dict[int, Sequence[Strip]] = {}

    def show(self, draw: Draw, least: int = 0) -> None:
        """Show other lines, at least so many. Repaints only what changed."""
        width, before = self.content_size.width, self._drawn
        high = self._height(before.get(width, ()))
        self._draw, self._drawn, self.least = draw, {}, least
        lines = self.lines(width)
        if high != self._height(lines) or width not in before:
            self.refresh(layout=True)
        elif list(before[width]) != list(lines):
            self.refresh()

    def lines(self, width: int) -> Sequence[Strip]:
        """Return the lines for a width."""
        if width not in self._drawn:
            self._drawn[width] = self._draw(width)
        return self._drawn[width]

    def fill(self, least: int) -> None:
        """Be at least so many lines high."""
        if least != self.least:
            self.least = least
            self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the number of lines."""
        return self._height(self.lines(width))

    def _height(self, lines: Sequence[Strip]) -> int:
        return max(self.least, len(lines))

    def render_line(self, y: int) -> Strip:
        """Return a line."""
        lines = self.lines(self.content_size.width)
        strip = lines[y] if y < len(lines) else Strip([])
        return strip.adjust_cell_length(self.content_size.width).apply_style(self.rich_style)


class PaneBox(Lines):
    """A pane. Its title is in its upper edge."""


def pane_lines(pane: Pane, pen: Pen, width: int, *, tight: bool = False) -> list[Strip]:
    """Return a pane's blocks, after the title if it is too long for the edge. `tight`: too little room, so
    gaps are omitted."""
    blocks = _tightened(pane.blocks, pen) if tight else pane.blocks
    return [*full_title(pane.title, width, pen), *block_lines(blocks, width, pen)]


def put_title(widget: Widget, title: Text, *, ruled: bool) -> None:
    """Set the title in a widget's edge, without interpreting markup. `ruled`: the edge has no corners."""
    name = shown(title)
    content = Content(f" {name} " if ruled and name else name)
    if (widget.border_title or "") != content.markup:
        widget.border_title = content


def rule(title: Text, width: int, look: Look) -> Strip:
    """Return a line with a title."""
    name = line((f" {cut(shown(title), width - 8, look.sign('more'))} ", look.style("title")))
    style = look.style("line")
    return joined(line(("─", style)), name, line(("─" * max(0, width - 1 - name.cell_length), style)))


def full_title(title: Text, width: int, pen: Pen) -> list[Strip]:
    """Return the lines of a title that is too long for the edge."""
    name = shown(title)
    if cell_len(name) <= width - 6:
        return []
    return [line(*part) for part in folded([(name, pen.look.style("strong"))], width)]


def _tightened(blocks: tuple[Block, ...], pen: Pen) -> tuple[Block, ...]:
    """Return blocks without gaps, on the smallest screens text before drawings."""
    blocks = tuple(block for block in blocks if block != GAP)
    return blocks if pen.roomy else tuple(sorted(blocks, key=lambda block: isinstance(block, Bar)))


class Scroll(VerticalScroll, inherit_bindings=False):
    """An area that scrolls. Gets the focus only if it needs to."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll(-1)"),
        Binding("down,j", "scroll(1)"),
        Binding("pageup", "page(-1)"),
        Binding("pagedown,space", "page(1)"),
        Binding("home,g", "scroll(-1_000_000)"),
        Binding("end,G,upper_g", "scroll(1_000_000)"),
    ]

    def allow_focus(self) -> bool:
        """Return True if there is anything to scroll."""
        return self.max_scroll_y > 0

    def action_scroll(self, by: int) -> None:
        """Scroll by lines, at once, so that no key is lost."""
        self.scroll_to(y=self.scroll_y + by, animate=False, immediate=True)

    def action_page(self, by: int) -> None:
        """Scroll by pages."""
        self.action_scroll(by * max(1, self.size.height - 1))


class CellBar(ScrollBarRender):
    """A scroll bar of whole cells, since fonts of consoles lack the others."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "]


ScrollBar.renderer = CellBar
