"""Draw a list as lines: columns, and the highlighted cursor row. Also draws form fields."""

from collections.abc import Sequence
from itertools import zip_longest

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from wizard.ui import view as ui
from wizard.window import canvas
from wizard.window.bars import bar_lines
from wizard.window.blocks import Pen, scrolled
from wizard.window.canvas import Run
from wizard.window.keyboard import MAIN, InputState

MARK, GAP, LEAST = 2, 2, 6
BARRED = 6
"""Most drives in a list with bars."""
FOLDABLE = 28
"""Least readable width of the last column in cells. If narrower, it moves below the others."""
HERE = Style.from_meta({canvas.CURSOR: MAIN})


Lines = list[tuple[str, Strip]]
"""Lines of rows or fields, with their keys. Lines with an empty key are no click target."""


def list_lines(rows: ui.Rows, width: int, pen: Pen) -> tuple[list[Strip], Lines]:
    """Return the titles of the columns, in a line if there are any, and all rows."""
    columns, titles, table = _table(rows, pen)
    room = width - MARK - 1
    natural, titled = _natural(titles, table), any(titles)
    others = _whole(natural[:-1])
    below = not titled and len(columns) > 1 and _whole(natural) > room >= others > room - GAP - FOLDABLE
    widths = [*natural[:-1], 0] if below else _fitted(natural, room, titled=titled)
    head = _table_lines([[(title, "muted")] for title in titles], widths, columns, pen) if titled else []
    lines: Lines = []
    barred = (
        pen.wide and pen.tall and pen.look.many and sum(row.bar is not None for row in rows.rows) <= BARRED
    )
    for row, cells in zip(rows.rows, table, strict=True):
        own = _table_lines(cells, widths, columns, pen)
        if below:
            indent = widths[0] + GAP if len(cells) > 2 else GAP
            last_cell = pen.look.paragraph(cells[-1], room, indent) if canvas.length(cells[-1]) else []
            own = last_cell if last_cell and not any(map(canvas.length, cells[:-1])) else own + last_cell
        indent = min(2 * row.level + 2, max(0, room - 12))
        for note in row.notes:
            own += pen.look.paragraph([(note, "muted")], room, indent)
        own = _why_not(row, own, room, indent, pen)
        if row.bar and barred:
            indent = widths[0] + GAP
            bar = bar_lines(row.bar, room - indent, pen.look, 0, 0)
            own += [*(canvas.joined(Strip.blank(indent), each) for each in bar), pen.look.line()]
        lines += [(row.key, line) for line in own]
    return [canvas.fitted(canvas.joined(Strip.blank(MARK), each), width) for each in head], lines


def _table(rows: ui.Rows, pen: Pen) -> tuple[list[ui.Column], list[str], list[list[list[Run]]]]:
    most = max((len(row.cells) for row in rows.rows), default=1)
    columns = rows.columns or (ui.Column(),) * most
    visible = [index for index, column in enumerate(columns) if column.least <= pen.columns]
    shown = [columns[index] for index in visible]
    unmarked = "    " if any(row.chosen is not None for row in rows.rows) else ""
    cells = [_cells(row, visible, rows.many, unmarked, pen) for row in rows.rows]
    return shown, [canvas.shown(column.title) for column in shown], cells


def natural_widths(rows: ui.Rows, pen: Pen) -> tuple[int, int]:
    """Return the list's width without wrapping, and with the last cells below."""
    columns, titles, table = _table(rows, pen)
    widths = _natural(titles, table)
    whole = MARK + 1 + _whole(widths)
    foldable = not any(titles) and len(columns) > 1
    return whole, MARK + 1 + _whole(widths[:-1]) if foldable else whole


def _cells(row: ui.Row, kept: Sequence[int], many: bool, unmarked: str, pen: Pen) -> list[list[Run]]:
    mark = unmarked
    if row.chosen is not None:
        mark = ("[x] " if row.chosen else "[ ] ") if many else "(●) " if row.chosen else "( ) "
    cells: list[list[Run]] = []
    for place, index in enumerate(kept):
        piece = row.cells[index] if index < len(row.cells) else ui.Piece("")
        role = "off" if row.why_not else piece.tone
        if place == 0 and piece.tone is ui.Tone.PLAIN and row.why_not == "":
            role = "strong"
        lead = "  " * row.level + mark if place == 0 else ""
        cells.append([*([(lead, "off" if row.why_not else "plain")] if lead else []), (piece.text, role)])
    return cells


def _natural(titles: Sequence[str], table: Sequence[Sequence[Sequence[Run]]]) -> list[int]:
    return [
        max([cell_len(title), *(canvas.length(cells[index]) for cells in table)])
        for index, title in enumerate(titles)
    ]


def _fitted(natural: list[int], room: int, *, titled: bool) -> list[int]:
    """Return the widths of all columns. The last one shrinks and wraps first while readable, then the
    widest."""
    left = room - _whole(natural[:-1]) - GAP
    if not titled and FOLDABLE <= left < natural[-1]:
        return [*natural[:-1], left]
    widths = list(natural)
    while (over := _whole(widths) - room) > 0:
        widest = max(range(len(widths)), key=lambda index: widths[index])
        if widths[widest] <= LEAST:
            break
        second = max((each for index, each in enumerate(widths) if index != widest), default=LEAST)
        widths[widest] = max(LEAST, widths[widest] - max(1, min(over, widths[widest] - second)))
    return widths


def _whole(widths: Sequence[int]) -> int:
    used = [each for each in widths if each]
    return sum(used) + GAP * max(0, len(used) - 1)


def _table_lines(
    cells: Sequence[list[Run]], widths: Sequence[int], columns: Sequence[ui.Column], pen: Pen
) -> list[Strip]:
    shown = [part for part in zip(cells, widths, columns, strict=True) if part[1]]
    parts = [canvas.folded(runs, width) for runs, width, _ in shown]
    lines: list[Strip] = []
    for level in zip_longest(*parts, fillvalue=list[Run]()):
        runs: list[Run] = []
        for part, (_, width, column) in zip(level, shown, strict=True):
            rest = (" " * (width - canvas.length(part)), Style.null())
            runs += [(" " * GAP, Style.null())] if runs else []
            runs += [rest, *part] if column.right else [*part, rest]
        lines.append(pen.look.line(*runs))
    return lines or [pen.look.line()]


def _why_not(row: ui.Row, own: list[Strip], room: int, indent: int, pen: Pen) -> list[Strip]:
    if row.why_not == "" or any(canvas.shown(cell.text) == canvas.shown(row.why_not) for cell in row.cells):
        return own
    reason = f"– {canvas.shown(row.why_not)}"
    runs = [(reason, "off")]
    used = cell_len(own[0].text.rstrip())
    if len(own) == 1 and used + 2 + cell_len(reason) <= room:
        return [canvas.joined(canvas.fitted(own[0], used + 2), pen.look.line(*runs))]
    return own + pen.look.paragraph(runs, room, indent)


def shown_lines(name: str, lines: Lines, width: int, height: int, pen: Pen) -> list[Strip]:
    """Return `height` lines, including those under the cursor. Only visible ones get mark and targets."""
    kind, at = ("field", pen.state.field) if pen.view.fields else ("row", pen.state.cursor)
    places = [y for y, (key, _) in enumerate(lines) if key == at] or [0]

    def finished(y: int, strip: Strip) -> Strip:
        key = lines[y][0]
        if kind == "row":
            strip = _row_line(strip, width, pen, at=key == at, first=y == places[0])
        return strip.apply_meta({kind: key}) if key else strip

    whole = [strip for _, strip in lines]
    return scrolled(name, whole, width, height, pen, reach=(places[0], places[-1]), finished=finished)


def _row_line(strip: Strip, width: int, pen: Pen, *, at: bool, first: bool) -> Strip:
    """Return a line of a row with the cursor's mark, and its background if focused."""
    strip = canvas.fitted(strip, width - MARK)
    if not at:
        return canvas.joined(Strip.blank(MARK), strip)
    look, focused = pen.look, pen.at(MAIN)
    role = "accent" if not focused else "mark" if look.many else "cursor"
    mark = "▌" if look.many or first else " "
    lead = look.line((f"{mark} ", look.style(role) + (HERE if first else Style.null())))
    ground, muted = look.style("cursor"), look.style("muted").color
    if focused and look.many:
        strip = Strip(Segment(text, _on_background(style, ground, muted)) for text, style, _ in strip)
    elif focused:
        strip = look.line((strip.text, ground))
    return canvas.joined(lead, strip)


def _on_background(style: Style | None, ground: Style, muted: object) -> Style:
    ink = style or ground
    if ink.bgcolor is not None and not ink.bgcolor.is_default:
        return ink
    if ink.color is None or ink.color == muted:
        return ground
    return ink + Style(bgcolor=ground.bgcolor)


ENTRY = 40
"""Sufficient width for typed values in cells."""


def field_lines(fields: tuple[ui.Field, ...], width: int, pen: Pen) -> Lines:
    """Draw fields below each other."""
    longest = max((cell_len(canvas.shown(field.caption)) for field in fields), default=0)
    column = min(longest, max(8, width * 2 // 5))
    hints = max((cell_len(canvas.shown(field.hint)) + 4 for field in fields), default=0)
    entry = min(max(ENTRY, hints), max(6, width - column - 5))
    return [line for field in fields for line in _field(field, column, width, entry, pen)]


def _field(field: ui.Field, column: int, width: int, entry: int, pen: Pen) -> Lines:
    look, focused = pen.look, pen.at(MAIN) and pen.state.field == field.key
    captions = look.paragraph([(field.caption, "accent" if focused else "plain")], column)
    mark = "▌" if focused else " "
    room = max(6, width - column - 5)
    if field.offers:
        runs = _choice_runs(field, room, pen, focused=focused)
    else:
        runs = _entry(field, entry, pen, focused=focused)
    lines: Lines = []
    for caption in captions:
        lead = look.line((f"{mark} ", "accent"))
        line = canvas.joined(lead, canvas.fitted(caption, column + 2), look.line(*runs))
        lines.append((field.key, canvas.fitted(line, width)))
        mark, runs = " ", []
    refused, hint = _offer(field, pen.state), canvas.shown(field.hint)
    notes: list[Run] = []
    if refused is not None and refused.why_not:
        notes.append((refused.why_not, "warn"))
    if not field.offers and cell_len(hint) + 4 > room:
        notes.append((hint, "muted"))
    for note in notes:
        lines += [("", line) for line in look.paragraph([note], column + 4 + room, column + 4)]
    return lines


def _offer(field: ui.Field, state: InputState) -> ui.Offer | None:
    value = state.value(field.key)
    return next((offer for offer in field.offers if offer.value == value), None)


def _choice_runs(field: ui.Field, room: int, pen: Pen, *, focused: bool) -> list[Run]:
    look, offer = pen.look, _offer(field, pen.state)
    text = canvas.cut(canvas.shown(offer.text if offer else pen.state.value(field.key)), room - 4)
    arrows = look.style("accent" if focused else "muted")
    role = "off" if offer and offer.why_not else "go" if focused else "strong"
    here = HERE if focused else Style.null()
    return [("◂ ", arrows + here), (text, role), (" ▸", arrows)]


def _entry(field: ui.Field, room: int, pen: Pen, *, focused: bool) -> list[Run]:
    look, entry = pen.look, pen.state.entries[field.key]
    ink, at = look.style("field"), look.style("at")
    text = "•" * len(entry.text) if field.secret else canvas.shown(entry.text)
    place = min(len(entry.before), len(text))
    brackets = ("", "") if look.many else ("[", "]")
    room -= len("".join(brackets))
    if not entry.text and canvas.shown(field.hint):
        hint = canvas.cut(canvas.shown(field.hint), room - 2)
        body: list[Run] = [(" ", at + HERE if focused else "hint"), (hint, "hint")]
        used = 1 + cell_len(hint)
    else:
        start = 0
        while cell_len(text[start:place]) > room - 2:
            start += 1
        part = text[start : start + canvas.fitting(text[start:], room - 1)]
        place -= start
        under = part[place : place + 1] or " "
        if focused and entry.selected:
            ink = at
        cursor: list[Run] = [(part[:place], ink), (under, at + HERE), (part[place + 1 :], ink)]
        body = cursor if focused else [(part, ink)]
        used = cell_len(part) + (1 if focused and place >= len(part) else 0)
    rest = " " * max(0, room - used)
    return [(brackets[0], "plain"), *body, (rest, "field"), (brackets[1], "plain")]


PINNED = "pinned"


def pinned_lines(rows: Sequence[ui.Row], width: int, most: int, pen: Pen) -> list[Strip]:
    """Return at most `most` lines of pinned rows, including the cursor's, with a blank line below."""
    lines = [
        (row.key, line)
        for row in rows
        for line in pen.look.paragraph(pen.runs(row.cells, "  "), width - MARK - 1, hang=3)
    ]
    shown = shown_lines(PINNED, lines, width, min(most, len(lines)), pen)
    # The wheel does not scroll them.
    del pen.parts[PINNED]
    return [*shown, *[Strip.blank(width)] * pen.roomy]
