"""Jobs: what the advice costs by trials of our own, one purpose a guest, on a drive with the timing of
turning platters.

`python -m tests.lab.retry` keeps the verdicts under tests/lab/results, from which tests/regret.py makes the
second table of docs/advice.md. A trial is begun as a user begins one, and its document is kept as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tests.lab.fleet import MIB, Bus, EmulatedDrive, Fleet, TimingModel
from tests.lab.inside import SHARED, diskwright, node_of
from tests.lab.visit import Job, Visit
from wizard.model.journal import Check
from wizard.trial.candidates.document import read_trial

WORKLOADS = ("small-files", "nas")
"""Two whose advice the studies leave in doubt, or carry on one drive only."""

SECONDS = 420
"""Of a trial. The guest's processor is emulated and slow: in the three minutes of a user's trial it comes to
three rounds, and six are needed."""

SLOWEST = 900.0
TRIED = EmulatedDrive(
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
TRIALS_FLEET = Fleet("trials", (TRIED,))


def kept_in(folder: Path, workload: str) -> Path:
    """Where a trial's document lies."""
    return folder / f"trial-{workload}.json"


def try_for(workload: str, fleet: Fleet) -> Iterator[Check]:
    """The recommended filesystem for a purpose against the next in the ranking."""
    drive, file = fleet[TRIED.name], kept_in(SHARED, workload)
    diskwright(
        *("trial", node_of(drive), "--workload", workload, "--seconds", str(SECONDS)),
        *("--confirm", drive.serial, "-o", str(file)),
        seconds=SLOWEST,
    )
    verdict = read_trial(file.read_text(encoding="utf-8"), workload)
    yield Check(f"{workload}: rounds were run", bool(verdict.rounds), str(len(verdict.rounds)))
    yield Check(
        f"{workload}: each other filesystem has a verdict", bool(verdict.comparisons), repr(verdict)[:400]
    )


JOBS: dict[str, Job] = {f"trial-{name}": partial(try_for, name) for name in WORKLOADS}
VISITS = tuple(
    Visit(
        f"a trial of filesystems for {name}",
        TRIALS_FLEET,
        (f"trial-{name}",),
        1200,
        udev=False,
        alone=True,
        full_only=True,
    )
    for name in WORKLOADS
)
