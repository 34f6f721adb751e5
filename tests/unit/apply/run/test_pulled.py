"""A drive unplugged during a run: a clear error, no crash, and no loss of recorded data."""

from pathlib import Path

import pytest

from tests.made_runs import new_run
from tests.unit.machines import drive
from tests.unit.plan.layouts import plan_for, spec
from wizard.apply.block import devices
from wizard.apply.plan import run as execution
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.job import RunWork
from wizard.apply.run.journal import Journal, read_entries
from wizard.apply.run.process import Purpose
from wizard.apply.run_control import carry_out
from wizard.model.errors import Failed
from wizard.model.run import Event

MISSING = "/dev/no-such-drive"


@pytest.mark.parametrize(
    "ask",
    [
        lambda: devices.read_bytes(MISSING, 0, 512),
        lambda: devices.write_bytes(MISSING, 0, bytes(512)),
        lambda: devices.forget_caches(MISSING),
        lambda: devices.reread_table(MISSING, anew=True),
        lambda: devices.size_bytes(MISSING),
    ],
)
def test_missing_drive_is_reported_in_a_sentence(ask: object) -> None:
    assert callable(ask)
    with pytest.raises(Failed, match=MISSING):
        ask()


@pytest.mark.parametrize(
    "trouble", [Failed("The drive gave up."), OSError(5, "Input/output error"), OSError()]
)
def test_journal_records_the_end_of_a_run_with_a_pulled_drive(
    trouble: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_for(drive(path=MISSING), spec("ext4"))
    run = new_run(tmp_path, plan, Environment())

    def fail(_: object) -> str:
        raise trouble

    monkeypatch.setattr("wizard.apply.plan.guard.check_start", lambda _: None)
    monkeypatch.setattr("wizard.apply.plan.guard.check_surroundings", lambda *_: None)
    monkeypatch.setattr(execution, "execute", fail)
    carry_out(RunWork(run, Purpose.APPLY, Journal(run), ()))
    failed, last = read_entries(run)[-2:]
    assert (failed.event, failed.step, last.event) == (Event.STEP_FAILED, 1, Event.FAILED)
    assert last.sentence.startswith(f"{MISSING} was disconnected")
    assert str(trouble) in failed.sentence and failed.sentence in last.sentence
