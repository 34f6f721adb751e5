"""Part of the screen: lines, cursor position and click targets. Also maps keys to actions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from wizard.model.errors import printable
from wizard.model.said import t
from wizard.ui import view as ui
from wizard.window.look import Look

Run = tuple[str, Style]
LONGEST = 12_000
"""Longest text in characters: one sentence can name all 128 partitions of a lost table."""

_JOINERS = dict.fromkeys(range(0xFE00, 0xFE10))
"""Variation selectors, since terminals disagree about the width of modified characters."""


def shown(text: ui.Text) -> str:
    """Return text that is safe for a terminal."""
    return printable(str(text), LONGEST).translate(_JOINERS)


def line(*runs: Run) -> Strip:
    """Return a line from runs."""
    return Strip([Segment(text, style) for text, style in runs if text])


def fitted(strip: Strip, width: int, style: Style | None = None) -> Strip:
    """Pad or crop a line to exactly `width` cells."""
    return strip.adjust_cell_length(max(0, width), style)


def joined(*strips: Strip) -> Strip:
    """Concatenate lines horizontally."""
    return Strip.join(strips)


def changed_cells(old: Strip, new: Strip) -> tuple[int, int] | None:
    """Return first and end column of the difference between two lines of equal width, or None.

    A line with wide characters differs as a whole: terminals disagree about the width of some.
    """
    if old == new:
        return None
    before, after = ([(char, style) for text, style, _ in strip for char in text] for strip in (old, new))
    if len(before) != old.cell_length or len(after) != new.cell_length:
        return 0, new.cell_length
    changed = [column for column, cells in enumerate(zip(before, after, strict=True)) if len({*cells}) > 1]
    return (changed[0], changed[-1] + 1) if changed else None


def few_styles(strip: Strip) -> Strip:
    """Return the line with blanks in the style of the text before, if both look alike, to save bytes."""
    visible = attrgetter("bgcolor", "reverse", "underline", "strike")
    found: list[Segment] = []
    for segment in strip:
        before = found[-1].style if found else None
        is_blank = not segment.text.strip(" ")
        alike = is_blank and before and segment.style and visible(before) == visible(segment.style)
        found.append(Segment(segment.text, before) if alike else segment)
    return Strip(found, strip.cell_length).simplify()


def ends(left: Strip, right: Strip, width: int, style: Style | None = None) -> Strip:
    """Align one line left and one right. Crops the left one if necessary."""
    room = max(0, width - right.cell_length)
    return fitted(joined(fitted(left, room, style), right), width, style)


def cut(text: str, width: int, more: str = "…") -> str:
    """Cut text to `width` cells, with a sign for omitted text."""
    if cell_len(text) <= width:
        return text
    return text[: fitting(text, max(0, width - cell_len(more)))] + more if width > len(more) else ""


def fitting(text: str, cells: int) -> int:
    """Return how many characters fit."""
    if text.isascii():
        return min(len(text), max(0, cells))
    taken = 0
    for index, char in enumerate(text):
        taken += cell_len(char)
        if taken > cells:
            return index
    return len(text)


def folded(runs: Sequence[Run], first: int, room: int | None = None) -> list[list[Run]]:
    """Wrap runs at spaces, at most `first` cells and then `room`. Breaks words that are too long."""
    text = "".join(part for part, _ in runs)
    lines: list[list[Run]] = []
    start = 0
    while True:
        end = start + max(1, fitting(text[start:], first if not lines or room is None else room))
        if end >= len(text):
            lines.append(_slice(runs, start, len(text)))
            return lines
        space = text.rfind(" ", start + 1, end + 1)
        lines.append(_slice(runs, start, space if space > start else end))
        start = space if space > start else end
        while start < len(text) and text[start] == " ":
            start += 1


def paragraph(runs: Sequence[Run], width: int, indent: int = 0, hang: int = 0) -> list[Strip]:
    """Wrap runs in lines of `width` cells, indented, all but the first by `hang` more."""
    parts = folded(runs, max(4, width - indent), max(4, width - indent - hang))
    return [
        joined(Strip.blank(indent + (hang if index else 0)), line(*part)) if part else line()
        for index, part in enumerate(parts)
    ]


def _slice(runs: Iterable[Run], start: int, end: int) -> list[Run]:
    found: list[Run] = []
    at = 0
    for text, style in runs:
        part = text[max(0, start - at) : max(0, end - at)]
        if part:
            found.append((part, style))
        at += len(text)
    return found


class Spot(Struct, frozen=True):
    """A click target in one line: a `row`, `field`, `action`, or a `part` that scrolls."""

    x: int
    y: int
    width: int
    kind: str
    name: str


class ScrollExtent(Struct, frozen=True):
    """The visible lines of a part: `height` lines from `top`, of `total`."""

    top: int
    height: int
    total: int

    @property
    def overflows(self) -> bool:
        """True if the part needs scrolling."""
        return self.total > self.height


class Sheet(Struct, frozen=True):
    """Lines of equal width. `parts` are scrolling parts by name."""

    lines: tuple[Strip, ...] = ()
    cursor: tuple[int, int] | None = None
    spots: tuple[Spot, ...] = ()
    parts: tuple[tuple[str, ScrollExtent], ...] = ()

    @property
    def height(self) -> int:
        """Number of lines."""
        return len(self.lines)

    def moved(self, x: int, y: int) -> Sheet:
        """Return the sheet without its lines, with cursor and spots shifted."""
        cursor = (self.cursor[0] + x, self.cursor[1] + y) if self.cursor else None
        spots = tuple(replace(spot, x=spot.x + x, y=spot.y + y) for spot in self.spots)
        return replace(self, cursor=cursor, spots=spots)

    def high(self, height: int, width: int) -> Sheet:
        """Pad or crop to exactly `height` lines."""
        missing = (Strip.blank(width),) * max(0, height - self.height)
        cursor = self.cursor if self.cursor and self.cursor[1] < height else None
        spots = tuple(spot for spot in self.spots if spot.y < height)
        return replace(self, lines=(*self.lines, *missing)[:height], cursor=cursor, spots=spots)


def stacked(sheets: Iterable[Sheet]) -> Sheet:
    """Stack sheets vertically."""
    lines: list[Strip] = []
    found: list[Sheet] = []
    for sheet in sheets:
        found.append(sheet.moved(0, len(lines)))
        lines.extend(sheet.lines)
    return _merged(tuple(lines), found)


def side_by_side(left: Sheet, right: Sheet, width: int, between: int) -> Sheet:
    """Place two sheets side by side. The left one is `width` wide."""
    height = max(left.height, right.height)
    wide = right.lines[0].cell_length if right.lines else 0
    one, two = left.high(height, width), right.high(height, wide)
    lines = tuple(
        joined(fitted(first, width), Strip.blank(between), second)
        for first, second in zip(one.lines, two.lines, strict=True)
    )
    return _merged(lines, [one, two.moved(width + between, 0)])


def laid_over(below: Sheet, above: Sheet, x: int, y: int) -> Sheet:
    """Place a sheet over another. Only the upper one has cursor and spots."""
    lines = list(below.lines)
    for index, strip in enumerate(above.lines):
        under = lines[y + index]
        end = x + strip.cell_length
        lines[y + index] = joined(under.crop(0, x), strip, under.crop(end, under.cell_length))
    return replace(above.moved(x, y), lines=tuple(lines))


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


def _merged(lines: tuple[Strip, ...], sheets: Sequence[Sheet]) -> Sheet:
    cursor = next((sheet.cursor for sheet in sheets if sheet.cursor), None)
    spots = tuple(spot for sheet in sheets for spot in sheet.spots)
    parts = tuple(part for sheet in sheets for part in sheet.parts)
    return Sheet(lines, cursor, spots, parts)


ARROWS = {"left": "←", "right": "→", "up": "↑", "down": "↓"}
HELP = "f1"


def _is_letter(key: str) -> bool:
    return len(key) == 1 or key == "space"


def key_name(action: ui.Action, *, typing: bool) -> str:
    """Return a key's display name. With `typing`, letters belong to a field and need Alt."""
    key = action.key
    if typing and action.name == "help":
        key = HELP
    if key.startswith("ctrl+"):
        return f"^{key.removeprefix('ctrl+').upper()}"
    name = ARROWS.get(key) or ui.key_name(key)
    return str(t("Alt+{key}", key=name)) if typing and _is_letter(key) else name


def action_of(view: ui.View, key: str, character: str | None) -> ui.Action | None:
    """Return the action of a key in this view."""
    typing = bool(view.fields)
    if key == HELP:
        return next((action for action in view.actions if action.name == "help"), None)
    for action in view.actions:
        if typing and _is_letter(action.key):
            # Terminals report a capital letter with Alt in three ways.
            letter = action.key
            names = (letter, f"shift+{letter}", f"shift+{letter.lower()}") if letter.isupper() else (letter,)
            if key in (f"alt+{name}" for name in names):
                return action
        elif key == action.key or (character is not None and character == action.key):
            return action
    return None


def cap_runs(action: ui.Action, look: Look, *, typing: bool, filled: bool = False) -> list[Run]:
    """Return a key and the label."""
    name, label = key_name(action, typing=typing), shown(action.label)
    off = action.why_not != ""
    if filled and not off:
        return [(f" {name}  {label[:1].upper()}{label[1:]} ", look.style("go"))]
    cap = f" {name} " if look.many else f"({name})" if off else f"[{name}]"
    return [
        (cap, look.style("cap-off" if off else "cap")),
        (f" {label}", look.style("off" if off else "text")),
    ]


def key_sheet(view: ui.View, width: int, look: Look, most: int) -> Sheet:
    """Return at most eight keys in at most `most` lines. Never drops help, which lists all keys.

    Where room remains, the key of the palette stands for the others."""
    named = [action for action in view.actions if shown(action.label)]
    actions = [action for action in named if not action.aside]
    while True:
        rows = list(_rows(actions, view, width, look))
        if (len(rows) <= most and len(actions) <= MOST_KEYS) or len(actions) <= 1:
            break
        actions.remove(
            next((one for one in reversed(actions[1:]) if one.name not in _ALWAYS_SHOWN), actions[-1])
        )
    with_palette = list(_rows([*actions, PALETTE], view, width, look))
    if actions != named and len(with_palette) == len(rows) and len(actions) < MOST_KEYS:
        rows = with_palette
    lines, spots = [], []
    for y, row in enumerate(rows[:most]):
        x, strips = 1, [Strip.blank(1)]
        for action, runs in row:
            strip = line(*runs)
            strip = fitted(strip, min(strip.cell_length, max(0, width - x)))
            spots.append(Spot(x, y, strip.cell_length, "action", action.name))
            strips += [strip, Strip.blank(2)]
            x += strip.cell_length + 2
        lines.append(fitted(joined(*strips), width))
    return Sheet(tuple(lines), spots=tuple(spots))


MOST_KEYS = 8
PALETTE = ui.Action("palette", "ctrl+p", t("more"))
"""Opens the palette. It belongs to the window, not to a view."""
_ALWAYS_SHOWN = ("help", "quit", "back", "no", "yes", "keep", "undo", "resume", "stop", "as-root")


def _rows(
    actions: Sequence[ui.Action], view: ui.View, width: int, look: Look
) -> Iterator[list[tuple[ui.Action, list[Run]]]]:
    row: list[tuple[ui.Action, list[Run]]] = []
    used = 1
    for index, action in enumerate(actions):
        runs = cap_runs(action, look, typing=bool(view.fields), filled=index == 0)
        if sum(cell_len(text) for text, _ in runs) > width - 2:
            runs = [(cut(text, width - 8), style) for text, style in runs]
        wide = sum(cell_len(text) for text, _ in runs)
        if row and used + wide > width - 1:
            yield row
            row, used = [], 1
        row.append((action, runs))
        used += wide + 2
    if row:
        yield row
