"""Process keys in order, each in the view displayed at that moment."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from msgspec import Struct

from wizard.ui import view as ui
from wizard.window import canvas

if TYPE_CHECKING:
    from wizard.ui.desk import Desk, Screen

MAIN, ABOVE, PANES, LEFT = "main", "above", "panes", "left"
"""Parts that can have the focus: list or fields, blocks above, panes at the right and left."""

DELETING = ("backspace", "ctrl+h", "delete")
SAME_EDIT = {"ctrl+h": "backspace", "ctrl+a": "home", "ctrl+e": "end"}

LONGEST_VALUE = 1000
"""Longest value of a field in characters."""


class Entry(Struct):
    """Input in a field, before and after the cursor. `given`: the last value of the view. `selected`: the
    next typed character replaces the whole text."""

    before: str = ""
    after: str = ""
    given: str | None = None
    selected: bool = False

    @property
    def text(self) -> str:
        """The whole text."""
        return self.before + self.after


class InputState:
    """Cursor, focus and typed values of a screen. Persists while the screen's views change."""

    def __init__(self) -> None:
        self.cursor = ""
        self.field = ""
        self.focus = MAIN
        self.tops: dict[str, int] = {}
        self.has_moved = False
        self.entries: defaultdict[str, Entry] = defaultdict(Entry)
        self._at = ""

    def meet(self, view: ui.View, *, asked: bool) -> bool:
        """Adopt a new view. Returns True if the screen must be told the cursor position. With `asked`, the
        view results from the person's input and may move the cursor."""
        for field in view.fields:
            entry = self.entries[field.key]
            if entry.given != field.value:
                entry.given = field.value
                entry.selected = entry.selected or bool(field.selected and field.value)
                if entry.text != field.value:
                    entry.before, entry.after = field.value, ""
        fields = [field.key for field in view.fields]
        if self.field not in fields:
            self.field = fields[0] if fields else ""
        if view.rows is None:
            return False
        keys, at = [row.key for row in view.rows.rows], view.rows.at
        moved = at in keys and at != self._at and (asked or not self.has_moved)
        if moved or self.cursor not in keys:
            self.cursor = at if at in keys else (keys[0] if keys else "")
        differs = bool(keys) and at not in (self.cursor, self._at)
        self._at = at
        return differs

    def value(self, key: str) -> str:
        """Return a field's value."""
        return self.entries[key].text

    def values(self, view: ui.View) -> Mapping[str, str]:
        """Return the values of all fields."""
        return {field.key: self.value(field.key) for field in view.fields}

    def turn(self, field: ui.Field, by: int) -> None:
        """Select the next or previous offer, cyclically."""
        values = [offer.value for offer in field.offers]
        now = values.index(self.value(field.key)) if self.value(field.key) in values else -1 if by > 0 else 0
        entry = self.entries[field.key]
        entry.before, entry.after = values[(now + by) % len(values)], ""

    def insert(self, text: str) -> None:
        """Insert text at the cursor of the field."""
        entry = self.entries[self.field]
        if entry.selected:
            entry.before = entry.after = ""
        entry.before += "".join(filter(str.isprintable, text))[: LONGEST_VALUE - len(entry.text)]
        entry.selected = False

    def edit(self, key: str) -> bool:
        """Apply an editing key to the field. Returns False for other keys."""
        entry = self.entries[self.field]
        before, after = entry.before, entry.after
        # Delete the whole selection. The cursor is at its end.
        key = "ctrl+u" if entry.selected and key in DELETING else key
        changed = {
            "backspace": (before[:-1], after),
            "delete": (before, after[1:]),
            "ctrl+u": ("", after),
            "ctrl+k": (before, ""),
            "ctrl+w": (before[: before.rstrip().rfind(" ") + 1], after),
            "left": (before[:-1], before[-1:] + after),
            "right": (before + after[:1], after[1:]),
            "home": ("", before + after),
            "end": (before + after, ""),
        }.get(SAME_EDIT.get(key, key))
        if changed is None:
            return False
        (entry.before, entry.after), entry.selected = changed, False
        return True


PARTS = (MAIN, ABOVE, LEFT, PANES)
MOVES = {"up": -1, "k": -1, "down": 1, "j": 1}
ENDS = {"home": -1, "g": -1, "end": 1, "G": 1}
PAGES = {"pageup": -1, "pagedown": 1}
FAR = 1_000_000


class Keyboard:
    """Input for the whole session. Keeps an `InputState` for every screen."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.view = ui.View("", ui.ScreenStep.DRIVES, "", ())
        self.state = InputState()
        self.below: tuple[ui.View, InputState] | None = None
        self.parts: Mapping[str, canvas.ScrollExtent] = {}
        self._rows_shown = 0
        self._states: WeakKeyDictionary[Screen, InputState] = WeakKeyDictionary()
        self._last_whole: InputState = self.state
        self._ending: Screen | None = None

    def renew(self, *, asked: bool) -> None:
        """Read the desk's view again. `asked`: after input."""
        screen, self.view = self.desk.shown()
        self.state = self._states.setdefault(screen, InputState())
        if self.state.meet(self.view, asked=asked):
            self.desk.moved(self.state.cursor)
            self.view = self.desk.view
            self.state.meet(self.view, asked=False)
        under = self.desk.below if self.view.over else None
        if not self.view.over:
            self._last_whole = self.state
        self.below = (under, self._last_whole) if under is not None else None

    def drawn(self, sheet: canvas.Sheet) -> None:
        """Adopt the parts that fit on the screen, and those that scroll."""
        self.parts = sheet.parts
        pinned = {row.key for row in self.view.rows.rows if row.pinned} if self.view.rows else set()
        self._rows_shown = len({spot.name for spot in sheet.spots if spot.kind == "row"} - pinned)
        if self.state.focus not in self._stops():
            self.state.focus = MAIN

    def _stops(self) -> list[str]:
        has_main = self.view.rows is not None or bool(self.view.fields)
        found = [name for name in PARTS[1:] if name in self.parts and self.parts[name].overflows]
        return [MAIN, *found] if has_main else found or [MAIN]

    @property
    def _scrolling(self) -> str:
        """The part that arrow keys scroll, empty if they move in the list or fields."""
        part = self._stops()[0] if self.state.focus == MAIN else self.state.focus
        return "" if part == MAIN else part

    def press(self, key: str, character: str | None) -> None:
        """Process a key. Reads the view first, as the previous key may have changed it."""
        self.renew(asked=True)
        self.desk.interrupted = key == "ctrl+c"
        if key in ("ctrl+c", "ctrl+q"):
            # A second Ctrl+C confirms the question about quitting, but no other question.
            confirming = self._ending is not None and self.desk.screen is self._ending
            self.act_named("yes" if confirming and self.view.action("yes") else "quit")
        elif self.view.fields:
            self._in_fields(key, character)
        else:
            self._in_list(key, character)

    def act(self, action: ui.Action) -> None:
        """Do an action at the cursor."""
        before = self.desk.screen
        row = self.state.cursor if self.view.rows is not None else ""
        self.desk.act(action.name, row, self.state.values(self.view))
        if action.name == "quit" and self.desk.screen is not before:
            self._ending = self.desk.screen

    def act_named(self, name: str) -> None:
        """Do an action if the view has it."""
        action = self.view.action(name)
        if action is not None:
            self.act(action)

    def _in_list(self, key: str, character: str | None) -> None:
        if key.startswith(("alt+", "ctrl+")):
            character = None
        action = canvas.action_of(self.view, key, character)
        if action is None and key in ("left", "right"):
            action = self.view.action("open" if key == "right" else "close")
        if action is not None and not (self._scrolling and key in PAGES):
            self.act(action)
        elif key in ("tab", "shift+tab"):
            self._tab(-1 if key == "shift+tab" else 1)
        else:
            self._move(key if len(key) > 1 and character not in ("G",) else character or key)

    def _move(self, key: str) -> None:
        part = self.parts.get(self._scrolling)
        page = max(1, part.height - 1 if part else self._rows_shown - 1)
        by = MOVES.get(key, 0) or ENDS.get(key, 0) * FAR or PAGES.get(key, 0) * page
        if not by and key == "space" and self._scrolling:
            by = page
        if by and self._scrolling:
            self.scroll(self._scrolling, by)
        elif by:
            self.move(by)

    def move(self, by: int) -> None:
        """Move the cursor by rows."""
        keys = [row.key for row in self.view.rows.rows] if self.view.rows else []
        if not keys:
            return
        now = keys.index(self.state.cursor) if self.state.cursor in keys else 0
        self.to(keys[max(0, min(len(keys) - 1, now + by))])

    def to(self, row: str) -> None:
        """Move the cursor to a row."""
        self.state.has_moved = True
        if row != self.state.cursor:
            self.state.cursor = row
            self.state.tops.pop(PANES, None)
            self.desk.moved(row)

    def scroll(self, part: str, by: int) -> None:
        """Scroll a part by lines."""
        extent = self.parts.get(part)
        if extent is not None:
            self.state.tops[part] = max(0, min(extent.total - extent.height, extent.top + by))

    def _tab(self, by: int) -> None:
        stops = self._stops()
        now = stops.index(self.state.focus) if self.state.focus in stops else 0
        self.state.focus = stops[(now + by) % len(stops)]

    def _in_fields(self, key: str, character: str | None) -> None:
        field = next(field for field in self.view.fields if field.key == self.state.field)
        is_text = not field.offers and character is not None and character.isprintable()
        if key in ("tab", "down", "shift+tab", "up"):
            self._step(key)
        elif key in PAGES:
            part = self._scrolling or next(iter(self._stops()[1:]), "")
            self.scroll(part, PAGES[key] * max(1, self.parts[part].height - 1) if part in self.parts else 0)
        elif key == "enter" and self.state.focus != MAIN:
            self.state.focus = MAIN
        elif (self.state.focus == MAIN or is_text) and self._type_in_field(field, key, character):
            # Typing while a pane has the focus goes to the field.
            self.state.focus = MAIN
        elif (action := canvas.action_of(self.view, key, character)) is not None:
            self.act(action)

    def _step(self, key: str) -> None:
        by = -1 if key in ("up", "shift+tab") else 1
        keys = [field.key for field in self.view.fields]
        index = keys.index(self.state.field) + by
        if self._scrolling and key in MOVES:
            self.scroll(self._scrolling, by)
        elif not self._scrolling and 0 <= index < len(keys):
            self.state.field = keys[index]
        elif key not in MOVES:
            self._tab(by)
            if self.state.focus == MAIN:
                self.state.field = keys[0 if by > 0 else -1]

    def _type_in_field(self, field: ui.Field, key: str, character: str | None) -> bool:
        if field.offers:
            if key in ("left", "right", "space"):
                self.state.turn(field, -1 if key == "left" else 1)
                self.desk.turned(field.key, self.state.values(self.view))
                return True
            return False
        if character is not None and character.isprintable() and not key.startswith(("alt+", "ctrl+")):
            self.state.insert(character)
            return True
        return self.state.edit(key)

    def paste(self, text: str) -> None:
        """Insert the first line of pasted text."""
        self.renew(asked=True)
        field = next((field for field in self.view.fields if field.key == self.state.field), None)
        if field is not None and not field.offers and text.strip():
            self.state.insert(text.strip().splitlines()[0])

    def click(self, kind: str, name: str, *, twice: bool) -> None:
        """Process a click on a row, field or key."""
        match kind:
            case "action":
                self.act_named(name)
            case "row":
                self.state.focus = MAIN
                self.to(name)
                action = canvas.action_of(self.view, "enter", None) if twice else None
                if action is not None:
                    self.renew(asked=True)
                    self.act(action)
            case "field":
                self.state.focus, self.state.field = MAIN, name
