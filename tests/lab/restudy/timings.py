"""The raw results of the repeated study, as they are kept under tests/lab/results, and the ratios in them.
Pure but for reading files."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from statistics import median

from wizard.documents.codec import from_json, to_json

RESULTS = Path(__file__).parents[1] / "results"

MISALIGNED, ALIGNED, CONTROL = 34, 40, 2048
"""Sectors of 512 bytes at which the partition starts: the study's two, and another aligned one. What differs
between these two is chance."""


STUDIED_THEN = ("ext3", "ext4", "xfs", "btrfs", "jfs", "reiserfs")
"""The filesystems of the study."""


class Operation(StrEnum):
    """What is timed, in this order, as the study did."""

    MAKE = "mkfs"
    WRITE_SMALL = "write-small"
    WRITE_LARGE = "write-large"
    READ_SMALL = "read-small"
    READ_LARGE = "read-large"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class Timing:
    """One operation on one partition. `reads` and `writes` are requests that the guest made of the drive, not
    what the drive then had to do; `bytes_written` those of the writes."""

    round: int
    start_sector: int
    operation: Operation
    seconds: float
    reads: int
    writes: int
    bytes_written: int


@dataclass(frozen=True, slots=True)
class Setting:
    """What was measured with. `tools` are lines in which programs name their version; `request_kib` the most
    one request may hold."""

    date: str
    kernel: str
    tools: tuple[str, ...]
    requests_per_second: int
    charges_rewrites: bool
    logical_block_bytes: int
    physical_block_bytes: int
    partition_bytes: int
    request_kib: int
    small_files: int
    small_bytes: int
    large_bytes: int


@dataclass(frozen=True, slots=True)
class Series:
    """All timings of one filesystem. `make` is its command without the partition."""

    filesystem: str
    make: tuple[str, ...]
    setting: Setting
    timings: tuple[Timing, ...]


@dataclass(frozen=True, slots=True)
class Instruments:
    """The same drive by two instruments that know no filesystem: misaligned over aligned time of one write of
    4 KiB.

    The benchmark's estimate has an interval; fio's ratio is the median of several rounds.
    """

    setting: Setting
    bench: float
    bench_low: float
    bench_high: float
    bench_sentence: str
    fio: float


@dataclass(frozen=True, slots=True)
class Ratio:
    """Times as long: the median of the rounds, the least and the most."""

    middle: float
    least: float
    most: float


def ratio(series: Series, operation: Operation, start: int = MISALIGNED) -> Ratio:
    """Of the partition at `start` over the aligned one, of each round. The rounds' runs follow each other
    closely, so that a machine that is busy for a while is so for both."""
    mine, aligned = (
        {one.round: one.seconds for one in at(series, operation, sector)} for sector in (start, ALIGNED)
    )
    ratios = [mine[number] / aligned[number] for number in sorted(mine)]
    return Ratio(median(ratios), min(ratios), max(ratios))


def at(series: Series, operation: Operation, start: int) -> list[Timing]:
    """The timings of one operation on the partition at one start, in the order of the rounds."""
    return [one for one in series.timings if (one.operation, one.start_sector) == (operation, start)]


def rounds_of(series: Series) -> int:
    """How many rounds were run."""
    return len({one.round for one in series.timings})


def as_text(document: Series | Instruments) -> str:
    """As it is kept: one timing a line, so that a person can read it and a change shows."""
    plain = to_json(document)
    timings = plain.pop("timings", None)
    text = json.dumps(plain, indent=1)
    if timings is None:
        return text + "\n"
    lines = ",\n".join(f"  {json.dumps(one)}" for one in timings)
    return text.removesuffix("\n}") + f',\n "timings": [\n{lines}\n ]\n}}\n'


def read_series(text: str, where: str) -> Series:
    """Raises BadInput for what is none."""
    return from_json(json.loads(text), Series, where)


def all_series(names: Sequence[str], folder: Path = RESULTS) -> list[Series]:
    """Those that were kept, of these filesystems, in their order."""
    files = [path for name in names if (path := series_file(name, folder)).exists()]
    return [read_series(path.read_text(encoding="utf-8"), path.name) for path in files]


def read_instruments(folder: Path = RESULTS) -> Instruments:
    """Raises OSError where they were not kept."""
    path = instruments_file(folder)
    return from_json(json.loads(path.read_text(encoding="utf-8")), Instruments, path.name)


def series_file(filesystem: str, folder: Path) -> Path:
    """Where a filesystem's results are."""
    return folder / f"alignment-{filesystem}.json"


def instruments_file(folder: Path) -> Path:
    """Where the two instruments' results are."""
    return folder / "alignment-instruments.json"
