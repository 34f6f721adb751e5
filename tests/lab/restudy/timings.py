"""Raw results of the repeated study in tests/lab/results, and their ratios. Pure except for reading files."""

import json
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from statistics import median

from msgspec import Struct

from wizard.documents.codec import from_json, to_json

RESULTS = Path(__file__).parents[1] / "results"

MISALIGNED, ALIGNED, CONTROL = 34, 40, 2048
"""Sectors of 512 bytes at which the partition starts: the study's two, and another aligned one. What differs
between these two is chance."""


STUDIED_THEN = ("ext3", "ext4", "xfs", "btrfs", "jfs", "reiserfs")
"""The filesystems of the study."""


class Operation(StrEnum):
    """Timed operations in the study's order."""

    MAKE = "mkfs"
    WRITE_SMALL = "write-small"
    WRITE_LARGE = "write-large"
    READ_SMALL = "read-small"
    READ_LARGE = "read-large"
    DELETE = "delete"


class Timing(Struct, frozen=True):
    """An operation on a partition. `reads`, `writes`: requests of the guest, not the drive's internal
    operations. `bytes_written`: by those writes."""

    round: int
    start_sector: int
    operation: Operation
    seconds: float
    reads: int
    writes: int
    bytes_written: int


class Setting(Struct, frozen=True):
    """Environment of the measurement. `tools`: version lines of programs. `request_kib`: largest request."""

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


class Series(Struct, frozen=True):
    """All timings of one filesystem. `make`: its command without the partition."""

    filesystem: str
    make: tuple[str, ...]
    setting: Setting
    timings: tuple[Timing, ...]


class Instruments(Struct, frozen=True):
    """The same drive measured by two tools without a filesystem: ratio of misaligned to aligned time of a
    write of 4 KiB.

    The benchmark's estimate has an interval. fio's ratio is the median of several rounds.
    """

    setting: Setting
    bench: float
    bench_low: float
    bench_high: float
    bench_sentence: str
    fio: float


class Ratio(Struct, frozen=True):
    """A ratio of times: median of the rounds, minimum and maximum."""

    middle: float
    least: float
    most: float


def ratio(series: Series, operation: Operation, start: int = MISALIGNED) -> Ratio:
    """Return the ratio of the partition at `start` to the aligned one, from each round. Both runs of a
    round are close together, so that a busy machine affects both."""
    mine, aligned = (
        {one.round: one.seconds for one in at(series, operation, sector)} for sector in (start, ALIGNED)
    )
    ratios = [mine[number] / aligned[number] for number in sorted(mine)]
    return Ratio(median(ratios), min(ratios), max(ratios))


def at(series: Series, operation: Operation, start: int) -> list[Timing]:
    """Return the timings of an operation on the partition at a start, by round."""
    return [one for one in series.timings if (one.operation, one.start_sector) == (operation, start)]


def rounds_of(series: Series) -> int:
    """Return the number of rounds."""
    return len({one.round for one in series.timings})


def as_text(document: Series | Instruments) -> str:
    """Return the stored form, one timing per line, for readable differences."""
    plain = to_json(document)
    timings = plain.pop("timings", None)
    text = json.dumps(plain, indent=1)
    if timings is None:
        return text + "\n"
    lines = ",\n".join(f"  {json.dumps(one)}" for one in timings)
    return text.removesuffix("\n}") + f',\n "timings": [\n{lines}\n ]\n}}\n'


def read_series(text: str, where: str) -> Series:
    """Parse a series. Raises BadInput."""
    return from_json(json.loads(text), Series, where)


def all_series(names: Sequence[str], folder: Path = RESULTS) -> list[Series]:
    """Return the stored series of these filesystems in order."""
    files = [path for name in names if (path := series_file(name, folder)).exists()]
    return [read_series(path.read_text(encoding="utf-8"), path.name) for path in files]


def read_instruments(folder: Path = RESULTS) -> Instruments:
    """Read the results of the two tools. Raises OSError if missing."""
    path = instruments_file(folder)
    return from_json(json.loads(path.read_text(encoding="utf-8")), Instruments, path.name)


def series_file(filesystem: str, folder: Path) -> Path:
    """Return the file of a filesystem's results."""
    return folder / f"alignment-{filesystem}.json"


def instruments_file(folder: Path) -> Path:
    """Return the file of the two tools' results."""
    return folder / "alignment-instruments.json"
