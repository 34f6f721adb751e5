"""Space for undo is calculated before the run, and a run without undo needs a confirmation."""

import io
import json
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, diskwright, ended, old_gpt, said, spec, story
from tests.loop.program import MIB, PLANS, Event, Journal, Mode, Plan, Refused, RunState, preflight, start_run
from tests.made_runs import new_run
from wizard.apply.engine.stores import FOLDER
from wizard.apply.plan.job import PREFIX, measure
from wizard.apply.privilege.ask import Answer, Ask, RootRequest, Say, as_line
from wizard.apply.privilege.server import Relay
from wizard.apply.run.runs import ROOM_BYTES
from wizard.documents.codec import from_json
from wizard.model.said import format_capacity
from wizard.plan.text import WORD


def plan_over_old(work: Work, drive: str, more: int = 0) -> Plan:
    old_gpt(drive)
    tool("mkfs.ext4", "-q", f"{drive}p1")
    small = [spec("ext4", 64 * MIB)] * more
    return work.plan(drive, *small, spec("ext4", None, work.place("media")), mode=Mode.REPLACE)


def taken(folder: Path) -> int:
    """Return the allocated size of all files in bytes."""
    return sum(file.stat().st_blocks * 512 for file in folder.rglob("*"))


def write(work: Work, plan: Plan) -> str:
    file = work.folder / "plan.json"
    file.write_text(PLANS.render(plan))
    return str(file)


def test_predicted_undo_space_equals_the_used_space(work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(96 * MIB)
    plan = plan_over_old(work, drive)
    before = work.digest(drive)
    room = measure(plan, work.runs, work.environment)
    assert work.digest(drive) == before and not work.runs.exists()
    assert room.fits and room.needed_bytes and format_capacity(room.needed_bytes) in str(room.sentence)
    assert not all(room.blanks)
    run, now = work.apply(plan, keep=False)
    assert now is RunState.WAITING, story(run)
    # How much of the drive a tool reads ahead, and the scratch copy then holds, differs a little.
    told, used = room.needed_bytes - ROOM_BYTES, taken(run / FOLDER)
    assert abs(told - used) < MIB, (told, used)


def asked_of_root(work: Work, plan: Plan) -> Answer:
    """Return the root process's answer to an ordinary user's request."""
    asked = as_line(RootRequest(Ask.ROOM, plan=PLANS.render(plan), journal=str(work.runs)))
    told = io.BytesIO()
    Relay(io.BytesIO(asked), told).serve()
    root, answer = (from_json(json.loads(line), Answer, "root") for line in told.getvalue().splitlines())
    assert root.say is Say.ROOT
    return answer


def test_root_and_ordinary_user_get_the_same_prediction(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = make_drive(96 * MIB)
    plan = plan_over_old(work, drive)
    before, room = work.digest(drive), measure(plan, work.runs, work.environment)
    answer = asked_of_root(work, plan)
    assert answer.room is not None and answer.room.fits
    assert format_capacity(room.needed_bytes or 0) in str(answer.room.sentence)
    assert work.digest(drive) == before and not work.runs.exists()
    monkeypatch.setattr("wizard.apply.engine.scratch_copies.blocker", lambda *_: "loop devices are missing")
    answer = asked_of_root(work, plan)
    assert answer.room is not None and not answer.room.fits
    assert "loop devices are missing" in str(answer.room.sentence)
    tool("mkfs.ext4", "-q", "-F", drive)
    answer = asked_of_root(work, plan)
    assert answer.say is Say.REFUSED and not work.runs.exists()


def test_zeros_are_not_saved_and_unknown_data_is_named(work: Work, make_drive: MakeDrive) -> None:
    plan, byte = work.plan(drive := make_drive(96 * MIB), spec("ext4")), MIB + 4096
    assert all(measure(plan, work.runs, work.environment).blanks)
    with Path(drive).open("r+b") as file:
        file.seek(byte)
        file.write(b"photos..")
    room = measure(plan, work.runs, work.environment)
    assert f"byte {byte}" in str(*room.lost) and room.fits and not any(room.blanks)


def test_remains_of_a_killed_process_are_removed(work: Work, make_drive: MakeDrive) -> None:
    left = work.runs / f"{PREFIX}left"
    (left / FOLDER).mkdir(parents=True)
    (left / "journal.jsonl").touch()
    told = diskwright(work, "status", "--journal", str(work.runs))
    assert told.returncode == 0 and PREFIX not in told.stdout
    measure(work.plan(make_drive(96 * MIB), spec("ext4")), work.runs, work.environment)
    assert not left.exists()


def test_missing_undo_space_is_reported_and_can_be_confirmed(work: Work, make_drive: MakeDrive) -> None:
    medium = make_drive(24 * MIB)
    tool("mkfs.ext2", "-q", "-m", "0", medium)
    place = work.folder / "small"
    place.mkdir()
    drive = make_drive(512 * MIB)
    with Path(drive).open("r+b") as file:
        file.write(b"photos.." * (32 * MIB))
    plan = plan_over_old(work, drive, more=2)
    before = work.digest(drive)
    tool("mount", medium, str(place))
    try:
        runs = place / "runs"
        options = (f"--journal={runs}", f"--fstab={work.fstab}")
        told = diskwright(work, "apply", write(work, plan), "--dry-run", *options)
        assert "Not enough free space for undo" in told.stderr and "--journal DIR" in told.stderr
        assert told.returncode == 3 and work.digest(drive) == before
        token = f"--confirm={plan.drive.token}"
        failed = diskwright(work, "apply", write(work, plan), token, *options)
        assert failed.returncode == 1 and f"--confirm '{WORD}'" in failed.stderr, failed.stderr
        assert work.digest(drive) == before
        done = diskwright(work, "apply", write(work, plan), token, f"--confirm={WORD}", *options)
        assert done.returncode == 0 and work.place("media").is_mount(), done.stderr
        work.leave()
    finally:
        tool("umount", str(place))


@pytest.mark.parametrize("held", ["a table", "unknown data", ""])
def test_direct_run_on_a_used_drive_needs_confirmation(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch, held: str
) -> None:
    monkeypatch.setattr("wizard.apply.engine.scratch_copies.blocker", lambda *_: "loop devices are missing")
    drive = make_drive(96 * MIB)
    if held == "unknown data":
        with Path(drive).open("r+b", buffering=0) as device:
            device.seek(48 * MIB)
            device.write(bytes(range(1, 256)) * 4112 + bytes(16))
    plan = plan_over_old(work, drive) if held == "a table" else work.plan(drive, spec("ext4"))
    before, tokens = work.digest(drive), plan.tokens
    if held:
        with pytest.raises(Refused, match=f"loop devices are missing.* add --confirm '{WORD}'"):
            preflight(plan, *tokens, journal_dir=work.runs, environment=work.environment)
        with pytest.raises(Refused, match="Nothing was written"):
            start_run(plan, *tokens, journal_dir=work.runs, environment=work.environment)
        assert work.digest(drive) == before
        tokens = (*tokens, WORD)
    preflight(plan, *tokens, journal_dir=work.runs, environment=work.environment)
    run = start_run(plan, *tokens, journal_dir=work.runs, environment=work.environment)
    assert ended(run) is RunState.DONE and not said(run, Event.WAITING), story(run)


def test_temporary_obstacle_never_removes_undo_without_confirmation(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check that the need for a direct run is determined once, and the same answer asks for confirmation."""
    drive = make_drive(96 * MIB)
    plan = plan_over_old(work, drive)
    before = work.digest(drive)
    answers = iter(["it takes no file", *[""] * 20])
    monkeypatch.setattr("wizard.apply.engine.scratch_copies.blocker", lambda *_: next(answers))
    with pytest.raises(Refused, match=f"add --confirm '{WORD}'"):
        start_run(plan, *plan.tokens, journal_dir=work.runs, environment=work.environment)
    assert work.digest(drive) == before


def test_drive_with_preserved_partitions_is_never_written_directly(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A half written table could lose them, so it is rehearsed or refused."""
    drive = make_drive(192 * MIB)
    old_gpt(drive)
    tool("mkfs.ext4", "-q", f"{drive}p1")
    plan = work.plan(drive, spec("ext4"), mode=Mode.USE_FREE)
    before = work.digest(drive)
    with pytest.raises(Refused, match="always support undo"):
        start_run(plan, *plan.tokens, WORD, journal_dir=work.runs, environment=work.environment)
    monkeypatch.setattr("wizard.apply.engine.scratch_copies.blocker", lambda *_: "loop devices are missing")
    for tokens in (plan.tokens, (*plan.tokens, WORD)):
        with pytest.raises(Refused, match="loop devices are missing"):
            preflight(plan, *tokens, journal_dir=work.runs, environment=work.environment)
    assert work.digest(drive) == before and not list(work.runs.glob("*/plan.json"))


def test_direct_run_of_an_earlier_version_is_shown_and_refused(work: Work, make_drive: MakeDrive) -> None:
    """The run saved regions and stopped early. Its last message names deleted commands."""
    drive = make_drive(96 * MIB)
    plan = plan_over_old(work, drive)
    work.runs.mkdir(mode=0o700)
    run = new_run(work.runs, plan, work.environment)
    (run / "saved").mkdir()
    (run / "saved/index.jsonl").write_text("{}\n")
    (run / "left.json").write_text("{}")
    journal = Journal(run)
    journal.add(Event.STEP_STARTED, plan.steps[0].sentence, step=1)
    journal.add(Event.SAVED, "Saved 2 regions.", step=1)
    journal.add(Event.STEP_DONE, "Erased.", step=1)
    journal.end(Event.STOPPED, f"Stopped before step 2. `diskwright undo {run}` reverts the changes.")
    before, files = work.digest(drive), {*run.rglob("*")}
    listed = " ".join(diskwright(work, "status").stdout.split())
    assert "diskwright undo" not in listed and "diskwright resume" not in listed
    assert f"The run ended after step 1 of {len(plan.steps)}." in listed
    assert f"`diskwright plan {drive} --replace`" in listed
    for words in (("undo", run.name), ("resume", run.name), ("keep", run.name), ("undo",)):
        told = diskwright(work, *words)
        assert told.returncode == 3 and "cannot be kept, undone or resumed" in told.stderr, told.stderr
    assert (work.digest(drive), {*run.rglob("*")} - {run / "lock"}) == (before, files)
