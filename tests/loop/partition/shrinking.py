"""Runs that shrink a filesystem, killed during their writes, then resumed or undone."""

import os
import random
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from time import sleep

import pytest

from tests.daily import one_in
from tests.loop.applying import ended, stand_in, story, until
from tests.loop.partition.test_grown import files_of
from tests.loop.partition.test_one_partition import Shared
from tests.loop.program import Plan, RunState, is_locked, keep, load_record, resume, state, undo
from wizard.apply.engine.record import UNTOUCHED

EVERY_ENDING = [(1, "resume"), (2, "undo"), (3, "resume"), (4, "undo")]
ENDINGS, OTHER_ENDINGS = one_in(4, EVERY_ENDING), one_in(4, reversed(EVERY_ENDING))
"""A seed, from which it follows when the run is killed, and what follows. A day has one of each way: on one
filesystem or on the other."""


def killed_while_it_writes(
    drive: Shared, plan: Plan, seed: int, way: str, files: str, check: Callable[[], object]
) -> None:
    """Kill the run, mostly during its writes. `files` is the fingerprint of files that must survive;
    `check` runs after keep."""
    work = drive.work
    was = work.digest(drive.path)
    run = work.start(plan, keep=False)

    def is_writing() -> bool:
        record = load_record(run)
        return not is_locked(run) or (record is not None and record.phase not in UNTOUCHED)

    until(is_writing)
    sleep(random.Random(seed).uniform(0.0, 0.4))
    if is_locked(run):
        os.kill(int((run / "pid").read_text()), signal.SIGKILL)
        until(lambda: not is_locked(run))
    if way == "undo":
        undo(run)
        assert ended(run) is RunState.UNDONE, story(run)
        assert work.digest(drive.path) == was
    else:
        if state(run) is not RunState.WAITING:
            resume(run)
        assert ended(run) is RunState.WAITING, story(run)
        keep(run)
        assert ended(run) is RunState.KEPT, story(run)
        check()
    assert files_of(drive) == files


def killed_by_tool(
    drive: Shared, plan: Plan, monkeypatch: pytest.MonkeyPatch, tool: str, condition: str = "true"
) -> Path:
    """Return the run of a plan, killed when it first calls a tool for the scratch copy. `condition`: a shell
    command that is true for the call to kill at."""
    work = drive.work
    was, killed = work.digest(drive.path), work.folder / "killed"
    kill = f"{condition} && [ ! -e {killed} ] && {{ touch {killed}; kill -9 $PPID; exit 1; }}"
    stand_in(work.folder, monkeypatch, tool, f'{kill}\nexec {shutil.which(tool)} "$@"')
    run = work.start(plan, keep=False)
    until(lambda: killed.exists() and not is_locked(run))
    assert state(run) is RunState.INTERRUPTED, story(run)
    assert work.digest(drive.path) == was
    return run


def gone_on_with(run: Path) -> None:
    """Resume the run and keep the result."""
    resume(run)
    assert ended(run) is RunState.WAITING, story(run)
    keep(run)
    assert ended(run) is RunState.KEPT, story(run)
