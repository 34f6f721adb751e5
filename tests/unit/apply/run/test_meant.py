"""Commands without a matching run, and the summary of a run on leaving the wizard."""

from pathlib import Path

import pytest

from tests.unit.apply.run.test_numbers import begin
from wizard.apply.run.job import NextCommands
from wizard.apply.run.journal import RunState
from wizard.apply.run_control import left_line
from wizard.cli.runs import choose_run
from wizard.model.errors import Refused


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("look", r"No run in .* is waiting\. .* mount it read-only"),
        ("keep", r"Cannot keep: .* \(newest: 0001-sda, interrupted\)\. `diskwright status`"),
    ],
)
def test_missing_run_argument_names_the_newest_run(tmp_path: Path, command: str, said: str) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    begin(runs, tmp_path / "fstab")
    with pytest.raises(Refused, match=said):
        choose_run(None, command, runs)


def test_run_is_named_at_exit_with_its_commands(tmp_path: Path) -> None:
    waits = left_line(tmp_path, RunState.WAITING, NextCommands(("keep", "undo")))
    assert waits.startswith(f"The run {tmp_path.name} is done, not in use yet: sudo diskwright keep ")
    assert ", or sudo diskwright undo " in waits
    early = left_line(tmp_path, RunState.INTERRUPTED, NextCommands(("resume", "undo")))
    assert "is unfinished: sudo diskwright resume " in early
    assert "`diskwright status " in left_line(tmp_path, RunState.RUNNING, NextCommands())
    assert (
        left_line(tmp_path, RunState.DONE, NextCommands())
        == left_line(tmp_path, RunState.KEPT, NextCommands())
        == ""
    )
