"""Jobs: align misaligned partitions, cut the power during the move, and resume in a guest with only the
drives. This machine's tools create the drives and compare them at the end."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from hashlib import sha256
from pathlib import Path
from random import Random
from time import monotonic, sleep
from typing import TYPE_CHECKING

from msgspec import Struct

from tests.lab.drives.fleet import MIB, Bus, EmulatedDrive, Fleet, virtio_drive
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import SHARED, SLOW, cut_power, node_of, shown, sysfs, told, tool
from wizard.apply.block.devices import forget_caches, read_bytes
from wizard.apply.move.content import THROTTLE
from wizard.apply.run.runs import list_runs
from wizard.cli.main import main
from wizard.model.errors import ExitCode, partition_path
from wizard.model.run import Check
from wizard.process.program import run

if TYPE_CHECKING:
    from tests.lab.guest.machine import Laboratory

SECTOR_BYTES = 512
PLACE = Path("/srv/lab/moved")
OUTPUT = Path("/run/said")
FILES = Path(__file__).parents[2]
HIDDEN_BYTES = 64 * 1024
"""Start of a partition that is zero during the move."""
MAX_SECONDS = 3.0
"""Latest time of the power cut, in seconds."""


class Misaligned(Struct, frozen=True):
    """A drive with an ext4 in a misaligned partition. `rest`: throttle of the move, so that the power cut
    comes in time."""

    drive: EmulatedDrive
    table: str
    number: int
    start: int
    size_bytes: int
    rest: float

    @property
    def start_bytes(self) -> int:
        """Start of the partition before the move, in bytes."""
        return self.start * SECTOR_BYTES

    @property
    def node(self) -> str:
        """Node of the partition in a guest."""
        return partition_path(node_of(self.drive), self.number)

    def make(self, image: Path) -> None:
        """Create the drive with noise in unused blocks, so that misplaced blocks are detected."""
        noise = Random(self.drive.name)
        with image.open("r+b") as file:
            for _ in range(0, self.drive.size_bytes, MIB):
                file.write(noise.randbytes(MIB))
        wipes = ["--quiet", "--wipe", "always", "--wipe-partitions", "always"]
        run(["sfdisk", *wipes, str(image)], seconds=SLOW, stdin=self.table.encode())
        offset = f"offset={self.start_bytes},nodiscard"
        size = f"{self.size_bytes // 1024}k"
        run(["mke2fs", "-q", "-t", "ext4", "-E", offset, "-d", str(FILES), str(image), size], seconds=SLOW)


DISK = EmulatedDrive(
    "moved-disk",
    Bus.SCSI,
    serial="LAB-MOVED-DISK",
    vendor="LAB",
    model="Moved Disk",
    wwn=0x5000C500AAAA0501,
    rotation_rate=7200,
    logical_block_bytes=512,
    physical_block_bytes=4096,
    size_bytes=40 * MIB,
)
LOGGED = Misaligned(
    DISK,
    f"label: gpt\nfirst-lba: 34\nstart=63, size={16 * MIB // SECTOR_BYTES}\n",
    number=1,
    start=63,
    size_bytes=16 * MIB,
    rest=0.5,
)
"""Little free space: moved with a log, in windows of 1 MiB."""

DIRECT = Misaligned(
    virtio_drive("moved-logical", 128 * MIB),
    f"label: dos\nstart=63, size=260000, type=5\nstart=126, size={48 * MIB // SECTOR_BYTES}, type=83\n",
    number=5,
    start=126,
    size_bytes=48 * MIB,
    rest=30.0,
)
"""Moved far, in two windows."""

FLEET = Fleet("moved", (LOGGED.drive,))
LOGICAL_FLEET = Fleet("moved-logical", (DIRECT.drive,))


def _of(fleet: Fleet) -> Misaligned:
    return LOGGED if fleet == FLEET else DIRECT


def _make(lab: Laboratory) -> None:
    """Create the drive, and a copy for the final comparison."""
    one = _of(lab.fleet)
    one.make(lab.image(one.drive.name))
    (lab.shared / "before").write_bytes(lab.image(one.drive.name).read_bytes())


def cut_off(fleet: Fleet) -> Iterator[Check]:
    """Cut the power during the move."""
    one = _of(fleet)
    tool("modprobe", "ext4")
    offset = sysfs(one.node, "alignment_offset")
    yield Check("the kernel reports misalignment", offset != "0", offset)
    (SHARED / "before.json").write_text(json.dumps((_digest(one.node), _files(one.node))))
    mover = _moving(one)
    limit = monotonic() + SLOW
    while not _is_barred(one):
        for folder in list_runs():
            (folder / THROTTLE).write_text(str(one.rest))
        assert monotonic() < limit, f"It does not move.\n{OUTPUT.read_text()}"
        sleep(0.1)
    seconds = Random().uniform(0, MAX_SECONDS)
    sleep(seconds)
    ended, _ = os.waitpid(mover, os.WNOHANG)
    yield Check(f"power cut {seconds:.1f} s after the start", not ended, OUTPUT.read_text())
    cut_power()


def _moving(one: Misaligned) -> int:
    """Start the move in a forked process. Return the process id."""
    child = os.fork()
    if child:
        return child
    with OUTPUT.open("w") as said, redirect_stdout(said), redirect_stderr(said):
        status = main(("move", one.node, "--align", "--confirm", one.drive.serial))
        said.write(f"It ended with {status}.\n")
    os._exit(status)


def _is_barred(one: Misaligned) -> bool:
    node = node_of(one.drive)
    forget_caches(node)
    return not any(read_bytes(node, one.start_bytes, HIDDEN_BYTES))


def _digest(node: str) -> str:
    """Return a digest of the partition, from the device."""
    forget_caches(node)
    with Path(node).open("rb") as device:
        return sha256(device.read()).hexdigest()


def _files(node: str) -> dict[str, str]:
    """Return a digest of each file, read through a read-only mount."""
    PLACE.mkdir(parents=True, exist_ok=True)
    tool("mount", "-o", "ro,noload", node, str(PLACE))
    try:
        found = (path for path in sorted(PLACE.rglob("*")) if path.is_file())
        return {str(path.relative_to(PLACE)): sha256(path.read_bytes()).hexdigest() for path in found}
    finally:
        tool("umount", str(PLACE))


def gone_on_with(fleet: Fleet) -> Iterator[Check]:
    """Resume in a guest without the run."""
    one = _of(fleet)
    tool("modprobe", "ext4")
    PLACE.mkdir(parents=True, exist_ok=True)
    yield Check("this guest has no runs", not list_runs(), shown([run.name for run in list_runs()]))
    yield from _is_seen(one)
    yield from _goes_on(one)
    yield from (_goes_back if one is LOGGED else _stays)(one)


def _is_seen(one: Misaligned) -> Iterator[Check]:
    _, text = told("inspect", node_of(one.drive), "--json")
    (drive,) = json.loads(text)["drives"]
    codes = [finding["code"] for finding in drive["findings"]]
    yield Check("inspect lists the unfinished move first", codes[:1] == ["move-unfinished"], shown(codes))
    ways = [words for words in ((), ("-t", "ext4", "-o", "ro,noload"), ("-t", "ext2")) if _mounts(one, words)]
    yield Check("half moved: the partition cannot be mounted", not ways, shown(ways))
    repaired = run(("e2fsck", "-p", one.node), seconds=SLOW, accept=range(256))
    yield Check("half moved: e2fsck -p, as at boot, changes nothing", repaired.status == 8, repaired.output)
    half = _digest(node_of(one.drive))
    repaired = run(("e2fsck", "-f", "-y", one.node), seconds=SLOW, accept=range(256))
    same = repaired.status == 8 and _digest(node_of(one.drive)) == half
    yield Check("half moved: e2fsck -f -y repairs nothing", same, repaired.output)


def _mounts(one: Misaligned, words: tuple[str, ...]) -> bool:
    if run(("mount", *words, one.node, str(PLACE)), seconds=SLOW, accept=range(256)).status:
        return False
    tool("umount", str(PLACE))
    return True


def _goes_on(one: Misaligned) -> Iterator[Check]:
    node = node_of(one.drive)
    status, said = told("resume", "--from-drive", node, "--confirm", one.drive.serial)
    yield Check("resume --from-drive finishes the move", status == ExitCode.DONE, said[-3000:])
    start, in_table = int(sysfs(one.node, "start")) * SECTOR_BYTES, _start_in_table(one)
    yield Check(
        "table and kernel place the partition at a whole MiB",
        start == in_table and start % MIB == 0,
        f"{start} {in_table}",
    )
    offset = sysfs(one.node, "alignment_offset")
    yield Check("the kernel reports alignment", offset == "0", offset)
    checked = run(("e2fsck", "-f", "-n", one.node), seconds=SLOW, accept=range(256))
    yield Check("e2fsck finds no errors", checked.status == 0, checked.output)
    digest, files = json.loads((SHARED / "before.json").read_text())
    yield Check("every byte is unchanged", _digest(one.node) == digest, "")
    yield Check(f"each of {len(files)} files is unchanged", bool(files) and _files(one.node) == files, "")


def _start_in_table(one: Misaligned) -> int:
    table = json.loads(tool("sfdisk", "--json", node_of(one.drive)))["partitiontable"]
    (start,) = [part["start"] for part in table["partitions"] if part["node"] == one.node]
    return int(start) * SECTOR_BYTES


def _goes_back(one: Misaligned) -> Iterator[Check]:
    """Undo with the run created here."""
    status, said = told("undo")
    holds = status == ExitCode.DONE and _start_in_table(one) == one.start_bytes
    yield Check("undo moves the partition back", holds, said[-3000:])


def _stays(one: Misaligned) -> Iterator[Check]:
    """Check that a used partition is not moved back."""
    tool("mount", one.node, str(PLACE))
    (PLACE / "new").write_text("new")
    tool("umount", str(PLACE))
    used = _digest(one.node)
    status, said = told("undo")
    yield Check(
        "undo of a used partition refuses, with the reason",
        status == ExitCode.REFUSED and "used after the move" in " ".join(said.split()),
        f"{status}: {said[-3000:]}",
    )
    yield Check("the refused undo changes nothing", _digest(one.node) == used, "")


def _held_against(lab: Laboratory) -> Iterable[Check]:
    """Compare the drive after move and undo, with this machine's tools."""
    one = _of(lab.fleet)
    now, before = (path.read_bytes() for path in (lab.image(one.drive.name), lab.shared / "before"))
    end = one.start_bytes + one.size_bytes
    same = now[:end] == before[:end] and now[-MIB:] == before[-MIB:]
    yield Check("undo restores table and partition bit for bit", same, "")


JOBS = {"moved-cut-off": cut_off, "moved-gone-on-with": gone_on_with}


def _visits(fleet: Fleet, what: str, *, full_only: bool) -> tuple[Visit, ...]:
    cut, whole = f"{what}: power cut", f"{what}: resumed in a guest with only the drive"
    return (
        Visit(cut, fleet, ("moved-cut-off",), 600, udev=False, full_only=full_only, prepare=_make),
        Visit(
            whole,
            fleet,
            ("moved-gone-on-with",),
            600,
            udev=False,
            full_only=full_only,
            afterwards=None if full_only else _held_against,
        ),
    )


VISITS = (
    *_visits(FLEET, "move of a misaligned partition", full_only=False),
    *_visits(LOGICAL_FLEET, "long move of a misaligned logical partition", full_only=True),
)
