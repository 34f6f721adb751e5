"""Progress of a step, stored next to the journal: written, read, and never an obstacle."""

import os
from pathlib import Path

import pytest

from tests.unit.ext4.migrations import situation
from wizard.apply.run.journal import Journal
from wizard.apply.run.process import lock_run
from wizard.apply.run.progress_log import FILE, StepProgress, note_progress, noting, read_progress
from wizard.apply.run.runs import MIGRATION
from wizard.cli.status import row_of
from wizard.ext4.document import MIGRATIONS, make_migration
from wizard.model.run import Event
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
