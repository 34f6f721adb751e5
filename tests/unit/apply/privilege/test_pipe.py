"""Input from an ordinary user's process: it cannot block the root process or redirect its writes."""

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
from wizard.apply.local_runs import LocalRuns
from wizard.apply.privilege import server
from wizard.apply.privilege.ask import LONGEST_LINE, Answer, Ask, RootRequest, Say, as_line
from wizard.apply.privilege.server import MOST_WAITING, Relay, root_only_folder
from wizard.apply.run import process
from wizard.apply.run.job import JobRequest, Start
from wizard.apply.run.journal import Journal, RunState
from wizard.apply.run.process import Purpose
from wizard.apply.run.progress_log import RunStatus, StepProgress, note_progress
from wizard.apply.run.runs import MIGRATION
from wizard.documents.codec import from_json
from wizard.model.errors import DiskwrightError, Refused
from wizard.model.requests import CopyFiles, Detach, Wanted
from wizard.model.run import Event
from wizard.plan.changes import RunDocument


class Kept(io.BytesIO):
    """A pipe that records writes, or fails with an error."""

    def __init__(self, error: type[OSError] | None = None) -> None:
        super().__init__()
        self._error = error

    def write(self, data: bytes) -> int:  # type: ignore[override]
        if self._error:
            raise self._error
        return super().write(data)


def served(asked: bytes, told: io.BytesIO) -> bool:
    """Return True if the root process ends by itself after this input."""
    thread = threading.Thread(target=Relay(io.BytesIO(asked), told).serve, daemon=True)
    thread.start()
    thread.join(timeout=10)
    return not thread.is_alive()


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\n",
        b"{",
        b"[]\n",
        b"null\n",
        b"\xff\xfe\n",
        b"[" * 100_000 + b"\n",
        b'{"ask":' * 100_000 + b"\n",
        b"9" * 100_000 + b"\n",
        b"x" * (LONGEST_LINE + 1),
        b'{"ask": "root"}\n',
        b'{"ask": "look", "paths": [1]}\n',
        b'{"ask": "apply", "environment": {"PATH": "/home"}}\n',
        b'{"ask": "stop"}\n',
    ],
    ids=range(14),
)
def test_no_line_blocks_the_root_process(line: bytes) -> None:
    told = Kept()
    assert served(line, told)
    assert told.getvalue() == as_line(Answer(Say.ROOT))


def test_unwritable_stop_does_not_block_the_root_process(tmp_path: Path) -> None:
    asked = Relay(io.BytesIO(as_line(RootRequest(Ask.STOP))), Kept())
    asked._run = tmp_path / "gone"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threading, "excepthook", lambda _: None)
        thread = threading.Thread(target=asked.serve, daemon=True)
        thread.start()
        thread.join(timeout=10)
    assert not thread.is_alive()


def test_requests_do_not_pile_up_in_memory_of_root() -> None:
    flood = as_line(RootRequest(Ask.LOOK))
    pipe = io.BytesIO(flood * 1000)
    Relay(pipe, Kept())._read()
    assert pipe.tell() == len(flood) * MOST_WAITING


@pytest.mark.parametrize("error", [BrokenPipeError, BlockingIOError])
def test_unwritable_pipe_does_not_end_the_server(
    error: type[OSError], monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[object] = []

    def look(paths: object) -> None:
        looked.append(paths)

    monkeypatch.setattr(server, "survey", look)
    assert served(as_line(RootRequest(Ask.LOOK)) * 2, Kept(error)) and looked == [None, None]


def test_folder_for_the_run_belongs_to_root_alone(tmp_path: Path) -> None:
    assert root_only_folder(str(tmp_path / "new" / "runs")) == tmp_path / "new" / "runs"
    (tmp_path / "link").symlink_to(tmp_path)
    (tmp_path / "dangling").symlink_to(tmp_path / "nothing")
    for place, mode in (("shared", 0o775), ("open", 0o777), ("sticky", 0o1777)):
        (tmp_path / place).mkdir()
        (tmp_path / place).chmod(mode)
    for hostile in (
        "link/runs",
        "dangling",
        "dangling/runs",
        "shared",
        "open/runs",
        "sticky",
        "sticky/runs",
        "new/../runs",
        "a\0b",
        "a\ud800",
    ):
        with pytest.raises(Refused, match="users other than root could replace"):
            root_only_folder(f"{tmp_path}/{hostile}")
    with pytest.raises(Refused):
        root_only_folder("runs")


def test_folder_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = tmp_path.stat().st_uid
    if owner:
        monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    else:
        os.chown(tmp_path, 65534, 65534)
    with pytest.raises(Refused, match="users other than root"):
        root_only_folder(str(tmp_path / "runs"))


def test_only_copies_are_planned_for_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    planned = list[tuple[str, Wanted | CopyFiles]]()

    def work_out(_: LocalRuns, device: str, wanted: Wanted | CopyFiles) -> RunDocument:
        planned.append((device, wanted))
        raise Refused("Seen.")

    monkeypatch.setattr(LocalRuns, "work_out", work_out)
    relay, copy = Relay(io.BytesIO(), io.BytesIO()), CopyFiles("/home/a", "/srv/b")
    for wanted, why in ((Detach(), "is not a device"), (None, "is not a device"), (copy, "Seen.")):
        with pytest.raises(DiskwrightError, match=why):
            relay._answer(RootRequest(Ask.WORK_OUT, device="/srv/b", wanted=wanted))
    assert planned == [("/srv/b", copy)]


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


def test_passphrase_is_not_in_logs() -> None:
    asked = (
        JobRequest(Purpose.APPLY, secret=b"open sesame"),
        Start((), Path(), secret=b"open sesame"),
        RootRequest(Ask.APPLY, secret="open sesame"),
    )
    assert "sesame" not in repr(asked)
