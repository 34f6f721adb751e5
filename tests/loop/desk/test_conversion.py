"""Convert ext3 to ext4 through the choice of methods, on a test drive: undone bit for bit, or kept."""

from pathlib import Path

from tests.loop.applying import story
from tests.loop.desk.walking import Walker, checked, run_of, services, token_of, walker
from tests.loop.migrate.migrating import Old
from tests.loop.program import ExitCode, RunState, state
from tests.walks import to_ext4_by_questions
from wizard.apply.block.devices import facts_on


def at_ways(old: Old) -> Walker:
    """Return a user at the choice of methods."""
    person = walker(old.work, old.drive)
    person.desk.moved(old.drive)
    person.act("to-ext4", old.drive)
    assert person.view.place == "ways", (person.view.place, person.said)
    return person


def at_result(old: Old, person: Walker, way: str) -> Path:
    """Choose a method and go on to the result, with a wrong token first."""
    row = person.row(way)
    assert row.why_not == "", row.why_not
    person.desk.moved(row.key)
    person.key("enter")
    assert person.view.place == "review", (person.view.place, person.said)
    person.begin("wrong")
    assert person.view.place == "review" and not old.work.runs.exists()
    person.begin(token_of(old.drive))
    return run_of(old.work)


def test_conversion_keeps_every_file_and_undo_is_bit_for_bit(old: Old) -> None:
    before, lines, files = old.digest, old.fstab, old.files("ext3")
    person = at_ways(old)
    run = at_result(old, person, "full")
    assert person.view.place == "result" and checked(run), story(run)
    person.settle("U")
    assert state(run) is RunState.UNDONE, story(run)
    assert (old.digest, old.fstab) == (before, lines) and old.files("ext3") == files


def test_keep_of_the_light_method_frees_its_space(old: Old) -> None:
    files = old.files("ext3")
    person = at_ways(old)
    person.act("compare")
    run = at_result(old, person, "light")
    assert person.view.place == "result", (person.said, story(run))
    person.settle("K")
    assert state(run) is RunState.KEPT, story(run)
    assert "extent" in facts_on(old.drive).features and not (run / "engine").exists()
    assert old.files("ext4") == files


def test_conversion_is_undone_later_from_drives(old: Old) -> None:
    before = old.digest
    person = at_ways(old)
    run = at_result(old, person, "full")
    person.key("enter")
    person.end()
    other = walker(old.work, old.drive)
    assert other.rows[0].key == f"run:{run}"
    other.settle("U")
    assert state(run) is RunState.UNDONE and old.digest == before, story(run)


def test_conversion_in_plain_mode_is_kept(old: Old) -> None:
    files = old.files("ext3")
    code, told = to_ext4_by_questions(services(old.work, old.drive), token_of(old.drive))
    run = run_of(old.work)
    assert code is ExitCode.DONE and state(run) is RunState.KEPT, told
    assert "power cut" in " ".join(told.split()) and old.files("ext4") == files
