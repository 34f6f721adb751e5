"""Jobs: `diskwright trial` as users start it, on two emulated drives. Its document is stored unchanged.

For a workload, on a drive with the timing of rotating platters: the cost of the advice, for the second table
of docs/advice.md (tests/regret.py). And a filesystem against itself at sector 34, on a drive that charges for
rewrites: the study of misaligned partitions (table.py). `python -m tests.lab.restudy` stores the documents in
tests/lab/results.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from tests.lab.drives.fleet import MIB, Bus, EmulatedDrive, Fleet, Pace, TimingModel
from tests.lab.errands.visit import Job, Visit
from tests.lab.guest.inside import SHARED, diskwright, node_of
from tests.lab.restudy.study import STUDIED
from tests.lab.restudy.timings import RESULTS
from tests.verdicts import read_verdict
from wizard.benchmark.candidates.compare import TrialFinding, TrialVerdict
from wizard.model.run import Check

WORKLOADS = ("small-files", "nas")
"""Two whose advice the studies leave in doubt, or carry on one drive only."""

FILESYSTEMS = ("ext4", "xfs", "btrfs", "jfs", "nilfs2")
"""Those of the study of misaligned partitions that can be made today, and NILFS2."""

LOGS = ("btrfs", "nilfs2")
"""They write what is new into one place, of which little is rewritten: what it costs them is not foretold."""

MISALIGNED_WORKLOAD, LOAD_SHOWN = "small-files", "kernel-tree"
PURPOSE_SECONDS, MISALIGNED_SECONDS = 420, 150
"""Of a trial. The guest's processor is emulated and slow: in the three minutes of a user's trial it comes to
three rounds, and six are needed."""

SLOWEST, MOST_SECONDS = 900.0, 1200
PACE = Pace(300, charges_rewrites=True)
"""Faster than the study's: a trial makes at least seven runs of each."""

TURNING = EmulatedDrive(
    "tried",
    Bus.SATA,
    serial="LAB-TIMED-TRIED",
    model="LAB Timed Tried",
    wwn=0x5000C500AAAA0311,
    rotation_rate=7200,
    logical_block_bytes=512,
    physical_block_bytes=4096,
    size_bytes=4096 * MIB,
    media=TimingModel(shingled=False),
)
CHARGING = replace(
    STUDIED,
    name="tried",
    serial="LAB-512E-TRIED",
    model="LAB Tried 512e",
    size_bytes=2048 * MIB,
    media=PACE,
)
TURNING_FLEET, CHARGING_FLEET = Fleet("trials", (TURNING,)), Fleet("misaligned", (CHARGING,))


def kept_in(folder: Path, job: str) -> Path:
    """Return the file for a job's document."""
    return folder / f"{job}.json"


def of_purpose(workload: str) -> str:
    """Return the job that compares filesystems for a workload."""
    return f"trial-{workload}"


def of_start(filesystem: str) -> str:
    """Return the job that compares a filesystem with itself on a misaligned partition."""
    return f"misaligned-{filesystem}"


def kept(job: str) -> TrialVerdict | None:
    """Return the last result, or None."""
    file = kept_in(RESULTS, job)
    return read_verdict(file.read_text(encoding="utf-8"), file.name, TrialVerdict) if file.exists() else None


def try_for(workload: str, fleet: Fleet) -> Iterator[Check]:
    """Compare the recommended filesystem for a workload with the next ones in the ranking."""
    verdict = _tried(fleet, of_purpose(workload), "--workload", workload, "--seconds", str(PURPOSE_SECONDS))
    yield Check(f"{workload}: rounds were run", bool(verdict.rounds), str(len(verdict.rounds)))
    yield Check(
        f"{workload}: each other filesystem has a verdict", bool(verdict.comparisons), repr(verdict)[:400]
    )


def try_misaligned(filesystem: str, fleet: Fleet) -> Iterator[Check]:
    """Compare a filesystem with itself."""
    words = ("--workload", MISALIGNED_WORKLOAD, "--fs", filesystem, "--misaligned")
    verdict = _tried(fleet, of_start(filesystem), *words, "--seconds", str(MISALIGNED_SECONDS))
    yield judged(filesystem, verdict)


def _tried(fleet: Fleet, job: str, *words: str) -> TrialVerdict:
    (drive,) = fleet.drives
    file = kept_in(SHARED, job)
    diskwright(
        *("trial", node_of(drive), *words, "--confirm", drive.serial, "-o", str(file)), seconds=SLOWEST
    )
    return read_verdict(file.read_text(encoding="utf-8"), job, TrialVerdict)


def judged(filesystem: str, verdict: TrialVerdict) -> Check:
    """Check that a filesystem that writes in place is faster when aligned, and none is faster when
    misaligned."""
    (one,) = verdict.comparisons
    allowed = (
        {TrialFinding.FASTER, TrialFinding.SAME, TrialFinding.OPEN}
        if filesystem in LOGS
        else {TrialFinding.FASTER}
    )
    return Check(f"{filesystem}: {said(verdict)}", one.finding in allowed, str(one))


def said(verdict: TrialVerdict) -> str:
    """Return the factor with its interval."""
    (one,) = verdict.comparisons
    ratio = one.ratio
    return (
        f"{ratio.estimate:.2f} ({ratio.low:.2f} to {ratio.high:.2f}) in {one.rounds} rounds"
        if ratio
        else f"undecided after {one.rounds} rounds"
    )


JOBS: dict[str, Job] = {
    **{of_purpose(name): partial(try_for, name) for name in WORKLOADS},
    **{of_start(name): partial(try_misaligned, name) for name in FILESYSTEMS},
}
TITLES = {
    **{of_purpose(name): (f"a trial of filesystems for {name}", TURNING_FLEET) for name in WORKLOADS},
    **{
        of_start(name): (f"a filesystem against itself on a misaligned partition, {name}", CHARGING_FLEET)
        for name in FILESYSTEMS
    },
}
VISITS = tuple(
    Visit(title, fleet, (job,), MOST_SECONDS, udev=False, alone=True, full_only=True)
    for job, (title, fleet) in TITLES.items()
)
