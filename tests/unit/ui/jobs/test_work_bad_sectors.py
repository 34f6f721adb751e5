"""Places that a move could not read, on the screen of its work."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.ui.live import Live, begun
from wizard.apply.move.bad_sectors import UNREADABLE
from wizard.apply.run.journal import RunState
from wizard.host.services import Services
from wizard.model.ext import JournalEntry
from wizard.ui.jobs.of_changes import RunOutcome
from wizard.ui.jobs.of_plan import PlanJob


def test_bad_sectors_are_gone_over_after_a_question_that_names_them(monkeypatch: pytest.MonkeyPatch) -> None:
    services = Live()
    services.ends = RunState.FAILED
    outcome = PlanJob.outcome
    bad = (UNREADABLE(count=1),)

    def stopped(
        job: PlanJob, services: Services, run: Path, state: RunState, entries: Sequence[JournalEntry]
    ) -> RunOutcome:
        found = outcome(job, services, run, state, entries)
        return replace(found, decision=replace(found.decision, bad_sectors=bad))

    monkeypatch.setattr(PlanJob, "outcome", stopped)
    person = begun(services)
    assert "Skip bad sectors (O)" in person.text
    person.key("O")
    assert person.view.place == "question" and str(bad[0]) in person.text
    assert not services.seen.resumed
    person.key("y")
    assert (services.seen.resumed, services.seen.over) == (1, 1)
