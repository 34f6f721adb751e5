"""Interrupted conversions on the device itself: by a killed tool, a full disk, between steps, and during
undo."""

import os
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, carry_out, ended, said, stand_in, story, without_power
from tests.loop.migrate.migrating import Old, old_filesystem
from tests.loop.program import (
    MIB,
    Event,
    Failed,
    Journal,
    Purpose,
    Refused,
    RunState,
    Way,
    resume,
    state,
    undo,
)
from wizard.apply.block.devices import facts_on
from wizard.apply.run.process import STOP

KILLED = "ulimit -c 0; ulimit -f {blocks}\n"
"""The kernel ends a program that makes its undo file longer than so many blocks, here in the middle of what
it writes to the device."""

REFUSED = "trap '' XFSZ; ulimit -f {blocks}\n"
"""Writing more fails, as on a full disk."""


@pytest.fixture
def old(work: Work, make_drive: MakeDrive) -> Old:
    return old_filesystem(work, make_drive)


def limited(old: Old, monkeypatch: pytest.MonkeyPatch, name: str, word: str, limit: str) -> Path:
    """Replace a program that fails if `word` is among its arguments. Return the file to delete to restore
    the real one."""
    real = tool("sh", "-c", f"PATH=/usr/sbin:/usr/bin:/sbin:/bin command -v {name}").strip()
    stand_in(
        old.work.folder / "bin",
        monkeypatch,
        name,
        f'case " $* " in *" {word} "*) {limit};; esac\nexec {real} "$@"',
    )
    return old.work.folder / "bin" / name


CUTS = (
    ("tune2fs", "-I", KILLED.format(blocks=1500), 2),
    ("e2fsck", "bmap2extent", KILLED.format(blocks=300), 4),
    ("tune2fs", "-I", REFUSED.format(blocks=1500), 2),
    ("resize2fs", "-b", REFUSED.format(blocks=8), 5),
)


@pytest.mark.parametrize(("program", "word", "limit", "step"), CUTS)
def test_program_interrupted_halfway(
    old: Old, monkeypatch: pytest.MonkeyPatch, program: str, word: str, limit: str, step: int
) -> None:
    before, lines = old.digest, old.fstab
    limited(old, monkeypatch, program, word, limit)
    run = old.migrate_here()
    assert state(run) is RunState.FAILED and [entry.step for entry in said(run, Event.STEP_FAILED)] == [
        step
    ], story(run)
    carry_out(run, Purpose.UNDO, ())
    assert (state(run), old.digest, old.fstab) == (RunState.UNDONE, before, lines), story(run)


def test_resume_after_a_killed_program_finishes_the_conversion(
    old: Old, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, files = old.digest, old.files("ext3")
    killed = limited(old, monkeypatch, "tune2fs", "-I", KILLED.format(blocks=1500))
    run, now = old.migrate(manifest=True)
    assert now is RunState.FAILED and "diskwright resume" in said(run, Event.FAILED)[-1].sentence, story(run)
    killed.unlink()
    resume(run)
    assert ended(run) is RunState.DONE and old.files("ext4") == files, story(run)
    undo(run)
    assert old.digest == before


def test_resume_after_a_power_cut_in_every_step(old: Old, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut the power after the step's program, before its result is recorded."""
    before, files, migration = old.digest, old.files("ext3"), old.migration()
    run = old.begin(migration)
    for step in range(1, len(migration.steps) + 1):
        Journal(run).add(Event.STARTED, "Going on.")
        without_power(monkeypatch, Event.STEP_DONE, step, lambda: carry_out(run, Purpose.APPLY, ()))
        assert state(run) is RunState.INTERRUPTED
    Journal(run).add(Event.STARTED, "Going on.")
    carry_out(run, Purpose.APPLY, ())
    assert state(run) is RunState.DONE and old.files("ext4") == files, story(run)
    carry_out(run, Purpose.UNDO, ())
    assert old.digest == before, story(run)


@pytest.mark.parametrize("step", [1, 4])
def test_power_cut_during_undo(old: Old, monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    before, lines = old.digest, old.fstab
    run = old.migrate_here()
    Journal(run).add(Event.STARTED, "Undoing.")
    without_power(monkeypatch, Event.COMMAND, step, lambda: carry_out(run, Purpose.UNDO, ()))
    assert old.digest != before or step == 1
    with pytest.raises(Refused, match=r"undo of run .* is unfinished"):
        resume(run)
    undo(run)
    assert (state(run), old.digest, old.fstab) == (RunState.UNDONE, before, lines), story(run)


@pytest.mark.parametrize("purpose", [Purpose.UNDO, Purpose.APPLY])
def test_power_cut_during_undo_of_a_step_without_an_undo_file(
    old: Old, monkeypatch: pytest.MonkeyPatch, purpose: Purpose
) -> None:
    """Cut the power during an undo, after a step that failed before its first write."""
    before = old.digest
    killed = limited(old, monkeypatch, "e2fsck", "bmap2extent", "exit 9")
    run = old.migrate_here()
    killed.unlink()
    Journal(run).add(Event.STARTED, "Going on.")
    without_power(monkeypatch, Event.COMMAND, 2, lambda: carry_out(run, purpose, ()))
    Journal(run).add(Event.STARTED, "Going on.")
    carry_out(run, purpose, ())
    assert state(run) is (RunState.UNDONE if purpose is Purpose.UNDO else RunState.DONE), story(run)
    if purpose is Purpose.APPLY:
        carry_out(run, Purpose.UNDO, ())
    assert old.digest == before, story(run)


def test_damaged_or_missing_undo_file_is_detected_before_undo(old: Old) -> None:
    run = old.migrate_here()
    found = old.digest
    (file,) = old.undo_dir.glob("*/02/*.e2undo")
    kept = file.read_bytes()
    file.unlink()
    with pytest.raises(Failed, match=r"undo file of step 2 .* is missing"):
        undo(run)
    assert old.digest == found
    middle = len(kept) // 2
    file.write_bytes(
        kept[:middle] + bytes(byte ^ 0xFF for byte in kept[middle : middle + 8192]) + kept[middle + 8192 :]
    )
    with pytest.raises(Failed, match=r"undo file of step 2 .* is damaged"):
        undo(run)
    assert old.digest == found


def test_undo_folder_without_space_is_refused_before_the_start(old: Old, make_drive: MakeDrive) -> None:
    small = make_drive(16 * MIB)
    old.work.bench.own(small)
    tool("mkfs.ext4", "-q", small)
    old.undo_dir.mkdir()
    tool("mount", small, str(old.undo_dir))
    before = old.digest
    with pytest.raises(Refused, match=r"free, up to .* required"):
        old.start(old.migration())
    assert old.digest == before and not list(old.work.runs.glob("*/migration.json"))


def test_run_stopped_between_two_steps_resumes(old: Old) -> None:
    run = old.begin(old.migration())
    (run / STOP).touch()
    carry_out(run, Purpose.APPLY, ())
    assert state(run) is RunState.STOPPED and "extent" not in facts_on(old.drive).features
    (run / STOP).unlink()
    carry_out(run, Purpose.APPLY, ())
    assert state(run) is RunState.DONE and "extent" in facts_on(old.drive).features, story(run)


def test_step_without_an_undo_file_ends_the_run(old: Old, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check a missing undo file. tune2fs silently creates none in a folder without write permission."""
    lines = old.fstab
    limited(old, monkeypatch, "tune2fs", "-I", "export E2FSPROGS_UNDO_DIR=none")
    run = old.migrate_here()
    assert (
        "No undo file was created" in said(run, Event.STEP_FAILED)[0].sentence
        and "extent" not in facts_on(old.drive).features
    )
    found = old.digest
    carry_out(run, Purpose.UNDO, ())
    assert state(run) is RunState.FAILED and "cannot be undone" in said(run, Event.FAILED)[-1].sentence, (
        story(run)
    )
    assert (old.digest, old.fstab) == (found, lines)


def test_undo_reports_changes_made_outside_the_run(old: Old) -> None:
    run = old.migrate_here(Way.LIGHT, manifest=True)
    old.work.bench.own(old.drive)
    old.restarted()
    with Path(old.drive).open("r+b") as device:
        device.seek(-1, os.SEEK_END)
        device.write(b"x")
    carry_out(run, Purpose.UNDO, ())
    assert (
        state(run) is RunState.FAILED
        and "the fingerprint still differs" in said(run, Event.FAILED)[-1].sentence
    ), story(run)
    assert list(old.undo_dir.rglob("*.e2undo"))


def test_undo_of_an_unfinished_step_restores_and_names_the_check(
    old: Old, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = old.digest
    limited(old, monkeypatch, "tune2fs", "-O", KILLED.format(blocks=4))
    run = old.migrate_here(Way.LIGHT)
    assert state(run) is RunState.FAILED, story(run)
    carry_out(run, Purpose.UNDO, ())
    last = said(run, Event.UNDONE)[-1].sentence
    assert old.digest == before and "e2fsck -f -n" in last and "bit for bit" not in last, story(run)


def test_undo_fails_if_the_drive_does_not_contain_the_undo_data(
    old: Old, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check undo on a drive that drops writes."""
    before, run = old.digest, old.migrate_here(Way.LIGHT)
    fake = limited(old, monkeypatch, "e2undo", old.drive, 'case " $* " in *" -n "*) ;; *) exit 0;; esac')
    for _ in range(2):
        carry_out(run, Purpose.UNDO, ())
        assert state(run) is RunState.FAILED and old.digest != before, story(run)
        assert "differs from its undo data" in said(run, Event.FAILED)[-1].sentence, story(run)
        assert list(old.undo_dir.rglob("*.e2undo"))
    fake.unlink()
    carry_out(run, Purpose.UNDO, ())
    assert old.digest == before and "bit for bit" in said(run, Event.UNDONE)[-1].sentence, story(run)
