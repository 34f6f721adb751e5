"""`python -m tests.bench.modelled [--write]`: time to move a partition of 1 TB, in virtual time.

The real mover runs on a drive that only counts the time of each read, write and flush. CPU time is not
counted. The run moves 8 GiB and extrapolates to 1 TB, since all windows cost the same. Needs no root.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from uuid import uuid4

from tests.bench.moving import SHIFTS
from tests.readme import put
from tests.unit.machines import machine, mbr, partition, partitioned
from wizard.apply.move.mover.journal import MoveJournal, PartitionSide
from wizard.apply.move.mover.mover import Mover
from wizard.apply.move.mover.prepare import prepared
from wizard.model.said import GIB, KERNEL_SECTOR_BYTES, MIB
from wizard.plan.partition.move_target import planned_move

SIZE, BEFORE, TERABYTE = 8 * GIB, 63, 10**12
DRIVE = SIZE * 2 + 2 * GIB
STEP = 32 * MIB
KEPT_BYTES = 2 * MIB
"""What is longer is not kept: the bytes of windows do not matter."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of drive. For hard disks, `turn` is the seconds per revolution. A seek takes `near` or `far`
    seconds and half a revolution. A partial write of a physical block costs one revolution."""

    name: str
    rate: float
    flush: float
    turn: float = 0.0
    near: float = 0.0
    far: float = 0.0
    last_rate: float | None = None

    def rate_at(self, offset_bytes: int) -> float:
        """Return bytes per second at a place. The rate falls linearly to the drive's end, if that is
        known."""
        last = self.rate if self.last_rate is None else self.last_rate
        return self.rate + (last - self.rate) * offset_bytes / DRIVE

    @property
    def rotational(self) -> bool:
        """True for hard disks."""
        return self.turn > 0


KINDS = (
    Kind("hard disk, 150 MB/s, 7200/min", 150e6, 1 / 120, 1 / 120, 1.5e-3, 8e-3),
    Kind("the same, 200 to 100 MB/s", 200e6, 1 / 120, 1 / 120, 1.5e-3, 8e-3, 100e6),
    Kind("SSD on SATA, 500 MB/s", 500e6, 2e-3),
    Kind("SSD on NVMe, 2500 MB/s", 2500e6, 5e-4),
)
TOLD_AFTER = 10.0
NEAR, PHYSICAL = 256 * MIB, 4096


@dataclass
class CountingDrive:
    """A `MovingDrive` that counts time in `seconds`. Requests are served one after the other."""

    kind: Kind
    file: Path
    seconds: float = 0.0
    at: int = 0
    flushes: int = 0
    lock: Lock = field(default_factory=Lock)

    def buffer(self, length_bytes: int) -> memoryview:
        """See `MovingDrive`."""
        return memoryview(bytearray(length_bytes))

    def read_into(self, offset_bytes: int, buffer: memoryview) -> None:
        """See `MovingDrive`."""
        self.spend(offset_bytes, len(buffer))
        if len(buffer) <= KEPT_BYTES:
            with self.file.open("rb") as kept:
                kept.seek(offset_bytes)
                data = kept.read(len(buffer))
            buffer[:] = data.ljust(len(buffer), b"\0")

    def write(self, offset_bytes: int, data: memoryview) -> None:
        """See `MovingDrive`."""
        is_torn = offset_bytes % PHYSICAL or (offset_bytes + len(data)) % PHYSICAL
        self.spend(offset_bytes, len(data), self.kind.turn if is_torn else 0.0)
        if len(data) <= KEPT_BYTES:
            with self.file.open("r+b") as kept:
                kept.seek(offset_bytes)
                kept.write(data)

    def flush(self) -> None:
        """See `MovingDrive`."""
        with self.lock:
            self.flushes += 1
            self.seconds += self.kind.flush

    def flushing(self) -> Callable[[], None]:
        """See `MovingDrive`."""
        self.flush()
        return lambda: None

    def spend(self, offset_bytes: int, length_bytes: int, more: float = 0.0) -> None:
        """Seek and transfer."""
        with self.lock:
            away = abs(offset_bytes - self.at)
            if away and self.kind.rotational:
                more += (self.kind.near if away <= NEAR else self.kind.far) + self.kind.turn / 2
            self.seconds += more + length_bytes / self.kind.rate_at(offset_bytes)
            self.at = offset_bytes + length_bytes


def copied(kind: Kind) -> float:
    """Return seconds of dd with `bs=32M`, copying SIZE bytes to the place after them."""
    with tempfile.NamedTemporaryFile() as file:
        one = CountingDrive(kind, Path(file.name))
        for at in range(0, SIZE, STEP):
            one.spend(at, STEP)
            one.spend(SIZE + at, STEP)
        one.flush()
        return one.seconds


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds for moving SIZE bytes, without reading before and comparing after; the method; and the error
    of the estimate after ten windows, as a share of the remaining time."""

    seconds: float
    scheme: str
    off: float


def moved(kind: Kind, shift: int) -> Took:
    """Move by this number of sectors."""
    part = partition(1, BEFORE * KERNEL_SECTOR_BYTES, SIZE, filesystem="swap")
    on = partitioned(part, size_bytes=DRIVE, table=mbr(DRIVE), rotational=kind.rotational)
    move = planned_move(machine(on), on, part, (BEFORE + shift) * KERNEL_SECTOR_BYTES)
    with tempfile.NamedTemporaryFile(dir="/dev/shm") as file:
        file.truncate(DRIVE)
        size = SIZE // KERNEL_SECTOR_BYTES
        subprocess.run(
            ("sfdisk", "--quiet", "--no-reread", file.name),
            input=f"label: dos\nlabel-id: 0xdeadbeef\nstart={BEFORE}, size={size}, type=83\n",
            text=True,
            check=True,
        )
        one = CountingDrive(kind, Path(file.name))
        state, images = prepared(one, move, uuid4().hex, bytes(KERNEL_SECTOR_BYTES))
        journal = MoveJournal(one, move.journal.start_bytes, state.course.physical_bytes)
        begun, done, early = one.seconds, 0, list[tuple[float, float]]()

        def told(more: int) -> bool:
            nonlocal done
            done += more
            # As the run tells what is left: as if the rest went as fast.
            if (now := one.seconds - begun) >= TOLD_AFTER and not early:
                early.append((now, now * (SIZE - done) / done))
            return False

        journal.prepare(state, images)
        Mover(one, journal, state, b"", told).go(PartitionSide.NEW)
        seconds = one.seconds - begun
        ((then, left),) = early or ((0.0, seconds),)
        return Took(seconds, str(move.scheme), abs(left / (seconds - then) - 1))


def rows() -> list[str]:
    """Return the lines of the table, and what it says about estimates."""
    base = [copied(kind) for kind in KINDS]

    def cell(seconds: float, of: float) -> str:
        hours = seconds * TERABYTE / SIZE / 3600
        return f"{f'{hours:.1f} h' if hours >= 1 else f'{hours * 60:.0f} min'} ({of / seconds:.2f})"

    lines = [
        "| shift, in sectors | moved | " + " | ".join(kind.name for kind in KINDS) + " |",
        "|---" * (2 + len(KINDS)) + "|",
        "| `dd bs=32M` | | " + " | ".join(cell(seconds, seconds) for seconds in base) + " |",
    ]
    off: dict[str, float] = {}
    for shift in SHIFTS:
        took = [moved(kind, shift) for kind in KINDS]
        cells = " | ".join(cell(one.seconds, of) for one, of in zip(took, base, strict=True))
        lines.append(f"| {shift} | {took[0].scheme} | {cells} |")
        for kind, one in zip(KINDS, took, strict=True):
            off[kind.name] = max(one.off, off.get(kind.name, 0.0))
    cells = " | ".join(f"{off[kind.name]:.0%}" for kind in KINDS)
    return [*lines, f"| the time left that is told after ten seconds, off by at most | | {cells} |"]


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the table into docs/figures.md")
    text = "\n".join(rows())
    print(text)
    if parser.parse_args().write:
        put("moves-modelled", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
