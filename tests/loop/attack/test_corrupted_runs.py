"""Damaged run folders: every command ends within seconds with a message and its exit code, and the drive
holds the old content or content that the run may write, bit for bit."""

import io
import os
import shutil
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from time import monotonic
from traceback import extract_tb

import pytest

from tests.daily import DAY, IS_FULL
from tests.devices import MakeDrive, forget_partitions, tool
from tests.loop.applying import Work, diskwright, ended, fill, old_gpt, spec, story
from tests.loop.attack.corrupting import corrupt
from tests.loop.program import MIB, DiskwrightError, Event, ExitCode, Journal, Mode, Purpose, RunState, keep
from tests.loop.tune.tuning import Used
from wizard.apply import run_control
from wizard.apply.run import job
from wizard.cli.main import carry_out

FOLDERS = 250 if IS_FULL else 6
SECONDS = 20.0
NAME = "0001-damaged"
CODES = (ExitCode.DONE, ExitCode.FAILED, ExitCode.USAGE, ExitCode.REFUSED, ExitCode.INTERRUPTED)
READERS: tuple[tuple[str, ...], ...] = (
    ("status",),
    ("status", "RUN"),
    ("status", "RUN", "--json"),
    ("look", "RUN"),
    ("report", "RUN"),
)
WRITERS: tuple[tuple[str, ...], ...] = (
    ("resume", "RUN"),
    ("keep", "RUN"),
    ("undo", "RUN"),
    ("undo", "RUN", "--over-changes"),
)


@dataclass
class Commands:
    """Commands in this process, with the processes of their runs. `faults` lists errors that a user should
    never see."""

    runs: Path
    faults: list[str] = field(default_factory=list)

    def launch(
        self,
        run: Path,
        purpose: Purpose,
        drive_locks: Sequence[int],
        run_lock: int,
        secret: bytes | None = None,
    ) -> None:
        """Fork this process to do the work of `wizard.apply.run.process.launch` and `wizard.apply`."""
        if number := os.fork():
            if status := os.waitpid(number, 0)[1]:
                self.faults.append(f"{purpose} ended with {status}: {self.crashed.read_text()}")
            return
        try:
            self._work(run, purpose, drive_locks, secret)
        except BaseException as error:  # noqa: BLE001 - any of them would be a traceback
            self.crashed.write_text(_told(error))
            os._exit(1)
        os._exit(0)

    @property
    def crashed(self) -> Path:
        """File with the error of a failed fork."""
        return self.runs.parent / "crashed"

    def _work(self, run: Path, purpose: Purpose, drive_locks: Sequence[int], secret: bytes | None) -> None:
        try:
            work = job.RunWork(run, purpose, Journal(run), tuple(drive_locks), secret)
            run_control.carry_out(work)
        except (OSError, DiskwrightError) as error:
            with suppress(DiskwrightError):
                Journal(run).end(Event.FAILED, str(error))

    def give(self, words: Sequence[str], told: str) -> None:
        """Run a command on the damaged run."""
        argv = [str(self.runs / NAME) if word == "RUN" else word for word in words]
        if words[0] == "report":
            argv += ["--output", str(self.runs.parent / "report.html")]
        began, said, code = monotonic(), io.StringIO(), 0
        try:
            with redirect_stdout(said), redirect_stderr(said):
                code = carry_out([*argv, "--journal", str(self.runs)])
        except SystemExit as end:
            code = int(end.code or 0)
        except Exception as error:  # noqa: BLE001 - any of them would be a traceback
            self.faults.append(f"{told}: {' '.join(words)}: {_told(error)}")
        seconds = monotonic() - began
        if code not in CODES or seconds > SECONDS:
            self.faults.append(f"{told}: {' '.join(words)}: {code} after {seconds:.1f} s")


def _told(error: BaseException) -> str:
    frames = extract_tb(error.__traceback__)
    at = ", ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames[-3:])
    return f"{error!r:.200} at {at}"


@pytest.fixture
def commands(work: Work, monkeypatch: pytest.MonkeyPatch) -> Commands:
    made = Commands(work.runs)
    monkeypatch.setattr("wizard.apply.run.process.launch", made.launch)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    return made


def damaged(work: Work, kept: Path, other: Path, dice: Random) -> str:
    """Copy the run from `kept`, damage it, and return a description."""
    shutil.rmtree(work.runs, ignore_errors=True)
    work.runs.mkdir(mode=0o700)
    tool("cp", "--archive", "--sparse=always", str(kept), str(work.runs / NAME))
    return corrupt(work.runs / NAME, other, dice)


def other_run(work: Work, make_drive: MakeDrive) -> Path:
    """Return the folder of a run on another, empty drive."""
    run, _ = work.apply(work.plan(make_drive(96 * MIB), spec("ext4")))
    return run.rename(work.folder / "other")


def test_waiting_run(work: Work, make_drive: MakeDrive, commands: Commands) -> None:
    """Check that, despite any damage, the drive is as before, waiting, or as planned."""
    drive = make_drive(96 * MIB)
    fill(drive, work.bench, 4)
    old_gpt(drive)
    before = work.digest(drive)
    plan = work.plan(drive, spec("ext4"), mode=Mode.REPLACE)
    run, state = work.apply(plan, keep=False)
    assert state is RunState.WAITING
    waiting, image = work.digest(drive), work.folder / "waiting.img"
    tool("cp", "--sparse=always", str(work.bench.image_of(drive)), str(image))
    kept = work.folder / "kept"
    tool("cp", "--archive", "--sparse=always", str(run), str(kept))
    keep(run)
    assert ended(run) is RunState.KEPT
    ends = {before, waiting, work.digest(drive)}
    other = other_run(work, make_drive)
    put_back(work, drive, image)
    for seed in range(DAY * FOLDERS, (DAY + 1) * FOLDERS):
        dice = Random(seed)
        told = f"seed {seed}, {damaged(work, kept, other, dice)}"
        for words in READERS:
            commands.give(words, told)
        if work.digest(drive) != waiting:
            commands.faults.append(f"{told}: a reader wrote to the drive")
        writers = dice.sample(WRITERS, 2)
        for words in writers:
            commands.give(words, told)
        held = work.digest(drive)
        if held not in ends:
            commands.faults.append(f"{told}: the drive holds something else after {writers}")
        if held != waiting:
            put_back(work, drive, image)
    assert not commands.faults, "\n".join(commands.faults)


def put_back(work: Work, drive: str, image: Path) -> None:
    """Restore the drive's content from an image."""
    work.bench.own(drive)
    forget_partitions(drive)
    shutil.copyfile(image, drive)
    tool("blockdev", "--flushbufs", drive)


def test_settings_of_a_mounted_filesystem(used: Used, make_drive: MakeDrive, commands: Commands) -> None:
    """Check that each setting is as before or as planned."""
    run, state = used.apply(used.changes())
    assert state is RunState.DONE
    kept = run.rename(used.work.folder / "kept")
    other = other_run(used.work, make_drive)
    for seed in range(DAY * FOLDERS, (DAY + 1) * FOLDERS):
        dice = Random(seed)
        told = f"seed {seed}, {damaged(used.work, kept, other, dice)}"
        for words in (*READERS, dice.choice(WRITERS)):
            commands.give(words, told)
    assert not commands.faults, "\n".join(commands.faults)


def test_run_of_another_user_is_not_trusted(work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(96 * MIB)
    tool("mkfs.ext4", "-q", drive)
    before = work.digest(drive)
    run, state = work.apply(work.plan(drive, spec("ext4"), mode=Mode.REPLACE), keep=False)
    assert state is RunState.WAITING, story(run)
    waiting = work.digest(drive)
    os.chown(run, 65534, 65534)
    for command in ("keep", "undo", "resume"):
        assert diskwright(work, command, run.name).returncode == 3
        assert work.digest(drive) == waiting
    os.chown(run, 0, 0)
    assert diskwright(work, "undo", run.name).returncode == 0
    assert work.digest(drive) == before
