"""`sudo python -m tests.bench.moving [--write]`: speed of moving a partition, compared with dd and sfdisk on
the same loop device. Each starts where the previous one ended.

dd copies the same bytes with direct I/O of 32 MiB. sfdisk moves the partition with --move-data. The loop
device bypasses the page cache of its file, like a real drive.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import monotonic
from uuid import uuid4

from tests.devices import Bench, forget_partitions
from tests.readme import put
from wizard.apply.move.mover.journal import MoveJournal, PartitionSide
from wizard.apply.move.mover.mover import Mover
from wizard.apply.move.mover.prepare import MovedDrive, prepared
from wizard.model.machine import Partition
from wizard.model.said import GIB, KERNEL_SECTOR_BYTES, MIB
from wizard.plan.partition.move_target import planned_move
from wizard.probe.machine import probe_machine

SIZE, ROUNDS, BEFORE = 2 * GIB, 3, 63
SHIFTS = (1, 1985, 16 * MIB // 512 + 1, 131072 + 1, 1048576 + 1)
"""In sectors: one, the first MiB, and 16, 64 and 512 MiB to a whole one."""

HEAD = "| shift, in sectors | moved | MB/s | of dd's speed, median (range) | sfdisk, of dd's speed |"


def quiet(*argv: str, text: str = "") -> None:
    """Run a command. Raises if it fails."""
    subprocess.run(argv, input=text, text=True, check=True, capture_output=True)


def table(path: str) -> Partition:
    """Create a partition of SIZE at sector BEFORE, with swap, since only its bytes matter."""
    size = SIZE // KERNEL_SECTOR_BYTES
    forget_partitions(path)
    quiet("sfdisk", "--quiet", "--wipe", "never", path, text=f"label: dos\nstart={BEFORE}, size={size}\n")
    quiet("partx", "--add", path)
    quiet("mkswap", f"{path}p1")
    (part,) = probe_machine([path]).drives[0].partitions
    return part


def moved(path: str, shift: int) -> float:
    """Return seconds of moving, without reading before and comparing after."""
    part = table(path)
    machine = probe_machine([path])
    move = planned_move(machine, machine.drives[0], part, (BEFORE + shift) * KERNEL_SECTOR_BYTES)
    with MovedDrive(path) as drive:
        state, images = prepared(drive, move, uuid4().hex, bytes(KERNEL_SECTOR_BYTES))
        journal = MoveJournal(drive, move.journal.start_bytes, state.course.physical_bytes)
        begun = monotonic()
        journal.prepare(state, images)
        Mover(drive, journal, state, b"").go(PartitionSide.NEW)
        return monotonic() - begun


def copied(path: str, shift: int) -> float:
    """Return seconds of dd from the partition to the place after it."""
    table(path)
    begun = monotonic()
    quiet(
        *("dd", f"if={path}", f"of={path}", "bs=32M", f"count={SIZE >> 25}", "conv=notrunc,fsync"),
        *("iflag=direct,skip_bytes", "oflag=direct,seek_bytes"),
        *(f"skip={MIB}", f"seek={SIZE + 600 * MIB}"),
    )
    return monotonic() - begun


def by_sfdisk(path: str, shift: int) -> float:
    """Return seconds of sfdisk until all data is on the medium."""
    table(path)
    begun = monotonic()
    with tempfile.TemporaryDirectory() as folder:
        log = f"--move-data={folder}/log"
        quiet("sfdisk", "--quiet", "--no-reread", log, path, "-N", "1", text=f"+{shift},\n")
    quiet("blockdev", "--flushbufs", path)
    return monotonic() - begun


WAYS: dict[str, Callable[[str, int], float]] = {"dd": copied, "move": moved, "sfdisk": by_sfdisk}


def row(path: str, shift: int, rounds: int) -> str:
    """Return a line of the table for this number of rounds."""
    took: list[dict[str, float]] = []
    for number in range(rounds):
        names = [*WAYS][number % 3 :] + [*WAYS][: number % 3]
        took.append({name: WAYS[name](path, shift) for name in names})
    ratios = sorted(one["dd"] / one["move"] for one in took)
    others = sorted(one["dd"] / one["sfdisk"] for one in took)
    rate = SIZE / median(one["move"] for one in took) / 1e6
    way = "direct" if shift * KERNEL_SECTOR_BYTES >= 32 * MIB else "logged"
    spread = f"{median(ratios):.2f} ({ratios[0]:.2f}-{ratios[-1]:.2f})"
    return f"| {shift} | {way} | {rate:.0f} | {spread} | {median(others):.2f} |"


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the table into docs/figures.md")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"so many rounds ({ROUNDS})")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="diskwright-bench-", dir="/var/tmp") as folder:
        bench = Bench(Path(folder))
        try:
            path = bench.make_drive(2 * SIZE + 700 * MIB)
            quiet("losetup", "--direct-io=on", path)
            quiet("dd", "if=/dev/urandom", f"of={path}", "bs=32M", "count=80", "oflag=direct")
            rows = [row(path, shift, arguments.rounds) for shift in SHIFTS]
        finally:
            bench.take_down()
    lines = [HEAD, "|---" * 5 + "|", *rows]
    print("\n".join(lines))
    if arguments.write:
        put("moves", "\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
