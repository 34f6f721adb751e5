"""What this kernel has, built in or as a module that can be loaded."""

from pathlib import Path

from wizard.apply.run.environment import LOOK_SECONDS
from wizard.tools.program import find, run

LOADED = Path("/sys/module")
"""Has a folder for every module that is loaded, and for those built in that have parameters."""


def kernel_has(module: str) -> bool:
    """Whether a module, by its name with underscores, is there or can be loaded."""
    return (LOADED / module).exists() or _can_be_loaded(module)


def _can_be_loaded(module: str) -> bool:
    argv = ("modprobe", "--dry-run", "--quiet", module)
    return find("modprobe") is not None and run(argv, seconds=LOOK_SECONDS, accept=range(256)).status == 0
