"""Lines of the table, and shared parts of all measurements: alternating runs, drives, numbers as text."""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import cache_from_source
from pathlib import Path
from statistics import median
from time import perf_counter

from tests.devices import Bench
from wizard.cli import main
from wizard.model.said import MIB

DISKWRIGHT = (sys.executable, "-m", "wizard")
RUNS = 7


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table: both sides as text, their ratio, and the limit for it."""

    what: str
    ours: str
    theirs: str
    ratio: float
    aim: str


def render(rows: Sequence[Row]) -> str:
    """Return the table as Markdown."""
    lines = ["| what | diskwright | the other | ratio | aim |", "|---|---|---|---|---|"]
    lines += [f"| {row.what} | {row.ours} | {row.theirs} | {row.ratio:.2f} | {row.aim} |" for row in rows]
    return "\n".join(lines)


def check_byte_code() -> None:
    """Refuse to measure if every start compiles all modules, unlike for a user. The first run here
    compiles them."""
    quiet(*DISKWRIGHT, "--version")
    if not Path(cache_from_source(main.__file__)).exists():
        raise SystemExit(
            "byte code is not kept here, so that compiling would be measured: unset PYTHONDONTWRITEBYTECODE"
        )


def in_turn(
    ours: Callable[[], None],
    theirs: Callable[[], None],
    before: Callable[[], None] = lambda: None,
) -> tuple[float, float, float]:
    """Return median seconds of both and the median of their ratios, after a warm-up run of each."""
    pairs = []
    for _ in range(RUNS + 1):
        before()
        pairs.append((timed(ours), timed(theirs)))
    counted = pairs[1:]
    return median(a for a, _ in counted), median(b for _, b in counted), median(a / b for a, b in counted)


def timed(work: Callable[[], None]) -> float:
    """Return the seconds of `work`."""
    begun = perf_counter()
    work()
    return perf_counter() - begun


def quiet(*argv: str, stdin: str = "") -> None:
    """Run a command to its end. A failure ends the measurement with its output."""
    done = subprocess.run(argv, input=stdin, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(argv)} ended with {done.returncode}: {done.stderr or done.stdout}")


@contextmanager
def drives(count: int, size_bytes: int = 256 * MIB, *, table: bool = True) -> Iterator[list[str]]:
    """Create loop devices over sparse files, each with one ext4 partition by default."""
    with tempfile.TemporaryDirectory(prefix="diskwright-bench-") as folder:
        bench = Bench(Path(folder))
        try:
            paths = [bench.make_drive(size_bytes) for _ in range(count)]
            for path in paths if table else []:
                quiet(
                    "sfdisk",
                    "--quiet",
                    "--no-reread",
                    "--no-tell-kernel",
                    path,
                    stdin="label: gpt\nstart=2048\n",
                )
                quiet("partx", "--update", path)
                quiet("mkfs.ext4", "-q", f"{path}p1")
            yield paths
        finally:
            bench.take_down()


def ms(seconds: float) -> str:
    """Format milliseconds for a table."""
    return f"{seconds * 1000:.0f} ms"


def mib(size_bytes: float) -> str:
    """Format mebibytes for a table."""
    return f"{size_bytes / MIB:.0f} MiB"
