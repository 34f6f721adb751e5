"""What can be decided about a run of any kind. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from wizard.apply.run.decision import Choice, Decision, Settling
from wizard.desk.words import work as words

if TYPE_CHECKING:
    from wizard.desk.jobs.job import Job


def with_ways(job: Job, decision: Decision, ways: Sequence[str]) -> Decision:
    """What leads on a run that ended early, beside what its own kind offers."""
    choices = decision.choices
    if Settling.UNDO in ways and decision.of(Settling.UNDO) is None:
        drives = tuple(drive.path for drive in job.drives)
        choices = (
            *choices,
            Choice(Settling.UNDO, str(words.UNDO_QUESTION(drives=drives)), str(words.UNDO_EARLY())),
        )
    return replace(decision, choices=choices, resumes=decision.resumes or "resume" in ways)
