"""Random accidents and user actions during runs, from a seed, on drives in memory."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daily import IS_FULL
from tests.devices import MakeDrive
from tests.loop.applying import Work
from tests.simulator.days import Script, days_on
from tests.simulator.faults import Fault, Life
from tests.simulator.rehearsals import JOBS, rehearsed_job

SEEDS = int(os.environ.get("DISKWRIGHT_SEEDS", 20_000 if IS_FULL else 500))
FAILED_ONCE = (2438, 6454, 7255, 7297, 9686, 10724, 13968)
"""Too rare for every day, and lived through every day all the same."""
ONE_SEED = os.environ.get("DISKWRIGHT_SEED")


@pytest.fixture
def memory() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="diskwright-days-", dir="/dev/shm"))
    yield made
    shutil.rmtree(made)


def scripts() -> Iterator[Script]:
    """Yield scripts of events too rare for dice: a drive that lies once, and a kill before the power cut."""
    for first, second in (("resume", "keep"), ("resume", "undo")):
        for moment in range(0, 90, 3):
            yield [("resume", Life()), (second, Life(moment, fault=Fault.LIE, lasts=1))]
            if moment < 40:
                yield [(first, Life(moment, fault=Fault.KILL)), (second, Life(moment % 7, fault=Fault.CUT))]
    # Killed while the first phase is written down; each three times, with other dice.
    for number in range(72):
        yield [
            ("resume", Life(2 + number % 3, fault=Fault.KILL)),
            ("resume", Life(2 + number // 9, fault=Fault.CUT)),
        ]


@pytest.mark.parametrize("name", JOBS)
def test_run_with_random_accidents_ends_well(
    name: str, work: Work, make_drive: MakeDrive, memory: Path
) -> None:
    """Run scripts, then seeds. A seed also picks the run. `DISKWRIGHT_SEED=N` runs only that seed and
    prints it."""
    number = list(JOBS).index(name)
    seeds = [int(ONE_SEED)] if ONE_SEED else dict.fromkeys((*range(SEEDS), *FAILED_ONCE))
    own = [seed for seed in seeds if seed % len(JOBS) == number]
    if not own:
        pytest.skip("the seed is of another job")
    job = rehearsed_job(name, work, make_drive)
    with days_on(job, memory) as live:
        for number, script in enumerate(scripts() if not ONE_SEED else ()):
            live(-1 - number, script)
        for seed in own:
            told = live(seed, ())
            if ONE_SEED:
                print("\n".join(told))
