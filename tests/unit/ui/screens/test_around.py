"""Facts about the running system on the first screen."""

import pytest
from msgspec.structs import replace

from tests.unit.machines import drive, machine
from tests.unit.plan.layouts import EVERYTHING
from tests.unit.ui.live import Live
from tests.unit.ui.person import Person
from wizard.model.machine import Machine, Use

MEDIUM = drive(
    path="/dev/sdb",
    serial="stick",
    wwn="naa.stick",
    by_id=(),
    uses=(Use("running-system", "/dev/sdb1", "/run/live/medium"),),
)


def started_from(*missing: str, live: bool = True) -> Live:
    """Return services for a system on its own drive, with another drive, without some programs."""
    known = machine(drive(), MEDIUM)
    tools = tuple((name, path) for name, path in EVERYTHING if name not in missing)
    return Live(replace(known, live_medium=live, tools=tools))


def rows(person: Person) -> list[str]:
    assert person.view.rows
    return [row.key for row in person.view.rows.rows]


def test_live_medium_is_named_in_one_line_and_not_listed() -> None:
    person = Person(started_from())
    assert rows(person) == ["/dev/sda"]
    assert person.said == "Not listed: /dev/sdb, the boot drive of this system."
    person.desk.moved("/dev/sda")
    assert not person.said


def test_drive_of_an_installed_system_is_listed() -> None:
    person = Person(started_from(live=False))
    assert rows(person) == ["/dev/sda", "/dev/sdb"] and not person.said


@pytest.mark.parametrize(
    ("missing", "live", "said"),
    [
        ("mkfs.xfs", True, "This system lacks mkfs.xfs and smartctl. Everything else works."),
        ("mkfs.xfs", False, ""),
        ("partx", False, "Cannot set up any drive: this system lacks partx."),
    ],
)
def test_missing_tools_are_named_where_needed(missing: str, said: str, *, live: bool) -> None:
    assert Person(started_from(missing, "smartctl", live=live)).said == said


def test_recording_without_programs_mentions_none_missing() -> None:
    known: Machine = replace(machine(drive()), tools=())
    assert not Person(Live(known)).said


def test_live_system_warns_that_boot_mounts_are_lost() -> None:
    person = Person(started_from())
    person.act("set-up", "/dev/sda")
    person.act("plan", "large-media")
    assert "what to mount at boot" in person.text
    installed = Person(started_from(live=False))
    installed.act("set-up", "/dev/sda")
    installed.act("plan", "large-media")
    assert "/srv/media" in installed.text and "what to mount at boot" not in installed.text
