"""The wizard rehearsed: the workshop machine, with a measurement and a run that are played, so that no step
needs a disk."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from random import Random

from textual.events import Key, Paste
from textual.pilot import Pilot

from tests.looks.workshop import workshop
from wizard.apply.engine.record import Phase, power_sentence
from wizard.apply.plan.steps_told import waiting_sentence
from wizard.apply.run.decision import Settling
from wizard.apply.run.journal import RunState
from wizard.layout.rehearsed import direct_reason
from wizard.layout.told.promise import WayBackRoom, shows_nothing
from wizard.model.errors import Refused
from wizard.model.journal import Entry, Event
from wizard.model.machine import Drive, Machine
from wizard.model.plan import Plan
from wizard.model.verdict import Outcome, Pair, Ratio, Verdict
from wizard.probe.interpret import machine_of
from wizard.services.contract import Services
from wizard.services.recorded import RecordedServices
from wizard.services.session import Session
from wizard.trial.measure import Progress
from wizard.tui.app import WizardApp
from wizard.tui.console.terminal import Colours, Glyphs, Terminal
from wizard.tui.widgets.rows import Rows

Job = Callable[[Pilot[Session]], Awaitable[None]]
MODERN = Terminal(Glyphs.ALL, Colours.ANY)
CONSOLE = Terminal(Glyphs.CONSOLE, Colours.EIGHT)
MOST_PRESSES = 60
RUN = Path("/var/lib/diskwright/runs/20260314-150926-sda")
AT = "2026-03-14T15:09:26.535+00:00"


def uuids() -> Callable[[], str]:
    """New ones at each call, the same in each rehearsal."""
    numbers = count(1)
    return lambda: f"5d1f0000-0000-4000-8000-{next(numbers):012d}"


class Rehearsal(RecordedServices):
    """Measuring, applying and trying a plan out wait where a test lets them: `measured`, `applied` and
    `tried_out` are set to let them go on. `room` is what trying it out finds."""

    def __init__(self, machine: Machine | None = None) -> None:
        super().__init__(machine or machine_of(workshop()), "a rehearsal", uuids())
        self.measured, self.applied = threading.Event(), threading.Event()
        self.fails_at: int | None = None
        self.refusal = ""
        self.stop_requested = False
        self.settled: Settling | None = None
        self.fault = ""
        self.started: list[tuple[Plan, tuple[str, ...]]] = []
        self.writes: list[bool] = []
        self.room = WayBackRoom()
        self.tried_out: threading.Event | None = None

    @property
    def obstacle(self) -> str:
        return ""

    def measure(
        self,
        drive: Drive,
        *,
        write: bool,
        physical_bytes: int | None,
        on_progress: Callable[[Progress], None],
        stop: Callable[[], bool],
    ) -> Verdict:
        self.writes.append(write)
        on_progress(Progress(pairs=240, planned_pairs=None, seconds_left=19.0, estimate=1.78))
        while not self.measured.wait(0.01):
            if stop():
                break
        return verdict(drive.path)

    def tries_out(self, plan: Plan) -> bool:
        return self.tried_out is not None

    def way_back_room(self, plan: Plan) -> WayBackRoom:
        if self.tried_out is not None:
            self.tried_out.wait(10)
        return self.room

    def start(self, plan: Plan, tokens: Sequence[str], secret: bytes | None = None) -> Path:
        if self.refusal:
            raise Refused(self.refusal)
        self.started.append((plan, tuple(tokens)))
        return RUN

    def follow(self, run: Path, meanwhile: Callable[[], None] | None = None) -> Iterator[Entry]:
        (plan, _) = self.started[-1]
        yield Entry(AT, Event.STARTED, 0, f"Applying {len(plan.steps)} steps to {plan.drive.path}.")
        for number, step in enumerate(plan.steps, 1):
            yield Entry(AT, Event.STEP_STARTED, number, step.sentence)
            if number == 2:
                self.applied.wait(10)
                if self.stop_requested:
                    yield Entry(AT, Event.STEP_DONE, number, step.sentence)
                    yield Entry(AT, Event.STOPPED, 0, "Stopped before the next step, as asked.")
                    return
            if number == self.fails_at:
                yield Entry(AT, Event.STEP_FAILED, number, "mkfs.xfs ended with status 1: the disk gave up.")
                yield Entry(AT, Event.FAILED, 0, f"Step {number} failed: the disk gave up.")
                return
            yield Entry(AT, Event.STEP_DONE, number, step.sentence)
        yield from self._ended(plan)

    def _ended(self, plan: Plan) -> Iterator[Entry]:
        """What is said behind the last step: a drive that held something waits, until it is settled."""
        path = plan.drive.path
        if self._waits:
            yield Entry(AT, Event.WAITING, 0, waiting_sentence(plan, RUN.name))
        if self.settled is Settling.UNDO:
            yield Entry(AT, Event.UNDONE, 0, f"{path}: what was there before is back, bit for bit.")
        if self._waits and self.settled is not Settling.KEEP:
            return
        for step in plan.steps:
            for what in step.holds:
                yield Entry(AT, Event.VERIFIED, 0, what)
        end = Event.KEPT if self._waits else Event.DONE
        yield Entry(AT, end, 0, f"{path} is set up exactly as planned; every check holds.")

    @property
    def _waits(self) -> bool:
        """Whether the drive held something, and the steps are rehearsed."""
        (plan, _) = self.started[-1]
        return not shows_nothing(plan) and not direct_reason(plan)

    def state(self, run: Path) -> RunState:
        if self.fails_at:
            return RunState.FAILED
        if self.stop_requested:
            return RunState.STOPPED
        ends = {Settling.KEEP: RunState.KEPT, Settling.UNDO: RunState.UNDONE}
        return (
            (RunState.WAITING if self.settled is None else ends[self.settled])
            if self._waits
            else RunState.DONE
        )

    def phase(self, run: Path) -> Phase | None:
        if direct_reason(self.started[-1][0]):
            return None
        early = self.fails_at or self.stop_requested
        ends = {
            Settling.KEEP: Phase.KEPT,
            Settling.UNDO: Phase.UNDONE,
            None: Phase.BARRED if self._waits else Phase.KEPT,
        }
        return Phase.REHEARSING if early else ends[self.settled]

    def power(self, run: Path) -> str:
        (plan, _) = self.started[-1]
        phase = self.phase(run) if self.applied.is_set() else Phase.REHEARSING
        return "" if direct_reason(plan) or phase is None else power_sentence(phase, plan.drive.path)

    def keep(self, run: Path, secret: bytes | None = None) -> str:
        return self._settle(Settling.KEEP)

    def undo(self, run: Path) -> None:
        self._settle(Settling.UNDO)

    def _settle(self, way: Settling) -> str:
        if self.fault:
            raise Refused(self.fault)
        self.settled = way
        return "It is mounted."

    def request_stop(self, run: Path) -> None:
        self.stop_requested = True
        self.applied.set()


def verdict(path: str) -> Verdict:
    """A drive on which misaligned reads are slower."""
    chance = Random(7)
    pairs = tuple(
        Pair(aligned := chance.randrange(7_600_000, 8_800_000), int(aligned * chance.uniform(1.5, 2.1)))
        for _ in range(600)
    )
    sentence = f"{path}, reading: aligned is 1.8x faster (1.7-1.8, 95 %)."
    return Verdict(
        path,
        "read",
        Outcome.ALIGNED_FASTER,
        Ratio(1.78, 1.74, 1.82, 0.95, 600),
        sentence,
        (),
        4096,
        2048,
        14.2,
        pairs,
    )


async def until(condition: Callable[[], bool], pilot: Pilot[Session], seconds: float = 60.0) -> None:
    """Let the program work until something holds; raises TimeoutError where it never does."""
    end = asyncio.get_running_loop().time() + seconds
    while not condition():
        if asyncio.get_running_loop().time() > end:
            raise TimeoutError(f"not so after {seconds} s, on {pilot.app.screen!r}:\n{shown(pilot)}")
        await pilot.pause(0.02)
    await pilot.pause()


async def press(pilot: Pilot[Session], *keys: str) -> None:
    """Keys, one after the other; `=text` is pasted, as a person would paste it."""
    for key in keys:
        if key.startswith("=") and len(key) > 1:
            pilot.app.post_message(Paste(key[1:]))
        elif key != "=":
            pilot.app.post_message(Key(key, key if len(key) == 1 else None))
        await pilot.pause()


async def step(pilot: Pilot[Session], number: int) -> None:
    """Until the step with this number is on the screen."""
    await until(
        lambda: getattr(pilot.app.screen, "NUMBER", 0) == number and pilot.app.screen.is_active, pilot
    )
    await until(lambda: pilot.app.screen.size.width > 0, pilot)


async def ready(pilot: Pilot[Session]) -> None:
    """Until every drive of the first step has answered."""
    await step(pilot, 1)
    await until(lambda: "/dev/nvme0n1" in shown(pilot) and "reading .." not in shown(pilot), pilot)


def shown(pilot: Pilot[Session]) -> str:
    """The screen as lines of plain text."""
    screen = pilot.app.screen
    return "\n".join(strip.text for strip in screen._compositor.render_strips())


def wizard(services: Services | None = None, terminal: Terminal = MODERN) -> WizardApp:
    """The app as `run_wizard` makes it, but for the terminal."""
    return WizardApp(services or Rehearsal(), terminal)


def perform(job: Job, services: Services | None = None, size: tuple[int, int] = (80, 24)) -> Session | None:
    """Run the wizard, do the job with it, and give what it ended with."""

    async def run() -> Session | None:
        app = wizard(services)
        async with app.run_test(size=size) as pilot:
            await job(pilot)
        return app.return_value

    return asyncio.run(run())


def flat(pilot: Pilot[Session]) -> str:
    """The screen as one line, so that it does not matter where sentences are broken."""
    return " ".join(shown(pilot).replace("│", " ").split())


async def highlight(pilot: Pilot[Session], rows: str, key: str) -> None:
    """Move to the row with this key by the arrow keys."""
    found = pilot.app.screen.query_one(rows, Rows)
    by = [row.key for row in found.rows].index(key) - found.index
    await press(pilot, *["down" if by > 0 else "up"] * abs(by))


async def press_until(pilot: Pilot[Session], key: str, words: str) -> None:
    """One key again and again until words are shown; raises TimeoutError with where it stood once that is
    more often than anything on a screen has values."""
    for _ in range(MOST_PRESSES):
        if words in shown(pilot):
            return
        await press(pilot, key)
    focused = pilot.app.screen.focused
    at = focused.id if focused else "nothing"
    raise TimeoutError(
        f"{MOST_PRESSES} times {key} did not lead to {words!r}, with the focus on {at}:\n{shown(pilot)}"
    )


async def to_field(pilot: Pilot[Session], field: str) -> None:
    """Down to a field, wherever it stands in its form; raises TimeoutError where the key does not lead
    there."""
    for _ in pilot.app.screen.focus_chain:
        if pilot.app.screen.focused is not None and pilot.app.screen.focused.id == field:
            return
        await press(pilot, "down")
    raise TimeoutError(f"down does not lead to the field {field}:\n{shown(pilot)}")


async def to_step(pilot: Pilot[Session], number: int, purpose: str = "desktop-root") -> None:
    """Over the shingled drive and a purpose to a step."""
    await ready(pilot)
    await press(pilot, "down")
    for now in range(2, number + 1):
        if now == 3:
            await highlight(pilot, "#purposes", purpose)
        await press(pilot, "enter")
        await step(pilot, now)
