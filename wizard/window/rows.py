"""A list as lines: columns, the cursor's row on a ground and with a mark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from wizard.desk.view import Column, Piece, Row, Rows, Tone
from wizard.window.blocks import Pen
from wizard.window.lines import Run, blank, fitted, folded, joined, line, restyled, shown

MARK, GAP, LEAST = 2, 2, 6
FOLDABLE = 28
"""Cells in which the last column can still be read; with fewer it stands below the others."""


@dataclass(frozen=True, slots=True)
class Listed:
    """Lines of a list. `owners` are the keys of the rows they belong to, `head` the titles of the columns."""

    head: tuple[Strip, ...]
    lines: tuple[Strip, ...]
    owners: tuple[str, ...]


def listed(rows: Rows, width: int, pen: Pen, cursor: str, *, focused: bool) -> Listed:
    """All rows at a width."""
    key = (id(rows), width, cursor, focused)
    found = pen.drawn.get(key)
    if not isinstance(found, Listed):
        found = pen.drawn[key] = _listed(rows, width, pen, cursor, focused=focused)
    return found


def _listed(rows: Rows, width: int, pen: Pen, cursor: str, *, focused: bool) -> Listed:
    columns = rows.columns or tuple(
        Column() for _ in range(max((len(row.cells) for row in rows.rows), default=1))
    )
    kept = [index for index, column in enumerate(columns) if column.least <= pen.columns]
    table = [_cells(row, kept, rows, pen) for row in rows.rows]
    titles = [shown(columns[index].title) for index in kept]
    room = width - MARK - 1
    widths = _widths(titles, table, room, folds=False)
    others = _whole(widths[:-1])
    below = not any(titles) and len(kept) > 1 and _whole(widths) > room >= others > room - GAP - FOLDABLE
    widths = _fitted_widths(titles, table, room, below=below)
    right = [columns[index].right for index in kept]
    head: list[Strip] = []
    if any(titles):
        muted = pen.look.style("muted")
        head = [
            joined(blank(MARK), part)
            for part in _table_lines([[(title, muted)] for title in titles], widths, right)
        ]
    lines: list[Strip] = []
    owners: list[str] = []
    for row, cells in zip(rows.rows, table, strict=True):
        own = _table_lines(cells, widths, right)
        if below:
            spoken = _last_cell(cells[-1], widths[0] + GAP if len(cells) > 2 else GAP, room)
            own = spoken if spoken and not any(map(_length, cells[:-1])) else own + spoken
        own = _why_not(row, [*own, *_notes(row, room, pen)], room, pen)
        at = row.key == cursor
        lines += [drawn(each, width, pen, at=at, focused=focused, first=not i) for i, each in enumerate(own)]
        owners += [row.key] * len(own)
    return Listed(tuple(fitted(each, width) for each in head), tuple(lines), tuple(owners))


def _columns(rows: Rows) -> tuple[Column, ...]:
    most = max((len(row.cells) for row in rows.rows), default=1)
    return rows.columns or tuple(Column() for _ in range(most))


def natural_widths(rows: Rows, pen: Pen) -> tuple[int, int]:
    """The cells that the list takes where nothing is folded, and where its last cells stand below."""
    columns = _columns(rows)
    kept = [index for index, column in enumerate(columns) if column.least <= pen.columns]
    table = [_cells(row, kept, rows, pen) for row in rows.rows]
    titles = [shown(columns[index].title) for index in kept]
    widths = _widths(titles, table, 0, folds=False)
    whole = MARK + 1 + _whole(widths)
    foldable = not any(titles) and len(kept) > 1
    return whole, MARK + 1 + _whole(widths[:-1]) if foldable else whole


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
    """Of all columns; the last one gives first, as long as it can still be read, then the widest."""
    natural = _widths(titles, table, room, folds=False)
    if below:
        return [*natural[:-1], 0]
    left = room - _whole(natural[:-1]) - GAP
    if not any(titles) and FOLDABLE <= left < natural[-1]:
        return [*natural[:-1], left]
    return _widths(titles, table, room, folds=True)


def _last_cell(runs: list[Run], indent: int, room: int) -> list[Strip]:
    """The last cell in lines of its own, where the others leave no room for it."""
    if not any(text for text, _ in runs):
        return []
    return [joined(blank(indent), line(*part)) for part in folded(runs, max(4, room - indent))]


def _widths(
    titles: Sequence[str], table: Sequence[Sequence[Sequence[Run]]], room: int, *, folds: bool
) -> list[int]:
    """What the longest cell needs; where that is too much, the widest columns give, and fold."""
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
    """The cells beside one another, each folded in its own column."""
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
    """Behind the row where there is room, else below it."""
    if row.why_not == "" or any(shown(cell.text) == shown(row.why_not) for cell in row.cells):
        return own
    said = f"{pen.look.sign('dash')} {shown(row.why_not)}"
    runs = [(said, pen.look.style("off"))]
    used = cell_len(own[0].text.rstrip())
    if len(own) == 1 and used + 2 + cell_len(said) <= room:
        return [joined(fitted(own[0], used + 2), line(*runs))]
    indent = min(2 * row.level + 2, max(0, room - 12))
    return [*own, *(joined(blank(indent), line(*part)) for part in folded(runs, max(4, room - indent)))]


def drawn(strip: Strip, width: int, pen: Pen, *, at: bool, focused: bool, first: bool) -> Strip:
    """Behind the mark, and on the cursor's ground where the cursor is here."""
    look = pen.look
    if not at:
        return fitted(joined(blank(MARK), strip), width)
    mark = look.sign("mark") if first or look.many else " "
    if not focused:
        return fitted(joined(line((f"{mark} ", look.style("accent"))), strip), width)
    ground = look.style("cursor")
    if not look.many:
        return restyled(fitted(joined(line((f"{mark} ", ground)), strip), width), ground)
    muted = look.style("muted").color
    inked = [Segment(text, _grounded(style, ground, muted)) for text, style, _ in fitted(strip, width - MARK)]
    return joined(line((f"{mark} ", look.style("mark"))), Strip(inked))


def _grounded(style: Style | None, ground: Style, muted: object) -> Style:
    ink = style or ground
    if ink.color is None or ink.color == muted:
        return ground
    return ink + Style(bgcolor=ground.bgcolor)
