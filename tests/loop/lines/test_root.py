"""The line-by-line wizard of an ordinary user: it inspects, asks for root, inspects again and applies."""

import os
import re
import shutil
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work
from tests.loop.faces.ending import KEYS, SIGNALS, ask_to_end, code_of, end
from tests.loop.lines.conversing import MEDIA, Conversation, Window
from tests.loop.program import MIB
from tests.loop.root.rooting import Sudo, as_nobody

FSTAB = Path("/etc/fstab")


def row_of(drive: str, text: str) -> str:
    """Return the text of a drive's row in the list."""
    found = re.search(rf"\d+\. {drive.removeprefix('/dev/')}, (.*?)(?= \d+\. |Enter a number|Number: )", text)
    assert found, text
    return found[1]


def number_of(drive: str, text: str) -> str:
    """Return the number of a drive's row."""
    found = re.search(rf"(\d+)\. {drive.removeprefix('/dev/')}, ", text)
    assert found, text
    return found[1]


@pytest.mark.alone
def test_ordinary_user_creates_a_filesystem(plain_folder: Path, make_drive: MakeDrive) -> None:
    drive = make_drive(512 * MIB)
    fstab = FSTAB.read_bytes() if FSTAB.exists() else b""
    sudo = Sudo(plain_folder / "bin")
    argv = [*as_nobody(), "-m", "wizard", "--plain", "--journal", str(plain_folder / "runs")]
    wizard = Conversation(argv, PATH=f"{sudo.folder}{os.pathsep}{os.environ['PATH']}", HOME=str(plain_folder))

    try:
        unread = wizard.asked("Step 1 of 5: Drives")
        assert "not read" in row_of(drive, unread) and "empty" not in row_of(drive, unread)
        wizard.answer(number_of(drive, unread), "A", MEDIA)
        assert "could not be read" in wizard.asked("Step 3 of 5: Plan")
        wizard.answer("")
        wizard.asked("Step 4 of 5: Review", "read as root")
        assert not sudo.calls
        wizard.answer("")
        read = wizard.asked("Step 1 of 5: Drives")
        while "empty" not in row_of(drive, read):
            wizard.answer("l")
            read = wizard.asked()
        assert len(sudo.calls) == 1
        # The machine's own fstab is not the test's to write.
        wizard.answer(number_of(drive, read), "", "e")
        while "e edit" not in (question := wizard.asked()):
            wizard.answer("none" if "Mount point (" in question else "")
        wizard.answer("", drive.removeprefix("/dev/"))
        wizard.until("Journal:", "Answer: ")
        assert wizard.ended() == 0, wizard.said
        assert len(sudo.calls) == 1
        assert (FSTAB.read_bytes() if FSTAB.exists() else b"") == fstab
        assert "Set up as shown, and checked:" in " ".join(wizard.said.split())
        assert tool("blkid", "-p", "-o", "value", "-s", "LABEL", f"{drive}p1").strip() == "media"
    finally:
        wizard.process.kill()
        sudo.close()


@pytest.mark.alone
@pytest.mark.parametrize("way", [*KEYS, *SIGNALS])
def test_cancelled_password_prompt_changes_no_drive(
    plain_folder: Path, work: Work, make_drive: MakeDrive, way: str
) -> None:
    drive = make_drive(512 * MIB)
    before = work.digest(drive)
    sudo = Sudo(plain_folder / "bin", password="sesame")
    argv = [shutil.which("setpriv") or "", *as_nobody()[1:]]
    window = Window(
        [*argv, "-m", "wizard", "--plain", "--journal", str(plain_folder / "runs")],
        PATH=f"{sudo.folder}{os.pathsep}{os.environ['PATH']}",
        HOME=str(plain_folder),
    )
    try:
        window.asked("Step 1 of 5: Drives")
        window.answer("o")
        window.until("stand-in's password:")
        if way in SIGNALS:
            assert end(window, way) == -SIGNALS[way], window.said
        else:
            ask_to_end(window, way)
            again = window.asked("Root access was not granted")
            assert "Root access was not granted: sudo ended with status 1. Nothing was written." in again
            ask_to_end(window, "ctrl-c")
            assert code_of(window, "ctrl-c") == 130
            assert "No data was written to any drive." in " ".join(window.said.split())
        assert "Traceback" not in window.said
        assert work.digest(drive) == before and not (plain_folder / "runs").exists()
    finally:
        sudo.close()
