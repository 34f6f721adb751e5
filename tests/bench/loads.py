"""`python -m tests.bench.loads [--write]`: cost of Python itself in loads, for docs/figures.md.

Both sides make the same system calls in the same order on a tmpfs: scripts of operations as in loads, and
tests/bench/loads.c. Processes of both run alternately. Times are CPU times of all threads. Each figure is the
median of the runs, and the difference is the median over pairs of successive runs.
"""

import argparse
import gc
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import process_time_ns

from tests.readme import put
from wizard.benchmark.loads.script import Draft, ScriptAccess, Unit

COUNT = 2000
THREADS = 16
RUNS = 25
PAGE_BYTES, RECORD_BYTES = 4096, 1024
REPEATED = 5 * COUNT
"""Of the operations that take least."""
SOURCE = Path(__file__).with_suffix(".c")
MEMORY = Path("/dev/shm")


@dataclass(frozen=True, slots=True)
class Operation:
    """A line of the table, in the order of the C program."""

    what: str
    number: int


OPERATIONS = (
    Operation("create: open, write 4 KiB, close", COUNT),
    Operation("read: open, readv until the end, close", COUNT),
    Operation("stat", COUNT),
    Operation("pwrite of 4 KiB in an open file", REPEATED),
    Operation("unlink", COUNT),
    Operation("write of 1 KiB in an open file", REPEATED),
    Operation(f"create, by {THREADS} threads at once", COUNT),
)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the table into docs/figures.md")
    parser.add_argument("--once", metavar="FOLDER", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.once:
        print("\n".join(map(str, measured(arguments.once))))
        return 0
    with tempfile.TemporaryDirectory(dir=MEMORY, prefix="diskwright-bench-") as folder:
        table = render(list(in_turn(Path(folder))))
    print(table)
    if arguments.write:
        put("loads", table)
    return 0


def measured(folder: Path) -> Iterator[int]:
    """Return nanoseconds per operation, in the units of the C program."""
    draft = Draft(1)
    names = [f"f{number}" for number in range(COUNT)]
    create, read, look = (draft.phase(name) for name in ("create", "read", "stat"))
    fill, change = draft.phase("fill", Unit.BYTES), draft.phase("pwrite", Unit.BYTES, PAGE_BYTES)
    delete, fill_slowly = draft.phase("unlink"), draft.phase("write", Unit.BYTES)
    crowd = [draft.phase("crowd")]
    crowd += [crowd[0].beside() for _ in range(1, THREADS)]
    tidy = draft.phase("tidy")
    for name in names:
        create.create(name, PAGE_BYTES)
    for name in names:
        read.read(name)
        look.look(name)
    for name in names:
        delete.delete(name)
    fill.create("large", REPEATED * PAGE_BYTES, PAGE_BYTES)
    pieces = draft.contents.take(REPEATED * PAGE_BYTES, PAGE_BYTES)
    change.access("large", [ScriptAccess(at * PAGE_BYTES, piece) for at, piece in enumerate(pieces)])
    fill_slowly.create("small", REPEATED * RECORD_BYTES, RECORD_BYTES)
    for number, name in enumerate(names):
        crowd[number % THREADS].create(name, PAGE_BYTES)
    for name in ("large", "small", *names):
        tidy.delete(name)
    gc.disable()
    with _opened(folder) as root:
        for step in draft.phases:
            begun = process_time_ns()
            step.act(root)
            taken = process_time_ns() - begun
            if step.name not in ("fill", "tidy"):
                yield taken


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    root = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield root
    finally:
        os.close(root)


def in_turn(folder: Path) -> Iterator[tuple[Sequence[int], Sequence[int]]]:
    """Return nanoseconds of both for each run, after one warm-up run of each."""
    other = [str(compiled(folder)), str(folder / "files"), str(COUNT), str(THREADS)]
    own = [sys.executable, "-m", "tests.bench.loads", "--once", str(folder / "files")]
    (folder / "files").mkdir()
    for number in range(RUNS + 1):
        pair = (_said(own), _said(other)) if number % 2 else (_said(other), _said(own))[::-1]
        if number:
            yield pair


def compiled(folder: Path) -> Path:
    """Compile the C program. Exits with a message if there is no compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        raise SystemExit("There is no C compiler here to compare with.")
    program = folder / "loads"
    subprocess.run([compiler, "-O2", "-pthread", "-o", str(program), str(SOURCE)], check=True, timeout=60)
    return program


def _said(argv: Sequence[str]) -> Sequence[int]:
    done = subprocess.run(argv, capture_output=True, text=True, check=True, timeout=120)
    return [int(line) for line in done.stdout.split()]


def render(runs: Sequence[tuple[Sequence[int], Sequence[int]]]) -> str:
    """Return the table in microseconds per operation."""
    lines = ["| operation | Python | C | difference |", "|---|---|---|---|"]
    for at, operation in enumerate(OPERATIONS):
        own = [ours[at] / operation.number / 1000 for ours, _ in runs]
        other = [theirs[at] / operation.number / 1000 for _, theirs in runs]
        more = median(a - b for a, b in zip(own, other, strict=True))
        lines.append(f"| {operation.what} | {median(own):.1f} us | {median(other):.1f} us | {more:+.1f} us |")
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
