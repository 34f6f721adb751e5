"""Benchmark dialog: start, watch, stop and read. Subclasses define the benchmark."""

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import ClassVar, Generic, TypeVar

from wizard.benchmark.access import MeasureProgress
from wizard.benchmark.results import BenchmarkResult, render_verdict
from wizard.model.machine import Drive
from wizard.model.said import t
from wizard.ui import messages
from wizard.ui import view as ui
from wizard.ui.components import measured
from wizard.ui.desk import Desk
from wizard.ui.dialogs.asking import ask_tokens, save
from wizard.ui.dialogs.pages import Overlay, Reasons

MEASURE = t("measure")
Verdict = TypeVar("Verdict", bound="BenchmarkResult")


def ask_token(
    desk: Desk,
    drive: Drive,
    title: ui.Text,
    text: Sequence[ui.Block],
    then: Callable[[], None],
    label: ui.Text = MEASURE,
) -> None:
    """Ask for the drive's token before a measurement writes."""
    blocks = (*text, ui.para(t("Partitions are not touched.")))
    ask_tokens(desk, (drive,), title, blocks, lambda _: then(), label)


class Measuring(Overlay, Generic[Verdict]):
    """A measurement of a drive. `verdict` is the last result."""

    file: ClassVar[str]
    """End of the name of a saved result."""

    def __init__(self, desk: Desk, drive: Drive, verdict: Verdict | None, title: ui.Text) -> None:
        super().__init__(desk)
        self.drive, self.verdict, self.title = drive, verdict, title
        self.progress: MeasureProgress | None = None
        self._stop = threading.Event()

    def _possible(self) -> Iterator[ui.Block]:
        """Describe the available measurements."""
        raise NotImplementedError

    def _ways(self) -> Iterator[ui.Action]:
        raise NotImplementedError

    def _settled(self, verdict: Verdict) -> None:
        """Called after a measurement."""

    def left(self) -> None:
        self._stop.set()

    @property
    def may_leave(self) -> bool:
        return not self.doing

    def _said(self) -> None:
        return None

    def _above(self) -> Iterator[ui.Block]:
        if self.verdict and not self.doing:
            yield measured.verdict_banner(self.verdict)

    def _panes(self) -> Iterator[ui.Pane]:
        yield ui.Pane("", tuple(self._blocks()))

    def _actions(self) -> Iterator[ui.Action]:
        if self.doing:
            yield ui.Action("stop", "S", messages.STOP, ends=True)
            yield ui.Action("back", "escape", messages.BACK, self.doing)
            return
        if closing := self._closing():
            yield closing
        yield from self._ways()
        if self.verdict:
            yield ui.Action("save", "s", messages.SAVE)
            yield ui.Action("why", "w", messages.WHY)

    def _closing(self) -> ui.Action | None:
        return ui.Action("back", "enter", messages.BACK) if self.verdict or self.services.obstacle else None

    def _blocks(self) -> Iterator[ui.Block]:
        if self.doing:
            yield from measured.progress_blocks(self.progress)
        elif self.verdict:
            yield from measured.verdict_blocks(self.verdict)
        elif obstacle := self.services.obstacle:
            yield ui.para(ui.warn(messages.CANNOT), obstacle)
            if self.services.needs_root:
                yield ui.para(t("To measure, start the wizard with sudo diskwright."))
        else:
            yield from self._possible()

    def act_stop(self) -> None:
        self._stop.set()
        self.tell(t("Stopping ..."))

    def act_save(self) -> None:
        if self.verdict:
            name = f"{ui.short(self.drive.path)}-{self.file}.json"
            save(self.desk, t("the result"), render_verdict(self.verdict), name)

    def act_why(self) -> None:
        if self.verdict:
            title = t("Why: {drive}", drive=ui.short(self.drive.path))
            self.open(Reasons, title, tuple(measured.verdict_reasons(self.verdict)))

    def start(
        self, measure: Callable[..., Verdict], subject: object, *, writes: bool = False, **options: object
    ) -> None:
        """Start a measurement of `subject`, unless one is running."""
        if self.doing:
            return
        self.progress, self._stop = None, threading.Event()
        self.desk.measured_by_writing |= writes

        def post(progress: MeasureProgress) -> None:
            self.desk.post(self, lambda: setattr(self, "progress", progress))

        work = partial(self.services.measure, self.drive, measure, subject, on_progress=post)
        doing = t("Measuring the drive. Press S to stop.")
        self.later(doing, partial(work, stop=self._stop.is_set, **options), self._measured)

    def _measured(self, verdict: Verdict) -> None:
        self.verdict = verdict
        self.tell("")
        self._settled(verdict)
