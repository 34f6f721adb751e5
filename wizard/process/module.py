"""Run a module of this package in its own process: `python -I .../wizard/process/module.py MODULE
[ARGUMENT...]`.

With -I, Python ignores the environment, the working directory and the folder of this file, so the package is
located relative to this file.
"""

import runpy
import signal
import sys
from pathlib import Path

PACKAGE_FOLDER = Path(__file__).resolve().parents[2]
"""The folder that contains the package and the data."""

WRONG_USAGE = 2


def module_argv(module: str, *arguments: str, writes_bytecode: bool = True) -> tuple[str, ...]:
    """Return the arguments that run a module of this package, with the current bytecode settings. Without
    `writes_bytecode`, for example as another user, none is cached."""
    kept = (
        *(("-B",) if sys.dont_write_bytecode or not writes_bytecode else ()),
        *(("-X", f"pycache_prefix={sys.pycache_prefix}") if sys.pycache_prefix else ()),
    )
    return (sys.executable, "-I", *kept, str(Path(__file__).resolve()), module, *arguments)


def main() -> int:
    """Run the module as `python -m` does. Return 2 for modules outside this package."""
    del sys.argv[0]
    if not sys.argv or not sys.argv[0].startswith("wizard."):
        return WRONG_USAGE
    # If SIGCHLD is ignored, the kernel discards exit statuses, and every tool seems to succeed.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    sys.path.insert(0, str(PACKAGE_FOLDER))
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
