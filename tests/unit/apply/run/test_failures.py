"""Failures before and during a run: unplugged drives, missing programs, and their messages."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.made_runs import new_run
from tests.unit.machines import drive, machine, unread
from tests.unit.plan.layouts import plan_for, spec
from wizard.apply.block import devices
from wizard.apply.conversion import commit, job
from wizard.apply.engine.scratch_copies import SparseCopy
from wizard.apply.plan import guard
from wizard.apply.plan import run as execution
from wizard.apply.plan.rehearse import explained
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.job import RunWork
from wizard.apply.run.journal import Journal, read_entries
from wizard.apply.run.process import Purpose
from wizard.apply.run_control import carry_out
from wizard.apply.steps import step_context
from wizard.model.errors import BadInput, DiskwrightError, Failed, Refused
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


def unreadable(_copy: SparseCopy) -> None:
    raise Failed("Cannot read /dev/sdx at byte 4096: Input/output error.")


@pytest.mark.parametrize(
    ("check", "said"),
    [
        (SparseCopy.check, "resize2fs ended with status 1"),
        (unreadable, "Cannot read /dev/sdx at byte 4096: Input/output error. Nothing was written"),
    ],
)
def test_failed_read_or_write_is_named_instead_of_the_program(
    monkeypatch: pytest.MonkeyPatch, check: Callable[[SparseCopy], None], said: str
) -> None:
    monkeypatch.setattr(SparseCopy, "check", check)
    with pytest.raises(Failed, match=said), explained((SparseCopy("/dev/loop9"),)):
        raise Failed("resize2fs ended with status 1.")


@pytest.mark.parametrize("environment", [True, False])
def test_missing_libparted_binding_is_explained(environment: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "find", lambda name: f"/sbin/{name}")
    monkeypatch.setattr(guard, "find_spec", lambda _: None)
    monkeypatch.setattr(
        sys, "prefix", "/home/anna/.local/pipx/venvs/diskwright" if environment else sys.base_prefix
    )
    with pytest.raises(Refused) as refused:
        guard.check_tools(plan_for(drive(), spec("ext4")))
    said = str(refused.value)
    assert "libparted binding" in said and said.endswith("Nothing was written.")
    assert ("--system-site-packages" in said) is environment


def test_unresponsive_drive_fails_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    silent = replace(drive(), unread=(unread("drive", "Did not answer within 60 s."),))
    monkeypatch.setattr(step_context, "probe_machine", lambda paths, seconds: machine(silent))
    with pytest.raises(Failed, match="Cannot read /dev/sda again: Did not answer within 60 s"):
        step_context.look_at_all(["/dev/sda"])


def test_other_read_errors_do_not_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    known = replace(drive(), unread=(unread("smart", "Smartctl is not installed."),))
    monkeypatch.setattr(step_context, "probe_machine", lambda paths, seconds: machine(known))
    assert step_context.look_at_all(["/dev/sda"]) == (known,)
