"""Jobs: a drive of noise becomes a mounted filesystem by plan and apply; the next guest mounts it by the
fstab line."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Generator, Iterator
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from msgspec.structs import replace

from tests.lab.drives.fleet import MIB, EmulatedDrive, Fleet
from tests.lab.drives.members import CHARGING, FIRST_FLEET, NATIVE
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import SHARED, SLOW, diskwright, node_of, shown, sysfs, tool, udev_runs
from wizard.model.errors import partition_path
from wizard.model.layout import TableEntry, Volume
from wizard.model.run import Check
from wizard.operations.table import WriteTable
from wizard.plan.documents import PLANS
from wizard.plan.plan import Plan
from wizard.process.program import run

if TYPE_CHECKING:
    from tests.lab.guest.machine import Laboratory

ROTATING = replace(CHARGING, name="rotating", serial="LAB-512E-ROTATING", media=None)
"""A fast drive, without a benchmark."""

SET_UP_FLEET = Fleet("set-up", (ROTATING, NATIVE))

REQUESTS = {
    ROTATING.name: "workload=small-files,label=lab-small,mount=/srv/lab/small",
    NATIVE.name: "workload=large-media,label=lab-media,mount=/srv/lab/media",
}
FSTAB = Path("/etc/fstab")
KEPT_FSTAB = SHARED / "fstab"
UNLISTED_OPTIONS = ("defaults", "nofail", "auto", "rw", "exec")
"""Mount options that the kernel always or never shows."""
SYSFS_SECTOR_BYTES = 512
CHECKERS = {"ext4": ("e2fsck", "-fn"), "xfs": ("xfs_repair", "-n"), "btrfs": ("btrfs", "check", "--readonly")}
FILES = 150


def set_up(fleet: Fleet) -> Iterator[Check]:
    """Plan, check refusals, apply, check with other tools, and leave files for the next guest."""
    for name, spec in REQUESTS.items():
        drive, node = fleet[name], node_of(fleet[name])
        yield _plan_refused(name, node, "--volume", spec, why="with unrecognised data")
        diskwright("plan", node, "--replace", "--volume", spec, "-o", str(plan_file(name)))
        plan = _plan(name)
        if name == ROTATING.name:
            yield from _refused_before(drive)
        told = diskwright(
            "apply",
            str(plan_file(name)),
            "--confirm",
            drive.serial,
            *(["--keep"] if name != ROTATING.name else []),
            accept=range(256),
        )
        yield Check(
            f"{name}: apply succeeds",
            told.status == 0,
            f"{told.status}: {told.output[-1500:]} {told.errors[-1500:]}",
        )
        if told.status:
            continue
        if name == ROTATING.name and not (yield from _waits_and_is_kept(node)):
            continue
        yield from stands(name, plan, node)
        _leave_files(name, _mount_point(plan))
        if name == ROTATING.name:
            yield _plan_refused(name, node, "--replace", "--workload", "desktop-root", why="in use")
        tool("umount", str(_mount_point(plan)))
        if name == ROTATING.name:
            yield _plan_refused(name, node, "--workload", "desktop-root", why="with data")
    shutil.copy(FSTAB, KEPT_FSTAB)


def _waits_and_is_kept(node: str) -> Generator[Check, None, bool]:
    """Check that a drive of noise shows nothing new until `keep`. Return True if kept."""
    if udev_runs():
        tool("udevadm", "settle", "--timeout=60")
    seen = [tool("wipefs", "--noheadings", node).strip(), *map(str, Path("/dev").glob(f"{Path(node).name}?"))]
    yield Check("nothing is visible on the drive before keep", seen == [""], shown(seen))
    mounted = run(["findmnt", "-n", "-S", f"{node}1"], seconds=SLOW, accept=range(256)).output
    yield Check("nothing is mounted before keep", not mounted, mounted)
    told = diskwright("keep", accept=range(256))
    yield Check("keep succeeds", told.status == 0, f"{told.status}: {told.errors[-1500:]}")
    return told.status == 0


def return_to(fleet: Fleet) -> Iterator[Check]:
    """In a new guest, check `mount -a` with the written fstab, the files, and fsck."""
    shutil.copy(KEPT_FSTAB, FSTAB)
    plans = {name: (_plan(name), node_of(fleet[name])) for name in REQUESTS}
    for plan, _ in plans.values():
        _mount_point(plan).mkdir(parents=True)
    mounted = run(["mount", "-a"], seconds=SLOW, accept=range(256))
    yield Check("mount -a succeeds with the new fstab", mounted.status == 0, mounted.errors)
    for name, (plan, node) in plans.items():
        yield from stands(name, plan, node)
        yield _files_are_there(name, _mount_point(plan))
        tool("umount", str(_mount_point(plan)))
        yield _is_clean(name, plan, node)


def plan_file(name: str) -> Path:
    """Return the file of a drive's plan for the next guest."""
    return SHARED / f"plan-{name}.json"


def stands(name: str, plan: Plan, node: str) -> Iterator[Check]:
    """Check partition and mount with sysfs, parted, blkid, findmnt and fstab. `node`: the drive in this
    guest."""
    volume, entry = _volume(plan), _entry(plan)
    part = partition_path(node, volume.partition)
    start, size = (int(sysfs(part, key)) * SYSFS_SECTOR_BYTES for key in ("start", "size"))
    yield Check(
        f"{name}: the kernel has the planned partition",
        (start, size) == (entry.start_bytes, entry.size_bytes),
        f"{start}+{size}",
    )
    yield Check(f"{name}: the partition starts at a whole MiB", start % MIB == 0, str(start))
    yield Check(
        f"{name}: the kernel's alignment offset is 0",
        sysfs(part, "alignment_offset") == "0",
        sysfs(part, "alignment_offset"),
    )
    for kind in ("minimal", "optimal"):
        parted = run(
            ["parted", "-s", node, "align-check", kind, str(volume.partition)],
            seconds=SLOW,
            accept=range(256),
        )
        yield Check(f"{name}: parted reports alignment ({kind})", parted.status == 0, parted.last_words)
    probed = tool("blkid", "-p", "-o", "export", part)
    for key, value in (("UUID", volume.uuid), ("TYPE", volume.filesystem), ("LABEL", volume.label)):
        yield Check(f"{name}: {key} is {value} as planned", f"{key}={value}" in probed.splitlines(), probed)
    if udev_runs():
        tool("udevadm", "settle", "--timeout=60")
        link = Path("/dev/disk/by-uuid", volume.uuid)
        yield Check(
            f"{name}: udev makes the link by UUID",
            link.exists() and str(link.resolve()) == part,
            str(link.resolve()),
        )
    yield from _mounted(name, volume, part)


def _mounted(name: str, volume: Volume, part: str) -> Iterator[Check]:
    lines = [line for line in FSTAB.read_text().splitlines() if volume.uuid in line]
    yield Check(
        f"{name}: fstab has one entry, with nofail",
        len(lines) == 1 and "nofail" in lines[0],
        shown(lines),
    )
    found = run(
        ["findmnt", "-J", "-o", "SOURCE,FSTYPE,OPTIONS", str(volume.mount_point)],
        seconds=SLOW,
        accept=range(256),
    )
    if found.status:
        yield Check(f"{name}: mounted at {volume.mount_point}", False, found.last_words)
        return
    mount = json.loads(found.output)["filesystems"][0]
    where = (mount["source"].partition("[")[0], mount["fstype"])
    yield Check(f"{name}: mounted at {volume.mount_point}", where == (part, volume.filesystem), shown(where))
    missing = sorted(set(volume.mount_options) - {*mount["options"].split(","), *UNLISTED_OPTIONS})
    yield Check(
        f"{name}: mounted with {','.join(volume.mount_options) or 'defaults'}", not missing, mount["options"]
    )


def _refused_before(drive: EmulatedDrive) -> Iterator[Check]:
    """Try another drive's token, and a plan with a changed byte. The drive must stay empty."""
    node = node_of(drive)
    wrong = diskwright("apply", str(plan_file(drive.name)), "--confirm", "LAB-OTHER", accept=range(256))
    yield Check(
        f"{drive.name}: another drive's serial number is refused",
        wrong.status in (2, 3),
        f"{wrong.status}: {wrong.errors}",
    )
    edited = SHARED / "edited.json"
    edited.write_text(plan_file(drive.name).read_text().replace("/srv/lab/", "/srv/abl/"))
    wrong = diskwright("apply", str(edited), "--confirm", drive.serial, accept=range(256))
    yield Check(
        f"{drive.name}: an edited plan is refused", wrong.status in (2, 3), f"{wrong.status}: {wrong.errors}"
    )
    held = tool("wipefs", "--noheadings", node).strip()
    yield Check(f"{drive.name}: refused runs write nothing", not held, held)


def _plan_refused(name: str, node: str, *words: str, why: str) -> Check:
    told = diskwright("plan", node, *words, accept=range(256))
    return Check(f"{name}: a drive {why} is refused", told.status == 3, f"{told.status}: {told.errors}")


def _leave_files(name: str, folder: Path) -> None:
    """Write files of known content, and their digests for the next guest."""
    draw = Random(name)
    digests = {}
    for number in range(FILES):
        content = draw.randbytes(draw.randrange(1, 20_000))
        (folder / f"file-{number}").write_bytes(content)
        digests[f"file-{number}"] = hashlib.sha256(content).hexdigest()
    (SHARED / f"files-{name}.json").write_text(json.dumps(digests))


def _files_are_there(name: str, folder: Path) -> Check:
    wanted = json.loads((SHARED / f"files-{name}.json").read_text())
    seen = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("file-*")}
    return Check(f"{name}: all {FILES} files are intact", seen == wanted, f"{len(seen)} files")


def _is_clean(name: str, plan: Plan, node: str) -> Check:
    volume = _volume(plan)
    checked = run(
        [*CHECKERS[volume.filesystem], partition_path(node, volume.partition)],
        seconds=SLOW,
        accept=range(256),
    )
    return Check(
        f"{name}: the {volume.filesystem} check finds no errors",
        checked.status == 0,
        f"{checked.output[-500:]} {checked.errors[-500:]}",
    )


def _plan(name: str) -> Plan:
    return PLANS.read(plan_file(name).read_text(), str(plan_file(name)))


def _volume(plan: Plan) -> Volume:
    (volume,) = plan.volumes
    return volume


def _entry(plan: Plan) -> TableEntry:
    """Return the only entry of the plan's table."""
    (table,) = (step.operation for step in plan.steps if isinstance(step.operation, WriteTable))
    (entry,) = table.entries
    return entry


def _mount_point(plan: Plan) -> Path:
    place = _volume(plan).mount_point
    assert place is not None
    return Path(place)


def _noise_everywhere(lab: Laboratory) -> None:
    lab.fill(noise())


def _noise_in_free_space(lab: Laboratory) -> None:
    lab.fill_free(noise())


def noise() -> bytes:
    """Return 1 MiB of constant noise without a signature."""
    return Random(512).randbytes(MIB)


JOBS = {"set-up": set_up, "return": return_to}

VISITS = (
    Visit(
        "without udev: inspect and the benchmark on drives full of noise",
        FIRST_FLEET,
        ("look", "measure"),
        seconds=700,
        udev=False,
        alone=True,
        keeps_every_byte=True,
        prepare=_noise_in_free_space,
    ),
    Visit(
        "with udev: inspect, and the benchmark compared with another tool",
        FIRST_FLEET,
        ("inspect", "compare"),
        600,
        udev=True,
        alone=True,
    ),
    Visit(
        "plan and apply: from noise to a mounted filesystem",
        SET_UP_FLEET,
        ("set-up",),
        seconds=900,
        udev=True,
        prepare=_noise_everywhere,
    ),
    Visit(
        "after a reboot: fstab mounts intact filesystems with intact files",
        SET_UP_FLEET,
        ("return",),
        seconds=400,
        udev=True,
    ),
)
