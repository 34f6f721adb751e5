"""Lay out a view as a whole screen."""

from collections.abc import Iterator, Sequence
from itertools import chain, zip_longest

from msgspec.structs import replace
from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip

from wizard.model.said import t
from wizard.ui import view as ui
from wizard.window import canvas, keyboard, rows
from wizard.window.blocks import Pen, block_lines, scrolled
from wizard.window.look import Look

LEAST_COLUMNS, LEAST_LINES = 60, 16
DIALOG, WIDE_DIALOG = 78, 92
MOST_SAID = 4

Main = tuple[list[Strip], rows.Lines]
"""The head and the lines of the list, or the lines of the fields."""


def page(
    view: ui.View,
    state: keyboard.InputState,
    look: Look,
    size: tuple[int, int],
    below: tuple[ui.View, keyboard.InputState] | None = None,
) -> canvas.Sheet:
    """Lay out a view for the whole screen. `below`: the view below a dialog."""
    columns, lines = size
    if columns < LEAST_COLUMNS or lines < LEAST_LINES:
        text = t(
            "This terminal has {columns} columns and {lines} lines. diskwright needs {least_columns} and "
            "{least_lines}; `diskwright --plain` works at any size. Press q to quit.",
            columns=columns,
            lines=lines,
            least_columns=LEAST_COLUMNS,
            least_lines=LEAST_LINES,
        )
        parts = look.paragraph([(text, "plain")], columns)
        drawn = canvas.high([canvas.fitted(each, columns) for each in parts], lines, columns)
        return canvas.sheet_of(drawn, {})
    pen = Pen(look, view, columns, lines, state)
    return canvas.sheet_of(_dialog(pen, below) if view.over else _whole(pen), pen.parts)


def _whole(pen: Pen) -> list[Strip]:
    width, view = pen.columns, pen.view
    keys = _key_lines(width, 2 if width >= 70 else 3, pen)
    if pen.look.many:
        keys = [each.apply_style(pen.look.style("raised")) for each in keys]
    head = [_head(pen), *_gap(width, pen)]
    response = _response(width, pen)
    room = pen.lines - len(keys) - len(head) - len(response)
    pinned: list[Strip] = []
    if view.rows and (first := [row for row in view.rows.rows if row.pinned]):
        # Pinned rows come first, at all sizes.
        pinned = rows.pinned_lines(first, width, max(1, room // 3), pen)
        others = tuple(row for row in view.rows.rows if not row.pinned)
        pen = replace(pen, view=replace(view, rows=replace(view.rows, rows=others)))
    rest = _below_pinned(width, room - len(pinned), pen)
    lines = [*head, *canvas.high([*pinned, *rest], room, width), *response, *keys]
    return [canvas.fitted(each, width) for each in lines]


PALETTE = ui.Action("palette", "ctrl+p", t("more"))
"""Opens the palette. It belongs to the window, not to a view."""
MOST_KEYS = 8
_ALWAYS_SHOWN = ("help", "quit", "back", "yes", "keep", "undo", "resume", "stop", "as-root")


def _key_lines(width: int, most: int, pen: Pen) -> list[Strip]:
    """Return at most eight keys in at most `most` lines. Never drops help, which lists all keys.

    Where room remains, the key of the palette stands for the others."""
    named = [action for action in pen.view.actions if action.label != ""]
    actions = [action for action in named if not action.aside]
    while True:
        rows = list(_key_rows(actions, width, pen))
        if (len(rows) <= most and len(actions) <= MOST_KEYS) or len(actions) <= 1:
            break
        actions.remove(
            next((one for one in reversed(actions[1:]) if one.name not in _ALWAYS_SHOWN), actions[-1])
        )
    with_palette = list(_key_rows([*actions, PALETTE], width, pen))
    if actions != named and len(with_palette) == len(rows) and len(actions) < MOST_KEYS:
        rows = with_palette
    return [canvas.fitted(canvas.joined(*row), width) for row in rows[:most]]


def _key_rows(actions: Sequence[ui.Action], width: int, pen: Pen) -> Iterator[list[Strip]]:
    row = [Strip.blank(1)]
    used = 1
    for index, action in enumerate(actions):
        runs = pen.cap(action, filled=index == 0)
        if canvas.length(runs) > width - 2:
            runs = [(canvas.cut(canvas.shown(text), width - 8), style) for text, style in runs]
        cap = pen.look.line(*runs)
        if used > 1 and used + cap.cell_length > width - 1:
            yield row
            row, used = [Strip.blank(1)], 1
        row += [cap.apply_meta({"action": action.name}), Strip.blank(2)]
        used += cap.cell_length + 2
    if used > 1:
        yield row


def _gap(width: int, pen: Pen) -> list[Strip]:
    return [Strip.blank(width)] * pen.roomy


def _head(pen: Pen) -> Strip:
    """Return the header. Drops the names of other steps if the drive's would be cut."""
    look, width = pen.look, pen.columns
    ground = look.style("raised")
    about = canvas.shown(pen.view.about)
    left = _steps(pen, named=width >= 70)
    if width >= 70 and left.cell_length + cell_len(about) + 2 > width:
        left = _steps(pen, named=False)
    about = canvas.cut(about, width - left.cell_length - 2)
    right = look.line((f"{about} ", ground))
    return canvas.joined(canvas.fitted(left, width - right.cell_length, ground), right)


def _steps(pen: Pen, *, named: bool) -> Strip:
    look, ground, now = pen.look, "raised", pen.view.step.number
    runs: list[canvas.Run] = [(" diskwright ", "name"), (" ", ground)]
    for step in ui.ScreenStep:
        if step.number == now:
            mark = ("<", ">") if look.colourless else (" ", " ")
            runs.append((f"{mark[0]}{now} {step.shown}{mark[1]}", "step"))
        elif named:
            sign = "✓" if step.number < now else str(step.number)
            runs.append((f" {sign} {step.shown} ", ground))
    if not named:
        runs += [(" ", ground), (t("of 5"), ground)]
    return look.line(*runs)


def _response(width: int, pen: Pen) -> list[Strip]:
    said = pen.view.said
    if said is None or said.text == "":
        return []
    lines = pen.look.paragraph([(said.text, said.tone)], width - 2)
    return _inset(lines[:MOST_SAID], width)


def _below_pinned(width: int, height: int, pen: Pen) -> list[Strip]:
    view = pen.view
    if not pen.wide or view.over:
        return _column(width, height, pen)
    above = _above(width, pen)
    # Important blocks come first, but take at most half of the screen if there is more.
    alone = not pen.has_main and not view.panes
    most = height if alone else max(height // 2, height - 14)
    top = scrolled(keyboard.ABOVE, above, width, min(len(above), most), pen)
    if top:
        top.append(Strip.blank(width))
    return top if alone else [*top, *_sides(width, height - len(top), pen)]


def _sides(width: int, height: int, pen: Pen) -> list[Strip]:
    """Place the list left and the panes right, or below the list if there is room."""
    panes = pen.view.panes
    if not panes or (not pen.has_main and len(panes) == 1):
        return _left(_main(width - 4, pen), width, height, pen, panes)
    left = width // 2
    if pen.view.rows is not None:
        # The width the list needs, between two fifths and three fifths of the screen.
        whole, least = rows.natural_widths(pen.view.rows, pen)
        wanted = whole if whole + 4 <= left else least
        left = max(width * 2 // 5, min(wanted + 4, width * 3 // 5))
    main, rest = _main(left - 4, pen), panes[1:]
    if pen.has_main:
        used = _height(main) + 2
        if not rest or used + sum(_boxed_height(pane, left, pen) for pane in rest) > height:
            rest = ()
    else:
        rest = panes[:1]
    others = tuple(pane for pane in panes if pane not in rest)
    right = width - left - 1
    both = (_left(main, left, height, pen, rest), _panes(keyboard.PANES, others, right, height, pen))
    return [
        canvas.joined(canvas.fitted(first, left + 1), canvas.fitted(second, right))
        for first, second in zip_longest(*both, fillvalue=pen.look.line())
    ]


def _boxed_height(pane: ui.Pane, width: int, pen: Pen) -> int:
    return len(_inner(pane, width - 4, pen)) + 2


def _inner(pane: ui.Pane, width: int, pen: Pen, *, tight: bool = False) -> list[Strip]:
    """Return a pane's blocks, after the full title if that is too long for the edge. `tight`: too little
    room, so gaps are omitted. On the smallest screens text comes before title and drawings."""
    full_title = _full_title(pane.title, width, pen)
    blocks = tuple(one for one in pane.blocks if one != ui.GAP) if tight else pane.blocks
    if not tight or pen.roomy:
        return [*full_title, *block_lines(blocks, width, pen)]
    texts = [block for block in blocks if not isinstance(block, ui.Bar)]
    drawn = [block for block in blocks if isinstance(block, ui.Bar)]
    return [*block_lines(texts, width, pen), *full_title, *block_lines(drawn, width, pen)]


def _full_title(title: ui.Text, width: int, pen: Pen) -> list[Strip]:
    name = canvas.shown(title)
    if cell_len(name) <= width - 6:
        return []
    return pen.look.paragraph([(name, "strong")], width)


def _left(main: Main, width: int, height: int, pen: Pen, panes: Sequence[ui.Pane]) -> list[Strip]:
    if not pen.has_main:
        return _panes(keyboard.LEFT, panes, width, height, pen)
    below = sum(_boxed_height(pane, width, pen) for pane in panes)
    room = min(_height(main) + 2, max(5, height - min(below, height // 2)))
    if pen.view.panes and not panes:
        room = height
    part = _part_main(main, width - 4, max(1, room - 2), pen)
    box = _boxed(part, pen.view.title, width, max(3, room), pen, focused=pen.at(keyboard.MAIN))
    return [*box, *_panes(keyboard.LEFT, panes, width, height - len(box), pen)] if panes else box


def _panes(name: str, panes: Sequence[ui.Pane], width: int, height: int, pen: Pen) -> list[Strip]:
    """The last pane fills the rest. Without enough room, they scroll together."""
    here = pen.at(name)
    inner = [_inner(pane, width - 4, pen) for pane in panes]
    used = sum(len(each) + 2 for each in inner)
    if len(panes) == 1 and used > height:
        part = scrolled(name, inner[0], width - 4, max(1, height - 2), pen, outside=True)
        return _boxed(part, panes[0].title, width, height, pen, focused=here)
    fits = bool(panes) and used <= height
    whole: list[Strip] = []
    for each, pane in zip(inner, panes, strict=True):
        rest = height - used if fits and pane is panes[-1] else 0
        whole += _boxed(
            each, pane.title, width if fits else width - 1, len(each) + 2 + rest, pen, focused=here
        )
    return whole if fits else scrolled(name, whole, width, height, pen)


def _title_line(title: ui.Text, width: int, pen: Pen, edges: tuple[str, str], *, focused: bool) -> Strip:
    look = pen.look
    style = "focus-line" if focused else "line"
    name = canvas.cut(canvas.shown(title), width - 8)
    head = (f" {name} ", "focus" if focused else "muted") if name else ("", style)
    left, right = edges
    rest = width - len(left) - len(right) - look.line(head).cell_length
    return look.line((left, style), head, ("─" * max(0, rest) + right, style))


def _boxed(
    inner: Sequence[Strip], title: ui.Text, width: int, height: int, pen: Pen, *, focused: bool
) -> list[Strip]:
    look, style = pen.look, "focus-line" if focused else "line"
    room = canvas.high(inner, max(0, height - 2), width - 4)
    side = look.line(("│", style))
    top = _title_line(title, width, pen, ("┌─", "┐"), focused=focused)
    body = [canvas.joined(side, Strip.blank(1), canvas.fitted(each, width - 3), side) for each in room]
    return [top, *body, look.line(("└" + "─" * (width - 2) + "┘", style))]


def _ruled(title: ui.Text, width: int, pen: Pen, *, focused: bool) -> list[Strip]:
    return [_title_line(title, width, pen, ("─", ""), focused=focused)]


def _above(width: int, pen: Pen) -> list[Strip]:
    view = pen.view
    titled = not pen.has_main and not view.over and view.title != ""
    rule = _ruled(view.title, width, pen, focused=pen.focused) if titled else []
    blocks = [*_full_title(view.title, width - 6, pen), *block_lines(view.above, width - 2, pen)]
    return [*rule, *_inset(blocks, width)]


def _inset(lines: Sequence[Strip], width: int) -> list[Strip]:
    return [canvas.fitted(canvas.joined(Strip.blank(1), each), width) for each in lines]


def _main(width: int, pen: Pen) -> Main:
    if pen.view.fields:
        return [], rows.field_lines(pen.view.fields, width, pen)
    return rows.list_lines(pen.view.rows, width, pen) if pen.view.rows else ([], [])


def _height(main: Main) -> int:
    return len(main[0]) + len(main[1])


def _part_main(main: Main, width: int, height: int, pen: Pen) -> list[Strip]:
    """Return the list or fields in `height` lines, with the cursor visible."""
    head, lines = main
    if height < len(head) + min(2, len(lines)):
        head = []
    return [*head, *rows.shown_lines(keyboard.MAIN, lines, width, height - len(head), pen)]


def _column(width: int, height: int, pen: Pen) -> list[Strip]:
    above, view, main = _above(width, pen), pen.view, _main(width, pen)
    titled = pen.has_main and not view.over and view.title != ""
    below = _all_panes(width, pen)
    natural = [len(above), _height(main) + titled if pen.has_main else 0, len(below)]
    gaps = sum(each > 0 for each in natural) - 1 if pen.roomy else 0
    gaps = max(0, min(gaps, height - sum(natural)))
    above_room, main_room, panes_room = canvas.rooms_of(natural, height - gaps)
    if len(below) > panes_room:
        below = _all_panes(width, pen, tight=True)
    part: list[Strip] = []
    if main_room:
        title = _ruled(view.title, width, pen, focused=pen.at(keyboard.MAIN)) if titled else []
        part = [*title, *_part_main(main, width, max(1, main_room - len(title)), pen)]
    found = (
        scrolled(keyboard.ABOVE, above, width, above_room, pen),
        part,
        scrolled(keyboard.PANES, below, width, panes_room, pen),
    )
    parts = [each for each in found if each]
    for index in range(1, len(parts))[:gaps]:
        parts[index].insert(0, Strip.blank(width))
    return list(chain(*parts))


def _all_panes(width: int, pen: Pen, *, tight: bool = False) -> list[Strip]:
    found: list[Strip] = []
    here = pen.at(keyboard.PANES)
    for index, pane in enumerate(pen.view.panes):
        if index:
            found += _gap(width, pen)
        if pane.title != "" or (pen.has_main and not index):
            found += _ruled(pane.title, width, pen, focused=here)
        found += _inset(_inner(pane, width - 2, pen, tight=tight), width)
    return found


def _dialog(pen: Pen, below: tuple[ui.View, keyboard.InputState] | None) -> list[Strip]:
    most = WIDE_DIALOG if pen.columns >= 120 else DIALOG
    width = min(most, pen.columns - (2 if pen.columns > LEAST_COLUMNS else 0))
    inner = width - 4
    keys = _key_lines(inner, 3, pen)
    response, gap = _response(inner, pen), _gap(inner, pen)
    rest = [*(gap if response else []), *response, *gap, *keys]
    whole = [*_column(inner, max(1, pen.lines - 2 - len(rest)), pen), *rest]
    box = _boxed(whole, pen.view.title, width, len(whole) + 2, pen, focused=True)
    x, y = (pen.columns - width) // 2, max(0, (pen.lines - len(box)) // 2)
    lines = [Strip.blank(pen.columns)] * pen.lines
    if below is not None and pen.look.many:
        dim = pen.look.dimmed
        under = _whole(Pen(pen.look, below[0], pen.columns, pen.lines, below[1], focused=False))
        lines = [Strip([Segment(text, dim(style)) for text, style, _ in each]) for each in under]
    for at, strip in enumerate(box[: pen.lines], y):
        left, right = lines[at].crop(0, x), lines[at].crop(x + width, pen.columns)
        lines[at] = canvas.joined(left, strip, right)
    return lines
