"""Progress of a step: stored next to the journal, read, printed, and never an obstacle."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.ext4.migrations import situation
from wizard.apply.run.journal import Journal, follow
from wizard.apply.run.process import lock_run
from wizard.apply.run.progress_log import (
    FILE,
    ProgressPrinter,
    StepProgress,
    note_progress,
    noting,
    read_progress,
)
from wizard.apply.run.runs import MIGRATION
from wizard.cli.status import row_of
from wizard.ext4.document import MIGRATIONS, make_migration
from wizard.model.run import Event, JournalEntry
from wizard.plan.changes import Way


@pytest.mark.parametrize(
    "progress", [StepProgress(1, 0.0), StepProgress(3, 0.25, 12.5), StepProgress(7, 1.0, 0.0)]
)
def test_recorded_progress_is_read(tmp_path: Path, progress: StepProgress) -> None:
    note_progress(tmp_path, StepProgress(1, 0.1))
    note_progress(tmp_path, progress)
    assert read_progress(tmp_path) == progress
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"step": 1, "share": 1.5, "seconds_left": null}',
        '{"step": 1, "share": 0.5, "seconds_left": -1}',
        "[" * 9999,
    ],
)
def test_implausible_progress_is_ignored(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text)
    assert read_progress(tmp_path) is None


def test_missing_folder_stops_no_run(tmp_path: Path) -> None:
    note_progress(tmp_path / "gone", StepProgress(1, 0.5))
    assert read_progress(tmp_path / "gone") is None


def test_step_part_reports_its_share_and_the_remainder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr("wizard.apply.run.progress_log.monotonic", lambda: now[0])
    note = noting(tmp_path, 4, (0.5, 1.0))
    # What was noted before belongs to other work.
    assert read_progress(tmp_path) == StepProgress(4, 0.5)
    for seconds, share, told in (
        (10.0, 0.5, StepProgress(4, 0.75, 10.0)),
        (0.1, 0.9, StepProgress(4, 0.75, 10.0)),
    ):
        now[0] += seconds
        note(share)
        assert read_progress(tmp_path) == told
    now[0] += 10.0
    note(1.0)
    assert read_progress(tmp_path) == StepProgress(4, 1.0, 0.0)


def test_status_shows_progress_of_an_active_run(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.add(Event.STARTED, "Migrating /dev/sda1 in 6 steps.")
    journal.add(Event.STEP_STARTED, "Check everything.", step=1)
    lock = lock_run(tmp_path)
    (tmp_path / MIGRATION).write_text(MIGRATIONS.render(make_migration(situation(), Way.FULL)))
    told = {
        StepProgress(0, 0.99, 1.0): "Reading or checking is at 99 percent, about 1 s left.",
        StepProgress(1, 0.25, 60.0): "Step 1 is at 25 percent, about 60 s left.",
        StepProgress(1, 0.5): "Step 1 is at 50 percent.",
    }
    for progress, sentence in told.items():
        note_progress(tmp_path, progress)
        assert row_of(tmp_path).sentence == f"Check everything. {sentence}"
    journal.add(Event.STEP_DONE, "Done.", step=1)
    assert row_of(tmp_path).sentence == "Done."
    os.close(lock)
    note_progress(tmp_path, StepProgress(2, 0.5))
    assert row_of(tmp_path).sentence.startswith("Done.")
    assert "percent" not in row_of(tmp_path).sentence


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
    assert len(said) == 2, "finished steps report no progress"


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
