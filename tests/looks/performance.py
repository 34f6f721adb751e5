"""The wizard on the machine, the measurement and the run in tests/looks/recorded: what it shows has happened,
on emulated drives."""

import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle
from pathlib import Path
from re import search

from textual.pilot import Pilot

from tests.looks.pictures import Take, open_options, take_danger
from tests.looks.rehearsal import press, press_until, ready, shown, step, to_field, until
from wizard.apply.engine.record import Phase, power_sentence
from wizard.apply.run.journal import ENDS, RunState, read_entries
from wizard.apply.run.runs import runs_folder
from wizard.layout.document import read_plan
from wizard.layout.planner import Mode
from wizard.layout.told.promise import WayBackRoom
from wizard.layout.wishes.wish import Arrangement, Wish
from wizard.model.journal import Entry, Event
from wizard.model.machine import Drive, Machine
from wizard.model.make_filesystem import MakeFilesystem
from wizard.model.plan import Plan
from wizard.model.verdict import Verdict
from wizard.probe.recorded import load_machine
from wizard.services.recorded import RecordedServices
from wizard.services.session import Session
from wizard.trial.document import read_verdict
from wizard.trial.measure import Progress
from wizard.tui.step import StepScreen

RECORDED = Path(__file__).parent / "recorded"
ANEW = "sudo python -m tests.lab --record"


class OutOfDate(Exception):
    """Today's program does not do what was recorded; the sentence says what differs, and how to record it
    anew."""

    def __init__(self, what: str, anew: str = ANEW) -> None:
        needs = " (it needs QEMU, and some minutes)" if anew == ANEW else ""
        super().__init__(f"{what} `{anew}` makes the recording in tests/looks/recorded anew{needs}.")


class Performance(RecordedServices):
    """What was recorded, said again. The run goes on behind its first mkfs only when `applied` is set."""

    def __init__(self, folder: Path = RECORDED) -> None:
        super().__init__(load_machine(folder / "machine.json"), str(folder))
        self.recorded_plan = read_plan((folder / "plan.json").read_text(), "plan.json")
        self.verdicts = {access: _verdict(folder / f"verdict-{access}.json") for access in ("read", "write")}
        self.entries = read_entries(folder)
        self.applied = threading.Event()
        self.kept = False
        self._run = _run_name((folder / "apply.txt").read_text())

    @property
    def drive(self) -> Drive:
        """The one that was set up."""
        path = self.recorded_plan.drive.path
        return next(drive for drive in self.machine.drives if drive.path == path)

    @property
    def obstacle(self) -> str:
        return ""

    def plan(
        self,
        machine: Machine,
        drive: Drive,
        wishes: tuple[Wish, ...],
        mode: Mode | None,
        arrangement: Arrangement | None = None,
    ) -> Plan:
        """With the UUIDs that were drawn when it was recorded."""
        self._draw_uuid = cycle([volume.uuid for volume in self.recorded_plan.volumes]).__next__
        return super().plan(machine, drive, wishes, mode, arrangement)

    def way_back_room(self, plan: Plan) -> WayBackRoom:
        """That was not recorded."""
        return WayBackRoom()

    def measure(
        self,
        drive: Drive,
        *,
        write: bool,
        physical_bytes: int | None,
        on_progress: Callable[[Progress], None],
        stop: Callable[[], bool],
    ) -> Verdict:
        """The result at once: how it came about was not recorded."""
        return self.verdicts["write" if write else "read"]

    def start(self, plan: Plan, tokens: Sequence[str], secret: bytes | None = None) -> Path:
        """No plan but the recorded one was ever carried out."""
        self.check(plan)
        return runs_folder() / self._run

    def check(self, plan: Plan | None) -> None:
        """Raises OutOfDate unless this is the plan that was carried out."""
        if plan != self.recorded_plan:
            raise OutOfDate(
                f"{_difference(plan, self.recorded_plan)} of the plan that the wizard makes is not what was "
                "recorded."
            )

    def follow(self, run: Path, meanwhile: Callable[[], None] | None = None) -> Iterator[Entry]:
        made = (
            number
            for number, step in enumerate(self.recorded_plan.steps, 1)
            if isinstance(step.operation, MakeFilesystem)
        )
        first = next(made)
        for entry in self.entries:
            yield entry
            if (entry.event, entry.step) == (Event.STEP_STARTED, first):
                self.applied.wait(60)
            if entry.event is Event.WAITING and not self.kept:
                return

    def state(self, run: Path) -> RunState:
        return ENDS[self.entries[-1].event] if self.kept else RunState.WAITING

    def phase(self, run: Path) -> Phase:
        if not self.applied.is_set():
            return Phase.REHEARSING
        return Phase.KEPT if self.kept else Phase.BARRED

    def power(self, run: Path) -> str:
        return power_sentence(self.phase(run), self.drive.path)

    def keep(self, run: Path, secret: bytes | None = None) -> str:
        """What was said when it was kept follows in the journal."""
        self.kept = True
        return self.entries[-1].sentence


def _verdict(path: Path) -> Verdict:
    return read_verdict(path.read_text(), path.name)


def _run_name(said: str) -> str:
    found = search(r"This is run (\S+)\.$", said.partition("\nApplying")[0])
    if found is None:
        raise OutOfDate("What `apply` said does not name its run.")
    return found[1]


def _difference(plan: Plan | None, recorded: Plan) -> str:
    """Which part of two unequal plans differs first."""
    for part in ("drive", "before", "after", "volumes", "doubts"):
        if getattr(plan, part, None) != getattr(recorded, part):
            return f"The part `{part}`"
    return "A step"


async def perform(pilot: Pilot[Session], take: Take, services: Performance) -> None:
    """Do with keys what was done with commands when it was recorded, and take a picture of every step."""
    await _choose(pilot, take, services.drive.path)
    await _lay_out(pilot, take)
    await step(pilot, 5)
    screen = pilot.app.screen
    assert isinstance(screen, StepScreen)
    services.check(screen.session.plan)
    await take("preview")
    await press(pilot, "enter")
    await _measure(pilot, take, services)
    await _apply(pilot, take, services)


async def _choose(pilot: Pilot[Session], take: Take, path: str) -> None:
    await ready(pilot)
    await press_until(pilot, "down", f"> {path} ")
    await take("drives")
    await press(pilot, "f1")
    await take("help")
    await press(pilot, "escape", "g")
    await take("glossary")
    await press(pilot, "escape", "e")
    await take("reasons")
    await press(pilot, "escape", "enter")
    await step(pilot, 2)
    await press_until(pilot, "down", "> Large media files")
    await take("purpose")
    await press(pilot, "enter")
    await step(pilot, 3)
    await take("advice")
    await press(pilot, "e")
    await take("evidence")
    await press(pilot, "escape")
    await step(pilot, 3)
    await open_options(pilot)
    await take("options")
    await press(pilot, "escape")
    await step(pilot, 3)
    await take_danger(pilot, take, "danger")
    await press(pilot, "enter")


async def _lay_out(pilot: Pilot[Session], take: Take) -> None:
    await step(pilot, 4)
    await press(pilot, "shift+tab", "up", "tab", "e")
    await until(lambda: "This volume" in shown(pilot), pilot)
    await _fill(pilot, size="600G", label="films", mount="/srv/films")
    await take("volume")
    await press(pilot, "enter")
    await until(lambda: "This volume" not in shown(pilot), pilot)
    await press(pilot, "a")
    await until(lambda: "A new volume" in shown(pilot), pilot)
    await to_field(pilot, "purpose")
    await press_until(pilot, "right", "Many small files")
    await _fill(pilot, label="mail", mount="/srv/mail")
    await press(pilot, "enter")
    await step(pilot, 4)
    await until(lambda: "rest:" in shown(pilot), pilot)
    await take("layout")
    await press(pilot, "enter")


async def _fill(pilot: Pilot[Session], **fields: str) -> None:
    """Fields of a form by their names."""
    for name, text in fields.items():
        await to_field(pilot, name)
        await press(pilot, "end", "ctrl+u", f"={text}")


async def _measure(pilot: Pilot[Session], take: Take, services: Performance) -> None:
    await step(pilot, 6)
    await press(pilot, "w")
    await until(lambda: "Measure by writing?" in shown(pilot), pilot)
    await press(pilot, f"={services.drive.token}", "enter")
    await until(lambda: "How many pairs" in shown(pilot), pilot)
    await take("benchmark")
    await press(pilot, "enter")


async def _apply(pilot: Pilot[Session], take: Take, services: Performance) -> None:
    await step(pilot, 7)
    await take("confirm")
    await press(pilot, "tab", f"={services.drive.token}", "enter", "enter")
    await step(pilot, 8)
    await until(lambda: search(r"working +\d+\. Make the", shown(pilot)) is not None, pilot)
    await take("applying")
    services.applied.set()
    await until(lambda: "Enter: keep it or take it back" in shown(pilot), pilot)
    await press(pilot, "enter")
    await step(pilot, 9)
    await take("waiting")
    await press(pilot, "k", "y")
    await until(lambda: "Kept." in shown(pilot), pilot)
    await take("done")
