"""A form: text fields and selections, each with its caption."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from rich.cells import cell_len
from rich.text import Text as RichText
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Label, Select
from textual.widgets.input import Selection

from wizard.ui.view import Field
from wizard.window.blocks import Pen
from wizard.window.panes import Lines, Scroll
from wizard.window.text import Run, folded, line, shown

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
        """Replace the selection by text, without characters that cannot be shown."""
        start, end = sorted(self.selection)
        room = LONGEST_VALUE - len(self.value) + end - start
        self.replace("".join(char for char in text if char.isprintable())[:room], start, end)

    def put(self, field: Field) -> None:
        """Set the value that the screen gives."""
        self.value = field.value
        selected = field.selected and field.value != ""
        self.selection = Selection(0 if selected else len(field.value), len(field.value))


class Choice(Select[str], inherit_bindings=False):
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


class FieldRow(Horizontal):
    """A field with its caption, and a note below it."""

    def __init__(self, field: Field) -> None:
        super().__init__()
        self.field = field
        self.entry: Entry | Choice = Choice(field) if field.offers else Entry(field)

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
        """True at once after the focus was set. Textual tells the widget later."""
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
        if isinstance(self.entry, Choice):
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


class Form(Scroll, inherit_bindings=False):
    """The fields of a view, stacked."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "step(-1)"),
        Binding("down", "step(1)"),
    ]

    def rows(self) -> list[FieldRow]:
        """Return the fields in order."""
        return list(self.query_children(FieldRow))

    async def show(self, fields: Sequence[Field], values: Mapping[str, str], *, anew: bool) -> None:
        """Show these fields. New ones get the values, as far as known."""
        kinds = [(field.key, bool(field.offers), field.secret) for field in fields]
        rows = self.rows()
        if anew or kinds != [(row.field.key, bool(row.field.offers), row.field.secret) for row in rows]:
            await self.remove_children()
            rows = [FieldRow(replace(field, value=values.get(field.key, field.value))) for field in fields]
            await self.mount_all(rows)
            for row in rows:
                row.entry.put(row.field)

    def arrange_fields(self, fields: Sequence[Field], width: int, pen: Pen) -> None:
        """Show the fields in a form of this width."""
        column = caption_column(fields, width)
        for row, field in zip(self.rows(), fields, strict=True):
            row.show(field, column, width, pen)

    def natural(self, fields: Sequence[Field], width: int, pen: Pen) -> int:
        """Return the number of lines."""
        column = caption_column(fields, width)
        return sum(row.height(column, width, pen) for row in self.rows())

    def allow_focus(self) -> bool:
        """Return False: its fields have the focus."""
        return False

    def values(self) -> dict[str, str]:
        """Return the values of all fields by key."""
        return {row.field.key: str(row.entry.value) for row in self.rows()}

    def turned(self, before: Mapping[str, str]) -> list[str]:
        """Return the keys of selections that differ from these values."""
        return [
            row.field.key
            for row in self.rows()
            if isinstance(row.entry, Choice) and before.get(row.field.key) != str(row.entry.value)
        ]

    def focused_row(self) -> FieldRow | None:
        """Return the field with the focus, if any."""
        return next((row for row in self.rows() if row.has_the_focus), None)

    def action_step(self, by: int) -> None:
        """Move the focus to the next field, but not around the ends."""
        rows = self.rows()
        now = next((index for index, row in enumerate(rows) if row.has_the_focus), 0)
        self.screen.set_focus(rows[max(0, min(len(rows) - 1, now + by))].entry)


def caption_column(fields: Sequence[Field], width: int) -> int:
    """Return the width of the captions."""
    longest = max((cell_len(shown(field.caption)) for field in fields), default=0)
    return min(longest, max(8, width * 2 // 5))
