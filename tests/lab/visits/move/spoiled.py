"""Job: after a move has begun to write, a sector of the partition becomes unreadable. The move stops and
names the place. Undo restores every bit.

QEMU's blkdebug fails the reads. Unlike a real drive, it continues to do so after writes. The device mapper's
`error` target would not, but the kernel creates no partitions on mapped devices, and diskwright does not move
there. tests/loop/probe/failing.py has sectors that are readable again after a write.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from tests.lab.drives.fleet import MIB, Fleet
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import told, tool
from tests.lab.visits.move.moved import DISK, LOGGED, SECTOR_BYTES, Misaligned
from wizard.apply.block.devices import forget_caches
from wizard.model.errors import ExitCode
from wizard.model.run import Check

if TYPE_CHECKING:
    from tests.lab.guest.machine import Laboratory

BAD, TO = 20001, "24MiB"
"""Bad sector of the drive, and the new start of the partition, after this sector."""
BLOCK = BAD // 8 * 8
LOST = range((BLOCK - LOGGED.start) * SECTOR_BYTES, (BLOCK + 8 - LOGGED.start) * SECTOR_BYTES)
"""Unreadable bytes of the partition: the physical block of the sector."""
PAGE = 4096
AFFECTED = range(LOST.start // PAGE * PAGE, -(-LOST.stop // PAGE) * PAGE)
"""Pages around the unreadable bytes. In a misaligned partition, pages do not match the drive's blocks."""

DRIVE = replace(
    DISK,
    size_bytes=64 * MIB,
    name="spoiled",
    serial="LAB-SPOILED",
    wwn=0x5000C500AAAA0510,
    spoiled=(BAD,),
)
ONE = replace(LOGGED, drive=DRIVE)
FLEET = Fleet("spoiled", (DRIVE,))


def _make(lab: Laboratory) -> None:
    ONE.make(lab.image(DRIVE.name))
    (lab.shared / DRIVE.name).write_bytes(lab.image(DRIVE.name).read_bytes())


def _names_it(said: str) -> bool:
    """Return True if a byte of the physical block is named."""
    found = re.search(r"at byte (\d+)", _plain(said))
    return found is not None and int(found[1]) // SECTOR_BYTES // 8 * 8 == BLOCK


def stops_and_goes_back(_: Fleet) -> Iterator[Check]:
    """Check that no data of the drive is lost."""
    tool("modprobe", "ext4")
    before = _digest(ONE)
    status, said = told("move", ONE.node, "--to", TO, "--confirm", DRIVE.serial)
    stopped = status == ExitCode.FAILED and _names_it(said) and "ddrescue" in said
    yield Check("move stops and names the bad sector", stopped, said[-2000:])
    status, said = told("resume")
    yield Check("resume stops there again", status == ExitCode.FAILED and _names_it(said), said[-2000:])
    status, said = told("undo")
    yield Check(
        "undo succeeds and names the bad sector",
        status == ExitCode.DONE and _names_it(said),
        said[-2000:],
    )
    yield Check("the partition starts at its old sector", _start(ONE) == ONE.start, str(_start(ONE)))
    yield Check("all readable bytes are unchanged", _digest(ONE) == before, "")


def _plain(said: str) -> str:
    return " ".join(said.split())


def _start(one: Misaligned) -> int:
    return int(Path(f"/sys/class/block/{Path(one.node).name}/start").read_text())


def _digest(one: Misaligned) -> str:
    """Return the digest of all readable bytes of the partition."""
    parts = (range(AFFECTED.start), range(AFFECTED.stop, one.size_bytes))
    return sha256(b"".join(_read(one, part) for part in parts)).hexdigest()


def _read(one: Misaligned, part: range) -> bytes:
    """Read from the drive."""
    forget_caches(one.node)
    with Path(one.node).open("rb", buffering=0) as device:
        device.seek(part.start)
        held = bytearray()
        while len(held) < len(part):
            held += device.read(len(part) - len(held))
    return bytes(held)


def _held_against(lab: Laboratory) -> Iterable[Check]:
    """Compare on this machine, where the sector is readable."""
    now, before = lab.image(DRIVE.name).read_bytes(), (lab.shared / DRIVE.name).read_bytes()
    end = ONE.start_bytes + ONE.size_bytes
    same = now[:end] == before[:end] and now[-MIB:] == before[-MIB:]
    yield Check("undo restores table and partition bit for bit", same, "")


JOBS = {"spoiled": stops_and_goes_back}
TITLE = "a sector becomes unreadable during a move: the move stops, and undo succeeds"
VISITS = (Visit(TITLE, FLEET, tuple(JOBS), 600, udev=False, prepare=_make, afterwards=_held_against),)
