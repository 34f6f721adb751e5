"""Seeded accidents of real runs and drives, and a user who follows the messages."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from random import Random
from time import sleep

from tests.devices import (
    MakeDrive,
    attached_in,
    backing_file,
    forget_partitions,
    release,
    remove_loop_device,
    tool,
)
from tests.loop.applying import ROOT, SECONDS, Work, until
from tests.loop.program import MIB, PLANS, Phase, Plan, is_locked, load_record
from wizard.apply.engine.record import Record
from wizard.apply.run.journal import FILE as JOURNAL

NAMED = re.compile(r"diskwright (resume|undo|keep) (\S+)((?: --confirm \S+| --over-changes)*)")
"""A command as it is said."""
SAID = re.compile(
    r"is working on the run|Another program has locked|Nothing was written|Nothing was written|"
    r"no steps remain|made no changes|needs no further action|already"
)
FIRST_NUMBER = 200
"""Loop devices from here on are free as long as there are lower ones."""
MEDIUM_BYTES = 128 * MIB


class Accident(StrEnum):
    """Accidents during a command or right after it."""

    NONE = "nothing"
    KILLED = "the run is killed"
    BOTH_KILLED = "the run and the command are killed"
    PULLED = "killed, and the drive is plugged in again"
    ELSEWHERE = "killed, and the drive is plugged in again as another"
    CLOCK = "killed, and the clock jumps back by years"
    FULL = "the journal's medium is full"
    READ_ONLY = "the journal's medium turns read-only"
    TWICE = "another command is given at the same time"


@contextmanager
def high_loop(work: Work, size_bytes: int) -> Iterator[tuple[str, str]]:
    """Create a drive with a reserved high loop number, and yield its node and another such node."""
    image = work.bench.folder / "pulled.img"
    with image.open("wb") as file:
        file.truncate(size_bytes)
    start = FIRST_NUMBER + os.getpid() % 400 * 2
    first, second = (
        f"/dev/loop{number}"
        for number in [at for at in range(start, start + 1000) if not Path(f"/sys/block/loop{at}").exists()][
            :2
        ]
    )
    plug_in(work, first, image)
    try:
        yield first, second
    finally:
        work.leave()
        for node in (first, second):
            behind = backing_file(node)
            if behind is not None and work.bench.folder in behind.parents:
                work.bench.images[node] = behind
                pull(work, node)
            with suppress(OSError):
                remove_loop_device(node)
            work.bench.images.pop(node, None)


def plug_in(work: Work, node: str, image: Path) -> None:
    """Attach the drive's file. The kernel assigns a new sequence number and reads the table."""
    tool("losetup", node, str(image))
    work.bench.images[node] = image
    work.bench.own(node)
    forget_partitions(node)
    tool("sh", "-c", f"partx --add {node} 2>/dev/null || true")


def pull(work: Work, node: str) -> Path:
    """Detach the drive and return its file."""
    image = work.bench.image_of(node)
    forget_partitions(node)
    tool("losetup", "--detach", node)
    until(lambda: backing_file(node) is None)
    del work.bench.images[node]
    return image


@dataclass
class Medium:
    """An ext4 for run folders that turns read-only on errors."""

    drive: str
    place: Path

    @classmethod
    def of(cls, work: Work, make_drive: MakeDrive) -> "Medium":
        """Create and mount one."""
        made = cls(make_drive(MEDIUM_BYTES), work.folder / "medium")
        tool("mkfs.ext4", "-q", "-m", "0", made.drive)
        made.place.mkdir()
        made._mount()
        return made

    def _mount(self) -> None:
        tool("mount", "-o", "errors=remount-ro", self.drive, str(self.place))

    def fill(self, spare_bytes: int) -> None:
        """Fill the filesystem up to this much free space."""
        status = os.statvfs(self.place)
        size = max(0, status.f_bavail * status.f_frsize - spare_bytes)
        with (self.place / "filler").open("wb") as file, suppress(OSError):
            os.posix_fallocate(file.fileno(), 0, size)

    def turn_read_only(self) -> None:
        """Trigger a filesystem error in the kernel."""
        Path(f"/sys/fs/ext4/{Path(self.drive).name}/trigger_fs_error").write_text("made up by a test")
        with suppress(OSError):
            (self.place / "file").touch()

    def make_room(self) -> None:
        """Remove the filler."""
        (self.place / "filler").unlink(missing_ok=True)

    def mend(self) -> None:
        """Check and repair the filesystem, as at boot."""
        self.take_away()
        subprocess.run(("e2fsck", "-f", "-y", self.drive), capture_output=True, check=False)
        self._mount()

    def take_away(self) -> None:
        """Unmount the filesystem, as at a reboot. First detach scratch copies left by killed processes."""
        for name in attached_in(self.place):
            release(f"/dev/{name}")
        tool("umount", str(self.place))


@dataclass
class Person:
    """A user who runs commands and follows their messages."""

    work: Work
    plan: Plan
    medium: Medium
    dice: Random
    spare: str
    told: list[str] = field(default_factory=list)
    words: str = ""

    @property
    def drive(self) -> str:
        """Drive of the plan."""
        return self.plan.drive.path

    @property
    def run(self) -> Path | None:
        """Newest run, or None."""
        return max((self.medium.place / "runs").glob("0*"), default=None)

    @property
    def record(self) -> Record | None:
        """Record of the newest run."""
        return load_record(self.run) if self.run is not None else None

    @property
    def is_over(self) -> bool:
        """True if the run was kept or undone."""
        return (record := self.record) is not None and record.phase in (Phase.KEPT, Phase.UNDONE)

    def applies(self, accident: Accident) -> None:
        """Apply the plan without `--keep`."""
        file = self.work.folder / "plan.json"
        file.write_text(PLANS.render(self.plan))
        token = self.plan.drive.token
        runs = self.medium.place / "runs"
        self.gives(
            ("apply", str(file), f"--confirm={token}", f"--journal={runs}", f"--fstab={self.work.fstab}"),
            accident,
        )

    def follows(self, accident: Accident) -> None:
        """Run one of the commands named last, otherwise one from `status`."""
        said = NAMED.findall(self.words)
        if not said:
            assert self.run is not None, f"nothing says how to go on: {self.words}"
            self.words = _ran(("status", "--journal", str(self.run.parent)))
            said = NAMED.findall(self.words)
        assert said, f"no command is named: {self.words}"
        command, run, options = self.dice.choice(said)
        self.gives(
            tuple(word.strip("`.,;") for word in shlex.split(f"{command} {run.strip('`.,;')} {options}")),
            accident,
        )

    def gives(self, words: Sequence[str], accident: Accident) -> None:
        """Run a command with an accident, and repair the damage."""
        self.told.append(f"{' '.join(words)}; {accident}")
        if accident is Accident.FULL:
            self.medium.fill(self.dice.randrange(0, 12 * MIB))
        process = _started(words)
        sleep(self.dice.random() * self.dice.choice((0.5, 2.0, 5.0)))
        self._meanwhile(accident, process)
        out, errors = process.communicate(timeout=3 * SECONDS)
        self.words = " ".join(f"{out} {errors}".split())
        self.told.append(f"    {process.returncode}: {self.words.strip()[-700:]}")
        self._afterwards(accident)
        now = self.record
        self.told.append(f"    {now.phase if now else 'not begun'}")

    def _meanwhile(self, accident: Accident, process: subprocess.Popen[str]) -> None:
        match accident:
            case Accident.NONE | Accident.FULL:
                pass
            case Accident.READ_ONLY:
                self.medium.turn_read_only()
            case Accident.TWICE:
                self._second()
            case Accident.BOTH_KILLED:
                process.kill()
                self._kill()
            case _:
                self._kill()

    def _second(self) -> None:
        """Run a second command, which must report a busy run and change nothing."""
        if self.run is None:
            return
        busy = is_locked(self.run)
        said = _ran((self.dice.choice(("resume", "undo", "keep")), str(self.run)))
        self.told.append(f"    at the same time: {said.strip()[-300:]}")
        if busy and is_locked(self.run):
            assert SAID.search(said), said

    def _kill(self) -> None:
        if self.run is None:
            return
        with suppress(FileNotFoundError, ProcessLookupError, ValueError):
            if is_locked(self.run):
                os.kill(int((self.run / "pid").read_text()), signal.SIGKILL)

    def _afterwards(self, accident: Accident) -> None:
        """Wait for the run's process, then deal with the accident's consequences."""
        if self.run is not None:
            until(lambda: self.run is None or not is_locked(self.run))
        match accident:
            case Accident.FULL:
                self.medium.make_room()
            case Accident.READ_ONLY:
                self.medium.mend()
            case Accident.PULLED:
                plug_in(self.work, self.drive, pull(self.work, self.drive))
            case Accident.ELSEWHERE:
                self._goes_elsewhere()
            case Accident.CLOCK if self.run is not None:
                _years_ago(self.run, self.dice.randrange(1, 30))

    def _goes_elsewhere(self) -> None:
        """Give the drive another number, and follow the message about it."""
        plug_in(self.work, self.spare, pull(self.work, self.drive))
        if self.run is not None and not self.is_over:
            said = _ran(("undo", str(self.run)))
            self.told.append(f"    it is {self.spare} now: {said.strip()[-400:]}")
            if not self.is_over:
                assert self.spare in said and self.drive in said, said
        plug_in(self.work, self.drive, pull(self.work, self.spare))


def _years_ago(run: Path, years: int) -> None:
    """Set the run's dates years ahead, as if the clock was set back since."""
    file = run / JOURNAL
    ahead = timedelta(days=365 * years)
    lines = [json.loads(line) for line in file.read_text().splitlines(keepends=True) if line.endswith("\n")]
    for line in lines:
        line["at"] = (datetime.fromisoformat(line["at"]) + ahead).isoformat(timespec="milliseconds")
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    for path in (run, *run.rglob("*")):
        status = path.stat()
        os.utime(path, (status.st_atime + ahead.total_seconds(), status.st_mtime + ahead.total_seconds()))


def _started(words: Sequence[str]) -> subprocess.Popen[str]:
    argv = (sys.executable, "-m", "wizard", *words)
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "10000"}
    return subprocess.Popen(
        argv,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _ran(words: Sequence[str]) -> str:
    out, errors = _started(words).communicate(timeout=3 * SECONDS)
    return " ".join(f"{out} {errors}".split())
