"""The whole wizard as a person uses it: in tmux, 80x24, TERM=linux, on the demo drive, from the first screen
to the checked result."""

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
    """A tmux server of its own with one program in it."""

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
        """The screen as soon as all of `texts` are on it."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            screen = self.screen()
            if all(text in screen for text in texts):
                return screen
            time.sleep(0.1)
        raise AssertionError(f"{texts} not shown:\n{self.screen()}")

    def press(self, key: str, *then: str) -> str:
        """One key, and the screen that it must lead to."""
        self.tmux("send-keys", key)
        return self.shows(*then)

    def down_to(self, row: str) -> None:
        """Down a list, row by row, to the one with this text."""
        while (at := self.marked()) != row:
            self.tmux("send-keys", "Down")
            self.leaves(at)

    def marked(self) -> str:
        """The text of the row with the mark."""
        return next((line[3:].strip() for line in self.screen().splitlines() if line.startswith(" > ")), "")

    def leaves(self, row: str) -> None:
        """Wait until the mark is on another row."""
        end = time.monotonic() + SECONDS
        while self.marked() in ("", row):
            assert time.monotonic() < end, f"the mark stays on {row}:\n{self.screen()}"
            time.sleep(0.02)

    def type(self, text: str) -> None:
        """Letter by letter, as a person does, until all of it stands in the field."""
        for end, letter in enumerate(text, 1):
            self.press(letter, f"[{text[:end]}")


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


def test_from_the_first_screen_to_the_checked_result(terminal: Terminal, tmp_path: Path) -> None:
    fstab = Path("/etc/fstab").read_bytes() if Path("/etc/fstab").exists() else b""
    terminal.start(f"{sys.executable} -m wizard demo; echo ended with $?; sleep 60")
    first = terminal.shows("Step 1 of 9", "warning  /dev/loop", "4096")
    drive = next(word for word in first.split() if word.startswith("/dev/loop"))
    terminal.press("Enter", "Step 2 of 9", "Large media files")
    terminal.down_to("Large media files")
    terminal.press("Enter", "Step 3 of 9", "chosen", "noatime")
    terminal.press("b", "Step 2 of 9")
    terminal.press("Enter", "Step 3 of 9", "chosen")
    terminal.press("Enter", "Step 4 of 9", "(*) Use the free space")
    terminal.press("Enter", "Step 5 of 9", "kept", "new")
    terminal.press("Enter", "Step 6 of 9")
    terminal.press("Enter", "Step 7 of 9", "> [ Back ]", "Or type")
    # The default is No: Enter goes back.
    terminal.press("Enter", "Step 6 of 9")
    terminal.press("Enter", "Step 7 of 9", "> [ Back ]", "Or type")
    terminal.press("Down", "  [ Back ]")
    terminal.type(f"{drive.removeprefix('/dev/')}9")
    terminal.press("Enter", "That is not this drive's token")
    terminal.press("BSpace", f"[{drive.removeprefix('/dev/')} ")
    terminal.press("Enter", "> [ Apply ]")
    terminal.press("Enter", "Step 8 of 9", "Enter: keep it or take it back")
    terminal.press(
        "Enter", "Step 9 of 9", "Done, not yet in use: keep it to use it, or undo it", "[k] keep", "[u] undo"
    )
    terminal.press("k", "Keep it?", "> [ No ]")
    # The default is No here, too.
    terminal.press("Enter", "Done, not yet in use", "[u] undo")
    terminal.press("k", "Keep it?", "> [ No ]")
    terminal.press("y", " GB ready at", "Kept: the drive", "holds")
    terminal.press("Enter", "ended with 0")
    assert not list(tmp_path.glob("diskwright-demo-*"))
    assert (Path("/etc/fstab").read_bytes() if Path("/etc/fstab").exists() else b"") == fstab
