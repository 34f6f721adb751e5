"""Benchmark dialog: start, watch, stop and read. Subclasses define the benchmark."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from wizard.benchmark.access import MeasureProgress
from wizard.benchmark.results import BenchmarkResult, render_verdict
from wizard.benchmark.scratch import confirm_scratch
from wizard.model.errors import BadInput, DiskwrightError
from wizard.model.said import Message, Sentence, t
from wizard.ui import view as ui
from wizard.ui.components.drive_rows import short
from wizard.ui.components.measured import (
    progress_blocks,
    verdict_banner,
    verdict_blocks,
    verdict_reasons,
)
from wizard.ui.desk import Desk
from wizard.ui.dialogs.asking import Typing, save
from wizard.ui.dialogs.pages import Overlay, Reasons

if TYPE_CHECKING:
    from wizard.model.machine import Drive

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
    """Ask for the drive's token before writing."""

    def take(values: ui.Values) -> Callable[[], None]:
        token = values.get("token", "").strip()
        if not token:
            raise BadInput(t("Type {token} to confirm, or press Esc.", token=drive.token))
        confirm_scratch(drive, token)
        return then

    blocks = (
        *text,
        ui.para(t("Partitions are not touched.")),
        ui.para(t("Confirm with the serial number, or the device name for a drive without one.")),
    )
    field = ui.Field("token", t("Drive"), hint=t("type {token}", token=drive.token))
    desk.go(Typing(desk, title, blocks, (field,), take, label))


class Measuring(Overlay, Generic[Verdict]):
    """A measurement of a drive. `verdict` is the last result."""

    place: ClassVar[str]
    file: ClassVar[str]
    """End of the name of a saved result."""
    title: ClassVar[Sentence]
    help: ClassVar[tuple[ui.Text, ...]]

    def __init__(self, desk: Desk, drive: Drive, verdict: Verdict | None) -> None:
        super().__init__(desk)
        self.drive, self.verdict = drive, verdict
        self.progress: MeasureProgress | None = None
        self._measuring = False
        self._stop = threading.Event()

    def possible_blocks(self) -> Iterator[ui.Block]:
        """Describe the available measurements."""
        raise NotImplementedError

    def ways(self) -> Iterator[ui.Action]:
        """Yield the available measurements as actions. Enter starts the first."""
        raise NotImplementedError

    def settled(self, verdict: Verdict) -> None:
        """Called after a measurement."""

    def left(self) -> None:
        """Stop the measurement."""
        self._stop.set()

    @property
    def may_leave(self) -> bool:
        """True unless a measurement is running."""
        return not self._measuring

    @property
    def heading(self) -> Message:
        """The title with the drive."""
        return self.title(drive=short(self.drive.path))

    def view(self) -> ui.View:
        """Return the result, the progress, or the available measurements."""
        banner = (verdict_banner(self.verdict),) if self.verdict and not self._measuring else ()
        return ui.View(
            self.place,
            self.at,
            self.heading,
            tuple(self._actions()),
            above=banner,
            panes=(ui.Pane("", tuple(self._blocks())),),
            busy=self._measuring,
            help=self.help,
        )

    def _actions(self) -> Iterator[ui.Action]:
        if self._measuring:
            yield ui.Action("stop", "S", t("stop"), ends=True)
            yield ui.Action("back", "escape", ui.BACK, t("Measuring the drive. Press S to stop."))
            return
        closing = self.closing()
        if closing:
            yield closing
        yield from self.ways()
        if self.verdict:
            yield ui.Action("save", "s", t("save"))
            yield ui.Action("why", "w", t("why"))
        yield ui.Action("back", "escape", ui.BACK, aside=closing is not None and closing.name == "back")

    def closing(self) -> ui.Action | None:
        """Return the action of Enter after a measurement, or if none is possible."""
        return ui.Action("back", "enter", ui.BACK) if self.verdict or self.services.obstacle else None

    def _blocks(self) -> Iterator[ui.Block]:
        if self._measuring:
            yield from progress_blocks(self.progress)
        elif self.verdict:
            yield from verdict_blocks(self.verdict)
        elif obstacle := self.services.obstacle:
            yield ui.para(ui.Piece(t("Not possible here:"), ui.Tone.WARN), obstacle)
            if self.services.needs_root:
                yield ui.para(t("To measure, start the wizard with sudo diskwright."))
        else:
            yield from self.possible_blocks()

    def act_stop(self, _row: str, _values: ui.Values) -> None:
        """Stop the measurement early."""
        self._stop.set()
        self.tell(t("Stopping ..."))

    def act_save(self, _row: str, _values: ui.Values) -> None:
        """Save the result with all timings."""
        if self.verdict:
            name = f"{short(self.drive.path)}-{self.file}.json"
            save(self.desk, t("the result"), render_verdict(self.verdict), name)

    def act_why(self, _row: str, _values: ui.Values) -> None:
        """Explain the result."""
        if self.verdict:
            title = t("Why: {drive}", drive=short(self.drive.path))
            self.desk.go(Reasons(self.desk, title, tuple(verdict_reasons(self.verdict))))

    def start(
        self, measure: Callable[..., Verdict], subject: object, *, writes: bool = False, **options: object
    ) -> None:
        """Start a measurement of `subject`, unless one is running."""
        if self._measuring:
            return
        self._measuring, self.progress, self._stop = True, None, threading.Event()
        self.desk.measured_by_writing |= writes
        work = partial(
            self.services.measure,
            self.drive,
            measure,
            subject,
            on_progress=self._post,
            stop=self._stop.is_set,
            **options,
        )
        self.desk.later(self, work, self._measured, self._failed)

    def _post(self, progress: MeasureProgress) -> None:
        self.desk.post(self, lambda: setattr(self, "progress", progress))

    def _measured(self, verdict: Verdict) -> None:
        self._measuring, self.verdict = False, verdict
        self.tell("")
        self.settled(verdict)

    def _failed(self, error: DiskwrightError) -> None:
        self._measuring = False
        self.tell(str(error), ui.Tone.WARN)
