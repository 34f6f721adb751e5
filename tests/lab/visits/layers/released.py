"""Job: `release` stops the arrays, volume groups and containers of a broken NAS, so that its drives can be
set up. Undo starts them again with the same data."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from tests.lab.drives.fleet import MIB, Fleet, virtio_drive
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import SLOW, diskwright, empty, node_of, shown, tool
from tests.lab.visits.layers.containers import FILE, prepare
from wizard.apply.run.process import udev_runs
from wizard.apply.run.runs import list_runs
from wizard.model.run import Check
from wizard.probe.machine import probe_machine
from wizard.process.program import run

DRIVES = virtio_drive("released-1", 256 * MIB), virtio_drive("released-2", 256 * MIB)
FLEET = Fleet("released", DRIVES)
PLACE = Path("/srv/lab/released")
MAPPED = "/dev/mapper/released-secret"


def _array(level: str, nodes: list[str]) -> str:
    tool("mdadm", "--create", "/dev/md/nas", "--run", f"--level={level}", "--raid-devices=2", *nodes)
    link = Path("/dev/md/nas")
    # Without udev, mdadm creates the link only with the array.
    return str(link if udev_runs() else link.resolve())


def _group(nodes: list[str]) -> str:
    tool("pvcreate", "-q", "-y", *nodes)
    tool("vgcreate", "-q", "nas-1", *nodes)
    tool("lvcreate", "-q", "-y", "-n", "photos", "-l", "100%FREE", "nas-1")
    return "/dev/nas-1/photos"


def _locked_group(nodes: list[str]) -> str:
    """Open a container on a logical volume."""
    volume = _group(nodes)
    tool(
        "cryptsetup",
        "luksFormat",
        "-q",
        "--pbkdf-force-iterations=4",
        "--pbkdf-memory=32",
        "--key-file",
        str(FILE),
        volume,
    )
    tool("cryptsetup", "open", "--key-file", str(FILE), volume, Path(MAPPED).name)
    return MAPPED


def _group_on_array(nodes: list[str]) -> str:
    return _group([_array("1", nodes)])


KINDS: dict[str, Callable[[list[str]], str]] = {
    "RAID1": partial(_array, "1"),
    "RAID0": partial(_array, "0"),
    "a group on two drives": _group,
    "a group on RAID1": _group_on_array,
    "LUKS on a group": _locked_group,
}


def _uses(nodes: list[str]) -> list[str]:
    """Return what holds the drives, as the wizard reads it."""
    machine = probe_machine(nodes)
    return [f"{use.kind} {use.by}" for drive in machine.drives for use in drive.uses]


def released(kind: str, fleet: Fleet) -> Iterator[Check]:
    """Build one kind of layers with a file, refuse while mounted, release, undo, and release again for a
    plan."""
    for module in ("loop", "ext4", "dm_mod", "dm_crypt", "raid1", "raid0"):
        tool("modprobe", module)
    prepare()
    nodes = [node_of(fleet[drive.name]) for drive in DRIVES]
    # udev may have started the layers of the previous visit.
    for stop in (("vgchange", "-q", "-an"), ("mdadm", "--stop", "--scan")):
        run(stop, seconds=SLOW, accept=range(256))
    for node in nodes:
        empty(node)
    top = KINDS[kind](nodes)
    tool("mkfs.ext4", "-q", "-F", top)
    PLACE.mkdir(parents=True, exist_ok=True)
    tool("mount", top, str(PLACE))
    (PLACE / "file").write_text("mine\n")
    refused = diskwright("release", nodes[0], accept=range(256), seconds=SLOW)
    yield Check(f"{kind}: release refuses while mounted", refused.status == 3, refused.errors[-600:])
    tool("umount", str(PLACE))
    before = _uses(nodes)
    yield Check(f"{kind}: the drives are in use", len(before) >= 2, shown(before))
    found = " ".join(diskwright("inspect", nodes[0], seconds=SLOW).output.split())
    yield Check(f"{kind}: inspect names release", f"diskwright release {nodes[0]}" in found, found[-900:])
    yield from _release(kind, nodes)
    (first,) = list_runs()
    back = diskwright("undo", first.name, accept=range(256), seconds=SLOW)
    yield Check(f"{kind}: undo succeeds", back.status == 0, back.errors[-900:])
    again = _uses(nodes)
    wanted = [use for use in before if "released-secret" not in use]
    yield Check(
        f"{kind}: undo restores the uses", sorted(again) == sorted(wanted), f"{shown(before)} {shown(again)}"
    )
    if kind == "LUKS on a group":
        tool("cryptsetup", "open", "--key-file", str(FILE), "/dev/nas-1/photos", Path(MAPPED).name)
    tool("mount", top, str(PLACE))
    yield Check(f"{kind}: the file is intact", (PLACE / "file").read_text() == "mine\n", "")
    tool("umount", str(PLACE))
    yield from _release(kind, nodes)
    planned = diskwright(
        "plan", nodes[0], "--replace", "--workload", "large-media", accept=range(256), seconds=SLOW
    )
    yield Check(f"{kind}: plan succeeds after release", planned.status == 0, planned.errors[-900:])


def _release(kind: str, nodes: list[str]) -> Iterator[Check]:
    preview = diskwright("release", nodes[0], accept=range(256), seconds=SLOW)
    token = nodes[0].removeprefix("/dev/")
    words = preview.output + preview.errors
    serial = next((drive.serial for drive in probe_machine(nodes[:1]).drives if drive.serial), None)
    done = diskwright("release", nodes[0], "--confirm", serial or token, accept=range(256), seconds=SLOW)
    yield Check(f"{kind}: release succeeds", done.status == 0, f"{words[-600:]} {done.errors[-600:]}")
    yield Check(f"{kind}: the drives are unused", _uses(nodes) == [], shown(_uses(nodes)))


JOBS: dict[str, Callable[[Fleet], Iterator[Check]]] = {
    f"released-{number}": partial(released, kind) for number, kind in enumerate(KINDS)
}
VISITS = tuple(
    Visit(f"release and undo: {kind}", FLEET, (f"released-{number}",), 8 * SLOW, udev=udev)
    for number, (kind, udev) in enumerate(zip(KINDS, (True, False, True, True, True), strict=True))
)
