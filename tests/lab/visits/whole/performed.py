"""Job: a whole run with the project's commands, recorded for the pictures."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING

from tests.lab.drives.fleet import EmulatedDrive, Fleet
from tests.lab.drives.pictured import BUSY, PICTURED_FLEET, SHINGLED, lay_out_past
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import SHARED, diskwright, keep_runs_at, node_of, tool
from wizard.apply.run.journal import FILE as JOURNAL
from wizard.apply.run.journal import RunState, state
from wizard.apply.run.runs import list_runs
from wizard.model.errors import partition_path
from wizard.model.run import Check
from wizard.model.verdict import Outcome
from wizard.probe.machine import list_drive_paths, load_facts

if TYPE_CHECKING:
    from tests.lab.guest.machine import Laboratory

PATIENCE = 2400.0
"""Time limit in seconds for one command. A drive with 100 requests per second formats hundreds of GB
slowly."""

TRIES = 5
BUSY_AT = Path("/data")
VOLUMES = (
    "workload=large-media,size=600G,label=films,mount=/srv/films",
    "workload=small-files,label=mail,mount=/srv/mail",
)
"""Volumes in the pictures. tests/looks/performed/performance.py enters the same ones in the wizard."""


def perform(fleet: Fleet) -> Iterator[Check]:
    """Inspect, measure, plan, apply, keep, and check everything that the pictures need."""
    _wait_for(fleet)
    _use(fleet[BUSY.name])
    drive = fleet[SHINGLED.name]
    node = node_of(drive)
    yield _inspect(SHARED / "machine.json")
    told = diskwright("bench", node, "--json", seconds=PATIENCE).output
    (SHARED / "verdict-read.json").write_text(told)
    told = diskwright(
        "bench", node, "--scratch", "--confirm", drive.serial, "--json", seconds=PATIENCE
    ).output
    (SHARED / "verdict-write.json").write_text(told)
    verdict = json.loads(told)
    yield Check(
        "the benchmark finds the cost of misaligned writes",
        verdict["outcome"] == Outcome.ALIGNED_FASTER,
        verdict["sentence"],
    )
    yield from _set_up(drive, node)


def _inspect(machine: Path) -> Check:
    """Save the facts, and repeat if a drive did not answer in time, because the guest can be slow."""
    for _ in range(TRIES):
        diskwright("inspect", "--save", str(machine), seconds=PATIENCE)
        silent = [
            f"{drive.path} {error.why}" for drive in load_facts(machine).drives for error in drive.errors
        ]
        if not silent:
            break
    return Check("every drive answers", not silent, "; ".join(silent))


def _set_up(drive: EmulatedDrive, node: str) -> Iterator[Check]:
    plan = SHARED / "plan.json"
    specs = [word for volume in VOLUMES for word in ("--volume", volume)]
    diskwright("plan", node, "--replace", *specs, "-o", str(plan), seconds=PATIENCE)
    told = diskwright("apply", str(plan), "--confirm", drive.serial, seconds=PATIENCE, accept=range(256))
    (run,) = list_runs()
    yield Check("apply to a drive with files waits", state(run) is RunState.WAITING, told.errors[-1500:])
    kept = diskwright("keep", seconds=PATIENCE, accept=range(256))
    (SHARED / "apply.txt").write_text(told.errors + told.output + kept.errors + kept.output)
    shutil.copyfile(run / JOURNAL, SHARED / JOURNAL)
    yield Check("keep finishes", state(run) is RunState.KEPT, kept.errors[-1500:])
    yield Check("the journal survives a power cut", "is in memory" not in told.errors, told.errors[:1500])
    yield Check("the run keeps the applied plan", (run / plan.name).read_text() == plan.read_text(), str(run))


def _wait_for(fleet: Fleet, seconds: float = 60.0) -> None:
    """Wait for the stick and for udev."""
    limit = monotonic() + seconds
    while len(list_drive_paths()) < len(fleet.drives):
        assert monotonic() < limit, f"The guest has only {', '.join(list_drive_paths())}."
        sleep(0.2)
    tool("udevadm", "settle", "--timeout=60")


def _use(drive: EmulatedDrive) -> None:
    """Mount the drive's partition, and store the runs there."""
    BUSY_AT.mkdir()
    tool("mount", partition_path(node_of(drive), 1), str(BUSY_AT))
    keep_runs_at(BUSY_AT)


def _keep(lab: Laboratory) -> Iterator[Check]:
    from tests.lab.errands.record import keep

    return keep(lab.shared)


JOBS = {"perform": perform}

VISITS = (
    Visit(
        "for the pictures: inspect, benchmark, plan and apply",
        PICTURED_FLEET,
        ("perform",),
        seconds=3600,
        udev=True,
        alone=True,
        prepare=lay_out_past,
        afterwards=_keep,
    ),
)
"""Only run by `--record`."""
