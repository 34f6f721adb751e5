"""Job: md's mirror over two drives: killed on the direct path, verified during synchronisation, and one drive
removed.

Synchronisation is slowed down until everything was observed, so the speed of the guest does not matter.
"""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

from tests.lab.drives.fleet import MIB, Bus, EmulatedDrive, Fleet
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import (
    DIES,
    SLOW,
    confirmed_by,
    followed,
    node_of,
    shown,
    standing_in,
    story,
    sysfs,
    tool,
    without_loops,
)
from tests.loop.program import start_run
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.journal import RunState, state
from wizard.apply.run_control import resume, undo
from wizard.apply.steps.arrays import taken_arrays
from wizard.model.advice import Choice, Rank, Workload
from wizard.model.errors import Refused
from wizard.model.layout import Stripe
from wizard.model.run import Check
from wizard.plan.documents import PLANS
from wizard.plan.plan import Plan
from wizard.plan.planner import make_plan
from wizard.plan.request.plan_request import Arrangement, Mode, NewVolumes
from wizard.plan.request.volume_request import VolumeSpec
from wizard.probe.machine import probe_machine

PHYSICAL_BYTES = 4096


def _drive(name: str, size_bytes: int) -> EmulatedDrive:
    return EmulatedDrive(
        name,
        Bus.VIRTIO,
        serial=f"LAB-{name.upper()}",
        logical_block_bytes=512,
        physical_block_bytes=PHYSICAL_BYTES,
        size_bytes=size_bytes,
    )


MIRRORED_FLEET = Fleet("mirrored", (_drive("mirror-1", 128 * MIB), _drive("mirror-2", 160 * MIB)))
KILLED_FLEET = Fleet("mirror-killed", (_drive("killed-1", 64 * MIB), _drive("killed-2", 64 * MIB)))
FSTAB = Path("/etc/fstab")
PLACE = Path("/srv/mirrored")
SPEED = Path("/proc/sys/dev/raid")
CRAWL, RUN = "100", "1000000"
"""Resync speeds in KiB/s."""


def mirrored(fleet: Fleet) -> Iterator[Check]:
    """Check from the plan to the loss of a drive."""
    plan = _prepared(fleet)
    newest = followed(start_run(plan, *confirmed_by(plan), environment=Environment(FSTAB)))
    yield Check("a mirror: apply succeeds with every check", state(newest) is RunState.DONE, story(newest))
    yield Check("a mirror: apply ends during the resync", _action(plan) == "resync", _action(plan))
    yield from _as_its_tools_say(plan)
    yield from _survives(plan)


def mirror_killed(fleet: Fleet) -> Iterator[Check]:
    """Kill a run directly on the drives after it created the mirror. It can be neither undone nor resumed."""
    plan = _prepared(fleet)
    with without_loops(), standing_in("mdadm", "--create", DIES):
        newest = followed(start_run(plan, *confirmed_by(plan), environment=Environment(FSTAB)))
    yield Check(
        "a killed mirror: apply is killed after mdadm --create",
        state(newest) is RunState.INTERRUPTED,
        story(newest),
    )
    for name, go_on in (("resume", resume), ("undo", undo)):
        said = ""
        try:
            go_on(newest)
        except Refused as error:
            said = str(error)
        yield Check(f"a killed mirror: {name} refuses", "undone or resumed" in said, said)
    tool("mdadm", "--stop", plan.volumes[0].path)


def _prepared(fleet: Fleet) -> Plan:
    for module in ("raid1", "ext4"):
        tool("modprobe", module)
    copying_at(CRAWL)
    return _planned(fleet)


def copying_at(speed: str) -> None:
    """Set md's synchronisation speed in KiB per second."""
    for name in ("speed_limit_min", "speed_limit_max"):
        (SPEED / name).write_text(speed)


def _planned(fleet: Fleet) -> Plan:
    machine = probe_machine([node_of(drive) for drive in fleet.drives], seconds=SLOW)
    choice = Choice("ext4", Rank.RECOMMENDED, "It suits.", (), (), (), None)
    workload = Workload("large-media", "Large media files", "Long runs.", "large-media.toml", "media")
    spec = VolumeSpec(choice, workload, None, "mirrored", str(PLACE))
    asked = Stripe("md", level="raid1")
    plan = make_plan(
        machine,
        machine.drives,
        NewVolumes((spec,), Mode.REPLACE, Arrangement(stripe=asked)),
        arrays=taken_arrays(),
    )
    return PLANS.read(PLANS.render(plan), "the plan")


def _action(plan: Plan) -> str:
    return sysfs(plan.volumes[0].path, "md/sync_action")


def _as_its_tools_say(plan: Plan) -> Iterator[Check]:
    (volume,) = plan.volumes
    # mke2fs writes a stripe of one physical block, meaning none, unless the device reports more.
    words = dict(
        re.findall(r"(?m)^(Block size|RAID stripe width):\s+(\d+)", tool("dumpe2fs", "-h", volume.path))
    )
    width = int(words.get("RAID stripe width", "0")) * int(words["Block size"])
    yield Check("a mirror: ext4 has no stripe", width <= PHYSICAL_BYTES, shown(words))
    detail = tool("mdadm", "--detail", volume.path)
    for wanted in (
        "Raid Level : raid1",
        "Raid Devices : 2",
        "Intent Bitmap : Internal",
        "Name : any:mirrored",
    ):
        yield Check(f"a mirror: mdadm --detail shows {wanted}", wanted in detail, detail)
    told = tuple(
        sysfs(volume.path, key)
        for key in ("queue/minimum_io_size", "queue/optimal_io_size", "alignment_offset")
    )
    yield Check("a mirror: the kernel reports no stripe", told == ("4096", "0", "0"), shown(told))
    for path in plan.devices:
        (offset,) = re.findall(r"Data Offset : (\d+) sectors", tool("mdadm", "--examine", f"{path}1"))
        begins = int(sysfs(f"{path}1", "start")) + int(offset)
        yield Check(f"a mirror: md's data starts at a block boundary of {path}", begins % 8 == 0, str(begins))
    smallest = min(member.drive.size_bytes for member in plan.members)
    size = int(sysfs(volume.path, "size")) * 512
    yield Check("a mirror: the size follows the smallest drive", smallest * 0.8 < size < smallest, str(size))


def _survives(plan: Plan) -> Iterator[Check]:
    """Check that each drive alone has the file after synchronisation."""
    (volume,) = plan.volumes
    content = Random("mirrored").randbytes(5 * MIB)
    (PLACE / "file").write_bytes(content)
    copying_at(RUN)
    tool("mdadm", "--wait", volume.path, accept=(0, 1))
    yield Check("a mirror: the resync finishes", _action(plan) == "idle", _action(plan))
    tool("umount", str(PLACE))
    lost, left = (f"{path}1" for path in plan.devices)
    # The source of the resync.
    tool("mdadm", volume.path, "--fail", lost)
    tool("mdadm", volume.path, "--remove", lost)
    tool("mount", str(PLACE))
    seen = hashlib.sha256((PLACE / "file").read_bytes()).hexdigest()
    yield Check(f"a mirror: the file is intact on {left}", seen == hashlib.sha256(content).hexdigest(), seen)
    yield Check(
        "a mirror: the array is degraded",
        sysfs(volume.path, "md/degraded") == "1",
        sysfs(volume.path, "md/degraded"),
    )


JOBS = {"mirrored": mirrored, "mirror-killed": mirror_killed}
VISITS = (
    Visit(
        "md mirror with udev: verified during the resync, then left with one drive",
        MIRRORED_FLEET,
        ("mirrored",),
        900,
        udev=True,
    ),
    Visit(
        "md mirror without udev: killed, then refused",
        KILLED_FLEET,
        ("mirror-killed",),
        900,
        udev=False,
        full_only=True,
    ),
)
