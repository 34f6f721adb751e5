"""A part of the screen that scrolls."""

from __future__ import annotations

from textual.strip import Strip

from wizard.model.said import Sentence
from wizard.window.blocks import Pen
from wizard.window.hand import Hand
from wizard.window.lines import blank, fitted, joined, line
from wizard.window.sheet import Extent, Sheet, Spot

BELOW = Sentence("{count} more")


def scrolled(
    name: str,
    whole: Sheet,
    width: int,
    height: int,
    hand: Hand,
    pen: Pen,
    *,
    focused: bool,
    reach: tuple[int, int] | None = None,
    outside: bool = False,
) -> Sheet:
    """As many lines as there is room for, with the lines `reach` among them. The last one says how much lies
    below it; a bar at the right says where one is. `outside` puts that bar behind the width."""
    total = whole.height
    height = max(0, height)
    if total <= height:
        hand.tops.pop(name, None)
        return Sheet(
            tuple(fitted(each, width) for each in whole.lines),
            whole.cursor,
            whole.spots,
            ((name, Extent(0, height, total)),),
        )
    top = _top(hand.tops.get(name, 0), height, total, reach)
    hand.tops[name] = top
    more = height > 2 and top + height < total
    seen = list(whole.lines[top : top + height - more])
    if more:
        below = total - top - len(seen)
        sign = pen.look.sign("down")
        seen.append(
            line((f"  {sign} {BELOW(count=below)}", pen.look.style("accent" if focused else "muted")))
        )
    bar = _bar(top, height, total, pen)
    wide = width if outside else width - 1
    lines = (
        tuple(joined(fitted(each, wide), mark) for each, mark in zip(seen, bar, strict=True))
        if height
        else ()
    )
    cursor = (whole.cursor[0], whole.cursor[1] - top) if whole.cursor else None
    last = height - more
    if cursor and not 0 <= cursor[1] < last:
        cursor = None
    spots = [
        Spot(each.x, each.y - top, each.width, each.kind, each.name)
        for each in whole.spots
        if 0 <= each.y - top < last
    ]
    spots += _own_spots(name, height, width)
    return Sheet(lines, cursor, tuple(spots), ((name, Extent(top, height, total)),))


def _own_spots(name: str, height: int, width: int) -> list[Spot]:
    """Where the wheel scrolls it."""
    return [Spot(0, y, width, "part", name) for y in range(height)]


def _top(top: int, height: int, total: int, reach: tuple[int, int] | None) -> int:
    """Where it begins, so that what matters is in sight."""
    top = max(0, min(top, total - height))
    if reach is None:
        return top
    first, last = reach
    last = min(last, first + max(0, height - 2))
    if first < top:
        top = first
    while top < total - height and last >= top + height - (height > 2 and top + height < total):
        top += 1
    return 0 if first == 0 else top


def _bar(top: int, height: int, total: int, pen: Pen) -> list[Strip]:
    look = pen.look
    long = max(1, height * height // total)
    first = round((height - long) * top / max(1, total - height))
    return [
        line((" ", look.style("thumb")))
        if first <= y < first + long
        else fitted(blank(1), 1, look.style("track"))
        for y in range(height)
    ]
