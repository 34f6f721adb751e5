"""The wizard on the workshop machine with simulated measurement and run, so that no step needs a disk."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from random import Random

from textual.events import Key, Paste
from textual.pilot import Pilot

from tests.looks.workshop import workshop
from tests.unit.ui.simulated import Simulated
from wizard.apply.engine.record import Phase, power_sentence
from wizard.apply.plan.run_summary import waiting_sentence
from wizard.apply.run.journal import RunState
from wizard.apply.run.process import Purpose
from wizard.benchmark.access import MeasureProgress
from wizard.host.services import Services
from wizard.model.errors import Refused
from wizard.model.machine import Drive, Machine
from wizard.model.requests import CopyFiles, SetLabel, Wanted
from wizard.model.run import Event, JournalEntry
from wizard.model.said import t
from wizard.model.verdict import Outcome, Pair, Ratio, Verdict
from wizard.operations.operation import Context
from wizard.operations.settings import Relabel
from wizard.plan.changes import Changes, RunDocument
from wizard.plan.dangers import known_identity
from wizard.plan.plan import Plan, steps_of
from wizard.plan.text import UndoSpace, shows_nothing
from wizard.probe.interpret import machine_of
from wizard.ui.view import Row
from wizard.ui.wizard import Wizard
from wizard.window.app import Window
from wizard.window.terminal import Colours, Glyphs, Terminal

Hand = Pilot[None]
Job = Callable[[Hand], Awaitable[None]]
Take = Callable[[str], Awaitable[None]]
MODERN = Terminal(Glyphs.ALL, Colours.ANY)
CONSOLE = Terminal(Glyphs.CONSOLE, Colours.EIGHT)
MONO = Terminal(Glyphs.ASCII, Colours.NONE)
MOST_PRESSES = 60
PATIENCE = 60.0
RUN = Path("/var/lib/diskwright/runs/20260314-150926-sda")
AT = "2026-03-14T15:09:26.535+00:00"


def uuids() -> Callable[[], str]:
    """Return a source of UUIDs, the same in each rehearsal."""
    numbers = count(1)
    return lambda: f"5d1f0000-0000-4000-8000-{next(numbers):012d}"


class Rehearsal(Simulated):
    """Measuring, applying and rehearsing wait for the test: `measured`, `applied` and `tried_out` release
    them. `room`: result of rehearsing."""

    def __init__(self, machine: Machine | None = None) -> None:
        super().__init__(machine or machine_of(workshop()), "a rehearsal", uuids())
        self.measured, self.applied = threading.Event(), threading.Event()
        self.fails_at: int | None = None
        self.refusal = ""
        self.stop_requested = False
        self.settled: Purpose | None = None
        self.fault = ""
        self.started: list[tuple[Plan, tuple[str, ...]]] = []
        self.writes: list[bool] = []
        self.relabelled: list[tuple[Changes, str]] = []
        self.room = UndoSpace()
        self.tried_out: threading.Event | None = None

    def measurement(
        self,
        drive: Drive,
        *,
        write: bool,
        assume_physical_bytes: int | None = None,
        on_progress: Callable[[MeasureProgress], None],
        stop: Callable[[], bool],
    ) -> Verdict:
        self.writes.append(write)
        on_progress(MeasureProgress(11 / 30, 19.0, (t("240 pairs so far: 1.78 times as long misaligned."),)))
        while not self.measured.wait(0.01):
            if stop():
                break
        return verdict(drive.path)

    def rehearses(self, plan: Plan) -> bool:
        return self.tried_out is not None

    def undo_space(self, plan: Plan) -> UndoSpace:
        if self.tried_out is not None:
            self.tried_out.wait(10)
        return self.room

    def start(self, document: RunDocument, tokens: Sequence[str], secret: bytes | None = None) -> Path:
        assert isinstance(document, Plan)
        if self.refusal:
            raise Refused(self.refusal)
        self.started.append((document, tuple(tokens)))
        return RUN

    def follow(self, run: Path) -> Iterator[JournalEntry]:
        (plan, _) = self.started[-1]
        yield JournalEntry(AT, Event.STARTED, 0, f"Applying {len(plan.steps)} steps to {plan.drive.path}.")
        for number, step in enumerate(plan.steps, 1):
            yield JournalEntry(AT, Event.STEP_STARTED, number, step.sentence)
            if number == 2:
                self.applied.wait(10)
                if self.stop_requested:
                    yield JournalEntry(AT, Event.STEP_DONE, number, step.sentence)
                    yield JournalEntry(
                        AT, Event.STOPPED, 0, f"Stopped before step {number + 1} as requested."
                    )
                    return
            if number == self.fails_at:
                yield JournalEntry(
                    AT, Event.STEP_FAILED, number, "mkfs.xfs exited with status 1: the disk gave up."
                )
                yield JournalEntry(AT, Event.FAILED, 0, f"Step {number} failed: the disk gave up.")
                return
            yield JournalEntry(AT, Event.STEP_DONE, number, step.sentence)
        yield from self._ended(plan)

    def _ended(self, plan: Plan) -> Iterator[JournalEntry]:
        """Return the entries after the last step. A drive with old contents waits for the decision."""
        path = plan.drive.path
        if self._waits:
            yield JournalEntry(AT, Event.WAITING, 0, str(waiting_sentence(plan, RUN.name)))
        if self.settled is Purpose.UNDO:
            yield JournalEntry(AT, Event.UNDONE, 0, f"{path}: the old contents are restored bit for bit.")
        if self._waits and self.settled is not Purpose.KEEP:
            return
        for step in plan.steps:
            for what in step.holds:
                yield JournalEntry(AT, Event.VERIFIED, 0, what)
        end = Event.KEPT if self._waits else Event.DONE
        yield JournalEntry(AT, end, 0, f"{path} is set up exactly as planned; all checks passed.")

    @property
    def _waits(self) -> bool:
        """Return True if the drive had contents and the steps are rehearsed."""
        (plan, _) = self.started[-1]
        return not shows_nothing(plan) and not plan.direct_reason

    def state(self, run: Path) -> RunState:
        if self.fails_at:
            return RunState.FAILED
        if self.stop_requested:
            return RunState.STOPPED
        ends = {Purpose.KEEP: RunState.KEPT, Purpose.UNDO: RunState.UNDONE}
        return (
            (RunState.WAITING if self.settled is None else ends[self.settled])
            if self._waits
            else RunState.DONE
        )

    def phase(self, run: Path) -> Phase | None:
        if self.started[-1][0].direct_reason:
            return None
        early = self.fails_at or self.stop_requested
        ends = {
            Purpose.KEEP: Phase.KEPT,
            Purpose.UNDO: Phase.UNDONE,
            None: Phase.HIDDEN if self._waits else Phase.KEPT,
        }
        return Phase.REHEARSING if early else ends[self.settled]

    def power(self, run: Path) -> str:
        (plan, _) = self.started[-1]
        phase = self.phase(run) if self.applied.is_set() else Phase.REHEARSING
        return "" if plan.direct_reason or phase is None else power_sentence(phase, plan.drive.path)

    def keep(self, run: Path, secret: bytes | None = None) -> str:
        return self._settle(Purpose.KEEP)

    def undo(self, run: Path) -> None:
        self._settle(Purpose.UNDO)

    def _settle(self, way: Purpose) -> str:
        if self.fault:
            raise Refused(self.fault)
        self.settled = way
        return "It is mounted."

    def work_out(self, device: str, wanted: Wanted | CopyFiles) -> Changes:
        """Plan another label, without changes to files."""
        if not isinstance(wanted, SetLabel):
            raise Refused(self.obstacle)
        drives = self.machine.drives
        drive = next(one for one in drives if one.path == device or one.partition(device))
        marks = [mark for mark in drive.signatures_on(device) if mark.usage == "filesystem"]
        if not marks or not drive.size_bytes or not drive.geometry:
            raise Refused(f"There is no filesystem on {device}.")
        identity = known_identity(self.machine, drive)
        old = marks[0]
        steps = steps_of([Relabel(device, old.kind, "", old.label or "", wanted.label)], Context(identity))
        changes = Changes(identity, device, old.kind, old.uuid or "", wanted, steps, (), ())
        self.relabelled.append((changes, wanted.label))
        return changes

    def request_stop(self, run: Path) -> None:
        self.stop_requested = True
        self.applied.set()


def verdict(path: str) -> Verdict:
    """Return a verdict for a drive with slower misaligned reads."""
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


def app_of(pilot: Hand) -> Window:
    """Return the window of a pilot."""
    assert isinstance(pilot.app, Window)
    return pilot.app


async def until(condition: Callable[[], bool], pilot: Hand, seconds: float = PATIENCE) -> None:
    """Run the program until a condition is true. Raises TimeoutError."""
    end = asyncio.get_running_loop().time() + seconds
    while not condition():
        if asyncio.get_running_loop().time() > end:
            raise TimeoutError(f"not so after {seconds} s, at {place(pilot)}:\n{shown(pilot)}")
        await pilot.pause(0.02)
    await pilot.pause()


async def press(pilot: Hand, *keys: str) -> None:
    """Press keys in order. `=text` is pasted."""
    for key in keys:
        if key.startswith("=") and len(key) > 1:
            pilot.app.post_message(Paste(key[1:]))
        elif key != "=":
            pilot.app.post_message(Key(key, key if len(key) == 1 else None))
        handled = asyncio.Event()
        pilot.app.call_later(handled.set)
        await handled.wait()
        await pilot.pause()


def place(pilot: Hand) -> str:
    """Return the code of the visible screen."""
    return app_of(pilot).keyboard.view.place


async def come(pilot: Hand, name: str) -> None:
    """Wait for this screen. On Drives, wait until all drives have been read."""
    rests = name == "drives"
    await until(lambda: place(pilot) == name and not (rests and app_of(pilot).keyboard.view.busy), pilot)


async def ready(pilot: Hand) -> None:
    """Wait until every drive has been read."""
    await come(pilot, "drives")


def shown(pilot: Hand) -> str:
    """Return the screen as lines of plain text."""
    return "\n".join(strip.text for strip in pilot.app.screen._compositor.render_strips())


def flat(pilot: Hand) -> str:
    """Return the screen as one line, independent of line breaks."""
    return " ".join(shown(pilot).replace("│", " ").split())


def wizard(services: Services | None = None, terminal: Terminal = MODERN) -> Window:
    """Return the app as `run_window` creates it, without the terminal."""
    desk = Wizard(services or Rehearsal())
    desk.begin()
    return Window(desk, terminal)


def perform(
    job: Job, services: Services | None = None, size: tuple[int, int] = (80, 24), terminal: Terminal = MODERN
) -> Wizard:
    """Run the wizard, do the job, and return the desk."""

    async def run() -> Wizard:
        app = wizard(services, terminal)
        try:
            async with app.run_test(size=size) as pilot:
                await job(pilot)
        finally:
            app.desk.end()
        assert isinstance(app.desk, Wizard)
        return app.desk

    return asyncio.run(run())


def rows(pilot: Hand) -> tuple[Row, ...]:
    """Return the rows of the list."""
    view = app_of(pilot).keyboard.view
    return view.rows.rows if view.rows else ()


async def highlight(pilot: Hand, key: str) -> None:
    """Move to the row with this key by the arrow keys."""
    keys = [row.key for row in rows(pilot)]
    by = keys.index(key) - keys.index(app_of(pilot).keyboard.state.cursor)
    await press(pilot, *["down" if by > 0 else "up"] * abs(by))


async def to_field(pilot: Hand, field: str) -> None:
    """Move down to a field of a form. Raises TimeoutError if the key does not reach it."""
    keyboard = app_of(pilot).keyboard
    await press(pilot, *["up"] * len(keyboard.view.fields))
    for _ in keyboard.view.fields:
        if keyboard.state.field == field:
            return
        await press(pilot, "down")
    raise TimeoutError(f"down does not lead to the field {field}:\n{shown(pilot)}")


async def fill(pilot: Hand, **fields: str) -> None:
    """Replace the values of fields, by name."""
    for name, text in fields.items():
        await to_field(pilot, name)
        await press(pilot, "end", "ctrl+u", f"={text}")


async def press_until(pilot: Hand, key: str, words: str) -> None:
    """Press a key repeatedly until words appear. Raises TimeoutError after more presses than any screen
    has values."""
    for _ in range(MOST_PRESSES):
        if words in shown(pilot):
            return
        await press(pilot, key)
    raise TimeoutError(
        f"{MOST_PRESSES} times {key} did not lead to {words!r}, at {place(pilot)}:\n{shown(pilot)}"
    )


WAY = ("purpose", "plan", "review")


async def to_place(
    pilot: Hand, name: str, drive: str = "/dev/sda", purpose: str = "large-media", *, anew: str = "s"
) -> None:
    """Go to a later screen with a drive and a purpose."""
    await ready(pilot)
    await highlight(pilot, drive)
    for now in WAY:
        if now == "plan":
            await highlight(pilot, purpose)
        await press(pilot, anew if now == "purpose" else "enter")
        await come(pilot, now)
        if now == name:
            return
