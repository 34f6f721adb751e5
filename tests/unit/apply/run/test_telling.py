"""Periodic progress of a run: only of active steps, and only while the run works."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from wizard.apply.run.journal import Journal, follow
from wizard.apply.run.process import lock_run
from wizard.apply.run.progress_log import ProgressPrinter, StepProgress, note_progress, read_progress
from wizard.model.run import Event, JournalEntry


def telling(*known: StepProgress | None, every_seconds: float = 0.0) -> tuple[ProgressPrinter, list[str]]:
    said: list[str] = []
    left = list(known)
    return ProgressPrinter(lambda: left.pop(0), said.append, every_seconds), said


def entry(event: Event, step: int = 0) -> JournalEntry:
    return JournalEntry("2026-03-14T15:09:26.535+00:00", event, step, "")


def test_active_work_is_reported_continuously() -> None:
    ask, said = telling(
        None,
        StepProgress(2, 0.1),
        StepProgress(2, 0.1),
        StepProgress(2, 0.505, 61.0),
        StepProgress(2, 0.9, 1.0),
    )
    ask.handle(entry(Event.STEP_STARTED, 2))
    for _ in range(4):
        ask()
    assert said == ["Step 2 is at 10 percent.", "Step 2 is at 50 percent, about 61 s left."]
    ask.handle(entry(Event.STEP_DONE, 2))
    ask()
    assert len(said) == 2, "a step that is done is at nothing any more"


def test_reads_and_checks_between_steps_are_reported() -> None:
    ask, said = telling(StepProgress(0, 0.25, 30.0))
    ask()
    assert said == ["Reading or checking is at 25 percent, about 30 s left."]


@pytest.mark.parametrize("wake", [lambda ask: None, lambda ask: ask.handle(entry(Event.COMMAND))])
def test_lines_are_rate_limited(wake: Callable[[ProgressPrinter], None]) -> None:
    ask, said = telling(StepProgress(0, 0.25), every_seconds=3600.0)
    wake(ask)
    ask()
    assert not said


def test_progress_is_polled_while_following_a_run(tmp_path: Path) -> None:
    journal, lock = Journal(tmp_path), lock_run(tmp_path)
    note_progress(tmp_path, StepProgress(1, 0.5))
    said: list[str] = []

    def heard(sentence: str) -> None:
        said.append(sentence)
        journal.close()
        # The process goes.
        os.close(lock)

    ask = ProgressPrinter(lambda: read_progress(tmp_path), heard, 0.0)
    journal.add(Event.STEP_STARTED, "One.", step=1)
    for one in follow(tmp_path, meanwhile=ask):
        ask.handle(one)
    assert said == ["Step 1 is at 50 percent."]
