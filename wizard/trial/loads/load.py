"""A load: phases of work on a mounted volume, all drawn from a seed before any clock starts."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

import wizard.trial.loads
from wizard.tools.program import find


class Unit(StrEnum):
    """What a phase counts."""

    BYTES = "bytes"
    FILES = "files"
    OPERATIONS = "operations"


@dataclass(frozen=True, slots=True)
class Phase:
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
    phases: Callable[[float, int], tuple[Phase, ...]]
    programs: tuple[str, ...] = ()

    @property
    def missing(self) -> tuple[str, ...]:
        """The programs that this system lacks: with any of them the load is not to be had here."""
        return tuple(program for program in self.programs if find(program) is None)


@cache
def _found() -> dict[str, Load]:
    modules = [
        import_module(f"{wizard.trial.loads.__name__}.{name}")
        for _, name, _ in iter_modules(wizard.trial.loads.__path__)
    ]
    loads = [load for module in modules if isinstance(load := getattr(module, "LOAD", None), Load)]
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
