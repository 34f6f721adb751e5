"""Journals that turn read-only or disappear during or after a run: reported with the known state of the
drive."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import (
    ROOT,
    Work,
    command_to_apply,
    diskwright,
    gate,
    old_gpt,
    spec,
    stand_in,
    story,
    until,
)
from tests.loop.program import (
    MIB,
    PLANS,
    Mode,
    Plan,
    RunState,
    is_locked,
    lock_drive,
    read_entries,
    start_run,
    state,
)


@pytest.fixture
def medium(work: Work, make_drive: MakeDrive) -> Iterator[Path]:
    """An ext4 for runs that turns read-only on errors, like root filesystems."""
    drive, place = make_drive(64 * MIB), work.folder / "medium"
    tool("mkfs.ext4", "-q", drive)
    place.mkdir()
    tool("mount", "-o", "errors=remount-ro", drive, str(place))
    yield place
    work.leave()
    tool("umount", str(place))


def fail(medium: Path) -> None:
    """Trigger a filesystem error in the kernel, without an error of the loop device."""
    name = Path(tool("findmnt", "-n", "-o", "SOURCE", str(medium)).strip()).name
    Path(f"/sys/fs/ext4/{name}/trigger_fs_error").write_text("made up by a test")
    with pytest.raises(OSError, match="Read-only file system"):
        (medium / "file").touch()


def following(work: Work, plan: Plan, journal: Path) -> subprocess.Popen[str]:
    """Start `diskwright apply`, which follows its run during changes to the journal."""
    environment = {**os.environ, "NO_COLOR": "1"}
    argv = [*command_to_apply(work, plan), f"--journal={journal}"]
    return subprocess.Popen(
        argv, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def until_reached(gate: Path, apply: subprocess.Popen[str]) -> None:
    """Wait until the run reaches the gate. If it ends earlier, fail with its output."""
    reached = Path(f"{gate}.reached")
    until(lambda: reached.exists() or apply.poll() is not None)
    assert reached.exists(), apply.communicate()


def flat(text: str) -> str:
    return " ".join(text.split())


def test_medium_that_is_read_only_after_the_run(
    work: Work, make_drive: MakeDrive, medium: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = make_drive(96 * MIB)
    old_gpt(drive)
    before = work.digest(drive)
    plan = work.plan(drive, spec("ext4"), mode=Mode.REPLACE)
    opened, runs = work.folder / "gate", medium / "runs"
    stand_in(work.folder / "bin", monkeypatch, "wipefs", gate("wipefs", opened))
    run = start_run(plan, *plan.tokens, journal_dir=runs, environment=work.environment)
    until(lambda: Path(f"{opened}.reached").exists())
    os.kill(int((run / "pid").read_text()), signal.SIGKILL)
    until(lambda: not is_locked(run))
    opened.touch()
    os.close(lock_drive(drive, wait_seconds=20))
    (work.folder / "bin/wipefs").unlink()
    left = work.digest(drive)
    tool("mount", "-o", "remount,ro", str(medium))
    try:
        for words in (
            ("status",),
            ("status", run.name),
            ("status", "--json"),
            ("report", run.name, "--json"),
        ):
            told = diskwright(work, *words, "--journal", str(runs))
            assert told.returncode == 0 and "Traceback" not in told.stderr, told.stderr
        assert "interrupted" in diskwright(work, "status", "--journal", str(runs)).stdout
        for words in (("resume", "--confirm", plan.drive.token), ("undo",)):
            told = diskwright(work, *words, "--journal", str(runs))
            assert told.returncode == 3 and "Traceback" not in told.stderr, told.stderr
            said = flat(told.stderr)
            assert (
                "the filesystem is read-only. After a power cut now, its drives would be unchanged."
            ) in said, said
            assert f"`diskwright undo {run}` undoes as much as possible" in said
        told = diskwright(work, "keep", run.name, "--journal", str(runs))
        assert told.returncode == 3 and "Traceback" not in told.stderr, told.stderr
        file = work.folder / "plan.json"
        file.write_text(PLANS.render(work.plan(make_drive(64 * MIB), spec("ext4"))))
        told = diskwright(
            work, "apply", str(file), f"--journal={runs}", f"--fstab={work.fstab}", "--confirm=x"
        )
        assert told.returncode == 3 and "Traceback" not in told.stderr, told.stderr
        assert work.digest(drive) == left
    finally:
        tool("mount", "-o", "remount,rw", str(medium))
    told = diskwright(work, "undo", "--journal", str(runs))
    assert told.returncode == 0, f"{told.stderr} {story(run)}"
    assert work.digest(drive) == before


def test_medium_that_turns_read_only_during_the_run(
    work: Work, make_drive: MakeDrive, medium: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check that the current step finishes and the next does not start, because the journal cannot record
    it."""
    plan = work.plan(make_drive(96 * MIB), spec("ext4", None, work.place("media")))
    before, opened = work.digest(plan.drive.path), work.folder / "gate"
    stand_in(work.folder / "bin", monkeypatch, "mkfs.ext4", gate("mkfs.ext4", opened))
    apply = following(work, plan, medium / "runs")
    until_reached(opened, apply)
    fail(medium)
    opened.touch()
    said, errors = apply.communicate(timeout=60)
    assert apply.returncode == 4 and "Traceback" not in said + errors, errors
    assert "the filesystem is read-only. After a power cut now, its drives would be unchanged" in flat(
        errors
    ), errors
    assert work.digest(plan.drive.path) == before and not work.place("media").exists()
    told = diskwright(work, "status", "--journal", str(medium / "runs"))
    assert told.returncode == 0 and "interrupted" in told.stdout, told.stderr


def test_moved_journal_is_not_treated_as_empty(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = work.plan(make_drive(96 * MIB), spec("ext4"))
    opened = work.folder / "gate"
    stand_in(
        work.folder / "bin",
        monkeypatch,
        "mkfs.ext4",
        f"{gate('mkfs.ext4', opened).splitlines()[0]}\n{WAIT.format(opened)}\nexit 5",
    )
    apply = following(work, plan, work.runs)
    until_reached(opened, apply)
    (run,) = work.runs.glob("*-*")
    moved = work.folder / "elsewhere" / run.name
    moved.parent.mkdir()
    run.rename(moved)
    opened.touch()
    _, errors = apply.communicate(timeout=60)
    until(lambda: not is_locked(moved))
    assert apply.returncode == 1 and "Traceback" not in errors, errors
    assert "the run's changes to the drive are unknown" in flat(errors)
    assert "Nothing was written" not in errors and "0 of " not in errors
    assert state(moved) in (RunState.FAILED, RunState.INTERRUPTED), story(moved)
    told = [entry.sentence for entry in read_entries(moved)]
    assert not [one for one in told if "Nothing was written" in one or "0 of " in one]


WAIT = "for i in $(seq 1200); do if [ -e {} ]; then break; fi; sleep 0.05; done"
