"""Keys: how they are named on the screen, which action they mean, and the lines that show them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len

from wizard.desk.view import Action, View
from wizard.model.said import t
from wizard.window.lines import Run, blank, cut, fitted, joined, line, shown
from wizard.window.look import Look
from wizard.window.sheet import Sheet, Spot
from wizard.window.words import KEY_NAMES

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
