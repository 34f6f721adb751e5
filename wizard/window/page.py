"""A view on Textual's widgets, as the whole screen or as a dialog, and the arrangement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.geometry import NULL_OFFSET, NULL_SPACING, Offset, Region, Size
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import OptionList

from wizard.model.said import t
from wizard.ui.view import Rows, View
from wizard.window.blocks import Pen, block_lines
from wizard.window.keys import head_line, key_lines
from wizard.window.look import Look
from wizard.window.rows import BAR, RowLayout, RowList
from wizard.window.strips import blank, folded, joined, line, shown
from wizard.window.widgets import (
    Draw,
    Entry,
    FieldForm,
    Lines,
    PaneBox,
    Scroll,
    full_title,
    pane_lines,
    put_title,
    rule,
)

Height = Callable[[int], int]
"""Lines that a part needs at a width, with its border."""


@dataclass(frozen=True, slots=True)
class _Parts:
    """The parts of a view. `main` are the list or the fields, None without any; `list_width` is the width
    that the list needs."""

    pinned: Height
    above: Height
    main: Height | None
    panes: Sequence[Height]
    list_width: int


@dataclass(frozen=True, slots=True)
class _Places:
    """Regions of the parts by name, and which panes are on the left and on the right. `tight`: the panes
    have too little room."""

    regions: dict[str, Region]
    left: tuple[int, ...] = ()
    right: tuple[int, ...] = ()
    tight: bool = False


def _beside(parts: _Parts, width: int, height: int, *, gap: int) -> _Places:
    """Arrange a wide screen: the list on the left, panes on the right, or below the list if they fit."""
    regions: dict[str, Region] = {}
    y = _pinned(parts, width, height, gap, regions)
    alone = parts.main is None and not parts.panes
    # Important blocks come first, but take at most half of the screen if there is more.
    above = min(parts.above(width), height - y if alone else max((height - y) // 2, height - y - 14))
    regions["above"] = Region(0, y, width, above)
    y += above + (1 if above else 0)
    rest = height - y
    if alone:
        return _Places(regions)
    if not parts.panes or (parts.main is None and len(parts.panes) == 1):
        return _whole_width(parts, width, y, rest, regions)
    left = parts.list_width if parts.main else width // 2
    below: tuple[int, ...] = () if parts.main else (0,)
    others = tuple(range(1, len(parts.panes)))
    main = parts.main(left) if parts.main else 0
    if parts.main and others and main + sum(parts.panes[index](left) for index in others) <= rest:
        below = others
    used = rest if parts.main and not below else main
    if parts.main:
        regions["main"] = Region(0, y, left, used)
    regions["left"] = Region(0, y + used, left, rest - used)
    regions["right"] = Region(left + 1, y, width - left - 1, rest)
    right = tuple(index for index in range(len(parts.panes)) if index not in below)
    return _Places(regions, below, right)


def _whole_width(parts: _Parts, width: int, y: int, rest: int, regions: dict[str, Region]) -> _Places:
    if parts.main:
        regions["main"] = Region(0, y, width, min(parts.main(width), rest))
    else:
        regions["left"] = Region(0, y, width, rest)
    return _Places(regions, tuple(range(len(parts.panes))))


def _below_each_other(parts: _Parts, width: int, height: int, *, gap: int) -> _Places:
    """Arrange a narrow screen or a dialog: blocks, the list and the panes below each other."""
    regions: dict[str, Region] = {}
    y = _pinned(parts, width, height, gap, regions)
    natural = [parts.above(width), parts.main(width) if parts.main else 0]
    natural.append(sum(pane(width) for pane in parts.panes))
    gaps = max(0, min((sum(each > 0 for each in natural) - 1) * gap, height - y - sum(natural)))
    rooms = _rooms_of(natural, height - y - gaps)
    tight = natural[2] > rooms[2]
    for name, room in zip(("above", "main", "right"), rooms, strict=True):
        regions[name] = Region(0, y, width, room)
        y += room + (1 if room and gaps else 0)
        gaps -= 1 if room and gaps else 0
    return _Places(regions, (), tuple(range(len(parts.panes))), tight)


def _pinned(parts: _Parts, width: int, height: int, gap: int, regions: dict[str, Region]) -> int:
    """Arrange at most a third for pinned rows, and return the first line below them."""
    pinned = min(parts.pinned(width), max(1, height // 3))
    regions["pinned"] = Region(0, 0, width, pinned)
    return pinned + (gap if pinned else 0)


def _rooms_of(natural: Sequence[int], height: int) -> list[int]:
    """Divide the height among what is above the list, the list and the panes. The first two get at least a
    third if needed, the panes a quarter. Spare lines go to the first part that needs them. If lines are
    short, the list keeps two more than the others, so that a row fits."""
    least = [max(3, height // 3), max(4, height // 3), max(4, height // 4)]
    rooms = [min(each, few) for each, few in zip(natural, least, strict=True)]
    spare = height - sum(rooms)
    for index, each in enumerate(natural):
        more = max(0, min(spare, each - rooms[index]))
        rooms[index] += more
        spare -= more
    while sum(rooms) > max(0, height):
        rooms[max((2, 0, 1), key=lambda index: rooms[index] - (2 if index == 1 else 0))] -= 1
    return rooms


@dataclass(eq=False)
class InputState:
    """Cursor, typed values, focus and scrolling of a screen."""

    cursor: str = ""
    """The row under the cursor."""
    has_moved: bool = False
    """True once the person has moved the cursor."""
    at: str = ""
    """Where the last view wanted the cursor."""
    values: dict[str, str] = field(default_factory=dict)
    """Values of fields by key, of a screen below another."""
    given: dict[str, str] = field(default_factory=dict)
    """Values of fields that the last view had."""
    focus: str = ""
    """The part or field with the focus, of a screen below another."""
    tops: dict[str, float] = field(default_factory=dict)
    """The first visible line of scrolled parts, of a screen below another."""

    def meet(self, view: View, *, asked: bool) -> bool:
        """Adopt a new view. Returns True if the screen must be told the cursor position. With `asked`, the
        view results from the person's input and may move the cursor."""
        return view.rows is not None and self._meet_rows(view.rows, asked=asked)

    def _meet_rows(self, rows: Rows, *, asked: bool) -> bool:
        keys = [row.key for row in rows.rows]
        moved = rows.at in keys and rows.at != self.at and (asked or not self.has_moved)
        if moved or self.cursor not in keys:
            self.cursor = rows.at if rows.at in keys else (keys[0] if keys else "")
        differs = bool(keys) and rows.at != self.cursor and rows.at != self.at
        self.at = rows.at
        return differs


LEAST_COLUMNS, LEAST_LINES = 60, 16
DIALOG, WIDE_DIALOG = 78, 92
MOST_SAID = 4


class _Arranged(Layout):
    """_Places each part in the region from the page."""

    name = "arranged"

    def arrange(
        self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True
    ) -> ArrangeResult:
        """Return the placements."""
        assert isinstance(parent, ViewPage)
        regions = parent.regions
        return [
            WidgetPlacement(regions.get(child.id or "", Region()), NULL_OFFSET, NULL_SPACING, child)
            for child in children
        ]


class ViewPage(Widget):
    """All parts of a view. `over`: as a dialog."""

    def __init__(self, *, over: bool) -> None:
        super().__init__(classes="-over" if over else "")
        self.over = over
        self.regions: dict[str, Region] = {}
        self.view: View | None = None
        self.state = InputState()
        self._arranged = _Arranged()
        self.pinned, self.rows, self.form = RowList(id="pinned"), RowList(id="rows"), FieldForm(id="form")
        self.pinned.after, self.rows.before = self.rows, self.pinned
        self.main = Vertical(Lines(id="titles"), self.rows, self.form, id="main")
        self.scrolls = {name: Scroll(id=name) for name in ("above", "left", "right")}

    @property
    def layout(self) -> Layout:
        """The layout of the parts."""
        return self._arranged

    def compose(self) -> ComposeResult:
        """Yield the parts. The view determines which are visible."""
        yield Lines(id="head")
        yield self.pinned
        with self.scrolls["above"]:
            yield Lines(id="blocks")
        yield self.main
        yield self.scrolls["left"]
        yield self.scrolls["right"]
        yield Lines(id="said")
        yield Lines(id="keys")
        yield Lines(id="small")

    @property
    def is_small(self) -> bool:
        """True if the terminal is too small for any view."""
        return self.has_class("-small")

    @property
    def cursor(self) -> str:
        """The row under the cursor, or empty."""
        return self.pinned.cursor or self.rows.cursor

    @property
    def cursor_offset(self) -> Offset | None:
        """The position of the cursor on the screen, or None outside the visible part."""
        row = self.form.focused_row()
        if row is not None:
            entry = row.entry
            offset, area = row.entry.region.offset, self.form.region
            offset = entry.cursor_screen_offset if isinstance(entry, Entry) else offset
        else:
            rows = self.pinned if self.pinned.cursor else self.rows
            offset, area = rows.cursor_offset, rows.region
        return offset if area.contains_point(offset) else None

    def _lines(self, name: str) -> Lines:
        """Return a part that shows lines."""
        return self.query_one(f"#{name}", Lines)

    async def show(self, view: View, state: InputState, look: Look, size: Size) -> None:
        """Show a view on a screen of this size."""
        anew = state is not self.state
        if anew:
            self._save()
        self.view, self.state = view, state
        self.set_class(size.width < LEAST_COLUMNS or size.height < LEAST_LINES, "-small")
        if self.is_small:
            self._lines("small").show(partial(_too_small, look, size))
            self.regions = {"small": size.region}
            self.refresh(layout=True)
            return
        pen = Pen(look, view, size.width, size.height)
        self.set_class(pen.wide and not self.over, "-boxed")
        self.set_class(pen.roomy, "-roomy")
        await self._show_main(view, pen, anew=anew)
        self._lines("blocks").show(partial(_above, view, pen, self.over))
        self._lines("head").show(lambda width: [head_line(view, width, look)])
        self._lines("said").show(partial(_said, view, pen))
        most = 3 if self.over or pen.columns < 70 else 2
        self._lines("keys").show(lambda width: key_lines(view, width, look, most))
        await self._arrange(view, pen)
        self._restore(anew=anew)

    async def _show_main(self, view: View, pen: Pen, *, anew: bool) -> None:
        rows = view.rows or Rows(())
        self.pinned.show(replace(rows, rows=tuple(row for row in rows.rows if row.pinned)), pen)
        table = self.rows.show(replace(rows, rows=tuple(row for row in rows.rows if not row.pinned)), pen)
        self._lines("titles").show(lambda width: table.titles(width - BAR))
        self.rows.display, self.form.display = view.rows is not None, bool(view.fields)
        put_title(self if self.over else self.main, view.title, ruled=not pen.wide and not self.over)
        self.main.set_class(self.over or not shown(view.title), "-untitled")
        await self.form.show(view.fields, self.state.values, anew=anew)
        for row, given in zip(self.form.rows(), view.fields, strict=True):
            if self.state.given.get(given.key) != given.value:
                self.state.given[given.key] = given.value
                row.entry.put(given)
        self.state.values |= self.form.values()

    async def _arrange(self, view: View, pen: Pen) -> None:
        """Give every part its region. A dialog is as high as necessary."""
        width, height, top = pen.columns, pen.lines, 0
        gap = 1 if pen.roomy else 0
        if self.over:
            width = min(WIDE_DIALOG if width >= 120 else DIALOG, width - 2 * (width > LEAST_COLUMNS)) - 4
            height -= 2
        else:
            top = 1 + gap
        said, keys = (len(self._lines(name).lines(width)) for name in ("said", "keys"))
        edges = keys + said + ((gap + (gap if said else 0)) if self.over else 0)
        draws = [cache(partial(pane_lines, pane, pen)) for pane in view.panes]
        arrange = _beside if self.has_class("-boxed") else _below_each_other
        found = arrange(self._parts(view, pen, draws), width, max(1, height - top - edges), gap=gap)
        bottom = height - edges
        if self.over:
            bottom = max(region.bottom for region in found.regions.values())
            self.styles.width, self.styles.height = width + 4, bottom + edges + 2
        regions = {name: region.translate((0, top)) for name, region in found.regions.items()}
        regions["head"] = Region(0, 0, width, 1)
        regions["said"] = Region(0, bottom + (gap if self.over and said else 0), width, said)
        regions["keys"] = Region(0, bottom + edges - keys, width, keys)
        if view.rows is not None:
            room = regions["main"].height - self._main_edge
            titles = self._lines("titles")
            titles.display = room >= len(titles.lines(self._inner(regions["main"].width))) + 2
        if view.fields:
            self.form.arrange_fields(view.fields, self._inner(regions["main"].width), pen)
        await self._show_panes(view, pen, found, draws)
        self.main.display = view.rows is not None or bool(view.fields)
        self._lines("head").display = not self.over
        if regions != self.regions:
            self.regions = regions
            self.refresh(layout=True)

    def _inner(self, width: int) -> int:
        """Return the width inside the box of the list or of a pane."""
        return width - (4 if self.has_class("-boxed") else 0)

    @property
    def _main_edge(self) -> int:
        """The lines of the border of the list or form."""
        return 2 if self.has_class("-boxed") else 0 if self.main.has_class("-untitled") else 1

    def _parts(self, view: View, pen: Pen, draws: Sequence[Draw]) -> _Parts:
        boxed = self.has_class("-boxed")
        pinned, table = self.pinned.table, self.rows.table
        assert pinned is not None and table is not None

        def main(width: int) -> int:
            inner = self._inner(width)
            return self._main_edge + (
                self.form.natural(view.fields, inner, pen) if view.fields else table.height(inner - BAR)
            )

        def pane(index: int, width: int) -> int:
            gap = 1 if index and pen.roomy and not boxed else 0
            return gap + self._edge(view, index) + len(draws[index](width - (4 if boxed else 2)))

        has_main = view.rows is not None or bool(view.fields)
        return _Parts(
            lambda width: pinned.height(width - BAR),
            lambda width: len(self._lines("blocks").lines(width - 2)),
            main if has_main else None,
            [partial(pane, index) for index in range(len(view.panes))],
            _left_width(table, pen) if view.rows else pen.columns // 2,
        )

    async def _show_panes(self, view: View, pen: Pen, found: _Places, draws: Sequence[Draw]) -> None:
        """Fill both columns. The last pane of a column fills the rest."""
        boxed = self.has_class("-boxed")
        for name, indexes in (("left", found.left), ("right", found.right)):
            scroll, region = self.scrolls[name], found.regions.get(name, Region())
            scroll.display = bool(indexes)
            boxes = list(scroll.query_children(PaneBox))
            if len(boxes) < len(indexes):
                boxes += (more := [PaneBox() for _ in range(len(indexes) - len(boxes))])
                await scroll.mount_all(more)
            room = region.height
            for place, box in enumerate(boxes):
                box.display = place < len(indexes)
                if box.display:
                    index = indexes[place]
                    edge, pane, draw = self._edge(view, index), view.panes[index], draws[index]
                    draw = partial(pane_lines, pane, pen, tight=True) if found.tight else draw
                    put_title(box, pane.title, ruled=not boxed)
                    box.set_class(edge == 0, "-untitled")
                    box.set_class(place > 0, "-next")
                    room -= edge + (1 if place and pen.roomy and not boxed else 0)
                    box.show(draw, room if place == len(indexes) - 1 else 0)
                    room -= len(draw(region.width - (4 if boxed else 2)))

    def _edge(self, view: View, index: int) -> int:
        """Return the lines of a pane's border."""
        if self.has_class("-boxed"):
            return 2
        has_main = view.rows is not None or bool(view.fields)
        return 1 if shown(view.panes[index].title) or (index == 0 and has_main) else 0

    def _save(self) -> None:
        """Remember what only the widgets know."""
        state = self.state
        state.focus = self.focused_part()
        state.tops = {name: scroll.scroll_y for name, scroll in self.scrolls.items()}

    def _restore(self, *, anew: bool) -> None:
        with self.prevent(OptionList.OptionHighlighted):
            self.pinned.put_cursor(self.state.cursor)
            self.rows.put_cursor(self.state.cursor)
        if anew:
            for name, scroll in self.scrolls.items():
                scroll.scroll_to(y=self.state.tops.get(name, 0), animate=False, force=True)
        if anew or self.focused_part() == "":
            self.focus_main()

    def focused_part(self) -> str:
        """Return the key of the field, or the name of the part with the focus, or empty."""
        if row := self.form.focused_row():
            return row.field.key
        return (self.screen.focused.id or "") if self.screen.focused else ""

    def focus_main(self) -> None:
        """Focus the previous field, else the first field, the list, or a scrolling part."""
        wanted: list[Widget] = [row.entry for row in self.form.rows() if row.field.key == self.state.focus]
        wanted += [row.entry for row in self.form.rows()[:1]]
        wanted += [each for each in (self.pinned, self.rows) if each.cursor]
        wanted += [scroll for scroll in self.scrolls.values() if scroll.display and scroll.allow_focus()]
        self.screen.set_focus(wanted[0] if wanted else None)


def _left_width(table: RowLayout, pen: Pen) -> int:
    """Return the width the list needs, between two fifths and three fifths of the screen."""
    width = pen.columns
    whole, least = table.natural_widths()
    wanted = whole if whole + 4 <= width // 2 else least
    return max(width * 2 // 5, min(wanted + 4, width * 3 // 5))


def _too_small(look: Look, size: Size, width: int) -> list[Strip]:
    text = str(
        t(
            "This terminal has {columns} columns and {lines} lines. diskwright needs "
            "{least_columns} and {least_lines}; `diskwright --plain` works at any size. "
            "Press q to quit.",
            columns=size.width,
            lines=size.height,
            least_columns=LEAST_COLUMNS,
            least_lines=LEAST_LINES,
        )
    )
    return [line(*part) for part in folded([(text, look.style("text"))], max(1, width))]


def _said(view: View, pen: Pen, width: int) -> list[Strip]:
    """Return the answer to the last action."""
    if view.said is None or not shown(view.said.text):
        return []
    parts = folded([(shown(view.said.text), pen.look.tone(view.said.tone))], width - 2)[:MOST_SAID]
    return [joined(blank(1), line(*part)) for part in parts]


def _above(view: View, pen: Pen, over: bool, width: int) -> list[Strip]:
    """Return the blocks above the list, with the title if there is no list."""
    alone = view.rows is None and not view.fields and not over and shown(view.title) != ""
    head = [rule(view.title, width, pen.look)] if alone else []
    return [*head, *full_title(view.title, width - 4, pen), *block_lines(view.above, width, pen)]
