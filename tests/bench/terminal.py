"""A program on a pseudo terminal: when its screen shows a text, effects of keys, and bytes written."""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from tests.looks.terminals.terminal import Terminal

Met = Callable[[Sequence[str]], bool]
"""Whether the lines of a screen are as they should be."""

QUIET_SECONDS = 1.5
"""A program that has written nothing for so long has shown all there is; on a serial line the wizard writes
once a second at most."""


@dataclass(frozen=True, slots=True)
class Paint:
    """Time at which the screen first showed the awaited text, bytes until then, and peak memory."""

    seconds: float
    received_bytes: int
    peak_bytes: int


class Watched(Terminal):
    """A run of a program, ended by leaving the with statement."""

    def __init__(
        self, argv: Sequence[str], *, term: str = "xterm-256color", columns: int = 80, lines: int = 24
    ) -> None:
        self.begun = monotonic()
        super().__init__(program=tuple(argv), columns=columns, lines=lines, TERM=term)

    def when(self, met: Met, limit_seconds: float = 20) -> float:
        """Return the monotonic time at which the bytes arrived that completed the awaited screen.

        Raises TimeoutError with the current screen.
        """
        end = monotonic() + limit_seconds
        came = monotonic()
        while not met(self.screen.display):
            arrived = self._arrival(end - monotonic())
            if arrived is None:
                raise TimeoutError("the screen never became so:\n" + self.text)
            came = arrived
        return came

    def settle(self, limit_seconds: float = 60) -> int:
        """Return the number of bytes until the output stops. Raises TimeoutError if it does not."""
        end = monotonic() + limit_seconds
        while self._arrival(QUIET_SECONDS) is not None:
            if monotonic() > end:
                raise TimeoutError("the screen never came to rest:\n" + self.text)
        return len(self.received)

    def key(self, sequence: bytes, met: Met) -> float:
        """Return seconds from a key to the bytes that show its effect."""
        pressed = monotonic()
        os.write(self.fd, sequence)
        return self.when(met) - pressed

    def peak_bytes(self) -> int:
        """The program's peak memory so far."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))) * 1024

    def _arrival(self, seconds: float) -> float | None:
        """Return the time of the next bytes, or None without any, or at the program's end."""
        before = len(self.received)
        self.read(max(0.0, seconds))
        return monotonic() if len(self.received) > before else None


def showing(needle: str) -> Met:
    """Return a check for `needle` in a line."""
    return lambda lines: any(needle in line for line in lines)


def until_shown(argv: Sequence[str], needle: str, *, term: str = "xterm-256color") -> Paint:
    """Start `argv` on an 80x24 terminal, wait for `needle` on the screen, then end the program."""
    with Watched(argv, term=term) as watched:
        seconds = watched.when(showing(needle)) - watched.begun
        return Paint(seconds, len(watched.received), watched.peak_bytes())


if __name__ == "__main__":
    print(until_shown(sys.argv[2:], sys.argv[1]))
