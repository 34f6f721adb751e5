"""All five screens on real drives, without a display: from an empty drive to a file on it, and from a full
drive to a new filesystem and back."""

import subprocess
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import OLD_FSTAB, Work, fill, gate, old_gpt, stand_in, story, until
from tests.loop.desk.walking import MEDIA, Walker, checked, run_of, token_of, walker
from tests.loop.program import MIB, RunState, state

NOBODY = 65534


@pytest.fixture
def full(make_drive: MakeDrive, work: Work) -> str:
    """A drive full of old data, with unique blocks."""
    drive = make_drive(64 * MIB)
    fill(drive, work.bench)
    old_gpt(drive)
    return drive


def plan_anew(person: Walker, drive: str, purpose: str = MEDIA) -> None:
    """Create a plan from the menu, up to Review."""
    person.menu(drive, "set-up")
    person.act("plan", purpose)
    person.act("review")
    assert person.view.place == "review", (person.view.place, person.said)


def writes(place: Path, uid: int) -> None:
    """Write a file in a process of this user."""
    code = f"open({str(place / 'mine')!r}, 'w').write('mine')"
    subprocess.run(
        ["/usr/bin/python3", "-c", code], user=uid, group=uid, extra_groups=[], check=True, cwd="/"
    )


def test_empty_drive_ends_with_a_file_of_the_calling_user(
    plain_folder: Path, work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUDO_UID", str(NOBODY))
    monkeypatch.setenv("DISKWRIGHT_PLACES", str(plain_folder / "places"))
    drive = make_drive(512 * MIB)
    person = walker(work, drive)
    assert person.view.rows is not None and person.view.rows.at == drive
    person.key("enter", drive)
    person.key("enter", MEDIA)
    person.key("enter")
    assert "Nothing is lost." in person.text
    person.begin("wrong")
    assert person.view.place == "review" and token_of(drive) in person.said and not work.runs.exists()
    person.begin(token_of(drive))
    run = run_of(work)
    assert state(run) is RunState.DONE, story(run)
    place = plain_folder / "places" / "media"
    assert f"ready at {place}, writable by nobody" in person.text
    assert person.view.action("keep") is None and checked(run)
    writes(place, NOBODY)
    assert (place / "mine").read_text() == "mine" and (place / "mine").stat().st_uid == NOBODY
    assert str(place) in work.fstab.read_text()
    kind = tool("blkid", "-p", "-o", "value", "-s", "TYPE", f"{drive}p1").strip()
    assert tool("findmnt", "-n", "-o", "SOURCE,FSTYPE", str(place)).split() == [f"{drive}p1", kind]
    person.key("enter")
    assert person.view.place == "drives" and "mounted" in person.text


@pytest.mark.parametrize("key", ["K", "U"])
@pytest.mark.parametrize("later", [False, True], ids=["at once", "another day"])
def test_old_content_is_kept_or_restored(work: Work, full: str, key: str, later: bool) -> None:
    before = work.digest(full)
    person = walker(work, full)
    plan_anew(person, full, "small-files")
    assert "deleted when you choose Keep" in person.text and "p1: ext4" in person.text
    person.begin(token_of(full))
    run = run_of(work)
    assert state(run) is RunState.WAITING, story(run)
    assert "not in use yet" in person.text
    if later:
        person.key("enter")
        person.end()
        person = walker(work, full)
        assert person.view.rows is not None and person.view.rows.at == f"run:{run}"
    person.settle(key)
    if key == "K":
        assert state(run) is RunState.KEPT, story(run)
        assert tool("blkid", "-p", "-o", "value", "-s", "TYPE", f"{full}p1").strip()
        assert "ready at" in person.text
    else:
        assert state(run) is RunState.UNDONE, story(run)
        assert work.digest(full) == before and work.fstab.read_text() == OLD_FSTAB
    person.key("enter")
    assert person.view.place == "drives" and not any(row.key.startswith("run:") for row in person.rows)


@pytest.mark.parametrize("key", ["K", "U"])
def test_impossible_action_is_not_offered(work: Work, full: str, key: str) -> None:
    person = walker(work, full)
    plan_anew(person, full, "small-files")
    person.begin(token_of(full))
    with Path(full).open("r+b") as drive:
        drive.seek(MIB + 1100)
        drive.write(b"another program")
    changed = work.digest(full)
    person.settle(key)
    over = f"diskwright undo {run_of(work)} --over-changes"
    assert work.digest(full) == changed
    assert not offered(person) and over in person.text
    person.key("enter")
    assert not offered(person) and over in person.text and "cannot continue" in person.text
    assert any(over in line for line in person.desk.farewell())
    person.desk.moved(f"run:{run_of(work)}")
    person.key("enter")
    assert person.view.place == "result" and not offered(person) and over in person.text
    assert "bit for bit" not in person.text


def offered(person: Walker) -> set[str]:
    """Return the available commands among keep, undo and resume."""
    return {action.name for action in person.view.actions} & {"keep", "undo", "resume"}


@pytest.mark.parametrize("key", ["K", "U"])
def test_no_is_the_default(work: Work, full: str, key: str) -> None:
    person = walker(work, full)
    plan_anew(person, full, "small-files")
    person.begin(token_of(full))
    barred = work.digest(full)
    person.key(key)
    person.key("enter")
    assert state(run_of(work)) is RunState.WAITING and work.digest(full) == barred
    assert any("sudo diskwright keep" in line for line in person.desk.farewell())


def held(work: Work, drive: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Walker, Path]:
    """Return a user at the progress screen with the run paused in mkfs, and the file that lets it
    continue."""
    opened = work.folder / "opened"
    person = walker(work, drive)
    plan_anew(person, drive, "small-files")
    person.wait()
    for name in ("mkfs.xfs", "mkfs.ext4", "mkfs.btrfs"):
        stand_in(work.folder / "bin", monkeypatch, name, gate(name, opened))
    person.desk.act("apply", "", {"token0": token_of(drive)})
    until(lambda: opened.with_name("opened.reached").exists())
    until(lambda: person.view.place == "work")
    return person, opened


def test_wizard_can_be_left_and_reopened_during_a_run(
    work: Work, full: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    person, opened = held(work, full, monkeypatch)
    person.desk.act("leave")
    run = run_of(work)
    until(lambda: person.view.place == "drives" and any(row.key == f"run:{run}" for row in person.rows))
    assert "Being changed now" in person.text
    person.desk.moved(f"run:{run}")
    person.desk.act("show-run", f"run:{run}")
    assert person.view.place == "work"
    opened.touch()
    person.wait()
    assert person.view.place == "result" and state(run) is RunState.WAITING, story(run)
    person.settle("U")


def test_run_continues_after_the_wizard_ends(work: Work, full: str, monkeypatch: pytest.MonkeyPatch) -> None:
    person, opened = held(work, full, monkeypatch)
    run = run_of(work)
    person.desk.act("quit")
    assert person.view.place == "question" and "continues without this window" in person.text
    person.desk.act("yes")
    assert person.desk.over and state(run) is RunState.RUNNING
    assert any("diskwright status" in line for line in person.desk.farewell())
    opened.touch()
    until(lambda: state(run) is RunState.WAITING)


def test_run_is_stopped_before_the_first_write(
    work: Work, full: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = work.digest(full)
    person, opened = held(work, full, monkeypatch)
    person.desk.act("stop")
    assert person.view.place == "question"
    person.desk.act("yes")
    opened.touch()
    person.wait()
    run = run_of(work)
    assert state(run) is RunState.STOPPED and work.digest(full) == before, story(run)
    assert "Traceback" not in person.text and "stopped" in person.text


def test_using_free_space_preserves_every_partition(work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(1024 * MIB)
    old_gpt(drive)
    old = Path(f"{drive}p1").read_bytes()
    person = walker(work, drive)
    person.menu(drive, "use-free")
    person.act("plan", MEDIA)
    person.act("review")
    assert "Nothing is lost." in person.text
    person.begin(token_of(drive))
    run = run_of(work)
    if state(run) is RunState.WAITING:
        person.settle("K")
    assert state(run) in (RunState.DONE, RunState.KEPT), story(run)
    assert Path(f"{drive}p1").read_bytes() == old and Path(f"{drive}p2").exists()
