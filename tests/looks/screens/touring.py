"""Visit every screen without an interface, and draw views as a window does, scrolled anywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass

from msgspec.structs import replace
from rich.cells import cell_len

from tests.looks.rehearsal import CONSOLE, MODERN, MONO
from tests.unit.ui.person import Person, texts_of_block
from wizard.model.errors import printable
from wizard.ui.view import Command, View
from wizard.window.canvas import Sheet
from wizard.window.keyboard import MAIN, InputState
from wizard.window.look import look_of
from wizard.window.page import page
from wizard.window.terminal import Terminal, translate

TERMINALS = (MODERN, replace(MODERN, light=True), CONSOLE, MONO)
SIZES = ((60, 16), (80, 24), (120, 36), (200, 50))
LEAVES = frozenset({"back", "quit", "home", "leave", "yes", "cancel", "again", "as-root"})
STAY = ("help", "back", "quit")
MANY = frozenset({"page", "typing", "question", "reasons"})
"""Places that are told from each other by their titles."""
MOST_DRIVES = 4
LINES_OF_A_ROW = 8
"""No row of a long list is higher."""
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


@dataclass(frozen=True, slots=True)
class Drawn:
    """A view on a screen of one size, and everything visible while scrolling."""

    view: View
    below: View | None
    terminal: Terminal
    size: tuple[int, int]

    def sheets(self) -> Iterator[Sheet]:
        """Yield the first screen, then each part scrolled to its end, then each row and field with the
        cursor."""
        hand = self._hand()
        first = self._page(hand)
        yield first
        for name, extent in first.parts.items():
            if name != MAIN and extent.overflows:
                for top in range(0, extent.total, max(1, extent.height - 2)):
                    hand.tops[name] = top
                    yield self._page(hand)
        main = first.parts.get(MAIN)
        if main is not None and main.overflows:
            rows = self.view.rows.rows if self.view.rows else ()
            explained = (row for row in rows if row.why_not != "")
            for row in (*rows[:: max(1, main.height // LINES_OF_A_ROW)], *rows[-1:], *explained):
                hand.cursor = row.key
                yield self._page(hand)
            for field in self.view.fields:
                hand.field = field.key
                yield self._page(hand)

    def _hand(self) -> InputState:
        hand = InputState()
        hand.meet(self.view, asked=True)
        return hand

    def _page(self, hand: InputState) -> Sheet:
        under = InputState()
        if self.below is not None:
            under.meet(self.below, asked=True)
        below = (self.below, under) if self.below is not None else None
        return page(self.view, hand, look_of(self.terminal), self.size, below)

    def check(self) -> None:
        """Check that no line is too wide, the cursor is visible, and every word can be read."""
        columns, lines = self.size
        where = f"{self.view.place} at {columns}x{lines}, {self.terminal}"
        read: set[str] = set()
        has_cursor = bool(self.view.fields or (self.view.rows and self.view.rows.rows))
        for sheet in self.sheets():
            assert len(sheet.lines) == lines, f"{where}: {len(sheet.lines)} lines"
            assert not has_cursor or sheet.cursor is not None, f"{where}: no cursor"
            for strip in sheet.lines:
                text = translate(strip.text, self.terminal.glyphs)
                assert cell_len(text) == columns, f"{where}: {text!r}"
                assert text.isprintable(), f"{where}: {text!r}"
                read |= words(text)
        lost = [word for word in self.wanted() if not self._is_read(word, read)]
        assert not lost, f"{where}: cannot be read: {lost}\n" + "\n".join(
            strip.text for strip in self._page(self._hand()).lines
        )

    def wanted(self) -> list[str]:
        """Return every word that users must be able to read."""
        return [word for text in readable(self.view, self.size[0]) for word in sorted(words(text))]

    def _is_read(self, word: str, read: set[str]) -> bool:
        there = translate(printable(word, 4000), self.terminal.glyphs)
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
