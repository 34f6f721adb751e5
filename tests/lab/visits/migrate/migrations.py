"""Job: `diskwright migrate` with the device mapper: run as a transaction, undone, killed in a step and
resumed, and kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.lab.drives.fleet import KIB, MIB, Fleet, virtio_drive
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import DIES, SLOW, digest_of, diskwright, node_of, shown, standing_in, tool
from tests.lab.visits.migrate.transactions import make_old
from wizard.apply.engine.stores import FOLDER
from wizard.apply.run.journal import RunState, state
from wizard.apply.run.runs import list_runs
from wizard.model.run import Check
from wizard.process.program import run

OLD, STORE = virtio_drive("mig-old", 32 * MIB), virtio_drive("mig-store", 256 * MIB)
MIGRATION_FLEET = Fleet("migration", (OLD, STORE))
FSTAB = Path("/etc/fstab")
PLACE, REST = Path("/srv/lab/films"), Path("/srv/lab/rest")
RUNS = REST / "runs"
LONG = 3 * SLOW


def migration_killed(fleet: Fleet) -> Iterator[Check]:
    """Kill a conversion by command line."""
    node = _prepared(fleet)
    yield from _killed(node, digest_of(node))


def migration_kept(fleet: Fleet) -> Iterator[Check]:
    """Convert the filesystem that the previous job restored."""
    yield from _whole(node_of(fleet[OLD.name]))


def _prepared(fleet: Fleet) -> str:
    node = node_of(fleet[OLD.name])
    prepare_rest(node_of(fleet[STORE.name]))
    make_old(node, KIB)
    mount_at_boot(node)
    return node


def prepare_rest(rest: str, place: Path = REST) -> None:
    """Load kernel modules for transactions, and create a filesystem for runs."""
    for module in ("dm_snapshot", "loop", "ext4"):
        tool("modprobe", module)
    tool("mkfs.ext4", "-q", "-F", rest)
    place.mkdir(parents=True, exist_ok=True)
    tool("mount", rest, str(place))
    (place / "runs").mkdir(mode=0o700)


def mount_at_boot(node: str) -> None:
    """Write an fstab with only this filesystem."""
    PLACE.mkdir(parents=True, exist_ok=True)
    uuid = tool("blkid", "-p", "-s", "UUID", "-o", "value", node).strip()
    FSTAB.write_text(f"UUID={uuid} {PLACE} ext3 defaults,noatime 0 2\n")


def migrate(node: str, token: str, *more: str) -> tuple[int, str]:
    """Run a full conversion by command line. Return the status and output."""
    words = ("--way", "full", "--journal", str(RUNS), "--confirm", token)
    told = diskwright("migrate", node, *words, *more, accept=range(256), seconds=LONG)
    return told.status, told.output + told.errors


def ends(what: str, command: str) -> Check:
    """Check that a command on the newest run succeeds."""
    told = diskwright(
        command, list_runs(RUNS)[-1].name, "--journal", str(RUNS), accept=range(256), seconds=LONG
    )
    return Check(
        f"{what}: {command} succeeds",
        told.status == 0,
        f"{told.status}: {told.output[-1500:]} {told.errors[-1500:]}",
    )


def _killed(node: str, before: str) -> Iterator[Check]:
    yield from killed(node, before, OLD.serial)
    yield ends("killed in a step", "resume")
    yield from is_ext4(node)
    yield ends("resumed", "undo")
    yield from undone(node, before)


def killed(node: str, before: str, token: str, *more: str) -> Iterator[Check]:
    """Kill a conversion near its end."""
    with standing_in("resize2fs", "-b", DIES):
        status, said = migrate(node, token, *more)
    newest = list_runs(RUNS)[-1]
    yield Check(
        "killed in a step: the run is interrupted",
        state(newest) is RunState.INTERRUPTED,
        f"{status}: {said[-1500:]}",
    )
    yield Check("killed in a step: the device is unchanged", digest_of(node) == before, "")


def undone(node: str, before: str) -> Iterator[Check]:
    """Check that device, fstab and free space are restored."""
    yield Check("undo restores every byte", digest_of(node) == before, "")
    yield Check("undo restores fstab", " ext3 " in FSTAB.read_text(), FSTAB.read_text())
    left = list(RUNS.glob(f"*/{FOLDER}"))
    yield Check("undo frees the store", not left, shown(left))


def is_ext4(node: str) -> Iterator[Check]:
    """Check with other tools that the device and fstab have ext4."""
    probed = tool("blkid", "-p", "-s", "TYPE", "-o", "value", node).strip()
    yield Check(
        "device and fstab have ext4",
        probed == "ext4" and " ext4 " in FSTAB.read_text(),
        FSTAB.read_text(),
    )
    checked = run(("e2fsck", "-f", "-n", node), seconds=SLOW, accept=range(256))
    yield Check("e2fsck finds no errors", checked.status == 0, checked.output)


def _whole(node: str) -> Iterator[Check]:
    status, said = migrate(node, OLD.serial)
    yield Check("migrate succeeds", status == 0, f"{status}: {said[-2500:]}")
    yield from is_ext4(node)
    yield ends("converted", "keep")
    mounted = tool("findmnt", "-n", "-o", "SOURCE,FSTYPE", str(PLACE)).split()
    yield Check("keep mounts ext4", mounted == [node, "ext4"], shown(mounted))
    left = [*RUNS.glob(f"*/{FOLDER}"), tool("dmsetup", "ls").strip()]
    yield Check("keep frees the store", left == ["No devices found"], shown(left))


JOBS = {"migration-killed": migration_killed, "migration-kept": migration_kept}
VISITS = (
    Visit(
        "ext3 to ext4 as a transaction, with udev: killed, resumed, undone, kept",
        MIGRATION_FLEET,
        tuple(JOBS),
        1800,
        udev=True,
        full_only=True,
    ),
)
