"""Ending the wizard, after a question where something would be lost by it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wizard.desk.asides.asking import Question
from wizard.model.errors import DiskwrightError
from wizard.model.said import t

if TYPE_CHECKING:
    from pathlib import Path

    from wizard.desk.desk import Desk
    from wizard.desk.place import Place
    from wizard.model.said import Said


class Ending(Question):
    """The last question."""

    def __init__(self, desk: Desk, text: Said) -> None:
        super().__init__(desk, t("End the wizard?"), text, t("end"), desk.end, t("stay"), ends=True)


def ending(desk: Desk) -> Place | None:
    """None where nothing would be lost, or where that is asked already: asking to end once more is a yes."""
    if isinstance(desk.place, Ending):
        return None
    text = _run_words(desk, desk.run) if desk.run is not None else _plan_words(desk)
    return Ending(desk, text) if text is not None else None


def _run_words(desk: Desk, run: Path) -> Said | None:
    from wizard.apply.run.journal import RunState

    try:
        state = desk.services.state(run)
    except DiskwrightError:
        return t("Where the run stands is not known; it may go on. `diskwright status` tells.")
    return (
        t("The run goes on without this window. `diskwright status` shows where it stands.")
        if state is RunState.RUNNING
        else None
    )


def _plan_words(desk: Desk) -> Said | None:
    session = desk.session
    planned = session.plan or (session.moving and session.moving.migration)
    if not planned:
        return None
    return (
        t("The plan is not applied, and is gone then. Only measuring has written, to free space.")
        if desk.measured_by_writing
        else t("The plan is not applied, and is gone then. Nothing was written to any drive.")
    )
