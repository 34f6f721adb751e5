"""A list of rows, one of them the current one, which is marked by `>` also when the list has no focus."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from wizard.tui.widgets.lineview import LineView
from wizard.tui.widgets.words import Paragraph, wrapped

LEAST = 16
"""Cells that the flexible column keeps as long as others can give some."""

LEAST_LINES = 2
"""A list of no more lines than this shows rows in all of them."""

MARK = 2
"""Cells of the marker in front of each row."""


@dataclass(frozen=True, slots=True)
class Column:
    """`title` may be empty everywhere for no heading; one column may be `flexible`: it gets or gives what
    room there is.

    The last column may be `wrapped` onto further lines instead of being cut. A column is left out where the
    list has fewer than `only_from` cells.
    """

    title: str = ""
    flexible: bool = False
    right: bool = False
    wrapped: bool = False
    only_from: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """`cells` in the order of the columns; `notes` are wrapped below them."""

    key: str
    cells: tuple[Text, ...]
    notes: tuple[Paragraph, ...] = ()


class Rows(LineView):
    """Arrow keys move; `Highlighted` tells of it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", show=False),
        Binding("down", "move(1)", show=False),
        Binding("pageup", "move(-5)", show=False),
        Binding("pagedown", "move(5)", show=False),
        Binding("home", "move(-10000)", show=False),
        Binding("end", "move(10000)", show=False),
    ]

    class Highlighted(Message):
        """Another row has become the current one, or its content has changed."""

        def __init__(self, rows: "Rows", row: Row | None) -> None:
            super().__init__()
            self.rows = rows
            self.row = row

        @property
        def control(self) -> "Rows":
            """The list it happened in."""
            return self.rows

    def __init__(self, *columns: Column, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.columns = columns or (Column(flexible=True),)
        self.rows: tuple[Row, ...] = ()
        self.index = 0
        self._owner: list[int] = []
        self._shown = self.columns

    @property
    def current(self) -> Row | None:
        """The row marked by `>`."""
        return self.rows[self.index] if self.rows else None

    def set_rows(self, rows: Sequence[Row], select: str | None = None) -> None:
        """Replace the rows; the current one stays current by its key, unless `select` names another."""
        wanted = select or (self.current.key if self.current else None)
        self.rows = tuple(rows)
        found = next(
            (index for index, row in enumerate(rows) if row.key == wanted),
            min(self.index, max(0, len(rows) - 1)),
        )
        self.index = found
        self.renew()
        self._reveal()
        self.post_message(self.Highlighted(self, self.current))

    def action_move(self, by: int) -> None:
        """Make another row the current one."""
        index = max(0, min(len(self.rows) - 1, self.index + by))
        if not self.rows or index == self.index:
            return
        before, self.index = self.index, index
        # All else on the lines stays as it is; laying out long lists anew at each key is felt.
        self._mark_anew(before)
        self._mark_anew(index)
        self._reveal()
        self.post_message(self.Highlighted(self, self.current))

    def _mark_anew(self, index: int) -> None:
        """Put the marker of a row where it belongs now, if the lines have been laid out."""
        if index not in self._owner or len(self._owner) != len(self._lines):
            return
        first = self._owner.index(index)
        self._lines[first] = self._marked(index, self._lines[first][MARK:])
        self.refresh_lines(first, self._owner.count(index))

    def _marked(self, index: int, line: Text) -> Text:
        """The first line of a row behind its marker."""
        return Text("> ", "bold").append_text(line) if index == self.index else Text("  ").append_text(line)

    def lay_out(self, width: int) -> list[Text]:
        """A heading if a column has a title, then the rows."""
        shown = [index for index, column in enumerate(self.columns) if width >= column.only_from]
        self._shown = tuple(self.columns[index] for index in shown)
        all_cells = [
            tuple(row.cells[index] for index in shown if index < len(row.cells)) for row in self.rows
        ]
        widths = self._widths(width - MARK, all_cells)
        lines: list[Text] = []
        self._owner = []
        if any(column.title for column in self._shown):
            titles = tuple(Text(column.title, "underline") for column in self._shown)
            lines.append(Text("  ").append_text(self._joined(titles, widths)))
            self._owner.append(-1)
        for index, (row, cells) in enumerate(zip(self.rows, all_cells, strict=True)):
            own = self._cell_lines(cells, widths)
            for note in row.notes:
                own.extend(wrapped(note, width - MARK))
            lines.append(self._marked(index, own[0]))
            lines += [Text("  ").append_text(line) for line in own[1:]]
            self._owner += [index] * len(own)
        return lines

    def render_line(self, y: int) -> Strip:
        """The last line says how many rows lie below it: a scrollbar is only a colour."""
        if y < self.size.height - 1 or not self._covered(self.scroll_offset.y):
            return super().render_line(y)
        below = len(
            {owner for owner in self._owner[y + self.scroll_offset.y :]}
            - {self._owner[y + self.scroll_offset.y - 1]}
        )
        said = Text(f"  ↓ {below} more" if below else "  ↓")
        return (
            Strip(said.render(self.app.console))
            .adjust_cell_length(self.size.width)
            .apply_style(self.rich_style)
        )

    def _covered(self, top: int) -> bool:
        """Whether the last line says that there is more, where `top` is the first line shown; never where
        there are only one or two."""
        return self.size.height > LEAST_LINES and top + self.size.height < len(self._lines)

    def line_style(self, index: int) -> Style | None:
        """The current row's first line, where the list has the focus."""
        if (
            not self.has_focus
            or self._owner[index] != self.index
            or (index and self._owner[index - 1] == self.index)
        ):
            return None
        if self.app.no_color:
            return Style(reverse=True)
        colours = self.app.theme_variables
        return Style(color=_ink(colours["cursor-foreground"]), bgcolor=_ink(colours["cursor-background"]))

    def on_resize(self) -> None:
        """The current row stays in sight, also where a message has taken lines from the list."""
        super().on_resize()
        self._reveal()

    def place_cursor(self) -> None:
        """On the current row."""
        if self.index in self._owner:
            self.put_cursor_on(self._owner.index(self.index))

    def on_blur(self) -> None:
        """Draw without the cursor."""
        self.refresh()

    def _reveal(self) -> None:
        if self.index not in self._owner:
            return
        first = self._owner.index(self.index)
        last = first + self._owner.count(self.index) - 1
        height, top = self.size.height, self.scroll_offset.y
        if first < top or self.index == 0:
            self.scroll_to(y=0 if self.index == 0 else first, animate=False)
        elif height and last >= top + height - self._covered(top):
            self.scroll_to(y=min(first, last - height + 1 + self._covered(last - height + 1)), animate=False)
        self.call_after_refresh(self.place_cursor)

    def _widths(self, room: int, rows: Sequence[tuple[Text, ...]]) -> list[int]:
        """Cells for each column: what its longest cell needs; the flexible one gets what is left, and gives
        first."""
        columns = self._shown
        widths = [
            max(
                [
                    cell_len(column.title),
                    *(cell_len(cells[index].plain) for cells in rows if index < len(cells)),
                ]
            )
            for index, column in enumerate(columns)
        ]
        gaps = 2 * (len(widths) - 1)
        flexible = next((index for index, column in enumerate(columns) if column.flexible), len(widths) - 1)
        least = min(widths[flexible], LEAST)
        widths[flexible] = max(least, min(widths[flexible], room - gaps - sum(widths) + widths[flexible]))
        while sum(widths) + gaps > room and (widest := max(widths)) > 4:
            widths[widths.index(widest)] -= 1
        return widths

    def _cell_lines(self, cells: tuple[Text, ...], widths: Sequence[int]) -> list[Text]:
        """The cells as one line, or more where the last column is wrapped."""
        if not self._shown[-1].wrapped or len(cells) < len(self._shown):
            return [self._joined(cells, widths)]
        left = sum(widths[:-1]) + 2 * (len(widths) - 1)
        parts = wrapped(Paragraph(cells[-1]), widths[-1])
        first = self._joined((*cells[:-1], parts[0]), widths)
        return [first, *(Text(" " * left).append_text(part) for part in parts[1:])]

    def _joined(self, cells: Sequence[Text], widths: Sequence[int]) -> Text:
        line = Text()
        for index, (cell, width) in enumerate(zip(cells, widths, strict=False)):
            line.append_text(fitted(cell, width, right=self._shown[index].right))
            if index < len(cells) - 1:
                line.append("  ")
        line.rstrip()
        return line


def fitted(cell: Text, width: int, *, right: bool = False) -> Text:
    """The text in exactly `width` cells; what is cut off is shown by two dots."""
    length = cell_len(cell.plain)
    if length > width:
        cut = (
            set_cell_size(cell.plain, max(0, width - 2)) + ".."
            if width > 3
            else set_cell_size(cell.plain, width)
        )
        return Text(cut, cell.style)
    blank = " " * (width - length)
    return Text(blank).append_text(cell) if right else cell.copy().append(blank)


def _ink(colour: str) -> str:
    return colour.removeprefix("ansi_")
