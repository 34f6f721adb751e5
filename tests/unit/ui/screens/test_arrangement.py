"""Table and volume group: offered with the planner's reasons against each, and never chosen despite a
reason."""

import pytest
from msgspec.structs import replace

from tests.unit.ui.dialogs.sides import Start, recorded, session_for
from tests.unit.ui.person import Person
from wizard.model.errors import Refused
from wizard.plan.request.plan_request import Arrangement, Mode
from wizard.ui import draft
from wizard.ui.editors.spread import arrange
from wizard.ui.session import Session
from wizard.ui.wizard import Wizard

EVERY = [Arrangement(table, grouped) for table in ("gpt", "mbr") for grouped in (False, True)]


def form(monkeypatch: pytest.MonkeyPatch, came: list[Session], *refused: Arrangement) -> Person:
    """Return a person at the form. The planner refuses the arrangements `refused`."""
    services, planned = recorded(), draft.planned

    def plan(asked: Session) -> Session:
        if asked.arrangement in refused:
            raise Refused("It cannot be.")
        return planned(asked)

    monkeypatch.setattr(draft, "planned", plan)
    desk = Wizard(services)
    desk.session = replace(session_for(services), mode=Mode.REPLACE)
    desk.go(Start(desk, came.append))
    arrange(desk)
    return Person(services, desk)


def offers(person: Person) -> list[str]:
    return [str(offer.why_not) for field in person.view.fields for offer in field.offers]


@pytest.mark.parametrize("table", ["gpt", "mbr"])
@pytest.mark.parametrize("group", ["", "lvm"])
def test_selected_values_are_planned(monkeypatch: pytest.MonkeyPatch, table: str, group: str) -> None:
    came: list[Session] = []
    form(monkeypatch, came).act("take", table=table, group=group)
    (session,) = came
    assert session.arrangement == Arrangement("mbr" if table == "mbr" else "gpt", group == "lvm")
    assert session.plan


def test_impossible_value_gives_the_reason_and_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    came: list[Session] = []
    person = form(monkeypatch, came, Arrangement("mbr"))
    assert offers(person) == ["", "It cannot be.", "", ""]
    person.act("take", table="mbr")
    assert not came and person.view.place == "typing" and person.said == "It cannot be."
    person.act("take", table="gpt")
    assert came[0].arrangement == Arrangement() and person.view.place == "start"


def test_no_value_is_blamed_if_no_plan_is_possible(monkeypatch: pytest.MonkeyPatch) -> None:
    came: list[Session] = []
    person = form(monkeypatch, came, *EVERY)
    assert not any(offers(person))
    person.act("take", table="mbr")
    assert came[0].arrangement == Arrangement("mbr")
