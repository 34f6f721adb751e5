"""`python -m tests.bench [--write]`: measure everything in turn, print the table, and with --write put it into the README.

Needs root for loop drives. Every figure is the median of the ratios of runs made one right after the other, ours and theirs in turn.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter

from tests.bench.terminal import until_shown
from tests.devices import Bench
from tests.readme import put
from wizard.documents.codec import parse_document
from wizard.model.units import GIB, MIB

DISKWRIGHT = (sys.executable, "-m", "wizard")
RIVALS = (("lsblk", "--output-all", "--json"), ("sfdisk", "--json"), ("parted", "--machine", "--script"), ("smartctl", "--json", "--info"))
RUNS = 7


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: both sides as a person reads them, their ratio, and what it was meant to stay below."""

    what: str
    ours: str
    theirs: str
    ratio: float
    aim: str


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the table into the README")
    arguments = parser.parse_args()
    table = render([*inspecting(), *painting(), *applying()])
    print(table)
    if arguments.write:
        put("figures", table)
    return 0


def render(rows: Sequence[Row]) -> str:
    """The table as Markdown."""
    lines = ["| what | diskwright | the other | ratio | aim |", "|---|---|---|---|---|"]
    lines += [f"| {row.what} | {row.ours} | {row.theirs} | {row.ratio:.2f} | {row.aim} |" for row in rows]
    return "\n".join(lines)


def inspecting() -> Iterator[Row]:
    """`inspect --json` against the four tools in turn on each drive."""
    for count in (1, 32):
        with drives(count) as paths:
            ours, theirs, ratio = in_turn(partial(quiet, *DISKWRIGHT, "inspect", "--json", *paths), partial(rivals, paths))
        noun = "one loop drive" if count == 1 else f"{count} loop drives"
        yield Row(
            f"`inspect --json` on {noun}, against lsblk, sfdisk, parted and smartctl in turn", ms(ours), ms(theirs), ratio, "1.0 on 32"
        )


def painting() -> Iterator[Row]:
    """First useful paint (a drive's name on the screen) and memory, against the least Textual program."""
    with drives(1) as (path,):
        paints = [
            (until_shown(DISKWRIGHT, path), until_shown((sys.executable, "-m", "tests.bench.minimal"), "ready to be read"))
            for _ in range(RUNS)
        ]
    ours, theirs = median(own.seconds for own, _ in paints), median(other.seconds for _, other in paints)
    ratio = median(own.seconds / other.seconds for own, other in paints)
    yield Row("the wizard's first useful paint, against a minimal Textual program", ms(ours), ms(theirs), ratio, "1.5")
    own_peak, other_peak = median(own.peak_bytes for own, _ in paints), median(other.peak_bytes for _, other in paints)
    yield Row("memory of the wizard at that moment", mib(own_peak), mib(other_peak), own_peak / other_peak, "80 MiB")


def applying() -> Iterator[Row]:
    """`apply` of one volume over a whole drive, against the bare commands that do the same."""
    with drives(2, 256 * GIB, table=False) as (ours, theirs), tempfile.TemporaryDirectory() as folder:
        plan = Path(folder) / "plan.json"
        token = ours.removeprefix("/dev/")

        def planned() -> None:
            quiet(*DISKWRIGHT, "plan", ours, "--replace", "--workload", "small-files", "-o", str(plan))

        def apply() -> None:
            quiet(*DISKWRIGHT, "apply", str(plan), "--confirm", token, "--journal", folder)

        def bare() -> None:
            quiet("wipefs", "--all", "--quiet", theirs)
            quiet("sfdisk", "--quiet", "--no-reread", "--no-tell-kernel", theirs, stdin="label: gpt\nstart=2048\n")
            quiet("partx", "--update", theirs)
            quiet("mkfs.ext4", "-q", "-F", *mkfs_options(plan), f"{theirs}p1")

        planned()
        own, other, ratio = in_turn(apply, bare, before=planned)
    yield Row("`apply` of one ext4 over 256 GiB, verified, against wipefs, sfdisk and mkfs alone", ms(own), ms(other), ratio, "1.1")


def mkfs_options(plan: Path) -> list[str]:
    """The options that the plan makes its filesystem with, so that both sides do the same work."""
    return [str(word) for word in parse_document(plan.read_text(), "diskwright.plan/1", str(plan))["volumes"][0]["mkfs_options"]]


def in_turn(ours: Callable[[], None], theirs: Callable[[], None], before: Callable[[], None] = lambda: None) -> tuple[float, float, float]:
    """Median seconds of both and the median of their ratios, after one run of each that does not count."""
    pairs = []
    for _ in range(RUNS + 1):
        before()
        pairs.append((timed(ours), timed(theirs)))
    counted = pairs[1:]
    return median(a for a, _ in counted), median(b for _, b in counted), median(a / b for a, b in counted)


def timed(work: Callable[[], None]) -> float:
    """Seconds that `work` takes."""
    begun = perf_counter()
    work()
    return perf_counter() - begun


def rivals(paths: Sequence[str]) -> None:
    """Each tool on each drive; smartctl's status for a drive without SMART does not matter."""
    for path in paths:
        for tool in RIVALS:
            last = [path, "print"] if tool[0] == "parted" else [path]
            subprocess.run([*tool, *last], capture_output=True, check=False, timeout=60)


def quiet(*argv: str, stdin: str = "") -> None:
    """Run to the end; a failure ends the measurement with what was said."""
    done = subprocess.run(argv, input=stdin, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(argv)} ended with {done.returncode}: {done.stderr or done.stdout}")


@contextmanager
def drives(count: int, size_bytes: int = 256 * MIB, *, table: bool = True) -> Iterator[list[str]]:
    """Loop drives over sparse files, each with one ext4 partition unless told otherwise."""
    with tempfile.TemporaryDirectory(prefix="diskwright-bench-") as folder:
        bench = Bench(Path(folder))
        try:
            paths = [bench.make_drive(size_bytes) for _ in range(count)]
            for path in paths if table else []:
                quiet("sfdisk", "--quiet", "--no-reread", "--no-tell-kernel", path, stdin="label: gpt\nstart=2048\n")
                quiet("partx", "--update", path)
                quiet("mkfs.ext4", "-q", f"{path}p1")
            yield paths
        finally:
            bench.take_down()


def ms(seconds: float) -> str:
    """Milliseconds for a table."""
    return f"{seconds * 1000:.0f} ms"


def mib(size_bytes: float) -> str:
    """Mebibytes for a table."""
    return f"{size_bytes / MIB:.0f} MiB"


if __name__ == "__main__":
    if os.geteuid() != 0:
        raise SystemExit("the measurements need root for their loop drives")
    raise SystemExit(main())
