"""Job: a mounted filesystem with an installed system is refused. Unmounted, it is converted as a
transaction, with its own fstab and GRUB's files updated on the snapshot, and undo restores every byte."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.lab.drives.fleet import MIB, Fleet, virtio_drive
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import FAILS, SLOW, digest_of, diskwright, node_of, standing_in, tool
from tests.lab.visits.migrate.migrations import FSTAB, LONG, RUNS, ends, prepare_rest
from wizard.apply.conversion.boot import reader
from wizard.apply.run.journal import RunState, read_entries, state
from wizard.apply.run.runs import list_runs
from wizard.model.run import Check, Event
from wizard.process.program import run

OLD, STORE = virtio_drive("sys-old", 32 * MIB), virtio_drive("sys-store", 256 * MIB)
FLEET = Fleet("migrated-system", (OLD, STORE))
PLACE = Path("/srv/lab/system")
UUID = "0d2c3b7a-4444-4000-8000-000000000004"
LINES = f"# a system\nUUID={UUID} / ext3 errors=remount-ro 0 1\nproc /proc proc\n"


def migrated_system(fleet: Fleet) -> Iterator[Check]:
    """Convert by command line, as on a rescue medium."""
    node = node_of(fleet[OLD.name])
    prepare_rest(node_of(fleet[STORE.name]))
    FSTAB.write_text("")
    _make_system(node)
    tool("mount", node, str(PLACE))
    status, said = _migrate(node)
    tool("umount", str(PLACE))
    yield Check("refused while mounted", status == 3 and f"by-uuid/{UUID} --way full" in said, said[-2500:])
    before = digest_of(node)
    shown = _migrate(node)
    as_a_byte = "zap_block -f /etc/fstab" in shown[1]
    yield Check(
        "without --confirm, migrate only shows the plan",
        shown[0] == 0 and as_a_byte and digest_of(node) == before,
        shown[1][-2500:],
    )
    if program := reader():
        with standing_in(program, "cmp", FAILS):
            status, said = _migrate(node, "--confirm", OLD.serial)
        failed = [entry for entry in read_entries(list_runs(RUNS)[-1]) if entry.event is Event.NOT_VERIFIED]
        yield Check(
            "migrate never commits a filesystem that GRUB cannot read",
            status == 1 and bool(failed) and digest_of(node) == before,
            said[-2500:],
        )
    status, said = _migrate(node, "--confirm", OLD.serial)
    newest = list_runs(RUNS)[-1]
    yield Check("migrate succeeds", status == 0 and state(newest) is RunState.DONE, said[-2500:])
    read = [
        entry.sentence
        for entry in read_entries(newest)
        if entry.event is Event.VERIFIED and "GRUB" in entry.sentence
    ]
    yield Check("GRUB reads the result, if installed", len(read) == (3 if program else 0), "; ".join(read))
    lines = tool("debugfs", "-c", "-R", "cat /etc/fstab", node)
    yield Check("the system's fstab has ext4 instead of ext3", lines == LINES.replace("ext3", "ext4"), lines)
    checked = run(("e2fsck", "-f", "-n", node), seconds=SLOW, accept=range(256))
    yield Check("e2fsck finds no errors", checked.status == 0, checked.output)
    yield ends("converted", "undo")
    yield Check("undo restores every byte", digest_of(node) == before, "")


def _make_system(node: str) -> None:
    PLACE.mkdir(parents=True, exist_ok=True)
    tool("mkfs.ext3", "-q", "-F", "-I", "128", "-b", "1024", "-U", UUID, node)
    tool("mount", node, str(PLACE))
    for folder in ("etc", "boot/grub"):
        (PLACE / folder).mkdir(parents=True)
    (PLACE / "etc/fstab").write_text(LINES)
    (PLACE / "boot/grub/grub.cfg").write_text("menuentry old {}\n")
    (PLACE / "boot/vmlinuz-6.1").write_bytes(bytes(range(256)) * 4096)
    tool("umount", str(PLACE))


def _migrate(node: str, *more: str) -> tuple[int, str]:
    told = diskwright(
        "migrate",
        node,
        "--way",
        "full",
        "--manifest",
        "--journal",
        str(RUNS),
        *more,
        accept=range(256),
        seconds=LONG,
    )
    return told.status, told.output + told.errors


JOBS = {"migrated-system": migrated_system}
VISITS = (
    Visit(
        "conversion of an offline system, with its own fstab",
        FLEET,
        tuple(JOBS),
        1800,
        udev=False,
        full_only=True,
    ),
)
