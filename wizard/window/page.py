"""Lay out a view as a whole screen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip

from wizard.model.said import t
from wizard.ui import view as ui
from wizard.window.blocks import Pen, block_sheet, scrolled
from wizard.window.canvas import (
    STEPS,
    Sheet,
    Spot,
    blank,
    cut,
    ends,
    fitted,
    folded,
    joined,
    key_sheet,
    laid_over,
    line,
    plain,
    rooms_of,
    shown,
    side_by_side,
    stacked,
)
from wizard.window.keyboard import ABOVE, LEFT, MAIN, PANES, InputState
from wizard.window.look import Look
from wizard.window.rows import fields_sheet, listed, natural_widths, parted, pinned_sheet

OF_FIVE = t("of 5")

LEAST_COLUMNS, LEAST_LINES = 60, 16
DIALOG, WIDE_DIALOG = 78, 92
MOST_SAID = 4


def page(
    view: ui.View,
    state: InputState,
    look: Look,
    size: tuple[int, int],
    below: tuple[ui.View, InputState] | None = None,
) -> Sheet:
    """Lay out a view for the whole screen. `below`: the view below a dialog."""
    columns, lines = size
    if columns < LEAST_COLUMNS or lines < LEAST_LINES:
        return _too_small(look, columns, lines)
    pen = Pen(look, view, columns, lines)
    if not view.over:
        return _whole(view, state, pen, focused=True)
    return _dialog(view, state, pen, _under(below, pen))


def _too_small(look: Look, columns: int, lines: int) -> Sheet:
    text = str(
        t(
            "This terminal has {columns} columns and {lines} lines. diskwright needs "
            "{least_columns} and {least_lines}; `diskwright --plain` works at any size. "
            "Press q to quit.",
            columns=columns,
            lines=lines,
            least_columns=LEAST_COLUMNS,
            least_lines=LEAST_LINES,
        )
    )
    parts = [line(*part) for part in folded([(text, look.style("text"))], max(1, columns))]
    return plain([fitted(part, columns) for part in parts]).high(lines, columns)


def _whole(view: ui.View, state: InputState, pen: Pen, *, focused: bool) -> Sheet:
    width = pen.columns
    keys = key_sheet(view, width, pen.look, 2 if width >= 70 else 3)
    if pen.look.many:
        keys = replace(keys, lines=tuple(_raised(each, pen.look) for each in keys.lines))
    head = plain([_head(view, pen)])
    response = _response(view, width, pen)
    gap = plain([blank(width)] if pen.roomy else [])
    room = pen.lines - keys.height - head.height - response.height - gap.height
    body = _body(view, state, width, room, pen, focused=focused).high(room, width)
    sheet = stacked([head, gap, body, response, keys])
    return replace(sheet, lines=tuple(fitted(each, width) for each in sheet.lines))


def _raised(strip: Strip, look: Look) -> Strip:
    ground = look.style("rest")
    return Strip(
        [
            Segment(text, style if style and style.bgcolor else (style or ground).without_color + ground)
            if style is None or not style.color
            else Segment(text, style if style.bgcolor else style.from_color(style.color, ground.bgcolor))
            for text, style, _ in strip
        ]
    )


def _head(view: ui.View, pen: Pen) -> Strip:
    """Return the header. Drops the names of other steps if the drive's would be cut."""
    look, width = pen.look, pen.columns
    ground = look.style("head")
    about = shown(view.about)
    left = _steps(view, pen, named=width >= 70)
    if width >= 70 and left.cell_length + cell_len(about) + 2 > width:
        left = _steps(view, pen, named=False)
    about = cut(about, width - left.cell_length - 2, look.sign("more"))
    return ends(left, line((f"{about} ", ground)), width, ground)


def _steps(view: ui.View, pen: Pen, *, named: bool) -> Strip:
    look, ground = pen.look, pen.look.style("head")
    parts = [line((" diskwright ", look.style("name")), (" ", ground))]
    steps = list(ui.ScreenStep)
    now = steps.index(view.step)
    for number, step in enumerate(steps):
        label = str(STEPS[step.value]())
        if number == now:
            mark = ("<", ">") if look.colourless else (" ", " ")
            parts.append(line((f"{mark[0]}{number + 1} {label}{mark[1]}", look.style("step"))))
        elif named:
            sign = look.sign("tick") if number < now else str(number + 1)
            parts.append(line((f" {sign} {label} ", ground)))
    if not named:
        parts.append(line((f" {OF_FIVE}", ground)))
    return joined(*parts)


def _response(view: ui.View, width: int, pen: Pen) -> Sheet:
    if view.said is None or not shown(view.said.text):
        return Sheet()
    parts = folded([(shown(view.said.text), pen.look.tone(view.said.tone))], width - 2)[:MOST_SAID]
    return plain([fitted(joined(blank(1), line(*part)), width) for part in parts])


def _body(whole: ui.View, state: InputState, width: int, height: int, pen: Pen, *, focused: bool) -> Sheet:
    rows, view = parted(whole)
    first = pinned_sheet(rows, state, width, max(1, height // 3), pen, focused=focused)
    rest = _below_pinned(view, state, width, height - first.height, pen, focused=focused)
    return stacked([first, rest])


def _below_pinned(
    view: ui.View, state: InputState, width: int, height: int, pen: Pen, *, focused: bool
) -> Sheet:
    has_main = view.rows is not None or bool(view.fields)
    if not pen.wide or view.over:
        return _column(view, state, width, height, pen, view.panes, focused=focused)
    above = _above(view, width, pen, focused=focused)
    # Important blocks come first, but take at most half of the screen if there is more.
    most = height if not has_main and not view.panes else max(height // 2, height - 14)
    top = scrolled(ABOVE, above, width, min(above.height, most), state, pen, focused=focused)
    if top.height:
        top = stacked([top, plain([blank(width)])])
    room = height - top.height
    if not has_main and not view.panes:
        return top
    return stacked([top, _sides(view, state, width, room, pen, focused=focused)])


def _sides(view: ui.View, state: InputState, width: int, height: int, pen: Pen, *, focused: bool) -> Sheet:
    """Place the list left and the panes right, or below the list if there is room."""
    has_main = view.rows is not None or bool(view.fields)
    if not view.panes or (not has_main and len(view.panes) == 1):
        return _left(view, state, width, height, pen, view.panes, focused=focused)
    left = _left_width(view, width, pen)
    rest: Sequence[ui.Pane] = view.panes[1:]
    if has_main:
        used = _main(view, state, left - 4, pen, focused=focused).height + 2
        if not rest or used + sum(_boxed_height(pane, left, pen) for pane in rest) > height:
            rest = ()
    else:
        rest = view.panes[:1]
    others = tuple(pane for pane in view.panes if pane not in rest)
    one = _left(view, state, left, height, pen, rest, focused=focused)
    two = _panes(PANES, others, state, width - left - 1, height, pen, focused=focused)
    return side_by_side(one, two, left, 1)


def _left_width(view: ui.View, width: int, pen: Pen) -> int:
    """Return the width the list needs, between two fifths and three fifths of the screen."""
    if view.rows is None:
        return width // 2
    whole, least = natural_widths(view.rows, pen)
    wanted = whole if whole + 4 <= width // 2 else least
    return max(width * 2 // 5, min(wanted + 4, width * 3 // 5))


def _boxed_height(pane: ui.Pane, width: int, pen: Pen) -> int:
    return _inner(pane, width - 4, pen).height + 2


def _inner(pane: ui.Pane, width: int, pen: Pen, *, tight: bool = False) -> Sheet:
    """Return a pane's blocks, after the full title if that is too long for the edge. `tight`: too little
    room, so gaps are omitted. On the smallest screens text comes before title and drawings."""
    full_title = _full_title(pane.title, width, pen)
    if not tight:
        return stacked([full_title, block_sheet(pane.blocks, width, pen)])
    if pen.roomy:
        return stacked(
            [full_title, block_sheet(tuple(one for one in pane.blocks if one != ui.GAP), width, pen)]
        )
    texts = [block for block in pane.blocks if not isinstance(block, ui.Bar) and block != ui.GAP]
    drawn = [block for block in pane.blocks if isinstance(block, ui.Bar)]
    return stacked([block_sheet(tuple(texts), width, pen), full_title, block_sheet(tuple(drawn), width, pen)])


def _full_title(title: object, width: int, pen: Pen) -> Sheet:
    name = shown(str(title))
    if cell_len(name) <= width - 6:
        return Sheet()
    parts = folded([(name, pen.look.style("strong"))], width)
    return plain([fitted(line(*part), width) for part in parts])


def _left(
    view: ui.View,
    state: InputState,
    width: int,
    height: int,
    pen: Pen,
    panes: Sequence[ui.Pane],
    *,
    focused: bool,
) -> Sheet:
    has_main = view.rows is not None or bool(view.fields)
    if not has_main:
        return _panes(LEFT, panes, state, width, height, pen, focused=focused)
    main = _main(view, state, width - 4, pen, focused=focused)
    below = sum(_boxed_height(pane, width, pen) for pane in panes)
    room = min(main.height + 2, max(5, height - min(below, height // 2)))
    if view.panes and not panes:
        room = height
    shown_main = _part_main(view, state, width - 4, max(1, room - 2), pen, focused=focused)
    box = _boxed(shown_main, view.title, width, max(3, room), pen, focused=focused and state.focus == MAIN)
    if not panes:
        return box
    return stacked([box, _panes(LEFT, panes, state, width, height - box.height, pen, focused=focused)])


def _panes(
    name: str,
    panes: Sequence[ui.Pane],
    state: InputState,
    width: int,
    height: int,
    pen: Pen,
    *,
    focused: bool,
) -> Sheet:
    """Stack _boxed panes; the last one fills the rest. Without enough room, they scroll together."""
    here = focused and state.focus == name
    inner = [_inner(pane, width - 4, pen) for pane in panes]
    used = sum(each.height + 2 for each in inner)
    if used <= height and panes:
        boxes = [
            _boxed(
                each,
                pane.title,
                width,
                each.height + 2 + (height - used if pane is panes[-1] else 0),
                pen,
                focused=here,
            )
            for each, pane in zip(inner, panes, strict=True)
        ]
        return stacked(boxes)
    if len(panes) == 1:
        part = scrolled(name, inner[0], width - 4, max(1, height - 2), state, pen, focused=here, outside=True)
        return _boxed(part, panes[0].title, width, height, pen, focused=here)
    whole = stacked(
        _boxed(each, pane.title, width - 1, each.height + 2, pen, focused=here)
        for each, pane in zip(inner, panes, strict=True)
    )
    return scrolled(name, whole, width, height, state, pen, focused=here)


def _boxed(inner: Sheet, title: object, width: int, height: int, pen: Pen, *, focused: bool) -> Sheet:
    """Draw a box with a title in its upper edge."""
    look = pen.look
    style = look.style("focus-line" if focused else "line")
    name = cut(shown(str(title)), width - 8, look.sign("more"))
    head = (f" {name} ", look.style("focus" if focused else "title")) if name else ("", style)
    rest = width - 3 - line(head).cell_length
    top = line(("┌─", style), head, ("─" * max(0, rest) + "┐", style))
    room = inner.high(max(0, height - 2), width - 4)
    side = line(("│", style))
    body = [joined(side, blank(1), fitted(each, width - 3), side) for each in room.lines]
    bottom = line(("└" + "─" * (width - 2) + "┘", style))
    at = room.moved(2, 1)
    return replace(at, lines=(top, *body, bottom))


def _ruled(title: object, width: int, pen: Pen, *, focused: bool) -> Strip:
    look = pen.look
    style = look.style("focus-line" if focused else "line")
    name = cut(shown(str(title)), width - 8, look.sign("more"))
    head = line((f" {name} ", look.style("focus" if focused else "title")))
    return joined(line(("─", style)), head, line(("─" * max(0, width - 1 - head.cell_length), style)))


def _above(view: ui.View, width: int, pen: Pen, *, focused: bool) -> Sheet:
    """Return the blocks above the list, with the title if there is no list."""
    found: list[Sheet] = []
    if view.rows is None and not view.fields and not view.over and shown(view.title):
        found.append(plain([_ruled(view.title, width, pen, focused=focused)]))
    full_title = _full_title(view.title, width - 6, pen)
    found.append(_inset(stacked([full_title, block_sheet(view.above, width - 2, pen)]), width))
    return stacked(found)


def _inset(sheet: Sheet, width: int) -> Sheet:
    lines = tuple(fitted(joined(blank(1), each), width) for each in sheet.lines)
    return replace(sheet.moved(1, 0), lines=lines)


def _main(view: ui.View, state: InputState, width: int, pen: Pen, *, focused: bool) -> Sheet:
    """Return the full list or all fields."""
    here = focused and state.focus == MAIN
    if view.fields:
        return fields_sheet(view.fields, width, pen, state, focused=here)
    if view.rows is None:
        return Sheet()
    found = listed(view.rows, width, pen, state.cursor, focused=here)
    return Sheet((*found.head, *found.lines))


def _part_main(
    view: ui.View, state: InputState, width: int, height: int, pen: Pen, *, focused: bool
) -> Sheet:
    """Return the list or fields in `height` lines, with the cursor visible."""
    here = focused and state.focus == MAIN
    if view.fields:
        sheet = fields_sheet(view.fields, width, pen, state, focused=here)
        ys = [spot.y for spot in sheet.spots if spot.name == state.field]
        reach = (min(ys), max(ys)) if ys else (0, 0)
        return scrolled(MAIN, sheet, width, height, state, pen, focused=here, reach=reach)
    if view.rows is None:
        return Sheet()
    found = listed(view.rows, width, pen, state.cursor, focused=here)
    head = found.head if height >= len(found.head) + min(2, len(found.lines)) else ()
    own = [index for index, owner in enumerate(found.owners) if owner == state.cursor]
    reach = (own[0], own[-1]) if own else (0, 0)
    spots = tuple(Spot(0, y, width, "row", owner) for y, owner in enumerate(found.owners))
    sheet = Sheet(found.lines, (0, reach[0]) if own else None, spots)
    part = scrolled(MAIN, sheet, width, height - len(head), state, pen, focused=here, reach=reach)
    return stacked([plain(head), part])


def _column(
    view: ui.View,
    state: InputState,
    width: int,
    height: int,
    pen: Pen,
    panes: Sequence[ui.Pane],
    *,
    focused: bool,
) -> Sheet:
    """Stack everything vertically."""
    above = _above(view, width, pen, focused=focused)
    has_main = view.rows is not None or bool(view.fields)
    titled = has_main and not view.over and shown(view.title) != ""
    main = _main(view, state, width, pen, focused=focused)
    below = _all_panes(panes, state, width, pen, focused=focused, parted=has_main)
    natural = [above.height, main.height + titled if has_main else 0, below.height]
    gaps = sum(each > 0 for each in natural) - 1 if pen.roomy else 0
    gaps = max(0, min(gaps, height - sum(natural)))
    above_room, main_room, panes_room = rooms_of(natural, height - gaps)
    if below.height > panes_room:
        below = _all_panes(panes, state, width, pen, focused=focused, parted=has_main, tight=True)
    found = [
        scrolled(ABOVE, above, width, above_room, state, pen, focused=focused and state.focus == ABOVE),
        _titled_main(view, state, width, main_room, pen, titled=titled, focused=focused),
        scrolled(PANES, below, width, panes_room, state, pen, focused=focused and state.focus == PANES),
    ]
    return stacked(_with_gaps([each for each in found if each.height], width, gaps))


def _titled_main(
    view: ui.View, state: InputState, width: int, room: int, pen: Pen, *, titled: bool, focused: bool
) -> Sheet:
    if not room:
        return Sheet()
    title = [_ruled(view.title, width, pen, focused=focused and state.focus == MAIN)] if titled else []
    part = _part_main(view, state, width, max(1, room - len(title)), pen, focused=focused)
    return stacked([plain(title), part])


def _with_gaps(sheets: Sequence[Sheet], width: int, gaps: int) -> Iterator[Sheet]:
    for index, sheet in enumerate(sheets):
        if 0 < index <= gaps:
            yield plain([blank(width)])
        yield sheet


def _all_panes(
    panes: Sequence[ui.Pane],
    state: InputState,
    width: int,
    pen: Pen,
    *,
    focused: bool,
    parted: bool,
    tight: bool = False,
) -> Sheet:
    """Stack all panes. `parted`: a line separates them from the content above."""
    found: list[Sheet] = []
    for index, pane in enumerate(panes):
        if index and pen.roomy:
            found.append(plain([blank(width)]))
        here = focused and state.focus == PANES
        if shown(pane.title):
            found.append(plain([_ruled(pane.title, width, pen, focused=here)]))
        elif parted and not index:
            style = pen.look.style("focus-line" if here else "line")
            found.append(plain([line(("─" * width, style))]))
        found.append(_inset(_inner(pane, width - 2, pen, tight=tight), width))
    return stacked(found)


def _under(below: tuple[ui.View, InputState] | None, pen: Pen) -> Sheet:
    """Return the dimmed screen below a dialog, empty if it cannot be dimmed."""
    if below is None or not pen.look.many:
        return Sheet().high(pen.lines, pen.columns)
    view, state = below
    sheet = _whole(view, state, replace(pen, view=view), focused=False)
    dim = pen.look.dimmed
    lines = tuple(
        Strip([Segment(text, dim(style)) for text, style, _ in each], each.cell_length)
        for each in sheet.lines
    )
    return Sheet(lines)


def _dialog(view: ui.View, state: InputState, pen: Pen, under: Sheet) -> Sheet:
    """Draw a dialog in a box, as high as necessary."""
    most = WIDE_DIALOG if pen.columns >= 120 else DIALOG
    width = min(most, pen.columns - (2 if pen.columns > LEAST_COLUMNS else 0))
    inner = width - 4
    keys = key_sheet(view, inner, pen.look, 3)
    response = _response(view, inner, pen)
    has_gap = pen.roomy
    edges = (
        2 + keys.height + response.height + (1 if has_gap else 0) + (1 if has_gap and response.height else 0)
    )
    body = _column(view, state, inner, max(1, pen.lines - edges), pen, view.panes, focused=True)
    gap = [plain([blank(inner)])] if has_gap else []
    parts = [body, *(gap if response.height else []), response, *gap, keys]
    whole = stacked(parts)
    box = _boxed(whole, view.title, width, whole.height + 2, pen, focused=True)
    x = (pen.columns - width) // 2
    y = max(0, (pen.lines - box.height) // 2)
    box = box.high(min(box.height, pen.lines), width)
    return laid_over(under, box, x, y)
