"""`resume`, `undo` and `keep` act only on the right run and drive, whatever the clock."""

import os
import signal
from datetime import datetime, tzinfo
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, diskwright, gate, old_gpt, spec, stand_in, story, until
from tests.loop.program import (
    MIB,
    Event,
    Journal,
    Mode,
    Plan,
    Refused,
    RunState,
    list_runs,
    load_record,
    lock_drive,
    state,
)
from wizard.apply.engine.stores import old_file
from wizard.apply.run import journal
from wizard.apply.run.runs import MIGRATION
from wizard.cli.runs import choose_run


class DeadClock(datetime):
    """The clock of a rescue system with an empty battery."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> "DeadClock":
        return cls(2001, 1, 1, tzinfo=tz)


def cut_off(work: Work, plan: Plan, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a run killed during its first program."""
    opened = work.folder / f"gate-{Path(plan.drive.path).name}"
    with monkeypatch.context() as patched:
        stand_in(work.folder / "bin", patched, "wipefs", gate("wipefs", opened))
        run = work.start(plan)
        until(lambda: Path(f"{opened}.reached").exists())
    os.kill(int((run / "pid").read_text()), signal.SIGKILL)
    until(lambda: state(run) is not RunState.RUNNING)
    opened.touch()
    os.close(lock_drive(plan.drive.path, wait_seconds=20))
    return run


def flat(text: str) -> str:
    return " ".join(text.split())


def test_several_open_runs_require_a_name(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check with a clock reset to the past for the second run, so that the first looks newest."""
    first, second = make_drive(96 * MIB), make_drive(64 * MIB)
    for drive in (first, second):
        old_gpt(drive)
    before = work.digest(first)
    plans = [work.plan(drive, spec("ext4"), mode=Mode.REPLACE) for drive in (first, second)]
    one, now = work.apply(plans[0], keep=False)
    assert now is RunState.WAITING, story(one)
    monkeypatch.setattr(journal, "datetime", DeadClock)
    two = cut_off(work, plans[1], monkeypatch)
    assert [run.name for run in list_runs(work.runs)] == [one.name, two.name]
    assert (one.name, two.name) == (f"0001-{Path(first).name}", f"0002-{Path(second).name}")
    left = [work.digest(drive) for drive in (first, second)]
    assert left[0] != before

    for command in ("resume", "undo"):
        told = diskwright(work, command)
        assert told.returncode == 3, told.stderr
        for run, drive in ((one, first), (two, second)):
            assert f"sudo diskwright {command} {run} {drive}: " in flat(told.stderr)
        assert "Nothing was written" in told.stderr
    assert [work.digest(drive) for drive in (first, second)] == left

    token = plans[1].drive.token
    told = diskwright(work, "resume", two.name)
    assert told.returncode == 3 and f"sudo diskwright resume {two} --confirm {token}" in flat(told.stderr), (
        told.stderr
    )
    assert f"{second}: " in told.stderr and "67.1 MB" in told.stderr and "Content: a GPT" in told.stderr
    wrong = diskwright(work, "resume", two.name, "--confirm", plans[0].drive.token)
    assert wrong.returncode == 3 and "does not match" in wrong.stderr, wrong.stderr
    assert [work.digest(drive) for drive in (first, second)] == left
    done = diskwright(work, "resume", two.name, "--confirm", token)
    assert done.returncode == 0, f"{done.stderr} {story(two)}"
    assert tool("blkid", "-p", "-o", "value", "-s", "UUID", f"{second}p1").strip() == plans[1].volumes[0].uuid
    assert work.digest(first) == left[0]

    back = diskwright(work, "undo")
    assert back.returncode == 0 and f"{first}: " in back.stderr and second not in back.stderr, back.stderr
    assert work.digest(first) == before
    for command in ("resume", "undo", "keep"):
        told = diskwright(work, command)
        assert told.returncode == 3 and "no run in" in told.stderr and "is open" in told.stderr, told.stderr


def test_resume_of_the_last_check_needs_no_token(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check a run with only the fstab line and the mount missing, and nothing to overwrite."""
    drive = make_drive(96 * MIB)
    plan = work.plan(drive, spec("ext4", None, work.place("media")))
    with monkeypatch.context() as patched:
        stand_in(work.folder / "bin", patched, "mount", "exit 32")
        run, now = work.apply(plan)
    assert now is RunState.FAILED, story(run)
    told = diskwright(work, "resume")
    assert told.returncode == 0, f"{told.stderr} {story(run)}"
    assert work.place("media").is_mount()


def test_failed_run_without_writes_is_not_selected_without_its_name(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = make_drive(96 * MIB), make_drive(64 * MIB)
    plan = work.plan(first, spec("ext4", None, work.place("media")))
    with monkeypatch.context() as patched:
        stand_in(work.folder / "bin", patched, "mount", "exit 32")
        one, now = work.apply(plan)
    assert now is RunState.FAILED, story(one)
    with monkeypatch.context() as patched:
        stand_in(work.folder / "bin2", patched, "mkfs.ext4", "exit 5")
        two, now = work.apply(work.plan(second, spec("ext4")))
    assert now is RunState.FAILED, story(two)
    several = diskwright(work, "undo")
    assert several.returncode == 3 and f"undo {two}" in flat(several.stderr), several.stderr
    went_on = diskwright(work, "resume")
    assert went_on.returncode == 0 and work.place("media").is_mount(), f"{went_on.stderr} {story(one)}"
    assert state(two) is RunState.FAILED
    alone = diskwright(work, "resume")
    assert f"Continuing run {two.name}" in flat(alone.stderr), alone.stderr
    done = diskwright(work, "resume", two.name, "--confirm", Path(second).name)
    assert done.returncode == 0 and state(two) is RunState.DONE, f"{done.stderr} {story(two)}"


def test_conversion_without_writes_cannot_be_kept(tmp_path: Path) -> None:
    run = tmp_path / "0001-sda"
    run.mkdir()
    (run / MIGRATION).touch()
    journal = Journal(run)
    journal.add(Event.STARTED, "Migrating /dev/sda1 in 3 steps.")
    journal.add(Event.REFUSED, "/dev/sda1 is in use. Nothing was written.")
    journal.close()
    assert choose_run(None, "resume", tmp_path) == run
    with pytest.raises(Refused, match="Cannot keep"):
        choose_run(None, "keep", tmp_path)


def test_pipe_instead_of_saved_bytes_does_not_hang_undo(work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(96 * MIB)
    old_gpt(drive)
    run, now = work.apply(work.plan(drive, spec("ext4"), mode=Mode.REPLACE), keep=False)
    assert now is RunState.WAITING, story(run)
    left, saved = work.digest(drive), old_file(run, 0)
    saved.unlink()
    os.mkfifo(saved)
    told = diskwright(work, "undo")
    assert told.returncode in (1, 3) and "Traceback" not in told.stderr, told.stderr
    assert "was changed or damaged. Nothing more was written" in told.stderr, told.stderr
    assert "The result of this run is waiting" in told.stderr
    assert work.digest(drive) == left


def test_refused_undo_reports_the_drive_as_hidden(work: Work, make_drive: MakeDrive) -> None:
    """Write to a hidden drive, then undo. The message must not call the drive empty."""
    drive = make_drive(96 * MIB)
    old_gpt(drive)
    before = work.digest(drive)
    run, now = work.apply(work.plan(drive, spec("ext4"), mode=Mode.REPLACE), keep=False)
    record = load_record(run)
    assert now is RunState.WAITING and record is not None, story(run)
    place = max(record.changes[0].places, key=lambda place: place.size_bytes)
    with Path(drive).open("r+b") as file:
        file.seek(place.end_bytes - 4096)
        file.write(b"written by another program".ljust(4096, b"."))
    for _ in range(2):
        listed = flat(diskwright(work, "status").stdout)
        assert listed.count(f"diskwright undo {run} --over-changes") == 1, listed
        refused = diskwright(work, "undo", run.name)
        assert refused.returncode and state(run) is not RunState.WAITING, refused.stderr
    again = diskwright(work, "undo", run.name)
    assert again.returncode and "Content: " not in again.stderr, again.stderr
    assert "everything except the signatures is written" in flat(again.stderr)
    assert f"diskwright undo {run} --over-changes" in flat(again.stderr)
    unconfirmed = diskwright(work, "undo", run.name, "--over-changes")
    assert unconfirmed.returncode == 3 and "--confirm" in unconfirmed.stderr, unconfirmed.stderr
    back = diskwright(work, "undo", run.name, "--over-changes", "--confirm", drive.removeprefix("/dev/"))
    assert back.returncode == 0 and work.digest(drive) == before, back.stderr
    told = diskwright(work, "undo", run.name)
    assert "Content: a GPT" in flat(told.stderr), told.stderr


def test_later_of_two_waiting_runs_on_a_drive_is_named_first(work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(96 * MIB)
    old_gpt(drive)
    before = work.digest(drive)
    first, now = work.apply(work.plan(drive, spec("ext4"), mode=Mode.REPLACE), keep=False)
    assert now is RunState.WAITING, story(first)
    second, now = work.apply(work.plan(drive, spec("ext4"), mode=Mode.REPLACE), keep=False)
    assert now is RunState.WAITING, story(second)
    over = work.digest(drive)
    told = diskwright(work, "undo", first.name)
    assert told.returncode and "Nothing was written" in told.stderr and work.digest(drive) == over
    assert f"First run `diskwright undo {second}`" in flat(told.stderr)
    # By the words on the screen everything comes back.
    told = diskwright(work, "undo", second.name)
    assert told.returncode == 0 and "First run" not in told.stderr, told.stderr
    told = diskwright(work, "undo", first.name)
    assert told.returncode == 0 and "First run" not in flat(told.stderr), told.stderr
    assert work.digest(drive) == before


def test_run_below_a_kept_one_is_never_undone(work: Work, make_drive: MakeDrive) -> None:
    """Check that undo never overwrites files of a later run."""
    drive, place = make_drive(96 * MIB), work.place("media")
    old_gpt(drive)
    first, now = work.apply(work.plan(drive, spec("ext4"), mode=Mode.REPLACE), keep=False)
    assert now is RunState.WAITING, story(first)
    plan = work.plan(drive, spec("ext4", mount_point=place), mode=Mode.REPLACE)
    second, now = work.apply(plan, keep=False)
    assert diskwright(work, "keep", second.name).returncode == 0, story(second)
    (place / "mine").write_bytes(b"mine" * 1000)
    tool("umount", str(place))
    over = work.digest(drive)
    for words in (("status",), ("undo", first.name), ("keep", first.name), ("status",)):
        told = diskwright(work, *words)
        said = flat(told.stdout + told.stderr)
        assert f"The run {second.name} set up the drive after {first.name}" in said, said
        assert f"diskwright undo {first} --over-changes" not in said, said
        assert "The result of this run is waiting" not in said, said
    token = drive.removeprefix("/dev/")
    refused = diskwright(work, "undo", first.name, "--over-changes", "--confirm", token)
    assert refused.returncode == 3 and "would destroy the result of" in refused.stderr, refused.stderr
    assert work.digest(drive) == over
