"""Every file of a run can be lost, cut off, stale or from another run, alone and in pairs, in every phase.
The recommended commands still lead to its end."""

import shutil
import tempfile
from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path

import pytest

from tests.daily import one_in
from tests.devices import MakeDrive
from tests.loop.applying import Work
from tests.simulator.days import FILES, Damage, Script, days_on
from tests.simulator.faults import Fault, Life
from tests.simulator.rehearsals import rehearsed_job

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


def damages() -> list[Script]:
    """Each file by itself, and each pair of them, damaged in each way."""
    alone = [[(name, how)] for name, how in product(FILES, Damage)]
    pairs = [
        [(first, how), (second, other)]
        for (first, second), how, other in product(combinations(FILES, 2), Damage, Damage)
    ]
    return [*alone, *pairs]


def way_there(way: tuple[str, ...], moment: int) -> Script:
    """Commands of which the last one is killed."""
    return [*((command, Life()) for command in way[:-1]), (way[-1], Life(moment, fault=Fault.KILL))]


@pytest.mark.parametrize("name", ["kept-gpt", "two"])
def test_a_run_ends_without_any_two_of_its_files(
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
        for number, (there, damage) in enumerate(one_in(60, product(begun, damages()))):
            live(-2 - number, [*way_there(*there), *damage])
