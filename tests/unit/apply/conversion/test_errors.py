"""Messages of failed conversions."""

from pathlib import Path

import pytest

from wizard.apply.conversion import commit, job
from wizard.apply.run.job import RunWork
from wizard.apply.run.journal import Journal
from wizard.apply.run.process import Purpose
from wizard.model.errors import BadInput, DiskwrightError, Failed, Refused


@pytest.mark.parametrize(
    ("error", "purpose", "started", "shown"),
    [
        (Failed("Full."), Purpose.APPLY, False, Failed("Full. Nothing was written.")),
        (BadInput("Damaged."), Purpose.APPLY, False, Failed("Damaged. Nothing was written.")),
        (Failed("Full."), Purpose.APPLY, True, Failed("Full.")),
        (Refused("In use."), Purpose.APPLY, False, Refused("In use.")),
        (Failed("Full."), Purpose.UNDO, False, Failed("Full.")),
        (Failed("Full."), Purpose.KEEP, False, Failed("Full.")),
    ],
)
def test_only_a_failed_start_says_that_nothing_was_written(
    error: DiskwrightError,
    purpose: Purpose,
    started: bool,
    shown: DiskwrightError,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(job, "check_state", fail)
    monkeypatch.setattr(commit, "has_started", lambda _: started)
    does = {Purpose.APPLY: job.JOB.apply, Purpose.UNDO: job.JOB.undo, Purpose.KEEP: job.JOB.keep}
    journal = Journal(tmp_path)
    with pytest.raises(type(shown)) as raised:
        does[purpose](RunWork(tmp_path, purpose, journal, ()))
    journal.close()
    assert type(raised.value) is type(shown) and str(raised.value) == str(shown)
