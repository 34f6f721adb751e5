"""What whoever leaves the wizard takes along."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from wizard.model.errors import DiskwrightError, ExitCode
from wizard.model.said import tn

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from wizard.apply.decide import Ways
    from wizard.apply.run.journal import RunState
    from wizard.desk.desk import Desk

MOST_RUNS = 4
"""Lines with a run each; the others are counted."""


def farewell(desk: Desk) -> tuple[str, ...]:
    """How every run stands that is not over, with the commands that lead on, what matters most first; none in
    the demo."""
    if desk.services.demo:
        return ()

    found = tuple(line for _, line in sorted(_lines(desk), key=lambda one: one[0]))
    left = len(found) - MOST_RUNS
    return (
        (
            *found[:MOST_RUNS],
            str(
                tn(
                    "1 more run: `diskwright status` lists it.",
                    "{count} more runs: `diskwright status` lists them.",
                    count=left,
                )
            ),
        )
        if left > 0
        else found
    )


def _lines(desk: Desk) -> Iterator[tuple[int, str]]:
    """A line on each run, and how little it matters. A drive that was left half done comes first, then what
    waits, then what goes on by itself."""
    from wizard.apply.decide import left_line
    from wizard.apply.run.decision import Settling
    from wizard.apply.run.journal import RunState

    for run, now, ways in _open(desk):
        if line := left_line(run, now, ways):
            yield 2 if now is RunState.RUNNING else 1 if Settling.KEEP in ways.names else 0, line


def _open(desk: Desk) -> Iterator[tuple[Path, RunState, Ways]]:
    """Every run that is not over; the session's own also where only root can list the runs."""
    from wizard.apply.decide import Ways, working_ways
    from wizard.apply.run.journal import RunState

    # A run that root began is root's to read.
    with suppress(DiskwrightError, OSError):
        runs = desk.services.open_runs()
        yield from ((one.run, RunState(one.state), Ways(one.ways, one.why_not)) for one in runs)
        if desk.run is not None and desk.run not in {one.run for one in runs}:
            now = desk.services.state(desk.run)
            yield desk.run, now, working_ways(desk.run, now)


def exit_code(desk: Desk) -> ExitCode:
    """How the wizard ends: by the run that was begun; ended by the person where none was."""
    if desk.run is None:
        return ExitCode.ENDED_BY_USER
    from wizard.apply.plan.steps_told import exit_code_of

    return exit_code_of(desk.services.state(desk.run))
