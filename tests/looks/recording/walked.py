"""A walk through the wizard as frames: the run in tests/looks/recorded_walk, from an empty drive to ready."""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count, cycle, pairwise
from pathlib import Path
from time import monotonic, sleep

from textual.strip import Strip

from tests.machines import installed
from tests.unit.ui.simulated import Simulated
from wizard.apply.engine.record import Phase, power_sentence
from wizard.apply.run.journal import RunState, read_entries
from wizard.apply.run.runs import runs_folder
from wizard.host.services import Services
from wizard.model.layout import Writer
from wizard.model.machine import Drive, Machine
from wizard.model.run import Event, JournalEntry
from wizard.plan.changes import RunDocument
from wizard.plan.documents import PLANS
from wizard.plan.plan import Plan
from wizard.plan.request.plan_request import Request
from wizard.plan.request.using import Usual
from wizard.ui.wizard import Wizard
from wizard.window.keyboard import Keyboard
from wizard.window.look import look_of
from wizard.window.page import page
from wizard.window.terminal import Colours, Glyphs, Terminal

FOLDER = Path(__file__).parents[1] / "recorded_walk"
ANEW = "sudo python -m tests.looks.recording.record_walk"
SIZE = (100, 28)
ANNA = Writer("person", "anna", 1000, 1000)
READ, PRESSED, TYPED, RESULT = 2.2, 0.7, 0.25, 7.0
"""Seconds that a screen stands, that a key is shown before it acts, between typed letters, and of the end."""

QUICKEST, SLOWEST = 0.4, 1.2
"""Seconds of a frame of the work, which else lasts as long as it did."""
TOLD = (Event.STARTED, Event.STEP_STARTED, Event.STEP_DONE, Event.SAVED)
"""What of the work has a frame."""
PATIENCE_SECONDS = 60.0


class Strayed(Exception):
    """The current wizard differs from the recording. The message says where."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} `{ANEW}` records the walk anew.")


@dataclass(frozen=True, slots=True)
class Frame:
    """Screen content for some seconds. `key`: the key pressed next."""

    lines: tuple[Strip, ...]
    seconds: float
    key: str = ""


class Walked(Simulated):
    """Replay of the recording. Each `step_on` adds a journal entry."""

    def __init__(self, folder: Path = FOLDER) -> None:
        super().__init__(installed(folder / "machine.json"), str(folder))
        self.plan_file = folder / "plan.json"
        self.entries = read_entries(folder)
        self._told = 0
        self._goes_on, self._waits = threading.Semaphore(0), threading.Semaphore(0)
        self._falling = count(0, -1)

    @property
    def recorded_plan(self) -> Plan:
        """Return the applied plan."""
        return PLANS.read_kept(self.plan_file.read_text(encoding="utf-8"), "plan.json")

    def usual(self) -> Usual:
        return Usual(ANNA)

    def plan(self, machine: Machine, drives: Sequence[Drive], request: Request) -> Plan:
        """Return the plan with the recorded UUIDs."""
        if self.plan_file.exists():
            self.draw_uuid = cycle([volume.uuid for volume in self.recorded_plan.volumes]).__next__
        return super().plan(machine, drives, request)

    def start(self, document: RunDocument, tokens: Sequence[str], secret: bytes | None = None) -> Path:
        """Start the recorded run; only the recorded plan was ever applied."""
        if document != self.recorded_plan:
            raise Strayed("The plan that the wizard makes is not what was recorded.")
        return runs_folder() / f"0001-{Path(self.recorded_plan.drive.path).name}"

    def follow(self, run: Path) -> Iterator[JournalEntry]:
        for number, entry in enumerate(self.entries):
            if number >= self._told:
                self._waits.release()
                self._goes_on.acquire(timeout=PATIENCE_SECONDS)
                self._told = number + 1
            yield entry

    def step_on(self) -> None:
        """Release one more journal entry, and wait until it was read."""
        self._waits.acquire(timeout=PATIENCE_SECONDS)
        self._goes_on.release()
        if self._told + 1 < len(self.entries):
            self._waits.acquire(timeout=PATIENCE_SECONDS)
            self._waits.release()

    def traffic(self, paths: Sequence[str]) -> int:
        """Return 0: not recorded."""
        return next(self._falling)

    def state(self, run: Path) -> RunState:
        return RunState.DONE if self._told == len(self.entries) else RunState.RUNNING

    def phase(self, run: Path) -> Phase:
        """Return the phase according to the entries so far."""
        told = self.entries[: self._told]
        if any(entry.event is Event.SAVED for entry in told):
            return Phase.KEPT if self.state(run) is RunState.DONE else Phase.RELEASED
        return Phase.REHEARSING

    def power(self, run: Path) -> str:
        return power_sentence(self.phase(run), self.recorded_plan.drive.path)


class Walker:
    """Presses keys like a user, and records the screen."""

    def __init__(self, services: Services) -> None:
        self.desk = Wizard(services)
        self.desk.begin()
        self.keyboard = Keyboard(self.desk)
        self.look = look_of(Terminal(Glyphs.ALL, Colours.ANY))
        self.frames: list[Frame] = []

    def come(self, place: str) -> None:
        """Wait until this screen is there and unchanged. Raises Strayed if it never is."""
        end = monotonic() + PATIENCE_SECONDS
        while self.desk.view.place != place or (self.desk.view.busy and place != "work"):
            if monotonic() > end:
                raise Strayed(f"The walk did not come to {place}, but to {self.desk.view.place}.")
            sleep(0.01)

    def note(self, seconds: float, key: str = "") -> None:
        """Add a frame, or extend the last one if nothing changed."""
        self.keyboard.renew(asked=False)
        sheet = page(self.keyboard.view, self.keyboard.state, self.look, SIZE, self.keyboard.below)
        self.keyboard.drawn(sheet)
        last = self.frames[-1] if self.frames else None
        if last is not None and (last.lines, last.key) == (sheet.lines, key):
            self.frames[-1] = Frame(last.lines, last.seconds + seconds, key)
        else:
            self.frames.append(Frame(sheet.lines, seconds, key))

    def enter(self) -> None:
        """Record the screen, then press Enter."""
        self.note(READ)
        self.note(PRESSED, "Enter")
        self.keyboard.press("enter", None)

    def type(self, text: str) -> None:
        """Type letter by letter."""
        for number, letter in enumerate(text, 1):
            self.keyboard.press(letter, letter)
            self.note(TYPED, text[:number])


def walked() -> tuple[Frame, ...]:
    """Return the frames, always the same. Raises Strayed if the current wizard differs."""
    services = Walked()
    walker = Walker(services)
    try:
        for place in ("drives", "purpose", "plan"):
            walker.come(place)
            walker.enter()
        walker.come("review")
        walker.note(READ)
        walker.type(services.recorded_plan.drive.token)
        walker.enter()
        walker.come("work")
        for now, then in pairwise(services.entries):
            services.step_on()
            if now.event in TOLD:
                walker.note(min(SLOWEST, max(QUICKEST, _seconds(now, then))))
        services.step_on()
        walker.come("result")
        walker.note(RESULT)
    finally:
        walker.desk.end()
    return tuple(walker.frames)


def _seconds(now: JournalEntry, then: JournalEntry) -> float:
    return (datetime.fromisoformat(then.at) - datetime.fromisoformat(now.at)).total_seconds()
