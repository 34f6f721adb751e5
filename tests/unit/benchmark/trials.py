"""Synthetic rounds and verdicts for tests of filesystem benchmarks."""

from collections.abc import Sequence
from math import exp

from tests.unit.machines import drive
from wizard.benchmark.candidates.compare import (
    Candidate,
    Counts,
    EndReason,
    PhaseRun,
    Round,
    Run,
    TrialVerdict,
    comparisons,
    speeds,
)
from wizard.benchmark.loads.script import Unit
from wizard.model.machine import Drive, Extent
from wizard.model.said import MIB
from wizard.operations.filesystem import MakeFilesystem

EXTENT = Extent(MIB, 4096 * MIB)


def candidate(filesystem: str, name: str = "") -> Candidate:
    make = MakeFilesystem("/dev/sda1", filesystem, "3b2a1c9e-0000-4000-8000-000000000001", "files", ())
    return Candidate(name or filesystem, make, ("noatime",))


def run(name: str, seconds: float) -> Run:
    """Return a run of two phases, with one third and two thirds of the time."""
    counts = Counts(10, 40960, 43, 4_000_000, 2)
    return Run(
        name,
        0.5,
        (
            PhaseRun("kernel-tree", "extract", Unit.FILES, 700, seconds / 3, counts),
            PhaseRun("large-file", "write", Unit.BYTES, 100_000_000, seconds * 2 / 3, counts),
        ),
    )


def rounds(logs: Sequence[float], other: str = "xfs", *, pressure: float = 1.0) -> tuple[Round, ...]:
    """Return rounds of ext4, at 10 seconds each, and another filesystem with these log ratios."""
    return tuple(Round((run("ext4", 10.0), run(other, 10.0 * exp(log))), pressure, pressure) for log in logs)


def verdict(
    logs: Sequence[float],
    *,
    busy: bool = False,
    aged: bool = False,
    advised: bool = True,
    ended: EndReason = EndReason.DECIDED,
    known: Drive | None = None,
) -> TrialVerdict:
    """Return the verdict on the planned ext4 and XFS, from rounds with these log ratios."""
    had, on = rounds(logs), known or drive()
    return TrialVerdict(
        drive=on.path,
        serial=on.serial,
        workload="small-files",
        planned="ext4",
        extent=EXTENT,
        loads=("kernel-tree", "large-file"),
        aged=aged,
        advised=advised,
        ended=ended,
        busy=busy,
        scale=1.0,
        seconds=170.0,
        written_bytes=3_000_000_000,
        memory_bytes=128 * MIB,
        kernel="6.12.9",
        comparisons=comparisons(had, "ext4", ("xfs",)),
        speeds=speeds(had, ("ext4", "xfs")),
        not_done=(),
        candidates=(candidate("ext4"), candidate("xfs")),
        rounds=had,
    )


FASTER = (0.27, 0.30, 0.25, 0.29, 0.24, 0.28)
SAME = (0.01, -0.02, 0.02, 0.0, -0.01, 0.01)
OPEN = (0.3, -0.2, 0.5, -0.4, 0.1, 0.2)
"""Log ratios of six rounds."""
SLOWER = tuple(-log for log in FASTER)
