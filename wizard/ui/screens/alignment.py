"""Screen to measure the effect of alignment on a drive."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from wizard.benchmark.alignment import run_alignment_trial
from wizard.benchmark.measure import MeasureProgress as Measured
from wizard.benchmark.scratch import scratch_extents
from wizard.model.errors import why_not
from wizard.model.said import Sentence, t, tn
from wizard.model.verdict import Outcome, Verdict
from wizard.ui.components.reasons import Reason, measured_blocks, verdict_reasons
from wizard.ui.desk import Desk
from wizard.ui.dialogs.measuring import Measuring
from wizard.ui.view import GAP, Action, Banner, Block, Progress, Tone, Values, para

if TYPE_CHECKING:
    from wizard.model.machine import Drive

BUDGET_SECONDS = 30.0
CLAIMED_BYTES, ASSUMED_BYTES = 512, 4096
"""Reported block size, and assumed real block size, in bytes."""

TONES = {Outcome.ALIGNED_FASTER: Tone.WARN, Outcome.NO_DIFFERENCE: Tone.GOOD}


class TrialScreen(Measuring[Measured, Verdict]):
    """Measurement of alignment. The session remembers the result."""

    place = "trial"
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

    def banner(self, verdict: Verdict) -> Banner:
        """Return the result in a sentence."""
        return Banner(verdict.sentence, (), TONES.get(verdict.outcome, Tone.ACCENT))

    def ways(self) -> Iterator[Action]:
        """Yield measurements by reading, by writing, and with larger assumed blocks."""
        obstacle = self.services.obstacle
        key = "m" if self.verdict or obstacle else "enter"
        yield Action("measure", key, t("measure by reading"), obstacle)
        yield Action("write", "p", t("by writing"), obstacle or why_not(scratch_extents, self.drive))
        against = obstacle or ("" if self._may_hide else t("Only for drives that report 512-byte blocks."))
        yield Action("as-large", "4", t("as 4096-byte blocks"), against)

    @property
    def _may_hide(self) -> bool:
        """True if the drive reports 512-byte blocks, which may hide larger ones."""
        geometry = self.drive.geometry
        return geometry is not None and geometry.physical_block_bytes == CLAIMED_BYTES

    def result_blocks(self, verdict: Verdict) -> Iterator[Block]:
        """Show medians, histogram and caveats."""
        yield from measured_blocks(verdict)
        yield from (para(caveat, hang=2) for caveat in verdict.caveats)

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
        if reason := why_not(scratch_extents, self.drive):
            yield para(t("Cannot measure by writing:"), reason)
        else:
            yield para(
                t("The drive has unused free space. Measuring by writing there shows more."), key="write"
            )

    def progress_blocks(self) -> Iterator[Block]:
        """Show the time left and the preliminary result."""
        progress = self.progress
        if progress is None:
            yield Progress(None, t("Starting ..."))
            return
        left = max(0.0, progress.seconds_left)
        yield Progress(
            max(0.0, min(1.0, 1 - left / BUDGET_SECONDS)), t("at most {seconds:time} left", seconds=left)
        )
        if progress.estimate:
            yield para(
                tn(
                    "{count} pair so far: {estimate:.2f} times as long misaligned.",
                    "{count} pairs so far: {estimate:.2f} times as long misaligned.",
                    count=progress.pairs,
                    estimate=progress.estimate,
                )
            )
        else:
            yield para(
                tn(
                    "{count} pair so far, no result yet.",
                    "{count} pairs so far, no result yet.",
                    count=progress.pairs,
                )
            )

    def act_measure(self, _row: str, _values: Values) -> None:
        """Measure by reading."""
        self._start(write=False)

    def act_as_large(self, _row: str, _values: Values) -> None:
        """Measure by reading, with larger blocks than reported."""
        self._start(write=False, physical_bytes=ASSUMED_BYTES)

    def act_write(self, _row: str, _values: Values) -> None:
        """Measure by writing after confirmation with the token."""
        self.ask_token(
            t("Measure by writing?"),
            (para(t("Reads pieces of free space and writes the same bytes back.")),),
            lambda: self._start(write=True),
        )

    def _start(self, *, write: bool, physical_bytes: int | None = None) -> None:
        def measure(on_progress: Callable[[Measured], None], stop: Callable[[], bool]) -> Verdict:
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

    def document(self, verdict: Verdict) -> tuple[str, str]:
        """Return the result with all timings."""
        from wizard.benchmark.results import render_verdict

        return render_verdict(verdict), "benchmark"

    def reasons(self, verdict: Verdict) -> tuple[Reason, ...]:
        """Return the reasons, including published results."""
        return verdict_reasons(verdict)

    def settled(self, verdict: Verdict) -> None:
        """Remember the result in the session."""
        if self.desk.session.drive == self.drive:
            self.desk.session = replace(self.desk.session, verdict=verdict)
