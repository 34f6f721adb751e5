"""A run's folder that is damaged: every command ends in seconds with a sentence and its exit code, and the
drive holds what it held, or what the run may put there, to the bit."""

import io
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from time import monotonic

import pytest

from tests.daily import DAY, IS_FULL
from tests.devices import MakeDrive, forget_partitions, tool
from tests.loop.applying import Work, fill, old_gpt, wish
from tests.loop.attack.corrupting import corrupt
from tests.loop.tune.tuning import Used
from wizard.apply.decide import job_of
from wizard.apply.run import begin, kinds
from wizard.apply.run.journal import Journal, RunState
from wizard.apply.run.process import Purpose
from wizard.cli import carry_out
from wizard.layout.planner import Mode
from wizard.model.errors import DiskwrightError
from wizard.model.journal import Event
from wizard.model.units import MIB

FOLDERS = 250 if IS_FULL else 6
SECONDS = 20.0
READERS = (("status",), ("status", "RUN"), ("status", "RUN", "--json"), ("look", "RUN"), ("report", "RUN"))
WRITERS = (("resume", "RUN"), ("keep", "RUN"), ("undo", "RUN"), ("undo", "RUN", "--over-changes"))


@dataclass
class Commands:
    """Given in this process, and what their runs' processes do as well; `faults` is what no person should
    see."""

    runs: Path
    faults: list[str] = field(default_factory=list)

    def launch(
        self,
        run: Path,
        purpose: Purpose,
        drive_locks: Sequence[int],
        run_lock: int,
        secret: bytes | None = None,
    ) -> None:
        """As `wizard.apply.run.process.launch` and `wizard.apply` do it."""
        locks = tuple(os.dup(lock) for lock in drive_locks)
        try:
            kinds.carry_out(job_of(run), kinds.Work(run, purpose, Journal(run), locks, secret))
        except (OSError, DiskwrightError) as error:
            try:
                Journal(run).end(Event.FAILED, str(error))
            except DiskwrightError:
                pass

    def give(self, words: Sequence[str], told: str) -> None:
        """One, on the damaged run."""
        out, errors, began = io.StringIO(), io.StringIO(), monotonic()
        argv = [str(self.runs / "0001-damaged") if word == "RUN" else word for word in words]
        if words[0] == "report":
            argv += ["-o", str(self.runs.parent / "report.html")]
        else:
            argv += ["--journal", str(self.runs)]
        try:
            with redirect_stdout(out), redirect_stderr(errors):
                code: object = carry_out(argv)
        except SystemExit as end:
            code = end.code
        except BaseException as error:
            trace = error.__traceback
            raise
        if code not in range(5) or monotonic() - began > SECONDS:
            self.faults.append(f"{told}: {' '.join(words)}: {code} in {monotonic() - began:.1f} s")
