"""Table and volume group: offered with the planner's reasons against each, and never chosen despite a
reason."""

import pytest

from tests.unit.ui.dialogs.sides import person_at, recorded, session_for
from tests.unit.ui.person import Person
from wizard.model.errors import BadInput, Refused
from wizard.plan.request.plan_request import Arrangement
from wizard.ui.editors.spread import Arrange


def arrange(came: list[Arrangement], now: Arrangement, *refused: Arrangement) -> Person:
    services = recorded()

    def check(asked: Arrangement) -> None:
        if asked in refused:
            raise Refused("It cannot be.")

    session = session_for(services)
    return person_at(services, session, lambda desk: Arrange(desk, now, check, came.append))


@pytest.mark.parametrize("table", ["gpt", "mbr"])
@pytest.mark.parametrize("group", ["", "-lvm"])
def test_selected_value_is_used(table: str, group: str) -> None:
    came: list[Arrangement] = []
    person = arrange(came, Arrangement())
    person.act("take", f"{table}{group}")
    assert came == [Arrangement("mbr" if table == "mbr" else "gpt", group == "-lvm")]
    assert person.view.place == "start"


def test_impossible_value_gives_the_reason_and_is_not_used() -> None:
    came: list[Arrangement] = []
    person = arrange(came, Arrangement(), Arrangement("mbr"))
    assert [str(row.why_not) for row in person.rows] == ["", "It cannot be.", "", ""]
    person.act("take", "mbr")
    assert not came and person.view.place == "arrangement" and person.said == "It cannot be."
    person.act("take", "gpt")
    assert came == [Arrangement()]


def test_no_value_is_blamed_if_no_plan_is_possible() -> None:
    every = [Arrangement(table, grouped) for table in ("gpt", "mbr") for grouped in (False, True)]
    assert not any(row.why_not for row in arrange([], Arrangement(), *every).rows)


def test_refused_arrangement_is_reported() -> None:
    services = recorded()

    def refuse(_: Arrangement) -> None:
        raise BadInput("Not like this.")

    person = person_at(
        services,
        session_for(services),
        lambda desk: Arrange(desk, Arrangement(), lambda _: None, refuse),
    )
    person.key("enter")
    assert person.said == "Not like this." and person.view.place == "arrangement"
