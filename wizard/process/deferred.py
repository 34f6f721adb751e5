"""Load modules on first use, so that the first list of drives appears before most of the program."""

from collections.abc import Iterator
from importlib import import_module


class Deferred:
    """A module that loads at the first use of a name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> object:
        return getattr(import_module(self._name), name)


def deferred(package: str, *modules: str) -> Iterator[Deferred]:
    """Yield modules of a package. Import them as usual for the type checker."""
    return (Deferred(f"{package}.{module}") for module in modules)
