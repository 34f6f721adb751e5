"""Questions, text input, saving, quitting, and installing missing programs."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.unit.ext4.migrations import situation
from tests.unit.machines import drive, machine
from tests.unit.ui.dialogs.sides import session_on
from tests.unit.ui.person import Person
from tests.unit.ui.simulated import Simulated
from wizard.advice.missing import Missing
from wizard.apply.run.journal import RunState
from wizard.ext4.document import make_migration
from wizard.model.errors import BadInput, DiskwrightError, Failed, Refused
from wizard.model.machine import Drive
from wizard.plan.changes import Way
from wizard.ui import view as ui
from wizard.ui.desk import Screen
from wizard.ui.dialogs.asking import Dialog, ending, question, save
from wizard.ui.dialogs.health import Install

MISSING = Missing(("mkfs.exfat",), ("exfatprogs",), "debian")
OFFER = "Install exfatprogs with apt: 0.3 MB to download, 1.0 MB on disk."
UUID = "11111111-2222-4333-8444-555555555555"
WHO = ui.Field("who", "Name")


class Below(Screen):
    """The screen under a question."""

    step = ui.ScreenStep.PLAN

    def view(self) -> ui.View:
        return ui.View("plan", ui.ScreenStep.PLAN, "Plan", ())


class Services(Simulated):
    """A run with a set state, and a package manager with set results."""

    def __init__(self) -> None:
        super().__init__(machine(drive()), "a test", lambda: UUID)
        self.stands = RunState.RUNNING
        self.fault: DiskwrightError | None = None
        self.refuses_offer = False
        self.rootless = False
        self.installed: list[Missing] = []
        self.go = threading.Event()
        self.go.set()
        self.pulled, self.attached = threading.Event(), True

    @property
    def asks_for_root(self) -> bool:
        return self.rootless

    def changes(self, stop: threading.Event) -> Iterator[None]:
        while not stop.is_set():
            if self.pulled.wait(0.02):
                self.pulled.clear()
                self.attached = False
                yield

    def is_attached(self, drive: Drive) -> bool:
        return self.attached

    def obtain_root(self) -> None:
        if self.fault:
            raise self.fault
        self.rootless = False

    def state(self, run: Path) -> RunState:
        if self.fault:
            raise self.fault
        return self.stands

    def install_offer(self, missing: Missing) -> str:
        if self.refuses_offer:
            raise Refused("apt is not here, so nothing can be installed.")
        return OFFER

    def install(self, missing: Missing, on_line: Callable[[str], None]) -> None:
        teller = threading.Thread(target=on_line, args=("Unpacking exfatprogs",))
        teller.start()
        teller.join()
        self.go.wait(20)
        if self.fault:
            raise self.fault
        self.installed.append(missing)


def person() -> tuple[Person, Services]:
    services = Services()
    return Person(services), services


@pytest.mark.parametrize("key", ["enter", "escape", "n"])
def test_only_a_yes_runs_the_action(key: str) -> None:
    at, _ = person()
    done: list[str] = []
    at.desk.go(question(at.desk, "Sure?", "It would be done.", "do it", lambda: done.append("done")))
    assert at.view.over and "It would be done." in at.texts()
    at.key(key)
    assert not done and at.view.place == "drives"


def test_yes_runs_in_the_previous_screen() -> None:
    at, _ = person()
    seen: list[str] = []
    at.desk.go(question(at.desk, "Sure?", "a", "do it", lambda: seen.append(at.view.place)))
    at.key("y")
    assert seen == ["drives"]


def test_failure_after_a_yes_is_reported_in_the_previous_screen() -> None:
    at, _ = person()

    def fails() -> None:
        raise Failed("It did not work.")

    at.desk.go(question(at.desk, "Sure?", "", "do it", fails))
    at.key("y")
    assert at.view.place == "drives" and at.said == "It did not work."


def typing(at: Person, read: Callable[[ui.Values], Callable[[], None]], *fields: ui.Field) -> None:
    at.desk.go(Dialog(at.desk, "A name", (), fields or (WHO,), read, "take"))


def test_dialog_stays_open_after_an_error_and_stores_no_secret() -> None:
    at, _ = person()

    def read(values: ui.Values) -> Callable[[], None]:
        raise BadInput(f"{values['who']} is no name.")

    typing(at, read, WHO, ui.Field("secret", "Secret", secret=True))
    at.act("take", who="anna", secret="opensesame")
    assert at.view.place == "typing" and at.said == "anna is no name."
    assert [field.key for field in at.view.fields] == ["who", "secret"]
    assert "opensesame" not in repr(at.view) and not at.desk.screen.values
    at.key("escape")
    assert at.view.place == "drives"


def test_previous_screen_continues_with_the_input() -> None:
    at, _ = person()
    seen: list[tuple[str, str]] = []

    def read(values: ui.Values) -> Callable[[], None]:
        return lambda: seen.append((at.view.place, values["who"]))

    at.desk.go(Dialog(at.desk, "A name", (), (WHO,), read, "take"))
    at.act("take", who="anna")
    assert seen == [("drives", "anna")]


def test_handler_that_goes_back_itself_is_not_left_twice() -> None:
    at, _ = person()
    at.desk.go(question(at.desk, "Below", "", "yes", lambda: None))

    def read(values: ui.Values) -> Callable[[], None]:
        at.desk.back()
        return lambda: None

    typing(at, read)
    at.act("take", who="anna")
    assert at.view.place == "question"


def test_text_is_saved_and_reported(tmp_path: Path) -> None:
    at, _ = person()
    saved = tmp_path / "a.json"
    save(at.desk, "the plan", "{}", str(saved))
    at.act("take")
    assert saved.read_text() == "{}"
    assert at.said == f"The plan was saved to {saved}." and at.view.place == "drives"


def test_existing_file_is_unchanged(tmp_path: Path) -> None:
    at, _ = person()
    there = tmp_path / "a.json"
    there.write_text("mine")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    save(at.desk, "the plan", "{}", str(there))
    for name in (str(there), str(tmp_path / "dangling"), str(tmp_path)):
        at.act("take", file=name)
        assert at.view.place == "typing" and "already exists" in at.said
    assert there.read_text() == "mine" and not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("name", ["", "  ", "a\0b", "~nobody-of-this-name/a", "/nonexistent/folder/a.json"])
def test_invalid_file_name_is_asked_again(name: str) -> None:
    at, _ = person()
    save(at.desk, "the plan", "{}", "a.json")
    at.act("take", file=name)
    assert at.view.place == "typing" and at.said


def test_no_question_if_no_data_would_be_lost() -> None:
    at, services = person()
    assert ending(at.desk) is None
    at.desk.run = Path("/nowhere/1")
    for state in RunState:
        services.stands = state
        assert (ending(at.desk) is None) == (state is not RunState.RUNNING)
    services.stands = RunState.DONE
    at.act("quit")
    assert at.desk.over


def test_run_continues_without_the_window() -> None:
    at, _ = person()
    at.desk.run = Path("/nowhere/1")
    at.act("quit")
    assert not at.desk.over and "continues without this window" in at.text
    at.key("enter")
    assert not at.desk.over and at.view.place == "drives"
    at.act("quit")
    at.key("y")
    assert at.desk.over


def test_quitting_twice_quits() -> None:
    at, _ = person()
    at.desk.run = Path("/nowhere/1")
    at.act("quit")
    at.act("quit")
    assert at.desk.over


def test_unreadable_run_state_asks_before_quitting() -> None:
    at, services = person()
    at.desk.run = Path("/nowhere/1")
    services.fault = Failed("The journal cannot be read.")
    at.act("quit")
    assert not at.desk.over and "state of the run is unknown" in at.text


def test_unapplied_plan_asks_before_quitting() -> None:
    at, _ = person()
    planned = make_migration(situation(), Way.FULL)
    at.desk.session = replace(session_on(drive()), migration=planned)
    at.act("quit")
    assert not at.desk.over and "No drive was written." in at.text


def installing(monkeypatch: pytest.MonkeyPatch) -> tuple[Person, Services, list[str]]:
    at, services = person()
    done: list[str] = []
    monkeypatch.setattr(at.desk.screen, "equipped", lambda: done.append(at.view.place))
    return at, services, done


def test_installing_asks_once_shows_output_and_continues(monkeypatch: pytest.MonkeyPatch) -> None:
    at, services, done = installing(monkeypatch)
    at.desk.go(Install(at.desk, MISSING))
    at.wait()
    assert OFFER in at.texts() and not services.installed
    services.go.clear()
    at.desk.act("install")
    for _ in range(200):
        if "Unpacking exfatprogs" in at.texts():
            break
        threading.Event().wait(0.02)
    assert at.view.busy and "Unpacking exfatprogs" in at.texts() and not at.desk.screen.may_leave
    at.desk.act("back")
    assert at.view.place == "install" and "cannot be stopped" in at.said
    at.desk.act("help")
    services.go.set()
    at.wait()
    assert at.view.place == "drives"
    assert (
        services.installed == [MISSING] and done == ["drives"] and at.said == "mkfs.exfat is installed now."
    )


def test_no_installs_no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    at, services, done = installing(monkeypatch)
    at.desk.go(Install(at.desk, MISSING))
    at.wait()
    at.key("enter")
    assert not services.installed and not done and at.view.place == "drives"


def test_blocker_of_an_installation_is_reported_and_can_be_retried(monkeypatch: pytest.MonkeyPatch) -> None:
    at, services, done = installing(monkeypatch)
    services.refuses_offer = True
    at.desk.go(Install(at.desk, MISSING))
    at.wait()
    assert "apt is not here" in at.text and at.view.action("install") is None
    services.refuses_offer, services.fault = False, Failed("apt could not install exfatprogs.")
    at.key("r")
    at.key("y")
    assert "apt could not install exfatprogs." in at.texts() and not done
    services.fault = None
    at.key("y")
    assert services.installed == [MISSING] and done == ["drives"]


def test_root_is_asked_first(monkeypatch: pytest.MonkeyPatch) -> None:
    at, services, done = installing(monkeypatch)
    at.desk.go(Install(at.desk, MISSING))
    at.wait()
    services.rootless, services.fault = True, Refused("Root was not given. Nothing was written.")
    at.key("y")
    assert at.said == "Root was not given. Nothing was written." and not services.installed
    services.fault = None
    at.key("y")
    assert services.installed == [MISSING] and done == ["drives"]


def test_question_about_a_removed_drive_closes_with_its_screen() -> None:
    at, services = person()
    at.desk.session = session_on(drive())
    at.desk.go(Below(at.desk))
    for title in ("First", "Second"):
        at.desk.go(question(at.desk, title, "", "yes", lambda: None))
    services.pulled.set()
    for _ in range(200):
        if at.view.place == "drives":
            break
        threading.Event().wait(0.02)
    at.wait()
    assert at.view.place == "drives" and "was disconnected" in at.said
