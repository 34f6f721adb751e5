"""The whole wizard in tmux, 80x24, TERM=linux, on the demo drive, from the first screen to the verified
result."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

SECONDS = 90.0


class Terminal:
    """A tmux server with one program."""

    def __init__(self, folder: Path) -> None:
        self.socket = folder / "tmux"

    def start(self, command: str) -> None:
        environment = [
            "-e",
            "TERM=linux",
            "-e",
            f"TMPDIR={self.socket.parent}",
            "-e",
            f"PYTHONPATH={Path.cwd()}",
        ]
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", *environment, command)

    def tmux(self, *words: str) -> str:
        done = subprocess.run(
            ["tmux", "-S", str(self.socket), *words], capture_output=True, text=True, timeout=20, check=False
        )
        return done.stdout

    def screen(self) -> str:
        return self.tmux("capture-pane", "-p")

    def shows(self, *texts: str) -> str:
        """Wait for a screen with all `texts` and return it."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            screen = self.screen()
            if all(text in screen for text in texts):
                return screen
            time.sleep(0.1)
        raise AssertionError(f"{texts} not shown:\n{self.screen()}")

    def press(self, key: str, *then: str) -> str:
        """Press a key and wait for the expected screen."""
        self.tmux("send-keys", key)
        return self.shows(*then)

    def type(self, text: str) -> None:
        """Type the text letter by letter."""
        for letter in text:
            self.tmux("send-keys", "-l", letter)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    if shutil.which("tmux") is None:
        reason = "tmux is not installed"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    made = Terminal(tmp_path)
    try:
        yield made
    finally:
        made.tmux("kill-server")


def test_first_screen_to_verified_result(terminal: Terminal, tmp_path: Path) -> None:
    fstab = Path("/etc/fstab").read_bytes() if Path("/etc/fstab").exists() else b""
    terminal.start(f"{sys.executable} -m wizard demo; echo ended with $?; sleep 60")
    first = terminal.shows("1 Drives", "loop", "! 2 warnings")
    drive = next(word for word in first.split() if word.startswith("loop"))
    terminal.press("Enter", "Use the free space", "Replace everything")
    terminal.press("A", "What will you store?", "Large media files")
    terminal.press("Enter", "will be deleted", "Then", "Large media files")
    terminal.press("Escape", "What will you store?")
    terminal.press("Enter", "will be deleted")
    terminal.press("Enter", "deleted when you choose Keep", "Serial")
    terminal.press("NPage", "Undo restores")
    terminal.type(f"{drive}9")
    terminal.press("Enter", f"Type {drive} to confirm", f"{drive}9")
    terminal.press("BSpace", "Serial")
    terminal.press("Enter", "Done, not in use yet", "keep", "undo")
    terminal.press("K", "Keep the result on")
    # The default is No.
    terminal.press("Enter", "Done, not in use yet", "undo")
    terminal.press("K", "Keep the result on")
    terminal.press("y", " GB ready at", "checks passed")
    terminal.press("Enter", "1 Drives", "mounted at")
    terminal.press("q", "ended with 0")
    assert not list(tmp_path.glob("diskwright-demo-*"))
    assert (Path("/etc/fstab").read_bytes() if Path("/etc/fstab").exists() else b"") == fstab
