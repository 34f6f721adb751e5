"""Random events during runs that create a container, volume group or array, or change one partition."""

from pathlib import Path

import pytest

from tests.daily import DAY, IS_FULL, one_in
from tests.devices import MakeDrive
from tests.loop.applying import Work
from tests.simulator.days import days_on
from tests.simulator.rehearsals import MORE_JOBS, rehearsed_job

SEEDS = 200 if IS_FULL else 40


@pytest.mark.parametrize("name", one_in(len(MORE_JOBS), MORE_JOBS))
def test_run_with_random_events_ends_well(
    name: str, work: Work, make_drive: MakeDrive, tmp_path: Path
) -> None:
    """Run other seeds each day."""
    job = rehearsed_job(name, work, make_drive)
    with days_on(job, tmp_path) as live:
        for seed in range(DAY * SEEDS, (DAY + 1) * SEEDS):
            live(seed, ())
