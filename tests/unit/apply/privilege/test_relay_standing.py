"""The root process reports progress and the effect of a power cut, outside the journal."""

import io
import json
import os
import threading
import time
from pathlib import Path
from shutil import copyfile

import pytest

from wizard.apply import run_control
from wizard.apply.engine.record import Phase, Record, power_sentence, save_record
from wizard.apply.privilege.ask import Answer, Ask, RootRequest, Say
from wizard.apply.privilege.server import Relay
from wizard.apply.run import process
from wizard.apply.run.job import JobRequest
from wizard.apply.run.journal import Journal, RunState
from wizard.apply.run.progress_log import RunStatus, StepProgress, note_progress
from wizard.apply.run.runs import MIGRATION
from wizard.documents.codec import from_json
from wizard.model.run import Event


def test_state_is_relayed_once_before_events(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    for sentence in ("The first.", "The second."):
        journal.add(Event.SAVED, sentence)
    journal.close()
    note_progress(tmp_path, StepProgress(1, 0.25, 40.0))
    copyfile(Path(__file__).parents[3] / "looks/recorded_moving/migration.json", tmp_path / MIGRATION)
    save_record(tmp_path, Record(Phase.REPLACING, waits=False))
    pipe = io.BytesIO()
    relay = Relay(io.BytesIO(), pipe)
    relay._relay_run(tmp_path)
    told = [from_json(json.loads(line), Answer, "root") for line in pipe.getvalue().splitlines()]
    assert [answer.say for answer in told] == [Say.BEGAN, Say.STANDS, Say.ENTRY, Say.ENTRY, Say.ENDED]
    device = json.loads((tmp_path / MIGRATION).read_text())["device"]
    power = power_sentence(Phase.REPLACING, device)
    assert told[1].status == RunStatus(StepProgress(1, 0.25, 40.0), power=power)
    assert told[-1].state is RunState.INTERRUPTED


def test_progress_of_keep_is_relayed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(tmp_path)
    journal.add(Event.WAITING, "Done, not yet in use.")
    copyfile(Path(__file__).parents[3] / "looks/recorded_moving/migration.json", tmp_path / MIGRATION)
    lock, pipe = process.lock_run(tmp_path), io.BytesIO()

    def keeping() -> None:
        note_progress(tmp_path, StepProgress(0, 0.5, 20.0))
        until = time.monotonic() + 30
        while b"seconds_left" not in pipe.getvalue() and time.monotonic() < until:
            time.sleep(0.02)
        note_progress(tmp_path, StepProgress(0, 1.0, 0.0))
        journal.end(Event.KEPT, "Kept.")
        os.close(lock)

    def hand_over(run: Path, asked: JobRequest) -> int:
        assert asked.purpose is process.Purpose.KEEP
        journal.add(Event.STARTED, "Keeping the result.")
        threading.Thread(target=keeping, daemon=True).start()
        return 1

    monkeypatch.setattr(run_control, "hand_over", hand_over)
    relay = Relay(io.BytesIO(), pipe)
    relay._last = tmp_path
    last = relay._settle(RootRequest(Ask.KEEP))
    told = [from_json(json.loads(line), Answer, "root") for line in pipe.getvalue().splitlines()]
    assert StepProgress(0, 0.5, 20.0) in [answer.status.progress for answer in told if answer.status]
    assert (last.say, last.sentence) == (Say.DONE, "Kept.") and told[-1].say is Say.ENDED
