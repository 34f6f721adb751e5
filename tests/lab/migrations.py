"""Job: `diskwright migrate` under a kernel that has the device mapper: carried out as a transaction, taken back, killed in a step and gone
on with, and kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.lab.fleet import KIB, MIB, Bus, EmulatedDrive, Fleet
from tests.lab.inside import SLOW, diskwright, node_of, shown, standing_in, tool
from tests.lab.transactions import digest_of, make_old
from tests.lab.visit import Visit
from wizard.apply.journal import RunState, state
from wizard.apply.runs import list_runs
from wizard.model.journal import Check
from wizard.tools.run import run


def _drive(name: str, size_bytes: int) -> EmulatedDrive:
    serial = f"LAB-{name.upper()}"
    return EmulatedDrive(name, Bus.VIRTIO, serial=serial, logical_block_bytes=512, physical_block_bytes=4096, size_bytes=size_bytes)


OLD, STORE = _drive("mig-old", 32 * MIB), _drive("mig-store", 256 * MIB)
MIGRATION_FLEET = Fleet("migration", (OLD, STORE))
FSTAB = Path("/etc/fstab")
PLACE, REST = Path("/srv/lab/films"), Path("/srv/lab/rest")
RUNS, STORES = REST / "runs", REST / "stores"
LONG = 3 * SLOW
DIES = "kill -9 $PPID; exit 1"


def migration_killed(fleet: Fleet) -> Iterator[Check]:
    """By the command line, as a person would."""
    node = _prepared(fleet)
    yield from _killed(node, digest_of(node))


def migration_kept(fleet: Fleet) -> Iterator[Check]:
    """On what the job before took back."""
    yield from _whole(node_of(fleet[OLD.name]))


def _prepared(fleet: Fleet) -> str:
    for module in ("dm_snapshot", "loop", "ext4"):
        tool("modprobe", module)
    node = node_of(fleet[OLD.name])
    make_old(node, KIB)
    rest = node_of(fleet[STORE.name])
    tool("mkfs.ext4", "-q", "-F", rest)
    REST.mkdir(parents=True)
    tool("mount", rest, str(REST))
    for folder in (RUNS, STORES):
        folder.mkdir(mode=0o700)
    PLACE.mkdir(parents=True)
    uuid = tool("blkid", "-p", "-s", "UUID", "-o", "value", node).strip()
    FSTAB.write_text(f"UUID={uuid} {PLACE} ext3 defaults,noatime 0 2\n")
    return node


def _migrate(node: str) -> tuple[int, str]:
    words = ("--way", "full", "--store", str(STORES), "--journal", str(RUNS), "--confirm", OLD.serial)
    told = diskwright("migrate", node, *words, accept=range(256), seconds=LONG)
    return told.status, told.output + told.errors


def _ends(what: str, command: str) -> Check:
    told = diskwright(command, "--journal", str(RUNS), accept=range(256), seconds=LONG)
    return Check(f"{what}: {command} ends well", told.status == 0, f"{told.status}: {told.output[-1500:]} {told.errors[-1500:]}")


def _killed(node: str, before: str) -> Iterator[Check]:
    with standing_in("resize2fs", "-b", DIES):
        status, said = _migrate(node)
    newest = list_runs(RUNS)[-1]
    yield Check("killed in a step: the run is interrupted", state(newest) is RunState.INTERRUPTED, f"{status}: {said[-1500:]}")
    yield Check("killed in a step: the device is what it was", digest_of(node) == before, "")
    yield _ends("killed in a step", "resume")
    yield from _is_ext4(node)
    yield _ends("gone on with", "undo")
    yield Check("undone, every byte is what it was", digest_of(node) == before, "")
    yield Check("undone, so is fstab", " ext3 " in FSTAB.read_text(), FSTAB.read_text())
    left = list(STORES.iterdir())
    yield Check("undone, the room is given back", not left, shown(left))


def _is_ext4(node: str) -> Iterator[Check]:
    probed = tool("blkid", "-p", "-s", "TYPE", "-o", "value", node).strip()
    yield Check("it is ext4, on the device and in fstab", probed == "ext4" and " ext4 " in FSTAB.read_text(), FSTAB.read_text())
    checked = run(("e2fsck", "-f", "-n", node), seconds=SLOW, accept=range(256))
    yield Check("it is sound", checked.status == 0, checked.output)


def _whole(node: str) -> Iterator[Check]:
    status, said = _migrate(node)
    yield Check("migrate ends well", status == 0, f"{status}: {said[-2500:]}")
    yield from _is_ext4(node)
    yield _ends("migrated", "keep")
    mounted = tool("findmnt", "-n", "-o", "SOURCE,FSTYPE", str(PLACE)).split()
    yield Check("kept, it is mounted as ext4", mounted == [node, "ext4"], shown(mounted))
    left = [*STORES.iterdir(), tool("dmsetup", "ls").strip()]
    yield Check("kept, nothing is left of its stores", left == ["No devices found"], shown(left))


JOBS = {"migration-killed": migration_killed, "migration-kept": migration_kept}
BOTH = tuple(JOBS)
VISITS = (
    Visit("ext3 to ext4 as a transaction: killed, gone on with, taken back", MIGRATION_FLEET, BOTH[:1], 1800, udev=False),
    Visit("ext3 to ext4 as a transaction, with udev: the same, and kept", MIGRATION_FLEET, BOTH, 1800, udev=True, full_only=True),
)
