"""A program on a pseudo terminal, watched until its screen shows something."""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import pyte


@dataclass(frozen=True, slots=True)
class Paint:
    """When the screen first showed what was waited for, how many bytes that took, and the program's greatest memory by then."""

    seconds: float
    received_bytes: int
    peak_bytes: int


def until_shown(argv: Sequence[str], needle: str, *, columns: int = 80, lines: int = 24, limit_seconds: float = 20) -> Paint:
    """Start `argv` on an 80x24 terminal and wait until `needle` stands on the screen; the program is ended afterwards.

    Raises TimeoutError, with the screen as it then was, where it never does.
    """
    begun = monotonic()
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ |= {"TERM": "xterm-256color", "COLUMNS": str(columns), "LINES": str(lines)}
        os.execvp(argv[0], list(argv))
    try:
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        return _watch(pid, terminal, needle, pyte.Screen(columns, lines), begun, limit_seconds)
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)


def _watch(pid: int, terminal: int, needle: str, screen: pyte.Screen, begun: float, limit_seconds: float) -> Paint:
    stream, received = pyte.ByteStream(screen), 0
    while monotonic() - begun < limit_seconds:
        if not select.select([terminal], [], [], 0.05)[0]:
            continue
        try:
            chunk = os.read(terminal, 65536)
        except OSError:
            break
        received += len(chunk)
        stream.feed(chunk)
        if any(needle in line for line in screen.display):
            return Paint(monotonic() - begun, received, _peak(pid))
    raise TimeoutError(f"{needle!r} was not shown:\n" + "\n".join(screen.display))


def _peak(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))) * 1024


if __name__ == "__main__":
    print(until_shown(sys.argv[2:], sys.argv[1]))
