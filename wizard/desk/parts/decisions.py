"""What can be decided about a run of any kind. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.apply.run.decision import Choice, Decision, Settling
from wizard.desk.places.words import work as words
from wizard.desk.view import Block, muted, para
from wizard.model.said import Sentence, t

if TYPE_CHECKING:
    from wizard.apply.decide import Ways
    from wizard.desk.jobs.job import Job
    from wizard.services.contract import Services


def choices_of(services: Services, run: Path, decision: Decision) -> Iterator[Block]:
    """What each way means, and when and how it can be had."""
    for choice in decision.choices:
        said = (
            Sentence("K keeps it. {means}")
            if choice.way is Settling.KEEP
            else Sentence("U undoes it. {means}")
        )
        yield para(said(means=choice.means), hang=2)
    if decision.look:
        yield para(decision.look, hang=2)
    if decision.resumes:
        yield para(t("G goes on where it stopped."), hang=2)
    if decision.bad_sectors:
        yield para(t("O goes on over the places that cannot be read. Zeros stay there:"), hang=2)
        yield from (para(said, hang=2) for said in decision.bad_sectors)
    if not services.demo:
        yield para(
            muted(
                t("You can decide later. It is listed first on Drives.")
                if not services.needs_root
                else decision.later(run)
            )
        )


def with_ways(job: Job, decision: Decision, ways: Ways) -> Decision:
    """Offer exactly the commands that work on the run now."""
    choices = tuple(choice for choice in decision.choices if choice.way in ways.names)
    if Settling.UNDO in ways.names and decision.of(Settling.UNDO) is None:
        drives = tuple(drive.path for drive in job.drives)
        choices = (
            *choices,
            Choice(Settling.UNDO, str(words.UNDO_QUESTION(drives=drives)), str(words.UNDO_EARLY)),
        )
    resumes = "resume" in ways.names
    bad = decision.bad_sectors if resumes else ()
    look = decision.look if choices else ""
    return replace(decision, choices=choices, resumes=resumes, look=look, bad_sectors=bad)
