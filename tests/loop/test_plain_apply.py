"""The line-by-line wizard on drives made here: answered through pipes and on terminals that only print, to a
mounted filesystem."""

import os
import pty
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from time import monotonic

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import ROOT, SECONDS, Work, gate, said, stand_in, until
from wizard.apply.run.journal import RunState, state
from wizard.apply.run.runs import list_runs
from wizard.model.journal import Event
from wizard.model.units import MIB
from wizard.services.rules import Rules

MEDIA = str([profile.workload.id for profile in Rules().profiles()].index("large-media") + 1)
PROGRAM = """
import sys
from pathlib import Path
from wizard import cli
from wizard.apply.run.environment import Environment
from wizard.faces import walk
from wizard.services.real import RealServices
drive, fstab, runs = sys.argv[1:]
environment = Environment(fstab=Path(fstab), only=frozenset({drive}))
walk._services = lambda arguments: RealServices(
    only=(drive,), environment=environment, journal_dir=Path(runs)
)
sys.exit(cli.main(["--plain"]))
"""
"""The wizard as `diskwright --plain` opens it, but that it sees one drive only, and another fstab."""


class Conversation:
    """A program that asks, and the answers; `said` is all that it printed."""

    def __init__(self, argv: list[str], **changes: str) -> None:
        self.process = subprocess.Popen(
            argv,
            cwd=ROOT,
            env={**os.environ, **changes},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        assert self.process.stdin and self.process.stdout
        self.into, self.out = self.process.stdin.fileno(), self.process.stdout.fileno()
        self.said = ""

    def asked(self, words: str = "") -> str:
        """What was said since the last answer, as soon as the program waits for one to a question with these
        words."""
        return self.until("Answer: ", words)

    def until(self, *wanted: str) -> str:
        since, end = len(self.said), monotonic() + SECONDS
        while not all(word in self.said[since:] for word in wanted):
            assert monotonic() < end, self.said
            more = self._read()
            assert more, self.said
            self.said += more
        return " ".join(self.said[since:].split())

    def _read(self) -> str:
        ready, _, _ = select.select([self.out], [], [], SECONDS)
        assert ready, self.said
        try:
            return os.read(self.out, 65536).decode()
        except OSError:
            return ""

    def answer(self, *answers: str) -> None:
        """One after the other, each when it is asked for."""
        for index, answer in enumerate(answers):
            if index:
                self.asked()
            os.write(self.into, f"{answer}\n".encode())

    def ended(self) -> int:
        """The exit code, when no more answers come."""
        os.close(self.into)
        while more := self._read():
            self.said += more
        return self.process.wait(timeout=SECONDS)


class Window(Conversation):
    """The same on a terminal of its own."""

    def __init__(self, argv: list[str], **changes: str) -> None:
        pid, self.into = pty.fork()
        if not pid:
            with suppress(OSError):
                os.execve(argv[0], argv, {**os.environ, **changes})
            os._exit(127)
        self.pid, self.out, self.said = pid, self.into, ""

    def ended(self) -> int:
        while more := self._read():
            self.said += more
        os.close(self.into)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def plain_wizard(work: Work, drive: str) -> Conversation:
    """On this drive, which was made here."""
    work.bench.own(drive)
    return Conversation([sys.executable, "-c", PROGRAM, drive, str(work.fstab), str(work.runs)])


def run_of(work: Work) -> Path:
    (run,) = list_runs(work.runs)
    return run


def test_from_piped_answers_to_a_mounted_filesystem(work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(512 * MIB)
    place = work.place("films")
    wizard = plain_wizard(work, drive)
    try:
        wizard.asked("Which drive is to be set up?")
        wizard.answer(
            "",
            MEDIA,
            "",
            "3",
            "",
            "",
            "",
            "films",
            str(place),
            "",
            "",
            "",
            "",
            "wrong",
            drive.removeprefix("/dev/"),
        )
        result = wizard.until("Step 9 of 9", "Answer: ")
        assert wizard.ended() == 0, wizard.said
        run = run_of(work)
        assert state(run) is RunState.DONE
        assert "That is not this drive's token" in wizard.said
        # Long names are broken wherever a line ends.
        flat = "".join(wizard.said.split())
        assert all("".join(entry.sentence.split()) in flat for entry in said(run, Event.STEP_STARTED))
        checks = said(run, Event.VERIFIED)
        assert checks and f"Checked afterwards: {len(checks)} of {len(checks)} hold." in result
        assert tool("blkid", "-p", "-o", "value", "-s", "LABEL", f"{drive}p1").strip() == "films"
        kind = tool("blkid", "-p", "-o", "value", "-s", "TYPE", f"{drive}p1").strip()
        assert tool("findmnt", "-n", "-o", "SOURCE,FSTYPE", str(place)).split() == [f"{drive}p1", kind]
        assert str(place) in work.fstab.read_text()
        assert all(char == "\n" or " " <= char <= "~" for char in wizard.said)
    finally:
        wizard.process.kill()
        if place.is_mount():
            tool("umount", str(place))


def hold_makers(work: Work, wizard: Conversation, monkeypatch: pytest.MonkeyPatch, opened: Path) -> None:
    """Have makers wait for a file from the last question on: until then the plan was tried out."""
    assert "The way back takes" in wizard.asked("The last question.")
    for name in ("mkfs.xfs", "mkfs.ext4", "mkfs.btrfs"):
        stand_in(work.folder / "bin", monkeypatch, name, gate(name, opened))


def test_ctrl_c_while_applying_asks_and_can_stop_the_run(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = make_drive(512 * MIB)
    opened = work.folder / "opened"
    stand_in(work.folder / "bin", monkeypatch, "unused", "true")
    wizard = plain_wizard(work, drive)
    try:
        wizard.asked("Which drive is to be set up?")
        wizard.answer(
            "",
            MEDIA,
            "",
            "3",
            "",
            "",
            "",
            "",
            str(work.place("films")),
            "",
            "",
            "",
            "",
        )
        hold_makers(work, wizard, monkeypatch, opened)
        wizard.answer(drive.removeprefix("/dev/"))
        until(lambda: opened.with_name("opened.reached").exists())
        wizard.process.send_signal(signal.SIGINT)
        assert "Leave it to itself." in wizard.asked("What now?")
        wizard.answer("2")
        wizard.until("It will stop when the present step is done.")
        opened.touch()
        wizard.until("Step 9 of 9", "Answer: ")
        assert wizard.ended() == 4, wizard.said
        assert state(run_of(work)) is RunState.STOPPED
        assert "The run stopped, as it was asked to, before anything was written" in " ".join(
            wizard.said.split()
        )
        assert "Not done: step " in wizard.said and "Traceback" not in wizard.said
        assert not work.place("films").is_mount()
    finally:
        wizard.process.kill()


def test_ctrl_c_twice_leaves_the_run_to_itself(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = make_drive(512 * MIB)
    opened = work.folder / "opened"
    stand_in(work.folder / "bin", monkeypatch, "unused", "true")
    wizard = plain_wizard(work, drive)
    try:
        wizard.asked("Which drive is to be set up?")
        wizard.answer("", MEDIA, "", "", "", "")
        hold_makers(work, wizard, monkeypatch, opened)
        wizard.answer(drive.removeprefix("/dev/"))
        until(lambda: opened.with_name("opened.reached").exists())
        wizard.process.send_signal(signal.SIGINT)
        wizard.asked("What now?")
        wizard.process.send_signal(signal.SIGINT)
        assert wizard.ended() == 0, wizard.said
        assert "Traceback" not in wizard.said
        run = run_of(work)
        assert state(run) is RunState.RUNNING
        opened.touch()
        until(lambda: state(run) is RunState.DONE)
    finally:
        wizard.process.kill()


@pytest.fixture
def demos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where the demo makes its folder; nothing may be left in it."""
    folder = tmp_path / "demos"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    yield folder
    assert not list(folder.iterdir())


def demo(**changes: str) -> Window:
    return Window([sys.executable, "-m", "wizard", "demo"], **changes)


def test_a_dumb_terminal_is_asked_line_by_line_to_the_checked_result(demos: Path) -> None:
    window = demo(TERM="dumb")
    first = window.asked("Which drive is to be set up?")
    assert "TERM is dumb" in first and "Warning: " in first
    drive = next(word.rstrip(":") for word in first.split() if word.startswith("/dev/loop"))
    window.answer("", MEDIA, "", "", "", "", "", drive.removeprefix("/dev/"))
    result = window.until("Step 9 of 9", "Answer: ")
    assert "Done, not yet in use: keep it to use it, or undo it." in result
    window.answer("2", "2")
    kept = window.until("Checked afterwards: ", "Answer: ")
    assert "Kept: the drive is in use as it was shown" in " ".join(kept.split())
    assert " GB ready at" in kept and "does not hold" not in kept
    window.answer("")
    assert window.ended() == 0, window.said
    assert all(char in "\r\n" or " " <= char <= "~" for char in window.said)
    assert "\x1b" not in window.said and max(map(len, window.said.splitlines())) <= 79


def test_ctrl_c_while_asking_ends_with_nothing_written(demos: Path) -> None:
    window = demo(TERM="dumb")
    window.asked("Which drive is to be set up?")
    os.write(window.into, b"\x03")
    assert window.ended() == 130
    assert "Ended by you. Nothing has been written to any drive." in window.said
    assert "Traceback" not in window.said


def test_the_end_of_input_on_a_terminal_ends_without_a_question(demos: Path) -> None:
    window = demo(TERM="dumb")
    window.asked("Which drive is to be set up?")
    os.write(window.into, b"\x04")
    assert window.ended() == 130
    assert window.said.splitlines()[-1] == "Ended. Nothing has been written to any drive."
