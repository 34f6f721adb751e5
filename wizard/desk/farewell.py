"""What whoever leaves the wizard takes along."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wizard.model.errors import DiskwrightError, ExitCode

if TYPE_CHECKING:
    from wizard.desk.desk import Desk


def farewell(desk: Desk) -> tuple[str, ...]:
    """How the run stands that was begun or looked at, with the commands that lead on; none in the demo."""
    if desk.run is None or desk.services.demo:
        return ()
    from wizard.apply.decide import left_words

    try:
        return left_words(desk.run, desk.services.state(desk.run))
    except (DiskwrightError, OSError):
        # A run that root began is root's to read.
        return ()


def exit_code(desk: Desk) -> ExitCode:
    """How the wizard ends: by the run that was begun; ended by the person where none was."""
    if desk.run is None:
        return ExitCode.ENDED_BY_USER
    from wizard.apply.plan.steps_told import exit_code_of

    return exit_code_of(desk.services.state(desk.run))
