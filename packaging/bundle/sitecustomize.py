"""In the bundle: a library is looked for beside Python, whatever the host's ldconfig would say."""

import ctypes.util
import sys
from pathlib import Path

LIBRARIES = Path(sys.executable).resolve().parents[2] / "lib"


def find_library(name: str) -> str | None:
    """As `ctypes.util.find_library`."""
    return next((str(path) for path in sorted(LIBRARIES.glob(f"lib{name}.so*"))), None)


ctypes.util.find_library = find_library
