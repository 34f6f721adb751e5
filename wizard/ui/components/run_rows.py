"""Runs of any kind: progress, checks and decisions; also actions for findings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from time import monotonic

from msgspec import Struct
from msgspec.structs import replace

from wizard.apply.engine.record import GOING_BACK, Phase
from wizard.apply.local_runs import OpenRun
from wizard.apply.run.progress_log import StepProgress
from wizard.host.services import Services
from wizard.model.errors import why_not
from wizard.model.finding import Diagnosis
from wizard.model.machine import Drive, Partition
from wizard.model.run import Check, Event, JournalEntry
from wizard.model.said import Message, t, tn
from wizard.model.verdict import USUAL_SECONDS
from wizard.plan.partition.move_target import why_not_move
from wizard.plan.refusals import refuse_drive
from wizard.ui import messages
from wizard.ui import view as ui

PERIOD = 0.9
"""Shortest interval between updates, in seconds."""
MOST_RATES = 60


class RunProgress(Struct, frozen=True):
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

    def turned(self) -> RunProgress:
        """Return the state for the next phase, without the old progress."""
        return replace(self, over=self.progress or self.over)

    def looked(self, progress: StepProgress | None, moved: int) -> RunProgress:
        """Return the updated state, or the same within `PERIOD` of the last update."""
        now = monotonic()
        if now - self.at < PERIOD:
            return self
        rates = self.rates
        if self.at and moved >= self.moved:
            rates = (*rates, (moved - self.moved) / (now - self.at))[-MOST_RATES:]
        return replace(self, progress=progress, rates=rates, moved=moved, at=now)

    def around_steps(self, what: Message) -> ui.Progress:
        """Return the bar for work outside of steps, and for keep and undo."""
        told = self.progress
        if told is None or told.step or told == self.over:
            return ui.Progress(None, t("{what} ...", what=what), self.rates)
        bar = self._bar(told.share, told.seconds_left or 0)
        return replace(bar, said=t("{what}: {said}", what=what, said=bar.said))

    def in_steps(self, seconds: Sequence[float], done: int, working: int) -> ui.Progress:
        """Return the bar over all steps, weighted by estimated durations."""
        count, whole, left = len(seconds), 1.0, 0.0
        if done < count:
            weights = [max(1.0, one) for one in seconds]
            known = self.progress if self.progress and self.progress.step == done + 1 else None
            share = known.share if known else 0.0
            whole = (sum(weights[:done]) + weights[done] * share) / sum(weights)
            left = seconds[done] * (1 - share)
            if known and known.seconds_left is not None:
                left = known.seconds_left
            left += sum(seconds[done + 1 :])
        return self._bar(whole, left, t("step {step} of {count}", step=working, count=count))

    def _bar(self, share: float, left: float, *more: Message) -> ui.Progress:
        time = (t("{left:time} left", left=left),) if left >= 1 else ()
        parts = (t("{percent} %", percent=int(100 * share)), *time, *more)
        return ui.Progress(share, messages.LIST(parts=parts), self.rates)


def doing(phase: Phase | None, *, done: bool) -> Message:
    """Describe the work outside of steps. `phase`: phase of a rehearsed run."""
    if phase in GOING_BACK:
        return messages.UNDOING
    if not done:
        return t("Reading and checking the drive")
    if phase is Phase.REHEARSING:
        return t("Saving old contents")
    if phase in (Phase.SAVED, Phase.CLEARING, Phase.REPLACING):
        return t("Writing and verifying")
    return t("Finishing and checking")


def step_para(number: int, sentence: ui.Text, state: str, more: ui.Text = "") -> ui.Para:
    """Return a step with a mark. `state`: done, failed or begun; anything else is not begun."""
    mark, piece = {
        "done": (ui.good("[x]"), sentence),
        "failed": (ui.danger("[!]"), sentence),
        "begun": (ui.accent("[>]"), ui.strong(sentence)),
    }.get(state, ("[ ]", ui.muted(sentence)))
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
    blocks = []
    for check in checks:
        mark, seen = ui.good("[x]") if check.holds else ui.danger("[!]"), check.seen.strip()
        blocks.append(ui.para(mark, check.what, hang=4))
        if seen and not check.holds:
            blocks.append(ui.para(t("got: {seen}", seen=seen), indent=4, hang=2))
    return ui.Pane(checks_text(checks), tuple(blocks))


RUNNING = "running"


def runs_on(runs: Iterable[OpenRun], drive: Drive, device: str = "") -> tuple[OpenRun, ...]:
    """Return the runs on a partition and the drive, or on any part of the drive without `device`."""
    parts = [part.path for part in drive.partitions] if device in ("", drive.path) else [device]
    mine = {drive.path, *parts}
    return tuple(run for run in runs if mine & set(run.drives))


def waits(run: OpenRun) -> bool:
    """Return True if the run is complete and waits for keep or undo."""
    return run.state != RUNNING and "keep" in run.ways


def state_of(run: OpenRun) -> ui.Piece:
    """Return the state of a run, or why no command works on it."""
    if run.state == RUNNING:
        return ui.accent(messages.IS_CHANGED)
    is_done = run.state in ("waiting", "done")
    said = t("Done, not in use yet. Keep it?") if is_done else t("Not finished. Go on or undo?")
    return ui.warn(run.why_not or said)


def blocker(runs: Iterable[OpenRun], drive: Drive) -> ui.Text:
    """Return why a drive cannot be set up. Runs come first, since they may have locked the drive."""
    return why_not_now(runs_on(runs, drive)) or why_not(refuse_drive, drive)


def why_not_now(runs: Iterable[OpenRun]) -> ui.Text:
    """Return why these runs block other writes, or an empty text.

    Runs that ended early do not block: if one cannot be undone, the drive could never be set up.
    """
    found = tuple(runs)
    if any(run.state == RUNNING for run in found):
        return messages.IS_CHANGED
    if any(map(waits, found)):
        return t("Waiting: keep (K) or undo (U).")
    return ""


MISALIGNED = frozenset({"alignment-physical", "alignment-4096"})
"""Findings resolved by moving the partition, after a measurement if uncertain."""

SPEED, SHINGLED, NOFAIL = "speed", "shingled", "nofail"
ANSWERS = {
    "alignment-4096": SPEED,
    "geometry-contradiction": SPEED,
    "geometry-usb-4096": SPEED,
    "alignment-physical": "move",
    "recording-unknown": SHINGLED,
    "recording-shingled-likely": SHINGLED,
    "recording-contradiction": SHINGLED,
    "boot-may-stop": NOFAIL,
}
"""The action that resolves a finding, by code: a measurement of half a minute, a move, the quick test for
shingled recording, or the option nofail in fstab."""


def misaligned_found(drive: Drive, diagnosis: Diagnosis, at: str) -> tuple[Partition, ...]:
    """Return the misaligned partitions at a row: one partition, or all of a drive."""
    subjects = {finding.subject for finding in diagnosis.findings if finding.code in MISALIGNED}
    return tuple(part for part in drive.partitions if part.path in subjects and at in (drive.path, part.path))


def without_nofail(diagnosis: Diagnosis, at: str) -> str:
    """Return the first device at a row with which the boot may stop, or an empty string."""
    found = (one.subject for one in diagnosis.findings if ANSWERS.get(one.code) == NOFAIL and one.commands)
    return next((device for device in found if at in (diagnosis.drive, device)), "")


def answers(
    services: Services, runs: Sequence[OpenRun], at: str, drive: Drive, diagnosis: Diagnosis
) -> ui.Actions:
    """Yield the actions for findings at a row, except measurements, which every drive offers."""
    now = why_not_now(runs_on(runs, drive))
    if parts := misaligned_found(drive, diagnosis, at):
        reasons = [why_not_move(drive, part) for part in parts]
        why_not = services.apply_obstacle or now or (all(reasons) and reasons[0]) or ""
        yield ui.aside("move", "f", t("align"), why_not)
    if without_nofail(diagnosis, at):
        yield ui.aside("nofail", "n", t("add nofail"), services.apply_obstacle or now)
    if any(ANSWERS.get(finding.code) == SHINGLED for finding in diagnosis.findings):
        obstacle = services.obstacle or now or services.quick_test_obstacle(drive)
        yield ui.aside("shingled", "p", messages.TEST(seconds=USUAL_SECONDS), obstacle)
