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
"""So many bytes are drawn. Longer files repeat them: no filesystem's compression looks back that far."""

PAGE_BYTES = 4 * KIB
CHUNK_BYTES = 128 * KIB
"""What cp and cat handle at a time."""

SOURCE_MEDIAN_BYTES = 5000
SOURCE_SPREAD = 1.2
SOURCE_MOST_BYTES = 200_000
FILES_A_FOLDER = 18
"""A kernel tree of 2.6.33 has about 31,500 files of 11 kB on average in 2,000 folders."""

GAMMA = 1.5
"""The shape of the sizes that FileBench draws around a mean."""


class Contents:
    """The bytes for one file after another."""

    def __init__(self, seed: int) -> None:
        self._all = memoryview(Random(seed).randbytes(SPAN_BYTES))
        self._at = self._laps = 0

    def take(self, size_bytes: int, record_bytes: int = CHUNK_BYTES) -> Sequence[memoryview]:
        """The next `size_bytes` in pieces of `record_bytes`."""
        if size_bytes > SPAN_BYTES:
            return self._long(size_bytes, record_bytes)
        pieces = []
        while size_bytes > 0:
            length = min(size_bytes, record_bytes)
            if self._at + length > SPAN_BYTES:
                self._laps += 1
                # Another start in every lap, so that no two files have the same blocks.
                self._at = self._laps * 1021 % PAGE_BYTES
            pieces.append(self._all[self._at : self._at + length])
            self._at += length
            size_bytes -= length
        return tuple(pieces)

    def _long(self, size_bytes: int, record_bytes: int) -> Sequence[memoryview]:
        """Slices that are used again: a gibibyte by the kilobyte would else be a million objects."""
        once = tuple(self._all[at : at + record_bytes] for at in range(0, SPAN_BYTES, record_bytes))
        whole, rest = divmod(size_bytes, record_bytes)
        pieces = (once * (whole // len(once) + 1))[:whole]
        return (*pieces, self._all[:rest]) if rest else pieces


def scaled(number: float, scale: float, least: int = 1) -> int:
    """So many at this scale."""
    return max(least, round(number * scale))


def source_size(random: Random) -> int:
    """The size of a source file: half are below 5 kB."""
    drawn = int(random.lognormvariate(math.log(SOURCE_MEDIAN_BYTES), SOURCE_SPREAD))
    return max(1, min(SOURCE_MOST_BYTES, drawn))


def gamma_size(random: Random, mean_bytes: int) -> int:
    """A size as FileBench draws it."""
    return max(1, int(random.gammavariate(GAMMA, mean_bytes / GAMMA)))


def source_tree(random: Random, files: int, base: str) -> dict[str, list[str]]:
    """The files of each folder, every folder after the one it lies in."""
    folders = [base]
    for number in range(files // FILES_A_FOLDER):
        folders.append(f"{random.choice(folders)}/d{number}")
    tree: dict[str, list[str]] = {folder: [] for folder in folders}
    for number in range(files):
        folder = random.choice(folders)
        tree[folder].append(f"{folder}/f{number}.c")
    return tree


def shares(total: int, parts: int) -> list[int]:
    """`total` dealt out as evenly as can be."""
    return [total // parts + (part < total % parts) for part in range(parts)]


class Unit(StrEnum):
    """What a phase counts."""

    BYTES = "bytes"
    FILES = "files"
    OPERATIONS = "operations"


@dataclass(frozen=True, slots=True)
class LoadPhase:
    """One part of a load, on a volume that was mounted for it.

    `name` is a code. The phase does `amount` units of work. `act` takes a descriptor of the volume's root
    folder; it raises OSError where the volume is full or fails. At most `writes_bytes` go into files
    meanwhile: a bound on what the volume needs and on what is announced.
    """

    name: str
    unit: Unit
    amount: int
    act: Callable[[int], None]
    writes_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Load:
    """Work of one kind. `phases` takes a scale and a seed, and gives the phases in order.

    Scale 1.0 is meant to take a hard disk 8 to 10 seconds. `programs` are those that it runs beyond Python.
    """

    id: str
    phases: Callable[[float, int], tuple[LoadPhase, ...]]
    programs: tuple[str, ...] = ()

    @property
    def missing(self) -> tuple[str, ...]:
        """The programs that this system lacks: with any of them the load is not to be had here."""
        return tuple(program for program in self.programs if find(program) is None)


@cache
def _found() -> dict[str, Load]:
    modules = [
        import_module(f"{wizard.benchmark.loads.__name__}.{name}")
        for _, name, _ in iter_modules(wizard.benchmark.loads.__path__)
    ]
    loads = [load for module in modules for load in vars(module).values() if isinstance(load, Load)]
    return {load.id: load for load in sorted(loads, key=lambda load: load.id)}


class _Loads(Mapping[str, Load]):
    """Looks for the files at the first question, since each of them imports this module."""

    def __getitem__(self, name: str) -> Load:
        return _found()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_found())

    def __len__(self) -> int:
        return len(_found())


LOADS: Mapping[str, Load] = _Loads()
"""Every load by its id; those with missing programs are among them."""
