"""A simulated user without a user interface, who reads views and performs their actions."""

from collections.abc import Iterator
from weakref import WeakKeyDictionary

from wizard.host.services import Services
from wizard.ui import view as ui
from wizard.ui.desk import Screen
from wizard.ui.wizard import Wizard

SECONDS = 30.0
"""For what is done in threads."""


class Person:
    """A simulated user at the first screen. Every call waits until all work is done, and runs pending
    requests for root."""

    def __init__(self, services: Services, desk: Wizard | None = None) -> None:
        self.desk = desk or Wizard(services)
        self._typed: WeakKeyDictionary[Screen, dict[str, tuple[str, str]]] = WeakKeyDictionary()
        if desk is None:
            self.desk.begin()
        self.wait()

    @property
    def view(self) -> ui.View:
        """The current view."""
        return self.desk.view

    @property
    def rows(self) -> tuple[ui.Row, ...]:
        """Rows of the view, if any."""
        rows = self.view.rows
        return rows.rows if rows else ()

    @property
    def said(self) -> str:
        """Message after the last action."""
        said = self.view.said
        return str(said.text) if said else ""

    def row(self, word: str) -> ui.Row:
        """Return the row with this key, or the first row that contains the word."""
        for row in self.rows:
            if row.key == word:
                return row
        for row in self.rows:
            if any(word in text for text in texts_of_row(row)):
                return row
        raise AssertionError(f"no row with {word!r} among {[row.key for row in self.rows]}")

    def act(self, name: str, row: str | None = None, **values: str) -> None:
        """Perform an action of the view, at a row by key or word, or at the cursor. In names of fields,
        `_` replaces other characters. Other fields keep their values."""
        view = self.view
        assert view.action(name), f"no action {name!r} among {[action.name for action in view.actions]}"
        at = self.row(row).key if row is not None else view.rows.at if view.rows else ""
        if row is not None:
            self.desk.moved(at)
        self.desk.act(name, at, self._values(view, values))
        self.wait()

    def key(self, key: str, row: str | None = None, **values: str) -> None:
        """Press the key of an action."""
        found = next((action for action in self.view.actions if action.key == key), None)
        assert found, f"no key {key!r} among {[action.key for action in self.view.actions]}"
        self.act(found.name, row, **values)

    def turn(self, field: str, value: str, **values: str) -> None:
        """Change a field."""
        given = self._values(self.view, {**values, field: value})
        self.desk.turned(field, given)
        self.wait()

    def wait(self) -> None:
        """Wait until all work is done."""
        while True:
            assert self.desk.wait(SECONDS), "it is still being done"
            errand = self.desk.errand
            if errand is None:
                return
            errand()

    def end(self) -> None:
        """Close the wizard."""
        self.desk.end()

    def texts(self) -> tuple[str, ...]:
        """Return every text of the view, from title to key labels."""
        return tuple(text for text in texts_of(self.view) if text)

    @property
    def text(self) -> str:
        """All texts of the view on one line."""
        return " ".join(" ".join(self.texts()).split())

    def _values(self, view: ui.View, given: dict[str, str]) -> dict[str, str]:
        keys = {field.key.replace("-", "_"): field.key for field in view.fields}
        unknown = [key for key in given if key.replace("-", "_") not in keys]
        assert not unknown, f"no field {unknown} among {sorted(keys.values())}"
        typed = {keys[key.replace("-", "_")]: value for key, value in given.items()}
        known = self._typed.setdefault(self.desk.screen, {})
        shown = {field.key: field.value for field in view.fields}
        # As in both interfaces, input stays unless the screen has changed the value since.
        kept = {key: value for key, (given, value) in known.items() if (key, given) in shown.items()}
        found = shown | kept | typed
        known |= {one.key: (one.value, found[one.key]) for one in view.fields if not one.secret}
        return found


def texts_of(view: ui.View) -> Iterator[str]:
    """Yield every text of a view in reading order."""
    yield str(view.title)
    yield str(view.about)
    for block in view.above:
        yield from texts_of_block(block)
    for row in view.rows.rows if view.rows else ():
        yield from texts_of_row(row)
    for field in view.fields:
        yield from (str(field.caption), "" if field.secret else field.value, str(field.hint))
        for offer in field.offers:
            yield from (str(offer.text), str(offer.why_not))
    for pane in view.panes:
        yield str(pane.title)
        for block in pane.blocks:
            yield from texts_of_block(block)
    yield str(view.said.text) if view.said else ""
    for action in view.actions:
        yield from (str(action.label), str(action.why_not))


def texts_of_row(row: ui.Row) -> Iterator[str]:
    """Yield every text of a row."""
    yield from (str(cell.text) for cell in row.cells)
    yield str(row.why_not)
    yield from map(str, row.notes)


def texts_of_block(block: ui.Block) -> Iterator[str]:
    """Yield every text of a block."""
    match block:
        case ui.Para():
            yield from (str(piece.text) for piece in block.pieces)
        case ui.Command():
            yield " ".join(block.argv)
        case ui.Bar():
            yield str(block.caption)
            yield from (str(stretch.name) for stretch in block.stretches)
        case ui.Figures():
            yield str(block.unit)
            yield from (text for name, _, figure in block.values for text in (name, figure))
        case ui.Progress():
            yield str(block.said)
        case ui.Banner():
            yield str(block.text)
            yield from map(str, block.detail)
