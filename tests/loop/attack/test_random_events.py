"""Random events during runs that create a container, volume group or array, or change one partition."""

from pathlib import Path

import pytest

from tests.daily import DAY, IS_FULL, one_in
from tests.devices import MakeDrive
from tests.loop.applying import Work
from tests.simulator.days import Damage, days_on
from tests.simulator.faults import Fault, Life
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


@pytest.mark.parametrize("fault", [Fault.CUT, Fault.KILL])
@pytest.mark.parametrize("first", ["resume", "keep", "undo"])
def test_run_without_a_record_ends_well_after_an_interrupted_keep(
    first: str, fault: Fault, work: Work, make_drive: MakeDrive, tmp_path: Path
) -> None:
    """Interrupt `keep` at each of its first moments, when some of the new table may be visible."""
    job = rehearsed_job("ext4-grown", work, make_drive)
    with days_on(job, tmp_path) as live:
        for moment in range(40):
            keep = Life(moment, fault=fault)
            lost = ("rehearsed.json", Damage.LOST)
            live(moment, (("resume", Life()), ("keep", keep), lost, (first, Life()), ("resume", Life())))
