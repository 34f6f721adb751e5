"""Visit every screen without an interface, and draw views as a window does, scrolled anywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from dataclasses import replace
from typing import cast

from tests.looks.rehearsal import CONSOLE, MODERN, MONO
from tests.looks.window.desks import MadeUpDesk, MadeUpScreen
from tests.looks.window.opened import Opened
from tests.unit.ui.person import Person, texts_of_block
from wizard.model.errors import printable
from wizard.ui.desk import Desk
from wizard.ui.view import Command, View
from wizard.window.terminal import Terminal, translate

SCREENS = (
    (MODERN, (60, 16)),
    (replace(MODERN, light=True), (120, 36)),
    (CONSOLE, (80, 24)),
    (MONO, (200, 50)),
)
LEAVES = frozenset({"back", "quit", "home", "leave", "no", "yes", "cancel", "again", "as-root"})
STAY = ("help", "back", "quit")
MANY = frozenset({"page", "typing", "question", "reasons"})
"""Places that are told from each other by their titles."""
MOST_DRIVES = 4
LONG = 9
"""Letters of a word that is surely not broken by the end of a line."""

Look = Callable[[Person], None]


def tour(person: Person, look: Look, without: Set[str] = frozenset()) -> frozenset[str]:
    """Visit every screen from some drives of a machine, and return the names of the views. Skip `without`."""
    seen: set[tuple[str, str]] = set()
    codes: set[str] = {person.view.place}
    for row in person.rows[:MOST_DRIVES]:
        person.desk.moved(row.key)
        look(person)
        seen -= {one for one in seen if one[0] == "actions"}
        codes |= _beyond(person, look, seen, without)
    return frozenset(codes)


def _beyond(person: Person, look: Look, seen: set[tuple[str, str]], without: Set[str]) -> set[str]:
    """Perform every action of this screen at the row of the cursor, in the menu at every row."""
    desk, screen = person.desk, person.desk.screen
    codes = {person.view.place}
    for name, row in tuple(_deeds(person.view)):
        if person.view.action(name) is None or without & {name, row}:
            continue
        values = {field.key: field.value for field in person.view.fields}
        desk.act(name, row, values)
        person.wait()
        assert not desk.over, f"{name} ended it"
        kind = (person.view.place, str(person.view.title) if person.view.place in MANY else "")
        if desk.screen is screen or kind not in seen:
            look(person)
        if desk.screen is not screen and kind not in seen:
            seen.add(kind)
            codes |= _beyond(person, look, seen, without)
        if screen not in desk._screens:
            break
        while desk.screen is not screen:
            desk.back()
            person.wait()
    return codes


def _deeds(view: View) -> Iterator[tuple[str, str]]:
    names = [name for name in dict.fromkeys(action.name for action in view.actions) if name not in LEAVES]
    at = view.rows.at if view.rows else ""
    for name in names:
        if view.place == "actions" and view.rows and name == "do":
            yield from ((name, row.key) for row in view.rows.rows)
        elif view.place != "actions" or name in ("help", "glossary"):
            yield (name, at)


class Drawn:
    """Draws views on screens of any size, and checks everything visible while scrolling. Keeps a window open
    for each kind of terminal."""

    def __init__(self) -> None:
        self._windows: dict[Terminal, tuple[MadeUpDesk, Opened]] = {}

    def close(self) -> None:
        """Close the windows."""
        for _, window in self._windows.values():
            window.close()
        self._windows = {}

    def check(self, view: View, below: View | None, terminal: Terminal, size: tuple[int, int]) -> None:
        """Check that no line is too wide, the cursor is visible, and every word can be read."""
        where = f"{view.place} at {size[0]}x{size[1]}, {terminal}"
        window = self._shown(view, below, terminal, size)
        read: set[str] = set()
        has_cursor = bool(view.fields or (view.rows and view.rows.rows))
        first = window.text()
        for lines in window.everything():
            assert len(lines) == size[1], f"{where}: {len(lines)} lines"
            assert not has_cursor or window.app.page.cursor_offset, f"{where}: no cursor\n{window.text()}"
            for strip in lines:
                assert strip.cell_length == size[0], f"{where}: {strip.text!r}"
                assert strip.text.isprintable(), f"{where}: {strip.text!r}"
                read |= words(strip.text)
        wanted = [word for text in readable(view, size[0]) for word in sorted(words(text))]
        lost = [word for word in wanted if not _is_read(word, read, terminal)]
        assert not lost, f"{where}: cannot be read: {lost}\n{first}"

    def _shown(self, view: View, below: View | None, terminal: Terminal, size: tuple[int, int]) -> Opened:
        views = [below, view] if below is not None else [view]
        if terminal not in self._windows:
            desk = MadeUpDesk(*views)
            self._windows[terminal] = desk, Opened(cast(Desk, desk), size, terminal)
        desk, window = self._windows[terminal]
        desk.views, desk.screens = views, [MadeUpScreen() for _ in views]
        if window.app.size != size:
            window.resize(size)
        desk.changed()
        window.settle()
        return window


def _is_read(word: str, read: set[str], terminal: Terminal) -> bool:
    there = translate(printable(word, 4000), terminal.glyphs)
    if len(there) <= LONG:
        return there in read or any(there in one for one in read)
    # It may have been broken where a line ended.
    return any(there[:3] in one for one in read)


def words(text: str) -> set[str]:
    """Return the words between blanks, without box lines and without marks of a translation."""
    return {word.strip("│─┌┐└┘█░▌>").casefold() for word in text.split()} - {""}


def readable(view: View, columns: int) -> Iterator[str]:
    """Yield every text of a view for a screen of this number of columns. Of the keys, only those that
    always stay; the help lists the others."""
    yield str(view.title)
    for block in view.above:
        yield from texts_of_block(block)
    shown = [column.least <= columns for column in view.rows.columns] if view.rows else []
    for row in view.rows.rows if view.rows else ():
        cells = (cell for index, cell in enumerate(row.cells) if index >= len(shown) or shown[index])
        yield from (str(cell.text) for cell in cells)
        yield from (str(row.why_not), *map(str, row.notes))
    for field in view.fields:
        yield str(field.caption)
        yield "" if field.secret or field.offers else field.value
        yield str(field.hint) if not field.value else ""
    for pane in view.panes:
        yield str(pane.title)
        for block in pane.blocks:
            yield from texts_of_block(block) if not isinstance(block, Command) else block.argv
    yield str(view.said.text) if view.said else ""
    for index, action in enumerate(view.actions):
        if not action.aside and (not index or action.name in STAY):
            yield str(action.label)
