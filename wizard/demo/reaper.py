"""Process that removes the demo drive when its parent exits for any reason and closes the pipe.

All cleanup of the demo happens here, so normal exit and kill use the same code.
"""

import os
import signal
import sys
from pathlib import Path

from wizard.demo.drive import clean_up


def main(folder: Path) -> int:
    """Wait until the parent exits, clean up, and print failures, one per line."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    while os.read(0, 64):
        pass
    problems = clean_up(folder)
    for problem in problems:
        os.write(1, f"{problem}\n".encode(errors="replace"))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
