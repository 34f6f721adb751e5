"""Keys of actions: names, lookup, the first and last lines of the screen, and the palette."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from rich.cells import cell_len
from rich.text import Text
from textual.app import App
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.markup import escape
from textual.strip import Strip

from wizard.model.said import Sentence, t
from wizard.ui.desk import Screen
from wizard.ui.view import Action, ScreenStep, View
from wizard.window.look import Look
from wizard.window.strips import Run, blank, cut, ends, fitted, joined, line, linked, shown

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


def _is_letter(key: str) -> bool:
    """Return True for a character that can be typed."""
    return len(key) == 1 or key == "space"


def _key_name(action: Action, *, typing: bool) -> str:
    """Return a key's display name. With `typing`, letters belong to a field and need Alt."""
    key = action.key
    if typing and action.name == "help":
        key = HELP
    if key.startswith("ctrl+"):
        return f"^{key.removeprefix('ctrl+').upper()}"
    name = ARROWS.get(key) or (str(KEY_NAMES[key]()) if key in KEY_NAMES else "")
    name = name or (key if _is_letter(key) else key.upper())
    return str(t("Alt+{key}", key=name)) if typing and _is_letter(key) else name


def action_of(view: View, key: str, character: str | None) -> Action | None:
    """Return the action of a key in this view."""
    typing = bool(view.fields)
    if key == HELP:
        return next((action for action in view.actions if action.name == "help"), None)
    for action in view.actions:
        if typing and _is_letter(action.key):
            if key in _with_alt(action.key):
                return action
        elif key == action.key or (character is not None and character == action.key):
            return action
    return None


def _with_alt(letter: str) -> tuple[str, ...]:
    """Return how terminals report a letter with Alt."""
    if letter.islower() or not letter.isalpha():
        return (f"alt+{letter}",)
    return tuple(f"alt+{rest}" for rest in (letter, f"shift+{letter}", f"shift+{letter.lower()}"))


def cap_runs(action: Action, look: Look, *, typing: bool, filled: bool = False) -> list[Run]:
    """Return a key and its label."""
    name, label = _key_name(action, typing=typing), shown(action.label)
    off = action.why_not != ""
    if filled and not off:
        return [(f" {name}  {label[:1].upper()}{label[1:]} ", look.style("go"))]
    cap = f" {name} " if look.many else f"({name})" if off else f"[{name}]"
    return [
        (cap, look.style("cap-off" if off else "cap")),
        (f" {label}", look.style("off" if off else "text")),
    ]


SEARCH = Action("search", "ctrl+p", t("search"))
"""Opens the command palette with all actions of the view."""


def key_lines(view: View, width: int, look: Look, most: int) -> list[Strip]:
    """Return at most eight keys in at most `most` lines. Never drops help, which lists all keys."""
    actions = [action for action in view.actions if not action.aside and shown(action.label)]
    actions += [SEARCH] if not view.over else []
    while True:
        rows = list(_rows(actions, view, width, look))
        if (len(rows) <= most and len(actions) <= MOST_KEYS) or len(actions) <= 1:
            break
        actions.remove(
            next((one for one in reversed(actions[1:]) if one.name not in _ALWAYS_SHOWN), actions[-1])
        )
    return [_row(row, width) for row in rows[:most]]


def _row(row: Sequence[tuple[Action, list[Run]]], width: int) -> Strip:
    x, strips = 1, [blank(1)]
    for action, runs in row:
        strip = line(*runs)
        strip = linked(fitted(strip, min(strip.cell_length, max(0, width - x))), action.name)
        strips += [strip, blank(2)]
        x += strip.cell_length + 2
    return fitted(joined(*strips), width)


MOST_KEYS = 8
_ALWAYS_SHOWN = ("search", "help", "quit", "back", "no", "yes", "keep", "undo", "resume", "stop", "as-root")


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


OF_FIVE = t("of 5")

STEPS = {
    "drives": Sentence("Drives"),
    "purpose": Sentence("Purpose"),
    "plan": Sentence("Plan"),
    "review": Sentence("Review"),
    "work": Sentence("Work"),
}


def head_line(view: View, width: int, look: Look) -> Strip:
    """Return the header. Drops the names of other steps if the drive's would be cut."""
    ground = look.style("head")
    about = shown(view.about)
    left = _steps(view, look, named=width >= 70)
    if width >= 70 and left.cell_length + cell_len(about) + 2 > width:
        left = _steps(view, look, named=False)
    about = cut(about, width - left.cell_length - 2, look.sign("more"))
    return ends(left, line((f"{about} ", ground)), width, ground)


def _steps(view: View, look: Look, *, named: bool) -> Strip:
    ground = look.style("head")
    parts = [line((" diskwright ", look.style("name")), (" ", ground))]
    steps = list(ScreenStep)
    now = steps.index(view.step)
    for number, step in enumerate(steps):
        label = str(STEPS[step.value]())
        if number == now:
            mark = ("<", ">") if look.colourless else (" ", " ")
            parts.append(line((f"{mark[0]}{number + 1} {label}{mark[1]}", look.style("step"))))
        elif named:
            sign = look.sign("tick") if number < now else str(number + 1)
            parts.append(line((f" {sign} {label} ", ground)))
    if not named:
        parts.append(line((f" {OF_FIVE}", ground)))
    return joined(*parts)


class PaletteApp(App[None]):
    """The interface of the window that the palette needs."""

    view: View
    shown: Screen

    def action_perform(self, name: str, screen: Screen | None = None) -> None:
        """Do an action of a screen, by default the current one."""
        raise NotImplementedError


class ActionPalette(Provider):
    """Offers every action of the view, also the omitted ones."""

    async def discover(self) -> Hits:
        """Yield all actions."""
        for text, help_text, do in self._offers():
            yield DiscoveryHit(Text(text), do, text, help_text)

    async def search(self, query: str) -> Hits:
        """Yield the actions whose name or key matches."""
        matcher = self.matcher(query)
        for text, help_text, do in self._offers():
            if score := matcher.match(text):
                yield Hit(score, Text(text), do, text, help_text)

    def _offers(self) -> Iterator[tuple[str, str | None, Callable[[], None]]]:
        app = self.app
        assert isinstance(app, PaletteApp)
        for action in app.view.actions:
            label = shown(action.label)
            text = f"{label[:1].upper()}{label[1:]}  {_key_name(action, typing=bool(app.view.fields))}"
            reason = escape(shown(action.why_not)) or None
            yield text, reason, partial(app.action_perform, action.name, app.shown)
