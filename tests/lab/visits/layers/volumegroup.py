"""Job: volumes in one LVM volume group on one drive, from the command line to the mounted filesystems,
with a kernel that has the device mapper: as planned according to LVM and the kernel, undone to the byte,
and resumed after every interruption."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

from tests.lab.drives.fleet import MIB, Fleet, virtio_drive
from tests.lab.drives.masonry import kernels_node
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import (
    DIES,
    SHARED,
    SLOW,
    STOPS,
    confirmed,
    confirmed_by,
    digest_of,
    diskwright,
    empty,
    forget_in_fstab,
    node_of,
    shown,
    standing_in,
    story,
    sysfs,
    tool,
    udev_runs,
)
from tests.loop.program import start_run
from wizard.apply.block.devices import partition_nodes
from wizard.apply.run.journal import RunState, state
from wizard.apply.run_control import keep, undo
from wizard.model.errors import DiskwrightError
from wizard.model.run import Check
from wizard.operations.layers import LVM_WITHOUT_UDEV
from wizard.plan.documents import PLANS
from wizard.plan.plan import Plan
from wizard.process.program import run

WHOLE, CUT = virtio_drive("grouped-whole", 640 * MIB, 4096), virtio_drive("grouped-cut", 640 * MIB)
GROUPED_FLEET = Fleet("grouped", (WHOLE, CUT))
MAIL, FILMS = Path("/srv/lab/mail"), Path("/srv/lab/films")
MODULES = ("dm_mod", "loop", "ext4", "xfs")
LAST_ENTRY = 127 * 128
"""Offset of a GPT's last, unused entry from the first one."""

THREE_VOLUMES = (
    f"workload=mail,fs=ext4,size=101M,label=lab-mail,mount={MAIL}",
    "workload=desktop-root,fs=swap,size=32M,label=lab-swap,mount=none",
    f"workload=large-media,fs=xfs,label=lab-films,mount={FILMS}",
)
"""Three volumes. The last one uses the remaining space."""
CUTS = (("vgcreate", "--physicalextentsize"), ("lvcreate", "lab_mail"), ("mkfs.xfs", "-q"))
MORE_CUTS = (("pvcreate", "--uuid"), ("lvcreate", "lab_films"), ("mkfs.ext4", "-q"))
"""Programs that finish just before the run is killed, with a word of their arguments."""


def group_whole(fleet: Fleet) -> Iterator[Check]:
    """Check a whole run by the command line, beside a preserved partition, then an undone one."""
    _load()
    yield from _whole(node_of(fleet[WHOLE.name]))
    yield from _taken_back(node_of(fleet[CUT.name]))


def group_cut(fleet: Fleet) -> Iterator[Check]:
    """Check interrupted runs."""
    _load()
    for program, word in CUTS:
        yield from _cut_off(node_of(fleet[CUT.name]), program, word)


def group_more(fleet: Fleet) -> Iterator[Check]:
    """Check runs interrupted elsewhere, and one with changes by another program."""
    _load()
    node = node_of(fleet[CUT.name])
    yield from _theirs(node)
    for program, word in MORE_CUTS:
        yield from _cut_off(node, program, word)


def _load() -> None:
    for module in MODULES:
        tool("modprobe", module)
    # udev activates groups of earlier visits.
    run(["vgchange", "--activate", "n"], seconds=SLOW, accept=range(256))


def _plan(node: str, *words: str, mode: str = "--replace") -> tuple[Path, Plan]:
    file = SHARED / f"plan-{Path(node).name}.json"
    volumes = (word for volume in THREE_VOLUMES for word in ("--volume", volume))
    diskwright("plan", node, mode, "--lvm", *volumes, *words, "-o", str(file))
    return file, PLANS.read(file.read_text(), "the plan")


def _whole(node: str) -> Iterator[Check]:
    tool("sh", "-c", f"printf 'label: gpt\\nstart=1MiB,size=64MiB\\n' | sfdisk --quiet {node}")
    yield from _half_written(node)
    tool("mkfs.ext4", "-q", "-F", f"{node}1")
    before = digest_of(f"{node}1")
    file, plan = _plan(node, mode="--use-free")
    applied = ("apply", str(file), "--confirm", plan.drive.token, "--keep")
    told = diskwright(*applied, accept=range(256), seconds=3 * SLOW)
    yield Check(
        "apply succeeds", told.status == 0, f"{told.status}: {told.output[-2500:]} {told.errors[-2500:]}"
    )
    if told.status:
        return
    yield Check(
        "every check passes",
        told.output.count("passed ") == len(told.output.splitlines()),
        told.output[-2500:],
    )
    yield from _stands(plan)
    for place in (MAIL, FILMS):
        (place / "kept").write_text("kept")
    _let_go(plan)
    tool("vgchange", "--activate", "y", plan.group.name if plan.group else "")
    for place in (MAIL, FILMS):
        mounted = run(["mount", str(place)], seconds=SLOW, accept=range(256))
        yield Check(f"activated again, fstab mounts {place}", (place / "kept").exists(), mounted.last_words)
    _let_go(plan)
    yield Check("the preserved partition is unchanged", digest_of(f"{node}1") == before, "")


def _half_written(node: str) -> Iterator[Check]:
    """Write a GPT whose first header and entries do not match, as after a power cut between their writes."""
    seen = []
    for byte in (b"\1", b"\0"):
        with Path(node).open("r+b", buffering=0) as device:
            device.seek(2 * WHOLE.logical_block_bytes + LAST_ENTRY)
            device.write(byte)
            os.fsync(device.fileno())
        tool("blockdev", "--rereadpt", node)
        seen.append(len(partition_nodes(node)))
    yield Check(
        "the kernel ignores a half-written GPT, despite its complete copy",
        seen == [0, 1],
        shown(seen),
    )


def _stands(plan: Plan) -> Iterator[Check]:
    """Check with LVM, the kernel, libblkid and findmnt."""
    assert plan.group is not None
    if udev_runs():
        tool("udevadm", "settle", "--timeout=60")
    words = ("--reportformat", "json", "--units", "b", "--nosuffix", "-o")
    (volume,) = json.loads(tool("pvs", *words, "pv_name,vg_name,pe_start", plan.group.device))["report"][0][
        "pv"
    ]
    yield Check("data starts at 1 MiB", volume["pe_start"] == str(MIB), shown(volume))
    found = json.loads(tool("lvs", *words, "lv_name,lv_size,segtype", plan.group.name))["report"][0]["lv"]
    sizes = {row["lv_name"]: (row["lv_size"], row["segtype"]) for row in found}
    wanted = {one.name: (str(one.size_bytes), "linear") for one in plan.logical_volumes}
    yield Check("lvs shows the exact sizes", sizes == wanted, shown(sizes))
    (group,) = json.loads(tool("vgs", *words, "vg_extent_size,vg_free", plan.group.name))["report"][0]["vg"]
    yield Check(
        "the extents of 4 MiB are all in use",
        group == {"vg_extent_size": str(4 * MIB), "vg_free": "0"},
        shown(group),
    )
    for one, planned in zip(plan.logical_volumes, plan.volumes, strict=True):
        kernel = kernels_node(one.device)
        size = int(sysfs(kernel, "size")) * 512
        yield Check(f"{one.name}: the kernel reports the exact size", size == one.size_bytes, str(size))
        yield Check(
            f"{one.name}: the kernel reports alignment",
            sysfs(kernel, "alignment_offset") == "0",
            sysfs(kernel, "alignment_offset"),
        )
        probed = tool("blkid", "-p", "-o", "export", one.device).splitlines()
        right = {f"TYPE={planned.filesystem}", f"UUID={planned.uuid}"} <= set(probed)
        yield Check(f"{one.name}: blkid finds filesystem and UUID", right, shown(probed))
    for place, path in ((MAIL, plan.volumes[0].path), (FILMS, plan.volumes[2].path)):
        source = tool("findmnt", "-n", "-o", "SOURCE", str(place)).strip()
        yield Check(f"{place} is mounted", source == path, source)
    swaps = [kernels_node(name) for name in tool("swapon", "--show=NAME", "--noheadings", "--raw").split()]
    yield Check("the swap volume is in use", kernels_node(plan.volumes[1].path) in swaps, shown(swaps))


def _let_go(plan: Plan) -> None:
    """Unmount and deactivate everything."""
    for place in (MAIL, FILMS):
        run(["umount", str(place)], seconds=SLOW, accept=range(256))
    run(["swapoff", plan.volumes[1].path], seconds=SLOW, accept=range(256))
    run(
        ["vgchange", "--activate", "n", plan.group.name if plan.group else ""],
        seconds=SLOW,
        accept=range(256),
    )


def _emptied(node: str) -> None:
    """Remove traces of earlier cases from the drive and fstab."""
    empty(node)
    forget_in_fstab("/srv/lab", "swap")


def _run_of(plan: Plan) -> Path:
    """Return a run after its end."""
    found = start_run(plan, *confirmed_by(plan))
    limit = monotonic() + 3 * SLOW
    while state(found) is RunState.RUNNING:
        assert monotonic() < limit, f"the run does not end: {story(found)}"
        sleep(0.2)
    return found


def _taken_back(node: str) -> Iterator[Check]:
    """Stop a run when all its volumes exist on the scratch device, over an old filesystem, and undo it."""
    _emptied(node)
    tool("mkfs.ext4", "-q", "-F", "-L", "old", node)
    before = digest_of(node)
    _, plan = _plan(node)
    with standing_in("lvcreate", "lab_films", STOPS):
        found = _run_of(plan)
    yield Check("the run stops before formatting", state(found) is RunState.STOPPED, story(found))
    yield Check("the drive is unchanged", digest_of(node) == before, "")
    there = [volume.path for volume in plan.volumes if Path(volume.path).exists()]
    yield Check("no volume is left after the stop", not there, shown(there))
    try:
        undo(found)
    except DiskwrightError as error:
        yield Check("undo finishes", False, f"{error}\n{story(found)}")
        return
    yield Check("undo finishes", state(found) is RunState.UNDONE, story(found))
    yield Check("undo restores every byte", digest_of(node) == before, "")
    left = [volume.path for volume in plan.volumes if Path(volume.path).exists()]
    yield Check("no volume is left after undo", not left, shown(left))


def _cut_off(node: str, program: str, word: str) -> Iterator[Check]:
    _emptied(node)
    _, plan = _plan(node)
    with standing_in(program, word, DIES):
        found = _run_of(plan)
    yield Check(f"{program}: the run is interrupted", state(found) is RunState.INTERRUPTED, story(found))
    # Like a reboot: deactivate the group. Without udev, this also removes its nodes.
    run(["vgchange", *LVM_WITHOUT_UDEV, "--activate", "n"], seconds=SLOW, accept=range(256))
    told = diskwright("resume", found.name, *confirmed(plan), accept=range(256), seconds=3 * SLOW)
    yield Check(
        f"{program}: resume succeeds",
        told.status == 0,
        f"{told.status}: {told.errors[-800:]} {story(found)}",
    )
    if told.status == 0 and state(found) is RunState.WAITING:
        told = diskwright("keep", found.name, accept=range(256), seconds=3 * SLOW)
        yield Check(f"{program}: keep succeeds", told.status == 0, f"{told.status}: {told.errors[-800:]}")
    if told.status == 0:
        yield from _stands(plan)
    _let_go(plan)


def group_restarted(fleet: Fleet) -> Iterator[Check]:
    """Check a reboot, which ends mounts, swap and the group: after the mount of `keep`, and while the run
    waits."""
    _load()
    node = node_of(fleet[CUT.name])
    _emptied(node)
    tool("mkfs.ext4", "-q", "-F", "-L", "old", node)
    _, plan = _plan(node)
    found = _run_of(plan)
    yield Check("reboot after keep: the run waits", state(found) is RunState.WAITING, story(found))
    with standing_in("mount", str(MAIL), DIES), suppress(DiskwrightError):
        keep(found)
    yield Check(
        "reboot after keep: keep is killed after the mount",
        state(found) is RunState.INTERRUPTED,
        story(found),
    )
    run(["umount", str(MAIL)], seconds=SLOW, accept=range(256))
    # Without udev, this also removes the nodes.
    run(["vgchange", *LVM_WITHOUT_UDEV, "--activate", "n"], seconds=SLOW, accept=range(256))
    told = diskwright("resume", found.name, accept=range(256), seconds=3 * SLOW)
    yield Check(
        "reboot after keep: resume succeeds",
        told.status == 0,
        f"{told.status}: {told.errors[-800:]} {story(found)}",
    )
    yield from _stands(plan)
    _let_go(plan)

    _emptied(node)
    tool("mkfs.ext4", "-q", "-F", "-L", "old", node)
    before = digest_of(node)
    found = _run_of(_plan(node)[1])
    yield Check("reboot while waiting: the run waits", state(found) is RunState.WAITING, story(found))
    run(["vgchange", *LVM_WITHOUT_UDEV, "--activate", "n"], seconds=SLOW, accept=range(256))
    told = diskwright("undo", found.name, accept=range(256), seconds=3 * SLOW)
    yield Check(
        "reboot while waiting: undo succeeds", told.status == 0, f"{told.status}: {told.errors[-800:]}"
    )
    yield Check("reboot while waiting: undo restores every byte", digest_of(node) == before, "")


def _theirs(node: str) -> Iterator[Check]:
    """Interrupt a run when its volumes exist on the scratch device, and let another program create a
    filesystem on the drive."""
    _emptied(node)
    _, plan = _plan(node)
    with standing_in("lvcreate", "lab_films", DIES):
        found = _run_of(plan)
    tool("mkfs.ext4", "-q", "-F", "-L", "theirs", node)
    before = digest_of(node)
    told = diskwright("resume", found.name, *confirmed(plan), accept=range(256))
    yield Check(
        "foreign filesystem: resume refuses", told.status == 3, f"{told.status}: {told.errors[-800:]}"
    )
    yield Check("foreign filesystem: every byte is unchanged", digest_of(node) == before, "")
    told = diskwright("undo", found.name, accept=range(256))
    yield Check("foreign filesystem: undo succeeds", told.status == 0, f"{told.status}: {told.errors[-800:]}")
    left = tool("dmsetup", "ls").strip()
    yield Check("foreign filesystem: no volume is left", left == "No devices found", left)


JOBS = {
    "group-whole": group_whole,
    "group-restarted": group_restarted,
    "group-cut": group_cut,
    "group-more": group_more,
}
VISITS = (
    Visit(
        "a volume group on one drive: created, undone and rebooted",
        GROUPED_FLEET,
        ("group-whole", "group-restarted"),
        900,
        udev=False,
    ),
    Visit(
        "a volume group on one drive: interrupted and resumed",
        GROUPED_FLEET,
        ("group-cut", "group-more"),
        1800,
        udev=False,
        full_only=True,
    ),
    Visit(
        "a volume group on one drive: with udev",
        GROUPED_FLEET,
        ("group-whole", "group-cut"),
        1800,
        udev=True,
        full_only=True,
    ),
)
