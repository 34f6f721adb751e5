"""Benchmark dialogs: start, watch, stop and read. Alignment, and the quick test for shingled recording."""

import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar, Generic, TypeVar

from wizard.benchmark import smr_probe
from wizard.benchmark.access import MeasureProgress
from wizard.benchmark.alignment import run_alignment_trial
from wizard.benchmark.results import BenchmarkResult, render_verdict
from wizard.benchmark.scratch import scratch_extents
from wizard.benchmark.smr_probe import UNCONFIRMED
from wizard.model.errors import why_not
from wizard.model.machine import Drive
from wizard.model.said import Sentence, t
from wizard.model.verdict import USUAL_SECONDS, DisplacedVerdict, Verdict
from wizard.ui import messages
from wizard.ui import view as ui
from wizard.ui.components import measured
from wizard.ui.desk import Desk, Screen
from wizard.ui.dialogs.asking import ask_tokens, save
from wizard.ui.dialogs.pages import Page

MEASURE = t("measure")
BY_WRITING = t("Measure by writing?")
Measured = TypeVar("Measured", bound="BenchmarkResult")


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


class Measuring(Screen, Generic[Measured]):
    """A measurement of a drive. `verdict` is the last result, of an earlier screen too if `remembers` is its
    class."""

    file: ClassVar[str]
    """End of the name of a saved result."""

    asks: ClassVar[Sentence]
    remembers: type[Measured] | None = None

    def __init__(self, desk: Desk, drive: Drive, title: ui.Text | None = None) -> None:
        super().__init__(desk)
        self.drive = drive
        self.title = title or self.asks(drive=ui.short(drive.path))
        self.verdict: Measured | None = None
        if self.remembers:
            self.verdict = self.services.remembered(drive, self.remembers)
        self.progress: MeasureProgress | None = None
        self._stop = threading.Event()

    @property
    def _obstacle(self) -> str:
        return self.services.obstacle

    def _possible(self) -> ui.Blocks:
        return ()

    def _ways(self) -> ui.Actions:
        return ()

    def left(self) -> None:
        self._stop.set()

    @property
    def may_leave(self) -> bool:
        return not self.doing

    def _above(self) -> ui.Blocks:
        if self.verdict and not self.doing:
            yield measured.verdict_banner(self.verdict)

    def _panes(self) -> ui.Panes:
        yield ui.Pane("", tuple(self._blocks()))

    def _actions(self) -> ui.Actions:
        if self.doing:
            yield ui.ending("stop", "S", messages.STOP)
            yield ui.Action("back", "escape", messages.BACK, self.doing)
            return
        if closing := self._closing():
            yield closing
        yield from self._ways()
        if self.verdict:
            yield ui.Action("save", "s", messages.SAVE)
            yield ui.Action("why", "w", messages.WHY)

    def _closing(self) -> ui.Action | None:
        return ui.Action("back", "enter", messages.BACK) if self.verdict or self._obstacle else None

    def _blocks(self) -> ui.Blocks:
        if self.doing:
            if progress := self.progress:
                left = t("at most {seconds:time} left", seconds=progress.seconds_left)
                yield ui.Progress(max(0.0, min(1.0, progress.share)), left)
                yield from map(ui.para, progress.said)
            else:
                yield ui.Progress(None, t("Starting ..."))
        elif self.verdict:
            yield from measured.verdict_blocks(self.verdict)
        elif obstacle := self._obstacle:
            yield ui.warning(messages.CANNOT, obstacle)
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
            self.open(Page, self.title, measured.verdict_page(self.verdict))

    def start(
        self, measure: Callable[..., Measured], subject: object, *, writes: bool = False, **options: object
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

    def _measured(self, verdict: Measured) -> None:
        self.verdict = verdict
        self.services.remember(self.drive, verdict)
        self.tell("")


CLAIMED_BYTES, ASSUMED_BYTES = 512, 4096
"""Reported block size, and assumed real block size, in bytes."""


class TrialScreen(Measuring[Verdict]):
    """Measurement of alignment."""

    place = "trial"
    file = "benchmark"
    asks = Sentence("Does alignment matter on {drive}?")
    remembers = Verdict
    help = (
        t("Small pieces are read in pairs: one on a block boundary, then one next to the boundary."),
        t("1.8x (1.6-2.0, 95 %): in 95 of 100 such measurements the true factor lies between 1.6 and 2.0."),
        t("Reading alone never clears a drive, because misalignment slows writes."),
    )

    def _ways(self) -> ui.Actions:
        obstacle = self._obstacle
        key = "m" if self.verdict or obstacle else "enter"
        yield ui.Action("measure", key, t("measure by reading"), obstacle)
        yield ui.Action("write", "p", measured.BY_WRITING, obstacle or why_not(scratch_extents, self.drive))
        against = obstacle or ("" if self._may_hide else t("Only for drives that report 512-byte blocks."))
        yield ui.Action("as-large", "4", t("as 4096-byte blocks"), against)

    @property
    def _may_hide(self) -> bool:
        geometry = self.drive.geometry
        return geometry is not None and geometry.physical_block_bytes == CLAIMED_BYTES

    def _possible(self) -> ui.Blocks:
        yield ui.para(t("A read test of at most half a minute. The drive does not change."), key="measure")
        if self._may_hide:
            yield ui.GAP
            yield ui.para(
                t(
                    "The drive reports 512-byte blocks, so misalignment is not possible. Some "
                    "drives hide larger blocks."
                ),
                key="as-large",
            )
        yield ui.GAP
        if reason := why_not(scratch_extents, self.drive):
            yield ui.para(t("Cannot measure by writing:"), reason)
        else:
            yield ui.para(
                t("The drive has unused free space. Measuring by writing there shows more."), key="write"
            )

    def act_measure(self) -> None:
        self.start(run_alignment_trial, self.drive, write=False)

    def act_as_large(self) -> None:
        self.start(run_alignment_trial, self.drive, write=False, assume_physical_bytes=ASSUMED_BYTES)

    def act_write(self) -> None:
        ask_token(
            self.desk,
            self.drive,
            BY_WRITING,
            (ui.para(t("Reads pieces of free space and writes the same bytes back.")),),
            lambda: self.start(run_alignment_trial, self.drive, writes=True, write=True),
        )


class ShingledTest(Measuring[DisplacedVerdict]):
    """Quick test. The result is added to the facts about the drive."""

    place = "displaced"
    file = "shingled-test"
    asks = Sentence("Is {drive} shingled?")
    remembers = DisplacedVerdict
    help = (
        t(
            "Blocks form adjacent pairs. One block of each pair is written, chosen at random. On a "
            "conventional drive, both blocks then read alike, regardless of speed, age or load."
        ),
        t(
            "Some server drives also store small writes elsewhere, but move them back soon. So the test "
            "checks twice."
        ),
    )

    @property
    def _obstacle(self) -> str:
        return super()._obstacle or self.services.quick_test_obstacle(self.drive)

    def _ways(self) -> ui.Actions:
        over = bool(self.verdict or self._obstacle)
        label = messages.TRY_AGAIN if self.verdict else messages.TEST(seconds=USUAL_SECONDS)
        yield ui.Action("test", "p" if over else "enter", label, self._obstacle)

    def _possible(self) -> ui.Blocks:
        yield from self._preview()
        yield ui.GAP
        yield ui.warning(UNCONFIRMED)
        yield ui.para(t("This test cannot prove that a drive is not shingled."))

    def _preview(self) -> ui.Blocks:
        size = smr_probe.WRITES * (smr_probe.block_bytes(self.drive) if self.drive.geometry else 0)
        yield ui.para(
            t("A shingled drive first writes small pieces to another place. This test looks for that effect.")
        )
        yield ui.para(
            t(
                "The test reads {count} small blocks across free space and writes the same "
                "bytes back, {size:exact} in all.",
                count=smr_probe.WRITES,
                size=size,
            )
        )
        yield ui.para(
            t(
                "Then it reads the blocks and their neighbours again and compares times. "
                "Expect about {usual} s, at most {most} s.",
                usual=USUAL_SECONDS,
                most=round(smr_probe.SECONDS),
            )
        )
        yield ui.para(t("No byte changes, and the drive's write cache is not disabled."))
        yield ui.para(
            t(
                "A power loss during the test may damage data in free space, such as files "
                "you hope to recover."
            )
        )

    def act_test(self) -> None:
        def start() -> None:
            self.start(smr_probe.run_smr_probe, self.drive, writes=True, patterns=self.services.patterns)

        ask_token(self.desk, self.drive, BY_WRITING, tuple(self._preview()), start)

    def _measured(self, verdict: DisplacedVerdict) -> None:
        super()._measured(verdict)
        self.desk.touched = True
