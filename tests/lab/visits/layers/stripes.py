"""Job: one volume over three drives, by md and Btrfs: planned, applied, used, and compared with the kernel
and each layer's tools.

Also, on the direct path: runs stopped or killed when the array exists leave the drives free to be set up
again.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Literal

from msgspec.structs import replace

from tests.lab.drives.fleet import MIB, Bus, EmulatedDrive, Fleet
from tests.lab.drives.masonry import kernels_node
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import (
    DIES,
    FSTAB,
    SLOW,
    STOPS,
    confirmed_by,
    empty,
    followed,
    forget_in_fstab,
    node_of,
    shown,
    standing_in,
    story,
    sysfs,
    tool,
    udev_runs,
    without_loops,
)
from tests.loop.program import start_run
from tests.planned import plan_requested
from tests.unit.plan.layouts import plan_page
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.journal import RunState, read_entries, state
from wizard.apply.run_control import keep, resume, undo
from wizard.apply.steps.arrays import taken_arrays
from wizard.model.ensure import WantedVolume
from wizard.model.errors import Refused
from wizard.model.layout import Stripe
from wizard.model.run import Check, Event
from wizard.model.said import KIB
from wizard.operations.layers import array_uuid
from wizard.plan.documents import PLANS
from wizard.plan.plan import Plan
from wizard.plan.request.plan_request import Arrangement, Mode, NewVolumes
from wizard.probe.machine import probe_machine
from wizard.process.program import run

COUNT = 3
DRIVE_BYTES = 256 * MIB


def _drive(name: str, logical: int, number: int) -> EmulatedDrive:
    return EmulatedDrive(
        f"stripe-{name}-{number}",
        Bus.SCSI,
        serial=f"LAB-{name.upper()}-{number}",
        vendor="LAB",
        model=f"Striped {name}",
        wwn=0x5000C500BBBB0000 + 16 * logical + number,
        rotation_rate=7200,
        logical_block_bytes=logical,
        physical_block_bytes=4096,
        size_bytes=DRIVE_BYTES,
    )


STRIPED_FLEET = Fleet(
    "striped",
    tuple(
        _drive(name, size, number) for name, size in (("512e", 512), ("4kn", 4096)) for number in range(COUNT)
    ),
)
PLACE = Path("/srv/striped")
MODULES = ("raid0", "ext4", "xfs", "btrfs")
CONTENT_BYTES = 5 * MIB


@dataclass(frozen=True, slots=True)
class Case:
    """A layout: kind of striping, content, and its three drives."""

    kind: Literal["md", "btrfs"]
    filesystem: str
    drives: str
    chunk_bytes: int = 0

    @property
    def name(self) -> str:
        """Name for reports."""
        return f"{self.kind} and {self.filesystem} on {self.drives}"


def stripes_alone(fleet: Fleet) -> Iterator[Check]:
    """Check without udev, as on a rescue medium: a stopped run, and a killed one."""
    _load()
    yield from _stopped(fleet, Case("md", "ext4", "512e"))
    yield from _killed(fleet, Case("md", "xfs", "4kn", 64 * KIB))
    yield from _refused(fleet)


def stripes_with_udev(fleet: Fleet) -> Iterator[Check]:
    """Check with udev, which assembles whatever it detects."""
    _load()
    yield from _whole(fleet, Case("md", "xfs", "512e", 128 * KIB))
    # Over the first one: udev gets events of the old partitions under the names of the new ones.
    yield from _whole(fleet, Case("md", "ext4", "512e"))


def stripes_more(fleet: Fleet) -> Iterator[Check]:
    """Check the other combinations."""
    _load()
    yield from _whole(fleet, Case("md", "ext4", "4kn", 16 * KIB))
    yield from _whole(fleet, Case("btrfs", "btrfs", "4kn"))


def _load() -> None:
    for module in MODULES:
        tool("modprobe", module)
    # udev assembles arrays of earlier visits.
    run(["mdadm", "--stop", "--scan"], seconds=SLOW, accept=range(256))


def _nodes(fleet: Fleet, case: Case) -> tuple[str, ...]:
    return tuple(node_of(drive) for drive in fleet.drives if drive.name.startswith(f"stripe-{case.drives}"))


def _planned(fleet: Fleet, case: Case, mode: Mode | None = Mode.REPLACE) -> Plan:
    """Plan like `diskwright plan`, and read the plan from its document."""
    machine = probe_machine(_nodes(fleet, case), seconds=SLOW)
    volume = WantedVolume("large-media", label="striped", mount=str(PLACE), fs=case.filesystem)
    asked = Stripe(case.kind, chunk_bytes=case.chunk_bytes)
    plan = plan_requested(
        machine,
        machine.drives,
        NewVolumes((), mode, Arrangement(stripe=asked)),
        [replace(volume, writable="root")],
        arrays=taken_arrays(),
    )
    return PLANS.read(PLANS.render(plan), "the plan")


def _applied(plan: Plan) -> Path:
    return followed(start_run(plan, *confirmed_by(plan), environment=Environment(FSTAB)))


def _whole(fleet: Fleet, case: Case) -> Iterator[Check]:
    plan = _planned(fleet, case)
    newest = _applied(plan)
    if state(newest) is RunState.WAITING:
        # Data of an earlier case is overwritten, although without signatures.
        keep(newest)
    ended = state(newest) in (RunState.DONE, RunState.KEPT)
    yield Check(f"{case.name}: apply succeeds with every check", ended, story(newest))
    if ended:
        yield from _stands(case, plan)
    _take_down(plan)


def _stands(case: Case, plan: Plan) -> Iterator[Check]:
    """Check the result with the kernel and independent tools, and a file over a remount."""
    (volume,) = plan.volumes
    content = Random(case.name).randbytes(CONTENT_BYTES)
    if udev_runs():
        tool("udevadm", "settle", "--timeout=60")
    (PLACE / "file").write_bytes(content)
    tool("umount", str(PLACE))
    tool("mount", str(PLACE))
    seen = hashlib.sha256((PLACE / "file").read_bytes()).hexdigest()
    yield Check(
        f"{case.name}: fstab mounts the volume again, with the file intact",
        seen == hashlib.sha256(content).hexdigest(),
        seen,
    )
    yield from _as_its_tools_say(case, plan)
    if case.kind != "btrfs":
        chunk = case.chunk_bytes or 512 * KIB
        name = kernels_node(volume.path)
        told = tuple(
            int(sysfs(name, key))
            for key in ("queue/minimum_io_size", "queue/optimal_io_size", "alignment_offset")
        )
        yield Check(
            f"{case.name}: minimum and optimal I/O size and offset match the stripe",
            told == (chunk, chunk * COUNT, 0),
            shown(told),
        )
    for path in plan.devices:
        part = f"{path}1"
        yield Check(
            f"{case.name}: the kernel reports {part} as aligned",
            sysfs(part, "alignment_offset") == "0",
            sysfs(part, "alignment_offset"),
        )
        inside = int(sysfs(part, "start")) * 512
        yield Check(f"{case.name}: {part} starts at a whole MiB", inside % MIB == 0, str(inside))
    says = " ".join(" ".join(plan_page(plan, 120)).split())
    yield Check(
        f"{case.name}: the preview warns about the loss of all data",
        "everything on all drives is lost" in says,
        says[:300],
    )


def _as_its_tools_say(case: Case, plan: Plan) -> Iterator[Check]:
    (volume,), stripe, chunk = plan.volumes, plan.stripe, case.chunk_bytes or 512 * KIB
    assert stripe is not None
    if case.kind == "md":
        detail = tool("mdadm", "--detail", volume.path)
        for wanted in (
            f"Raid Devices : {COUNT}",
            "Raid Level : raid0",
            f"Chunk Size : {chunk // KIB}K",
            f"UUID : {array_uuid(stripe.uuids[0])}",
        ):
            yield Check(f"{case.name}: mdadm --detail shows {wanted}", wanted in detail, detail)
        offsets = {
            re.findall(r"Data Offset : (\d+) sectors", tool("mdadm", "--examine", f"{path}1"))[0]
            for path in plan.devices
        }
        yield Check(
            f"{case.name}: md's data starts at a whole MiB in each partition",
            {int(one) % 2048 for one in offsets} == {0},
            shown(sorted(offsets)),
        )
    blocks = (str(chunk // 4096), str(COUNT * chunk // 4096))
    if case.filesystem == "ext4":
        words = tool("dumpe2fs", "-h", volume.path)
        found = re.findall(r"(?m)^RAID stri(?:de|pe width):\s+(\d+)", words)
        yield Check(f"{case.name}: dumpe2fs shows the stripe width", found == list(blocks), shown(found))
    if case.filesystem == "xfs":
        words = tool("xfs_info", str(PLACE))
        units = re.findall(r"sunit=(\d+)\s+swidth=(\d+) blks", words)[:1]
        yield Check(f"{case.name}: xfs_info shows sunit and swidth", units == [blocks], words)
    if case.kind == "btrfs":
        words = tool("btrfs", "filesystem", "df", str(PLACE))
        yield Check(
            f"{case.name}: data is striped, metadata mirrored",
            "Data, RAID0" in words and "Metadata, RAID1" in words,
            words,
        )


def _take_down(plan: Plan) -> None:
    """Remove a layout except for its data."""
    run(["umount", str(PLACE)], seconds=SLOW, accept=range(256))
    forget_in_fstab(plan.volumes[0].uuid)
    stripe = plan.stripe
    if stripe and stripe.kind == "md":
        run(["mdadm", "--stop", stripe.device], seconds=SLOW, accept=range(256))
    if udev_runs():
        tool("udevadm", "settle", "--timeout=60")


ARRAY_MADE = ("mdadm", "--create")


def _stopped(fleet: Fleet, case: Case) -> Iterator[Check]:
    """Stop a run directly on the drives while it creates the array. It stops before formatting and leaves
    the drives free to be set up again."""
    nodes = _nodes(fleet, case)
    for node in nodes:
        empty(node)
    plan = _planned(fleet, case)
    with without_loops(), standing_in(*ARRAY_MADE, STOPS):
        newest = _applied(plan)
    done = [entry.step for entry in read_entries(newest) if entry.event is Event.STEP_DONE]
    kinds = [plan.steps[number - 1].operation.kind for number in done]
    stopped = state(newest) is RunState.STOPPED and kinds[-1:] == ["make-array"]
    yield Check(f"{case.name}: the run stops after creating the array", stopped, story(newest))
    yield Check(
        f"{case.name}: no array is left on the drives",
        not _stands_anything(nodes),
        shown(_stands_anything(nodes)),
    )
    yield from _refused_for_good(case, newest)


def _refused_for_good(case: Case, newest: Path) -> Iterator[Check]:
    for name, go_on in (("resume", resume), ("undo", undo)):
        said = ""
        try:
            go_on(newest)
        except Refused as error:
            said = str(error)
        yield Check(f"{case.name}: {name} refuses", "undone or resumed" in said, said)


def _stands_anything(nodes: Sequence[str]) -> list[str]:
    holders = [
        holder.name
        for node in nodes
        for holder in Path("/sys/class/block").glob(f"{Path(node).name}*/holders/*")
    ]
    return sorted(holders)


def _killed(fleet: Fleet, case: Case) -> Iterator[Check]:
    """Kill a run directly on the drives just after it created the array."""
    for node in _nodes(fleet, case):
        empty(node)
    plan = _planned(fleet, case)
    with without_loops(), standing_in(*ARRAY_MADE, DIES):
        newest = _applied(plan)
    yield Check(
        f"{case.name}: the run is killed after creating the array",
        state(newest) is RunState.INTERRUPTED,
        story(newest),
    )
    yield from _refused_for_good(case, newest)
    _take_down(plan)


def _refused(fleet: Fleet) -> Iterator[Check]:
    """Check that drives with different logical blocks are refused."""
    mixed = [node_of(fleet["stripe-512e-0"]), node_of(fleet["stripe-4kn-0"])]
    said = ""
    machine = probe_machine(mixed, seconds=SLOW)
    how = Arrangement(stripe=Stripe("md"))
    volume = WantedVolume("large-media", fs="ext4")
    try:
        plan_requested(machine, machine.drives, NewVolumes((), Mode.REPLACE, how), [volume])
    except Refused as error:
        said = str(error)
    yield Check("md over 512e and 4Kn is refused", "different logical block sizes" in said, said)


JOBS = {"stripes-alone": stripes_alone, "stripes-with-udev": stripes_with_udev, "stripes-more": stripes_more}
VISITS = (
    Visit(
        "stripes without udev: stopped, killed, refused",
        STRIPED_FLEET,
        ("stripes-alone",),
        900,
        udev=False,
        full_only=True,
    ),
    Visit(
        "stripes with udev: md, then md over the old members",
        STRIPED_FLEET,
        ("stripes-with-udev",),
        900,
        udev=True,
        full_only=True,
    ),
    Visit(
        "stripes with udev: all other combinations",
        STRIPED_FLEET,
        ("stripes-more",),
        1200,
        udev=True,
        full_only=True,
    ),
)
