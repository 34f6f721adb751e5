"""Commands that delete saved bytes or report a drive's content first compare the drive, also with missing
files of the run or files older than the drive."""

import json
import shutil
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, diskwright, old_gpt, spec, story
from tests.loop.program import MIB, Mode, RunState, state
from wizard.apply.engine.stores import FOLDER
from wizard.apply.run.backup_store import drop_backup


@pytest.fixture
def old(make_drive: MakeDrive) -> str:
    drive = make_drive(96 * MIB)
    old_gpt(drive)
    return drive


def waiting(work: Work, drive: str) -> Path:
    run, now = work.apply(work.plan(drive, spec("ext4"), mode=Mode.REPLACE), keep=False)
    assert now is RunState.WAITING, story(run)
    return run


@pytest.mark.parametrize("phase", ["saved", "clearing", "replacing"])
@pytest.mark.parametrize("command", ["resume", "undo"])
def test_stale_record_of_a_system_snapshot_is_ignored(work: Work, old: str, phase: str, command: str) -> None:
    before = work.digest(old)
    run = waiting(work, old)
    hidden, file = work.digest(old), run / "rehearsed.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "phase": phase}))
    token = ("--confirm", old.removeprefix("/dev/")) if command == "resume" else ()
    done = diskwright(work, command, run.name, *token)
    assert done.returncode == 0, done.stderr
    if command == "undo":
        assert work.digest(old) == before
    else:
        assert work.digest(old) == hidden and state(run) is RunState.WAITING, done.stderr
        assert diskwright(work, "undo", run.name).returncode == 0 and work.digest(old) == before


def test_stale_run_folder_from_before_the_end_of_the_rehearsal(work: Work, old: str) -> None:
    """Replace the run folder with an older state. The notice on the drive reveals the difference."""
    run = waiting(work, old)
    hidden, file = work.digest(old), run / "rehearsed.json"
    first = {**json.loads(file.read_text()), "phase": "rehearsing", "changes": []}
    file.write_text(json.dumps(first))
    shutil.rmtree(run / FOLDER)
    drop_backup(run)
    refused = diskwright(work, "undo", run.name)
    assert refused.returncode == 3 and f"--from-drive {old}" in refused.stderr, refused.stderr
    assert work.digest(old) == hidden
    finish(work, old)


@pytest.mark.parametrize("command", ["keep", "undo"])
def test_drive_without_saved_bytes_is_finished_by_its_notice(work: Work, old: str, command: str) -> None:
    run = waiting(work, old)
    shutil.rmtree(run / FOLDER)
    refused = diskwright(work, command, run.name)
    assert refused.returncode == 3 and f"--from-drive {old}" in refused.stderr, refused.stderr
    finish(work, old)


def finish(work: Work, drive: str) -> None:
    """Keep the result with the recommended command, and check the new filesystem."""
    done = diskwright(work, "keep", "--from-drive", drive, "--confirm", drive.removeprefix("/dev/"))
    assert done.returncode == 0, done.stderr
    kind = tool("blkid", "--probe", "--match-tag", "TYPE", "--output", "value", f"{drive}p1")
    assert kind.strip() == "ext4"


def test_run_without_writes_is_undone_while_the_drive_is_in_use(work: Work, old: str) -> None:
    run = waiting(work, old)
    assert diskwright(work, "undo", run.name).returncode == 0
    again, now = work.apply(work.plan(old, spec("ext4"), mode=Mode.REPLACE), keep=False)
    assert now is RunState.WAITING
    saved = json.loads((again / "rehearsed.json").read_text())
    kept = shutil.copytree(again / FOLDER, work.folder / "kept")
    assert diskwright(work, "undo", again.name).returncode == 0
    # As if the power had gone right before the first write.
    shutil.copytree(kept, again / FOLDER)
    (again / "rehearsed.json").write_text(json.dumps({**saved, "phase": "saved"}))
    (again / "journal.jsonl").unlink()
    place = work.place("used")
    place.mkdir(parents=True)
    tool("mount", f"{old}p1", str(place))
    try:
        (place / "file").write_text("of today")
        ended = diskwright(work, "undo", again.name)
        assert ended.returncode == 0 and state(again) is RunState.UNDONE, ended.stderr
        assert (place / "file").read_text() == "of today"
    finally:
        tool("umount", str(place))
