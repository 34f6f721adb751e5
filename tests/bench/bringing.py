"""`python -m tests.bench.bringing [--write]`: speed of copying files to a volume compared with rsync, as a
table for docs/figures.md.

Needs root for loop devices, and rsync. Both copy the same tree from the same ext4 to a new ext4, in
succession. The source is mounted again before each, so that files are read from the drive. Both times end
when all data is on the drive: rsync is followed by `sync --file-system`. The drives are in memory, so this
machine's disk does not matter.
"""

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tests.bench.migration import plant
from tests.bench.rows import DISKWRIGHT, Row, check_byte_code, drives, quiet, render, timed
from tests.readme import put
from wizard.apply.copy.compare_copy import compare
from wizard.apply.copy.copied import site_of
from wizard.apply.copy.copy_tree import catch_up, copy_listed
from wizard.apply.copy.survey import work_out
from wizard.model.said import GIB

SHAPES = ((8_000, 0, "8,000 small files"), (0, 6, "6 files of 96 MiB"))
ROUNDS = 3
"""After one that does not count."""


def main() -> int:
    """Print the table, with the load of the machine."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the table into docs/figures.md")
    arguments = parser.parse_args()
    if shutil.which("rsync") is None:
        raise SystemExit("rsync is not installed")
    check_byte_code()
    tempfile.tempdir = "/dev/shm"
    before = os.getloadavg()[1]
    table = render([row for shape in SHAPES for row in measured(*shape)])
    load = (
        f"The machine's load over 5 minutes, on {os.cpu_count()} processors: {before:.1f} before, "
        f"{os.getloadavg()[1]:.1f} after."
    )
    text = f"{table}\n\n{load}"
    print(text)
    if arguments.write:
        put("bringing", text)
    return 0


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds of one round."""

    rsync: float
    copied: float
    compared: float
    command: float


def measured(small: int, large: int, what: str) -> Iterator[Row]:
    """Compare copying, copying with comparison, and the whole command with rsync in the same round."""
    with drives(2, 3 * GIB, table=False) as (old, new), tempfile.TemporaryDirectory() as folder:
        quiet("mkfs.ext4", "-q", "-F", old)
        with mounted(old, Path(folder) / "old") as top:
            plant(top, small, large)
        rounds = [one_round(old, new, Path(folder)) for _ in range(ROUNDS + 1)][1:]
    for said, aim, ours in (
        ("copying", "1.1", [one.copied for one in rounds]),
        ("and comparing", "1.6", [one.copied + one.compared for one in rounds]),
        ("the whole command, which counts first", "-", [one.command for one in rounds]),
    ):
        theirs = [one.rsync for one in rounds]
        ratio = median(mine / other for mine, other in zip(ours, theirs, strict=True))
        yield Row(f"{what}: {said}", seconds(median(ours)), seconds(median(theirs)), ratio, aim)


def one_round(old: str, new: str, folder: Path) -> Times:
    """Copy to a new filesystem with each."""
    with both(old, new, folder) as (source, target):
        rsync = timed(lambda: by_rsync(source, target))
    with both(old, new, folder) as (source, target):
        copied, compared = in_steps(source, target, folder)
    with both(old, new, folder) as (source, target):
        token = new.removeprefix("/dev/")
        words = ("bring", f"{source}/tree", str(target), "--confirm", token, "--journal", f"{folder}/runs")
        command = timed(lambda: quiet(*DISKWRIGHT, *words))
        shutil.rmtree(folder / "runs")
    return Times(rsync, copied, compared, command)


def by_rsync(source: Path, target: Path) -> None:
    """Copy with rsync until all data is on the drive."""
    quiet("rsync", "-aHAXS", f"{source}/tree/", f"{target}/")
    quiet("sync", "--file-system", str(target))


def in_steps(source: Path, target: Path, folder: Path) -> tuple[float, float]:
    """Return seconds of copying, with the list and later changes, and of comparing."""
    bring = work_out(f"{source}/tree", str(target), None)
    run = folder / "steps"
    run.mkdir()
    with site_of(run, bring) as site:

        def copy() -> None:
            copy_listed(site)
            catch_up(site)

        def look() -> None:
            compare(site)

        times = timed(copy), timed(look)
    shutil.rmtree(run)
    return times


@contextmanager
def both(old: str, new: str, folder: Path) -> Iterator[tuple[Path, Path]]:
    """Mount the source, uncached, and a new target."""
    quiet("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", new)
    quiet("blockdev", "--flushbufs", old)
    with mounted(old, folder / "old") as source, mounted(new, folder / "new") as target:
        yield source, target


@contextmanager
def mounted(drive: str, place: Path) -> Iterator[Path]:
    """Mount the filesystem and return its folder."""
    place.mkdir(exist_ok=True)
    quiet("mount", "-t", "ext4", drive, str(place))
    try:
        yield place
    finally:
        quiet("umount", str(place))


def seconds(value: float) -> str:
    """Format seconds for a table."""
    return f"{value:.2f} s"


if __name__ == "__main__":
    if os.geteuid() != 0:
        raise SystemExit("the measurements need root for their loop drives")
    sys.exit(main())
