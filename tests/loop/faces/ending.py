"""End a program on a terminal: by keys, by closing the terminal, or by SIGTERM."""

import os
import signal
import termios

from tests.loop.lines.conversing import Window

KEYS = {"ctrl-c": b"\x03", "ctrl-d": b"\x04"}
SIGNALS = {"ended": signal.SIGTERM, "hung-up": signal.SIGHUP}
"""The ways to end it, and what ends a program that does nothing about it."""


def shows_typing(window: Window) -> bool:
    """Return True if the terminal echoes input."""
    return bool(termios.tcgetattr(window.into)[3] & termios.ECHO)


def ask_to_end(window: Window, way: str) -> None:
    """Press the keys, close the terminal, or send SIGTERM."""
    if way in KEYS:
        os.write(window.into, KEYS[way])
    elif way == "ended":
        os.kill(window.pid, signal.SIGTERM)
    else:
        os.close(window.into)


def code_of(window: Window, way: str) -> int:
    """Return the exit code or signal, and check that the terminal echoes input again."""
    if way == "hung-up":
        return os.waitstatus_to_exitcode(os.waitpid(window.pid, 0)[1])
    kept = os.dup(window.into)
    try:
        code = window.ended()
        assert termios.tcgetattr(kept)[3] & termios.ECHO, "what is typed is not shown any more"
    finally:
        os.close(kept)
    return code


def end(window: Window, way: str) -> int:
    """Ask the program to end, and return the exit code or signal."""
    ask_to_end(window, way)
    return code_of(window, way)
