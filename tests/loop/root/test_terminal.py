"""The password prompt on the wizard's terminal: below the wizard, which returns after either answer."""

import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.devices import MakeDrive
from tests.loop.applying import until
from tests.loop.faces.test_wizard_tmux import Terminal
from tests.loop.program import MIB
from tests.loop.root.rooting import Sudo, as_nobody, require_reach

pytestmark = pytest.mark.alone
ASKED = "stand-in's password:"
MARK = r"^[▌>] (\w+)  "


@pytest.fixture
def desk() -> Iterator[tuple[Terminal, Sudo]]:
    """A terminal and the fake sudo, accessible to an ordinary user."""
    require_reach()
    if shutil.which("tmux") is None:
        reason = "tmux is not installed"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    folder = Path(tempfile.mkdtemp(prefix="diskwright-sudo-"))
    folder.chmod(0o755)
    terminal, sudo = Terminal(folder), Sudo(folder / "bin", password="sesame")
    try:
        yield terminal, sudo
    finally:
        terminal.tmux("kill-server")
        sudo.close()
        shutil.rmtree(folder)


def marked(terminal: Terminal) -> str:
    """Wait for a selected drive and return it."""
    until(lambda: re.search(MARK, terminal.screen(), re.MULTILINE) is not None)
    found = re.search(MARK, terminal.screen(), re.MULTILINE)
    return found[1] if found else marked(terminal)


def choose(terminal: Terminal, drive: str) -> None:
    """Move down to a drive, row by row. Other drives may come and go."""
    until(lambda: re.search(rf"^[▌> ] {drive}\s", terminal.screen(), re.MULTILINE) is not None)
    at = marked(terminal)
    while at != drive:
        terminal.tmux("send-keys", "Down")
        at = moved_from(terminal, at)


def moved_from(terminal: Terminal, drive: str) -> str:
    """Wait until the selection leaves a drive, and return the new one."""
    until(lambda: marked(terminal) != drive)
    return marked(terminal)


def test_wizard_returns_after_the_password(desk: tuple[Terminal, Sudo], make_drive: MakeDrive) -> None:
    terminal, sudo = desk
    drive = make_drive(512 * MIB)
    terminal.start(
        f"env PATH={sudo.folder}:$PATH HOME={sudo.folder} {shlex.join(as_nobody())} -m wizard; echo ended "
        "with $?; sleep 60"
    )
    name = drive.removeprefix("/dev/")
    terminal.shows("1 Drives")
    choose(terminal, name)
    terminal.shows("not read", "read as root")
    # What could not be read is not erased without being told to.
    terminal.press("Enter", "Replace everything")
    terminal.press("A", "What will you store?")
    terminal.press("Enter", "unreadable during planning")
    terminal.press("Enter", "4 Review", "Read as root")
    terminal.tmux("send-keys", "Enter")
    until(lambda: terminal.screen().count(ASKED) == 1)
    terminal.tmux("send-keys", "wrong", "Enter")
    terminal.shows(
        "Read as root",
        "Root access was not granted: sudo ended with status 1.",
    )
    terminal.tmux("send-keys", "Enter")
    # What was asked before still stands above it.
    until(lambda: terminal.screen().count(ASKED) == 2)
    terminal.tmux("send-keys", "sesame", "Enter")
    until(lambda: len(sudo.words) == 2)
    assert sudo.words == ["wrong", "sesame"]
    terminal.shows("1 Drives")
    assert sudo.ends == [1], f"the second ended:\n{sudo.errors.read_text()}\n{terminal.screen()}"
    choose(terminal, name)
    terminal.shows("empty")
    terminal.press("q", "ended with 0")
