"""Commands killed at random moments, and a user who then follows `status`."""

import hashlib
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from time import monotonic, sleep

from tests.loop.applying import ROOT, Work, until
from tests.loop.program import DiskwrightError, RunState, is_locked, state

NAMED = re.compile(r"diskwright (resume|undo|keep) (\S+)((?: --[a-z-]+(?: [^-\s]\S*)?)*)")
OVER = (RunState.DONE, RunState.KEPT, RunState.UNDONE)
PATIENCE = 8
"""So many commands lead to the end once nothing is killed any more."""
LONGEST = 240.0


@dataclass
class Killed:
    """A command and its environment. `is_old` must be true after `undo`, `is_new` after success."""

    work: Work
    words: tuple[str, ...]
    is_old: Callable[[], bool]
    is_new: Callable[[], bool]
    first: tuple[tuple[str, ...], ...] = ()
    told: list[str] = field(default_factory=list)

    @property
    def run(self) -> Path | None:
        """Newest run, or None."""
        return max(self.work.runs.glob("0*"), default=None)

    def dies(self, dice: Random) -> None:
        """Run the first commands, then kill the main one. Perhaps kill a command that `status` recommends.
        Then finish."""
        for words in self.first:
            self.gives(words)
        self.gives(self.words, dice)
        if dice.random() < 0.5 and self.named():
            self.gives(self.chosen(dice), dice)
        for _ in range(PATIENCE):
            if self.run is None or not self.named():
                if self.run is not None and state(self.run) in OVER:
                    break
                # Nothing was begun, or nothing was written.
                self.gives(self.words)
            else:
                self.gives(self.chosen(dice))
        self.checks()

    def checks(self) -> None:
        """Check that the run ended with the right content."""
        assert self.run is not None, self.story
        end = state(self.run)
        assert end in OVER, f"{end}: {self.story}"
        right = self.is_old if end is RunState.UNDONE else self.is_new
        assert right(), f"{end}, and it is not so: {self.story}"

    @property
    def story(self) -> str:
        """Commands and their output."""
        return "\n".join(self.told)

    def named(self) -> list[tuple[str, ...]]:
        """Return the commands that `status` recommends for the newest run."""
        if self.run is None or state(self.run) in OVER:
            return []
        said = self.gives(("status", str(self.run)))
        return [
            (command, str(self.run), *shlex.split(options.replace("`", " ").replace(".", " ")))
            for command, name, options in NAMED.findall(said)
            if name.strip("`.,;") in (str(self.run), self.run.name)
        ]

    def chosen(self, dice: Random) -> tuple[str, ...]:
        """Return one of the recommended commands."""
        named = self.named()
        assert named, f"no command is named: {self.story}"
        return dice.choice(named)

    def gives(self, words: Sequence[str], killed_by: Random | None = None) -> str:
        """Run a command and return the output. With `killed_by`, kill it at a random moment."""
        if words[0] in ("resume", "undo", "keep", "status"):
            words = (*words, "--journal", str(self.work.runs))
        process = subprocess.Popen(
            (sys.executable, "-m", "wizard", *words),
            cwd=ROOT,
            env={**os.environ, "DISKWRIGHT_STATE": str(self.work.folder), "NO_COLOR": "1", "COLUMNS": "9999"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        how = self._kill(process, killed_by) if killed_by else ""
        out, _ = process.communicate(timeout=LONGEST)
        said = " ".join(out.split())
        self.told.append(f"{' '.join(words)} {how}\n    {process.returncode}: {said[-600:]}")
        assert "Traceback" not in said, self.story
        if killed_by is None:
            assert process.returncode in range(5), self.story
        self._settle()
        return said

    def _kill(self, process: subprocess.Popen[str], dice: Random) -> str:
        """Wait for a random time or number of journal entries. Then kill the run, the command, both, or
        all children."""
        what, entries = dice.choice(("run", "command", "both", "all")), dice.randrange(1, 40)
        end = monotonic() + (dice.random() * 4 if dice.random() < 0.5 else LONGEST)
        known = len(list(self.work.runs.glob("0*/")))
        lines = self._lines()
        while process.poll() is None and monotonic() < end and self._lines() < lines + entries:
            sleep(0.002)
        sleep(dice.random() * dice.choice((0.0, 0.02, 0.2)))
        number = self._number()
        if what in ("command", "both", "all"):
            process.kill()
        if what != "command" and number:
            _end(number, with_all=what == "all")
        return f"({what} killed after {self._lines() - lines} entries, {known} runs)"

    def _lines(self) -> int:
        try:
            return (self.run / "journal.jsonl").read_bytes().count(b"\n") if self.run else 0
        except OSError:
            return 0

    def _number(self) -> int:
        """Return the process id of the run, or 0."""
        with suppress(OSError, ValueError, DiskwrightError):
            if self.run is not None and is_locked(self.run):
                return int((self.run / "pid").read_text())
        return 0

    def _settle(self) -> None:
        until(lambda: self.run is None or not is_locked(self.run), LONGEST)


def _end(number: int, *, with_all: bool) -> None:
    """Kill the process of a run, the leader of its session. With `with_all`, kill the whole session."""
    numbers = [number]
    # It may end by itself meanwhile.
    with suppress(ProcessLookupError):
        session = os.getsid(number) if with_all else 0
        for entry in Path("/proc").glob("[0-9]*") if with_all else ():
            with suppress(ProcessLookupError):
                if os.getsid(int(entry.name)) == session:
                    numbers.append(int(entry.name))
    for one in numbers:
        with suppress(ProcessLookupError):
            os.kill(one, signal.SIGKILL)


def files_in(place: Path) -> str:
    """Return a fingerprint of file names and contents."""
    sums = hashlib.sha256()
    for path in sorted(place.rglob("*")):
        if path.name != "lost+found":
            sums.update(os.fsencode(path.relative_to(place)))
            if path.is_file() and not path.is_symlink():
                sums.update(path.read_bytes())
    return sums.hexdigest()
