"""A person who opens every screen of the wizard, performs every action and checks each view."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.unit.ui.person import Person, texts_of
from wizard.apply.local_runs import LocalRuns
from wizard.host.services import Services
from wizard.model.machine import Machine
from wizard.ui.desk import Screen
from wizard.ui.view import View

MOST_ROWS = 3
"""Rows at which an action is tried."""
MOST_LED_ON = 12
"""Rows of the first two screens, if an action opens another."""
MOST_DEPTH = 9
MOST_VARIANTS = 4
"""Screens of one kind that are explored on one machine."""
EVERY_ROW = ("drives", "actions")
HOSTILE = "\x1b[31mx\n\u202e"
ASIDE = ("help", "glossary", "quit", "again")


class Watched(Services):
    """A recorded machine that counts attempts to reach its runs."""

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine, "a test", lambda: "11111111-2222-4333-8444-555555555555")
        self.attempts = 0

    @property
    def runs(self) -> LocalRuns:
        self.attempts += 1
        return super().runs


@dataclass(frozen=True, slots=True)
class Deed:
    """An action at a row, with `typed` in every field, or unchanged fields if None."""

    action: str
    row: str = ""
    typed: str | None = None

    def move(self, person: Person) -> View:
        """Select the row and return the view."""
        if self.row:
            person.desk.moved(self.row)
        return person.view

    def do(self, person: Person) -> None:
        """Perform the action."""
        view = self.move(person)
        values = {
            field.key: field.value if self.typed is None or field.offers else self.typed
            for field in view.fields
        }
        person.desk.act(self.action, self.row, values)
        person.wait()


Look = Callable[[Person], None]


class Explorer:
    """Explore screens breadth first and call `look` with each view. Count screens and actions."""

    def __init__(self, services: Watched, look: Look) -> None:
        self.services, self._look = services, look
        self.visited: Counter[str] = Counter()
        self.done: Counter[tuple[str, str]] = Counter()
        self._person: Person | None = None
        self._at: tuple[Deed, ...] | None = None

    def explore(self) -> None:
        """Explore all screens."""
        self._start()
        assert self._person is not None
        seen = {_kind(self._person.view)}
        self.visited["drives"] += 1
        queue: deque[tuple[Deed, ...]] = deque([()])
        while queue:
            path = queue.popleft()
            screen = self._go(path)
            if screen is None:
                continue
            for deed in tuple(deeds(self._person_here().view)):
                screen = self._go(path)
                if screen is None or self._person_here().view.action(deed.action) is None:
                    continue
                kind = self._do(deed)
                fresh = kind not in seen and self.visited[kind[0]] < MOST_VARIANTS
                if fresh and len(path) < MOST_DEPTH:
                    seen.add(kind)
                    self.visited[kind[0]] += 1
                    queue.append((*path, deed))
                self._at = path if self._come_back(screen) else None
        self._person_here().end()

    def _do(self, deed: Deed) -> tuple[str, ...]:
        person = self._person_here()
        before = deed.move(person)
        self._look(person)
        action = before.action(deed.action)
        if action is None:
            return _kind(before)
        deed.do(person)
        self.done[before.place, deed.action] += 1
        if action.why_not != "":
            assert person.said == str(action.why_not), (before.place, deed)
            assert person.view.place == before.place
        elif deed.action not in ASIDE:
            assert person.said or person.view != before or person.desk.over, f"nothing came of {deed}"
        if not person.desk.over:
            self._look(person)
        return _kind(person.view)

    def _person_here(self) -> Person:
        assert self._person is not None
        return self._person

    def _start(self) -> None:
        if self._person is not None:
            self._person.end()
        self._person, self._at = Person(self.services), ()
        self._look(self._person)

    def _go(self, path: tuple[Deed, ...]) -> Screen | None:
        """Return the screen at the end of a path, restarting if necessary, or None if the path is broken."""
        if self._at != path or self._person is None or self._person.desk.over:
            self._start()
            for deed in path:
                if self._person_here().view.action(deed.action) is None:
                    return None
                deed.do(self._person_here())
            self._at = path
        return self._person_here().desk.screen

    def _come_back(self, screen: Screen) -> bool:
        """Return to the screen, and return True if possible."""
        desk = self._person_here().desk
        for _ in range(MOST_DEPTH):
            if desk.over or desk.screen is screen:
                break
            desk.back()
            self._person_here().wait()
        return not desk.over and desk.screen is screen


def deeds(view: View) -> Iterator[Deed]:
    """Yield actions to try at some rows, with and without values. Actions that leave the screen come last."""
    actions = sorted(view.actions, key=lambda action: action.name in ("back", "home", "quit", "leave"))
    for name in dict.fromkeys(action.name for action in actions):
        if view.fields:
            typed: tuple[str | None, ...] = (None, "", HOSTILE) if name not in ASIDE else (None,)
            yield from (Deed(name, "", text) for text in typed)
        elif view.rows is not None and view.rows.rows:
            yield from (Deed(name, row) for row in _rows_for(view, name))
        else:
            yield Deed(name)


def _rows_for(view: View, name: str) -> tuple[str, ...]:
    assert view.rows is not None
    rows = [row.key for row in view.rows.rows]
    if name in ASIDE or name == "back":
        return (view.rows.at or rows[0],)
    if view.place in EVERY_ROW and name in ("set-up", "actions", "do", "open", "to-ext4"):
        return tuple(rows[:MOST_LED_ON])
    return tuple(dict.fromkeys((view.rows.at or rows[0], rows[0], rows[-1])))[:MOST_ROWS]


def _kind(view: View) -> tuple[str, ...]:
    """Return the same key for views of one screen with the same actions."""
    return (view.place, *(f"{action.name}{'-' if action.why_not != '' else ''}" for action in view.actions))


def texts(view: View) -> tuple[str, ...]:
    """Return every non-empty text of the view."""
    return tuple(text for text in texts_of(view) if text)
