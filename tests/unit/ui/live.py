"""A simulated live machine: gives root, starts runs and has a journal, but writes nothing."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.unit.machines import drive, machine
from tests.unit.ui.person import Person
from tests.unit.ui.simulated import Simulated
from wizard.apply.local_runs import OpenRun
from wizard.apply.run.job import NextCommands
from wizard.apply.run.journal import RunState
from wizard.host.services import Services
from wizard.model.errors import Refused
from wizard.model.machine import Drive, Machine
from wizard.model.run import Event, JournalEntry
from wizard.plan.changes import Changes, Migration, RunDocument
from wizard.plan.plan import Plan
from wizard.plan.text import UndoSpace
from wizard.ui.screens.actions import Actions, MenuEntry
from wizard.ui.screens.drives import DrivesScreen
from wizard.ui.session import Session
from wizard.ui.wizard import Wizard

RUN = Path("/nowhere/20261121-000000-sda")
MEDIA = "large-media"


@dataclass
class Seen:
    """The requests made."""

    roots: int = 0
    started: list[str] = field(default_factory=list)
    secrets: list[bytes | None] = field(default_factory=list)
    stopped: int = 0
    resumed: int = 0
    settled: list[tuple[str, bytes | None]] = field(default_factory=list)


class Live(Simulated):
    """Services of a simulated live machine. `unread` is the machine without root. `journal` is a run's
    journal and `ends` its final state. `open` are the open runs, and `opens` those after a start. `ways`
    are the commands of a run, if unusual for its state."""

    obstacle = ""
    apply_obstacle = ""

    def __init__(
        self, known: Machine | None = None, *, unread: Machine | None = None, gives_root: bool = True
    ) -> None:
        self.known = known or machine()
        super().__init__(unread or self.known, "a test", lambda: "11111111-2222-4333-8444-555555555555")
        self.seen, self.gives_root, self.rootless = Seen(), gives_root, unread is not None
        self.attached: Callable[[Drive], bool] = lambda _: True
        self.journal: list[JournalEntry] = []
        self.ends = RunState.DONE
        self.plan_begun: Plan | None = None
        self.fault: BaseException | None = None
        self.room: UndoSpace | None = None
        self.open: tuple[OpenRun, ...] = ()
        self.opens: tuple[OpenRun, ...] = ()
        self.ways: NextCommands | None = None

    @property
    def asks_for_root(self) -> bool:
        return self.rootless

    def obtain_root(self) -> None:
        self.seen.roots += 1
        if not self.gives_root:
            raise Refused("Root was not given. Nothing was written.")
        self.rootless, self.machine = False, self.known

    def next_commands(self, run: Path) -> NextCommands:
        return self.ways or super().next_commands(run)

    def is_attached(self, drive: Drive) -> bool:
        return self.attached(drive)

    def open_runs(self) -> tuple[OpenRun, ...]:
        return self.open

    def document(self, run: Path) -> Plan | Changes | Migration:
        assert self.plan_begun is not None
        return self.plan_begun

    def rehearses(self, plan: Plan) -> bool:
        return self.room is not None

    def undo_space(self, plan: Plan) -> UndoSpace:
        return self.room or super().undo_space(plan)

    def start(self, document: RunDocument, tokens: Sequence[str], secret: bytes | None = None) -> Path:
        assert isinstance(document, Plan)
        assert not self.asks_for_root
        self.seen.started.extend(tokens)
        self.seen.secrets.append(secret)
        if self.fault:
            raise self.fault
        self.plan_begun = document
        self.open = self.opens or self.open
        return RUN

    def follow(self, run: Path) -> Iterator[JournalEntry]:
        yield from self.journal

    def state(self, run: Path) -> RunState:
        return self.ends

    def keep(self, run: Path, secret: bytes | None = None) -> str:
        if self.fault:
            raise self.fault
        self.seen.settled.append(("keep", secret))
        self.ends = RunState.KEPT
        return "It is mounted."

    def undo(self, run: Path) -> None:
        if self.fault:
            raise self.fault
        self.seen.settled.append(("undo", None))
        self.ends = RunState.UNDONE

    def wants_secret(self, run: Path) -> bool:
        return bool(self.plan_begun and self.plan_begun.containers)

    def resume(self, run: Path, secret: bytes | None = None) -> None:
        self.seen.resumed += 1
        self.seen.secrets.append(secret)
        self.ends = RunState.DONE

    def request_stop(self, run: Path) -> None:
        self.seen.stopped += 1


def menu(services: Services, device: str, *drives: Drive) -> Sequence[MenuEntry]:
    """Return the menu of a device of the first drive."""
    desk, around = Wizard(services), machine(*drives)
    desk.session = Session(services, around, drives[0], services.diagnose(around, drives[0]))
    desk.go(DrivesScreen(desk))
    return Actions(desk, device).entries()


def entry(event: Event, sentence: str, step: int = 0, output: str = "") -> JournalEntry:
    """Return one journal entry."""
    return JournalEntry("2026-11-21T00:00:00+00:00", event, step, sentence, (), output)


def at_review(services: Live, purpose: str = MEDIA) -> Person:
    """Return a person at the review of the first drive for a workload."""
    person = Person(services)
    path = services.drive_paths()[0]
    person.desk.moved(path)
    person.act("set-up", path)
    person.act("plan", purpose)
    person.key("enter")
    assert person.view.place == "review", (person.view.place, person.said)
    return person


def begun(services: Live, token: str = "S1") -> Person:
    """Return a person at the work or result screen."""
    person = at_review(services)
    person.act("apply", token0=token)
    return person


def closed() -> Machine:
    """Return a machine with facts of a drive from sysfs only, as for an ordinary user."""
    return machine(drive(table=None, content_digest=None, free=()), root=False)
