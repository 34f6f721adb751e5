"""A module of this package as a process of its own: `python -I .../wizard/apply/run/module.py MODULE
[ARGUMENT...]`.

The one file by which three processes begin: the one that serves a plain user as root, the one that applies,
and the table's worker. Isolated, Python looks neither at the environment nor into the working directory, nor
beside this file: so the package is found from where this file lies, and nowhere else.
"""

import runpy
import signal
import sys
from pathlib import Path

PACKAGE_FOLDER = Path(__file__).resolve().parents[3]
"""Where the package lies, with what an installed copy has beside it."""

WRONG_USAGE = 2


def main() -> int:
    """Run it as `python -m` would; 2 for a module of anything else than this package."""
    del sys.argv[0]
    if not sys.argv or not sys.argv[0].startswith("wizard."):
        return WRONG_USAGE
    # While it is ignored, the kernel keeps no exit status, and every tool seems to succeed.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    sys.path.insert(0, str(PACKAGE_FOLDER))
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
