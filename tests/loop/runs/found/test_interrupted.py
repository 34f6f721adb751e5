"""Finish a waiting drive from its notice, interrupted at every moment: the recommended commands continue,
and the drive ends as with the lost folder."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from time import sleep

import pytest

from tests.devices import MakeDrive, tool
from tests.exchanging import Power, PowerCut
from tests.loop.applying import ROOT, Work, diskwright, fill, old_gpt, spec, story, until
from tests.loop.program import (
    MIB,
    Journal,
    Mode,
    Refused,
    RunState,
    is_locked,
    keep,
    list_runs,
    load_record,
    state,
)
from wizard.apply.engine.stores import Store
from wizard.apply.plan import recover
from wizard.apply.plan.recover import found_on, make_found_run
from wizard.apply.plan.rehearsed import is_half_found
from wizard.apply.run import backup_store
from wizard.apply.run import runs as run_folders

SEEDS = 40 if os.environ.get("DISKWRIGHT_EVERY_FILESYSTEM") else 6
NAMED = re.compile(r"`diskwright keep (\S+)`")


class Lost:
    """A waiting drive without its run folder, with its current and expected content."""

    def __init__(self, work: Work, drive: str) -> None:
        self.work, self.drive = work, drive
        fill(drive, work.bench)
        old_gpt(drive)
        run, end = work.apply(work.plan(drive, spec("ext4"), mode=Mode.REPLACE), keep=False)
        assert end is RunState.WAITING, story(run)
        record = load_record(run)
        assert record is not None
        change = record.changes[0]
        # Free space of the new filesystem: a found run leaves zeros instead of the notice.
        notice = [change.notice] if change.notice else []
        assert change.zeros
        self.places = [piece for place in change.places for piece in place.without(notice)]
        self.places += change.zeros
        self.new = (run / "engine" / "new-0.img").read_bytes()
        shutil.rmtree(run)
        tool("blockdev", "--flushbufs", drive)
        self.waiting = work.bench.image_of(drive).read_bytes()

    def again(self) -> None:
        """Restore the waiting state, without run folders."""
        self.work.bench.own(self.drive)
        with Path(self.drive).open("r+b", buffering=0) as device:
            device.write(self.waiting)
            os.fsync(device.fileno())
        shutil.rmtree(self.work.runs)

    def is_whole(self) -> bool:
        """Return True if the drive has the new content."""
        tool("blockdev", "--flushbufs", self.drive)
        now = self.work.bench.image_of(self.drive).read_bytes()
        spans = [slice(place.start_bytes, place.end_bytes) for place in self.places]
        return all(now[span] == self.new[span] for span in spans)


@pytest.fixture
def lost(work: Work, make_drive: MakeDrive) -> Lost:
    return Lost(work, make_drive(64 * MIB))


def make_run(lost: Lost) -> Path:
    what = found_on(lost.drive)
    return make_found_run(what, what.plan.tokens, lost.work.runs, lost.work.environment)


def counted(real: Callable[..., object], power: Power) -> Callable[..., object]:
    """Return a function that counts a moment of the power after each call."""

    def instead(*given: object, **named: object) -> object:
        done = real(*given, **named)
        power.moment()
        return done

    return instead


def cut(lost: Lost, monkeypatch: pytest.MonkeyPatch, power: Power) -> bool:
    """Create the run folder with this power. Return True after a power cut."""
    with monkeypatch.context() as patched:
        for where, name in (
            (run_folders, "make_run"),
            (recover, "save_record"),
            (run_folders, "save_drives"),
            (backup_store, "keep_facts"),
            (Journal, "add"),
            (Store, "__init__"),
            (Store, "sync"),
        ):
            patched.setattr(where, name, counted(getattr(where, name), power))
        try:
            make_run(lost)
        except PowerCut:
            return True
    return False


def test_finish_succeeds_after_a_cut_while_the_folder_is_created(
    lost: Lost, monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = 0
    while cut(lost, monkeypatch, Power(moments)):
        if left := [run for run in list_runs(lost.work.runs) if is_half_found(run)]:
            told = diskwright(lost.work, "resume", str(left[0]))
            assert f"`diskwright keep --from-drive {lost.drive}` starts over" in flat(told.stderr)
        try:
            run = make_run(lost)
        except Refused as refused:
            named = NAMED.search(str(refused))
            assert named, f"cut at {moments}: {refused}"
            run = Path(named[1])
        keep(run)
        assert state(run) is RunState.KEPT, story(run)
        assert lost.is_whole(), f"cut at {moments}"
        lost.again()
        moments += 1
    assert moments > 8


def stop(process: subprocess.Popen[str], runs: Path) -> None:
    """Kill a command and the processes of all runs."""
    process.kill()
    process.communicate()
    for run in list_runs(runs):
        with suppress(FileNotFoundError, ProcessLookupError, ValueError):
            if is_locked(run):
                os.kill(int((run / "pid").read_text()), signal.SIGKILL)
    until(lambda: not any(is_locked(run) for run in list_runs(runs)))


@pytest.mark.parametrize("seed", range(SEEDS))
def test_run_killed_at_any_moment_finishes_as_recommended(lost: Lost, seed: int) -> None:
    dice = Random(seed)
    words = ["keep", "--from-drive", lost.drive, "--confirm", Path(lost.drive).name]
    for _ in range(dice.randrange(1, 4)):
        lost.work.bench.own(lost.drive)
        process = subprocess.Popen(
            [sys.executable, "-m", "wizard", *words],
            cwd=ROOT,
            env={**os.environ, "DISKWRIGHT_STATE": str(lost.work.folder)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        sleep(dice.random() * dice.choice((1.0, 3.0)))
        stop(process, lost.work.runs)
    for _ in range(8):
        done = diskwright(lost.work, *words)
        # What a killed run had started can hold the drive a little longer: then there is no run yet.
        runs = list_runs(lost.work.runs)
        if runs and all(state(run) in (RunState.KEPT, RunState.DONE) for run in runs):
            break
        sleep(0.2)
        if (named := NAMED.search(done.stderr)) is not None:
            words = ["keep", named[1]]
    runs = list_runs(lost.work.runs)
    assert [state(run) for run in runs] == [RunState.KEPT], done.stderr
    assert lost.is_whole()
    tool("e2fsck", "-fn", f"{lost.drive}p1")


def flat(text: str) -> str:
    return " ".join(text.split())


def test_status_mentions_a_waiting_drive(lost: Lost) -> None:
    done = diskwright(lost.work, "status")
    assert done.returncode == 0
    assert f"sudo diskwright keep --from-drive {lost.drive}\n" in done.stderr, done.stderr
    keep(make_run(lost))
    assert lost.drive not in diskwright(lost.work, "status").stderr


def test_status_omits_drives_of_listed_runs(work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(64 * MIB)
    old_gpt(drive)
    run, _ = work.apply(work.plan(drive, spec("ext4"), mode=Mode.REPLACE), keep=False)
    listed = diskwright(work, "status")
    assert drive in listed.stdout and drive not in listed.stderr
    other = diskwright(work, "status", "--journal", str(work.folder / "none"))
    assert f"sudo diskwright keep {run}\n" in other.stderr and f"sudo diskwright undo {run}\n" in other.stderr
