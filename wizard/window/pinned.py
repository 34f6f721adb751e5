"""Rows that stay in sight: over everything else, as wide as the screen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from textual.strip import Strip

from wizard.desk.view import Row, View
from wizard.window.blocks import Pen
from wizard.window.hand import MAIN, Hand
from wizard.window.lines import Run, blank, folded, joined, line, shown
from wizard.window.rows import MARK, drawn
from wizard.window.scroll import scrolled
from wizard.window.sheet import Sheet, Spot, plain, stacked

PINNED = "pinned"


def parted(view: View) -> tuple[tuple[Row, ...], View]:
    """The rows that are pinned, and the view without them."""
    if view.rows is None or not any(row.pinned for row in view.rows.rows):
        return (), view
    pinned = tuple(row for row in view.rows.rows if row.pinned)
    others = tuple(row for row in view.rows.rows if not row.pinned)
    return pinned, replace(view, rows=replace(view.rows, rows=others))


def pinned_sheet(
    rows: tuple[Row, ...], hand: Hand, width: int, most: int, pen: Pen, *, focused: bool
) -> Sheet:
    """At most so many lines, those of the cursor among them, and a blank one below."""
    here = focused and hand.focus == MAIN
    found = [(row.key, each) for row in rows for each in _lines(row, hand.cursor, width, pen, focused=here)]
    if not found:
        return Sheet()
    own = [index for index, (key, _) in enumerate(found) if key == hand.cursor]
    reach = (own[0], own[-1]) if own else None
    spots = tuple(Spot(0, y, width, "row", key) for y, (key, _) in enumerate(found))
    whole = Sheet(tuple(each for _, each in found), (0, own[0]) if own else None, spots)
    part = scrolled(PINNED, whole, width, min(most, whole.height), hand, pen, focused=here, reach=reach)
    return stacked([replace(part, parts=()), plain([blank(width)] if pen.roomy else [])])


def _lines(row: Row, cursor: str, width: int, pen: Pen, *, focused: bool) -> Iterator[Strip]:
    runs: list[Run] = []
    for cell in row.cells:
        if text := shown(cell.text):
            runs += [("  ", pen.look.style("text"))] if runs else []
            runs.append((text, pen.look.tone(cell.tone)))
    for number, part in enumerate(folded(runs, max(4, width - MARK - 1), max(4, width - MARK - 4))):
        strip = joined(blank(3 if number else 0), line(*part))
        yield drawn(strip, width, pen, at=row.key == cursor, focused=focused, first=not number)
