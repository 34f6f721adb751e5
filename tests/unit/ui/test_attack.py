"""Attempts to make a user lose data through the wizard, or to show false facts."""

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.unit.machines import drive, machine
from tests.unit.plan.layouts import EVERYTHING, plan_for, spec
from tests.unit.ui.dialogs.test_trial import trial
from tests.unit.ui.live import MEDIA, RUN, Live, at_review, begun, entry
from tests.unit.ui.person import Person
from tests.unit.ui.screens.test_plan import crowded
from wizard.apply.local_runs import OpenRun
from wizard.apply.run.job import NextCommands
from wizard.apply.run.journal import RunState
from wizard.model.layout import Stripe
from wizard.model.run import Event, JournalEntry
from wizard.plan.changes import Changes, Migration, RunDocument
from wizard.plan.plan import Plan
from wizard.plan.planner import make_plan
from wizard.plan.request.plan_request import Arrangement, Mode, NewVolumes
from wizard.plan.text import UndoSpace
from wizard.ui.draft import for_purpose
from wizard.ui.screens.drives import DrivesScreen
from wizard.ui.screens.work import WorkScreen
from wizard.ui.view import Tone


class StillWrites(Live):
    """Services whose run would overwrite the drive on resume."""

    def writes_over(self, run: Path) -> bool:
        return True


@pytest.mark.parametrize("typed", ["", "y", "S", "s1"])
def test_resuming_an_overwriting_run_needs_its_token(typed: str) -> None:
    services = StillWrites()
    services.ends = RunState.INTERRUPTED
    services.journal = [entry(Event.STEP_STARTED, "Write.", 1)]
    person = begun(services)
    person.act("resume")
    assert (
        services.seen.resumed < 1
        and person.view.place == "typing"
        and "overwrites the content" in person.text
    )
    person.act("take", token0=typed)
    assert services.seen.resumed < 1 and "S1" in person.said
    person.act("take", token0="S1")
    assert services.seen.resumed == 1


class Beginning(Live):
    """Services whose run starts after `go`."""

    def __init__(self) -> None:
        super().__init__()
        self.go, self.reached = threading.Event(), threading.Event()

    def start(self, document: RunDocument, tokens: Sequence[str], secret: bytes | None = None) -> Path:
        self.reached.set()
        assert self.go.wait(30)
        return super().start(document, tokens, secret)


@pytest.mark.parametrize("over", ["help", "glossary"])
def test_no_quit_or_navigation_while_a_run_starts(over: str) -> None:
    services = Beginning()
    person = at_review(services)
    person.desk.act("apply", "", {"token0": "S1"})
    assert services.reached.wait(30)
    person.desk.act(over)
    person.desk.act("quit")
    assert person.view.place == over and not person.desk.over
    services.attached = lambda _: False
    person.desk._leave_unplugged()
    services.go.set()
    person.wait()
    assert person.desk.run == RUN and services.seen.started == ["S1"]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_crash_while_a_run_starts_blocks_no_key() -> None:
    services = Live()
    services.fault = ValueError("a mistake of ours")
    person = begun(services)
    assert "a mistake of ours" in person.said and person.view.said is not None
    assert person.view.said.tone is Tone.DANGER and not person.view.busy
    person.act("back")
    assert person.view.place == "plan"


FIRST, SECOND = Path("/nowhere/0001-sda"), Path("/nowhere/0002-sdb")


class Several(Live):
    """Two drives, each with a waiting run. `shown` are the runs whose document was requested."""

    def __init__(self) -> None:
        super().__init__(machine(drive(), drive(path="/dev/sdb", serial="S2", wwn="naa.b", by_id=())))
        self.ends = RunState.WAITING
        self.plan_begun = plan_for(drive(), spec("ext4"))
        self.open = (
            OpenRun(SECOND, "waiting", ("/dev/sdb",), ("keep", "undo")),
            OpenRun(FIRST, "waiting", ("/dev/sda",), ("keep", "undo")),
        )
        self.shown = list[Path]()

    def document(self, run: Path) -> Plan | Changes | Migration:
        self.shown.append(run)
        return super().document(run)


@pytest.mark.parametrize("key", ["K", "U"])
def test_run_under_the_cursor_is_kept_or_undone(key: str) -> None:
    for row, meant in (("/dev/sda", FIRST), ("/dev/sdb", SECOND), (f"run:{FIRST}", FIRST)):
        services = Several()
        person = Person(services)
        person.key(key, row)
        assert services.shown == [meant] and person.view.place == "question", (row, services.shown)


@pytest.mark.parametrize("key", ["K", "U"])
def test_no_other_run_is_used_if_the_selected_one_is_gone(key: str) -> None:
    services = Several()
    person = Person(services)
    name = {"K": "keep", "U": "undo"}[key]
    person.desk.act(name, "run:/nowhere/0009-sdc")
    person.wait()
    assert not services.shown and person.view.place == "drives"


def test_no_run_is_guessed_among_several_on_other_drives() -> None:
    services = Several()
    known = services.known.drives
    services.known = services.machine = machine(*known, drive(path="/dev/sdc", serial="S3", by_id=()))
    person = Person(services)
    person.key("K", "/dev/sdc")
    assert not services.shown and "Several results are waiting" in person.said


class KeptInVain(Live):
    """Services with a complete run after a failed keep."""

    def next_commands(self, run: Path) -> NextCommands:
        return NextCommands(("keep", "undo"))


@pytest.mark.parametrize("encrypted", [False, True])
def test_failed_keep_can_be_repeated(encrypted: bool) -> None:
    services = KeptInVain()
    services.ends = RunState.FAILED
    services.plan_begun = plan_for(drive(), replace(spec("ext4"), encrypted=encrypted))
    services.open = (OpenRun(RUN, "failed", ("/dev/sda",), ("keep", "undo")),)
    person = Person(services)
    person.key("K")
    assert person.view.place == "question" and "Undo is then no longer possible." in person.text
    person.key("y")
    if encrypted:
        person.act("take", secret="four words, or more")
    secret = b"four words, or more" if encrypted else None
    assert services.seen.settled == [("keep", secret)]


OVER = "The drive was changed since. `diskwright undo --over-changes` reverts it all the same."


@pytest.mark.parametrize("names", [(), ("keep",), ("undo",)])
def test_waiting_run_offers_only_possible_actions(names: tuple[str, ...]) -> None:
    services = Live()
    services.ends = RunState.WAITING
    services.plan_begun = plan_for(drive(), spec("ext4"))
    services.ways = NextCommands(names, "" if names else OVER)
    services.open = (OpenRun(RUN, "waiting", ("/dev/sda",), names, "" if names else OVER),)
    person = Person(services)
    shown = {action.name for action in person.view.actions}
    assert shown & {"keep", "undo"} == set(names)
    assert ("cannot continue" in person.text) is (not names)
    person.act("show-run", f"run:{RUN}")
    person.wait()
    assert person.view.place == "result"
    shown = {action.name for action in person.view.actions}
    assert shown & {"keep", "undo", "resume"} == set(names)
    assert ("--over-changes" in person.text) is (not names)
    assert ("Undo (U):" in person.text) is ("undo" in names)


def test_leaving_the_menu_does_not_choose_replacing() -> None:
    services = Live(machine(crowded()))
    person = Person(services)
    person.act("actions", "/dev/sda")
    person.act("do", "set-up")
    person.act("back")
    person.act("back")
    person.act("set-up", "/dev/sda")
    person.act("plan", MEDIA)
    assert person.desk.session.mode is not Mode.REPLACE and "films" not in person.text


def test_another_workload_drops_replacing_chosen_for_a_stripe() -> None:
    services = Live(machine(crowded()))
    person = Person(services)
    person.act("set-up", "/dev/sda")
    session = replace(person.desk.session, mode=Mode.REPLACE, arrangement=Arrangement(stripe=Stripe("md")))
    assert for_purpose(session, MEDIA).mode is Mode.USE_FREE


class Plain(Live):
    """Services without root, unlike another process."""

    needs_root = True


def test_plain_user_is_not_referred_to_the_first_screen_for_the_run() -> None:
    services = Plain()
    person = begun(services)
    work = person.desk.screen
    assert isinstance(work, WorkScreen)
    work.act_leave()
    assert "listed first on Drives" not in person.said and "sudo diskwright status" in person.said


def test_drive_attached_after_the_plan_affects_the_token() -> None:
    services = Live(machine(drive(serial="WD-11115678")))
    person = at_review(services)
    other = drive(path="/dev/sdb", serial="XX-22225678", wwn="naa.b", by_id=())
    services.known = services.machine = machine(*services.known.drives, other)
    (listed,) = [one for one in person.desk._screens if isinstance(one, DrivesScreen)]
    listed.drives_changed()
    person.wait()
    person.act("apply", token0="5678")
    assert not services.seen.started and "WD-11115678" in person.said
    # One that has not answered yet may end alike, too.
    person.desk.found["/dev/sdb"] = None
    person.act("apply", token0="5678")
    assert not services.seen.started
    person.act("apply", token0="WD-11115678")
    assert services.seen.started == ["WD-11115678"]


class Measured(Live):
    """Services that measure the space for undo after `go`."""

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()
        self.room = UndoSpace("Room for 1 MB.")

    def undo_space(self, plan: Plan) -> UndoSpace:
        assert self.go.wait(30)
        return super().undo_space(plan)


@pytest.mark.parametrize("over", ["quit", "commands", "help"])
def test_no_run_starts_from_a_hidden_screen(over: str) -> None:
    services = Measured()
    person = Person(services)
    person.act("set-up", "/dev/sda")
    person.act("plan", MEDIA)
    person.desk.act("review")
    person.desk.act("apply", "", {"token0": "S1"})
    person.desk.act(over)
    services.go.set()
    person.wait()
    assert not services.seen.started and person.view.place != "review"
    person.desk.act("back")
    assert person.view.place == "review"
    person.act("apply", token0="S1")
    assert services.seen.started == ["S1"]


def test_serial_shared_with_another_drive_proves_no_identity() -> None:
    twin = drive(path="/dev/sdb", serial="123456789ABC", wwn=None, by_id=())
    services = Live(machine(drive(serial="123456789ABC"), twin))
    person = at_review(services)
    assert "type sda" in person.text
    for typed in ("123456789ABC", "9ABC", "sdb"):
        person.act("apply", token0=typed)
        assert not services.seen.started and "Type sda" in person.said
    person.act("apply", token0="sda")
    # The engine knows it by what it says of itself.
    assert services.seen.started == ["123456789ABC"]


class TakenUp(Several):
    """Services with a waiting run that another process now keeps."""

    def __init__(self) -> None:
        super().__init__()
        self.ends, self.go = RunState.RUNNING, threading.Event()

    def follow(self, run: Path) -> Iterator[JournalEntry]:
        assert self.go.wait(30)
        yield entry(Event.KEPT, "Kept.")


def test_run_kept_by_another_wizard_is_shown_without_blocking() -> None:
    services = TakenUp()
    person = Person(services)
    presses = threading.Thread(target=person.desk.act, args=("keep", f"run:{FIRST}"), daemon=True)
    presses.start()
    presses.join(5)
    held_up = presses.is_alive()
    services.go.set()
    presses.join(30)
    assert not held_up and person.view.place != "question"
    person.wait()
    assert not services.seen.settled


@pytest.mark.parametrize("writes", [False, True])
def test_trial_by_writing_is_not_called_unwritten(writes: bool) -> None:
    person, _ = trial()
    planned = plan_for(drive(), spec("ext4"))
    person.desk.session = replace(person.desk.session, plan=planned)
    person.act("write" if writes else "measure")
    if writes:
        person.act("take", token0="S1")
    person.act("back")
    person.act("quit")
    assert person.view.place == "question"
    assert ("No drive was written" in person.text) is not writes
    assert ("Only the measurement has written" in person.text) is writes


@pytest.mark.parametrize(
    "typed", [("S1", ""), ("", "S2"), ("S1", "S1"), ("S2", "S1"), ("S1", "s2"), ("sda", "sdb")]
)
def test_resuming_on_two_drives_needs_the_token_of_each(typed: tuple[str, str]) -> None:
    other = drive(path="/dev/sdb", serial="S2", wwn=None, by_id=("/dev/disk/by-id/ata-Example_S2",))
    around = replace(machine(drive(), other), tools=EVERYTHING)
    services = StillWrites(around)
    services.ends = RunState.INTERRUPTED
    services.journal = [entry(Event.STEP_STARTED, "Write.", 1)]
    uuids = (f"a3b1c2d4-0000-4000-8000-{number:012d}" for number in range(20))
    asked = Stripe("btrfs")
    services.plan_begun = make_plan(
        around,
        around.drives,
        NewVolumes((spec("btrfs"),), None, Arrangement(stripe=asked)),
        lambda: next(uuids),
    )
    services.open = (OpenRun(RUN, "interrupted", services.plan_begun.devices, ("resume", "undo")),)
    person = Person(services)
    person.act("show-run")
    person.act("resume")
    assert person.view.place == "typing" and [one.key for one in person.view.fields] == ["token0", "token1"]
    person.act("take", token0=typed[0], token1=typed[1])
    assert services.seen.resumed < 1 and person.view.place == "typing"
    person.act("take", token0="S1", token1="S2")
    assert services.seen.resumed == 1
