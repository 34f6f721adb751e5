"""Trials of filesystems on real block devices: results, and no leftovers in any case."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from time import monotonic, sleep

import pytest
from msgspec.structs import replace

from tests.daily import IS_FULL, one_in
from tests.devices import MOUNTINFO, SYS_BLOCK, MakeDrive, tool
from tests.loop.program import GIB, MIB, Failed, Mode, Plan, Refused, make_plan, probe_machine
from tests.loop.trial.scratching import ROOM
from tests.verdicts import read_verdict
from wizard.benchmark.access import MeasureProgress
from wizard.benchmark.candidates.compare import (
    MKFS,
    Bounds,
    EndReason,
    Order,
    TrialFinding,
    TrialVerdict,
)
from wizard.benchmark.candidates.partition import FOLDER, sweep
from wizard.benchmark.candidates.trial import order_of, run_trial
from wizard.benchmark.results import render_verdict
from wizard.filesystems.registry import KINDS
from wizard.findings.diagnose import diagnose
from wizard.findings.geometry import load_patterns
from wizard.model.ensure import WantedVolume
from wizard.plan.request.plan_request import NewVolumes
from wizard.plan.request.wanted import spec_of

pytestmark = pytest.mark.alone
SIZE_BYTES = 2 * GIB
SECONDS, FEW_SECONDS = 40.0, 12.0
"""For a trial that is judged by what it finds, and for one that is not."""
FASTER, SLOWER = TrialFinding.FASTER, TrialFinding.SLOWER
SEED = int(os.environ.get("DISKWRIGHT_SEED", "0"))


def plan_of(path: str, filesystem: str) -> Plan:
    machine = probe_machine([path])
    (drive,) = machine.drives
    recording = diagnose(machine, drive, load_patterns()).recording
    spec = spec_of(machine, drive, recording, WantedVolume("small-files", fs=filesystem))
    mode = Mode.REPLACE if drive.is_empty else Mode.USE_FREE
    return make_plan(machine, (drive,), NewVolumes((spec,), mode))


def order(
    path: str,
    *filesystems: str,
    load: str = "many-files",
    scale: float | None = None,
    seconds: float = FEW_SECONDS,
    misaligned: bool = False,
) -> Order:
    """Return a trial of these filesystems, with the first one planned."""
    plans = [plan_of(path, name) for name in filesystems]
    (drive,) = probe_machine([path]).drives
    made = order_of(drive, plans, 0, (load,), Bounds(seconds, 8 * GIB, 24), misaligned=misaligned)
    return replace(made, scale=scale)


def tried(asked: Order) -> TrialVerdict:
    return run_trial(asked, lambda _: None, lambda: False)


def is_clean(path: str) -> None:
    """Check that the trial left nothing on the drive, in the kernel or among the mounts."""
    name = path.removeprefix("/dev/")
    assert not [entry.name for entry in (SYS_BLOCK / name).iterdir() if entry.name.startswith(f"{name}p")]
    assert not list(Path("/dev").glob(f"{name}p*"))
    assert f"{path}p" not in MOUNTINFO.read_text()
    assert not (FOLDER / f"trial-{name}.json").exists()
    assert not list(Path("/sys/fs/cgroup").glob("*/diskwright-trial-*"))
    for start in (0, MIB):
        found = subprocess.run(
            ["blkid", "--probe", "--offset", str(start), path], capture_output=True, text=True, timeout=20
        )
        assert "TYPE=" not in found.stdout.replace("PTTYPE=", ""), found.stdout
    (drive,) = probe_machine([path]).drives
    assert drive.table and (drive.table.kind != "none" or drive.is_empty), drive


@pytest.fixture
def path(make_drive: MakeDrive, own: Callable[[str], None]) -> str:
    made = make_drive(SIZE_BYTES)
    own(made)
    return made


def test_filesystems_are_tried_without_leftovers(path: str) -> None:
    told: list[MeasureProgress] = []
    asked = order(path, "ext4", "xfs", "btrfs")
    verdict = run_trial(asked, told.append, lambda: False)
    assert [one.candidate for one in verdict.comparisons] == ["xfs", "btrfs"]
    assert {one.candidate for one in verdict.speeds} == {"ext4", "xfs", "btrfs"}
    assert len(verdict.rounds) >= 6 or verdict.ended is EndReason.TIME
    for one in verdict.rounds:
        assert {run.candidate for run in one.runs} == {"ext4", "xfs", "btrfs"}
        assert all(phase.seconds > 0 and phase.amount > 0 for run in one.runs for phase in run.phases)
        # What is made reaches the drive within its phase: nothing of it is the next one's.
        making = [run.phases[0].counts for run in one.runs]
        assert all(counts and counts.written_bytes > 100_000 for counts in making), making
    assert any(str(MKFS) in str(progress.said[0]) for progress in told)
    assert read_verdict(render_verdict(verdict), "it", TrialVerdict) == verdict
    is_clean(path)


@pytest.mark.parametrize("wanted", one_in(2, (SLOWER, FASTER)))
def test_deliberate_slowdown_is_detected(path: str, wanted: TrialFinding) -> None:
    asked = order(path, "ext4", "ext4", load="large-file", seconds=SECONDS)
    # By how much depends on the drive: on any it is a flush for every MiB that is written.
    slow = replace(asked.candidates[1], mount_options=("sync", *asked.candidates[1].mount_options))
    plain = asked.candidates[0]
    pair = (plain, slow) if wanted is FASTER else (replace(slow, id="slow"), plain)
    (found,) = tried(replace(asked, candidates=pair)).comparisons
    assert found.finding is wanted, found
    assert wanted is SLOWER or (found.ratio and found.ratio.low > 1.05), found
    is_clean(path)


def test_filesystem_against_itself_shows_no_difference(path: str) -> None:
    verdict = tried(order(path, "ext4", "ext4", seconds=SECONDS if IS_FULL else SECONDS / 2))
    (found,) = verdict.comparisons
    assert found.finding in (TrialFinding.SAME, TrialFinding.OPEN), found
    is_clean(path)


def test_aged_volumes_are_full_of_old_files(path: str) -> None:
    asked = order(path, "ext4", "xfs", scale=0.05)
    verdict = tried(replace(asked, aged=True, bounds=Bounds(60.0, 8 * GIB, 1)))
    assert verdict.aged and verdict.rounds
    is_clean(path)


def read_around(image: Path, end: int) -> tuple[bytes, bytes]:
    """Return the bytes up to `end`, and the last 512 KiB."""
    with image.open("rb") as file:
        head = file.read(end)
        file.seek(-MIB // 2, os.SEEK_END)
        return head, file.read()


def test_only_free_space_is_written(
    make_drive: MakeDrive, own: Callable[[str], None], image_of: Callable[[str], Path]
) -> None:
    end = 40 * MIB
    path = make_drive(SIZE_BYTES)
    own(path)
    subprocess.run(
        ["sfdisk", "--quiet", path],
        input="label: gpt\nstart=8MiB, size=32MiB\n",
        text=True,
        check=True,
        timeout=20,
    )
    image = image_of(path)
    with image.open("r+b") as file:
        file.seek(8 * MIB)
        file.write(Random(5).randbytes(32 * MIB))
    tool("blockdev", "--flushbufs", path)
    head, tail = read_around(image, end)
    asked = order(path, "ext4", "xfs")
    assert asked.extent.start_bytes >= end
    verdict = tried(asked)
    assert verdict.written_bytes > 0
    tool("blockdev", "--flushbufs", path)
    assert read_around(image, end) == (head, tail)
    own(path)


def test_trial_on_space_used_since_is_refused(path: str, own: Callable[[str], None]) -> None:
    asked = order(path, "ext4", "xfs")
    own(path)
    tool("mkfs.ext4", "-q", path)
    with pytest.raises(Refused, match="Nothing was written"):
        tried(asked)
    assert "ext4" in tool("blkid", "--probe", path)


def test_trial_ends_at_its_limits(path: str) -> None:
    asked = order(path, "ext4", "xfs", scale=0.2)
    begun = monotonic()
    verdict = tried(replace(asked, bounds=Bounds(300.0, 256 * MIB, 24)))
    assert verdict.ended is EndReason.BYTES and verdict.written_bytes < 300 * MIB, verdict.written_bytes
    verdict = tried(replace(asked, bounds=Bounds(300.0, 8 * GIB, 6)))
    assert verdict.ended in (EndReason.ROUNDS, EndReason.DECIDED) and len(verdict.rounds) == 6
    assert monotonic() - begun < 300
    is_clean(path)


def test_failing_load_is_reported_and_leaves_no_trace(path: str) -> None:
    asked = order(path, "ext4", "xfs", scale=0.2)
    wrong = replace(asked.candidates[1], mount_options=("no-such-option",))
    with pytest.raises(Failed):
        tried(replace(asked, candidates=(asked.candidates[0], wrong)))
    is_clean(path)


def start_of(path: str) -> int | None:
    """Return the start of the trial's partition in bytes, or None without one."""
    name = path.removeprefix("/dev/")
    starts = [int(file.read_text()) * 512 for file in (SYS_BLOCK / name).glob(f"{name}p*/start")]
    return starts[0] if starts else None


@pytest.mark.parametrize("filesystem", one_in(3, ("ext4", "xfs", "btrfs")))
def test_misaligned_trial_starts_at_sector_34(path: str, filesystem: str) -> None:
    starts: dict[str, set[int | None]] = {}

    def told(progress: MeasureProgress) -> None:
        values = dict(progress.said[0].values)
        if values["doing"] != MKFS:
            starts.setdefault(str(values["candidate"]), set()).add(start_of(path))

    asked = order(path, filesystem, scale=0.1, misaligned=True)
    verdict = run_trial(asked, told, lambda: False)
    begin = asked.extent.start_bytes
    # A phase may be told when the next one's partition is there: the last told of each is its own.
    title = KINDS[filesystem].title
    assert begin in starts[title] and begin + 2 * 512 in starts[f"misaligned {title}"], starts
    assert (34 * 512 - 2 * 512) % 4096 == 0 and begin % 4096 == 0
    assert [one.candidate for one in verdict.comparisons] == [f"{filesystem}-misaligned"]
    assert verdict.rounds and not verdict.better
    is_clean(path)


def test_killed_misaligned_trial_leaves_no_trace(path: str) -> None:
    for seed in range(1, 4):
        process, worker = begun(path, "--misaligned", "--seconds", "40")
        sleep(Random(seed).uniform(0.1, 5))
        os.kill(worker, signal.SIGKILL)
        process.communicate(timeout=120)
        is_clean(path)


def command(path: str, *words: str) -> list[str]:
    token = path.removeprefix("/dev/")
    drive = ("trial", path, "--workload", "small-files", "--seconds", "40")
    return [sys.executable, "-m", "wizard", *drive, "--confirm", token, *words]


def test_command_shows_losses_before_the_token(path: str) -> None:
    told = subprocess.run(
        command(path)[:-2], capture_output=True, text=True, timeout=60, cwd=ROOM, check=False
    )
    assert told.returncode == 2 and "Deleted files" in told.stderr and "--confirm" in told.stderr
    argv = [*command(path)[:-1], "another"]
    refused = subprocess.run(argv, capture_output=True, text=True, timeout=60, cwd=ROOM, check=False)
    assert refused.returncode == 3 and "Nothing was written" in refused.stderr
    is_clean(path)


def test_command_prints_a_document(path: str) -> None:
    argv = command(path, "--json", "--with", "xfs", "--seconds", "12")
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120, cwd=ROOM, check=False)
    assert done.returncode == 0, done.stderr
    assert [one.candidate for one in read_verdict(done.stdout, "stdout", TrialVerdict).comparisons] == ["xfs"]
    is_clean(path)


def begun(path: str, *words: str) -> tuple["subprocess.Popen[str]", int]:
    """Start the command. Return it with the process that has the drive open."""
    process = subprocess.Popen(
        command(path, *words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOM
    )
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    until = monotonic() + 60
    while monotonic() < until and process.poll() is None:
        for child in children.read_text().split():
            if b"wizard.benchmark.candidates" in Path(f"/proc/{child}/cmdline").read_bytes():
                return process, int(child)
        sleep(0.05)
    raise AssertionError("the trial did not begin")


def gone(pid: int) -> None:
    until = monotonic() + 120
    while Path(f"/proc/{pid}").exists() and Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z":
        assert monotonic() < until, "it goes on"
        sleep(0.1)


SEEDS = [SEED] if SEED else one_in(2, range(1, 5))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("seed", SEEDS[:1])
def test_killed_command_leaves_no_trace(path: str, number: signal.Signals, seed: int) -> None:
    process, worker = begun(path)
    sleep(Random(seed).uniform(0.5, 12))
    process.send_signal(number)
    _, err = process.communicate(timeout=120)
    assert "Traceback" not in err
    assert number is signal.SIGKILL or process.returncode == 130, err
    gone(worker)
    is_clean(path)


@pytest.mark.parametrize("seed", SEEDS)
def test_killed_trial_leaves_no_trace(path: str, seed: int) -> None:
    process, worker = begun(path)
    sleep(Random(seed).uniform(0.1, 12))
    os.kill(worker, signal.SIGKILL)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 1 and "without a result" in err, err
    is_clean(path)


def test_next_trial_cleans_up_leftovers(path: str) -> None:
    process, worker = begun(path)
    sleep(4)
    os.kill(process.pid, signal.SIGKILL)
    os.kill(worker, signal.SIGKILL)
    process.communicate(timeout=60)
    gone(worker)
    left = json.loads((FOLDER / f"trial-{path.removeprefix('/dev/')}.json").read_text())
    assert left["drive"] == path
    sweep(path)
    is_clean(path)
    asked = order(path, "ext4", "xfs", scale=0.1)
    tried(asked)
    is_clean(path)
