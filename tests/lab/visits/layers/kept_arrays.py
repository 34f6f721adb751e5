"""Job: md arrays over drives with contents: created on scratch devices, invisible on the drives, undone to
the byte, killed and resumed, and kept. Only then does md synchronise.

Synchronisation is slowed down until it was observed.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from shutil import rmtree

from tests.lab.drives.fleet import MIB, Bus, EmulatedDrive, Fleet
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import (
    DIES,
    FSTAB,
    SLOW,
    digests,
    followed,
    forget_in_fstab,
    node_of,
    shown,
    standing_in,
    story,
    sysfs,
    tool,
    udev_runs,
)
from tests.lab.visits.layers.mirrors import CRAWL, RUN, copying_at
from tests.loop.program import start_run
from wizard.apply.plan.recover import found_on, make_found_run
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.journal import RunState, state
from wizard.apply.run.runs import load_plan
from wizard.apply.run_control import keep, resume, undo
from wizard.apply.steps.arrays import taken_arrays
from wizard.model.advice import Choice, Rank, Workload
from wizard.model.errors import DiskwrightError
from wizard.model.layout import Level, Stripe
from wizard.model.run import Check
from wizard.model.said import KIB
from wizard.plan.documents import PLANS
from wizard.plan.plan import Plan
from wizard.plan.planner import make_plan
from wizard.plan.request.plan_request import Arrangement, Mode, NewVolumes
from wizard.plan.request.volume_request import VolumeSpec
from wizard.probe.machine import probe_machine
from wizard.process.program import run

# Without TRIM: blocks discarded by `keep` would read as zeros on both halves of a mirror.
DRIVES = tuple(
    EmulatedDrive(
        f"held-{number}",
        Bus.SATA,
        serial=f"LAB-HELD-{number}",
        logical_block_bytes=512,
        physical_block_bytes=4096,
        size_bytes=size,
    )
    for number, size in ((1, 64 * MIB), (2, 80 * MIB))
)
HELD_FLEET = Fleet("held", DRIVES)
PLACE = Path("/srv/kept")


def mirror_kept(fleet: Fleet) -> Iterator[Check]:
    """Check a mirror: undone; killed during rehearsal and during keep; kept, and synchronised only then."""
    for module in ("raid1", "ext4"):
        tool("modprobe", module)
    copying_at(CRAWL)
    before = _filled(fleet)
    newest = _applied(_planned(fleet, "raid1"))
    yield from _barred("a mirror", newest, fleet)
    undo(newest)
    yield Check("a mirror: undo finishes", state(newest) is RunState.UNDONE, story(newest))
    after = digests(_nodes(fleet))
    yield Check("a mirror: undo restores every byte", after == before, shown(after))
    yield from _found(fleet)

    before = _filled(fleet)
    plan = _planned(fleet, "raid1")
    with standing_in("mdadm", "--create", DIES):
        newest = _applied(plan)
    yield Check("a mirror: the rehearsal is killed", state(newest) is RunState.INTERRUPTED, story(newest))
    yield Check("a mirror: the killed rehearsal changes no byte", digests(_nodes(fleet)) == before, "")
    yield _unseen(plan)
    resume(newest)
    followed(newest)
    yield from _barred("a resumed mirror", newest, fleet)
    said = ""
    with standing_in("mdadm", "--assemble", DIES):
        try:
            keep(newest)
        except DiskwrightError as error:
            said = str(error)
    yield Check("a mirror: keep is killed", state(newest) is RunState.INTERRUPTED, said + story(newest))
    resume(newest)
    followed(newest)
    yield Check("a mirror: resume succeeds", state(newest) in (RunState.KEPT, RunState.DONE), story(newest))
    yield from _copies(plan)
    _down(plan)


def _found(fleet: Fleet) -> Iterator[Check]:
    """Finish a run without its folder, from the notices on both drives."""
    rmtree(_applied(_planned(fleet, "raid1")))
    waits = found_on(node_of(fleet.drives[1]))
    newest = make_found_run(waits, waits.plan.tokens, None, Environment(FSTAB))
    keep(newest)
    yield Check("a mirror: keep from the drives finishes", state(newest) is RunState.KEPT, story(newest))
    node = waits.plan.volumes[0].path
    action = sysfs(node, "md/sync_action")
    yield Check("a mirror: md resyncs after keep from the drives", action == "resync", action)
    content = Random("found").randbytes(2 * MIB)
    PLACE.mkdir(parents=True, exist_ok=True)
    tool("mount", node, str(PLACE))
    (PLACE / "found").write_bytes(content)
    tool("umount", str(PLACE))
    tool("mount", node, str(PLACE))
    yield Check("a mirror: a file survives a remount", (PLACE / "found").read_bytes() == content, "")
    _down(waits.plan)


def stripe_kept(fleet: Fleet) -> Iterator[Check]:
    """Check a RAID0 in place of the mirror: undone, and kept at once as in scripts."""
    tool("modprobe", "raid0")
    before = _filled(fleet)
    newest = _applied(_planned(fleet, "raid0"))
    yield from _barred("a stripe", newest, fleet)
    undo(newest)
    yield Check("a stripe: undo restores every byte", digests(_nodes(fleet)) == before, story(newest))
    plan = _planned(fleet, "raid0")
    newest = _applied(plan, keep=True)
    yield Check("a stripe: apply --keep finishes", state(newest) is RunState.DONE, story(newest))
    yield _holds_a_file("a stripe")
    level = sysfs(plan.volumes[0].path, "md/level")
    yield Check("a stripe: the kernel reports raid0", level == "raid0", level)
    _down(plan)


def mirror_restarted(fleet: Fleet) -> Iterator[Check]:
    """Check a reboot, which ends the mount and the array: while the run waits, and after `keep` mounted
    it."""
    for module in ("raid1", "ext4"):
        tool("modprobe", module)
    copying_at(RUN)
    before = _filled(fleet)
    newest = _applied(_planned(fleet, "raid1"))
    _killed_at_mount(newest)
    yield Check(
        "reboot after keep: keep is killed after the mount",
        state(newest) is RunState.INTERRUPTED,
        story(newest),
    )
    plan = load_plan(newest)
    _ends_as_at_restart(plan)
    try:
        undo(newest)
    except DiskwrightError as error:
        refused = str(error)
    else:
        refused = ""
    yield Check("reboot after keep: undo refuses", bool(refused), story(newest))
    resume(newest)
    followed(newest)
    yield Check(
        "reboot after keep: resume finishes keep",
        state(newest) in (RunState.KEPT, RunState.DONE),
        story(newest),
    )
    yield _holds_a_file("reboot after keep")
    _down(plan)

    before = _filled(fleet)
    newest = _applied(_planned(fleet, "raid1"))
    yield Check("reboot while waiting: the run waits", state(newest) is RunState.WAITING, story(newest))
    _ends_as_at_restart(load_plan(newest))
    undo(newest)
    yield Check(
        "reboot while waiting: undo restores every byte", digests(_nodes(fleet)) == before, story(newest)
    )


def _killed_at_mount(newest: Path) -> None:
    with standing_in("mount", str(PLACE), DIES), suppress(DiskwrightError):
        keep(newest)


def _ends_as_at_restart(plan: Plan) -> None:
    """Simulate a reboot: unmount, stop the array, and let the kernel read the drives again."""
    run(["umount", str(PLACE)], seconds=SLOW, accept=range(256))
    run(["mdadm", "--stop", "--scan"], seconds=SLOW, accept=range(256))
    for member in plan.members:
        run(["blockdev", "--rereadpt", member.drive.path], seconds=SLOW, accept=range(256))


def _filled(fleet: Fleet) -> list[str]:
    """Fill the drives, each with a filesystem. Returns their digests."""
    for number, drive in enumerate(fleet.drives):
        node = node_of(drive)
        tool("wipefs", "--all", "--quiet", node)
        run(["partx", "--delete", node], seconds=SLOW, accept=range(256))
        noise = Random(number).randbytes(MIB)
        with Path(node).open("r+b") as device:
            for _ in range(drive.size_bytes // MIB):
                device.write(noise)
        tool("mkfs.ext4", "-q", "-F", "-E", "nodiscard", "-L", f"old{number}", node)
    return digests(_nodes(fleet))


def _nodes(fleet: Fleet) -> list[str]:
    return [node_of(drive) for drive in fleet.drives]


def _planned(fleet: Fleet, level: Level) -> Plan:
    machine = probe_machine(_nodes(fleet), seconds=SLOW)
    choice = Choice("ext4", Rank.RECOMMENDED, "It suits.", (), (), (), None)
    workload = Workload("large-media", "Large media files", "Long runs.", "large-media.toml", "media")
    spec = VolumeSpec(choice, workload, None, "kept", str(PLACE))
    chunk = 0 if level == "raid1" else 64 * KIB
    asked = Stripe("md", chunk_bytes=chunk, level=level)
    plan = make_plan(
        machine,
        machine.drives,
        NewVolumes((spec,), Mode.REPLACE, Arrangement(stripe=asked)),
        arrays=taken_arrays(),
    )
    return PLANS.read(PLANS.render(plan), "the plan")


def _applied(plan: Plan, *, keep: bool = False) -> Path:
    newest = start_run(plan, *plan.tokens, environment=Environment(FSTAB), keep=keep)
    return followed(newest)


def _barred(what: str, newest: Path, fleet: Fleet) -> Iterator[Check]:
    """Check that the run waits, no tool recognises anything, and the kernel runs no array."""
    yield Check(f"{what}: the run waits", state(newest) is RunState.WAITING, story(newest))
    if udev_runs():
        tool("udevadm", "settle", "--timeout=60")
    for drive in fleet.drives:
        node = node_of(drive)
        for name, argv in (
            ("blkid", ("blkid", "--probe", node)),
            ("mdadm", ("mdadm", "--examine", node)),
        ):
            result = run(argv, seconds=SLOW, accept=range(256))
            yield Check(f"{what}: {name} finds nothing on {node}", result.status != 0, result.output)
    arrays = Path("/proc/mdstat").read_text()
    yield Check(f"{what}: no array runs", "\nmd" not in arrays, arrays)
    loops = tool("losetup", "--noheadings", "--list").strip()
    yield Check(f"{what}: no scratch device is left", not loops, loops)


def _unseen(plan: Plan) -> Check:
    """Check how udev shows the array that the killed rehearsal left on its scratch devices."""
    assert plan.stripe is not None
    uuid = plan.stripe.uuids[0].replace("-", "")[:8]
    runs = [line for line in Path("/proc/mdstat").read_text().splitlines() if line.startswith("md")]
    links = [path.name for path in Path("/dev/disk").glob("*/*")]
    return Check(
        "a mirror: udev makes no link to the array on scratch devices",
        len(runs) == 1 and not any(uuid in name for name in links),
        shown([runs, links]),
    )


def _copies(plan: Plan) -> Iterator[Check]:
    """Check that synchronisation starts only now. Afterwards both halves are equal wherever files can be."""
    node = plan.volumes[0].path
    action = sysfs(node, "md/sync_action")
    yield Check("a mirror: md resyncs after keep", action == "resync", action)
    yield _holds_a_file("a mirror")
    parts = plan.arrays[0].parts
    (offset,) = {
        int(found) for part in parts for found in re.findall(r"Data Offset : (\d+)", _examined(part))
    }
    halves = ("cmp", f"--bytes={int(sysfs(node, 'size')) * 512}")
    skip = f"--ignore-initial={offset * 512}"
    differing = run([*halves, skip, *parts], seconds=SLOW, accept=range(256)).status
    yield Check("a mirror: the halves differ before the resync", differing == 1, str(differing))
    copying_at(RUN)
    tool("mdadm", "--wait", node, accept=(0, 1))
    tool("umount", str(PLACE))
    tool("mdadm", "--stop", node)
    for part in parts:
        tool("blockdev", "--flushbufs", part)
    said = run([*halves[:1], skip, halves[1], *parts], seconds=SLOW, accept=range(256))
    yield Check("a mirror: the halves are equal after the resync", said.status == 0, said.output)
    tool("mdadm", "--assemble", node, *parts)
    tool("mount", str(PLACE))
    yield _holds_a_file("a reassembled mirror", write=False)


def _examined(part: str) -> str:
    return tool("mdadm", "--examine", part)


def _holds_a_file(what: str, *, write: bool = True) -> Check:
    content = Random("kept").randbytes(2 * MIB)
    if write:
        (PLACE / "file").write_bytes(content)
        tool("umount", str(PLACE))
        tool("mount", str(PLACE))
    return Check(f"{what}: a file survives a remount", (PLACE / "file").read_bytes() == content, "")


def _down(plan: Plan) -> None:
    tool("umount", str(PLACE))
    forget_in_fstab(plan.volumes[0].uuid)
    tool("mdadm", "--stop", plan.volumes[0].path)
    if udev_runs():
        tool("udevadm", "settle", "--timeout=60")


JOBS: dict[str, Callable[[Fleet], Iterator[Check]]] = {
    "mirror-kept": mirror_kept,
    "mirror-restarted": mirror_restarted,
    "stripe-kept": stripe_kept,
}
VISITS = (
    Visit(
        "md mirror over full drives: reboots while waiting and after keep",
        HELD_FLEET,
        ("mirror-restarted",),
        900,
        udev=False,
        full_only=True,
    ),
    Visit(
        "md mirror over full drives, with udev: waiting, undone, killed, kept, and kept "
        "without the run's folder",
        HELD_FLEET,
        ("mirror-kept",),
        1800,
        udev=True,
        full_only=True,
    ),
    Visit(
        "md stripe over full drives, without udev: waiting, undone, kept",
        HELD_FLEET,
        ("stripe-kept",),
        1200,
        udev=False,
        full_only=True,
    ),
)
