"""Job: a filesystem rehearsed on a scratch copy equals one created directly on the drive, on a 512e drive
and one with a stripe hint. Every superblock field is compared, except random values and times."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from tests.fields import fields
from tests.lab.drives.fleet import GIB, KIB, MIB, EmulatedDrive, Fleet, virtio_drive
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import SHARED, confirmed, diskwright, keep_runs_at, node_of, tool
from tests.loop.applying import spec, unknown_kernel
from wizard.filesystems.registry import MADE
from wizard.model.run import Check
from wizard.operations.filesystem import MakeFilesystem
from wizard.plan.documents import PLANS
from wizard.plan.plan import Plan
from wizard.plan.planner import make_plan
from wizard.plan.request.plan_request import Mode, NewVolumes
from wizard.probe.machine import probe_machine

EMULATING = virtio_drive("equal-512e", 6 * GIB)
STRIPED = replace(
    virtio_drive("equal-striped", 6 * GIB), minimum_io_bytes=64 * KIB, optimal_io_bytes=256 * KIB
)
REST = virtio_drive("equal-rest", 3 * GIB)
EQUAL_FLEET = Fleet("equal", (EMULATING, STRIPED, REST))
PLACE = Path("/srv/lab/rest")
VOLUMES = (
    ("ext4", 400 * MIB),
    ("ext4", 600 * MIB),
    ("xfs", 800 * MIB),
    ("xfs", 1100 * MIB),
    ("btrfs", 400 * MIB),
    ("f2fs", 400 * MIB),
    ("vfat", 400 * MIB),
    ("exfat", 400 * MIB),
    ("ntfs", 400 * MIB),
)
"""Small ext4 filesystems have small blocks, small XFS ones no stripe."""
HEADS = {"vfat": ("-g", "255/63"), "ntfs": ("-H", "255", "-S", "63")}
"""Heads and sectors as Windows expects them. Kinds of drives report different ones."""
PATIENCE = 600.0
"""Time limit in seconds to create and check nine filesystems."""
MIN_LINES = 4
"""Minimum number of compared lines."""


def equal(fleet: Fleet) -> Iterator[Check]:
    """Check each drive in turn, with a volume of each kind."""
    rest = node_of(fleet[REST.name])
    tool("modprobe", "ext4")
    tool("mkfs.ext4", "-q", "-F", rest)
    PLACE.mkdir(parents=True)
    tool("mount", rest, str(PLACE))
    keep_runs_at(PLACE)
    for drive in (EMULATING, STRIPED):
        yield from _compared(fleet[drive.name])


def _compared(drive: EmulatedDrive) -> Iterator[Check]:
    plan = _plan(node_of(drive))
    file = SHARED / f"plan-{drive.name}.json"
    file.write_text(PLANS.render(plan))
    told = diskwright("apply", str(file), *confirmed(plan), "--keep", accept=range(256), seconds=PATIENCE)
    yield Check(f"{drive.name}: apply succeeds", told.status == 0, told.errors[-1500:])
    if told.status:
        return
    rehearsed = {volume.path: fields(volume.filesystem, volume.path, tool) for volume in plan.volumes}
    for step in plan.steps:
        if isinstance(step.operation, MakeFilesystem):
            yield from _made_directly(drive, step.operation, rehearsed[step.operation.device])


def _plan(node: str) -> Plan:
    machine = unknown_kernel(probe_machine([node]))
    specs = tuple(spec(kind, size, options=()) for kind, size in VOLUMES)
    return make_plan(machine, (machine.drives[0],), NewVolumes(specs, Mode.REPLACE))


def _made_directly(drive: EmulatedDrive, made: MakeFilesystem, rehearsed: list[str]) -> Iterator[Check]:
    """Create the filesystem with plain mkfs, without options for the drive's blocks and location."""
    tool("wipefs", "--all", "--quiet", made.device)
    for argv in MADE[made.filesystem].commands(replace(made, options=HEADS.get(made.filesystem, ()))):
        tool(*argv)
    direct = fields(made.filesystem, made.device, tool)
    others = [line for line in (*rehearsed, *direct) if (line in rehearsed) != (line in direct)]
    yield Check(
        f"{drive.name}: every field of {made.filesystem} on {made.device} matches plain mkfs",
        rehearsed == direct and len(direct) >= MIN_LINES,
        "\n".join(others),
    )


JOBS = {"equal": equal}
TITLE = "rehearsed filesystems equal those created directly, on 512e and striped drives"
VISITS = (Visit(TITLE, EQUAL_FLEET, tuple(JOBS), 1500, udev=False, full_only=True),)
