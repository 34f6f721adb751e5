"""The ranking screen: possible filesystems, reasons against others, options, and installing."""

from collections.abc import Callable

from msgspec.structs import replace

from tests.unit.machines import drive
from tests.unit.plan.layouts import EVERYTHING
from tests.unit.ui.dialogs.sides import MEDIA, advice_of, person_at, recorded, session_for
from tests.unit.ui.person import Person
from tests.unit.ui.simulated import Simulated
from wizard.advice.missing import Missing
from wizard.advice.request import Taken
from wizard.host.services import Services
from wizard.model.machine import Machine
from wizard.ui.draft import taken_for
from wizard.ui.editors.filesystem import Filesystem
from wizard.ui.session import Session

WITHOUT_XFS = tuple(tool for tool in EVERYTHING if tool[0] != "mkfs.xfs")


class Came(list[Taken]):
    """The choices made."""

    def take(self, session: Session) -> None:
        self.append(taken_for(session.specs[0]))


def ranked(services: Services, take: Callable[[Session], None], workload: str = MEDIA) -> Person:
    return person_at(services, session_for(services, workload), lambda desk: Filesystem(desk, 0), take)


def test_every_filesystem_has_one_word_and_its_sentence() -> None:
    services = recorded()
    person = ranked(services, Came().take)
    advice = advice_of(session_for(services))
    words = {row.key: str(row.cells[1].text) for row in person.rows}
    assert set(words.values()) <= {"recommended", "good too", "not recommended", "cannot"}
    assert advice.chosen and words[advice.chosen.filesystem] == "recommended"
    assert person.view.rows and person.view.rows.at == advice.chosen.filesystem
    assert person.row(advice.chosen.filesystem).chosen is True
    assert "swap" not in words
    unmade = [one.filesystem for one in advice.unmade]
    assert unmade and [row.key for row in person.rows][-len(unmade) :] == unmade


def test_pane_has_options_with_reasons_and_notes_about_the_drive() -> None:
    services = recorded()
    person = ranked(services, Came().take)
    choice = advice_of(session_for(services)).chosen
    assert choice is not None
    for option in (*choice.mkfs, *choice.mount):
        assert option.text in person.text and " ".join(str(option.why).split()) in person.text
    person.desk.moved("xfs")
    assert str(person.view.panes[0].title) == "XFS"


def test_unsupported_filesystem_gives_the_reason_and_the_way_off() -> None:
    came = Came()
    services = recorded()
    person = ranked(services, came.take)
    unmade = advice_of(session_for(services)).unmade[0]
    person.key("enter", unmade.filesystem)
    assert person.said == "Recognised, but never created." and not came
    assert str(person.row(unmade.filesystem).why_not) == "Recognised, but never created."
    assert " ".join(unmade.why_not.split()) in person.text
    assert " ".join(unmade.way_off.split()) in person.text
    person.key("w", unmade.filesystem)
    assert person.view.place != "filesystem"


def test_missing_program_is_the_reason_and_can_be_installed() -> None:
    class Live(Simulated):
        installed = False

        def install_offer(self, missing: Missing) -> str:
            return "Install it?"

        def install(self, missing: Missing, on_line: Callable[[str], None]) -> None:
            self.installed = True

        def surroundings(self) -> Machine:
            there = EVERYTHING if self.installed else WITHOUT_XFS
            return replace(self.machine, drives=(), tools=there)

    known = recorded(tools=WITHOUT_XFS).machine
    services, came = Live(known, "a test"), Came()
    person = ranked(services, came.take)
    person.key("enter", "xfs")
    assert "mkfs.xfs" in person.said and not came
    assert person.row("xfs").chosen is None and "mkfs.xfs" in str(person.row("xfs").why_not)
    person.key("o")
    assert person.said and person.view.place == "filesystem"
    person.key("i")
    assert person.view.place != "filesystem"
    person.key(next(action.key for action in person.view.actions if action.name != "back"))
    if person.view.place != "filesystem":
        person.key("y")
    assert services.installed and person.view.place == "filesystem"
    assert person.said == "mkfs.xfs is installed now."
    assert not person.view.action("install")
    assert person.desk.session.machine and person.desk.session.machine.has_tool("mkfs.xfs")
    person.key("enter", "xfs")
    assert [taken.choice.filesystem for taken in came] == ["xfs"]
    assert person.view.place == "start"


def test_selected_options_stay_with_the_filesystem() -> None:
    came = Came()
    person = ranked(recorded(), came.take)
    person.key("o", "ext4")
    free = next(row for row in person.rows if str(row.cells[2].text) == "optional")
    person.key("enter", free.key)
    person.key("escape")
    assert person.view.place == "filesystem"
    assert str(free.cells[0].text).split()[-1] in person.text
    person.key("enter", "ext4")
    assert came[0].names == (free.key,)


def test_drive_without_possible_filesystems_is_reported_first() -> None:
    came = Came()
    person = ranked(recorded(tools=()), came.take)
    assert "No filesystem can be created here" in person.text
    person.key("enter")
    assert person.said and not came
    person.key("w")
    assert person.view.place != "filesystem"


def test_zones_and_hostile_names_are_only_data() -> None:
    services = recorded(drive(zoned="host-managed", model="x\x1b[31m"))
    advice = advice_of(session_for(services))
    person = ranked(services, Came().take)
    for use in advice.zoned:
        assert use.title in person.text
        for command in use.commands:
            assert " ".join(command.split()) in person.text
