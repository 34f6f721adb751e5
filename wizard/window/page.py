"""Lay out a view as a whole screen."""

from collections.abc import Sequence

from msgspec.structs import replace
from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip

from wizard.model.said import t
from wizard.ui import view as ui
from wizard.window import canvas, keyboard
from wizard.window.blocks import Pen, block_sheet, scrolled
from wizard.window.canvas import Sheet
from wizard.window.look import Look
from wizard.window.rows import fields_sheet, listed, natural_widths, parted, pinned_sheet, rows_sheet

LEAST_COLUMNS, LEAST_LINES = 60, 16
DIALOG, WIDE_DIALOG = 78, 92
MOST_SAID = 4


def page(
    view: ui.View,
    state: keyboard.InputState,
    look: Look,
    size: tuple[int, int],
    below: tuple[ui.View, keyboard.InputState] | None = None,
) -> Sheet:
    """Lay out a view for the whole screen. `below`: the view below a dialog."""
    columns, lines = size
    if columns < LEAST_COLUMNS or lines < LEAST_LINES:
        return _too_small(look, columns, lines)
    pen = Pen(look, view, columns, lines, state)
    return _dialog(pen, _under(below, pen)) if view.over else _whole(pen)


def _too_small(look: Look, columns: int, lines: int) -> Sheet:
    text = t(
        "This terminal has {columns} columns and {lines} lines. diskwright needs {least_columns} and "
        "{least_lines}; `diskwright --plain` works at any size. Press q to quit.",
        columns=columns,
        lines=lines,
        least_columns=LEAST_COLUMNS,
        least_lines=LEAST_LINES,
    )
    parts = canvas.paragraph([(str(text), look.style("text"))], columns)
    return Sheet(tuple(canvas.fitted(each, columns) for each in parts)).high(lines, columns)


def _whole(pen: Pen) -> Sheet:
    width, view = pen.columns, pen.view
    keys = canvas.key_sheet(view, width, pen.look, 2 if width >= 70 else 3)
    if pen.look.many:
        keys = replace(keys, lines=tuple(_raised(each, pen.look) for each in keys.lines))
    head = Sheet((_head(pen), *[Strip.blank(width)] * pen.roomy))
    response = _response(width, pen)
    room = pen.lines - keys.height - head.height - response.height
    # Pinned rows come first, at all sizes.
    rows, view = parted(view)
    pinned = pinned_sheet(rows, width, max(1, room // 3), pen)
    rest = _below_pinned(width, room - pinned.height, replace(pen, view=view))
    body = canvas.stacked([pinned, rest]).high(room, width)
    sheet = canvas.stacked([head, body, response, keys])
    return replace(sheet, lines=tuple(canvas.fitted(each, width) for each in sheet.lines))


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


def _head(pen: Pen) -> Strip:
    """Return the header. Drops the names of other steps if the drive's would be cut."""
    look, width = pen.look, pen.columns
    ground = look.style("head")
    about = canvas.shown(pen.view.about)
    left = _steps(pen, named=width >= 70)
    if width >= 70 and left.cell_length + cell_len(about) + 2 > width:
        left = _steps(pen, named=False)
    about = canvas.cut(about, width - left.cell_length - 2, look.sign("more"))
    return canvas.ends(left, canvas.line((f"{about} ", ground)), width, ground)


def _steps(pen: Pen, *, named: bool) -> Strip:
    look, ground, now = pen.look, pen.look.style("head"), pen.view.step.number
    runs = [(" diskwright ", look.style("name")), (" ", ground)]
    for step in ui.ScreenStep:
        if step.number == now:
            mark = ("<", ">") if look.colourless else (" ", " ")
            runs.append((f"{mark[0]}{now} {step.shown}{mark[1]}", look.style("step")))
        elif named:
            sign = look.sign("tick") if step.number < now else str(step.number)
            runs.append((f" {sign} {step.shown} ", ground))
    if not named:
        runs += [(" ", ground), (str(t("of 5")), ground)]
    return canvas.line(*runs)


def _response(width: int, pen: Pen) -> Sheet:
    said = pen.view.said
    if said is None or not canvas.shown(said.text):
        return Sheet()
    lines = canvas.paragraph([(canvas.shown(said.text), pen.look.tone(said.tone))], width - 2)
    return _inset(Sheet(tuple(lines[:MOST_SAID])), width)


def _below_pinned(width: int, height: int, pen: Pen) -> Sheet:
    view = pen.view
    if not pen.wide or view.over:
        return _column(width, height, pen)
    above = _above(width, pen)
    # Important blocks come first, but take at most half of the screen if there is more.
    alone = not pen.has_main and not view.panes
    most = height if alone else max(height // 2, height - 14)
    top = scrolled(keyboard.ABOVE, above, width, min(above.height, most), pen)
    if top.height:
        top = canvas.stacked([top, Sheet((Strip.blank(width),))])
    return top if alone else canvas.stacked([top, _sides(width, height - top.height, pen)])


def _sides(width: int, height: int, pen: Pen) -> Sheet:
    """Place the list left and the panes right, or below the list if there is room."""
    panes = pen.view.panes
    if not panes or (not pen.has_main and len(panes) == 1):
        return _left(width, height, pen, panes)
    left = width // 2
    if pen.view.rows is not None:
        # The width the list needs, between two fifths and three fifths of the screen.
        whole, least = natural_widths(pen.view.rows, pen)
        wanted = whole if whole + 4 <= left else least
        left = max(width * 2 // 5, min(wanted + 4, width * 3 // 5))
    rest: Sequence[ui.Pane] = panes[1:]
    if pen.has_main:
        used = _main(left - 4, pen).height + 2
        if not rest or used + sum(_boxed_height(pane, left, pen) for pane in rest) > height:
            rest = ()
    else:
        rest = panes[:1]
    others = tuple(pane for pane in panes if pane not in rest)
    one = _left(left, height, pen, rest)
    return canvas.side_by_side(one, _panes(keyboard.PANES, others, width - left - 1, height, pen), left, 1)


def _boxed_height(pane: ui.Pane, width: int, pen: Pen) -> int:
    return _inner(pane, width - 4, pen).height + 2


def _inner(pane: ui.Pane, width: int, pen: Pen, *, tight: bool = False) -> Sheet:
    """Return a pane's blocks, after the full title if that is too long for the edge. `tight`: too little
    room, so gaps are omitted. On the smallest screens text comes before title and drawings."""
    full_title = _full_title(pane.title, width, pen)
    blocks = tuple(one for one in pane.blocks if one != ui.GAP) if tight else pane.blocks
    if not tight or pen.roomy:
        return canvas.stacked([full_title, block_sheet(blocks, width, pen)])
    texts = [block for block in blocks if not isinstance(block, ui.Bar)]
    drawn = [block for block in blocks if isinstance(block, ui.Bar)]
    return canvas.stacked([block_sheet(texts, width, pen), full_title, block_sheet(drawn, width, pen)])


def _full_title(title: ui.Text, width: int, pen: Pen) -> Sheet:
    name = canvas.shown(title)
    if cell_len(name) <= width - 6:
        return Sheet()
    lines = canvas.paragraph([(name, pen.look.style("strong"))], width)
    return Sheet(tuple(canvas.fitted(each, width) for each in lines))


def _left(width: int, height: int, pen: Pen, panes: Sequence[ui.Pane]) -> Sheet:
    if not pen.has_main:
        return _panes(keyboard.LEFT, panes, width, height, pen)
    below = sum(_boxed_height(pane, width, pen) for pane in panes)
    room = min(_main(width - 4, pen).height + 2, max(5, height - min(below, height // 2)))
    if pen.view.panes and not panes:
        room = height
    main = _part_main(width - 4, max(1, room - 2), pen)
    box = _boxed(main, pen.view.title, width, max(3, room), pen, focused=pen.at(keyboard.MAIN))
    if not panes:
        return box
    return canvas.stacked([box, _panes(keyboard.LEFT, panes, width, height - box.height, pen)])


def _panes(name: str, panes: Sequence[ui.Pane], width: int, height: int, pen: Pen) -> Sheet:
    """Stack _boxed panes; the last one fills the rest. Without enough room, they scroll together."""
    here = pen.at(name)
    inner = [_inner(pane, width - 4, pen) for pane in panes]
    used = sum(each.height + 2 for each in inner)
    if len(panes) == 1 and used > height:
        part = scrolled(name, inner[0], width - 4, max(1, height - 2), pen, outside=True)
        return _boxed(part, panes[0].title, width, height, pen, focused=here)
    fits = bool(panes) and used <= height
    whole = canvas.stacked(
        _boxed(
            each,
            pane.title,
            width if fits else width - 1,
            each.height + 2 + (height - used if fits and pane is panes[-1] else 0),
            pen,
            focused=here,
        )
        for each, pane in zip(inner, panes, strict=True)
    )
    return whole if fits else scrolled(name, whole, width, height, pen)


def _title_line(title: ui.Text, width: int, pen: Pen, edges: tuple[str, str], *, focused: bool) -> Strip:
    look = pen.look
    style = look.style("focus-line" if focused else "line")
    name = canvas.cut(canvas.shown(title), width - 8, look.sign("more"))
    head = (f" {name} ", look.style("focus" if focused else "title")) if name else ("", style)
    left, right = edges
    rest = width - len(left) - len(right) - canvas.line(head).cell_length
    return canvas.line((left, style), head, ("─" * max(0, rest) + right, style))


def _boxed(inner: Sheet, title: ui.Text, width: int, height: int, pen: Pen, *, focused: bool) -> Sheet:
    style = pen.look.style("focus-line" if focused else "line")
    room = inner.high(max(0, height - 2), width - 4)
    side = canvas.line(("│", style))
    top = _title_line(title, width, pen, ("┌─", "┐"), focused=focused)
    body = [canvas.joined(side, Strip.blank(1), canvas.fitted(each, width - 3), side) for each in room.lines]
    bottom = canvas.line(("└" + "─" * (width - 2) + "┘", style))
    return replace(room.moved(2, 1), lines=(top, *body, bottom))


def _ruled(title: ui.Text, width: int, pen: Pen, *, focused: bool) -> Sheet:
    return Sheet((_title_line(title, width, pen, ("─", ""), focused=focused),))


def _above(width: int, pen: Pen) -> Sheet:
    view = pen.view
    titled = not pen.has_main and not view.over and canvas.shown(view.title)
    rule = _ruled(view.title, width, pen, focused=pen.focused) if titled else Sheet()
    blocks = [_full_title(view.title, width - 6, pen), block_sheet(view.above, width - 2, pen)]
    return canvas.stacked([rule, _inset(canvas.stacked(blocks), width)])


def _inset(sheet: Sheet, width: int) -> Sheet:
    lines = tuple(canvas.fitted(canvas.joined(Strip.blank(1), each), width) for each in sheet.lines)
    return replace(sheet.moved(1, 0), lines=lines)


def _main(width: int, pen: Pen) -> Sheet:
    view = pen.view
    if view.fields:
        return fields_sheet(view.fields, width, pen)
    if view.rows is None:
        return Sheet()
    found = listed(view.rows, width, pen)
    return Sheet((*found.head, *found.lines))


def _part_main(width: int, height: int, pen: Pen) -> Sheet:
    """Return the list or fields in `height` lines, with the cursor visible."""
    view = pen.view
    if view.fields:
        sheet = fields_sheet(view.fields, width, pen)
        ys = [spot.y for spot in sheet.spots if spot.name == pen.state.field]
        reach = (min(ys), max(ys)) if ys else (0, 0)
        return scrolled(keyboard.MAIN, sheet, width, height, pen, reach=reach)
    if view.rows is None:
        return Sheet()
    found = listed(view.rows, width, pen)
    head = found.head if height >= len(found.head) + min(2, len(found.lines)) else ()
    sheet, own = rows_sheet(found.lines, found.owners, width, pen)
    part = scrolled(keyboard.MAIN, sheet, width, height - len(head), pen, reach=own or (0, 0))
    return canvas.stacked([Sheet(head), part])


def _column(width: int, height: int, pen: Pen) -> Sheet:
    above, view = _above(width, pen), pen.view
    titled = pen.has_main and not view.over and canvas.shown(view.title) != ""
    below = _all_panes(width, pen)
    natural = [above.height, _main(width, pen).height + titled if pen.has_main else 0, below.height]
    gaps = sum(each > 0 for each in natural) - 1 if pen.roomy else 0
    gaps = max(0, min(gaps, height - sum(natural)))
    above_room, main_room, panes_room = canvas.rooms_of(natural, height - gaps)
    if below.height > panes_room:
        below = _all_panes(width, pen, tight=True)
    main = Sheet()
    if main_room:
        title = _ruled(view.title, width, pen, focused=pen.at(keyboard.MAIN)) if titled else Sheet()
        main = canvas.stacked([title, _part_main(width, max(1, main_room - title.height), pen)])
    found = [
        scrolled(keyboard.ABOVE, above, width, above_room, pen),
        main,
        scrolled(keyboard.PANES, below, width, panes_room, pen),
    ]
    sheets = [each for each in found if each.height]
    for index in range(1, len(sheets))[:gaps]:
        sheets[index] = canvas.stacked([Sheet((Strip.blank(width),)), sheets[index]])
    return canvas.stacked(sheets)


def _all_panes(width: int, pen: Pen, *, tight: bool = False) -> Sheet:
    found: list[Sheet] = []
    here = pen.at(keyboard.PANES)
    for index, pane in enumerate(pen.view.panes):
        if index and pen.roomy:
            found.append(Sheet((Strip.blank(width),)))
        if canvas.shown(pane.title) or (pen.has_main and not index):
            found.append(_ruled(pane.title, width, pen, focused=here))
        found.append(_inset(_inner(pane, width - 2, pen, tight=tight), width))
    return canvas.stacked(found)


def _under(below: tuple[ui.View, keyboard.InputState] | None, pen: Pen) -> Sheet:
    if below is None or not pen.look.many:
        return Sheet().high(pen.lines, pen.columns)
    view, state = below
    sheet = _whole(Pen(pen.look, view, pen.columns, pen.lines, state, focused=False))
    dim = pen.look.dimmed
    lines = tuple(
        Strip([Segment(text, dim(style)) for text, style, _ in each], each.cell_length)
        for each in sheet.lines
    )
    return Sheet(lines)


def _dialog(pen: Pen, under: Sheet) -> Sheet:
    most = WIDE_DIALOG if pen.columns >= 120 else DIALOG
    width = min(most, pen.columns - (2 if pen.columns > LEAST_COLUMNS else 0))
    inner = width - 4
    keys = canvas.key_sheet(pen.view, inner, pen.look, 3)
    response = _response(inner, pen)
    gap = [Sheet((Strip.blank(inner),))] * pen.roomy
    rest = [*(gap if response.height else []), response, *gap, keys]
    room = pen.lines - 2 - sum(each.height for each in rest)
    whole = canvas.stacked([_column(inner, max(1, room), pen), *rest])
    box = _boxed(whole, pen.view.title, width, whole.height + 2, pen, focused=True)
    x = (pen.columns - width) // 2
    y = max(0, (pen.lines - box.height) // 2)
    return canvas.laid_over(under, box.high(min(box.height, pen.lines), width), x, y)
