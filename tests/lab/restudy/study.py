"""Jobs: repeat the study of misaligned partitions of 2010 to 2013, one filesystem per guest, on a drive that
charges for rewrites.

`python -m tests.lab.restudy` stores the results in tests/lab/results for table.py. As in the study: create
the filesystem, unpack many small files, copy a large one, read them, and delete the small ones. Writes are
timed until the unmount, reads with an empty page cache. Times are those of whole commands.
"""

import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from io import BytesIO
from math import log
from pathlib import Path
from random import Random
from time import perf_counter

from msgspec.structs import replace

from tests.lab.drives.fleet import MIB, EmulatedDrive, Fleet, Pace
from tests.lab.drives.members import CHARGING
from tests.lab.errands.visit import Job, Visit
from tests.lab.guest.inside import SHARED, diskwright, node_of, sysfs, tool
from tests.lab.restudy.timings import (
    ALIGNED,
    CONTROL,
    MISALIGNED,
    STUDIED_THEN,
    Instruments,
    Operation,
    Series,
    Setting,
    Timing,
    as_text,
    instruments_file,
    ratio,
    series_file,
)
from tests.lab.visits.measured.measure import by_fio
from wizard.model.errors import partition_path
from wizard.model.run import Check
from wizard.model.verdict import Outcome
from wizard.process.program import run

PACE = Pace(100, charges_rewrites=True)
SATA_WORD = 93
"""0 in the IDENTIFY data of a SATA drive. QEMU's says something else, so that Linux takes it for an older
drive behind a bridge and asks for no more than 128 KiB at once, which of a misaligned partition is a request
and a rest."""
STUDIED = replace(
    CHARGING,
    name="studied",
    serial="LAB-512E-STUDIED",
    model="LAB Studied 512e",
    media=PACE,
    identify=((SATA_WORD, 0),),
    expected=None,
)
STUDY_FLEET = Fleet("study", (STUDIED,))

MAKERS: dict[str, tuple[str, ...]] = {
    "ext3": ("mkfs.ext3", "-q", "-F", "-b", "4096", "-E", "lazy_itable_init=0,lazy_journal_init=0"),
    "ext4": ("mkfs.ext4", "-q", "-F", "-b", "4096", "-E", "lazy_itable_init=0,lazy_journal_init=0"),
    "xfs": ("mkfs.xfs", "-q", "-f"),
    "btrfs": ("mkfs.btrfs", "-q", "-f"),
    "jfs": ("mkfs.jfs", "-q"),
    "reiserfs": ("mkfs.reiserfs", "-q", "-f", "-f"),
    "nilfs2": ("mkfs.nilfs2", "-q", "-f"),
}
"""As a user would, but for ext3 and ext4: on a drive this small they would choose smaller blocks than on the
study's, and put off writing their tables until something else is being timed."""

MOUNT_OPTIONS = {"nilfs2": ("-i",)}
"""Without its helper, which would start the cleaner, a process that may wake at any time."""

VERSIONS = {
    "ext3": ("mkfs.ext3", "-V"), "ext4": ("mkfs.ext4", "-V"), "xfs": ("mkfs.xfs", "-V"),
    "btrfs": ("mkfs.btrfs", "--version"), "jfs": ("mkfs.jfs", "-V"),
    "reiserfs": ("mkfs.reiserfs", "-V"), "nilfs2": ("mkfs.nilfs2", "-V"),
}  # fmt: skip
COMMON_VERSIONS = (("qemu-system-x86_64", "--version"), ("tar", "--version"), ("sfdisk", "--version"))

ROUNDS = 3
STARTS = (MISALIGNED, ALIGNED, CONTROL)
PARTITION_BYTES = 512 * MIB
REQUEST_KIB = 512
"""The most that one request held in the kernels of the study's time; today's allow 1280 KiB."""
SMALL_FILES = 500
FOLDERS = 25
LARGE_BYTES = 32 * MIB
TYPICAL_BYTES = 5000
SPREAD = 1.2
LARGEST_SMALL_BYTES = 200_000
"""Files' sizes are spread as in the sources of Linux: half are below `TYPICAL_BYTES`, few are large."""
LONG_AGO = 1262304000
"""2010-01-01, in seconds since 1970."""
SLOWEST = 400.0
"""Time limit of one command in seconds."""

MOUNT = Path("/run/study")
SOURCE = Path("/dev/shm")
"""The guest's memory: what is written comes from another place than the drive, as in the study."""
TREE, LARGE = "tree", "large"
INSTRUMENTS = "instruments"
Argv = tuple[str, ...]
UNMOUNT = ("umount", str(MOUNT))


@dataclass(frozen=True, slots=True)
class Partition:
    """Place of the filesystem."""

    drive: str
    path: str
    start_sector: int


def repeat(filesystem: str, fleet: Fleet) -> Iterator[Check]:
    """Run the study for one filesystem. Results are left in the shared folder."""
    (drive,) = fleet.drives
    node = node_of(drive)
    (Path("/sys/class/block", Path(node).name) / "queue/max_sectors_kb").write_text(str(REQUEST_KIB))
    small_bytes = write_sources(SOURCE)
    MOUNT.mkdir()
    # One run that does not count: what programs the others need is in memory then.
    for _ in one_run(filesystem, _partitioned(node, ALIGNED), 0):
        pass
    timings: list[Timing] = []
    for number in range(ROUNDS):
        # Each start comes first, second and last in turn.
        turn = number % len(STARTS)
        for start in (*STARTS[turn:], *STARTS[:turn]):
            timings += one_run(filesystem, _partitioned(node, start), number)
    setting = _setting(drive, VERSIONS[filesystem], small_bytes)
    series = Series(filesystem, MAKERS[filesystem], setting, tuple(timings))
    series_file(filesystem, SHARED).write_text(as_text(series))
    yield from judged(series)


def judged(series: Series) -> Iterator[Check]:
    """Check that misalignment costs time when the drive must rewrite, and none when reading. NILFS2 writes
    one long log and rewrites few blocks, so only reading counts.
    """
    ratios = {operation: ratio(series, operation) for operation in Operation}
    print(
        f"{series.filesystem}: {', '.join(f'{key} {found.middle:.2f}' for key, found in ratios.items())}",
        file=sys.stderr,
    )
    unpacking, reading = ratios[Operation.WRITE_SMALL], ratios[Operation.READ_SMALL]
    if series.filesystem in STUDIED_THEN:
        yield Check(
            f"{series.filesystem}: unpacking small files takes longer where misaligned",
            unpacking.middle > 1.1,
            str(unpacking),
        )
    yield Check(f"{series.filesystem}: reading them does not", 0.8 < reading.middle < 1.25, str(reading))


def instruments(fleet: Fleet) -> Iterator[Check]:
    """Return the ratio of single writes on the same drive, by the benchmark and by fio."""
    (drive,) = fleet.drives
    verdict = json.loads(
        diskwright("bench", node_of(drive), "--scratch", "--confirm", drive.serial, "--json").output
    )
    yield Check(
        "the benchmark finds that misaligned writes cost more",
        verdict["outcome"] == Outcome.ALIGNED_FASTER,
        verdict["sentence"],
    )
    if (found := verdict["ratio"]) is None:
        return
    by_hand = by_fio(node_of(drive))
    kept = Instruments(
        _setting(drive, ("fio", "--version"), 0),
        found["estimate"],
        found["low"],
        found["high"],
        verdict["sentence"],
        round(by_hand, 3),
    )
    instruments_file(SHARED).write_text(as_text(kept))
    yield Check(
        "fio finds the same", found["low"] * 0.9 <= by_hand <= found["high"] * 1.1, f"{by_hand:.2f}, {found}"
    )


def one_run(filesystem: str, partition: Partition, number: int) -> Iterator[Timing]:
    """Run every operation once, in the study's order."""
    timed = partial(_timed, partition, number)
    tree, large = str(MOUNT / TREE), str(MOUNT / LARGE)
    yield timed(
        Operation.MAKE, (*MAKERS[filesystem], partition.path), ("blockdev", "--flushbufs", partition.path)
    )
    _mount(filesystem, partition)
    yield timed(Operation.WRITE_SMALL, ("tar", "-xf", str(SOURCE / TREE), "-C", str(MOUNT)), UNMOUNT)
    _mount(filesystem, partition)
    yield timed(Operation.WRITE_LARGE, ("cp", str(SOURCE / LARGE), large), UNMOUNT)
    _mount(filesystem, partition)
    yield timed(Operation.READ_SMALL, ("find", tree, "-type", "f", "-exec", "cat", "{}", "+"))
    yield timed(Operation.READ_LARGE, ("cat", large))
    yield timed(Operation.DELETE, ("rm", "-r", tree), UNMOUNT)


def _timed(partition: Partition, number: int, operation: Operation, *commands: Argv) -> Timing:
    """Run commands without output, and count the drive's requests meanwhile."""
    before = _requests(partition)
    begun = perf_counter()
    for command in commands:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=SLOWEST,
        )
        assert not done.returncode, f"{' '.join(command)}: {done.stderr.decode(errors='replace')}"
    seconds = perf_counter() - begun
    reads, writes, sectors = (now - then for now, then in zip(_requests(partition), before, strict=True))
    return Timing(number, partition.start_sector, operation, round(seconds, 3), reads, writes, sectors * 512)


def _requests(partition: Partition) -> tuple[int, int, int]:
    """Return reads, writes and written sectors so far (Documentation/block/stat.rst)."""
    fields = sysfs(partition.drive, "stat").split()
    return int(fields[0]), int(fields[4]), int(fields[6])


def _mount(filesystem: str, partition: Partition) -> None:
    """Mount it uncached: it was not mounted, and its partition was not open."""
    tool("mount", *MOUNT_OPTIONS.get(filesystem, ()), "-t", filesystem, partition.path, str(MOUNT))


def _partitioned(node: str, start: int) -> Partition:
    """Create a GPT with one partition at `start`, without old content."""
    script = f"label: gpt\nfirst-lba: {MISALIGNED}\nstart={start}, size={PARTITION_BYTES // 512}, type=L\n"
    run(["sfdisk", "--quiet", "--wipe", "always", node], seconds=SLOWEST, stdin=script.encode())
    made = Partition(node, partition_path(node, 1), start)
    assert sysfs(made.path, "start") == str(start), "The kernel has not read the new table."
    tool("wipefs", "--all", "--quiet", made.path)
    return made


def write_sources(folder: Path) -> int:
    """Write the archive of small files and the large file, always the same. Returns the bytes of the small
    files."""
    draw = Random("diskwright")
    noise = draw.randbytes(MIB)
    total = 0
    with tarfile.open(folder / TREE, "w", format=tarfile.USTAR_FORMAT) as archive:
        for number in range(SMALL_FILES):
            size = min(int(draw.lognormvariate(log(TYPICAL_BYTES), SPREAD)), LARGEST_SMALL_BYTES)
            member = tarfile.TarInfo(f"{TREE}/{number % FOLDERS:02}/{number:04}.c")
            member.size, member.mtime = size, LONG_AGO
            archive.addfile(member, BytesIO(noise[:size]))
            total += size
    with (folder / LARGE).open("wb") as large:
        for _ in range(LARGE_BYTES // MIB):
            large.write(noise)
    return total


def _setting(drive: EmulatedDrive, version: Argv, small_bytes: int) -> Setting:
    return Setting(
        date=datetime.now(UTC).date().isoformat(),
        kernel=os.uname().release,
        tools=tuple(_version(argv) for argv in (*COMMON_VERSIONS, version)),
        requests_per_second=PACE.requests_per_second,
        charges_rewrites=PACE.charges_rewrites,
        logical_block_bytes=drive.logical_block_bytes,
        physical_block_bytes=drive.physical_block_bytes,
        partition_bytes=PARTITION_BYTES,
        request_kib=int(sysfs(node_of(drive), "queue/max_sectors_kb")),
        small_files=SMALL_FILES,
        small_bytes=small_bytes,
        large_bytes=LARGE_BYTES,
    )


def _version(argv: Argv) -> str:
    """Return the first line that a program prints, on either stream."""
    told = run(argv, seconds=SLOWEST, accept=range(256))
    return next(line.strip() for line in (told.output + told.errors).splitlines() if line.strip())


VISITS = (
    *(
        Visit(
            f"the study of alignment, {name}",
            STUDY_FLEET,
            (name,),
            1800,
            udev=False,
            alone=True,
            full_only=True,
        )
        for name in MAKERS
    ),
    Visit(
        "the study of alignment, its drive by two instruments",
        STUDY_FLEET,
        (INSTRUMENTS,),
        600,
        udev=False,
        alone=True,
        full_only=True,
    ),
)
JOBS: dict[str, Job] = {**{name: partial(repeat, name) for name in MAKERS}, INSTRUMENTS: instruments}
