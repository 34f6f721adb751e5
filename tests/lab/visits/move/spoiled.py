"""Job: once a move has begun to write, a sector of the partition cannot be read any more. The move stops and
says where; one drive goes back, the other on, and all but that physical block is to the bit what it was.

QEMU's blkdebug fails the reads. Unlike a drive it goes on doing so whatever is written there. The device
mapper's `error` would not: but the kernel makes no partitions on what the device mapper makes, and diskwright
does not count that among the drives, so nothing moves there. Sectors that can be read again once they are
written are those of tests/loop/probe/failing.py.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from tests.lab.drives.fleet import MIB, EmulatedDrive, Fleet
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import SLOW, shown, told, tool
from tests.lab.visits.move.moved import DISK, LOGGED, SECTOR_BYTES, Misaligned
from wizard.apply.block.devices import forget_caches
from wizard.model.errors import ExitCode
from wizard.model.ext import Check
from wizard.process.program import run

if TYPE_CHECKING:
    from tests.lab.guest.machine import Laboratory

BAD, TO = 20001, "24MiB"
"""The sector, on the drive, and where the partition is to start: behind it, since nothing mends it."""
BLOCK = BAD // 8 * 8
LOST = range((BLOCK - LOGGED.start) * SECTOR_BYTES, (BLOCK + 8 - LOGGED.start) * SECTOR_BYTES)
"""What of the partition cannot be read: its physical block."""
PAGE = 4096
APART = range(LOST.start // PAGE * PAGE, -(-LOST.stop // PAGE) * PAGE)
"""The kernel reads the partition in pages, which are not the drive's blocks as long as it is misaligned."""


def _drive(name: str, number: int) -> EmulatedDrive:
    return replace(
        DISK,
        size_bytes=64 * MIB,
        name=name,
        serial=f"LAB-{name.upper()}",
        wwn=0x5000C500AAAA0510 + number,
        spoiled=(BAD,),
    )


BACK, ON = (
    replace(LOGGED, drive=_drive(name, number)) for number, name in enumerate(("spoiled-back", "spoiled-on"))
)
FLEET = Fleet("spoiled", (BACK.drive, ON.drive))


def _make(lab: Laboratory) -> None:
    for one in (BACK, ON):
        one.make(lab.image(one.drive.name))
        (lab.shared / one.drive.name).write_bytes(lab.image(one.drive.name).read_bytes())


def _stops(one: Misaligned) -> Iterator[Check]:
    name = one.drive.name
    status, said = told("move", one.node, "--to", TO, "--confirm", one.drive.serial)
    where = f"sectors {BLOCK} to {BLOCK + 7}"
    yield Check(
        f"{name}: it stops and says where", status == ExitCode.FAILED and where in _plain(said), said[-2000:]
    )
    rows = json.loads(told("status", "--json")[1])["runs"]
    (bad,) = [place for row in rows if row["state"] == "failed" for place in row["bad_sectors"]]
    held = (bad["start_bytes"], bad["size_bytes"], bad["drive_start_bytes"], bad["zeros"])
    wanted = (LOST.start, len(LOST), BLOCK * SECTOR_BYTES, False)
    yield Check(f"{name}: status has the place", held == wanted, shown(held))


def goes_back(_: Fleet) -> Iterator[Check]:
    """Nothing is lost that the drive had."""
    tool("modprobe", "ext4")
    before = _digest(BACK)
    yield from _stops(BACK)
    status, said = told("undo")
    yield Check(
        "it goes back, and says what could not be compared",
        status == ExitCode.DONE and "except 4 KiB" in _plain(said),
        said[-2000:],
    )
    yield Check("the partition starts where it did", _start(BACK) == BACK.start, str(_start(BACK)))
    yield Check("all that can be read is what it was", _digest(BACK) == before, "")


def goes_on(_: Fleet) -> Iterator[Check]:
    """The block becomes zeros, and the rest is what it was; so it is once it is moved back."""
    before = _digest(ON)
    yield from _stops(ON)
    status, said = told("resume", "--over-bad-sectors")
    yield Check("nothing is given up unasked", status == ExitCode.REFUSED, said[-2000:])
    status, said = told("resume", "--over-bad-sectors", "--confirm", ON.drive.serial)
    yield Check(
        "it goes on over the block", status == ExitCode.DONE and "except 4 KiB" in _plain(said), said[-2000:]
    )
    start = _start(ON)
    yield Check("the partition starts at a whole MiB", start * SECTOR_BYTES % MIB == 0, str(start))
    yield Check("the rest is what it was", _digest(ON) == before, "")
    yield Check("the block is zeros", not any(_read(ON, LOST)), "")
    checked = run(("e2fsck", "-f", "-n", ON.node), seconds=SLOW, accept=range(256))
    yield Check("e2fsck finds nothing wrong", checked.status == 0, checked.output)
    status, said = told("undo")
    yield Check("it goes back", status == ExitCode.DONE, said[-2000:])
    yield Check("the partition starts where it did", _start(ON) == ON.start, str(_start(ON)))


def _plain(said: str) -> str:
    return " ".join(said.split())


def _start(one: Misaligned) -> int:
    return int(Path(f"/sys/class/block/{Path(one.node).name}/start").read_text())


def _digest(one: Misaligned) -> str:
    """Of all of the partition that can be read."""
    parts = (range(APART.start), range(APART.stop, one.size_bytes))
    return sha256(b"".join(_read(one, part) for part in parts)).hexdigest()


def _read(one: Misaligned, part: range) -> bytes:
    """From the drive."""
    forget_caches(one.node)
    with Path(one.node).open("rb", buffering=0) as device:
        device.seek(part.start)
        held = bytearray()
        while len(held) < len(part):
            held += device.read(len(part) - len(held))
    return bytes(held)


def _held_against(lab: Laboratory) -> Iterable[Check]:
    """With this machine's eyes, which the bad sector does not keep off."""
    for one, lost in ((BACK, b""), (ON, bytes(len(LOST)))):
        now = lab.image(one.drive.name).read_bytes()
        before = bytearray((lab.shared / one.drive.name).read_bytes())
        at = one.start_bytes + LOST.start
        before[at : at + len(lost)] = lost
        end = one.start_bytes + one.size_bytes
        same = now[:end] == before[:end] and now[-MIB:] == before[-MIB:]
        yield Check(f"{one.drive.name}: table and partition are bit for bit what they were", same, "")


JOBS = {"spoiled-back": goes_back, "spoiled-on": goes_on}
TITLE = "a sector cannot be read any more once a move has begun: it goes back, or on over it"
VISITS = (Visit(TITLE, FLEET, tuple(JOBS), 600, udev=False, prepare=_make, afterwards=_held_against),)
