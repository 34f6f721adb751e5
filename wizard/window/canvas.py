"""Part of the screen: lines, cursor position and click targets. Also maps keys to actions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from wizard.model.errors import printable
from wizard.model.said import Sentence, t
from wizard.ui.view import Action, Text, View
from wizard.window.look import Look

Run = tuple[str, Style]
LONGEST = 12_000
"""Characters of a text: a table of 128 partitions can be lost in one sentence."""

_JOINERS = dict.fromkeys(range(0xFE00, 0xFE10))
"""Variation selectors: terminals do not agree how wide what they change is."""


def shown(text: Text) -> str:
    """The text as it can be sent to a terminal."""
    return printable(str(text), LONGEST).translate(_JOINERS)


def line(*runs: Run) -> Strip:
    """Runs, one behind the other."""
    return Strip([Segment(text, style) for text, style in runs if text])


def blank(width: int, style: Style | None = None) -> Strip:
    """An empty line."""
    return Strip.blank(width, style)


def fitted(strip: Strip, width: int, style: Style | None = None) -> Strip:
    """Exactly so many cells."""
    return strip.adjust_cell_length(max(0, width), style)


def joined(*strips: Strip) -> Strip:
    """Lines beside one another, as one."""
    return Strip.join(strips)


def ends(left: Strip, right: Strip, width: int, style: Style | None = None) -> Strip:
    """One at the left, one at the right; the left is cut where both do not fit."""
    room = max(0, width - right.cell_length)
    return fitted(joined(fitted(left, room, style), right), width, style)


def cut(text: str, width: int, more: str = "…") -> str:
    """The beginning of a text that fits, with a sign where something is left out."""
    if cell_len(text) <= width:
        return text
    return text[: fitting(text, max(0, width - cell_len(more)))] + more if width > len(more) else ""


def fitting(text: str, cells: int) -> int:
    """How many characters fit."""
    if text.isascii():
        return min(len(text), max(0, cells))
    taken = 0
    for index, char in enumerate(text):
        taken += cell_len(char)
        if taken > cells:
            return index
    return len(text)


def folded(runs: Sequence[Run], first: int, room: int | None = None) -> list[list[Run]]:
    """Lines of runs, broken at spaces, at most `first` cells and then `room`; a word that is too long is cut
    where its line ends."""
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


def _slice(runs: Iterable[Run], start: int, end: int) -> list[Run]:
    found: list[Run] = []
    at = 0
    for text, style in runs:
        part = text[max(0, start - at) : max(0, end - at)]
        if part:
            found.append((part, style))
        at += len(text)
    return found


def restyled(strip: Strip, style: Style) -> Strip:
    """The whole line in one style."""
    return Strip([Segment(text, style) for text, _, _ in strip], strip.cell_length)


@dataclass(frozen=True, slots=True)
class Spot:
    """Cells of one line that mean something: a `row`, a `field`, an `action`, or a `part` that scrolls."""

    x: int
    y: int
    width: int
    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class ScrollExtent:
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
    parts: tuple[tuple[str, ScrollExtent], ...] = ()

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


STEPS = {
    "drives": Sentence("Drives"),
    "purpose": Sentence("Purpose"),
    "plan": Sentence("Plan"),
    "review": Sentence("Review"),
    "work": Sentence("Work"),
}
KEY_NAMES = {
    "enter": Sentence("Enter"),
    "escape": Sentence("Esc"),
    "space": Sentence("Space"),
    "delete": Sentence("Del"),
    "tab": Sentence("Tab"),
    "backspace": Sentence("Backspace"),
    "pageup": Sentence("PgUp"),
    "pagedown": Sentence("PgDn"),
}


ARROWS = {"left": "←", "right": "→", "up": "↑", "down": "↓"}
HELP = "f1"


def is_letter(key: str) -> bool:
    """Whether it is a character that could be typed."""
    return len(key) == 1 or key == "space"


def key_name(action: Action, *, typing: bool) -> str:
    """What a key is called; with `typing`, letters belong to what is typed."""
    key = action.key
    if typing and action.name == "help":
        key = HELP
    name = ARROWS.get(key) or (str(KEY_NAMES[key]()) if key in KEY_NAMES else "")
    name = name or (key if is_letter(key) else key.upper())
    return str(t("Alt+{key}", key=name)) if typing and is_letter(key) else name


def action_of(view: View, key: str, character: str | None) -> Action | None:
    """The action that a key means here."""
    typing = bool(view.fields)
    if key == HELP:
        return next((action for action in view.actions if action.name == "help"), None)
    for action in view.actions:
        if typing and is_letter(action.key):
            if key in _with_alt(action.key):
                return action
        elif key == action.key or (character is not None and character == action.key):
            return action
    return None


def _with_alt(letter: str) -> tuple[str, ...]:
    """What terminals make of a letter that is pressed together with Alt."""
    if letter.islower() or not letter.isalpha():
        return (f"alt+{letter}",)
    return tuple(f"alt+{rest}" for rest in (letter, f"shift+{letter}", f"shift+{letter.lower()}"))


def cap_runs(action: Action, look: Look, *, typing: bool, filled: bool = False) -> list[Run]:
    """A key and what it does."""
    name, label = key_name(action, typing=typing), shown(action.label)
    off = action.why_not != ""
    if filled and not off:
        return [(f" {name}  {label[:1].upper()}{label[1:]} ", look.style("go"))]
    cap = f" {name} " if look.many else f"({name})" if off else f"[{name}]"
    return [
        (cap, look.style("cap-off" if off else "cap")),
        (f" {label}", look.style("off" if off else "text")),
    ]


def key_sheet(view: View, width: int, look: Look, most: int) -> Sheet:
    """The keys in at most `most` lines; those that have no room are named by the help, whose key stays."""
    actions = [action for action in view.actions if not action.aside and shown(action.label)]
    while True:
        rows = list(_rows(actions, view, width, look))
        if len(rows) <= most or len(actions) <= 1:
            break
        actions.remove(next((one for one in reversed(actions[1:]) if one.name not in _STAYS), actions[-1]))
    lines, spots = [], []
    for y, row in enumerate(rows[:most]):
        x, strips = 1, [blank(1)]
        for action, runs in row:
            strip = line(*runs)
            strip = fitted(strip, min(strip.cell_length, max(0, width - x)))
            spots.append(Spot(x, y, strip.cell_length, "action", action.name))
            strips += [strip, blank(2)]
            x += strip.cell_length + 2
        lines.append(fitted(joined(*strips), width))
    return Sheet(tuple(lines), spots=tuple(spots))


_STAYS = ("help", "quit", "back", "no", "yes")


def _rows(
    actions: Sequence[Action], view: View, width: int, look: Look
) -> Iterator[list[tuple[Action, list[Run]]]]:
    row: list[tuple[Action, list[Run]]] = []
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
