"""Attacks on a conversion's run, its folders and its fstab line, without data loss."""

import os

import pytest

from tests.devices import tool
from tests.loop.applying import carry_out, said, story, without_power
from tests.loop.migrate.migrating import Old
from tests.loop.program import (
    Environment,
    Event,
    Purpose,
    Refused,
    RunState,
    Way,
    state,
    undo,
)
from wizard.apply.conversion.job import JOB
from wizard.apply.engine.stores import FOLDER, new_file, old_file
from wizard.apply.run.job import Start
from wizard.apply.run.journal import FILE

SOMEBODY = 1234


def test_repeated_undo_after_a_cut_keeps_new_files(old: Old, monkeypatch: pytest.MonkeyPatch) -> None:
    before, lines = old.digest, old.fstab
    run = old.migrate_here(Way.LIGHT)
    without_power(monkeypatch, Event.UNDONE, None, lambda: carry_out(run, Purpose.UNDO, ()))
    assert old.digest == before and not old.saved
    # Somebody goes on working with what is theirs again.
    (old.mount() / "new").write_text("It must not be lost.")
    tool("umount", str(old.work.place("old")))
    used = old.digest
    carry_out(run, Purpose.UNDO, ())
    assert (state(run), old.digest, old.fstab) == (RunState.UNDONE, used, lines), story(run)


def test_replaced_saved_bytes_are_not_restored_and_fstab_still_fits(old: Old) -> None:
    run = old.migrate_here(Way.LIGHT)
    found, lines = old.digest, old.fstab
    assert "  ext4\t" in lines
    folder = run / FOLDER
    elsewhere = folder.rename(folder.with_name("elsewhere"))
    folder.mkdir()
    old_file(run, 0).symlink_to(elsewhere / old_file(run, 0).name)
    carry_out(run, Purpose.UNDO, ())
    assert state(run) is not RunState.UNDONE and (old.digest, old.fstab) == (found, lines), story(run)
    old_file(run, 0).unlink()
    folder.rmdir()
    elsewhere.rename(folder)
    carry_out(run, Purpose.KEEP, ())
    assert state(run) is RunState.KEPT


def test_prepared_folder_of_another_user_is_replaced(old: Old) -> None:
    run = old.begin(old.migration(Way.LIGHT))
    prepared = run / FOLDER
    prepared.mkdir()
    new_file(run, 0).write_bytes(b"theirs")
    os.chown(prepared, SOMEBODY, SOMEBODY)
    carry_out(run, Purpose.APPLY, ())
    assert state(run) is RunState.DONE and prepared.stat().st_uid == 0, story(run)
    assert old_file(run, 0).stat().st_size == old.work.bench.image_of(old.drive).stat().st_size


def test_data_for_resuming_a_commit_is_not_stored_in_memory(old: Old) -> None:
    memory = old.work.place("in memory")
    memory.mkdir(parents=True)
    tool("mount", "-t", "tmpfs", "memory", str(memory))
    before = old.digest
    try:
        with pytest.raises(Refused, match=r"is in memory.*--journal DIR"):
            JOB.preflight(old.migration(Way.LIGHT), Start((), memory / "runs", old.work.environment))
    finally:
        tool("umount", str(memory))
    assert old.digest == before


def test_truncated_journal_does_not_prevent_undo(old: Old) -> None:
    before, lines = old.digest, old.fstab
    run = old.migrate_here(Way.LIGHT)
    journal = run / FILE
    os.truncate(journal, journal.read_bytes().index(Event.STEP_STARTED.encode()))
    assert not said(run, Event.STEP_STARTED)
    undo(run)
    assert (state(run), old.digest, old.fstab) == (RunState.UNDONE, before, lines), story(run)


def test_group_writable_run_is_not_trusted(old: Old) -> None:
    run = old.migrate_here(Way.LIGHT)
    run.chmod(0o770)
    with pytest.raises(Refused, match="is not exclusively root's"):
        undo(run)


def test_keep_mounts_by_its_own_fstab_line_below_added_lines(
    old: Old, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = old.migrate_here(Way.LIGHT)
    old.work.place("old").mkdir(parents=True, exist_ok=True)
    # Another's line stands where the run's own did.
    lines = old.fstab.split("\n")
    number = next(at for at, line in enumerate(lines) if "/old" in line)
    other = old.work.place("other")
    other.mkdir()
    old.work.fstab.write_text(
        "\n".join([*lines[:number], f"LABEL=else {other} ext4 defaults 0 2", *lines[number:]])
    )
    monkeypatch.setattr(Environment, "is_running_system", True)
    carry_out(run, Purpose.KEEP, ())
    assert tool("findmnt", "-n", "-o", "TARGET", old.drive).split() == [str(old.work.place("old"))], story(
        run
    )


def test_keep_does_not_mount_other_content(old: Old, monkeypatch: pytest.MonkeyPatch) -> None:
    run = old.migrate_here(Way.LIGHT)
    old.work.place("old").mkdir(parents=True, exist_ok=True)
    old.restarted()
    tool("mke2fs", "-q", "-F", "-t", "ext4", old.drive)
    monkeypatch.setattr(Environment, "is_running_system", True)
    carry_out(run, Purpose.KEEP, ())
    assert state(run) is RunState.REFUSED, story(run)
    assert old_file(run, 0).exists(), "the old bytes are still there"
    assert not os.path.ismount(old.work.place("old"))
