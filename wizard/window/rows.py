"""A list: rows as lines in columns, on Textual's option list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.events import Click
from textual.geometry import Offset
from textual.strip import Strip
from textual.visual import RenderOptions, Visual
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from wizard.ui.view import Column, Piece, Row, Rows, Tone
from wizard.window.blocks import Pen, bar_lines
from wizard.window.strips import Run, blank, fitted, folded, joined, line, restyled, shown

if TYPE_CHECKING:
    from textual.css.styles import RulesMap
    from textual.style import Style as VisualStyle

MARK, GAP, LEAST = 2, 2, 6
BARRED = 6
"""Most drives in a list with bars."""
BAR = 1
"""Cells for the scroll bar, reserved so that rows do not wrap anew when it appears."""
FOLDABLE = 28
"""Least readable width of the last column in cells. If narrower, it moves below the others."""


class RowLayout:
    """The layout of a list, by width. Pinned rows have no columns."""

    def __init__(self, rows: Rows, pen: Pen) -> None:
        self.rows, self.pen = rows, pen
        most = max((len(row.cells) for row in rows.rows), default=1)
        columns = rows.columns or tuple(Column() for _ in range(most))
        self._visible = [index for index, column in enumerate(columns) if column.least <= pen.columns]
        self._cells = [_cells(row, self._visible, rows, pen) for row in rows.rows]
        self._titles = [shown(columns[index].title) for index in self._visible]
        self._right = [columns[index].right for index in self._visible]
        self._found: dict[int, tuple[list[Strip], list[list[Strip]]]] = {}

    def titles(self, width: int) -> list[Strip]:
        """Return the titles of the columns, if any."""
        return self._lines(width)[0]

    def row(self, index: int, width: int) -> list[Strip]:
        """Return the lines of a row."""
        return self._lines(width)[1][index]

    def height(self, width: int) -> int:
        """Return the number of lines of titles and rows."""
        titles, rows = self._lines(width)
        return len(titles) + sum(map(len, rows))

    def natural_widths(self) -> tuple[int, int]:
        """Return the width without wrapping, and with the last cells below."""
        widths = _widths(self._titles, self._cells, 0, folds=False)
        whole = MARK + BAR + _whole(widths)
        foldable = not any(self._titles) and len(self._visible) > 1
        return whole, MARK + BAR + _whole(widths[:-1]) if foldable else whole

    def _lines(self, width: int) -> tuple[list[Strip], list[list[Strip]]]:
        if width not in self._found:
            pinned = all(row.pinned for row in self.rows.rows)
            self._found[width] = self._pinned(width) if pinned else self._listed(width)
        return self._found[width]

    def _pinned(self, width: int) -> tuple[list[Strip], list[list[Strip]]]:
        return [], [list(_pinned_lines(row, width, self.pen)) for row in self.rows.rows]

    def _listed(self, width: int) -> tuple[list[Strip], list[list[Strip]]]:
        titles, pen = self._titles, self.pen
        room = width - MARK
        widths = _widths(titles, self._cells, room, folds=False)
        others = _whole(widths[:-1])
        too_wide = _whole(widths) > room >= others > room - GAP - FOLDABLE
        below = not any(titles) and len(self._visible) > 1 and too_wide
        widths = _fitted_widths(titles, self._cells, room, below=below)
        muted = pen.look.style("muted")
        head = _table_lines([[(title, muted)] for title in titles], widths, self._right)
        barred = sum(row.bar is not None for row in self.rows.rows) <= BARRED
        barred = barred and pen.wide and pen.tall and pen.look.many
        rows: list[list[Strip]] = []
        for row, cells in zip(self.rows.rows, self._cells, strict=True):
            lines = _table_lines(cells, widths, self._right)
            if below:
                last = _last_cell(cells[-1], widths[0] + GAP if len(cells) > 2 else GAP, room)
                lines = last if last and not any(map(_length, cells[:-1])) else lines + last
            lines = _why_not(row, [*lines, *_notes(row, room, pen)], room, pen)
            if row.bar and barred:
                indent = widths[0] + GAP
                bars = bar_lines(row.bar, room - indent, pen.look, 0, 0)
                lines = [*lines, *(joined(blank(indent), each) for each in bars), line()]
            rows.append([fitted(joined(blank(MARK), each), width) for each in lines])
        return [fitted(joined(blank(MARK), each), width) for each in head if any(titles)], rows


def _cells(row: Row, kept: Sequence[int], rows: Rows, pen: Pen) -> list[list[Run]]:
    look = pen.look
    cells: list[list[Run]] = []
    for place, index in enumerate(kept):
        piece = row.cells[index] if index < len(row.cells) else Piece("")
        style = look.style("off") if row.why_not != "" else look.tone(piece.tone)
        if place == 0 and piece.tone is Tone.PLAIN and row.why_not == "":
            style = look.style("strong")
        runs = [(shown(piece.text), style)]
        if place == 0:
            lead = "  " * row.level + _choice(row, rows, pen)
            runs = [(lead, look.style("off" if row.why_not != "" else "text")), *runs] if lead else runs
        cells.append(runs)
    return cells


def _choice(row: Row, rows: Rows, pen: Pen) -> str:
    if row.chosen is None:
        return "    " if any(one.chosen is not None for one in rows.rows) else ""
    if rows.many:
        return "[x] " if row.chosen else "[ ] "
    return f"{pen.look.sign('on' if row.chosen else 'off')} "


def _length(runs: Sequence[Run]) -> int:
    return sum(cell_len(text) for text, _ in runs)


def _fitted_widths(
    titles: Sequence[str], table: Sequence[Sequence[Sequence[Run]]], room: int, *, below: bool
) -> list[int]:
    """Return the widths of all columns. The last one shrinks first while readable, then the widest."""
    natural = _widths(titles, table, room, folds=False)
    if below:
        return [*natural[:-1], 0]
    left = room - _whole(natural[:-1]) - GAP
    if not any(titles) and FOLDABLE <= left < natural[-1]:
        return [*natural[:-1], left]
    return _widths(titles, table, room, folds=True)


def _last_cell(runs: list[Run], indent: int, room: int) -> list[Strip]:
    """Return the last cell in separate lines, for lack of room beside the others."""
    if not any(text for text, _ in runs):
        return []
    return [joined(blank(indent), line(*part)) for part in folded(runs, max(4, room - indent))]


def _widths(
    titles: Sequence[str], table: Sequence[Sequence[Sequence[Run]]], room: int, *, folds: bool
) -> list[int]:
    """Return the widths of the longest cells. With `folds`, the widest columns shrink and wrap."""
    widths = [
        max([cell_len(title), *(_length(cells[index]) for cells in table)])
        for index, title in enumerate(titles)
    ]
    while folds and (over := _whole(widths) - room) > 0:
        widest = max(range(len(widths)), key=lambda index: widths[index])
        if widths[widest] <= LEAST:
            break
        second = max((each for index, each in enumerate(widths) if index != widest), default=LEAST)
        widths[widest] = max(LEAST, widths[widest] - max(1, min(over, widths[widest] - second)))
    return widths


def _whole(widths: Sequence[int]) -> int:
    used = [each for each in widths if each]
    return sum(used) + GAP * max(0, len(used) - 1)


def _table_lines(cells: Sequence[list[Run]], widths: Sequence[int], right: Sequence[bool]) -> list[Strip]:
    """Place cells side by side, each wrapped in its column."""
    columns = [
        [line(*part) for part in folded(runs, max(1, width))] if width else []
        for runs, width in zip(cells, widths, strict=True)
    ]
    lines: list[Strip] = []
    for level in range(max(map(len, columns), default=0)):
        strips: list[Strip] = []
        for column, width, to_right in zip(columns, widths, right, strict=True):
            if not width:
                continue
            part = column[level] if level < len(column) else line()
            lead = max(0, width - part.cell_length) if to_right else 0
            strips += [blank(GAP)] if strips else []
            strips.append(fitted(joined(blank(lead), part), width))
        lines.append(joined(*strips))
    return lines or [line()]


def _notes(row: Row, room: int, pen: Pen) -> Iterator[Strip]:
    indent = min(2 * row.level + 2, max(0, room - 12))
    for note in row.notes:
        for part in folded([(shown(note), pen.look.style("muted"))], max(4, room - indent)):
            yield joined(blank(indent), line(*part))


def _why_not(row: Row, own: list[Strip], room: int, pen: Pen) -> list[Strip]:
    """Add the reason after the row if there is room, else below."""
    if row.why_not == "" or any(shown(cell.text) == shown(row.why_not) for cell in row.cells):
        return own
    reason = f"{pen.look.sign('dash')} {shown(row.why_not)}"
    runs = [(reason, pen.look.style("off"))]
    used = cell_len(own[0].text.rstrip())
    if len(own) == 1 and used + 2 + cell_len(reason) <= room:
        return [joined(fitted(own[0], used + 2), line(*runs))]
    indent = min(2 * row.level + 2, max(0, room - 12))
    return [*own, *(joined(blank(indent), line(*part)) for part in folded(runs, max(4, room - indent)))]


def _pinned_lines(row: Row, width: int, pen: Pen) -> Iterator[Strip]:
    runs: list[Run] = []
    for cell in row.cells:
        if text := shown(cell.text):
            runs += [("  ", pen.look.style("text"))] if runs else []
            runs.append((text, pen.look.tone(cell.tone)))
    for number, part in enumerate(folded(runs, max(4, width - MARK), max(4, width - MARK - 3))):
        yield fitted(joined(blank(MARK + (3 if number else 0)), line(*part)), width)


def _under_cursor(strip: Strip, width: int, pen: Pen, *, focused: bool, first: bool) -> Strip:
    """Return a line with the cursor's mark, and with its background if the list has the focus."""
    look = pen.look
    mark = f"{look.sign('mark') if first or look.many else ' '} "
    rest = strip.crop(MARK, width)
    if not focused:
        return joined(line((mark, look.style("accent"))), rest)
    ground = look.style("cursor")
    if not look.many:
        return restyled(joined(line((mark, ground)), rest), ground)
    muted = look.style("muted").color
    inked = [Segment(text, _on_background(style, ground, muted)) for text, style, _ in rest]
    return joined(line((mark, look.style("mark"))), Strip(inked))


def _on_background(style: Style | None, ground: Style, muted: object) -> Style:
    ink = style or ground
    if ink.bgcolor is not None and not ink.bgcolor.is_default:
        return ink
    if ink.color is None or ink.color == muted:
        return ground
    return ink + Style(bgcolor=ground.bgcolor)


class _RowVisual(Visual):
    """A row of a table, drawn for any width."""

    def __init__(self, table: RowLayout, index: int) -> None:
        self.table, self.index = table, index

    def render_strips(
        self, width: int, height: int | None, style: VisualStyle, options: RenderOptions
    ) -> list[Strip]:
        """Return the lines."""
        return self.table.row(self.index, width)

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        """Return the whole width."""
        return container_width

    def get_height(self, rules: RulesMap, width: int) -> int:
        """Return the number of lines."""
        return len(self.table.row(self.index, width))


class RowList(OptionList, inherit_bindings=False):
    """Rows of a view. A click moves the cursor, a double click acts like Enter."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "step(-1)"),
        Binding("down,j", "step(1)"),
        Binding("home,g", "first"),
        Binding("end,G,upper_g", "last"),
        Binding("pageup", "page_up"),
        Binding("pagedown", "page_down"),
    ]

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, compact=True, markup=False)
        self.table: RowLayout | None = None
        self.before: RowList | None = None
        self.after: RowList | None = None
        self._shown: tuple[object, ...] = ()

    def show(self, rows: Rows, pen: Pen) -> RowLayout:
        """Show these rows, and return their layout."""
        shown = (rows.rows, rows.columns, rows.many, pen.look, pen.columns, pen.lines)
        if self.table is None or self._shown != shown:
            top = self.scroll_y
            self._shown, self.table = shown, RowLayout(rows, pen)
            visuals = (_RowVisual(self.table, index) for index in range(len(rows.rows)))
            self.set_options(Option(each, row.key) for each, row in zip(visuals, rows.rows, strict=True))
            self.set_scroll(None, top)
        return self.table

    def put_cursor(self, row: str) -> None:
        """Move the cursor to a row, or remove the cursor for a row of another list."""
        keys = [option.id for option in self.options]
        self.highlighted = keys.index(row) if row in keys else None

    def allow_focus(self) -> bool:
        """Return True for the list with the cursor."""
        return self.highlighted is not None

    @property
    def cursor(self) -> str:
        """The key of the row under the cursor, or empty."""
        return (self.highlighted_option.id or "") if self.highlighted_option else ""

    @property
    def cursor_offset(self) -> Offset:
        """The position of the row under the cursor."""
        width, now = self.scrollable_content_region.width, self.highlighted or 0
        above = sum(len(self.table.row(index, width)) for index in range(now)) if self.table else 0
        return self.content_region.offset + Offset(0, above - int(self.scroll_y))

    def render_line(self, y: int) -> Strip:
        """Return a line, with the cursor on the current row."""
        strip = super().render_line(y)
        owner = _option_of(strip)
        if owner is None or owner != self.highlighted or self.table is None:
            return strip.apply_style(self.rich_style)
        first = y == 0 or _option_of(super().render_line(y - 1)) != owner
        width = strip.cell_length
        drawn = _under_cursor(strip, width, self.table.pen, focused=self.has_focus, first=first)
        return drawn.apply_meta({"option": owner})

    def action_step(self, by: int) -> None:
        """Move the cursor to the next row, also of the next list, but not around the ends."""
        index = (self.highlighted or 0) + by
        if index < 0 and self.before is not None and self.before.option_count:
            self._leave_to(self.before, self.before.option_count - 1)
        elif index >= self.option_count and self.after is not None and self.after.option_count:
            self._leave_to(self.after, 0)
        else:
            self.highlighted = max(0, min(self.option_count - 1, index))

    def action_first(self) -> None:
        """Move the cursor to the first row of all."""
        self.highlighted = 0
        if self.before is not None and self.before.option_count:
            self._leave_to(self.before, 0)

    def action_last(self) -> None:
        """Move the cursor to the last row of all."""
        self.highlighted = self.option_count - 1
        if self.after is not None and self.after.option_count:
            self._leave_to(self.after, self.after.option_count - 1)

    def _leave_to(self, other: RowList, index: int) -> None:
        self.highlighted, other.highlighted = None, index
        self.screen.set_focus(other)

    def scroll_to_highlight(self, top: bool = False) -> None:
        """Scroll to the row under the cursor, to the first line of a row higher than the list."""
        region = self.scrollable_content_region
        if self.table is not None and self.highlighted is not None and region:
            top = top or len(self.table.row(self.highlighted, region.width)) >= region.height
        super().scroll_to_highlight(top)

    def on_resize(self) -> None:
        """Scroll to the cursor after Textual's new arrangement."""
        self.call_later(self.scroll_to_highlight)

    def on_click(self, event: Click) -> None:
        """Move the cursor. A double click acts like Enter."""
        event.prevent_default()
        index = event.style.meta.get("option")
        if index is not None:
            for other in filter(None, (self.before, self.after)):
                other.highlighted = None
            self.highlighted = index
            self.screen.set_focus(self)
            if event.chain > 1:
                self.action_select()


def _option_of(strip: Strip) -> int | None:
    """Return the index of the row to which a line belongs."""
    style = next((style for _, style, _ in strip if style), None)
    return None if style is None else style.meta.get("option")
