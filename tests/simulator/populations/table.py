"""`python -m tests.simulator.populations.table [--census [DRIVES]] [--check]`: results of the quick test on
simulated drives, for docs/shingled.md.

With --census, run it again on every class (half an hour) and store the results in results.json beside this
file. Every drive is drawn from its number, so results are reproducible.
"""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import median

from msgspec import Struct

from tests.readme import renew
from tests.simulator.populations import conventional, shingled
from tests.simulator.populations.census import Result, probed
from tests.simulator.populations.mechanics import Plain
from wizard.documents.codec import from_json, to_json
from wizard.model.machine import Extent
from wizard.model.said import GIB, MIB
from wizard.model.verdict import Basis

RESULTS = Path(__file__).with_name("results.json")
COMMAND = "python -m tests.simulator.populations.table"
DRIVES, DRIVES_OF_FREE = 300, 60
PROCESSES = 2

ROOMS: dict[str, Callable[[int], int]] = {
    "10 %": lambda size: size // 10,
    "3 %": lambda size: size * 3 // 100,
    "1 GiB": lambda _: GIB,
}
"""How much is free, at the drive's end."""

OF_FREE: tuple[type[Plain], ...] = (
    Plain,
    conventional.IgnoresFlushes,
    conventional.Busy,
    conventional.MediaCache,
    conventional.Segments,
    conventional.Shaken,
    shingled.OneLog,
    shingled.SeveralLogs,
    shingled.RoomInBands,
)

LIKELY = (Basis.STAYS, Basis.REWRITES, Basis.UNWRITTEN)
NOTHING = (Basis.ALIKE,)


class Row(Struct, frozen=True):
    """One class with this free space (`all`, or a key of `ROOMS`): evidence for each drive's outcome by
    number, seconds and bytes."""

    kind: str
    free: str
    bases: tuple[Basis, ...]
    usual_seconds: float
    most_seconds: float
    most_written: int

    @property
    def claimed(self) -> int:
        return sum(basis in LIKELY for basis in self.bases)

    @property
    def inconclusive(self) -> int:
        return sum(basis not in (*LIKELY, *NOTHING) for basis in self.bases)


class Kept(Struct, frozen=True):
    """All rows of a census."""

    rows: tuple[Row, ...]


def tried(kind: type[Plain], free: str, drives: int) -> Row:
    """Run the test on this number of drives of a class."""
    results = [one(kind, free, number) for number in range(drives)]
    seconds = [result.seconds for result in results]
    return Row(
        kind.__name__,
        free,
        tuple(result.basis for result in results),
        round(median(seconds), 1),
        round(max(seconds), 1),
        max(result.written_bytes for result in results),
    )


def one(kind: type[Plain], free: str, number: int) -> Result:
    """Run the test on one drive."""
    drive = kind(number)
    extents: Sequence[Extent] = ()
    if free != "all":
        room = ROOMS[free](drive.size_bytes) // MIB * MIB
        extents = (Extent(drive.size_bytes - MIB - room, room),)
    return probed(drive, number, extents)[1]


def kinds() -> tuple[type[Plain], ...]:
    """Return every class. The one matched by model comes after the other conventional ones."""
    return (*conventional.KINDS, conventional.LateMediaCache, *shingled.KINDS)


def census(drives: int) -> Kept:
    """Test every class, and some of them with little free space."""
    tasks = [(kind, "all", drives) for kind in kinds()]
    tasks += [(kind, free, min(drives, DRIVES_OF_FREE)) for free in ROOMS for kind in OF_FREE]
    with ProcessPoolExecutor(PROCESSES) as pool:
        return Kept(tuple(pool.map(tried, *zip(*tasks, strict=True))))


def kept() -> Kept:
    """Return the last census."""
    return from_json(json.loads(RESULTS.read_text(encoding="utf-8")), Kept, RESULTS.name)


def keep(found: Kept) -> None:
    """Write one row per line, for readable differences."""
    rows = ",\n".join(f"  {json.dumps(to_json(row))}" for row in found.rows)
    RESULTS.write_text(f'{{"rows": [\n{rows}\n]}}\n', encoding="utf-8")


def table(rows: Sequence[Row]) -> str:
    """Return the rows as Markdown."""
    return "\n".join((*_lines(rows), "", *_totals(rows), "", *_of_free(rows)))


def _lines(rows: Sequence[Row]) -> Iterator[str]:
    known = {kind.__name__: kind for kind in kinds()}
    yield "| drive | class | claimed | can't tell, or too little time | usual and longest time |"
    yield "|---|---|---|---|---|"
    for row in rows:
        if row.free == "all":
            kind = known[row.kind]
            name = f"**{kind.name}** (listed by model)" if kind is conventional.LateMediaCache else kind.name
            drive = "shingled" if kind.shingled else "conventional"
            count = len(row.bases)
            seconds = f"{row.usual_seconds:.0f} s, {row.most_seconds:.0f} s"
            yield f"| {drive} | {name} | {row.claimed}/{count} | {row.inconclusive}/{count} | {seconds} |"


def _totals(rows: Sequence[Row]) -> Iterator[str]:
    names = {kind.__name__ for kind in conventional.KINDS}
    plain = [row for row in rows if row.kind in names and row.free == "all"]
    false, count = sum(row.claimed for row in plain), sum(len(row.bases) for row in plain)
    most = max(row.most_written for row in rows)
    yield f"False claims on conventional drives, but for the one class that is listed: {false} of {count}."
    yield f"At most {most / 1e6:.2f} MB were written, and the longest run took {_longest(rows):.0f} s."


def _longest(rows: Sequence[Row]) -> float:
    return max(row.most_seconds for row in rows)


def _of_free(rows: Sequence[Row]) -> Iterator[str]:
    known = {kind.__name__: kind for kind in kinds()}
    yield "| free, at the drive's end | drive | class | claimed | can't tell, or too little time |"
    yield "|---|---|---|---|---|"
    for row in rows:
        if row.free != "all":
            kind, count = known[row.kind], len(row.bases)
            drive = "shingled" if kind.shingled else "conventional"
            yield (
                f"| {row.free} | {drive} | {kind.name} | {row.claimed}/{count} | {row.inconclusive}/{count} |"
            )


def told(row: Row) -> str:
    """Print progress."""
    bases = {basis.name: count for basis, count in Counter(row.bases).items()}
    return f"{row.kind:<20} {row.free:<8} {row.claimed}/{len(row.bases)} {bases}"


def main() -> None:
    """Renew the page, with --census after a new census."""
    if "--census" in sys.argv:
        numbers = [int(word) for word in sys.argv[1:] if word.isdecimal()]
        keep(census(numbers[0] if numbers else DRIVES))
        print("\n".join(map(told, kept().rows)))
    renew("populations", table(kept().rows), COMMAND)


if __name__ == "__main__":
    main()
