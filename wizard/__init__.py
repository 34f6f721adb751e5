"""diskwright: set up, check and convert Linux disks from the terminal, with undo."""

import sys
import typing
from importlib import import_module

__version__ = "1.0.0"

if "typing_extensions" not in sys.modules:
    # msgspec prefers its names to the same ones of typing, and it loads more slowly than all of msgspec.
    sys.modules["typing_extensions"] = typing
    try:
        import_module("msgspec")
    finally:
        del sys.modules["typing_extensions"]
