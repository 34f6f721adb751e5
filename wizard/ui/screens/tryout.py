"""Screen for a filesystem comparison and the result."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from wizard.benchmark.candidates.verdict import title_of
from wizard.model.said import t
from wizard.ui.components.drive_rows import short
from wizard.ui.components.way_rows import progress_blocks, verdict_banner, verdict_blocks
from wizard.ui.editors import candidates as words
from wizard.ui.view import BACK, Action, Pane, Place, ScreenStep, Tone, Values, View

if TYPE_CHECKING:
    from wizard.benchmark.candidates.compare import Order, TrialProgress, TrialVerdict
    from wizard.model.errors import DiskwrightError
    from wizard.ui.desk import Desk


class Tryout(Place):
    """It begins by itself: the token was typed. `use` puts a filesystem that was better into the plan."""

    step = ScreenStep.PLAN

    def __init__(self, desk: Desk, order: Order, use: Callable[[str], None]) -> None:
        super().__init__(desk)
        self._order, self._use = order, use
        self._working = False
        self._stop = threading.Event()
        self._progress: TrialProgress | None = None
        self._verdict: TrialVerdict | None = None
        self._begun = False

    def entered(self) -> None:
        """Begin, the first time."""
        if not self._begun:
            self._begun = True
            self._start()

    def left(self) -> None:
        """A trial does not outlive its place."""
        self._stop.set()

    @property
    def may_leave(self) -> bool:
        """Not while filesystems are being tried."""
        return not self._working

    def view(self) -> View:
        """How far it is, or what it showed."""
        verdict = None if self._working else self._verdict
        blocks = verdict_blocks(verdict) if verdict else progress_blocks(self._progress, self._order)
        return View(
            "tryout",
            self.step,
            words.TITLE(purpose=self._order.workload.replace("-", " ")),
            tuple(self._actions()),
            about=short(self._order.drive.path),
            above=(verdict_banner(verdict),) if verdict else (),
            panes=(Pane("", tuple(blocks) if verdict or self._working else ()),),
            busy=self._working,
            help=tuple(sentence() for sentence in words.HELP),
        )

    def _actions(self) -> Iterator[Action]:
        if self._working:
            yield Action("stop", "S", t("stop"), ends=True)
            yield Action("back", "escape", BACK, t("Trying filesystems. Press S to stop."))
            return
        verdict = self._verdict
        if verdict is None:
            yield Action("back", "enter", BACK)
        else:
            yield Action("keep", "enter", t("keep {planned}", planned=title_of(verdict, verdict.planned)))
            if better := verdict.better:
                yield Action("use", "x", t("use {other} instead", other=title_of(verdict, better)))
            yield Action("save", "s", t("save"))
        yield Action("again", "r", t("try again"))
        yield Action("back", "escape", BACK, aside=verdict is None)

    def act_keep(self, _row: str, _values: Values) -> None:
        """The plan stays as it is."""
        self.desk.back(2)

    def act_use(self, _row: str, _values: Values) -> None:
        """The plan with the filesystem that was better here."""
        verdict = self._verdict
        assert verdict is not None
        better = next(one.filesystem for one in verdict.candidates if one.id == verdict.better)
        self.desk.back()
        self._use(better)

    def act_again(self, _row: str, _values: Values) -> None:
        """Once more; the token was typed."""
        self._start()

    def act_stop(self, _row: str, _values: Values) -> None:
        """End it early."""
        self._stop.set()
        self.tell(t("Stopping ..."))

    def act_save(self, _row: str, _values: Values) -> None:
        """The result, with every round."""
        from wizard.benchmark.candidates.trial import render_trial
        from wizard.ui.editors.adjusting import save

        if self._verdict:
            proposal = f"{short(self._verdict.drive)}-trial.json"
            save(self.desk, t("the result"), render_trial(self._verdict), proposal)

    def _start(self) -> None:
        if self._working:
            return
        self._working, self._progress, self._stop = True, None, threading.Event()
        stop = self._stop
        self.desk.measured_by_writing = True

        def work() -> TrialVerdict:
            return self.services.try_filesystems(
                self._order, on_progress=lambda progress: self._post(progress), stop=stop.is_set
            )

        self.desk.later(self, work, self._tried, self._failed)

    def _post(self, progress: TrialProgress) -> None:
        self.desk.post(self, lambda: setattr(self, "_progress", progress))

    def _tried(self, verdict: TrialVerdict) -> None:
        self._working, self._verdict = False, verdict
        self.tell("")
        if self.desk.session.drive == self._order.drive:
            self.desk.session = replace(self.desk.session, trial=verdict)

    def _failed(self, error: DiskwrightError) -> None:
        self._working = False
        self.tell(str(error), Tone.WARN)
