"""Commands without a matching run."""

from pathlib import Path

import pytest

from tests.unit.apply.run.test_numbers import begin
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
