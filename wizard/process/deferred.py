"""Load modules on first use, so that the first list of drives appears before most of the program."""

import builtins
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from threading import Lock
from types import ModuleType

Names = Mapping[str, object] | None
Modules = Sequence[str] | None

_PATCHING = Lock()


class Deferred:
    """A module that loads at the first use of a name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> object:
        return getattr(import_module(self._name), name)


@contextmanager
def deferred(importer: str) -> Iterator[None]:
    """Defer the statements `from PACKAGE import MODULE` of this block in the module `importer`. Imports in
    other modules, which other threads may load meanwhile, are immediate."""

    def later(
        name: str, globals: Names = None, locals: Names = None, fromlist: Modules = (), level: int = 0
    ) -> ModuleType:
        if globals is None or globals.get("__name__") != importer or not fromlist:
            return usual(name, globals, locals, fromlist, level)
        found = ModuleType(name)
        found.__dict__.update({module: Deferred(f"{name}.{module}") for module in fromlist or ()})
        return found

    with _PATCHING:
        usual = builtins.__import__
        builtins.__import__ = later
        try:
            yield
        finally:
            builtins.__import__ = usual
