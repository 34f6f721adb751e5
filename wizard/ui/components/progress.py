"""Progress of a run as last seen, with its steps and checks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from wizard.apply.engine.record import GOING_BACK, Phase
from wizard.model.errors import printable
from wizard.model.run import Check, Event, JournalEntry
from wizard.model.said import t, tn
from wizard.ui import messages as words
from wizard.ui import view as ui

if TYPE_CHECKING:
    from wizard.apply.run.progress_log import StepProgress
    from wizard.host.services import Services
    from wizard.model.said import Message

PERIOD = 1.0
"""Interval between updates, in seconds."""
MOST_RATES = 60


@dataclass(frozen=True, slots=True)
class ProgressState:
    """Progress of a run at the last update.

    `rates` are recent speeds in bytes per second. `moved` are the bytes transferred by the drives until `at`,
    a monotonic time in seconds. `over` is the last report of finished work.
    """

    followed: bool = False
    progress: StepProgress | None = None
    rates: tuple[float, ...] = ()
    moved: int = 0
    at: float = 0.0
    over: StepProgress | None = None

    def turned(self) -> ProgressState:
        """Return the state for the next phase, without the old progress."""
        return replace(self, over=self.progress or self.over)

    @property
    def around(self) -> StepProgress | None:
        """Progress before the first step or after the last, or None."""
        told = self.progress
        return told if told is not None and told.step == 0 and told != self.over else None

    def looked(self, services: Services, run: Path, paths: Sequence[str]) -> ProgressState | None:
        """Return the updated state, or None within `PERIOD` of the last update."""
        now = monotonic()
        if now - self.at < PERIOD:
            return None
        moved = services.traffic(paths)
        rates = self.rates
        if self.at and moved >= self.moved:
            rates = (*rates, (moved - self.moved) / (now - self.at))[-MOST_RATES:]
        return replace(
            self,
            progress=services.runs.status(run).progress,
            rates=rates,
            moved=moved,
            at=now,
        )


def doing(phase: Phase | None, *, done: bool) -> Message:
    """Describe the work outside of steps. `phase` is that of a rehearsed run."""
    if phase in GOING_BACK:
        return words.UNDOING
    if not done:
        return t("Reading and checking the drive")
    if phase is Phase.REHEARSING:
        return t("Saving old contents")
    return (
        t("Writing and verifying")
        if phase in (Phase.SAVED, Phase.CLEARING, Phase.REPLACING)
        else t("Finishing and checking")
    )


def progress_around(standing: ProgressState, what: Message) -> ui.Progress:
    """Return the bar for work outside of steps, and for keep and undo."""
    told = standing.around
    if told is None:
        return ui.Progress(None, t("{what} ...", what=what), standing.rates)
    percent, left = int(100 * told.share), told.seconds_left
    if left is None or left < 1:
        said = t("{what}: {percent} %", what=what, percent=percent)
    else:
        said = t("{what}: {percent} %, {left:time} left", what=what, percent=percent, left=left)
    return ui.Progress(told.share, said, standing.rates)


def progress_in_steps(
    standing: ProgressState, seconds: Sequence[float], done: int, working: int
) -> ui.Progress:
    """Return the bar over all steps, weighted by estimated durations."""
    count = len(seconds)
    percent, left = _percent_of(seconds, done, standing.progress)
    if left >= 1:
        said = t(
            "{percent} %, {left:time} left, step {step} of {count}",
            percent=percent,
            left=left,
            step=working,
            count=count,
        )
    else:
        said = t("{percent} %, step {step} of {count}", percent=percent, step=working, count=count)
    return ui.Progress(percent / 100, said, standing.rates)


def _percent_of(seconds: Sequence[float], done: int, progress: StepProgress | None) -> tuple[int, float]:
    """Return percentage done and seconds left, from the estimated durations of the steps.

    Uses `progress` for the current step if available.
    """
    weights = [max(1.0, one) for one in seconds]
    if done >= len(weights):
        return 100, 0.0
    known = progress if progress is not None and progress.step == done + 1 else None
    share = known.share if known else 0.0
    percent = int(100 * (sum(weights[:done]) + weights[done] * share) / sum(weights))
    this = seconds[done] * (1 - share) if known is None or known.seconds_left is None else known.seconds_left
    return percent, this + sum(seconds[done + 1 :])


def step_para(number: int, sentence: ui.Text, state: str, more: ui.Text = "") -> ui.Para:
    """Return a step with a mark. `state`: done, failed or begun; anything else is not begun."""
    mark, piece = {
        "done": (ui.Piece("[x]", ui.Tone.GOOD), ui.Piece(sentence)),
        "failed": (ui.Piece("[!]", ui.Tone.DANGER), ui.Piece(sentence)),
        "begun": (ui.Piece("[>]", ui.Tone.ACCENT), ui.strong(sentence)),
    }.get(state, (ui.Piece("[ ]"), ui.muted(sentence)))
    return ui.para(mark, f"{number}.", piece, ui.muted(more), hang=4)


def checks_of(entries: Iterable[JournalEntry]) -> tuple[Check, ...]:
    """Return the checks since the last start. A resumed run repeats all checks."""
    found: list[Check] = []
    for entry in entries:
        if entry.event is Event.STARTED:
            found = []
        elif entry.event in (Event.VERIFIED, Event.NOT_VERIFIED):
            found.append(Check(entry.sentence, entry.event is Event.VERIFIED, entry.output))
    return tuple(found)


def checks_text(checks: Sequence[Check]) -> Message:
    """Return how many checks passed."""
    holding = sum(check.holds for check in checks)
    if holding == len(checks):
        return tn("Check passed", "All {count} checks passed", count=holding)
    return t("Passed: {holding} of {count}", holding=holding, count=len(checks))


def checks_pane(checks: Sequence[Check], brief: ui.Text = "") -> ui.Pane:
    """List the checks, with the results of failed ones. If all hold, show only the `brief` sentence, if
    any."""
    if brief and all(check.holds for check in checks):
        return ui.Pane(checks_text(checks), (ui.para(brief),))
    return ui.Pane(checks_text(checks), tuple(block for check in checks for block in _check_blocks(check)))


def _check_blocks(check: Check) -> Iterator[ui.Block]:
    mark = ui.Piece("[x]", ui.Tone.GOOD) if check.holds else ui.Piece("[!]", ui.Tone.DANGER)
    yield ui.para(mark, printable(check.what, 400), hang=4)
    if not check.holds and check.seen.strip():
        yield ui.para(t("got: {seen}", seen=check.seen.strip()), indent=4, hang=2)
