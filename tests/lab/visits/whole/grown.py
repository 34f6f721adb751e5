"""Job: grow a mounted ext3 and ext4 into the free space after the partition, during writes, with a killed
and resumed run. Containers cannot grow them, even as root; the loop tests cover XFS and Btrfs."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from tests.daily import one_in
from tests.lab.drives.fleet import MIB, Fleet, virtio_drive
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import DIES, SLOW, diskwright, empty, node_of, standing_in, story, tool
from wizard.apply.run.journal import RunState, state
from wizard.apply.run.runs import list_runs
from wizard.model.errors import partition_path
from wizard.model.run import Check
from wizard.process.program import run

GROWING = virtio_drive("growing", 640 * MIB)
FLEET = Fleet("grown", (GROWING,))
PLACE = Path("/srv/lab/grown")
SCRIPT = "label: gpt\nstart=1MiB,size=8MiB\nstart=9MiB,size=320MiB\nstart=600MiB,size=8MiB\n"
OLD, NEW = 320, 591
"""Sizes of the partition in MiB."""

WRITES = 'while [ -e "$1/on" ]; do head -c 300000 /dev/urandom > "$1/busy"; sync "$1/busy"; sleep 0.2; done'


def grown_in_use(fleet: Fleet) -> Iterator[Check]:
    """Check one without and one with a kill, one of them per day."""
    tool("modprobe", "ext4")
    node = node_of(fleet[GROWING.name])
    for filesystem, killed in one_in(2, (("ext3", False), ("ext4", True))):
        yield from _grown(node, filesystem, killed=killed)


def _grown(node: str, filesystem: str, *, killed: bool) -> Iterator[Check]:
    part = partition_path(node, 2)
    empty(node)
    tool("sh", "-c", f"printf '{SCRIPT}' | sfdisk --quiet --wipe always {node}")
    tool("udevadm", "settle", "--timeout=60")
    tool(f"mkfs.{filesystem}", "-q", "-F", part)
    PLACE.mkdir(parents=True, exist_ok=True)
    tool("mount", part, str(PLACE))
    kept = bytes(range(256)) * 100_000
    (PLACE / "kept").write_bytes(kept)
    (PLACE / "on").touch()
    what = f"{filesystem}, killed while growing" if killed else filesystem
    with subprocess.Popen(["sh", "-c", WRITES, "sh", str(PLACE)]) as writer:
        try:
            yield from _asked(part, what, killed=killed)
        finally:
            (PLACE / "on").unlink()
        writer.wait(60)
    sizes = [int(tool("blockdev", "--getsize64", part)) // MIB, _held(PLACE)]
    yield Check(
        f"{what}: partition and filesystem have the new size",
        sizes[0] == NEW and sizes[1] > NEW * 4 // 5,
        str(sizes),
    )
    tool("umount", str(PLACE))
    told = run(("e2fsck", "-f", "-n", part), seconds=SLOW, accept=range(256))
    yield Check(f"{what}: e2fsck finds no errors", told.status == 0, told.output[-1000:])
    tool("mount", part, str(PLACE))
    same = sha256((PLACE / "kept").read_bytes()).digest() == sha256(kept).digest()
    tool("umount", str(PLACE))
    yield Check(f"{what}: an old file is unchanged", same, "")
    valid = tool("sfdisk", "--verify", node)
    yield Check(f"{what}: both copies of the table are valid", "No errors detected" in valid, valid)


def _asked(part: str, what: str, *, killed: bool) -> Iterator[Check]:
    words = ("grow", part, "--confirm", GROWING.serial)
    if not killed:
        told = diskwright(*words, accept=range(256))
        yield Check(f"{what}: grow succeeds", told.status == 0, told.errors[-1500:])
        return
    with standing_in("resize2fs", part, DIES):
        told = diskwright(*words, accept=range(256))
    yield Check(f"{what}: a run exists", bool(list_runs()), told.errors[-1500:])
    newest = list_runs()[-1]
    yield Check(f"{what}: the run is interrupted", state(newest) is RunState.INTERRUPTED, story(newest))
    told = diskwright("resume", accept=range(256))
    yield Check(f"{what}: resume finishes", state(newest) is RunState.DONE, told.errors[-1500:])


def _held(place: Path) -> int:
    """Return the size of the mounted filesystem in MiB."""
    blocks, size = tool("stat", "-f", "-c", "%b %S", str(place)).split()
    return int(blocks) * int(size) // MIB


JOBS = {"grown-in-use": grown_in_use}
VISITS = (Visit("mounted filesystems grow during writes", FLEET, ("grown-in-use",), 900, udev=True),)
