"""A piece of the screen: lines, where the cursor is in it, and what a click means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from textual.strip import Strip

from wizard.window.lines import blank, fitted, joined


@dataclass(frozen=True, slots=True)
class Spot:
    """Cells of one line that mean something: a `row`, a `field`, an `action`, or a `part` that scrolls."""

    x: int
    y: int
    width: int
    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class Extent:
    """How much of a part is in sight: it has `total` lines, and shows `height` from `top`."""

    top: int
    height: int
    total: int

    @property
    def overflows(self) -> bool:
        """Whether it has to be scrolled."""
        return self.total > self.height


@dataclass(frozen=True, slots=True)
class Sheet:
    """Lines that are all equally wide. `parts` are those that scroll, by their names."""

    lines: tuple[Strip, ...] = ()
    cursor: tuple[int, int] | None = None
    spots: tuple[Spot, ...] = ()
    parts: tuple[tuple[str, Extent], ...] = ()

    @property
    def height(self) -> int:
        """How many lines it has."""
        return len(self.lines)

    def moved(self, x: int, y: int) -> Sheet:
        """What it holds, without its lines, as if it began elsewhere."""
        cursor = (self.cursor[0] + x, self.cursor[1] + y) if self.cursor else None
        spots = tuple(replace(spot, x=spot.x + x, y=spot.y + y) for spot in self.spots)
        return replace(self, cursor=cursor, spots=spots)

    def high(self, height: int, width: int) -> Sheet:
        """Exactly so many lines; what is below goes first."""
        missing = (blank(width),) * max(0, height - self.height)
        cursor = self.cursor if self.cursor and self.cursor[1] < height else None
        spots = tuple(spot for spot in self.spots if spot.y < height)
        return replace(self, lines=(*self.lines, *missing)[:height], cursor=cursor, spots=spots)


def stacked(sheets: Iterable[Sheet]) -> Sheet:
    """One below the other."""
    lines: list[Strip] = []
    found: list[Sheet] = []
    for sheet in sheets:
        found.append(sheet.moved(0, len(lines)))
        lines.extend(sheet.lines)
    return _merged(tuple(lines), found)


def beside(left: Sheet, right: Sheet, width: int, between: int) -> Sheet:
    """Two sheets side by side; the left one is `width` wide."""
    height = max(left.height, right.height)
    wide = right.lines[0].cell_length if right.lines else 0
    one, two = left.high(height, width), right.high(height, wide)
    lines = tuple(
        joined(fitted(first, width), blank(between), second)
        for first, second in zip(one.lines, two.lines, strict=True)
    )
    return _merged(lines, [one, two.moved(width + between, 0)])


def laid_over(below: Sheet, above: Sheet, x: int, y: int) -> Sheet:
    """One on top of another; only what is on top means anything."""
    lines = list(below.lines)
    for index, strip in enumerate(above.lines):
        under = lines[y + index]
        end = x + strip.cell_length
        lines[y + index] = joined(under.crop(0, x), strip, under.crop(end, under.cell_length))
    return replace(above.moved(x, y), lines=tuple(lines))


def rooms_of(natural: Sequence[int], height: int) -> list[int]:
    """At least a third of the screen for the list, a quarter for the panes, where they need it; what is left
    goes to the first that has a use for it."""
    least = [max(3, height // 3), max(4, height // 3), max(4, height // 4)]
    rooms = [min(each, few) for each, few in zip(natural, least, strict=True)]
    spare = height - sum(rooms)
    for index, each in enumerate(natural):
        more = max(0, min(spare, each - rooms[index]))
        rooms[index] += more
        spare -= more
    while sum(rooms) > max(0, height):
        rooms[rooms.index(max(rooms))] -= 1
    return rooms


def plain(lines: Sequence[Strip]) -> Sheet:
    """Lines that mean nothing."""
    return Sheet(tuple(lines))


def _merged(lines: tuple[Strip, ...], sheets: Sequence[Sheet]) -> Sheet:
    cursor = next((sheet.cursor for sheet in sheets if sheet.cursor), None)
    spots = tuple(spot for sheet in sheets for spot in sheet.spots)
    parts = tuple(part for sheet in sheets for part in sheet.parts)
    return Sheet(lines, cursor, spots, parts)
