"""Find libraries next to the bundled Python, instead of through the host's ldconfig."""

import ctypes.util
import sys
from pathlib import Path

LIBRARIES = Path(sys.executable).resolve().parents[2] / "lib"


def find_library(name: str) -> str | None:
    """Replace `ctypes.util.find_library`."""
    return next((str(path) for path in sorted(LIBRARIES.glob(f"lib{name}.so*"))), None)


ctypes.util.find_library = find_library
