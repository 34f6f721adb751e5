"""Times at the screen: first paint with one drive and with many, over a slow line, and after a key."""

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles

from tests.bench import crowd
from tests.bench.rows import DISKWRIGHT, RUNS, Row, drives, mib, ms
from tests.bench.terminal import Met, Paint, Watched, showing, until_shown

MINIMAL = (sys.executable, "-m", "tests.bench.minimal")
MINIMAL_SHOWN = "ready to be read"
READ = "serial "
"""Stands over what is known of the drive under the cursor once it has been read."""
DOWN, FIRST = b"\x1b[B", b"g"
MARKS = ("▌", ">")
"""What stands before the row of the cursor."""
KEYS = crowd.COUNT - 1
"""From the first drive of the list to its last."""
WIDE_KEYS = 12
SERIAL = "vt220"


def painting() -> Iterator[Row]:
    """Measure the first useful paint (a drive's name) and the complete screen, with memory, against the
    minimal Textual program."""
    with drives(1) as (path,):
        names = in_pairs(DISKWRIGHT, Path(path).name)
        whole = in_pairs(DISKWRIGHT, READ)
    yield painted("the drives' names on the screen, against a minimal Textual program", names, "1.3")
    yield painted("the first drive read and described, against the same", whole, "-")
    own_peak, other_peak = (
        median(own.peak_bytes for own, _ in whole),
        median(other.peak_bytes for _, other in whole),
    )
    yield Row(
        "memory of the wizard at that moment", mib(own_peak), mib(other_peak), own_peak / other_peak, "80 MiB"
    )


def crowded() -> Iterator[Row]:
    """Measure the time until one of many recorded drives is described, against the minimal Textual
    program."""
    with many() as command:
        yield painted(
            f"{crowd.COUNT} recorded drives listed and the first described, against the same",
            in_pairs(command, READ),
            "-",
        )


def in_pairs(command: Sequence[str], needle: str) -> list[tuple[Paint, Paint]]:
    """Run ours and the minimal Textual program alternately."""
    return [(until_shown(command, needle), until_shown(MINIMAL, MINIMAL_SHOWN)) for _ in range(RUNS)]


def painted(what: str, paints: Sequence[tuple[Paint, Paint]], aim: str) -> Row:
    """Return both times as a line."""
    ours, theirs = median(own.seconds for own, _ in paints), median(other.seconds for _, other in paints)
    return Row(what, ms(ours), ms(theirs), median(own.seconds / other.seconds for own, other in paints), aim)


def serial() -> Iterator[Row]:
    """Return the bytes of the first screen on a serial line, until the output stops."""
    with many() as command:
        ours, theirs = sent(command, READ), sent(MINIMAL, MINIMAL_SHOWN)
    what = (
        f"bytes of the first screen on a serial line (TERM={SERIAL}, 80x24), {crowd.COUNT} drives, against "
        "the same"
    )
    yield Row(what, kb(ours), kb(theirs), ours / theirs, "15 kB")


def typing() -> Iterator[Row]:
    """Measure the 95th percentile from a key to the bytes that show its effect, against the minimal
    Textual program."""
    paths = [drive.path for drive in crowd.crowd().drives]
    with many() as command:
        ours = keys(command, READ, lambda number: marking(paths[number]), FIRST)
    theirs = keys(MINIMAL, MINIMAL_SHOWN, lambda number: showing(f"{number} keys"))
    own, other = percentile_95(ours), percentile_95(theirs)
    yield Row(
        f"a key's way to the repaint, 95th percentile of {KEYS}, against the same",
        ms(own),
        ms(other),
        own / other,
        "50 ms",
    )


def wide() -> Iterator[Row]:
    """Return the bytes per key on a large terminal, a mean over rows of different drives."""
    with many() as command:
        ours, theirs = bytes_per_key(command, READ), bytes_per_key(MINIMAL, MINIMAL_SHOWN)
    what = f"bytes per key at 200x50 with many colours, {crowd.COUNT} drives, against the same"
    yield Row(what, kb(ours), kb(theirs), ours / theirs, "4 kB")


def bytes_per_key(command: Sequence[str], needle: str) -> float:
    """Return the mean over `WIDE_KEYS` Down keys."""
    with Watched(command, columns=200, lines=50) as watched:
        watched.when(showing(needle))
        before = watched.settle()
        for _ in range(WIDE_KEYS):
            watched.key(DOWN, lambda lines: True)
            watched.settle()
        return (len(watched.received) - before) / WIDE_KEYS


def sent(command: Sequence[str], needle: str) -> int:
    """Return all bytes until the output stops after `needle` appeared."""
    with Watched(command, term=SERIAL) as watched:
        watched.when(showing(needle))
        return watched.settle()


def marking(path: str) -> Met:
    """Return True if the cursor is on the row of a drive."""
    name = path.removeprefix("/dev/")
    return lambda lines: any(line.split()[:2] == [mark, name] for line in lines for mark in MARKS)


def keys(command: Sequence[str], needle: str, met: Callable[[int], Met], before: bytes = b"") -> list[float]:
    """Return seconds from each of many Down keys to its effect. `met` checks the screen after a number of
    keys. `before` is pressed first."""
    with Watched(command) as watched:
        watched.when(showing(needle))
        watched.settle()
        if before:
            watched.key(before, met(0))
            watched.settle()
        return [watched.key(DOWN, met(number)) for number in range(1, KEYS + 1)]


def percentile_95(seconds: Sequence[float]) -> float:
    """Return the 95th percentile."""
    return quantiles(seconds, n=20, method="inclusive")[-1]


@contextmanager
def many() -> Iterator[tuple[str, ...]]:
    """Return the command that opens the wizard on a machine of many recorded drives."""
    with tempfile.TemporaryDirectory(prefix="diskwright-bench-") as folder:
        file = Path(folder) / "many.json"
        crowd.write(file)
        yield (*DISKWRIGHT, "--machine", str(file))


def kb(size_bytes: float) -> str:
    """Format kilobytes for a table."""
    return f"{size_bytes / 1000:.1f} kB"
