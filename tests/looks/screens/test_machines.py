"""Every screen of every recorded machine, in all sizes and kinds of terminals: no line is too wide, the
cursor is visible, and every word can be read."""

from collections.abc import Callable, Set
from itertools import cycle
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.daily import one_in
from tests.looks.rehearsal import CONSOLE, MODERN, MONO, Rehearsal, verdict
from tests.looks.screens.touring import SIZES, TERMINALS, Drawn, tour
from tests.looks.workshop import workshop
from tests.machines import name_of, recordings
from tests.unit.cli.test_hostile_text import HOSTILE
from tests.unit.plan.settings.test_adjusted import person_at
from tests.unit.ui.person import Person, texts_of
from wizard.model.machine import Drive, Machine, Signature
from wizard.probe.interpret import machine_of
from wizard.probe.machine import load_machine
from wizard.ui.view import View

FILES = {name_of(path): path for path in recordings()}
ANYWHERE = {"drives", "actions", "health", "reasons", "glossary", "help"}
"""Places that every drive leads to."""
TURNS = (
    (MODERN, (60, 16)),
    (CONSOLE, (80, 24)),
    (MONO, (60, 16)),
    (MODERN, (120, 36)),
    (CONSOLE, (60, 16)),
    (MONO, (80, 24)),
    (MODERN, (200, 50)),
)
ON_THE_WAY = {"purpose", "plan", "review", "filesystem", "options", "volume", "typing"}


class Looker:
    """Draws every view once, on alternating terminals, or with `all_screens` on all. The long glossary is
    the same everywhere and drawn once."""

    def __init__(self, *, all_screens: bool = False) -> None:
        self._screens = [(terminal, size) for terminal in TERMINALS for size in SIZES]
        self._at_once = len(self._screens) if all_screens else 1
        self._turns = cycle(TURNS)
        self._views: set[View] = set()

    def __call__(self, person: Person) -> None:
        view, below = person.view, person.desk.below
        if view in self._views or (view.place == "glossary" and self._at_once == 1):
            return
        self._views.add(view)
        screens = self._screens if self._at_once > 1 else [next(self._turns)]
        for terminal, size in screens:
            Drawn(view, below if view.over else None, terminal, size).check()


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Redirect saved files."""
    monkeypatch.chdir(tmp_path)


ON_ALL_SCREENS = frozenset({"adjust"})
"""What is looked at on all of them at once, below, and does not take part in their turns."""


def toured(
    machine: Machine, look: Callable[[Person], None], without: Set[str] = ON_ALL_SCREENS
) -> frozenset[str]:
    services = Rehearsal(machine)
    services.measured.set()
    person = Person(services)
    try:
        return tour(person, look, without)
    finally:
        person.end()


@pytest.mark.parametrize("name", one_in(4, sorted(FILES)))
def test_every_screen_is_readable_in_every_size(name: str) -> None:
    machine = load_machine(FILES[name])
    codes = toured(machine, Looker())
    assert not machine.drives or codes >= ANYWHERE, codes


def test_every_workshop_screen_in_every_size() -> None:
    codes = toured(machine_of(workshop()), Looker(all_screens=True), frozenset())
    assert codes >= ANYWHERE | ON_THE_WAY, codes


def test_size_and_place_in_every_size() -> None:
    person, look = person_at(), Looker(all_screens=True)
    for key, row in ((">", "size"), ("<", "start"), ("e", "start")):
        look(person)
        person.key(key, row)
    look(person)
    assert person.view.place == "typing"
    person.end()


def spoilt(drive: Drive, text: str) -> Drive:
    """Replace every foreign text by this one."""

    def marked(marks: tuple[Signature, ...]) -> tuple[Signature, ...]:
        return tuple(replace(mark, label=text) for mark in marks)

    parts = tuple(replace(part, name=text, signatures=marked(part.signatures)) for part in drive.partitions)
    return replace(drive, model=text, vendor=text, partitions=parts, signatures=marked(drive.signatures))


@pytest.mark.parametrize("text", HOSTILE, ids=[repr(one[:12]) for one in HOSTILE])
def test_untrusted_text_stays_within_the_screen(text: str) -> None:
    machine = machine_of(workshop())
    machine = replace(machine, drives=tuple(spoilt(drive, text) for drive in machine.drives))
    toured(machine, Looker())


def untranslated(text: str) -> bool:
    """Return True if text of ours is in English, outside the brackets of the pseudo language."""
    outside, depth = [], 0
    for char in text:
        depth += {"⟦": 1, "⟧": -1}.get(char, 0)
        outside.append(char if depth <= 0 else " ")
    words = "".join(outside).split()
    return sum(word.isalpha() and word.islower() and len(word) > 1 for word in words) > 2


def test_no_text_remains_in_english_or_is_cut_off(pseudo_language: None) -> None:
    seen, found = set[str](), set[str]()
    look_on_screens, machine = Looker(), machine_of(workshop())
    made_up = {verdict(drive.path).sentence for drive in machine.drives}

    def look(person: Person) -> None:
        new = set(map(str, texts_of(person.view))) - seen - made_up
        seen.update(new)
        found.update(text for text in new if untranslated(text))
        look_on_screens(person)

    toured(machine, look)
    assert len(seen) > 500
    assert not found, sorted(found)[:10]


def test_folder_of_recordings_is_not_empty() -> None:
    assert len(FILES) > 20 and all(isinstance(path, Path) for path in FILES.values())
