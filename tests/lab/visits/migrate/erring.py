"""Job: a conversion is undone while the drive below fails to write the superblock. Caches show the right
content, the medium does not: only what was read from the medium may be called bit-for-bit identical."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.lab.drives.fleet import KIB, MIB, Fleet, virtio_drive
from tests.lab.drives.masonry import ALONE
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import SLOW, diskwright, node_of, shown, tool
from tests.lab.visits.migrate.transactions import make_old
from wizard.apply.block.devices import read_bytes
from wizard.model.run import Check
from wizard.process.program import run

HOME, REST = virtio_drive("erring-home", 64 * MIB), virtio_drive("erring-rest", 256 * MIB)
ERRING_FLEET = Fleet("erring", (HOME, REST))
MAPPED, PLACE, KEPT = "home", Path("/srv/lab/home"), Path("/srv/lab/rest")
BLOCK_BYTES, SECTOR_BYTES = 4 * KIB, 512
IMAGE_BYTES = 16 * MIB
RUNS = KEPT / "runs"
SAME = "match bit for bit"


@dataclass(frozen=True, slots=True)
class Below:
    """The drive below the filesystem, with a contiguous file as a drive, from `start_bytes`."""

    node: str
    start_bytes: int

    def fails(self, *, fails: bool) -> None:
        """Let reads and writes of the file's first block fail from now on."""
        sectors, at = HOME.size_bytes // SECTOR_BYTES, self.start_bytes // SECTOR_BYTES
        after = at + BLOCK_BYTES // SECTOR_BYTES
        pieces = ((0, at), (after, sectors - after)) if fails else ((0, sectors),)
        table = [f"{begin} {count} linear {self.node} {begin}" for begin, count in pieces]
        if fails:
            table.insert(1, f"{at} {after - at} error")
        run((*ALONE, "dmsetup", "load", MAPPED), seconds=SLOW, stdin="\n".join([*table, ""]).encode())
        tool(*ALONE, "dmsetup", "suspend", "--nolockfs", MAPPED)
        tool(*ALONE, "dmsetup", "resume", MAPPED)

    @property
    def digest(self) -> str:
        """Return the digest of the file's actual content on the drive below."""
        return hashlib.sha256(read_bytes(self.node, self.start_bytes, IMAGE_BYTES)).hexdigest()


def taken_back_erring(fleet: Fleet) -> Iterator[Check]:
    """Undo twice with an error, and after it has passed."""
    below, loop = _prepared(fleet)
    make_old(loop, KIB)
    tool("blockdev", "--flushbufs", loop)
    tool("sync")
    before = below.digest
    words = ("--way", "light", "--journal", str(RUNS), "--confirm", Path(loop).name)
    told = diskwright("migrate", loop, *words, accept=range(256))
    assert told.status == 0, told.errors
    yield Check("the conversion changes the drive", below.digest != before, shown(below.digest))
    below.fails(fails=True)
    for time in ("first", "second"):
        told = diskwright("undo", "--journal", str(RUNS), accept=range(256))
        said = f"{told.status}: {told.output[-500:]} {told.errors[-1000:]}"
        yield Check(f"the {time} undo fails", told.status != 0, said)
        yield Check(f"the {time} undo reports no full restore", SAME not in said, said)
    below.fails(fails=False)
    told = diskwright("undo", "--journal", str(RUNS), accept=range(256))
    said = f"{told.status}: {told.output[-500:]} {told.errors[-1000:]}"
    yield Check("undo reports a full restore after the error", told.status == 0 and SAME in said, said)
    yield Check("the medium has the old bytes", below.digest == before, shown(below.digest))


def _prepared(fleet: Fleet) -> tuple[Below, str]:
    """Create a filesystem on a drive with switchable errors, and a loop device over a file there."""
    for module in ("dm_mod", "loop", "ext4"):
        tool("modprobe", module)
    node = node_of(fleet[HOME.name])
    tool(
        *ALONE, "dmsetup", "create", MAPPED, "--table", f"0 {HOME.size_bytes // SECTOR_BYTES} linear {node} 0"
    )
    mapped = f"/dev/mapper/{MAPPED}"
    tool("mkfs.ext4", "-q", "-F", "-b", str(BLOCK_BYTES), mapped)
    tool("mkfs.ext4", "-q", "-F", node_of(fleet[REST.name]))
    for there, place in ((mapped, PLACE), (node_of(fleet[REST.name]), KEPT)):
        place.mkdir(parents=True)
        tool("mount", there, str(place))
    RUNS.mkdir(mode=0o700)
    image = PLACE / "image"
    image.write_bytes(b"\1" * IMAGE_BYTES)
    tool("sync")
    extents = [line.split() for line in tool("filefrag", f"-b{BLOCK_BYTES}", "-v", str(image)).splitlines()]
    (first, *more) = [words for words in extents if words and words[0].rstrip(":").isdigit()]
    assert not more, "The file is to lie in one piece."
    begin = int(next(word for word in first[2:] if word.endswith("..")).rstrip("."))
    return Below(node, begin * BLOCK_BYTES), tool("losetup", "--find", "--show", str(image)).strip()


JOBS = {"taken-back-erring": taken_back_erring}
TITLE = "undo during write errors reports nothing as restored that was not read from the drive"
VISITS = (Visit(TITLE, ERRING_FLEET, tuple(JOBS), 900, udev=False),)
