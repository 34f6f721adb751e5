"""The stack of open screens with the session. Interfaces show `view` and report user actions."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from msgspec.structs import replace

from wizard.model.errors import DiskwrightError, Failed
from wizard.model.said import t
from wizard.ui import messages
from wizard.ui import view as ui
from wizard.ui.components.run_rows import RUNNING
from wizard.ui.session import Session

if TYPE_CHECKING:
    from pathlib import Path

    from wizard.advice.missing import Missing
    from wizard.apply.local_runs import OpenRun
    from wizard.host.services import Services
    from wizard.model.finding import Diagnosis
    from wizard.model.machine import Drive, Partition
    from wizard.model.requests import Wanted
    from wizard.plan.changes import RunDocument

P = ParamSpec("P")
T = TypeVar("T")

RUNS_SECONDS = 1.0
"""Interval between checks of active runs and updates of their progress, in seconds."""


class Screen:
    """A screen or dialog. The desk keeps the open ones and shows the last.

    `place` is an internal name, `step` by default that of the screen below. `row` is the row under the
    cursor. `at` is the same in the last view, if it was listed, and `against` why it is unavailable. `values`
    has the fields during an action. `act_NAME` performs the action NAME. `doing` describes slow work while it
    runs. Methods such as `_actions` and `_panes` return the parts of the view. Parts that never change are
    attributes.
    """

    place: str = ""
    step: ui.ScreenStep
    title: ui.Text = ""
    about: ui.Text = ""
    actions: tuple[ui.Action, ...] = (ui.Action("back", "enter", messages.BACK),)
    above: Sequence[ui.Block] = ()
    rows: Sequence[ui.Row] | None = None
    fields: Sequence[ui.Field] = ()
    panes: Sequence[ui.Pane] = ()
    help: ui.Texts = ()
    columns: tuple[ui.Column, ...] = ()
    over = many = False

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        if not hasattr(self, "step"):
            self.step = desk.screen.step
        self.row = self.at = ""
        self.against: ui.Text = ""
        self.values: ui.Values = {}
        self.doing: ui.Text = ""
        self.said: ui.Piece | None = None
        self.missing: Missing | None = None

    @property
    def services(self) -> Services:
        """The live or recorded machine."""
        return self.desk.services

    @property
    def session(self) -> Session:
        """The session of the selected drive."""
        return self.desk.session

    @property
    def subject(self) -> tuple[Drive, Diagnosis]:
        """The drive that actions of every screen use."""
        return self.session.drive, self.session.diagnosis

    def opened(self) -> None:
        """Called when the screen is opened, before `entered`."""

    def entered(self) -> None:
        """Called when the screen is opened or returned to."""

    def left(self) -> None:
        """Called when the screen is closed."""

    def view(self) -> ui.View:
        """Return the content."""
        rows = self._rows()
        listed = None if rows is None else tuple(rows)
        reasons = {row.key: row.why_not for row in listed or ()}
        self.at = self._cursor([*reasons])
        self.against = reasons.get(self.at, "")
        return ui.View(
            self.place,
            self.step,
            self.title,
            tuple(self._actions()),
            self._about(),
            tuple(self._above()),
            None if listed is None else ui.Rows(listed, self.at, self.columns, self.many),
            tuple(self._fields()),
            tuple(self._panes()),
            self._said(),
            self.over,
            self._busy(),
            self.help,
        )

    def _about(self) -> ui.Text:
        return self.about

    def _actions(self) -> ui.Actions:
        return self.actions

    def _above(self) -> ui.Blocks:
        return self.above

    def _rows(self) -> ui.Listed | None:
        return self.rows

    def _cursor(self, keys: Sequence[str]) -> str:
        return self.row if self.row in keys else next(iter(keys), "")

    def _fields(self) -> Iterable[ui.Field]:
        return self.fields

    def _panes(self) -> ui.Panes:
        return self.panes

    def _said(self) -> ui.Piece | None:
        return ui.Piece(self.doing) if self.doing else None

    def _busy(self) -> bool:
        return bool(self.doing)

    def moved(self, row: str) -> None:
        """Move the cursor to a row."""
        self.row = row

    def act(self, name: str, values: ui.Values) -> None:
        """Perform an action of the view."""
        self.values = values
        try:
            getattr(self, f"act_{name.replace('-', '_')}")()
        finally:
            # They may contain a passphrase.
            self.values = {}

    def refused(self, error: DiskwrightError) -> None:
        """Show an error, and offer to install missing tools."""
        from wizard.advice.missing import MissingTools

        self.warn(str(error))
        self.missing = error.missing if isinstance(error, MissingTools) else None

    def forget(self) -> None:
        """Clear the last answer before the next action."""
        self.tell("")
        self.missing = None

    def equipped(self) -> None:
        """Called when missing tools have been installed. The session's machine is up to date."""

    def act_as_root(self) -> None:
        """Read the drives as root and plan again."""
        self.desk.with_root(self, self.desk.read_again)

    def act_back(self) -> None:
        """Return to the previous screen."""
        self.desk.back()

    def open(self, screen: Callable[Concatenate[Desk, P], Screen], *given: P.args, **named: P.kwargs) -> None:
        """Open a screen on top of this one."""
        self.desk.go(screen(self.desk, *given, **named))

    def close(self) -> None:
        """Close this screen, unless it opened another."""
        if self.desk.screen is self:
            self.desk.back()

    def turned(self, field: str, values: ui.Values) -> None:
        """Called when the value of a field changed. `values` has all fields."""

    def drives_changed(self) -> None:
        """Called when drives were plugged in or unplugged."""

    def runs_changed(self) -> None:
        """Called when a run ended."""

    @property
    def may_leave(self) -> bool:
        """True if the screen can be closed now."""
        return True

    def tell(self, text: ui.Text, tone: ui.Tone = ui.Tone.PLAIN) -> None:
        """Answer the last action. An empty text clears the answer."""
        self.said = ui.Piece(text, tone) if text else None

    def warn(self, text: ui.Text) -> None:
        """Answer the last action with a warning."""
        self.tell(text, ui.Tone.WARN)

    def later(
        self, doing: ui.Text, work: Callable[[], T], then: Callable[[T], None], *, finishes: bool = False
    ) -> None:
        """Run slow work in a thread, one at a time, then call `then` with the result. Shows errors here.

        If `finishes`, the program waits for the work before exit.
        """

        def done(result: T) -> None:
            self.doing = ""
            then(result)

        if self.doing:
            self.tell(self.doing)
        else:
            self.doing = doing
            self.desk.later(self, work, done, self._hindered, finishes=finishes)

    def _hindered(self, error: DiskwrightError) -> None:
        self.doing = ""
        self.refused(error)

    def later_as_root(self, doing: ui.Text, work: Callable[[], T], then: Callable[[T], None]) -> None:
        """Run slow work as `later` does, after asking for root access if needed."""
        self.desk.with_root(self, lambda: self.later(doing, work, then))

    def work_out(self, device: str, wanted: Wanted) -> None:
        """Check as root how to make a change, and open Review."""
        self.later_as_root(
            messages.CHECKING,
            lambda: self.services.as_root().work_out(device, wanted),
            self.desk.open_review,
        )


class Desk(ABC):
    """The open screens and the session.

    `selected` is the session of the selected drive, `workload` the last one planned for. `run` is the last
    run started or opened, `runs` are all open runs. `found` maps paths to drives, or to None until a drive is
    read. `touched` is True if the drives may have changed since. `measured_by_writing` is True after a trial
    wrote to free space, `interrupted` if Ctrl+C or missing answers end the wizard.

    Slow work runs in threads; `changed` is called from any thread when the view has changed. Asking for root
    may need the terminal: interfaces check `errand` after every call and change, and call it while the
    terminal is free.
    """

    def __init__(self, services: Services, changed: Callable[[], None] = lambda: None) -> None:
        self.services = services
        self.selected: Session | None = None
        self.workload: str | None = None
        self.changed = changed
        self.errand: Callable[[], None] | None = None
        self.over = self.interrupted = False
        self.run: Path | None = None
        self.runs: tuple[OpenRun, ...] = ()
        self.found: dict[str, tuple[Drive, Diagnosis] | None] = {}
        self.touched = True
        self.measured_by_writing = False
        self._lock = threading.RLock()
        self._screens: list[Screen] = []
        self._stop = threading.Event()
        self._working = 0
        self._idle = threading.Condition(self._lock)

    @property
    def session(self) -> Session:
        """The session of the selected drive."""
        assert self.selected is not None
        return self.selected

    @session.setter
    def session(self, session: Session) -> None:
        self.selected = session

    @property
    def answered(self) -> tuple[Drive, ...]:
        """The drives read so far."""
        return tuple(found[0] for found in self.found.values() if found)

    @property
    def _at_work(self) -> bool:
        return any(screen.step is ui.ScreenStep.WORK for screen in self._screens)

    def watch(self) -> None:
        """Watch the drives and the runs until the end."""

        def watch_runs() -> None:
            while not self._stop.wait(RUNS_SECONDS):
                if self._at_work:
                    self.changed()
                self.look_at_runs()

        changes = self.services.changes(self._stop)
        threading.Thread(target=self._watch, args=(changes,), daemon=True).start()
        threading.Thread(target=watch_runs, daemon=True).start()

    def end(self) -> None:
        """Close all screens. Runs continue."""
        with self._lock:
            self.over = True
            self._stop.set()
            for screen in reversed(self._screens):
                screen.left()
            self._idle.notify_all()

    @property
    def screen(self) -> Screen:
        """The screen on top."""
        return self._screens[-1]

    @property
    def view(self) -> ui.View:
        """The view of the screen on top."""
        return self.shown()[1]

    def shown(self) -> tuple[Screen, ui.View]:
        """Return the screen on top with the view."""
        with self._lock:
            return self.screen, self._complete(self.screen)

    @property
    def below(self) -> ui.View | None:
        """The view below a dialog, or None."""
        with self._lock:
            screens = [screen for screen in self._screens[:-1] if not screen.over]
            return self._complete(screens[-1]) if screens else None

    def _complete(self, screen: Screen) -> ui.View:
        """Return a view with the actions of every screen. Marks views of the demo."""
        view = screen.view()
        about = view.about
        if self.services.demo:
            demo = t("DEMO")
            about = f"{demo}: {about}" if str(about) else demo
        actions, keys = [*view.actions], {action.key for action in view.actions}
        if "escape" not in keys and len(self._screens) > 1 and screen.may_leave:
            aside = view.action("back") is not None
            actions.append(ui.Action("back", "escape", messages.BACK, aside=aside))
        if screen.missing is not None:
            actions.append(ui.Action("install", "f5" if "i" in keys else "i", t("install")))
        if view.place not in ("help", "glossary"):
            actions.append(ui.Action("help", "?", messages.HELP, aside=view.over))
            actions.append(ui.aside("glossary", "f2", t("words")))
        actions.append(ui.Action("quit", "q", t("quit"), aside=view.over))
        return replace(view, about=about, said=screen.said or view.said, actions=tuple(actions))

    def act(self, name: str, row: str = "", values: ui.Values | None = None) -> None:
        """Perform an action of the view at a row, with the values of the fields.

        An unavailable action only shows the reason.
        """
        with self._lock:
            if self.over:
                return
            screen = self.screen
            if row:
                screen.moved(row)
            action = self.view.action(name)
            if action and action.why_not:
                screen.warn(action.why_not)
            elif action:
                if name != "install":
                    screen.forget()
                self._guarded(screen, lambda: self.perform(screen, name, values or {}))
        self.changed()

    def moved(self, row: str) -> None:
        """Report that the cursor moved to a row."""
        with self._lock:
            self.screen.moved(row)

    def turned(self, field: str, values: ui.Values) -> None:
        """Report that the value of a field changed. `values` has all fields."""
        with self._lock:
            screen = self.screen
            self._guarded(screen, lambda: screen.turned(field, values))
        self.changed()

    @property
    def may_end(self) -> bool:
        """True if every open screen can be closed now."""
        return all(screen.may_leave for screen in self._screens)

    @abstractmethod
    def perform(self, screen: Screen, name: str, values: ui.Values) -> None:
        """Perform an action of every screen here, and any other on the screen."""

    @abstractmethod
    def open_review(self, document: RunDocument) -> None:
        """Open the final confirmation of a document."""

    def open_moves(self, part: Partition | None, start: int | None = None) -> None:
        """Review aligning a partition, every misaligned one without `part`, or moving one to `start`. Raises
        Refused if no partition can be moved."""
        from wizard.plan.partition.moves import one_moves, planned_moves

        machine, drive, recording = self.session.machine, self.session.drive, self.session.diagnosis.recording
        self.open_review(
            one_moves(machine, drive, part, start, recording)
            if part
            else planned_moves(machine, drive, recording)
        )

    def go(self, screen: Screen) -> None:
        """Open a screen on top."""
        with self._lock:
            self._screens.append(screen)
            screen.opened()
            screen.entered()

    def back(self, count: int = 1) -> None:
        """Close the last screens."""
        with self._lock:
            for _ in range(min(count, len(self._screens) - 1)):
                self._screens.pop().left()
            self.screen.entered()

    def read_again(self) -> None:
        """Discard the plan, return to Drives and read them again. Preserves the workload."""
        self.touched = True
        self._start_over()

    def _start_over(self) -> None:
        self.selected = None
        self.back(len(self._screens) - 1)

    def later(
        self,
        screen: Screen,
        work: Callable[[], T],
        then: Callable[[T], None],
        failed: Callable[[DiskwrightError], None] | None = None,
        *,
        finishes: bool = False,
    ) -> None:
        """Run slow work in a thread, then call `then` with the result unless `screen` was closed.

        Errors are shown on `screen`. If `finishes`, the program waits for the work before exit.
        """

        fail = failed or screen.refused

        def thread() -> None:
            try:
                result = work()
            except DiskwrightError as error:
                self._settle(screen, partial(fail, error))
            except BaseException as error:
                what = repr(error)
                said = t("diskwright failed with an internal error. Please report: {what}", what=what)
                self._settle(screen, partial(fail, Failed(said)))
                raise
            else:
                self._settle(screen, partial(then, result))

        with self._lock:
            self._working += 1
        threading.Thread(target=thread, daemon=not finishes).start()

    def _settle(self, screen: Screen, then: Callable[[], None]) -> None:
        with self._lock:
            self._working -= 1
            if not self.over and screen in self._screens:
                self._guarded(screen, then)
            self._idle.notify_all()
        self.changed()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for work in threads, and return False after `seconds`. For printing interfaces and tests.

        Also returns if the wizard has ended or an errand is pending.
        """
        with self._lock:
            return self._idle.wait_for(
                lambda: self.over or not self._working or self.errand is not None, seconds
            )

    def post(self, screen: Screen, change: Callable[[], None]) -> bool:
        """Change a screen from a thread. Return False if the screen was closed."""
        with self._lock:
            here = not self.over and screen in self._screens
            if here:
                self._guarded(screen, change)
        if here:
            self.changed()
        return here

    def with_root(self, screen: Screen, then: Callable[[], None]) -> None:
        """Call `then` as root. Ask for root access if needed."""
        if not self.services.asks_for_root:
            then()
            return

        def ask() -> None:
            self.errand = None
            try:
                self.services.obtain_root()
            except DiskwrightError as error:
                self.post(screen, partial(screen.refused, error))
            else:
                self.post(screen, then)

        self.errand = ask
        with self._lock:
            self._idle.notify_all()

    def _guarded(self, screen: Screen, work: Callable[[], object]) -> None:
        try:
            work()
        except DiskwrightError as error:
            screen.refused(error)

    def _watch(self, changes: Iterator[None]) -> None:
        for _ in changes:
            if self._stop.is_set():
                return
            with self._lock:
                for screen in tuple(self._screens):
                    self._guarded(screen, screen.drives_changed)
                self._leave_unplugged()
            self.changed()

    def look_at_runs(self) -> None:
        """Read the open runs again if an active run ended."""
        active = (run for run in self.runs if run.state == RUNNING)
        if all(map(self._is_active, active)):
            return
        runs = self.services.open_runs()
        if runs == self.runs:
            return
        with self._lock:
            self.runs = runs
            for screen in tuple(self._screens):
                self._guarded(screen, screen.runs_changed)
        self.changed()

    def _is_active(self, run: OpenRun) -> bool:
        try:
            return self.services.runs.state(run.run).value == RUNNING
        except (DiskwrightError, OSError):
            # Unreadable runs are omitted from the list.
            return False

    def _leave_unplugged(self) -> None:
        """Return to Drives if a drive of the session was unplugged, even if another has the same name now."""
        if len(self._screens) == 1 or self._at_work or not self.may_end:
            return
        drives = self.selected.drives if self.selected else ()
        drive = next((drive for drive in drives if not self.services.is_attached(drive)), None)
        if drive is None:
            return
        self._start_over()
        self.screen.warn(
            t(
                "{drive} {model} was disconnected. The plan was discarded.",
                drive=drive.path,
                model=drive.model or "",
            )
        )
