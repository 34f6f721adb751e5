"""State of the wizard: screens and settled choices. Interfaces show `view` and report user actions."""

from __future__ import annotations

import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, TypeVar

from wizard.host.session import Session
from wizard.model.errors import DiskwrightError, Failed
from wizard.model.said import t
from wizard.ui.components.decisions import RUNNING, exit_code, farewell
from wizard.ui.view import GLOSSARY_KEY, QUIT_KEY, Action, Piece, ScreenStep, Text, Tone, Values, View

if TYPE_CHECKING:
    from pathlib import Path

    from wizard.advice.missing import Missing
    from wizard.ext4.superblock import ExtCandidate
    from wizard.host.contract import Services
    from wizard.host.session import OpenRun
    from wizard.model.errors import ExitCode
    from wizard.model.finding import Diagnosis
    from wizard.model.machine import Drive, Machine
    from wizard.ui.jobs.of_changes import Job

T = TypeVar("T")

RUNS_SECONDS = 1.0
"""How often a run that works is asked whether it still does."""


class Place:
    """One place. The desk holds those that were come through, and shows the last of them.

    `act_NAME` is called for the action NAME, with the row that the cursor stands on, or empty, and what the
    fields hold. Before it the cursor is where the face says it is.
    """

    step: ClassVar[ScreenStep] = ScreenStep.DRIVES

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.said: Piece | None = None
        self.missing: Missing | None = None

    @property
    def services(self) -> Services:
        """Who is asked about drives."""
        return self.desk.services

    def entered(self) -> None:
        """It is the last place now: come to, or come back to."""

    def left(self) -> None:
        """It is no place any more."""

    def view(self) -> View:
        """What is to be seen."""
        raise NotImplementedError

    def moved(self, row: str) -> None:
        """The cursor stands on this row now."""

    def act(self, name: str, row: str, values: Values) -> None:
        """Do an action of the view."""
        method = getattr(self, f"act_{name.replace('-', '_')}")
        method(row, values)

    def refused(self, error: DiskwrightError) -> None:
        """Tell why something was not done; what is missed for it can be installed from here."""
        from wizard.advice.missing import Lacking

        self.tell(str(error), Tone.WARN)
        self.missing = error.missing if isinstance(error, Lacking) else None

    def forget(self) -> None:
        """Something else is done now: take the answer to what was done last away."""
        self.tell("")
        self.missing = None

    def equipped(self) -> None:
        """What was missed is installed, and the session's machine knows it."""

    def act_back(self, _row: str, _values: Values) -> None:
        """To the place before."""
        self.desk.back()

    def turned(self, field: str, values: Values) -> None:
        """A field was turned to another value; the fields hold `values`."""

    def drives_changed(self) -> None:
        """Drives have come or gone."""

    def runs_changed(self) -> None:
        """A run that was at work is not any more."""

    @property
    def may_leave(self) -> bool:
        """Whether it can be left now."""
        return True

    def tell(self, text: Text, tone: Tone = Tone.PLAIN) -> None:
        """Answer what was done; empty takes the answer away."""
        self.said = Piece(text, tone) if text != "" else None


class Desk(ABC):
    """The places that a person has come through, and what was settled there.

    `run` is the one that was begun or looked at last, `runs` are all that are open. `found` are the drives
    by path, None until one is read; `touched` says that they may have changed since; `measured_by_writing`,
    that a trial wrote to free space.

    Everything that may take long is done in threads; `changed` is called from any thread whenever the view is
    another one. Root may want the terminal for a password: a face looks for `errand` after every call and
    every change, and calls it while the terminal is free.
    """

    def __init__(self, services: Services, changed: Callable[[], None] = lambda: None) -> None:
        self.services = services
        self.session = Session()
        self.changed = changed
        self.errand: Callable[[], None] | None = None
        self.over = False
        self.run: Path | None = None
        self.runs: tuple[OpenRun, ...] = ()
        self.found: dict[str, tuple[Drive, Diagnosis] | None] = {}
        self.touched = True
        self.measured_by_writing = False
        self._lock = threading.RLock()
        self._places: list[Place] = []
        self._stop = threading.Event()
        self._working = 0
        self._idle = threading.Condition(self._lock)

    def begin(self, drive: str = "", part: str = "") -> None:
        """Come to the first place, at a drive or its partition where one is named, and watch the drives."""
        changes = self.services.changes(self._stop)
        self.open_drives(drive, part)
        threading.Thread(target=self._watch, args=(changes,), daemon=True).start()
        threading.Thread(target=self._watch_runs, daemon=True).start()

    def end(self) -> None:
        """Nobody looks any more. A run that is at work goes on."""
        with self._lock:
            self.over = True
            self._stop.set()
            for place in reversed(self._places):
                place.left()
            self._idle.notify_all()

    @property
    def place(self) -> Place:
        """The last place."""
        return self._places[-1]

    @property
    def view(self) -> View:
        """What is to be seen now."""
        with self._lock:
            view = self._marked(self.place.view())
            said = view.said or self.place.said
            return replace(view, said=said, actions=(*view.actions, *self._common(view)))

    @property
    def below(self) -> View | None:
        """What stays in sight below a view that is drawn over it."""
        with self._lock:
            places = [place for place in self._places[:-1] if not place.view().over]
            return self._marked(places[-1].view()) if places else None

    def _marked(self, view: View) -> View:
        """Every view of the demo says that it is one."""
        if not self.services.demo:
            return view
        return replace(view, about=t("DEMO: {about}", about=view.about) if str(view.about) else t("DEMO"))

    def _common(self, view: View) -> Iterator[Action]:
        if self.place.missing is not None and not view.action("install"):
            taken = any(action.key == "i" for action in view.actions)
            yield Action("install", "f5" if taken else "i", t("install"))
        if view.place not in ("help", "glossary"):
            yield Action("help", "?", t("help"), aside=view.over)
            yield Action("glossary", "f2", GLOSSARY_KEY, aside=True)
        if not view.action("quit"):
            yield Action("quit", "q", QUIT_KEY, aside=view.over)

    def act(self, name: str, row: str = "", values: Values | None = None) -> None:
        """Do an action of the view, at a row, with what its fields hold. One that is not there, or cannot be
        had now, says so and does nothing."""
        with self._lock:
            if self.over:
                return
            action = self.view.action(name)
            place = self.place
            if action is not None and action.why_not != "":
                place.tell(action.why_not, Tone.WARN)
            elif action is not None:
                if name != "install":
                    place.forget()
                self._guarded(place, lambda: self._do(place, name, row, values or {}))
        self.changed()

    def _do(self, place: Place, name: str, row: str, values: Values) -> None:
        match name:
            case "help":
                self.open_help(place.view())
            case "glossary":
                self.open_glossary(place.view())
            case "install" if place.missing is not None:
                self._install(place, place.missing)
            case "quit":
                self.quit()
            case _:
                place.act(name, row, values)

    def _install(self, place: Place, missing: Missing) -> None:
        self.open_install(missing, lambda: self.later(place, self.services.surroundings, self._equipped))

    def _equipped(self, around: Machine) -> None:
        """The machine has other programs now; its drives are as they were read."""
        machine = self.session.machine
        if machine is not None:
            self.session = replace(self.session, machine=replace(around, drives=machine.drives))
        self.place.equipped()

    def moved(self, row: str) -> None:
        """The cursor stands on another row."""
        with self._lock:
            self.place.moved(row)

    def turned(self, field: str, values: Values) -> None:
        """A field was turned to another value; the fields hold `values`."""
        with self._lock:
            place = self.place
            self._guarded(place, lambda: place.turned(field, values))
        self.changed()

    def quit(self) -> None:
        """End, after a question where something would be lost by that."""
        if self.may_end:
            self.open_exit()

    @property
    def may_end(self) -> bool:
        """Whether no place, be it out of sight, is in the midst of what must not be left."""
        return all(place.may_leave for place in self._places)

    def farewell(self) -> tuple[str, ...]:
        """Lines to leave on the terminal."""
        return farewell(self.services, self.run)

    def exit_code(self) -> ExitCode:
        """The program's, now that it is over."""
        return exit_code(self.services, self.run)

    # What opens each screen: `Wizard` in wizard/ui/wizard.py. So no screen imports another one.

    @abstractmethod
    def open_drives(self, drive: str, part: str) -> None:
        """Open the list of drives, at this drive or partition if not empty."""

    @abstractmethod
    def open_actions(self, device: str) -> None:
        """Open the menu of the session's drive or one of its partitions."""

    @abstractmethod
    def open_purpose(self) -> None:
        """Open the workloads for the session's drive."""

    @abstractmethod
    def open_plan(self) -> None:
        """Open the session's plan."""

    @abstractmethod
    def open_review(self, job: Job) -> None:
        """Open the last question before a job starts."""

    @abstractmethod
    def open_run(self, run: Path, action: str = "", job: Job | None = None) -> None:
        """Open a run, and do `keep` or `undo` if named. Without a job, read it from the run."""

    @abstractmethod
    def open_conversions(self, drive: Drive, found: Sequence[ExtCandidate]) -> None:
        """Open the conversions to ext4 of one of these filesystems."""

    @abstractmethod
    def open_copy(self, targets: Sequence[str]) -> None:
        """Open the sources of files to copy to one of these mount points."""

    @abstractmethod
    def open_alignment_test(self, drive: Drive) -> None:
        """Open the measurement of alignment."""

    @abstractmethod
    def open_smr_test(self, drive: Drive) -> None:
        """Open the test for shingled recording."""

    @abstractmethod
    def open_help(self, view: View) -> None:
        """Open the help of a view."""

    @abstractmethod
    def open_glossary(self, view: View) -> None:
        """Open the glossary with the terms of a view first."""

    @abstractmethod
    def open_install(self, missing: Missing, then: Callable[[], None]) -> None:
        """Ask whether to install missing tools; call `then` when they are installed."""

    @abstractmethod
    def open_exit(self) -> None:
        """End, or ask first if anything would be lost."""

    def go(self, place: Place) -> None:
        """On to another place."""
        with self._lock:
            self._places.append(place)
            place.entered()

    def back(self, count: int = 1) -> None:
        """To an earlier place."""
        with self._lock:
            for _ in range(min(count, len(self._places) - 1)):
                self._places.pop().left()
            self.place.entered()

    def home(self) -> None:
        """To the first place."""
        self.back(len(self._places) - 1)

    def read_again(self) -> None:
        """Discard the plan, return to the drives and read them again. The workload stays."""
        self.session = Session(workload=self.session.workload)
        self.touched = True
        self.home()

    def later(
        self,
        place: Place,
        work: Callable[[], T],
        then: Callable[[T], None],
        failed: Callable[[DiskwrightError], None] | None = None,
        *,
        finishes: bool = False,
    ) -> None:
        """Do what takes long in a thread, and `then` what follows from it, unless `place` was left meanwhile.
        What goes wrong is told there. With `finishes` the program ends only when it is done."""

        def thread() -> None:
            try:
                result = work()
            except DiskwrightError as error:
                met = error
                self._settle(place, lambda: (failed or _teller(place))(met))
            except BaseException:
                crash = repr(sys.exc_info()[1])
                self._settle(place, lambda: _crashed(place, crash, failed))
                raise
            else:
                self._settle(place, lambda: then(result))

        with self._lock:
            self._working += 1
        threading.Thread(target=thread, daemon=not finishes).start()

    def _settle(self, place: Place, then: Callable[[], None]) -> None:
        with self._lock:
            self._working -= 1
            if not self.over and place in self._places:
                self._guarded(place, then)
            self._idle.notify_all()
        self.changed()

    def wait(self, seconds: float | None = None) -> bool:
        """Until nothing is being done any more; whether that is so. For faces that only print, and tests."""
        with self._lock:
            return self._idle.wait_for(
                lambda: self.over or not self._working or self.errand is not None, seconds
            )

    def post(self, place: Place, change: Callable[[], None]) -> bool:
        """Let a thread change a place; whether it is still one."""
        with self._lock:
            here = not self.over and place in self._places
            if here:
                self._guarded(place, change)
        if here:
            self.changed()
        return here

    def with_root(self, place: Place, then: Callable[[], None]) -> None:
        """Go on with root's rights, which are asked for where they are still to be."""
        if not self.services.asks_for_root:
            then()
            return

        def ask() -> None:
            self.errand = None
            try:
                self.services.obtain_root()
            except DiskwrightError as error:
                said = str(error)
                self.post(place, lambda: place.tell(said, Tone.WARN))
            else:
                self.post(place, then)

        self.errand = ask
        with self._lock:
            self._idle.notify_all()

    def _guarded(self, place: Place, work: Callable[[], object]) -> None:
        try:
            work()
        except DiskwrightError as error:
            place.refused(error)

    def _watch(self, changes: Iterator[None]) -> None:
        for _ in changes:
            if self._stop.is_set():
                return
            with self._lock:
                for place in tuple(self._places):
                    self._guarded(place, place.drives_changed)
                self._leave_what_has_gone()
            self.changed()

    def _watch_runs(self) -> None:
        while not self._stop.wait(RUNS_SECONDS):
            self.look_at_runs()

    def look_at_runs(self) -> None:
        """Whether each run that was at work still is. Only then are all of them read once more."""
        if all(map(self._is_as_it_was, self.runs)):
            return
        runs = self.services.open_runs()
        if runs == self.runs:
            return
        with self._lock:
            self.runs = runs
            for place in tuple(self._places):
                self._guarded(place, place.runs_changed)
        self.changed()

    def _is_as_it_was(self, run: OpenRun) -> bool:
        if run.state != RUNNING:
            return True
        try:
            return self.services.state(run.run).value == RUNNING
        except (DiskwrightError, OSError):
            # Whoever lists the runs leaves out what cannot be read.
            return False

    def _leave_what_has_gone(self) -> None:
        """Back to the list where a drive that was taken is not attached any more; another one at its node is
        not it."""
        at_work = any(place.step is ScreenStep.WORK for place in self._places)
        if len(self._places) == 1 or at_work or not self.may_end:
            return
        drive = next((drive for drive in self.session.drives if not self.services.is_attached(drive)), None)
        if drive is None:
            return

        self.session = Session(workload=self.session.workload)
        self.home()
        self.place.tell(
            t(
                "{drive} {model} was disconnected. The plan was discarded.",
                drive=drive.path,
                model=drive.model or "",
            ),
            Tone.WARN,
        )


def _teller(place: Place) -> Callable[[DiskwrightError], None]:
    return place.refused


def _crashed(place: Place, what: str, failed: Callable[[DiskwrightError], None] | None) -> None:
    """The place waits for nothing any more."""
    said = t("diskwright failed with an internal error. Please report: {what}", what=what)
    if failed is not None:
        failed(Failed(said))
    place.tell(said, Tone.DANGER)
