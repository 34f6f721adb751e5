"""Helpers for tests of apply: plans for test drives, scratch fstab and mount points, replaced tools."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

import pytest
from msgspec.structs import replace

from tests.devices import Bench, tool
from tests.fingerprint import fingerprint
from tests.loop.program import (
    MIB,
    PLANS,
    Arrangement,
    Environment,
    Event,
    Journal,
    Machine,
    Mode,
    NewVolumes,
    Plan,
    Purpose,
    RunState,
    Stripe,
    VolumeSpec,
    follow,
    is_locked,
    make_plan,
    probe_machine,
    read_entries,
    request_stop,
    start_run,
    state,
)
from wizard.apply import run_control
from wizard.apply.run import job
from wizard.model.advice import Choice, Option, Rank, Workload
from wizard.model.errors import BadInput
from wizard.model.run import JournalEntry
from wizard.plan.request.plan_request import PLAIN

ROOT = Path(__file__).resolve().parents[2]
OLD_FSTAB = (
    "# what is mounted at boot\nUUID=0d2c3b7a-0000-4000-8000-000000000001 / ext4 errors=remount-ro 0 1"
)
"""Without a newline at its end, as editors leave it."""

GPT_DATA = "0fc63daf-8483-4772-8e79-3d69d8477de4"
SECONDS = 60.0


def spec(
    filesystem: str,
    size_bytes: int | None = None,
    mount_point: Path | None = None,
    options: Sequence[str] = ("noatime",),
) -> VolumeSpec:
    """Return one volume request with these mount options."""
    chosen = Choice(
        filesystem,
        Rank.RECOMMENDED,
        "It suits.",
        (),
        (),
        tuple(Option(text, "because") for text in options),
        None,
    )
    workload = Workload(
        "large-media", "Large media files", "Long runs.", "profiles/workloads/large-media.toml", "media"
    )
    return VolumeSpec(chosen, workload, size_bytes, None, str(mount_point) if mount_point else None)


@dataclass(frozen=True, slots=True)
class Work:
    """Environment of one test, in a folder of its own."""

    bench: Bench
    folder: Path

    @property
    def fstab(self) -> Path:
        return self.folder / "fstab"

    @property
    def runs(self) -> Path:
        return self.folder / "runs"

    @property
    def environment(self) -> Environment:
        return Environment(fstab=self.fstab, only=frozenset(self.bench.images))

    def place(self, name: str) -> Path:
        """Return a future mount point in the test's folder."""
        return self.folder / "mnt" / name

    def plan(
        self, drive: str, *specs: VolumeSpec, mode: Mode | None = None, arrangement: Arrangement = PLAIN
    ) -> Plan:
        """Return a plan for the current state of a test drive. Unidentified data is the test's own and may
        be replaced."""
        self.bench.own(drive)
        machine = unknown_kernel(probe_machine([drive]))
        if machine.drives[0].data_at_bytes is not None:
            mode = mode or Mode.REPLACE
        return make_plan(machine, (machine.drives[0],), NewVolumes(specs, mode, arrangement))

    def striped(
        self, drives: Sequence[str], one: VolumeSpec, asked: Stripe, mode: Mode | None = None
    ) -> Plan:
        """Return a plan for one volume striped over test drives, from their current state."""
        for drive in drives:
            self.bench.own(drive)
        machine = unknown_kernel(probe_machine(drives))
        return make_plan(machine, machine.drives, NewVolumes((one,), mode, Arrangement(stripe=asked)))

    def start(
        self,
        plan: Plan,
        environment: Environment | None = None,
        secret: bytes | None = None,
        *,
        keep: bool = True,
    ) -> Path:
        """Start a run on test drives. With `keep=False`, a run on a drive with data waits for a decision."""
        for path in plan.devices:
            self.bench.own(path)
        where = environment or self.environment
        return start_run(
            plan, *plan.tokens, journal_dir=self.runs, environment=where, secret=secret, keep=keep
        )

    def start_until(self, plan: Plan, monkeypatch: pytest.MonkeyPatch, program: str) -> tuple[Path, Path]:
        """Start a run that pauses before this program. Return the run and the file that lets it continue."""
        opened = self.folder / "gate"
        stand_in(self.folder / "bin", monkeypatch, program, gate(program, opened))
        run = self.start(plan)
        until(lambda: Path(f"{opened}.reached").exists())
        return run, opened

    def apply(
        self, plan: Plan, environment: Environment | None = None, *, keep: bool = True
    ) -> tuple[Path, RunState]:
        """Start a run and wait for its end."""
        run = self.start(plan, environment, keep=keep)
        return run, ended(run)

    def leave(self) -> None:
        """Release all paused programs, and wait until the processes of all runs have ended."""
        for reached in self.folder.glob("*.reached"):
            reached.with_suffix("").touch()
        runs = [entry.parent for entry in self.folder.glob("*/*/journal.jsonl")]
        for run in runs:
            request_stop(run)
        until(lambda: not any(map(_is_working, runs)))

    def digest(self, drive: str) -> str:
        """Return a fingerprint of the whole drive."""
        tool("blockdev", "--flushbufs", drive)
        return fingerprint(self.bench.image_of(drive))


def _is_working(run: Path) -> bool:
    """Return True if a process holds the run's lock. Nothing works in a run whose lock a test has damaged."""
    try:
        return is_locked(run)
    except BadInput:
        return False


def unknown_kernel(machine: Machine) -> Machine:
    """Return the machine without kernel modules. Plans can come from another machine, and `apply` checks
    modules again."""
    return replace(machine, kernel=replace(machine.kernel, modules=()))


def ended(run: Path) -> RunState:
    """Wait for the end of a run and return its state."""
    for _ in follow(run):
        pass
    return state(run)


def said(run: Path, event: Event) -> list[JournalEntry]:
    """Return the journal entries of one event."""
    return [entry for entry in read_entries(run) if entry.event is event]


def story(run: Path) -> str:
    """Return the journal as text, for messages of failing tests."""
    log = run / "process.log"
    lines = [f"{entry.event} {entry.step} {entry.sentence} {entry.output}" for entry in read_entries(run)]
    return "\n".join([*lines, log.read_text() if log.exists() else ""])


def until(condition: Callable[[], bool], seconds: float = SECONDS) -> None:
    """Wait until a condition is true. Fails after `seconds`."""
    end = monotonic() + seconds
    while not condition():
        assert monotonic() < end, "it did not happen in time"
        sleep(0.02)


def stand_in(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, script: str) -> None:
    """Replace a program with a shell script, for this process and its children."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)
    path = os.environ["PATH"]
    if str(folder) not in path.split(os.pathsep):
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{path}")


class PowerCut(BaseException):
    """A power cut: an exception that the program never catches."""


def without_power(
    monkeypatch: pytest.MonkeyPatch, event: Event, step: int | None, work: Callable[[], None]
) -> None:
    """Run `work` until a power cut before this journal entry, so the entry is lost."""
    real = Journal.add

    def add(journal: Journal, kind: Event, sentence: str, **rest: object) -> JournalEntry:
        if kind is event and rest.get("step") == step:
            raise PowerCut
        return real(journal, kind, sentence, **rest)  # type: ignore[arg-type]

    with monkeypatch.context() as patched, pytest.raises(PowerCut):
        patched.setattr(Journal, "add", add)
        work()


def gate(name: str, opened: Path) -> str:
    """Return a script that waits for a file, then runs the real program."""
    real = tool("sh", "-c", f"PATH=/usr/sbin:/usr/bin:/sbin:/bin command -v {name}").strip()
    # A probe asks for the version, and does not wait. The first line is the pause's, the last the program's.
    asks = f'case "$*" in -V|--version|"-O list-all") exec {real} "$@";; esac'
    wait = f"for i in $(seq 1200); do if [ -e {opened} ]; then break; fi; sleep 0.05; done"
    return f'{asks}; touch {opened}.reached\n{wait}\nexec {real} "$@"'


def old_gpt(
    drive: str, script: str = "start=1MiB,size=8MiB,name=first\nstart=9MiB,size=16MiB,name=second\n"
) -> None:
    """Create an older GPT with two partitions, known to the kernel, and an ext4 in the first."""
    tool(
        "sh",
        "-c",
        f"printf 'label: gpt\\n{script}' | sfdisk --quiet --no-reread --wipe always {drive} || true",
    )
    tool("partx", "--update", drive)
    tool("mkfs.ext4", "-q", "-L", "old", f"{drive}p1")


def diskwright(work: Work, *words: str, **changes: str) -> subprocess.CompletedProcess[str]:
    """Run the command line with the state in the test's folder."""
    environment = {**os.environ, "DISKWRIGHT_STATE": str(work.folder), "NO_COLOR": "1", **changes}
    argv = [sys.executable, "-m", "wizard", *words]
    return subprocess.run(
        argv, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
    )


def command_to_apply(work: Work, plan: Plan) -> list[str]:
    """Return the command that applies a plan from its file, with confirmation."""
    file = work.folder / "plan.json"
    file.write_text(PLANS.render(plan))
    words = ("apply", str(file), "--confirm", plan.drive.token, "--fstab", str(work.fstab))
    return [sys.executable, "-m", "wizard", *words]


def touched(plan: Plan, *extents: tuple[int, int]) -> list[tuple[int, int]]:
    """Return the byte ranges that a run may write: both ends of the drive with the table, and new
    partitions."""
    new = [(slot.start_bytes, slot.end_bytes) for slot in plan.after.partitions if not slot.kept]
    return sorted(
        [(0, 34 * 4096), (plan.drive.size_bytes - 34 * 4096, plan.drive.size_bytes), *new, *extents]
    )


def fill(drive: str, bench: Bench, every: int = 1) -> bytes:
    """Fill a test drive with a pattern, so that every changed byte shows. With `every`, fill the first and
    last MiB and one MiB in `every`; zeros written elsewhere then go unnoticed."""
    bench.own(drive)
    image = bench.image_of(drive)
    size = image.stat().st_size
    pattern = b"".join(hashlib.sha256(number.to_bytes(8, "big")).digest() for number in range(MIB // 32))
    with Path(drive).open("r+b", buffering=0) as device:
        for number in range(count := size // MIB):
            if number % every == 1 % every or number in (0, count - 1):
                device.seek(number * MIB)
                device.write(pattern)
        os.fsync(device.fileno())
    return pattern


def carry_out(run: Path, purpose: Purpose, drive_locks: tuple[int, ...]) -> None:
    """Do the work of the run's process in this one."""
    run_control.carry_out(job.RunWork(run, purpose, Journal(run), drive_locks))
