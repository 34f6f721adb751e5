"""The line-by-line wizard in a process, on test drives, with answers through a pipe or a line-mode
terminal."""

import os
import pty
import select
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from time import monotonic

import pytest

from tests.loop.applying import ROOT, SECONDS, Work, gate, stand_in
from tests.loop.program import list_runs
from wizard.advice.workloads import load_workloads

MEDIA = str([profile.workload.id for profile in load_workloads()].index("large-media") + 1)
PROGRAM = """
import sys
from pathlib import Path
from wizard.cli.main import main
from wizard.apply.run.backup_store import Environment
from wizard.cli import open_wizard
from wizard.host.services import Services
drive, fstab, runs = sys.argv[1:]
environment = Environment(fstab=Path(fstab), only=frozenset({drive}))
open_wizard._services = lambda arguments: Services(
    only=(drive,), environment=environment, journal_dir=Path(runs)
)
sys.exit(main(["--plain"]))
"""
"""The wizard as `diskwright --plain` opens it, but that it sees one drive only, and another fstab."""


class Conversation:
    """A program that asks, and the answers. `said` is its whole output."""

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

    def asked(self, *words: str) -> str:
        """Wait for a question with these words. Return the output since the last answer."""
        return self.until("Answer: ", *words)

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
        """Give each answer when the program asks."""
        for index, answer in enumerate(answers):
            if index:
                self.asked()
            os.write(self.into, f"{answer}\n".encode())

    def ended(self) -> int:
        """Close the input and return the exit code."""
        os.close(self.into)
        while more := self._read():
            self.said += more
        return self.process.wait(timeout=SECONDS)


class Window(Conversation):
    """A conversation on a terminal."""

    def __init__(self, argv: list[str], **changes: str) -> None:
        pid, self.into = pty.fork()
        if not pid:
            with suppress(OSError):
                os.execvpe(argv[0], argv, {**os.environ, **changes})
            os._exit(127)
        self.pid, self.out, self.said = pid, self.into, ""

    def ended(self) -> int:
        while more := self._read():
            self.said += more
        os.close(self.into)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def plain_wizard(work: Work, drive: str) -> Conversation:
    """Start the line-by-line wizard on a test drive."""
    work.bench.own(drive)
    return Conversation([sys.executable, "-c", PROGRAM, drive, str(work.fstab), str(work.runs)])


def run_of(work: Work) -> Path:
    (run,) = list_runs(work.runs)
    return run


def hold_makers(work: Work, wizard: Conversation, monkeypatch: pytest.MonkeyPatch, opened: Path) -> None:
    """Make mkfs programs wait for a file, once Review shows the plan."""
    wizard.asked("Step 4 of 5: Review", "Serial")
    for name in ("mkfs.xfs", "mkfs.ext4", "mkfs.btrfs"):
        stand_in(work.folder / "bin", monkeypatch, name, gate(name, opened))
