"""Run files lost, truncated, stale or from another run, alone and in pairs, in every phase. The
recommended commands still finish the run."""

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations, product
from pathlib import Path

import pytest

from tests.daily import one_in
from tests.devices import MakeDrive
from tests.loop.applying import Work
from tests.simulator.days import FILES, Damage, Script, days_on
from tests.simulator.faults import Fault, Life
from tests.simulator.rehearsals import rehearsed_job
from wizard.apply.engine.record import FILE
from wizard.apply.run.journal import BACKUPS

WAYS_THERE = (("resume",), ("resume", "keep"), ("resume", "undo"))
"""Commands that lead through all phases; the last one is killed at each moment."""
MOMENTS = 60
OVER = ("kept", "undone", "left")
"""Then the run needs none of its files."""


@pytest.fixture
def memory() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="diskwright-files-", dir="/dev/shm"))
    yield made
    shutil.rmtree(made)


def damages(files: Iterable[str]) -> list[Script]:
    """Return scripts that damage each file and each pair, in each distinct way. Saved bytes have no older
    version."""
    one = [(name, how) for name in files for how in Damage if how is not Damage.STALE or ".img" not in name]
    pairs = [[first, other] for first, other in combinations(one, 2) if first[0] != other[0]]
    return [*([what] for what in one), *pairs]


def way_there(way: tuple[str, ...], moment: int) -> Script:
    """Return commands of which the last is killed."""
    return [*((command, Life()) for command in way[:-1]), (way[-1], Life(moment, fault=Fault.KILL))]


@pytest.mark.parametrize("name", ["kept-gpt", "two"])
def test_run_ends_without_any_two_of_its_files(
    name: str, work: Work, make_drive: MakeDrive, memory: Path
) -> None:
    job = rehearsed_job(name, work, make_drive)
    with days_on(job, memory) as live:
        phases: dict[str, tuple[tuple[str, ...], int]] = {}
        for way, moment in product(WAYS_THERE, range(0, MOMENTS, 2)):
            told = live(-1, way_there(way, moment))
            phase = next(line for line in told[2 * len(way) - 1 :] if line.startswith("    "))
            phases.setdefault(phase.split(":")[0].strip(), (way, moment))
        begun = [there for phase, there in phases.items() if phase not in OVER]
        assert len(begun) >= 6, sorted(phases)
        cases = [
            [*way_there(*there), *damage] for there in begun for damage in damages(files_then(live, there))
        ]
        assert len(cases) > 1000
        for number, case in enumerate(one_in(7, cases)):
            live(-2 - number, case)


def files_then(live: Callable[[int, Script], list[str]], there: tuple[tuple[str, ...], int]) -> list[str]:
    """Return the run's files at this moment, always with the record and its copies."""
    others = [name for name in FILES if name not in (FILE, *BACKUPS)]
    told = live(-1, [*way_there(*there), *((name, Damage.LOST) for name in others)])
    return [FILE, *BACKUPS, *(name for name in others if any(f"{name} is lost at" in line for line in told))]
