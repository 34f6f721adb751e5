"""Job: the cost of writes in a misaligned partition, by the benchmark, and no cost after its move."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.lab.drives.fleet import MIB, Bus, EmulatedDrive, Fleet, Pace
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import SLOW, diskwright, node_of, told, tool
from wizard.model.errors import ExitCode, partition_path
from wizard.model.run import Check
from wizard.model.verdict import Outcome
from wizard.process.program import run

SECTOR_BYTES = 512
SECONDS = "30"
DRIVE = EmulatedDrive(
    "realigned",
    Bus.VIRTIO,
    serial="LAB-REALIGNED",
    logical_block_bytes=512,
    physical_block_bytes=4096,
    size_bytes=192 * MIB,
    media=Pace(requests_per_second=40, charges_rewrites=True),
)
FLEET = Fleet("realigned", (DRIVE,))
TWICE = (1.6, 2.4)
"""A write of a partial block takes two requests instead of one."""

ONCE = 1.3
"""On a busy machine, the verdict may be inconclusive, but the estimate stays below this."""


def realigned(fleet: Fleet) -> Iterator[Check]:
    """Measure, move and measure again, as the preview says."""
    node = node_of(fleet[DRIVE.name])
    part = partition_path(node, 1)
    table = f"label: dos\nstart=63, size={24 * MIB // SECTOR_BYTES}, type=83\n"
    run(["sfdisk", "--quiet", node], seconds=SLOW, stdin=table.encode())
    tool("mke2fs", "-q", "-t", "ext4", part)
    _, preview = told("move", part)
    command = f"`sudo diskwright bench {part} --scratch --confirm {DRIVE.serial}`"
    yield Check("the preview shows the benchmark command", command in " ".join(preview.split()), preview)
    before = _measured(part)
    holds = before["outcome"] == Outcome.ALIGNED_FASTER and TWICE[0] < _estimate(before) < TWICE[1]
    yield Check("writes take twice as long before the move", holds, str(before["sentence"]))
    status, said = told("move", part, "--confirm", DRIVE.serial)
    yield Check("move succeeds", status == ExitCode.DONE, said[-3000:])
    after = _measured(part)
    holds = after["outcome"] != Outcome.ALIGNED_FASTER and 1 / ONCE < _estimate(after) < ONCE
    yield Check("writes take no longer after the move", holds, str(after["sentence"]))


def _measured(part: str) -> dict[str, object]:
    words = ("--scratch", "--confirm", DRIVE.serial, "--seconds", SECONDS, "--json")
    found: dict[str, object] = json.loads(diskwright("bench", part, *words).output)
    return found


def _estimate(verdict: dict[str, object]) -> float:
    ratio = verdict["ratio"]
    assert isinstance(ratio, dict)
    return float(ratio["estimate"])


JOBS = {"realigned": realigned}
VISITS = (
    Visit(
        "benchmark of a misaligned partition, before and after its move",
        FLEET,
        tuple(JOBS),
        600,
        udev=False,
        alone=True,
        full_only=True,
    ),
)
