"""Cut the power at every write, flush and phase change of runs rehearsed with real tools."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daily import one_in
from tests.devices import MakeDrive
from tests.loop.applying import Work
from tests.simulator.cuts import Tried, World, commit, cut_everywhere, keep, refuses_undo, simulated, undo
from tests.simulator.drives import SimulatedDrive
from tests.simulator.jobs import Part
from tests.simulator.rehearsals import JOBS, MORE_JOBS, rehearsed_job
from tests.simulator.shelf import Shelf
from tests.simulator.states import Copies, Rules
from wizard.documents.profiles import read_notice
from wizard.model.finding import Notice, notice_places

MEMORY = Path("/dev/shm")
"""What is on no disk need not be waited for."""
LEAST = 300
"""Of each job so many states at least; of all eight, which --full has, that is 2,400."""
MOST_ROUNDS = 20


@pytest.fixture
def memory() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="diskwright-cuts-", dir=MEMORY))
    yield made
    shutil.rmtree(made)


def _notice_on(drive: SimulatedDrive, part: Part) -> Notice | None:
    """Return a notice found with the drive alone, in the possible places."""
    for start in notice_places(drive.size_bytes):
        if found := read_notice(drive.read(start, len(part.notice))):
            return found
    return None


@pytest.mark.parametrize("name", one_in(5, [*JOBS, *MORE_JOBS]))
def test_every_state_after_a_power_cut_can_be_finished(
    name: str, work: Work, make_drive: MakeDrive, memory: Path
) -> None:
    """Count distinct states after one or two power cuts: all bytes that the run may change, and the phase
    in the record. Each state is finished bit for bit, most of them in both directions."""
    job = rehearsed_job(name, work, make_drive)
    assert [bool(part.notice) for part in job.parts] == [name != "empty"] * len(job.parts)
    shelves: dict[Path, Shelf] = {}
    tried = Tried(Rules(job), Copies(job, memory), every=30)
    with simulated(shelves):
        saved = World.of(job, memory, shelves)
        barred = saved.copy(1)
        assert barred.does(commit)
        assert [_notice_on(drive, part) for drive, part in zip(barred.drives, job.parts, strict=True)] == [
            read_notice(part.notice) for part in job.parts
        ]
        assert not tried.copies.fault(barred.drives, is_half=True)
        kept = barred.copy(2)
        assert kept.does(keep)
        assert not any(_notice_on(drive, part) for drive, part in zip(kept.drives, job.parts, strict=True))
        for number in range(MOST_ROUNDS):
            for world, act in ((saved, commit), (barred, keep), (barred, undo), (kept, undo)):
                if world.cannot_undo:
                    refuses_undo(world)
                    continue
                cut_everywhere(tried, world, act, number)
            if len(tried.states) >= LEAST:
                break
    print(
        f"{name}: {len(tried.states)} states of {tried.cuts} cuts; tools looked at {tried.copies.looked_at}"
    )
    # What stays of a filesystem that grows leaves little to change.
    assert len(tried.states) >= (LEAST if name in JOBS else LEAST // 2)
    assert tried.copies.looked_at >= 5
