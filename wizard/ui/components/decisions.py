"""Decisions available for a run of any kind, actions for findings, and what remains of runs at exit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.apply.local_runs import OpenRun
from wizard.apply.run.journal import RunState
from wizard.apply.run.progress_log import Decision, DecisionChoice, Settling
from wizard.host.services import Services
from wizard.model.errors import DiskwrightError, ExitCode, why_not
from wizard.model.finding import Diagnosis
from wizard.model.machine import Drive, Partition
from wizard.model.said import Sentence, t, tn
from wizard.model.verdict import USUAL_SECONDS
from wizard.plan.partition.move_target import why_not_move
from wizard.plan.refusals import refuse_drive
from wizard.ui import messages as words
from wizard.ui import view as ui

if TYPE_CHECKING:
    from wizard.apply.run.job import NextCommands


def choices_of(services: Services, run: Path, decision: Decision) -> Iterator[ui.Block]:
    """Explain keep, undo and resume, as far as available."""
    for choice in decision.choices:
        said = Sentence("Keep (K): {means}") if choice.way is Settling.KEEP else Sentence("Undo (U): {means}")
        yield ui.para(said(means=choice.means), hang=2)
    if decision.look:
        yield ui.para(decision.look, hang=2)
    if decision.resumes:
        yield ui.para(t("Go on (G): resume where the run stopped."), hang=2)
    if not services.demo:
        yield ui.para(
            ui.muted(
                t("You can decide later. Waiting runs are listed first on Drives.")
                if not services.needs_root
                else decision.later(run)
            )
        )


def with_ways(drives: tuple[str, ...], decision: Decision, ways: NextCommands) -> Decision:
    """Offer exactly the commands that work on the run now."""
    choices = tuple(choice for choice in decision.choices if choice.way in ways.names)
    if Settling.UNDO in ways.names and decision.of(Settling.UNDO) is None:
        choices = (
            *choices,
            DecisionChoice(Settling.UNDO, str(words.UNDO_QUESTION(drives=drives)), str(words.UNDO_EARLY)),
        )
    resumes = "resume" in ways.names
    look = decision.look if choices else ""
    return replace(decision, choices=choices, resumes=resumes, look=look)


RUNNING = "running"


def runs_on(runs: Iterable[OpenRun], drive: Drive, device: str = "") -> tuple[OpenRun, ...]:
    """Return the runs on a partition and its drive, or on any part of the drive without `device`."""
    mine = {drive.path, *(part.path for part in drive.partitions)}
    if device and device != drive.path:
        mine = {drive.path, device}
    return tuple(run for run in runs if mine & set(run.drives))


def waits(run: OpenRun) -> bool:
    """Return True if the run is complete and waits for keep or undo."""
    return run.state != RUNNING and "keep" in run.ways


def blocker(services: Services, runs: Iterable[OpenRun], drive: Drive) -> ui.Text:
    """Return why a drive cannot be set up. Runs come first, since they may have locked the drive."""
    return why_not_now(runs_on(runs, drive)) or why_not(refuse_drive, drive)


def why_not_now(runs: Iterable[OpenRun]) -> ui.Text:
    """Return why these runs block other writes, or an empty text.

    Runs that ended early do not block: if one cannot be undone, the drive could never be set up.
    """
    found = tuple(runs)
    if any(run.state == RUNNING for run in found):
        return words.IS_CHANGED
    if any(map(waits, found)):
        return t("Waiting: keep (K) or undo (U).")
    return ""


TESTED = frozenset({"alignment-4096", "geometry-contradiction", "geometry-usb-4096"})
"""Findings resolved by a measurement of half a minute."""

MISALIGNED = frozenset({"alignment-physical", "alignment-4096"})
"""Findings resolved by moving the partition, after a measurement if uncertain."""

DOUBTED = frozenset({"recording-unknown", "recording-shingled-likely", "recording-contradiction"})
"""Findings that the quick test for shingled recording may resolve."""

BOOTED = frozenset({"boot-may-stop"})
"""Findings resolved by the option nofail in fstab."""

ANSWERED = {"speed": TESTED, "move": MISALIGNED, "shingled": DOUBTED, "nofail": BOOTED}
"""Findings by the action that resolves them."""


def answer_to(code: str) -> str:
    """Return the action that resolves a finding, or an empty string."""
    return next((name for name, codes in ANSWERED.items() if code in codes), "")


def misaligned_found(drive: Drive, diagnosis: Diagnosis, at: str) -> tuple[Partition, ...]:
    """Return the misaligned partitions at a row: one partition, or all of a drive."""
    subjects = {finding.subject for finding in diagnosis.findings if finding.code in MISALIGNED}
    return tuple(part for part in drive.partitions if part.path in subjects and at in (drive.path, part.path))


def without_nofail(diagnosis: Diagnosis, at: str) -> str:
    """Return the first device at a row with which the boot may stop, or an empty string."""
    found = (one.subject for one in diagnosis.findings if one.code in BOOTED and one.commands)
    return next((device for device in found if at in (diagnosis.drive, device)), "")


def answers(
    services: Services, runs: Sequence[OpenRun], at: str, drive: Drive, diagnosis: Diagnosis
) -> Iterator[ui.Action]:
    """Yield the actions for findings at a row, except measurements, which every drive offers."""
    now = why_not_now(runs_on(runs, drive))
    hindered = services.obstacle or now
    if parts := misaligned_found(drive, diagnosis, at):
        label = t("align {count} partitions", count=len(parts))
        if len(parts) == 1:
            label = t("align {part}", part=parts[0].path.removeprefix("/dev/"))
        reasons = [why_not_move(drive, part) for part in parts]
        why_not = services.apply_obstacle or now or (all(reasons) and reasons[0]) or ""
        yield ui.Action("move", "f", label, why_not, aside=True)
    if without_nofail(diagnosis, at):
        yield ui.Action("nofail", "n", t("add nofail"), services.apply_obstacle or now, aside=True)
    if any(finding.code in DOUBTED for finding in diagnosis.findings):
        obstacle = hindered or services.quick_test_obstacle(drive)
        yield ui.Action(
            "shingled", "p", t("test, about {seconds} s", seconds=USUAL_SECONDS), obstacle, aside=True
        )


MOST_RUNS = 4
"""Maximum number of runs listed individually."""


def farewell(services: Services, run: Path | None) -> tuple[str, ...]:
    """Return the state of every open run with the next commands, most urgent first. Empty in the demo."""
    if services.demo:
        return ()

    found = tuple(line for _, line in sorted(_lines(services, run), key=lambda one: one[0]))
    left = len(found) - MOST_RUNS
    return (
        (
            *found[:MOST_RUNS],
            str(
                tn(
                    "1 more run: see `diskwright status`.",
                    "{count} more runs: see `diskwright status`.",
                    count=left,
                )
            ),
        )
        if left > 0
        else found
    )


def _lines(services: Services, own: Path | None) -> Iterator[tuple[int, str]]:
    """Yield priority and line of each run: half-written drives first, then waiting runs, then active ones."""
    from wizard.apply.run_control import left_line

    for run, now, ways in _open(services, own):
        if line := left_line(run, now, ways):
            yield 2 if now is RunState.RUNNING else 1 if Settling.KEEP in ways.names else 0, line


def _open(services: Services, own: Path | None) -> Iterator[tuple[Path, RunState, NextCommands]]:
    """Yield every open run. Includes this session's run even if only root can list runs."""
    from wizard.apply.run.job import NextCommands
    from wizard.apply.run_control import working_ways

    # Only root can read runs started by root.
    with suppress(DiskwrightError, OSError):
        runs = services.open_runs()
        yield from ((one.run, RunState(one.state), NextCommands(one.ways, one.why_not)) for one in runs)
        if own is not None and own not in {one.run for one in runs}:
            now = services.runs.state(own)
            yield own, now, working_ways(own, now)


def exit_code(services: Services, run: Path | None, *, interrupted: bool) -> ExitCode:
    """Return the exit code of the run that was started. Without one, Ctrl+C counts as an error, `q` does
    not."""
    if run is None:
        return ExitCode.ENDED_BY_USER if interrupted else ExitCode.DONE
    from wizard.apply.plan.run_summary import exit_code_of

    return exit_code_of(services.runs.state(run))
