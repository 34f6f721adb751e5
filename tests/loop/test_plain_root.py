"""The line-by-line wizard of a plain user: it looks, asks for root, looks again and applies."""

import os
import re
import shutil
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work
from tests.loop.ending import KEYS, SIGNALS, ask_to_end, code_of, end
from tests.loop.rooting import Sudo, as_nobody
from tests.loop.test_plain_apply import MEDIA, Conversation, Window
from wizard.model.units import MIB


@pytest.mark.alone
def test_a_plain_user_answers_to_a_made_filesystem(plain_folder: Path, make_drive: MakeDrive) -> None:
    drive = make_drive(512 * MIB)
    sudo = Sudo(plain_folder / "bin")
    argv = [*as_nobody(), "-m", "wizard", "--plain", "--journal", str(plain_folder / "runs")]
    wizard = Conversation(argv, PATH=f"{sudo.folder}{os.pathsep}{os.environ['PATH']}", HOME=str(plain_folder))

    def number(text: str) -> str:
        found = re.search(rf"(\d+)\. {drive}: ", text)
        assert found, text
        return found[1]

    try:
        wizard.answer(number(wizard.asked("Which drive is to be set up?")), MEDIA, "", "1", "", "", "")
        assert "Nothing is written by that." in wizard.asked("Ask for root's rights")
        assert not sudo.calls
        wizard.answer("2")
        again = wizard.asked("Which drive is to be set up?")
        assert "Holds nothing: no table, no partition, no filesystem." in again.partition(drive + ": ")[2]
        wizard.answer(number(again), "", "", "", "", "", drive.removeprefix("/dev/"))
        assert wizard.ended() == 0, wizard.said
        assert len(sudo.calls) == 1
        assert "The drive is set up as it was shown, and was checked." in " ".join(wizard.said.split())
        assert tool("blkid", "-p", "-o", "value", "-s", "LABEL", f"{drive}p1").strip() == "media"
    finally:
        wizard.process.kill()
        sudo.close()


@pytest.mark.alone
@pytest.mark.parametrize("way", [*KEYS, *SIGNALS])
def test_the_question_for_a_password_is_left(
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
        found = re.search(rf"(\d+)\. {drive}: ", window.asked("Which drive is to be set up?"))
        assert found, window.said
        window.answer(found[1], MEDIA, "", "1", "", "", "")
        window.asked("Ask for root's rights")
        window.answer("2")
        window.until("stand-in's password:")
        if way in SIGNALS:
            assert end(window, way) == -SIGNALS[way], window.said
        else:
            ask_to_end(window, way)
            again = window.asked("What now?")
            assert "Root was not given: sudo ended with status 1. Nothing was written." in again
            ask_to_end(window, "ctrl-c")
            assert code_of(window, "ctrl-c") == 130
            assert "Ended by you. Nothing has been written to any drive." in " ".join(window.said.split())
        assert "Traceback" not in window.said
        assert work.digest(drive) == before and not (plain_folder / "runs").exists()
    finally:
        sudo.close()
