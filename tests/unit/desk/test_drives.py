"""The first screen: where the cursor is, the runs that come first, and what is told of their drives."""

from dataclasses import replace

from tests.unit.desk.live import Live
from tests.unit.desk.person import Person
from tests.unit.machines import drive, machine
from wizard.model.machine import Drive


def other(path: str = "/dev/sdb") -> Drive:
    """A second drive."""
    return drive(path=path, serial=path[-3:], wwn=f"naa.{path}", by_id=())


def plug_in(person: Person, services: Live, added: Drive) -> None:
    """One drive more is there."""
    services.known = services.machine = machine(*services.known.drives, added)
    person.desk.place.drives_changed()
    person.wait()


def cursor(person: Person) -> str:
    """The row that the cursor stands on."""
    assert person.view.rows
    return person.view.rows.at


def test_the_cursor_goes_to_a_new_drive_only_while_nobody_has_led_it() -> None:
    services = Live()
    person = Person(services)
    plug_in(person, services, other())
    assert cursor(person) == "/dev/sdb"
    person.desk.moved("/dev/sda")
    plug_in(person, services, other("/dev/sdc"))
    assert cursor(person) == "/dev/sda" and "sdc was plugged in" in person.said


def test_a_drive_that_was_acted_on_without_leading_the_cursor_keeps_it() -> None:
    services = Live()
    person = Person(services)
    person.desk.act("actions", "/dev/sda")
    person.act("back")
    plug_in(person, services, replace(other(), size_bytes=0))
    assert cursor(person) == "/dev/sda"
