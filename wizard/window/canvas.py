"""Texts and lines, whose styles carry click targets as metadata. Also maps keys to actions."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from operator import attrgetter, itemgetter

from msgspec import Struct
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from wizard.model.errors import printable
from wizard.model.said import t
from wizard.ui import view as ui

Run = tuple[ui.Text, str | Style]
"""A text with a style, or the style's role."""

LONGEST = 12_000
"""Longest text in characters: one sentence can name all 128 partitions of a lost table."""

_JOINERS = dict.fromkeys(range(0xFE00, 0xFE10))
"""Variation selectors, since terminals disagree about the width of modified characters."""


def shown(text: ui.Text) -> str:
    """Return text that is safe for a terminal."""
    return _safe(str(text))


@lru_cache(4096)
def _safe(text: str) -> str:
    return printable(text, LONGEST).translate(_JOINERS)


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


def cut(text: str, width: int) -> str:
    """Cut text to `width` cells, with a sign for omitted text."""
    if cell_len(text) <= width:
        return text
    return text[: fitting(text, width - 1)] + "…" if width > 1 else ""


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


def folded(runs: Iterable[Run], first: int, room: int | None = None) -> list[list[Run]]:
    """Wrap runs at spaces, at most `first` cells and then `room`. Breaks words that are too long."""
    texts = [(shown(part), style) for part, style in runs]
    text = "".join(part for part, _ in texts)
    lines: list[list[Run]] = []
    start = 0
    while True:
        end = start + max(1, fitting(text[start:], first if not lines or room is None else room))
        if end >= len(text):
            lines.append(_slice(texts, start, len(text)))
            return lines
        space = text.rfind(" ", start + 1, end + 1)
        lines.append(_slice(texts, start, space if space > start else end))
        start = space if space > start else end
        while start < len(text) and text[start] == " ":
            start += 1


def length(runs: Iterable[Run]) -> int:
    """Return the width of runs in cells."""
    return sum(cell_len(shown(text)) for text, _ in runs)


def _slice(runs: Iterable[tuple[str, str | Style]], start: int, end: int) -> list[Run]:
    found: list[Run] = []
    at = 0
    for text, style in runs:
        part = text[max(0, start - at) : max(0, end - at)]
        if part:
            found.append((part, style))
        at += len(text)
    return found


TARGETS = ("row", "field", "action", "part", CURSOR := "cursor")
"""Kinds of metadata that styles carry. A `part` scrolls."""


class Spot(Struct, frozen=True):
    """A click target, or the cursor, in one line."""

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
    """A drawn screen. `parts` are scrolling parts by name."""

    lines: tuple[Strip, ...] = ()
    cursor: tuple[int, int] | None = None
    spots: tuple[Spot, ...] = ()
    parts: Mapping[str, ScrollExtent] = {}


def sheet_of(lines: Sequence[Strip], parts: Mapping[str, ScrollExtent]) -> Sheet:
    """Return a screen, with the targets that the styles of its lines carry."""
    spots: list[Spot] = []
    for y, strip in enumerate(lines):
        cells = [(segment.cell_length, segment.style.meta if segment.style else {}) for segment in strip]
        for kind in filter({kind for _, meta in cells for kind in meta}.__contains__, TARGETS):
            x = 0
            for name, same in groupby(((meta.get(kind), wide) for wide, meta in cells), itemgetter(0)):
                width = sum(wide for _, wide in same)
                if name:
                    spots.append(Spot(x, y, width, kind, name))
                x += width
    cursor = next(((spot.x, spot.y) for spot in spots if spot.kind == CURSOR), None)
    drawn = (
        Strip([Segment(text, style and style.clear_meta_and_links()) for text, style, _ in strip])
        for strip in lines
    )
    return Sheet(tuple(drawn), cursor, tuple(spots), parts)


def high(lines: Sequence[Strip], height: int, width: int) -> list[Strip]:
    """Pad or crop to exactly `height` lines."""
    missing = [Strip.blank(width)] * max(0, height - len(lines))
    return [*lines, *missing][:height]


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
