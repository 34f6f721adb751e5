"""Widgets: lines drawn for their width, areas that scroll, and forms with fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from rich.cells import cell_len
from rich.text import Text as RichText
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, Label, Select
from textual.widgets.input import Selection

from wizard.ui.view import GAP, Bar, Block, Field, Pane, Text
from wizard.window.blocks import Pen, block_lines
from wizard.window.look import Look
from wizard.window.strips import Run, cut, folded, joined, line, shown

Draw = Callable[[int], Sequence[Strip]]
"""Draws lines for a width."""


class Lines(Widget):
    """Lines drawn for the width of the widget."""

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
    """A pane with a title in the upper edge."""


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
    """A scrolling area. Gets the focus only with hidden lines."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll(-1)"),
        Binding("down,j", "scroll(1)"),
        Binding("pageup", "page(-1)"),
        Binding("pagedown,space", "page(1)"),
        Binding("home,g", "scroll(-1_000_000)"),
        Binding("end,G,upper_g", "scroll(1_000_000)"),
    ]

    def allow_focus(self) -> bool:
        """Return True with hidden lines."""
        return self.max_scroll_y > 0

    def action_scroll(self, by: int) -> None:
        """Scroll by lines immediately, without losing a key."""
        self.scroll_to(y=self.scroll_y + by, animate=False, immediate=True)

    def action_page(self, by: int) -> None:
        """Scroll by pages."""
        self.action_scroll(by * max(1, self.size.height - 1))


class _CellBar(ScrollBarRender):
    """A scroll bar of whole cells, since fonts of consoles lack the others."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "]


ScrollBar.renderer = _CellBar


LONGEST_VALUE = 1000
"""Longest value of a field in characters."""
ENTRY = 40
"""Sufficient width for typed values in cells."""
BESIDE = 5
"""Cells of a field beside its caption and its value."""


class Entry(Input, inherit_bindings=False):
    """A text field. Without Textual's keys for scrolling, which belong to the form."""

    BINDINGS: ClassVar[list[BindingType]] = Input.BINDINGS

    def __init__(self, field: Field) -> None:
        super().__init__(
            field.value,
            shown(field.hint),
            password=field.secret,
            select_on_focus=False,
            compact=True,
            max_length=LONGEST_VALUE,
        )
        self.cursor_blink = False

    def enter(self, text: str) -> None:
        """Replace the selection by the printable characters of a text."""
        start, end = sorted(self.selection)
        room = LONGEST_VALUE - len(self.value) + end - start
        self.replace("".join(char for char in text if char.isprintable())[:room], start, end)

    def put(self, field: Field) -> None:
        """Set the value that the screen gives."""
        self.value = field.value
        selected = field.selected and field.value != ""
        self.selection = Selection(0 if selected else len(field.value), len(field.value))


class ChoiceField(Select[str], inherit_bindings=False):
    """A selection. Arrow keys change it, Space opens the list."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "show_overlay"),
        Binding("left", "turn(-1)"),
        Binding("right", "turn(1)"),
    ]

    def __init__(self, field: Field) -> None:
        super().__init__(_options(field), allow_blank=False, value=_valid(field), compact=True)
        self._offers = field.offers

    def show(self, field: Field) -> None:
        """Show other offers."""
        if field.offers != self._offers:
            value = self.value
            self._offers = field.offers
            with self.prevent(Select.Changed):
                self.set_options(_options(field))
                if value in [offer.value for offer in field.offers]:
                    self.value = value

    def put(self, field: Field) -> None:
        """Set the value that the screen gives."""
        with self.prevent(Select.Changed):
            self.value = _valid(field)

    def action_turn(self, by: int) -> None:
        """Select the next or previous offer, cyclically."""
        values = [offer.value for offer in self._offers]
        self.value = values[(values.index(str(self.value)) + by) % len(values)]


def _options(field: Field) -> list[tuple[RichText, str]]:
    return [(RichText(shown(offer.text), end=""), offer.value) for offer in field.offers]


def _valid(field: Field) -> str:
    values = [offer.value for offer in field.offers]
    return field.value if field.value in values else values[0]


class FieldLine(Horizontal):
    """A field with caption and note."""

    def __init__(self, field: Field) -> None:
        super().__init__()
        self.field = field
        self.entry: Entry | ChoiceField = ChoiceField(field) if field.offers else Entry(field)

    def compose(self) -> ComposeResult:
        """Yield the widgets from left to right."""
        yield Label(classes="mark")
        yield Lines(id="caption")
        with Vertical():
            with Horizontal(classes="value"):
                yield Label("[", classes="bracket", markup=False)
                yield self.entry
                yield Label("]", classes="bracket", markup=False)
            yield Lines(id="note")

    @property
    def has_the_focus(self) -> bool:
        """True immediately after the focus changed. Textual informs the widget later."""
        focused = self.screen.focused
        return focused is not None and self.entry in focused.ancestors_with_self

    def show(self, field: Field, column: int, width: int, pen: Pen) -> None:
        """Show a field beside a column of captions, in a form of this width."""
        self.field = field
        look = pen.look
        focused = self.has_the_focus
        room = max(6, width - column - BESIDE)
        self.query_one(".mark", Label).update(
            RichText(look.sign("mark") if focused else " ", look.style("accent"))
        )
        style = look.style("accent" if focused else "text")
        caption = self.query_one("#caption", Lines)
        caption.styles.width = column + 2
        caption.show(
            lambda _: [line(*part) for part in folded([(shown(field.caption), style)], max(4, column))]
        )
        for bracket in self.query(".bracket"):
            bracket.display = not look.many and isinstance(self.entry, Entry)
        self.entry.styles.width = (
            min(max(ENTRY, cell_len(shown(field.hint)) + 4), room) if isinstance(self.entry, Entry) else room
        )
        if isinstance(self.entry, ChoiceField):
            self.entry.show(field)
        else:
            self.entry.placeholder = shown(field.hint)
        self.query_one("#note", Lines).show(lambda _: [line(*part) for part in self._note(room, pen)])

    def height(self, column: int, width: int, pen: Pen) -> int:
        """Return the number of lines."""
        caption = folded([(shown(self.field.caption), pen.look.style("text"))], max(4, column))
        return max(len(caption), 1 + len(self._note(max(6, width - column - BESIDE), pen)))

    def _note(self, room: int, pen: Pen) -> list[list[Run]]:
        """Return why a selection is unavailable, or a hint that is too long for the field."""
        look, field = pen.look, self.field
        offer = next((one for one in field.offers if one.value == self.entry.value), None)
        if offer is not None and offer.why_not != "":
            return folded([(shown(offer.why_not), look.style("warn"))], room)
        if not field.offers and cell_len(shown(field.hint)) + 4 > room:
            return folded([(shown(field.hint), look.style("muted"))], room)
        return []


class FieldForm(Scroll, inherit_bindings=False):
    """The fields of a view, stacked."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "step(-1)"),
        Binding("down", "step(1)"),
    ]

    def rows(self) -> list[FieldLine]:
        """Return the fields in order."""
        return list(self.query_children(FieldLine))

    async def show(self, fields: Sequence[Field], values: Mapping[str, str], *, anew: bool) -> None:
        """Show these fields. New ones get the values, as far as known."""
        kinds = [(field.key, bool(field.offers), field.secret) for field in fields]
        rows = self.rows()
        if anew or kinds != [(row.field.key, bool(row.field.offers), row.field.secret) for row in rows]:
            await self.remove_children()
            rows = [FieldLine(replace(field, value=values.get(field.key, field.value))) for field in fields]
            await self.mount_all(rows)
            for row in rows:
                row.entry.put(row.field)

    def arrange_fields(self, fields: Sequence[Field], width: int, pen: Pen) -> None:
        """Show the fields in a form of this width."""
        column = _caption_column(fields, width)
        for row, field in zip(self.rows(), fields, strict=True):
            row.show(field, column, width, pen)

    def natural(self, fields: Sequence[Field], width: int, pen: Pen) -> int:
        """Return the number of lines."""
        column = _caption_column(fields, width)
        return sum(row.height(column, width, pen) for row in self.rows())

    def allow_focus(self) -> bool:
        """Return False: the fields get the focus."""
        return False

    def values(self) -> dict[str, str]:
        """Return the values of all fields by key."""
        return {row.field.key: str(row.entry.value) for row in self.rows()}

    def turned(self, before: Mapping[str, str]) -> list[str]:
        """Return the keys of selections that differ from these values."""
        return [
            row.field.key
            for row in self.rows()
            if isinstance(row.entry, ChoiceField) and before.get(row.field.key) != str(row.entry.value)
        ]

    def focused_row(self) -> FieldLine | None:
        """Return the field with the focus, if any."""
        return next((row for row in self.rows() if row.has_the_focus), None)

    def action_step(self, by: int) -> None:
        """Move the focus to the next field, but not around the ends."""
        rows = self.rows()
        now = next((index for index, row in enumerate(rows) if row.has_the_focus), 0)
        self.screen.set_focus(rows[max(0, min(len(rows) - 1, now + by))].entry)


def _caption_column(fields: Sequence[Field], width: int) -> int:
    """Return the width of the captions."""
    longest = max((cell_len(shown(field.caption)) for field in fields), default=0)
    return min(longest, max(8, width * 2 // 5))
