"""Screen to measure the effect of alignment on a drive."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from wizard.benchmark.access import MeasureProgress
from wizard.benchmark.alignment import run_alignment_trial
from wizard.benchmark.scratch import scratch_obstacle
from wizard.model.said import Sentence, t
from wizard.model.verdict import Verdict
from wizard.ui.desk import Desk
from wizard.ui.dialogs.measuring import Measuring, ask_token
from wizard.ui.view import GAP, Action, Block, Values, para

if TYPE_CHECKING:
    from wizard.model.machine import Drive

BUDGET_SECONDS = 30.0
CLAIMED_BYTES, ASSUMED_BYTES = 512, 4096
"""Reported block size, and assumed real block size, in bytes."""


class TrialScreen(Measuring[Verdict]):
    """Measurement of alignment. The session remembers the result."""

    place = "trial"
    file = "benchmark"
    title = Sentence("Does alignment matter on {drive}?")
    help = (
        t("Small pieces are read in pairs: one on a block boundary, then one next to the boundary."),
        t(
            "The test ends when the answer is certain, or after {seconds} seconds.",
            seconds=int(BUDGET_SECONDS),
        ),
        t("1.8x (1.6-2.0, 95 %): in 95 of 100 such measurements the true factor lies between 1.6 and 2.0."),
        t("Reading alone never clears a drive, because misalignment slows writes."),
    )

    def __init__(self, desk: Desk, drive: Drive) -> None:
        before = desk.session.verdict if desk.session.drive == drive else None
        super().__init__(desk, drive, before if before and before.drive == drive.path else None)

    def ways(self) -> Iterator[Action]:
        """Yield measurements by reading, by writing, and with larger assumed blocks."""
        obstacle = self.services.obstacle
        key = "m" if self.verdict or obstacle else "enter"
        yield Action("measure", key, t("measure by reading"), obstacle)
        yield Action("write", "p", t("by writing"), obstacle or scratch_obstacle(self.drive))
        why_not = obstacle or ("" if self._may_hide else t("Only for drives that report 512-byte blocks."))
        yield Action("as-large", "4", t("as 4096-byte blocks"), why_not)

    @property
    def _may_hide(self) -> bool:
        """True if the drive reports 512-byte blocks, which may hide larger ones."""
        geometry = self.drive.geometry
        return geometry is not None and geometry.physical_block_bytes == CLAIMED_BYTES

    def possible_blocks(self) -> Iterator[Block]:
        """Describe each available measurement."""
        yield para(t("A read test of at most half a minute. The drive does not change."), key="measure")
        if self._may_hide:
            yield GAP
            yield para(
                t(
                    "The drive reports 512-byte blocks, so misalignment is not possible. Some "
                    "drives hide larger blocks."
                ),
                key="as-large",
            )
        yield GAP
        if reason := scratch_obstacle(self.drive):
            yield para(t("Cannot measure by writing:"), reason)
        else:
            yield para(
                t("The drive has unused free space. Measuring by writing there shows more."), key="write"
            )

    def act_measure(self, _row: str, _values: Values) -> None:
        """Measure by reading."""
        self._start(write=False)

    def act_as_large(self, _row: str, _values: Values) -> None:
        """Measure by reading, with larger blocks than reported."""
        self._start(write=False, physical_bytes=ASSUMED_BYTES)

    def act_write(self, _row: str, _values: Values) -> None:
        """Measure by writing after confirmation with the token."""
        ask_token(
            self.desk,
            self.drive,
            t("Measure by writing?"),
            (para(t("Reads pieces of free space and writes the same bytes back.")),),
            lambda: self._start(write=True),
        )

    def _start(self, *, write: bool, physical_bytes: int | None = None) -> None:
        def measure(on_progress: Callable[[MeasureProgress], None], stop: Callable[[], bool]) -> Verdict:
            return self.services.measure(
                self.drive,
                run_alignment_trial,
                self.drive,
                write=write,
                on_progress=on_progress,
                stop=stop,
                assume_physical_bytes=physical_bytes,
            )

        self.start(measure, writes=write)

    def settled(self, verdict: Verdict) -> None:
        """Remember the result in the session."""
        if self.desk.session.drive == self.drive:
            self.desk.session = replace(self.desk.session, verdict=verdict)
