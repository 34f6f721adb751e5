"""The commands that `status` suggests for a run, by its state."""

from pathlib import Path

import pytest

from tests.unit.apply.run.test_numbers import begin
from wizard.apply import run_control
from wizard.apply.engine.record import DriveChange, Phase, Record, power_sentence, save_record
from wizard.apply.engine.stores import new_file, old_file
from wizard.apply.run.job import LEFT_OFF
from wizard.apply.run.journal import Journal, RunState
from wizard.apply.run.process import UNDOING
from wizard.apply.run.runs import STATE, command_on, run_argument
from wizard.apply.run_control import is_not_yet
from wizard.cli.status import RunRow, row_lines
from wizard.model.run import Event
from wizard.report.gather import RunRecord
from wizard.report.page import run_facts
from wizard.ui.view import Para

FORWARD_ONLY = (Phase.RELEASED, Phase.KEPT)
BACK_ONLY = (Phase.CLEARING_BACK, Phase.REPLACING_BACK, Phase.RELEASING_BACK)
OVER = (Phase.UNDONE, Phase.LEFT)
UNTOLD = (Phase.REHEARSING, Phase.SAVED, Phase.UNKNOWN)


def ways(run: Path, now: RunState) -> list[str]:
    """Return the suggested commands without the run's name."""
    named = run_control.job_of(run).commands(run, now)
    assert all(str(run) in command_on(way, run) for way in named)
    return list(named)


@pytest.mark.parametrize("phase", Phase)
@pytest.mark.parametrize("now", sorted(LEFT_OFF))
def test_unfinished_run_suggests_a_command_in_every_phase(
    tmp_path: Path, phase: Phase, now: RunState
) -> None:
    """Only a finished run needs no command."""
    save_record(tmp_path, Record(phase))

    wanted = ["resume", "undo"]
    if phase in FORWARD_ONLY:
        wanted = ["resume"]
    elif phase in BACK_ONLY:
        wanted = ["undo"]
    elif phase in OVER:
        wanted = []
    assert ways(tmp_path, now) == wanted


def test_begun_undo_cannot_resume(tmp_path: Path) -> None:
    """In any phase."""
    save_record(tmp_path, Record(Phase.SAVED))
    (tmp_path / UNDOING).touch()

    assert ways(tmp_path, RunState.INTERRUPTED) == ["undo"]


@pytest.mark.parametrize("now", sorted(LEFT_OFF))
def test_run_with_old_content_waits_after_any_failure(tmp_path: Path, now: RunState) -> None:
    """As after `keep` without the drive attached: a run that can be kept is not called incomplete."""
    change = DriveChange("/dev/sdx", 4096, (), (), (), "", "", "", blank=False)
    save_record(tmp_path, Record(Phase.HIDDEN, (change,)))
    (tmp_path / "engine").mkdir()
    for file in (old_file(tmp_path, 0), new_file(tmp_path, 0)):
        file.touch()

    assert ways(tmp_path, now) == ["keep", "undo"]
    new_file(tmp_path, 0).unlink()
    assert ways(tmp_path, now) == ["undo"]


def test_waiting_run_is_kept_or_undone(tmp_path: Path) -> None:
    """An active or finished run suggests no command."""
    save_record(tmp_path, Record(Phase.HIDDEN))

    assert ways(tmp_path, RunState.WAITING) == ["keep", "undo"]
    for now in (RunState.RUNNING, RunState.DONE, RunState.KEPT, RunState.UNDONE):
        assert ways(tmp_path, now) == []


@pytest.mark.parametrize("phase", sorted(set(Phase) - {*OVER, *UNTOLD, Phase.HIDDEN}))
def test_power_cut_sentence_names_the_later_command(tmp_path: Path, phase: Phase) -> None:
    """This includes the release, when new content is visible but not yet mounted."""
    save_record(tmp_path, Record(phase))

    first = ways(tmp_path, RunState.INTERRUPTED)[0]
    assert f"`diskwright {first}`" in power_sentence(phase, "/dev/sdx")


def test_run_in_use_mentions_no_power_cut(tmp_path: Path) -> None:
    """The journal decides, since the record becomes `kept` before anything is mounted."""
    run = tmp_path / begin(tmp_path, tmp_path / "fstab")
    save_record(run, Record(Phase.KEPT))
    assert "would have the planned contents" in run_control.job_of(run).power(run)
    journal = Journal(run)
    journal.end(Event.KEPT, "It is mounted.")
    assert run_control.job_of(run).power(run) == ""


@pytest.mark.parametrize(
    ("now", "ways", "shown"),
    [
        (RunState.WAITING, ("keep", "undo"), "done, not in use yet"),
        (RunState.DONE, ("keep", "undo"), "done, not in use yet"),
        (RunState.DONE, ("keep",), "done"),
        (RunState.DONE, (), "done"),
        (RunState.FAILED, ("resume", "undo"), "failed"),
    ],
)
def test_waiting_run_is_not_called_done(now: RunState, ways: tuple[str, ...], shown: str) -> None:
    """A waiting conversion is `done` in its journal, but in use only after a writable mount."""
    not_yet = is_not_yet(now, ways)
    assert not_yet is (shown == "done, not in use yet")
    (listed,) = row_lines(
        RunRow("0001-sda1", f"{STATE}/runs/0001-sda1", now, "/dev/sda1", None, 3, 3, "", not_yet=not_yet),
        None,
    )
    assert listed.split("  ")[0] == "0001-sda1" and f" {shown} " in listed
    assert ("not in use yet" in listed) is not_yet
    record = RunRecord("0001-sda1", str(now), None, None, "", (), (), (), "", not_yet=not_yet)
    assert shown in (
        str(piece.text) for block in run_facts(record) if isinstance(block, Para) for piece in block.pieces
    )


def test_run_argument_is_valid_in_every_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run in another folder may share its name with one in the default folder."""
    monkeypatch.chdir(tmp_path)
    assert run_argument(STATE / "runs/0007-sda") == "0007-sda"
    assert run_argument(Path("my runs/0007-sda")) == f"'{tmp_path}/my runs/0007-sda'"
    monkeypatch.chdir("/")
    assert run_argument(Path(str(STATE / "runs")[1:]) / "0007-sda") == "0007-sda"
    for folder, named in ((tmp_path, f"{tmp_path}/0007-sda"), (STATE / "runs", "0007-sda")):
        row = RunRow(
            "0007-sda", str(folder / "0007-sda"), RunState.WAITING, "/dev/sda", None, 3, 3, "It waits."
        )
        assert next(row_lines(row, None)).split()[0] == named


@pytest.mark.parametrize(
    ("outputs", "resumes"),
    [
        (("resize2fs: New size results in too many block group descriptors.",), False),
        (("resize2fs: Illegal doubly indirect block found", "unmounted"), False),
        (("seek_relative: Invalid argument",), False),
        (("resize2fs: No space left on device",), True),
        (("mount: /mnt: wrong fs type, bad option, bad superblock on /dev/sda1",), True),
    ],
)
def test_step_that_would_fail_again_is_not_resumed(
    tmp_path: Path, outputs: tuple[str, ...], resumes: bool
) -> None:
    save_record(tmp_path, Record(Phase.SAVED))
    journal = Journal(tmp_path)
    for step, words in ((1, ("fine",)), (2, outputs)):
        journal.add(Event.STEP_STARTED, "Grow.", step=step)
        for output in words:
            journal.add(Event.COMMAND, "resize2fs ended.", step=step, output=output)
    journal.add(Event.STEP_FAILED, "Failed.", step=2)
    assert ways(tmp_path, RunState.FAILED) == (["resume", "undo"] if resumes else ["undo"])
    journal.add(Event.STEP_STARTED, "Grow.", step=2)
    journal.add(Event.STEP_FAILED, "The drive is gone.", step=2)
    assert ways(tmp_path, RunState.FAILED) == ["resume", "undo"]
