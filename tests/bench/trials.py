"""`sudo python -m tests.bench.trials [--write]`: how often a trial reports a difference where none exists,
and detects a planted one, as a table.

Every trial compares ext4 with itself on a new loop device. A difference is planted by multiplying the phase
times of the second candidate. Needs root, an idle machine, and about an hour.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from msgspec.structs import replace

from tests.bench.rows import drives
from tests.readme import put
from wizard.benchmark.candidates import running
from wizard.benchmark.candidates.__main__ import carried_out
from wizard.benchmark.candidates.compare import Bounds, Candidate, Order, PhaseRun, TrialFinding
from wizard.benchmark.candidates.trial import order_of
from wizard.benchmark.loads.script import LoadPhase
from wizard.findings.diagnose import diagnose
from wizard.findings.geometry import load_patterns
from wizard.model.ensure import WantedVolume
from wizard.model.said import GIB
from wizard.plan.planner import make_plan
from wizard.plan.request.plan_request import Mode, NewVolumes
from wizard.plan.request.wanted import spec_of
from wizard.probe.machine import probe_machine

FACTOR, ALIKE, PLANTED = 1.2, 40, 10
SECONDS, SIZE_BYTES, LOAD, WORKLOAD = 40.0, 2 * GIB, "many-files", "small-files"
HEAD = (
    "| trials of ext4 against itself | number | a difference claimed | no measurable difference | undecided "
    "| factor, median | lowest | highest |"
)


@dataclass(frozen=True, slots=True)
class Found:
    """Result of a trial: its finding, and the factor after enough rounds."""

    finding: TrialFinding
    factor: float | None


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--alike", type=int, default=ALIKE, help=f"so many trials without a difference ({ALIKE})"
    )
    parser.add_argument("--planted", type=int, default=PLANTED, help=f"so many with one ({PLANTED})")
    parser.add_argument("--write", action="store_true", help="put the table into docs/figures.md")
    parser.add_argument("--once", nargs=2, metavar=("DRIVE", "FACTOR"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.once:
        print(json.dumps(once(arguments.once[0], float(arguments.once[1]))))
        return 0
    alike = [tried(1.0) for _ in range(arguments.alike)]
    planted = [tried(FACTOR) for _ in range(arguments.planted)]
    table = "\n".join(
        (
            HEAD,
            "|---" * 8 + "|",
            row("both alike", alike),
            row(f"the second one's times multiplied by {FACTOR}", planted),
        )
    )
    print(table)
    if arguments.write:
        put("planted", table)
    return 0


def tried(factor: float) -> Found:
    """Run one trial in its own process and mount namespace, on its own drive."""
    with drives(1, SIZE_BYTES, table=False) as (path,):
        argv = [sys.executable, "-m", "tests.bench.trials", "--once", path, str(factor)]
        done = subprocess.run(argv, stdout=subprocess.PIPE, text=True, check=True)
    finding, estimate = json.loads(done.stdout)
    return Found(TrialFinding(finding), estimate)


def once(path: str, factor: float) -> tuple[str, float | None]:
    """Return finding and factor of a trial on this empty drive."""
    measured = running.Trial._phase

    def slowed(trial: running.Trial, candidate: Candidate, load: str, phase: LoadPhase) -> PhaseRun:
        took = measured(trial, candidate, load, phase)
        second = candidate.id != trial.order.candidates[0].id
        return replace(took, seconds=took.seconds * factor) if second else took

    running.Trial._phase = slowed  # type: ignore[method-assign, assignment]
    verdict = carried_out(order(path), running.Stop(), lambda _: None)
    (one,) = verdict.comparisons
    return one.finding, one.ratio.estimate if one.ratio else None


def order(path: str) -> Order:
    """Return an order to compare ext4 with itself, as planned for many small files."""
    machine = probe_machine([path])
    (drive,) = machine.drives
    recording = diagnose(machine, drive, load_patterns()).recording
    spec = spec_of(machine, drive, recording, WantedVolume(WORKLOAD, fs="ext4"))
    plans = [make_plan(machine, (drive,), NewVolumes((spec,), Mode.REPLACE)) for _ in range(2)]
    return order_of(drive, plans, 0, (LOAD,), Bounds(SECONDS, 8 * GIB, 24))


def row(what: str, found: Sequence[Found]) -> str:
    """Return a line of the table."""
    claims = sum(one.finding in (TrialFinding.FASTER, TrialFinding.SLOWER) for one in found)
    same, still_open = (
        sum(one.finding is kind for one in found) for kind in (TrialFinding.SAME, TrialFinding.OPEN)
    )
    factors = [one.factor for one in found if one.factor is not None]
    spread = (
        [f"{value:.2f}" for value in (median(factors), min(factors), max(factors))] if factors else [""] * 3
    )
    return f"| {' | '.join((what, *map(str, (len(found), claims, same, still_open)), *spread))} |"


if __name__ == "__main__":
    sys.exit(main())
