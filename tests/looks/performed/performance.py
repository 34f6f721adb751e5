"""The wizard on the machine, measurement and run recorded in tests/looks/recorded, from emulated drives."""

import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle
from pathlib import Path
from re import search

from tests.looks.rehearsal import (
    Hand,
    Take,
    app_of,
    come,
    fill,
    flat,
    highlight,
    press,
    press_until,
    ready,
    to_field,
    until,
)
from tests.machines import installed
from tests.unit.ui.simulated import Simulated
from tests.verdicts import read_verdict
from wizard.apply.engine.record import Phase, power_sentence
from wizard.apply.run.journal import ENDS, RunState, read_entries
from wizard.apply.run.runs import runs_folder
from wizard.benchmark.access import MeasureProgress
from wizard.model.machine import Drive, Machine
from wizard.model.run import Event, JournalEntry
from wizard.model.verdict import Verdict
from wizard.operations.filesystem import MakeFilesystem
from wizard.plan.changes import RunDocument
from wizard.plan.documents import PLANS
from wizard.plan.plan import Plan
from wizard.plan.request.plan_request import Request
from wizard.plan.text import UndoSpace

RECORDED = Path(__file__).parents[1] / "recorded"
ANEW = "sudo python -m tests.lab --record"


class OutOfDate(Exception):
    """The current program differs from the recording. The message names the difference and how to record
    again."""

    def __init__(self, what: str, anew: str = ANEW) -> None:
        needs = " (it needs QEMU, and some minutes)" if anew == ANEW else ""
        super().__init__(f"{what} `{anew}` makes the recording in tests/looks/recorded anew{needs}.")


class Performance(Simulated):
    """Replay of the recording. The run pauses after its first mkfs until `applied` is set."""

    def __init__(self, folder: Path = RECORDED) -> None:
        super().__init__(installed(folder / "machine.json"), str(folder))
        self.recorded_plan = recorded_plan(folder / "plan.json")
        self.verdicts = {access: _verdict(folder / f"verdict-{access}.json") for access in ("read", "write")}
        self.entries = read_entries(folder)
        self.applied = threading.Event()
        self.kept = False
        self._run = _run_name((folder / "apply.txt").read_text())

    @property
    def drive(self) -> Drive:
        """The drive that was set up."""
        path = self.recorded_plan.drive.path
        return next(drive for drive in self.machine.drives if drive.path == path)

    def plan(self, machine: Machine, drives: Sequence[Drive], request: Request) -> Plan:
        """Return the plan with the recorded UUIDs."""
        self.draw_uuid = cycle([volume.uuid for volume in self.recorded_plan.volumes]).__next__
        return super().plan(machine, drives, request)

    def undo_space(self, plan: Plan) -> UndoSpace:
        """Not recorded."""
        return UndoSpace()

    def measurement(
        self,
        drive: Drive,
        *,
        write: bool,
        assume_physical_bytes: int | None = None,
        on_progress: Callable[[MeasureProgress], None],
        stop: Callable[[], bool],
    ) -> Verdict:
        """Return the recorded result."""
        return self.verdicts["write" if write else "read"]

    def start(self, document: RunDocument, tokens: Sequence[str], secret: bytes | None = None) -> Path:
        """Start the recorded run; only the recorded plan was ever applied."""
        self.check(document if isinstance(document, Plan) else None)
        return runs_folder() / self._run

    def check(self, plan: Plan | None) -> None:
        """Raises OutOfDate unless this is the recorded plan."""
        if plan is None or _essence(plan) != _essence(self.recorded_plan):
            raise OutOfDate(
                f"{_difference(plan, self.recorded_plan)} of the plan that the wizard makes is not what was "
                "recorded."
            )

    def follow(self, run: Path) -> Iterator[JournalEntry]:
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
        return Phase.KEPT if self.kept else Phase.HIDDEN

    def power(self, run: Path) -> str:
        return power_sentence(self.phase(run), self.drive.path)

    def keep(self, run: Path, secret: bytes | None = None) -> str:
        """Continue with the journal entries of keeping."""
        self.kept = True
        return self.entries[-1].sentence


def recorded_plan(path: Path) -> Plan:
    """Return the applied plan. Texts of the current program may differ."""
    return PLANS.read_kept(path.read_text(), path.name)


def _essence(plan: Plan) -> tuple[object, ...]:
    """Return the content of a plan without its texts."""
    steps = tuple((step.operation, step.commands) for step in plan.steps)
    return (plan.drive, plan.before, plan.after, plan.volumes, steps)


def _verdict(path: Path) -> Verdict:
    return read_verdict(path.read_text(), path.name, Verdict)


def _run_name(said: str) -> str:
    found = search(r"\b[Rr]un (\S+)[.:]$", said.partition("\nApplying")[0])
    if found is None:
        raise OutOfDate("What `apply` said does not name its run.")
    return found[1]


def _difference(plan: Plan | None, recorded: Plan) -> str:
    """Return the first difference between two plans."""
    for part in ("drive", "before", "after", "volumes"):
        if getattr(plan, part, None) != getattr(recorded, part):
            return f"The part `{part}`"
    return "A step"


async def perform(pilot: Hand, take: Take, services: Performance) -> None:
    """Repeat the recorded commands with keys, and take a picture of every screen."""
    await _choose(pilot, take, services.drive.path)
    await _plan(pilot, take)
    services.check(app_of(pilot).desk.session.plan)
    await take("plan")
    await press(pilot, "enter")
    await come(pilot, "review")
    await take("review")
    await _work(pilot, take, services)
    await _trial(pilot, take, services.drive.path)


async def _choose(pilot: Hand, take: Take, path: str) -> None:
    await ready(pilot)
    await highlight(pilot, path)
    await take("drives")
    await press(pilot, "enter")
    await come(pilot, "actions")
    await take("actions")
    await press(pilot, "escape")
    await ready(pilot)
    for key, name in (("?", "help"), ("f2", "glossary"), ("w", "reasons"), ("i", "health")):
        await press(pilot, key)
        await come(pilot, name)
        await take(name)
        await press(pilot, "escape")
        await ready(pilot)
    await press(pilot, "s")
    await come(pilot, "purpose")
    await highlight(pilot, "large-media")
    await take("purpose")
    await press(pilot, "enter")
    await come(pilot, "plan")


async def _plan(pilot: Hand, take: Take) -> None:
    """Replace everything by two volumes."""
    plan = app_of(pilot).desk.session.plan
    if plan is None or any(slot.kept for slot in plan.after.slots):
        await press(pilot, "x")
    await press(pilot, "f")
    await come(pilot, "filesystem")
    await take("filesystem")
    await press(pilot, "escape")
    await come(pilot, "plan")
    await press(pilot, "o")
    await come(pilot, "options")
    await take("options")
    await press(pilot, "escape")
    await come(pilot, "plan")
    await press(pilot, "e")
    await come(pilot, "volume")
    await fill(pilot, size="600G", label="films", mount="/srv/films")
    await take("volume")
    await _accept(pilot)
    await press(pilot, "+")
    await come(pilot, "volume")
    await to_field(pilot, "purpose")
    await press_until(pilot, "right", "Many small files")
    await fill(pilot, label="mail", mount="/srv/mail")
    await _accept(pilot)


async def _accept(pilot: Hand) -> None:
    """Press Enter, which accepts the form from any field."""
    await press(pilot, "enter")
    await come(pilot, "plan")


async def _work(pilot: Hand, take: Take, services: Performance) -> None:
    await press(pilot, f"={services.drive.token}", "enter")
    await come(pilot, "work")
    await until(lambda: "Create the" in flat(pilot), pilot)
    await until(lambda: "%" in flat(pilot) or "percent" in flat(pilot), pilot)
    await take("work")
    services.applied.set()
    await come(pilot, "result")
    await take("waiting")
    await press(pilot, "U")
    await come(pilot, "question")
    await take("undo")
    await press(pilot, "escape")
    await come(pilot, "result")
    await press(pilot, "K")
    await come(pilot, "question")
    await press(pilot, "y")
    await until(lambda: services.kept and app_of(pilot).keyboard.view.place == "result", pilot)
    await take("result")
    await press(pilot, "enter")


async def _trial(pilot: Hand, take: Take, path: str) -> None:
    await ready(pilot)
    await highlight(pilot, path)
    await press(pilot, "t")
    await come(pilot, "trial")
    await press(pilot, "enter")
    await until(lambda: not app_of(pilot).keyboard.view.busy, pilot)
    await take("trial")
