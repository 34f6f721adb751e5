"""Journal folders writable by others, and the permissions of a run's files."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.devices import MakeDrive
from tests.loop.applying import ROOT, Work, command_to_apply, ended, spec
from tests.loop.attack.attacking import unharmed
from tests.loop.program import MIB, PLANS, Refused, RunState, start_run, state, undo
from wizard.apply.run.runs import find_run


@pytest.mark.parametrize("below", ["", "deeper/runs"])
def test_world_writable_folder_is_refused(work: Work, make_drive: MakeDrive, below: str) -> None:
    """Check that shared folders are refused. Another user could replace the run with links, and root would
    write through them."""
    drive = make_drive(96 * MIB)
    shared = work.folder / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    with unharmed(work, drive), pytest.raises(Refused, match="users other than root could replace"):
        plan = work.plan(drive, spec("ext4"))
        start_run(plan, plan.drive.token, journal_dir=shared / below, environment=work.environment)
    shared.chmod(0o1777)
    plan = work.plan(drive, spec("ext4"))
    run = start_run(plan, plan.drive.token, journal_dir=shared / below, environment=work.environment)
    assert ended(run) == "done"
    assert run.stat().st_mode & 0o777 == 0o700, "as /tmp is: what is ours is nobody else's to move"


def test_planted_run_is_not_undone_by_root(work: Work, make_drive: MakeDrive) -> None:
    """Check that a planted run is refused. Its saved bytes could overwrite any part of the drive."""
    drive = make_drive(96 * MIB)
    plan = work.plan(drive, spec("ext4"))
    planted = work.folder / "planted" / "20260101-000000-loop"
    (planted / "saved").mkdir(parents=True)
    (planted / "plan.json").write_text(PLANS.render(plan))
    (planted / "journal.jsonl").write_text("")
    planted.parent.chmod(0o777)
    with unharmed(work, drive), pytest.raises(Refused, match="users other than root could replace"):
        undo(find_run(str(planted)))


@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_other_users_cannot_read_or_write_a_run(work: Work, make_drive: MakeDrive, umask: int) -> None:
    plan = work.plan(make_drive(96 * MIB), spec("ext4", None, work.place("deep/media")))
    state = work.folder / "not" / "yet" / "there"
    argv = command_to_apply(work, plan)
    environment = {**os.environ, "DISKWRIGHT_STATE": str(state)}
    said = subprocess.run(
        argv, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False, umask=umask
    )
    assert said.returncode == 0, said.stderr
    made = [state, state.parent, *state.rglob("*")]
    assert any(path.name == "process.log" for path in made)
    open_ones = {str(path): oct(path.stat().st_mode) for path in made if path.stat().st_mode & 0o077}
    assert not open_ones
    assert Path(work.place("deep")).stat().st_mode & 0o777 == 0o755, (
        "a mount point's folder is made as by mkdir"
    )


@pytest.mark.parametrize("words", [("--journal", "own/runs"), ()], ids=["option", "state"])
def test_relative_folder_is_relative_to_the_command(
    work: Work, make_drive: MakeDrive, words: tuple[str, ...]
) -> None:
    """Check that a relative folder refers to the command's working directory. The applying process works
    in `/`."""
    argv = command_to_apply(work, work.plan(make_drive(96 * MIB), spec("ext4")))
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "DISKWRIGHT_STATE": "own"}
    done = subprocess.run(
        [*argv, *words, "--fstab", "fstab"],
        cwd=work.folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    (run,) = (work.folder / "own/runs").glob("*/journal.jsonl")
    assert done.returncode == 0, done.stderr
    assert state(run.parent) is RunState.DONE
