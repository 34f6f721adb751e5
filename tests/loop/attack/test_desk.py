"""Attempts to make a user lose data on a real drive in the terminal interface."""

from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, fill, old_gpt, spec, story
from tests.loop.desk.test_screens import held, plan_anew
from tests.loop.desk.walking import Walker, run_of, token_of, walker
from tests.loop.program import MIB, Mode, RunState, list_runs, state


@pytest.fixture
def full(make_drive: MakeDrive, work: Work) -> str:
    """A drive full of old data, with unique blocks."""
    drive = make_drive(64 * MIB)
    fill(drive, work.bench)
    old_gpt(drive)
    return drive


def stopped(work: Work, full: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Walker, Path]:
    """Return a run that the user stopped before its first write, with the result screen."""
    person, opened = held(work, full, monkeypatch)
    person.desk.act("stop")
    person.desk.act("yes")
    opened.touch()
    person.wait()
    assert state(run_of(work)) is RunState.STOPPED and person.view.place == "result"
    return person, run_of(work)


def test_one_key_does_not_format(work: Work, full: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = work.digest(full)
    person, run = stopped(work, full, monkeypatch)
    person.act("resume")
    assert person.view.place == "typing" and "overwrites the content" in person.text
    for typed in ("", "y", token_of(full)[-4:-1]):
        person.act("take", token0=typed)
        assert state(run) is RunState.STOPPED and work.digest(full) == before
    person.act("take", token0=token_of(full))
    assert state(run) is RunState.WAITING, story(run)
    person.settle("U")
    assert work.digest(full) == before


def test_changed_drive_is_not_written(work: Work, full: str) -> None:
    person = walker(work, full)
    plan_anew(person, full, "small-files")
    tool("mkfs.ext4", "-q", "-F", "-L", "precious", f"{full}p2")
    after = work.digest(full)
    person.begin(token_of(full))
    assert person.view.place == "review" and work.digest(full) == after
    assert person.said and not any(state(run) is RunState.RUNNING for run in list_runs(work.runs))


def test_waiting_result_is_settled_before_a_new_setup(work: Work, full: str) -> None:
    before = work.digest(full)
    person = walker(work, full)
    plan_anew(person, full, "small-files")
    person.begin(token_of(full))
    first = run_of(work)
    assert state(first) is RunState.WAITING, story(first)
    waiting = work.digest(full)
    person.key("enter")
    assert person.view.place == "drives"
    person.desk.moved(full)
    assert "empty" not in [str(cell.text) for cell in person.row(full).cells]
    person.act("actions", full)
    reasons = {row.key: str(row.why_not) for row in person.rows}
    assert reasons["set-up"] == "Waiting: keep (K) or undo (U)." and not reasons["undo"]
    person.act("back")
    # The command line can still lay another run over it, and says what that takes.
    plan = work.plan(full, spec("ext4"), mode=Mode.REPLACE)
    second, stands = work.apply(plan, keep=False)
    assert state(first) is RunState.WAITING and stands is RunState.WAITING, story(second)
    again = work.digest(full)
    person.act("again")
    person.wait()
    rows = [row for row in person.rows if row.key.startswith("run:")]
    assert [str(row.cells[-1].text) for row in rows] == [second.name, first.name]
    # What waits below the second cannot be settled before it.
    for key in ("K", "U"):
        person.key(key, f"run:{first}")
        assert person.view.place == "drives" and person.said
        assert work.digest(full) == again and state(first) is RunState.WAITING, story(first)
    for run, back in ((second, waiting), (first, before)):
        person.act("show-run", f"run:{run}")
        person.settle("U")
        assert state(run) is RunState.UNDONE and work.digest(full) == back, story(run)
        person.act("home")
