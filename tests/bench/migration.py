"""`python -m tests.bench.migration [--write]`: cost of verifying and converting a filesystem, and the gain,
as tables for the README.

Needs root for loop devices. Everything runs in memory, so this machine's disk does not matter. Every figure
is the median of ratios of successive runs.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from tests.bench.rows import DISKWRIGHT, Row, check_byte_code, drives, in_turn, ms, quiet, render, timed
from tests.devices import backing_file
from tests.readme import put
from wizard.apply.tree.manifest import take_manifest
from wizard.apply.tree.mount_read_only import mounted_read_only
from wizard.model.said import GIB, KIB, MIB

SMALL_FILES, LARGE_FILES = 4000, 4
LARGE_BYTES = 96 * MIB
DRIVE_BYTES = 1024 * MIB
MANY_FILES, LARGER_BYTES = 100_000, 6144 * MIB
ROUNDS = 5
"""How often each filesystem's tree is read, checked and deleted."""

BARE = (
    ("e2fsck", "-fy", "{drive}"),
    ("env", "E2FSPROGS_UNDO_DIR=none", "tune2fs", "-I", "256", "{drive}"),
    ("tune2fs", "-O", "extent,huge_file,dir_nlink,extra_isize", "{drive}"),
    ("e2fsck", "-fyD", "-E", "bmap2extent", "{drive}"),
    ("resize2fs", "-b", "{drive}"),
    ("tune2fs", "-O", "metadata_csum", "{drive}"),
    ("e2fsck", "-fyD", "{drive}"),
    ("e2fsck", "-fn", "{drive}"),
)
"""The full way by the bare commands."""


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the tables into the README")
    arguments = parser.parse_args()
    check_byte_code()
    sizes = ((SMALL_FILES, DRIVE_BYTES), (MANY_FILES, LARGER_BYTES))
    table = render([*proving(), *(migrating(files, drive_bytes) for files, drive_bytes in sizes)])
    compared = "\n".join(comparing())
    print(f"{table}\n\n{compared}")
    if arguments.write:
        put("migration", table)
        put("migrated", compared)
    return 0


def plant(top: Path, small: int, large: int) -> None:
    """Write small files of mostly a few KiB in folders of a hundred, and large files, always the same.
    Large files are written in turns, so that they are fragmented as in an old filesystem."""
    numbers = random.Random(1)
    for number in range(small):
        folder = top / "tree" / f"{number // 100:03}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number:06}").write_bytes(
            numbers.randbytes(int(numbers.paretovariate(1.2) * 2 * KIB) % (256 * KIB))
        )
    (top / "tree").mkdir(exist_ok=True)
    files = [(top / "tree" / f"large{number}").open("wb") for number in range(large)]
    for _ in range(LARGE_BYTES // MIB):
        for file in files:
            file.write(numbers.randbytes(MIB))
            file.flush()
    for file in files:
        file.close()


@contextmanager
def mounted(drive: str) -> Iterator[Path]:
    """Mount the filesystem for writing and return its folder."""
    with tempfile.TemporaryDirectory(prefix="diskwright-bench-") as place:
        quiet("mount", "-t", "ext4", drive, place)
        try:
            yield Path(place)
        finally:
            quiet("umount", place)


def proving() -> Iterator[Row]:
    """Compare a manifest with sha256sum over the same files."""
    for small, large, what in (
        (SMALL_FILES, 0, f"{SMALL_FILES:,} small files"),
        (0, LARGE_FILES, f"{LARGE_FILES} files of 96 MiB"),
    ):
        with drives(1, DRIVE_BYTES, table=False) as (drive,), tempfile.TemporaryDirectory() as folder:
            quiet("mke2fs", "-q", "-t", "ext3", "-I", "128", drive)
            with mounted(drive) as top:
                plant(top, small, large)
            with mounted_read_only(drive) as top:
                sums = (
                    "sh",
                    "-c",
                    f"cd {top} && find . -type f -print0 | xargs -0 sha256sum > {folder}/sums",
                )
                ours, theirs, ratio = in_turn(
                    partial(take, top, Path(folder) / "manifest"), partial(quiet, *sums)
                )
        yield Row(
            f"a manifest of {what} (content and all attributes), against `sha256sum` over them",
            ms(ours),
            ms(theirs),
            ratio,
            "1.0",
        )


def take(top: Path, file: Path) -> None:
    """Create a manifest with as many processes as the program uses."""
    take_manifest(top, file)


def migrating(files: int, drive_bytes: int) -> Row:
    """Compare the full conversion, with every check, with equivalent bare commands."""
    with (
        old_image(files, drive_bytes) as image,
        drives(2, drive_bytes, table=False) as (ours, theirs),
        tempfile.TemporaryDirectory() as folder,
    ):
        fstab, runs = Path(folder) / "fstab", Path(folder) / "runs"
        fstab.write_text("")

        def restore() -> None:
            shutil.rmtree(runs, ignore_errors=True)
            for drive in (ours, theirs):
                put_back(image, drive)

        def migrate() -> None:
            convert(ours, fstab, runs)

        def bare() -> None:
            for argv in BARE:
                done = subprocess.run(
                    [word.format(drive=theirs) for word in argv], capture_output=True, check=False
                )
                if done.returncode not in (0, 1):
                    raise SystemExit(f"{' '.join(argv)} ended with {done.returncode}: {done.stderr.decode()}")

        own, other, ratio = in_turn(migrate, bare, before=restore)
    return Row(
        f"`migrate --way full` of {files:,} files on {drive_bytes // GIB} GiB on a scratch copy, with "
        "checks, commit and undo data, against the bare commands",
        ms(own),
        ms(other),
        ratio,
        "2.5",
    )


def convert(drive: str, fstab: Path, runs: Path) -> None:
    """Convert a filesystem in full."""
    words = ("migrate", drive, "--way", "full", "--fstab", str(fstab), "--journal", str(runs))
    quiet(*DISKWRIGHT, *words, "--confirm", drive.removeprefix("/dev/"))


@contextmanager
def old_image(files: int, drive_bytes: int) -> Iterator[Path]:
    """Return an image of an ext3 with small and large files."""
    with (
        tempfile.TemporaryDirectory(prefix="diskwright-bench-") as folder,
        drives(1, drive_bytes, table=False) as (drive,),
    ):
        quiet("mke2fs", "-q", "-t", "ext3", "-I", "128", drive)
        with mounted(drive) as top:
            plant(top, files, LARGE_FILES)
        yield saved(drive, Path(folder) / "ext3.img")


def saved(drive: str, image: Path) -> Path:
    """Save a drive's content as an image."""
    quiet("blockdev", "--flushbufs", drive)
    quiet("cp", "--sparse=always", str(backing(drive)), str(image))
    return image


def put_back(image: Path, drive: str) -> None:
    """Restore the drive's content from the image and make it writable. A waiting conversion makes it
    read-only."""
    quiet("blockdev", "--setrw", drive)
    quiet("cp", "--sparse=always", str(image), str(backing(drive)))
    quiet("blockdev", "--flushbufs", drive)


def backing(drive: str) -> Path:
    """Return the file behind a loop device created here."""
    file = backing_file(drive)
    if file is None:
        raise SystemExit(f"{drive} is no loop drive")
    return file


@dataclass(frozen=True, slots=True)
class Work:
    """Timed work on a mounted or unmounted drive, with a name for users."""

    what: str
    do: Callable[[str], None]


def comparing() -> Iterator[str]:
    """Read, check and delete one tree on ext3, converted, and on a new ext4, alternately."""
    with (
        tempfile.TemporaryDirectory(prefix="diskwright-bench-") as folder,
        drives(1, DRIVE_BYTES, table=False) as (drive,),
    ):
        images = {
            name: make(drive, Path(folder))
            for name, make in (("ext3", old), ("migrated", migrated), ("fresh ext4", fresh))
        }
        seconds: dict[tuple[str, str], list[float]] = {}
        for _ in range(ROUNDS + 1):
            for name, image in images.items():
                put_back(image, drive)
                for work in WORKS:
                    seconds.setdefault((work.what, name), []).append(timed(partial(work.do, drive)))
    yield "| what | ext3 | migrated | fresh ext4 | migrated to ext3 | fresh to ext3 |"
    yield "|---|---|---|---|---|---|"
    for work in WORKS:
        # The first round does not count.
        rounds = [seconds[work.what, name][1:] for name in images]
        ratios = [
            median(one / first for one, first in zip(other, rounds[0], strict=True)) for other in rounds[1:]
        ]
        cells = [*(ms(median(one)) for one in rounds), *(f"{ratio:.2f}" for ratio in ratios)]
        yield f"| {work.what} | {' | '.join(cells)} |"


def read_all(drive: str) -> None:
    """Read every file once after mounting."""
    with mounted(drive) as top:
        quiet("sh", "-c", f"find {top}/tree -type f -print0 | xargs -0 cat > /dev/null")


def check_all(drive: str) -> None:
    """Run e2fsck without changes."""
    quiet("e2fsck", "-f", "-n", drive)


def delete_all(drive: str) -> None:
    """Delete the whole tree and unmount."""
    with mounted(drive) as top:
        quiet("rm", "-rf", f"{top}/tree")


WORKS = (
    Work("reading every file (mount, `cat`, unmount)", read_all),
    Work("checking (`e2fsck -f -n`)", check_all),
    Work("deleting everything (mount, `rm -rf`, unmount)", delete_all),
)


def old(drive: str, folder: Path) -> Path:
    """Create the tree on ext3."""
    quiet("mke2fs", "-q", "-F", "-t", "ext3", "-I", "128", drive)
    with mounted(drive) as top:
        plant(top, SMALL_FILES, LARGE_FILES)
    return saved(drive, folder / "ext3.img")


def migrated(drive: str, folder: Path) -> Path:
    """Convert the same filesystem in full."""
    fstab = folder / "fstab"
    fstab.write_text("")
    convert(drive, fstab, folder / "runs")
    return saved(drive, folder / "migrated.img")


def fresh(drive: str, folder: Path) -> Path:
    """Copy the tree to a new ext4."""
    with drives(1, DRIVE_BYTES, table=False) as (target,):
        quiet("mkfs.ext4", "-q", "-F", target)
        with mounted_read_only(drive) as top, mounted(target) as new:
            quiet("cp", "-a", f"{top}/.", str(new))
        return saved(target, folder / "fresh.img")


if __name__ == "__main__":
    if os.geteuid() != 0:
        raise SystemExit("the measurements need root for their loop drives")
    sys.exit(main())
