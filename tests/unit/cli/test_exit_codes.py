"""Exit codes are a published interface: only successful runs exit with 0."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.unit.documents.test_changes import CHANGES
from wizard.apply.plan.run_summary import exit_code_of
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.journal import Journal, RunState, read_entries
from wizard.apply.run.progress_log import known_so_far
from wizard.apply.run.runs import CHANGES as FILE
from wizard.apply.run.runs import make_run
from wizard.cli import main, status
from wizard.cli.status import narrate
from wizard.model.errors import BadInput, Failed
from wizard.model.run import Event
from wizard.plan.changes import SETTINGS

ROOT = Path(__file__).parents[3]
ENDS = {
    Event.DONE: 0,
    Event.FAILED: 1,
    Event.REFUSED: 3,
    Event.STOPPED: 4,
    Event.STEP_DONE: 4,
    Event.UNDONE: 0,
    Event.KEPT: 0,
    Event.WAITING: 0,
}
"""A run's last word, and how a command ends that followed it; STEP_DONE is the last word of one that was
killed."""


@pytest.fixture
def run(tmp_path: Path) -> Path:
    runs = tmp_path / "runs"
    runs.mkdir(mode=0o700)
    made = make_run(
        runs, (CHANGES.device,), FILE, SETTINGS.render(CHANGES), Environment(fstab=tmp_path / "fstab")
    )
    journal = Journal(made)
    journal.add(Event.STARTED, "Beginning.")
    journal.add(Event.STEP_STARTED, "The first step.", step=1)
    journal.close()
    return made


@pytest.mark.parametrize(("last", "code"), ENDS.items(), ids=[event.value for event in ENDS])
def test_exit_code_follows_the_end_of_a_run(run: Path, last: Event, code: int) -> None:
    Journal(run).end(last, "So it ended.")
    assert narrate(run) == code


def test_every_state_has_its_exit_code() -> None:
    """An active run continues by itself, so the wizard that started it succeeded."""
    well = {RunState.DONE, RunState.WAITING, RunState.UNDONE, RunState.KEPT, RunState.RUNNING}
    assert {state for state in RunState if exit_code_of(state) == 0} == well


def test_interrupted_run_reports_known_facts(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert narrate(run) == 4
    said = " ".join(capsys.readouterr().err.split())
    assert "steps started: 1; finished: none." in said
    assert f"`diskwright resume {run}` continues" in said


def test_missing_journal_differs_from_an_empty_one(run: Path) -> None:
    (run / "journal.jsonl").unlink()
    with pytest.raises(BadInput, match="changes to the drive are unknown"):
        read_entries(run)
    known = known_so_far(run)
    assert "changes to the drive are unknown" in known and "has not written" not in known
    with pytest.raises(Failed, match="changes to the drive are unknown"):
        narrate(run)


def test_status_needs_no_write_access(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`status` creates no file and opens none for writing."""
    real, opened = os.open, []

    def watch(path: object, flags: int, *rest: int, **more: int) -> int:
        opened.append(flags)
        return real(path, flags, *rest, **more)  # type: ignore[arg-type]

    before = sorted(path.name for path in run.iterdir())
    Journal(run).end(Event.FAILED, "So it ended.")
    monkeypatch.setattr(os, "open", watch)
    assert status.row_of(run).state is RunState.FAILED
    assert not any(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) for flags in opened)
    assert sorted(path.name for path in run.iterdir()) == before


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("status", "--journal", "{}"), 0),
        (("frobnicate",), 2),
        (("show", "{}/nowhere.json"), 2),
        (("resume", "--journal", "{}"), 2),
    ],
    ids=lambda words: words[0] if isinstance(words, tuple) else "",
)
def test_commands_without_a_run(tmp_path: Path, words: tuple[str, ...], code: int) -> None:
    argv = (sys.executable, "-m", "wizard", *(word.format(tmp_path) for word in words))
    assert subprocess.run(argv, cwd=ROOT, capture_output=True, check=False).returncode == code


def test_status_lists_the_newest_run_first(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        make_run(run.parent, ("/dev/sdz",), FILE, SETTINGS.render(CHANGES), Environment())
    assert main.main(["status", "--json", "--journal", str(run.parent)]) == 0
    listed = [row["id"] for row in json.loads(capsys.readouterr().out)["runs"]]
    assert listed == sorted(listed, reverse=True) and len(listed) == 3


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_status_breaks_lines_between_words(run: Path, columns: int) -> None:
    long = "Cannot mount /dev/sdz1 at /srv/media: unknown option. " * 4
    row = replace(status.row_of(run), folder="/srv/0001-sda1", sentence=long)
    shown = [*status.row_lines(row, columns)]
    (whole,) = status.row_lines(row, None)
    assert max(map(len, shown)) <= columns and len(whole) > 120
    assert whole.split() == " ".join(shown).split()


def test_run_ended_by_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(_words: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(main, "dispatch", stopped)
    assert main.main(["status"]) == 130


@pytest.mark.parametrize("number", ["EROFS", "EIO", "ENOSPC"])
def test_file_on_a_failing_medium_is_a_sentence(
    number: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def failing(_words: list[str]) -> int:
        raise OSError(getattr(errno, number), "It is unwell", "/srv/file")

    monkeypatch.setattr(main, "dispatch", failing)
    assert main.main(["status"]) == 1
    assert "Cannot use /srv/file: It is unwell." in capsys.readouterr().err
