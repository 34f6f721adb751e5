"""Runs directly on the drive that end early: by a failing or hanging program, on request, by a kill, with the
terminal. They can be neither resumed nor undone: the drive is set up again."""

import os
import pty
import signal
import subprocess
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import (
    ROOT,
    Work,
    command_to_apply,
    diskwright,
    ended,
    gate,
    old_gpt,
    said,
    spec,
    stand_in,
    story,
    until,
)
from tests.loop.program import (
    MIB,
    Environment,
    Event,
    Mode,
    Refused,
    RunState,
    list_runs,
    lock_drive,
    read_entries,
    request_stop,
    resume,
    start_run,
    state,
)

pytestmark = pytest.mark.usefixtures("direct")


def kill(run: Path) -> None:
    """End the applying process as a power cut would, without a word."""
    os.kill(int((run / "pid").read_text()), signal.SIGKILL)
    until(lambda: state(run) is not RunState.RUNNING)


def refused_for_good(work: Work, run: Path, drive: str) -> None:
    """Every command that goes on says that it cannot, and writes nothing."""
    before = work.digest(drive)
    for command in ("resume", "undo", "keep"):
        told = diskwright(work, command, run.name)
        assert told.returncode == 3, told.stderr
        words = " ".join(told.stderr.split())
        assert "works directly on the drive, so it cannot be kept, undone or resumed." in words
    assert work.digest(drive) == before
    assert not (run / "saved").exists() and not (run / "left.json").exists()


def set_up_again(work: Work, drive: str) -> None:
    """By the command that `status` names; the ended run is no longer asked about then."""
    again, now = work.apply(work.plan(drive, spec("ext4"), mode=Mode.REPLACE))
    assert now is RunState.DONE, story(again)
    listed = diskwright(work, "status").stdout
    assert "sudo diskwright" not in listed


def test_failing_program_stops_the_run(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = make_drive(96 * MIB)
    old_gpt(drive)
    plan = work.plan(drive, spec("ext4", None, work.place("media")), mode=Mode.REPLACE)
    stand_in(
        work.folder / "bin",
        monkeypatch,
        "mkfs.ext4",
        "echo 'mkfs.ext4: Input/output error while writing' >&2; exit 5",
    )
    run, now = work.apply(plan)
    assert now is RunState.FAILED
    last = read_entries(run)[-1].sentence
    making = next(
        number for number, step in enumerate(plan.steps, 1) if step.operation.kind == "make-filesystem"
    )
    assert (
        f"Step {making} of {len(plan.steps)} failed: mkfs.ext4 ended with status 5: mkfs.ext4: "
        "Input/output error while writing"
    ) in last
    assert f"{making - 1} of {len(plan.steps)} steps are done." in last
    again = f"`diskwright plan {drive} --replace`"
    assert again in last
    assert "line" not in work.fstab.read_text() and not work.place("media").exists()
    listed = " ".join(diskwright(work, "status").stdout.split())
    assert f"Step {making} of {len(plan.steps)} failed: mkfs.ext4 ended with status 5" in listed
    assert again in listed
    refused_for_good(work, run, drive)
    (work.folder / "bin/mkfs.ext4").unlink()
    set_up_again(work, drive)


def test_hanging_program_is_ended(work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch) -> None:
    drive = make_drive(64 * MIB)
    plan = work.plan(drive, spec("ext4"))
    stand_in(work.folder / "bin", monkeypatch, "wipefs", "exec sleep 98765")
    environment = Environment(work.fstab, work.environment.only, patience_seconds=1.0)
    run = work.start(plan, environment)
    assert ended(run) is RunState.FAILED
    assert "did not finish within" in read_entries(run)[-1].sentence
    assert not subprocess.run(["pgrep", "-f", "^sleep 98765$"], capture_output=True, check=False).stdout


def test_stop_takes_effect_between_steps(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = make_drive(96 * MIB)
    old_gpt(drive)
    before = work.digest(drive)
    plan = work.plan(drive, spec("ext4"), mode=Mode.REPLACE)
    run, opened = work.start_until(plan, monkeypatch, "wipefs")
    request_stop(run)
    opened.touch()
    assert ended(run) is RunState.STOPPED, story(run)
    assert [entry.step for entry in said(run, Event.STEP_DONE)] == [1]
    assert "Stopped before step 2" in read_entries(run)[-1].sentence
    assert work.digest(drive) != before
    refused_for_good(work, run, drive)
    (work.folder / "bin/wipefs").unlink()
    set_up_again(work, drive)


@pytest.mark.parametrize("program", ["wipefs", "mkfs.ext4", "e2fsck", "mount"])
def test_killed_run_is_reported_as_interrupted(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    """The program that was under way outlives the killed process and keeps the drive's lock: nobody comes
    between."""
    drive = make_drive(96 * MIB)
    old_gpt(drive)
    plan = work.plan(drive, spec("ext4", None, work.place("media")), mode=Mode.REPLACE)
    run, opened = work.start_until(plan, monkeypatch, program)
    kill(run)
    assert state(run) is RunState.INTERRUPTED
    listed = diskwright(work, "status")
    assert f"{run.name} " in listed.stdout and "interrupted" in listed.stdout
    words = " ".join(listed.stdout.split())
    number = max(entry.step for entry in said(run, Event.STEP_STARTED))
    steps = len(plan.steps)
    assert f"interrupted in step {number} of {steps}: {plan.steps[number - 1].sentence}" in words
    if program == "mount":
        assert "The new volumes are complete but not all are in use." in words
    else:
        assert f"Set up {drive} again: `diskwright plan {drive} --replace`." in words
    opened.touch()
    os.close(lock_drive(drive, wait_seconds=20))
    until(lambda: program != "mount" or work.place("media").is_mount())
    if program == "mount":
        tool("umount", str(work.place("media")))
    refused_for_good(work, run, drive)
    (work.folder / "bin" / program).unlink()
    set_up_again(work, drive)


def test_program_of_killed_run_keeps_the_drive_locked(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = make_drive(96 * MIB)
    plan = work.plan(drive, spec("ext4"))
    run, opened = work.start_until(plan, monkeypatch, "mkfs.ext4")
    kill(run)
    with pytest.raises(Refused, match="Another program has locked"):
        work.start(plan)
    opened.touch()
    os.close(lock_drive(drive, wait_seconds=20))


@pytest.mark.parametrize("tenths", range(2, 14, 2))
def test_drive_can_be_set_up_after_a_kill_at_any_moment(
    work: Work, make_drive: MakeDrive, tenths: int
) -> None:
    drive = make_drive(96 * MIB)
    old_gpt(drive)
    plan = work.plan(drive, spec("ext4"), mode=Mode.REPLACE)
    run = work.start(plan)
    first = len(read_entries(run))
    until(lambda: len(read_entries(run)) >= first + tenths or state(run) is not RunState.RUNNING)
    if state(run) is RunState.RUNNING:
        kill(run)
    os.close(lock_drive(drive, wait_seconds=20))
    if state(run) is not RunState.DONE:
        refused_for_good(work, run, drive)
    set_up_again(work, drive)


def test_full_journal_stops_the_run(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = make_drive(96 * MIB)
    plan = work.plan(drive, spec("ext4"))
    small = work.folder / "small"
    small.mkdir()
    tool("mount", "-t", "tmpfs", "-o", "size=16m", "none", str(small))
    try:
        opened = work.folder / "gate"
        # What the program says is longer than what is left of the journal's last page.
        stand_in(work.folder / "bin", monkeypatch, "mkfs.ext4", f"seq 3000\n{gate('mkfs.ext4', opened)}")
        run = start_run(plan, plan.drive.token, journal_dir=small, environment=work.environment)
        until(lambda: Path(f"{opened}.reached").exists())
        subprocess.run(
            ["dd", "if=/dev/zero", f"of={small / 'filler'}", "bs=1M"], capture_output=True, check=False
        )
        opened.touch()
        assert ended(run) in (RunState.INTERRUPTED, RunState.FAILED)
        assert not said(run, Event.STEP_DONE)[2:], "nothing was done after the journal was full"
        with pytest.raises(Refused, match="cannot be kept, undone or resumed"):
            resume(run)
    finally:
        tool("umount", str(small))


def test_closed_terminal_does_not_stop_the_run(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = make_drive(96 * MIB)
    plan = work.plan(drive, spec("ext4", None, work.place("media")))
    argv = command_to_apply(work, plan)
    opened = work.folder / "gate"
    stand_in(work.folder / "bin", monkeypatch, "mkfs.ext4", gate("mkfs.ext4", opened))
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(ROOT)
        os.environ["DISKWRIGHT_STATE"] = str(work.folder)
        os.execv(argv[0], argv)
    until(lambda: Path(f"{opened}.reached").exists())
    (run,) = list_runs(work.runs)
    os.close(terminal)
    _, status = os.waitpid(pid, 0)
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGHUP, "the face ends with its terminal"
    assert state(run) is RunState.RUNNING
    opened.touch()
    assert ended(run) is RunState.DONE, story(run)
    assert work.place("media").is_mount()


def test_ctrl_c_stops_between_steps_with_a_message(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = make_drive(96 * MIB)
    plan = work.plan(drive, spec("ext4"))
    argv = command_to_apply(work, plan)
    opened = work.folder / "gate"
    stand_in(work.folder / "bin", monkeypatch, "wipefs", gate("wipefs", opened))
    environment = {**os.environ, "DISKWRIGHT_STATE": str(work.folder)}
    with subprocess.Popen(argv, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True) as face:
        until(lambda: Path(f"{opened}.reached").exists())
        (run,) = list_runs(work.runs)
        face.send_signal(signal.SIGINT)
        until(lambda: (run / "stop").exists())
        opened.touch()
        _, errors = face.communicate(timeout=30)
    assert face.returncode == 4
    assert "Stopping after the current step" in errors
    assert "Stopped before step" in errors and "Traceback" not in errors
    assert state(run) is RunState.STOPPED


def test_second_run_on_the_drive_is_refused(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = make_drive(96 * MIB)
    plan = work.plan(drive, spec("ext4"))
    run, opened = work.start_until(plan, monkeypatch, "mkfs.ext4")
    with pytest.raises(Refused, match="Another program has locked"):
        work.start(plan)
    with pytest.raises(Refused, match="Another process is working on"):
        resume(run)
    assert len(list_runs(work.runs)) == 1
    opened.touch()
    assert ended(run) is RunState.DONE, story(run)
