"""Options of a filesystem: added, removed and refused, with confirmation of dangers."""

from tests.unit.ui.dialogs.sides import MEDIA, person_at, recorded, session_for
from tests.unit.ui.person import Person
from wizard.advice.catalogue import load_catalogue
from wizard.advice.request import Taken
from wizard.model.advice import Choice
from wizard.model.errors import BadInput
from wizard.ui.editors.filesystem import Options

JOURNAL = load_catalogue()["ext4-no-journal"]


class Came(list[Taken]):
    """The choices made, latest last. Refuses once `refuses` is set."""

    refuses = False

    def take(self, taken: Taken) -> None:
        if self.refuses:
            raise BadInput("Not like this.")
        self.append(taken)


def ext4(workload: str = MEDIA) -> Choice:
    advice = session_for(recorded(), workload).advice
    choice = advice.choice("ext4") if advice else None
    assert choice is not None
    return choice


def options(came: Came, taken: Taken | None = None, workload: str = MEDIA) -> Person:
    services = recorded()
    session, start = session_for(services, workload), taken or Taken(ext4(workload))
    return person_at(
        services, session, lambda desk: Options(desk, workload, start, came.take, ext4(workload))
    )


def word(person: Person, row: str) -> str:
    return str(person.row(row).cells[2].text)


def first(person: Person, standing: str) -> str:
    return next(row.key for row in person.rows if str(row.cells[2].text) == standing)


def test_option_is_switched_on_and_off_with_a_message() -> None:
    came = Came()
    person = options(came)
    name = first(person, "optional")
    person.key("enter", name)
    assert word(person, name) == "added" and person.row(name).chosen
    assert person.view.place == "options" and came[-1].names == (name,)
    assert str(person.view.actions[0].label) == "drop"
    person.key("space", name)
    assert word(person, name) == "optional" and came[-1] == Taken(ext4())


def test_recommended_option_is_on_by_default() -> None:
    came = Came()
    person = options(came)
    name = first(person, "recommended")
    assert person.row(name).chosen is True and person.row(name).why_not == ""
    person.key("enter", name)
    assert "used automatically" in person.said and not came


def test_danger_needs_its_typed_phrase() -> None:
    came = Came()
    person = options(came)
    assert word(person, JOURNAL.id) == "danger"
    person.key("enter", JOURNAL.id)
    assert person.view.place == "typing" and person.view.over
    assert JOURNAL.phrase.english in person.text and " ".join(JOURNAL.never.english.split()) in person.text
    person.key("escape")
    assert person.view.place == "options" and word(person, JOURNAL.id) == "danger" and not came
    person.key("enter", JOURNAL.id)
    person.act("take", danger="nonsense")
    assert "does not match" in person.said and not came
    person.act("take", danger=JOURNAL.phrase.english)
    assert person.view.place == "options" and word(person, JOURNAL.id) == "added"
    assert came[-1].phrases == (JOURNAL.phrase.english,) and came[-1].doubts
    person.key("enter", JOURNAL.id)
    assert came[-1] == Taken(ext4())


def test_system_volume_never_gets_a_danger() -> None:
    came = Came()
    person = options(came, workload="desktop-root")
    assert word(person, JOURNAL.id) == "cannot" and person.row(JOURNAL.id).chosen is None
    person.key("enter", JOURNAL.id)
    assert person.view.place == "options" and "not allowed on a system volume" in person.said


def test_refused_option_is_reported_and_unchanged() -> None:
    came = Came()
    person = options(came)
    name = first(person, "optional")
    came.refuses = True
    person.key("enter", name)
    assert person.said == "Not like this." and word(person, name) == "optional"


def test_earlier_request_can_be_dropped() -> None:
    came = Came()
    person = options(came)
    name = first(person, "optional")
    person.key("enter", name)
    again = Came()
    person = options(again, came[-1])
    assert word(person, name) == "added"
    person.key("enter", name)
    assert again[-1] == Taken(ext4())


def test_doubts_about_unknown_options_stay() -> None:
    came = Came()
    person = options(came, Taken(ext4(), ("It was asked for.",)))
    person.key("enter", first(person, "optional"))
    assert came[-1].doubts == ("It was asked for.",)


def test_pane_shows_effect_and_cost() -> None:
    person = options(Came())
    for row in person.rows:
        person.desk.moved(row.key)
        option = load_catalogue()[row.key]
        assert " ".join(str(option.does or option.why).split()) in person.text
        assert " ".join(option.risk.english.split()) in person.text
