"""Interrupted conversions: by a failed or killed tool, a full disk, an unreadable drive, a power cut between
steps, and during undo. The filesystem is unchanged until all steps are verified."""

import os
import signal
import time
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import carry_out, ended, gate, said, stand_in, story, without_power
from tests.loop.migrate.migrating import Old
from tests.loop.program import (
    MIB,
    Event,
    Journal,
    Purpose,
    Refused,
    RunState,
    Way,
    resume,
    state,
    undo,
)
from wizard.apply.block.devices import facts_on, open_exclusively
from wizard.apply.conversion.commit import has_started, phase_of
from wizard.apply.engine.record import Phase
from wizard.apply.engine.writable_copy import scratch_copy_of
from wizard.apply.run.process import STOP
from wizard.model.errors import Failed


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


FAILURES = (
    ("tune2fs", "-I", "exit 9", 2),
    ("e2fsck", "bmap2extent", "kill -9 $$", 4),
    ("resize2fs", "-b", "kill -11 $$", 5),
)


@pytest.mark.parametrize(("program", "word", "failure", "step"), FAILURES)
def test_failed_program_leaves_the_drive_unchanged_and_the_run_resumes(
    old: Old, monkeypatch: pytest.MonkeyPatch, program: str, word: str, failure: str, step: int
) -> None:
    before, lines, files = old.digest, old.fstab, old.files("ext3")
    failing = limited(old, monkeypatch, program, word, failure)
    run, now = old.migrate(manifest=True)
    assert now is RunState.FAILED and "diskwright resume" in said(run, Event.FAILED)[-1].sentence, story(run)
    assert [entry.step for entry in said(run, Event.STEP_FAILED)] == [step], story(run)
    assert (old.digest, old.fstab) == (before, lines) and not old.saved
    failing.unlink()
    resume(run)
    assert ended(run) is RunState.DONE and old.files("ext4") == files, story(run)
    undo(run)
    assert (state(run), old.digest, old.fstab) == (RunState.UNDONE, before, lines), story(run)


def test_failed_conversion_is_undone_without_a_write(old: Old, monkeypatch: pytest.MonkeyPatch) -> None:
    before, lines = old.digest, old.fstab
    limited(old, monkeypatch, "tune2fs", "-I", "exit 9")
    run = old.migrate_here()
    tool("blockdev", "--setro", old.drive)
    carry_out(run, Purpose.UNDO, ())
    assert (state(run), old.digest, old.fstab) == (RunState.UNDONE, before, lines), story(run)
    assert "was not written to" in said(run, Event.UNDONE)[-1].sentence


def test_resume_after_a_power_cut_in_every_step(old: Old, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut the power after the step's program, before its result is recorded."""
    before, files, migration = old.digest, old.files("ext3"), old.migration()
    run = old.begin(migration)
    for step in range(1, len(migration.steps) + 1):
        Journal(run).add(Event.STARTED, "Going on.")
        without_power(monkeypatch, Event.STEP_DONE, step, lambda: carry_out(run, Purpose.APPLY, ()))
        assert state(run) is RunState.INTERRUPTED
        assert step == len(migration.steps) or old.digest == before
    Journal(run).add(Event.STARTED, "Going on.")
    carry_out(run, Purpose.APPLY, ())
    assert state(run) is RunState.DONE and old.files("ext4") == files, story(run)
    carry_out(run, Purpose.UNDO, ())
    assert old.digest == before, story(run)


def test_killed_process_leaves_no_scratch_copy(old: Old, monkeypatch: pytest.MonkeyPatch) -> None:
    before, opened = old.digest, old.work.folder / "opened"
    stand_in(old.work.folder / "bin", monkeypatch, "resize2fs", gate("resize2fs", opened))
    run = old.start(old.migration())
    until(Path(f"{opened}.reached").exists)
    copy = Path("/sys/block") / Path(said(run, Event.COMMAND)[-1].command[-1]).name
    number = (copy / "diskseq").read_text()
    assert open_exclusively(old.drive), "the filesystem can be mounted"
    for pid in processes_of(run):
        os.kill(pid, signal.SIGKILL)
    opened.touch()
    until(lambda: not open_exclusively(old.drive))
    until(lambda: not (copy / "loop").exists() or (copy / "diskseq").read_text() != number)
    assert old.digest == before and phase_of(run) is Phase.REHEARSING and has_started(run)
    resume(run)
    assert ended(run) is RunState.DONE, story(run)
    undo(run)
    assert old.digest == before and not old.saved


def processes_of(run: Path) -> list[int]:
    """Return the processes with this run among their arguments."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if str(run).encode() in words:
            found.append(int(folder.name))
    return found


def until(condition: object) -> None:
    """Wait until a function returns true, at most a minute."""
    assert callable(condition)
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.parametrize("moment", [Event.COMMAND, Event.UNDONE])
def test_power_cut_during_undo(old: Old, monkeypatch: pytest.MonkeyPatch, moment: Event) -> None:
    before, lines = old.digest, old.fstab
    run = old.migrate_here()
    Journal(run).add(Event.STARTED, "Undoing.")
    without_power(monkeypatch, moment, None, lambda: carry_out(run, Purpose.UNDO, ()))
    with pytest.raises(Refused, match=r"undo of run .* is unfinished"):
        resume(run)
    undo(run)
    assert (state(run), old.digest, old.fstab) == (RunState.UNDONE, before, lines), story(run)


def test_folder_without_space_is_refused_before_the_start(old: Old, make_drive: MakeDrive) -> None:
    small = make_drive(16 * MIB)
    old.work.bench.own(small)
    tool("mkfs.ext4", "-q", small)
    old.work.runs.mkdir()
    tool("mount", small, str(old.work.runs))
    before = old.digest
    with pytest.raises(Refused, match="not enough space for"):
        old.start(old.migration())
    assert old.digest == before and not list(old.work.runs.glob("*/migration.json"))


def test_folder_that_fills_up_ends_the_run_with_the_reason(old: Old, make_drive: MakeDrive) -> None:
    small = make_drive(16 * MIB)
    old.work.bench.own(small)
    tool("mkfs.ext4", "-q", small)
    old.work.runs.mkdir()
    tool("mount", small, str(old.work.runs))
    (old.work.runs / "filler").write_bytes(bytes(11 * MIB))
    before = old.digest
    run = old.migrate_here()
    assert state(run) is RunState.FAILED, story(run)
    # It fills up while the scratch copy is written, or later while the old bytes are saved.
    reason = said(run, Event.FAILED)[-1].sentence
    assert "the disk is full" in reason or "not enough free space" in reason, story(run)
    assert old.digest == before and not old.saved
    (old.work.runs / "filler").unlink()
    carry_out(run, Purpose.APPLY, ())
    assert state(run) is RunState.DONE, story(run)
    carry_out(run, Purpose.UNDO, ())
    assert old.digest == before
    tool("umount", str(old.work.runs))


def test_unreadable_drive_is_named(old: Old, tmp_path: Path) -> None:
    """Read behind the end of the drive's file, which was cut off."""
    with scratch_copy_of(old.drive, tmp_path / "new.img") as copy:
        os.truncate(old.work.bench.image_of(old.drive), 8 * MIB)
        with pytest.raises(OSError, match="Input/output error"), Path(copy.node).open("rb") as device:
            device.seek(20 * MIB)
            device.read(4096)
        with pytest.raises(Failed, match=f"Cannot read {old.drive} at byte"):
            copy.check()
        os.truncate(old.work.bench.image_of(old.drive), 32 * MIB)


def test_run_stopped_between_two_steps_resumes(old: Old) -> None:
    before, run = old.digest, old.begin(old.migration())
    (run / STOP).touch()
    carry_out(run, Purpose.APPLY, ())
    assert state(run) is RunState.STOPPED and old.digest == before and not old.saved
    (run / STOP).unlink()
    carry_out(run, Purpose.APPLY, ())
    assert state(run) is RunState.DONE and "extent" in facts_on(old.drive).features, story(run)


def test_undo_is_refused_after_changes_made_outside_the_run(old: Old) -> None:
    run = old.migrate_here(Way.LIGHT)
    old.work.bench.own(old.drive)
    old.restarted()
    with Path(old.drive).open("r+b") as device:
        device.seek(1024 + 0x200)
        device.write(b"x")
    changed = old.digest
    carry_out(run, Purpose.UNDO, ())
    assert state(run) is not RunState.UNDONE and old.digest == changed, story(run)
