"""Loads and their phases, with seeded data: incompressible bytes, file sizes and folder trees."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from random import Random

import wizard.benchmark.loads
from wizard.model.said import KIB, MIB
from wizard.process.program import find

SPAN_BYTES = 8 * MIB
"""Bytes drawn. Longer files repeat them, beyond the window of any filesystem's compression."""

PAGE_BYTES = 4 * KIB
CHUNK_BYTES = 128 * KIB
"""Buffer size of cp and cat."""

SOURCE_MEDIAN_BYTES = 5000
SOURCE_SPREAD = 1.2
SOURCE_MOST_BYTES = 200_000
FILES_A_FOLDER = 18
"""A kernel tree of 2.6.33 has about 31,500 files of 11 kB on average in 2,000 folders."""

GAMMA = 1.5
"""Shape of FileBench's distribution of sizes around a mean."""


class Contents:
    """Incompressible bytes for one file after another."""

    def __init__(self, seed: int) -> None:
        self._all = memoryview(Random(seed).randbytes(SPAN_BYTES))
        self._at = self._laps = 0

    def take(self, size_bytes: int, record_bytes: int = CHUNK_BYTES) -> Sequence[memoryview]:
        """Return the next `size_bytes` in pieces of `record_bytes`."""
        if size_bytes > SPAN_BYTES:
            return self._long(size_bytes, record_bytes)
        pieces = []
        while size_bytes > 0:
            length = min(size_bytes, record_bytes)
            if self._at + length > SPAN_BYTES:
                self._laps += 1
                # Each lap starts at another offset, so that no two files have equal blocks.
                self._at = self._laps * 1021 % PAGE_BYTES
            pieces.append(self._all[self._at : self._at + length])
            self._at += length
            size_bytes -= length
        return tuple(pieces)

    def _long(self, size_bytes: int, record_bytes: int) -> Sequence[memoryview]:
        """Reuse slices. A gibibyte in 1 KiB records would otherwise be a million objects."""
        once = tuple(self._all[at : at + record_bytes] for at in range(0, SPAN_BYTES, record_bytes))
        whole, rest = divmod(size_bytes, record_bytes)
        pieces = (once * (whole // len(once) + 1))[:whole]
        return (*pieces, self._all[:rest]) if rest else pieces


def scaled(number: float, scale: float, least: int = 1) -> int:
    """Return a count at this scale."""
    return max(least, round(number * scale))


def source_size(random: Random) -> int:
    """Return a random size of a source file, with a median of 5 kB."""
    size_bytes = int(random.lognormvariate(math.log(SOURCE_MEDIAN_BYTES), SOURCE_SPREAD))
    return max(1, min(SOURCE_MOST_BYTES, size_bytes))


def gamma_size(random: Random, mean_bytes: int) -> int:
    """Return a random size with FileBench's distribution."""
    return max(1, int(random.gammavariate(GAMMA, mean_bytes / GAMMA)))


def source_tree(random: Random, files: int, base: str) -> dict[str, list[str]]:
    """Return the files by folder, parent folders first."""
    folders = [base]
    for number in range(files // FILES_A_FOLDER):
        folders.append(f"{random.choice(folders)}/d{number}")
    tree: dict[str, list[str]] = {folder: [] for folder in folders}
    for number in range(files):
        folder = random.choice(folders)
        tree[folder].append(f"{folder}/f{number}.c")
    return tree


def shares(total: int, parts: int) -> list[int]:
    """Split `total` as evenly as possible."""
    return [total // parts + (part < total % parts) for part in range(parts)]


class Unit(StrEnum):
    """Unit of a phase's amount."""

    BYTES = "bytes"
    FILES = "files"
    OPERATIONS = "operations"


@dataclass(frozen=True, slots=True)
class LoadPhase:
    """A phase of a load, on a volume mounted for this phase.

    `name` is a code. The phase does `amount` units of work. `act` receives a descriptor of the volume's root
    folder and raises OSError if the volume is full or fails. `writes_bytes` is the most that goes into files,
    for the space check and the announcement.
    """

    name: str
    unit: Unit
    amount: int
    act: Callable[[int], None]
    writes_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Load:
    """A kind of load. `phases` returns the phases in order for a scale and a seed. Scale 1.0 takes 8 to 10
    seconds on a hard disk. `programs` are required besides Python."""

    id: str
    phases: Callable[[float, int], tuple[LoadPhase, ...]]
    programs: tuple[str, ...] = ()

    @property
    def missing(self) -> tuple[str, ...]:
        """Required programs that are not installed. The load cannot run without them."""
        return tuple(program for program in self.programs if find(program) is None)


@cache
def _all_loads() -> dict[str, Load]:
    modules = [
        import_module(f"{wizard.benchmark.loads.__name__}.{name}")
        for _, name, _ in iter_modules(wizard.benchmark.loads.__path__)
    ]
    loads = [load for module in modules for load in vars(module).values() if isinstance(load, Load)]
    return {load.id: load for load in sorted(loads, key=lambda load: load.id)}


class _Loads(Mapping[str, Load]):
    """Imports the loads on first access, because they import this module."""

    def __getitem__(self, name: str) -> Load:
        return _all_loads()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_all_loads())

    def __len__(self) -> int:
        return len(_all_loads())


LOADS: Mapping[str, Load] = _Loads()
"""All loads by id, including those with missing programs."""
