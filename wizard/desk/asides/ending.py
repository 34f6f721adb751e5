"""Ending the wizard, after a question where something would be lost by it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wizard.desk.asides.asking import Question
from wizard.desk.asides.words import asking as words
from wizard.model.errors import DiskwrightError

if TYPE_CHECKING:
    from pathlib import Path

    from wizard.desk.desk import Desk
    from wizard.desk.place import Place
    from wizard.model.said import Said


class Ending(Question):
    """The last question."""

    def __init__(self, desk: Desk, text: Said) -> None:
        super().__init__(desk, words.END(), text, words.END_YES(), desk.end, words.END_NO(), ends=True)


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
        return words.RUN_UNKNOWN()
    return words.RUN_GOES_ON() if state is RunState.RUNNING else None


def _plan_words(desk: Desk) -> Said | None:
    session = desk.session
    planned = session.plan or (session.moving and session.moving.migration)
    if not planned:
        return None
    return words.ONLY_MEASURED() if desk.measured_by_writing else words.NOT_APPLIED()
