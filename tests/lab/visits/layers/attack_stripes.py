"""Job: attack arrays over several drives on the direct path. Foreign arrays on the neighbouring drives
keep every byte, and later data in place of an interrupted run is not overwritten."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import monotonic, sleep

from msgspec.structs import replace

from tests.lab.drives.fleet import MIB, Bus, EmulatedDrive, Fleet, ModuleDrive
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import (
    DIES,
    SLOW,
    digests,
    loaded,
    node_of,
    shown,
    standing_in,
    tool,
    without_loops,
)
from tests.loop.program import start_run
from tests.unit.plan.layouts import rederived
from wizard.apply.run.journal import RunState, read_entries, state
from wizard.apply.run_control import resume, undo
from wizard.apply.steps.arrays import taken_arrays
from wizard.model.advice import Choice, Option, Rank, Workload
from wizard.model.errors import DiskwrightError
from wizard.model.layout import Stripe
from wizard.model.run import Check
from wizard.operations.layers import array_uuid
from wizard.plan.check import places_in
from wizard.plan.plan import Plan
from wizard.plan.planner import make_plan
from wizard.plan.raid.striping import parts_of
from wizard.plan.request.plan_request import Arrangement, Mode, NewVolumes
from wizard.plan.request.volume_request import VolumeSpec
from wizard.plan.text import WORD
from wizard.probe.machine import probe_machine
from wizard.process.program import run


def _drive(name: str) -> EmulatedDrive:
    return EmulatedDrive(
        name,
        Bus.VIRTIO,
        serial=f"LAB-{name.upper()}",
        logical_block_bytes=512,
        physical_block_bytes=512,
        size_bytes=48 * MIB,
    )


TARGETS = (_drive("target-1"), _drive("target-2"))
NEIGHBOURS = (_drive("neighbour-1"), _drive("neighbour-2"))
ZONED = ModuleDrive(
    "zoned",
    "scsi_debug",
    ("zbc=managed", "zone_size_mb=16", "zone_nr_conv=2", "dev_size_mb=384"),
    512,
    512,
    size_bytes=384 * MIB,
    zoned="host-managed",
)
ATTACKED_FLEET = Fleet("attacked", (*TARGETS, *NEIGHBOURS), (ZONED,))

FOREIGN = "/dev/md127"
"""Node of the first new array."""
FOREIGN_UUID = "6f3b1f5e-0000-4000-8000-00000000aaaa"
MODULES = ("raid0", "sd_mod")


def attacked(fleet: Fleet) -> Iterator[Check]:
    """Try names and UUIDs of foreign arrays in plans, interrupted runs, and data of others in their place."""
    for module in MODULES:
        tool("modprobe", module)
    targets, neighbours = ([node_of(drive) for drive in drives] for drives in (TARGETS, NEIGHBOURS))
    words = ("--run", "--level=0", "--chunk=64", f"--uuid={array_uuid(FOREIGN_UUID)}", "--raid-devices=2")
    tool("mdadm", "--create", FOREIGN, *words, *neighbours)
    tool("mkfs.ext4", "-q", FOREIGN)
    before = digests(neighbours)
    yield from _forged(targets)
    yield from _cut_off(targets)
    after = digests(neighbours)
    yield Check("the neighbours keep every byte", after == before, f"{after}, not {before}")
    yield Check("the neighbours' array runs", "ext4" in tool("blkid", "--probe", FOREIGN), "")
    with loaded(ZONED) as node:
        yield from _zoned(node)


def _spec() -> VolumeSpec:
    choice = Choice("ext4", Rank.RECOMMENDED, "It suits.", (), (), (), None)
    return VolumeSpec(
        choice,
        Workload("large-media", "Large media files", "Long runs.", "large-media.toml", "media"),
        None,
        None,
        None,
    )


def _plan(targets: list[str]) -> Plan:
    machine = probe_machine(targets, seconds=SLOW)
    return make_plan(
        machine,
        machine.drives,
        NewVolumes((_spec(),), Mode.REPLACE, Arrangement(stripe=Stripe("md"))),
        arrays=taken_arrays(),
    )


def _forged(targets: list[str]) -> Iterator[Check]:
    """Return a plan with everything derived again, as by someone who knows the code."""
    plan = _plan(targets)
    assert plan.stripe is not None
    yield Check("plan never uses another array's node", plan.stripe.device != FOREIGN, plan.stripe.device)
    for what, stripe in (
        ("node", replace(plan.stripe, device=FOREIGN)),
        ("UUID", replace(plan.stripe, uuids=(FOREIGN_UUID,))),
    ):
        yield _refused(f"foreign {what} is refused", partial(_start, _derived(plan, stripe)), "nother array")


def _derived(plan: Plan, stripe: Stripe) -> Plan:
    drives = [member.drive for member in plan.members]
    volume = replace(plan.volumes[0], path=stripe.device or parts_of(drives)[0])
    return rederived(replace(plan, volumes=(volume,), stripe=stripe), places_in(plan))


def _start(plan: Plan) -> Path:
    with without_loops():
        return start_run(plan, *plan.tokens, WORD)


def _killed(plan: Plan, program: str, word: str) -> Path:
    """Return a run that was killed after a program finished."""
    return _ended(plan, program, word, DIES)


def _ended(plan: Plan, program: str, word: str, then: str) -> Path:
    """Check that a run did not finish."""
    with standing_in(program, word, then):
        found = _start(plan)
        limit = monotonic() + SLOW
        while state(found) is RunState.RUNNING:
            assert monotonic() < limit, "the run does not end"
            sleep(0.2)
    told = shown([entry.sentence for entry in read_entries(found)][-3:])
    assert state(found) in (RunState.INTERRUPTED, RunState.STOPPED), told
    return found


def _cut_off(targets: list[str]) -> Iterator[Check]:
    """Kill a run after it created the array and before the journal entry, then use the array."""
    plan = _plan(targets)
    assert plan.stripe is not None
    found, node = _killed(plan, "mdadm", "--create"), plan.stripe.device
    tool("mkfs.ext4", "-q", "-F", "-L", "theirs", node)
    Path("/mnt").mkdir(exist_ok=True)
    tool("mount", node, "/mnt")
    yield from _both_refused("md: foreign filesystem on the array, mounted", found)
    tool("umount", "/mnt")
    yield Check(
        "md: the filesystem has no errors",
        run(["e2fsck", "-f", "-n", node], seconds=SLOW, accept=range(256)).status == 0,
        "",
    )
    tool("mdadm", "--stop", node)
    tool("mdadm", "--zero-superblock", *(f"{target}1" for target in targets))


def _both_refused(what: str, found: Path) -> Iterator[Check]:
    for name, go_on in (("resume", resume), ("undo", undo)):
        yield _refused(f"{what}: {name} refuses", partial(go_on, found), "undone or resumed")
        yield Check(f"{what}: the run stays interrupted", state(found) is RunState.INTERRUPTED, state(found))


def _refused(what: str, attempt: Callable[[], object], word: str) -> Check:
    try:
        attempt()
    except DiskwrightError as error:
        return Check(what, word in str(error), str(error))
    return Check(what, False, "no refusal")


def _zoned(node: str) -> Iterator[Check]:
    """Kill a run after it reset all or some zones, then use the drive."""
    choice = replace(
        _spec().choice,
        filesystem="btrfs",
        mkfs=(Option("-O", "it has zones"), Option("zoned", "it has zones")),
    )
    for what, then in (
        ("killed", DIES),
        ("stopped", "for run in /var/lib/diskwright/runs/*/; do touch $run/stop; done; exit"),
    ):
        machine = probe_machine([node], seconds=SLOW)
        plan = make_plan(
            machine, (machine.drives[0],), NewVolumes((replace(_spec(), choice=choice),), Mode.REPLACE)
        )
        found = _ended(plan, "blkzone", "reset", then)
        if what == "killed":
            tool("mkswap", node)
        else:
            tool(
                "dd",
                "if=/dev/urandom",
                f"of={node}",
                "bs=1M",
                "count=1",
                "seek=32",
                "oflag=direct",
                "status=none",
            )
        before = digests([node])
        yield _refused(
            f"zoned, {what}: resume refuses foreign data",
            partial(resume, found),
            "undone or resumed",
        )
        yield Check(f"zoned, {what}: every byte is unchanged", digests([node]) == before, "")
        tool("blkzone", "reset", node)
        tool("wipefs", "--all", "--quiet", node)


JOBS = {"attacked": attacked}
VISITS = (
    Visit(
        "attacks on arrays: neighbours keep every byte, foreign data is never overwritten",
        ATTACKED_FLEET,
        ("attacked",),
        900,
        udev=False,
        full_only=True,
    ),
)
