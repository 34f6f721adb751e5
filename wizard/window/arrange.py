"""Where the parts of a view stand on the screen. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual.geometry import Region

Height = Callable[[int], int]
"""Lines that a part needs at a width, with its border."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a view. `main` are the list or the fields, None without any; `list_width` is the width
    that the list needs."""

    pinned: Height
    above: Height
    main: Height | None
    panes: Sequence[Height]
    list_width: int


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Regions of the parts by name, and which panes are on the left and on the right. `tight`: the panes
    have too little room."""

    regions: dict[str, Region]
    left: tuple[int, ...] = ()
    right: tuple[int, ...] = ()
    tight: bool = False


def beside(parts: Parts, width: int, height: int, *, gap: int) -> Arrangement:
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
        return Arrangement(regions)
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
    return Arrangement(regions, below, right)


def _whole_width(parts: Parts, width: int, y: int, rest: int, regions: dict[str, Region]) -> Arrangement:
    if parts.main:
        regions["main"] = Region(0, y, width, min(parts.main(width), rest))
    else:
        regions["left"] = Region(0, y, width, rest)
    return Arrangement(regions, tuple(range(len(parts.panes))))


def below_each_other(parts: Parts, width: int, height: int, *, gap: int) -> Arrangement:
    """Arrange a narrow screen or a dialog: blocks, the list and the panes below each other."""
    regions: dict[str, Region] = {}
    y = _pinned(parts, width, height, gap, regions)
    natural = [parts.above(width), parts.main(width) if parts.main else 0]
    natural.append(sum(pane(width) for pane in parts.panes))
    gaps = max(0, min((sum(each > 0 for each in natural) - 1) * gap, height - y - sum(natural)))
    rooms = rooms_of(natural, height - y - gaps)
    tight = natural[2] > rooms[2]
    for name, room in zip(("above", "main", "right"), rooms, strict=True):
        regions[name] = Region(0, y, width, room)
        y += room + (1 if room and gaps else 0)
        gaps -= 1 if room and gaps else 0
    return Arrangement(regions, (), tuple(range(len(parts.panes))), tight)


def _pinned(parts: Parts, width: int, height: int, gap: int, regions: dict[str, Region]) -> int:
    """Arrange at most a third for pinned rows, and return the first line below them."""
    pinned = min(parts.pinned(width), max(1, height // 3))
    regions["pinned"] = Region(0, 0, width, pinned)
    return pinned + (gap if pinned else 0)


def rooms_of(natural: Sequence[int], height: int) -> list[int]:
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
