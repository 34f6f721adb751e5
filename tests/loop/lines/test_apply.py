"""The line-by-line wizard on test drives, through pipes and line-mode terminals, up to a mounted
filesystem."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import ROOT, Work, ended, said, stand_in, until
from tests.loop.lines.conversing import MEDIA, Conversation, Window, hold_makers, plain_wizard, run_of
from tests.loop.program import MIB, Event, RunState, state


def to_review(wizard: Conversation) -> None:
    """Accept the defaults for an empty drive and large media files."""
    wizard.asked("Step 1 of 5: Drives", "set up")
    wizard.answer("", MEDIA, "")


def test_piped_answers_end_with_a_mounted_filesystem(work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(512 * MIB)
    place = work.place("films")
    wizard = plain_wizard(work, drive)
    try:
        wizard.asked("Step 1 of 5: Drives", "set up")
        wizard.answer("", MEDIA, "e")
        # Each field of the volume is a question; an empty line keeps what it has.
        form = {"Label (": "films", "Mount point (": str(place)}
        while "e edit" not in (question := wizard.asked()):
            wizard.answer(next((text for caption, text in form.items() if caption in question), ""))
        wizard.answer("")
        assert "Nothing is lost." in wizard.asked("Step 4 of 5: Review", "Serial")
        wizard.answer("wrong")
        assert "loop" in wizard.asked("Serial")
        wizard.answer(drive.removeprefix("/dev/"))
        result = wizard.until("Journal:", "Answer: ")
        assert wizard.ended() == 0, wizard.said
        run = run_of(work)
        assert state(run) is RunState.DONE
        assert "to confirm loop" in " ".join(wizard.said.split())
        checks = said(run, Event.VERIFIED)
        assert checks and f"All {len(checks)} checks passed" in result
        assert f"readyat{place}" in "".join(result.split())
        assert tool("blkid", "-p", "-o", "value", "-s", "LABEL", f"{drive}p1").strip() == "films"
        kind = tool("blkid", "-p", "-o", "value", "-s", "TYPE", f"{drive}p1").strip()
        assert tool("findmnt", "-n", "-o", "SOURCE,FSTYPE", str(place)).split() == [f"{drive}p1", kind]
        assert str(place) in work.fstab.read_text()
        assert all(char == "\n" or " " <= char <= "~" for char in wizard.said)
    finally:
        wizard.process.kill()
        if place.is_mount():
            tool("umount", str(place))


def held(work: Work, drive: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Conversation, Path]:
    """Return the wizard with the run paused in mkfs, and the file that lets it continue."""
    opened = work.folder / "opened"
    stand_in(work.folder / "bin", monkeypatch, "unused", "true")
    wizard = plain_wizard(work, drive)
    to_review(wizard)
    hold_makers(work, wizard, monkeypatch, opened)
    wizard.answer(drive.removeprefix("/dev/"))
    until(lambda: opened.with_name("opened.reached").exists())
    return wizard, opened


def test_ctrl_c_during_apply_asks_and_can_stop_the_run(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = make_drive(512 * MIB)
    wizard, opened = held(work, drive, monkeypatch)
    try:
        wizard.process.send_signal(signal.SIGINT)
        watching = wizard.asked("Empty line: continue watching.")
        assert "S stop" in watching and "leave running" in watching
        wizard.answer("S")
        monkeypatch.setattr("tests.loop.lines.conversing.SECONDS", 15.0)
        wizard.asked("y stop")
        wizard.answer("y")
        wizard.until("Stopping as soon as it is safe.")
        opened.touch()
        wizard.until("Journal:", "Answer: ")
        assert wizard.ended() == 4, wizard.said
        assert state(run_of(work)) is RunState.STOPPED
        assert "Traceback" not in wizard.said
    finally:
        wizard.process.kill()


def test_second_ctrl_c_leaves_the_run_in_the_background(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = make_drive(512 * MIB)
    wizard, opened = held(work, drive, monkeypatch)
    try:
        wizard.process.send_signal(signal.SIGINT)
        wizard.asked("Empty line: continue watching.")
        wizard.process.send_signal(signal.SIGINT)
        assert wizard.ended() == 0, wizard.said
        assert "Traceback" not in wizard.said and "No data was written" not in wizard.said
        run = run_of(work)
        assert state(run) is RunState.RUNNING
        opened.touch()
        assert ended(run) is RunState.DONE
    finally:
        wizard.process.kill()


@pytest.fixture
def demos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The parent folder of the demo's folder. Must be empty afterwards."""
    folder = tmp_path / "demos"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    yield folder
    assert not list(folder.iterdir())


def demo(**changes: str) -> Window:
    return Window([sys.executable, "-m", "wizard", "demo"], **changes)


def test_dumb_terminal_works_up_to_the_verified_result(demos: Path) -> None:
    window = demo(TERM="dumb")
    first = window.asked("Step 1 of 5: Drives")
    assert "TERM is dumb" in first and "warning: " in first
    drive = next(word for word in first.split() if word.startswith("loop")).rstrip(",:")
    # The menu: everything on it anew.
    window.answer("", "A", MEDIA, "", drive)
    result = window.until("Journal:", "Answer: ")
    assert "not in use yet" in result
    window.answer("K")
    window.asked("y keep")
    window.answer("y")
    kept = window.until("ready at", "checks passed", "Answer: ")
    assert " GB ready at" in kept
    window.answer("q")
    if "y " in (last := window.said[-400:]) and "Answer: " in last.splitlines()[-1]:
        window.answer("y")
    assert window.ended() == 0, window.said
    assert all(char in "\r\n" or " " <= char <= "~" for char in window.said)
    assert "\x1b" not in window.said and max(map(len, window.said.splitlines())) <= 79


def test_ctrl_c_during_the_questions_writes_no_data(demos: Path) -> None:
    window = demo(TERM="dumb")
    window.asked("Step 1 of 5: Drives")
    os.write(window.into, b"\x03")
    assert window.ended() == 130
    flat = " ".join(window.said.split())
    assert flat.endswith("Interrupted. Ended. No data was written to any drive.")
    assert "Traceback" not in window.said


def test_end_of_input_on_a_terminal_ends_without_a_question(demos: Path) -> None:
    window = demo(TERM="dumb")
    window.asked("Step 1 of 5: Drives")
    os.write(window.into, b"\x04")
    assert window.ended() == 130
    assert window.said.splitlines()[-1] == "Ended. No data was written to any drive."
