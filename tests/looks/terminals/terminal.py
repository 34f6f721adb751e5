"""The real program on a pseudo terminal: its output byte for byte, and the resulting screen."""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep
from typing import Self

import pyte

ROOT = Path(__file__).resolve().parents[3]
KEYS = {
    **{
        "down": b"\x1b[B",
        "up": b"\x1b[A",
        "right": b"\x1b[C",
        "enter": b"\r",
        "tab": b"\t",
        "escape": b"\x1b",
    },
    **{"f1": b"\x1b[[A", "f2": b"\x1b[[B", "f3": b"\x1b[[C", "pagedown": b"\x1b[6~"},
}
"""As the Linux console sends them."""

KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "PYTHONPYCACHEPREFIX")
"""Of the environment. Without the last all would be compiled anew, for which a guest takes a minute."""


class Terminal:
    """A run of a program, by default the wizard, ended by leaving the with statement."""

    def __init__(
        self,
        *arguments: str,
        program: tuple[str, ...] | str = (sys.executable, "-m", "wizard"),
        columns: int = 80,
        lines: int = 24,
        cwd: Path = ROOT,
        **environment: str,
    ) -> None:
        # One word where there is nothing to be said to it.
        command = (program,) if isinstance(program, str) else program
        self.screen = pyte.Screen(columns, lines)
        self.stream = pyte.ByteStream(self.screen)
        self.received = b""
        self.status: int | None = None
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            os.execvpe(command[0], [*command, *arguments], {**kept, "PYTHONPATH": str(ROOT), **environment})
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)

    @property
    def text(self) -> str:
        return "\n".join(self.screen.display)

    def press(self, *keys: str) -> None:
        """Press keys in succession, at the speed of a user."""
        for key in keys:
            os.write(self.fd, KEYS.get(key, key.encode()))
            sleep(0.05)

    def read(self, seconds: float = 0.05) -> bool:
        """Read available output for a moment. Returns False after the program's end."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            chunk = os.read(self.fd, 65536)
        except OSError:
            return False
        self.received += chunk
        self.stream.feed(chunk)
        return bool(chunk)

    def until(self, needle: str | Callable[[], bool], seconds: float = 60.0) -> None:
        """Wait until a text is visible and the output stops. Raises TimeoutError."""
        met = needle if callable(needle) else lambda: needle in self.text
        end = monotonic() + seconds
        while not met():
            if not self.read() or monotonic() > end:
                raise TimeoutError(f"{needle!r} was not shown:\n{self.text}")
        quiet = monotonic() + 0.2
        while monotonic() < quiet:
            before = len(self.received)
            if not self.read():
                return
            if len(self.received) > before:
                quiet = monotonic() + 0.2

    def ended(self, seconds: float = 60.0) -> int:
        """Wait for the program's end and return its exit code."""
        end = monotonic() + seconds
        while self.read() and monotonic() < end:
            continue
        while self.status is None and monotonic() < end:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
            else:
                sleep(0.02)
        assert self.status is not None, "the program did not end"
        return self.status
