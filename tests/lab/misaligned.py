"""Jobs: the study of misaligned partitions by `diskwright trial`: a filesystem against itself, from where
sector 34 starts, on a drive that charges for rewrites. `python -m tests.lab.restudy` keeps what it prints."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from tests.lab.fleet import MIB, Fleet, Pace
from tests.lab.inside import SHARED, diskwright, node_of
from tests.lab.study import STUDIED
from tests.lab.timings import RESULTS
from tests.lab.visit import Job, Visit
from wizard.model.journal import Check
from wizard.trial.candidates.document import read_trial
from wizard.trial.candidates.result import Finding, TrialVerdict

WORKLOAD = "small-files"
FILESYSTEMS = ("ext4", "xfs", "btrfs", "jfs", "nilfs2")
"""Those of the study that can be made today, and NILFS2."""

LOGS = ("btrfs", "nilfs2")
"""They write what is new into one place, of which little is rewritten: what it costs them is not foretold."""

LOAD_SHOWN = "kernel-tree"
SECONDS, MOST_SECONDS = 150, 600
PACE = Pace(300, charges_rewrites=True)
"""Faster than the study's: a trial makes at least seven runs of each."""

TRIED = replace(
    STUDIED,
    name="tried",
    serial="LAB-512E-TRIED",
    model="LAB Tried 512e",
    size_bytes=2048 * MIB,
    media=PACE,
)
TRIED_FLEET = Fleet("misaligned", (TRIED,))


def trial_file(filesystem: str, folder: Path = RESULTS) -> Path:
    """Where the trial's document is kept."""
    return folder / f"misaligned-{filesystem}.json"


def tried(filesystem: str, fleet: Fleet) -> Iterator[Check]:
    """The command as a person types it; its document is left in the shared folder."""
    (drive,) = fleet.drives
    words = ("trial", node_of(drive), "--workload", WORKLOAD, "--fs", filesystem, "--misaligned")
    more = ("--seconds", str(SECONDS), "--confirm", drive.serial, "--json")
    told = diskwright(*words, *more, seconds=MOST_SECONDS)
    verdict = read_trial(told.output, filesystem)
    trial_file(filesystem, SHARED).write_text(told.output, encoding="utf-8")
    yield judged(filesystem, verdict)


def judged(filesystem: str, verdict: TrialVerdict) -> Check:
    """A filesystem that writes in place is faster where it is aligned, and none is faster where it is not."""
    (one,) = verdict.comparisons
    allowed = {Finding.FASTER, Finding.SAME, Finding.OPEN} if filesystem in LOGS else {Finding.FASTER}
    return Check(f"{filesystem}: {said(verdict)}", one.finding in allowed, str(one))


def said(verdict: TrialVerdict) -> str:
    """The factor with its interval."""
    (one,) = verdict.comparisons
    ratio = one.ratio
    return (
        f"{ratio.estimate:.2f} ({ratio.low:.2f} to {ratio.high:.2f}) in {one.rounds} rounds"
        if ratio
        else f"undecided after {one.rounds} rounds"
    )


VISITS = tuple(
    Visit(
        f"a filesystem against itself on a misaligned partition, {name}",
        TRIED_FLEET,
        (f"try-{name}",),
        900,
        udev=False,
        alone=True,
        full_only=True,
    )
    for name in FILESYSTEMS
)
JOBS: dict[str, Job] = {f"try-{name}": partial(tried, name) for name in FILESYSTEMS}
