"""Work out documents and handle runs in this process, as root. `Elevated` asks another process."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from wizard.apply.run import runs
from wizard.apply.run.backup_store import Environment
from wizard.model.errors import BadInput, DiskwrightError, Refused
from wizard.model.requests import CopyFiles
from wizard.process.deferred import deferred

with deferred(__name__):
    from wizard.apply import packages, run_control
    from wizard.apply.conversion import guard
    from wizard.apply.copy import survey
    from wizard.apply.plan import job as plan_job
    from wizard.apply.run import job, journal, kinds, process, progress_log
    from wizard.apply.settings import plan_settings

if TYPE_CHECKING:
    from wizard.advice.missing import Missing
    from wizard.ext4.assessment import Situation
    from wizard.model.requests import Wanted
    from wizard.model.run import JournalEntry
    from wizard.plan.changes import RunDocument
    from wizard.plan.plan import Plan
    from wizard.plan.text import UndoSpace


class OpenRun(Struct, frozen=True):
    """An active or waiting run. `state`: a RunState value. `drives`: devices in use. `ways`: available
    commands (resume, keep, undo). `why_not`: why no command is available."""

    run: Path
    state: str
    drives: tuple[str, ...]
    ways: tuple[str, ...] = ()
    why_not: str = ""


class LocalRuns:
    """Documents and runs on this machine. All methods but `state` and `status` may take long."""

    def __init__(self, environment: Environment, journal_dir: Path | None = None) -> None:
        self._environment = environment
        self._journal_dir = journal_dir

    def work_out(self, device: str, wanted: Wanted | CopyFiles) -> RunDocument:
        """Plan changes to a filesystem or drive, or count the files and plan a copy. Raises as `act` or
        `survey.work_out` do."""
        if isinstance(wanted, CopyFiles):
            into, takes_place = wanted.into or None, wanted.takes_place
            return survey.work_out(
                wanted.source, wanted.target, into, self._environment, takes_place=takes_place
            )
        return plan_settings.act(device, wanted, self._environment)

    def look_at_ext(self, device: str) -> Situation:
        """Inspect an ext filesystem. Raises as the function of that name does."""
        return guard.look_at_ext(device, self._environment)

    def undo_space(self, plan: Plan) -> UndoSpace:
        """Rehearse a plan to measure the space for undo. Raises DiskwrightError."""
        return plan_job.undo_space(plan, runs.runs_folder(self._journal_dir), self._environment)

    def install(self, missing: Missing, on_line: Callable[[str], None]) -> None:
        """Install missing tools, passing each output line to `on_line`. Raises as `packages.install` does."""
        packages.install(missing, on_line)

    def start(self, document: RunDocument, tokens: Sequence[str], secret: bytes | None = None) -> Path:
        """Start a run of a document, and return its folder. Raises Refused or BadInput."""
        how = job.Start(tuple(tokens), self._journal_dir, self._environment, secret)
        return run_control.job_for(document).start(document, how)

    def open_runs(self) -> tuple[OpenRun, ...]:
        """Return active and waiting runs, newest first. Empty if only root may read them."""
        try:
            found = runs.list_runs(self._journal_dir)
        except (Refused, BadInput):
            return ()
        opened = []
        for run in reversed(found):
            # `diskwright status` reports damaged files.
            with suppress(BadInput):
                now = journal.state(run)
                ways = run_control.job_of(run).working_commands(run, now)
                if now is journal.RunState.RUNNING or ways.said(run):
                    devices = kinds.load(run).devices
                    opened.append(OpenRun(run, now.value, devices, ways.names, str(ways.why_not)))
        return tuple(opened)

    def document(self, run: Path) -> RunDocument:
        """Return the document of a run. Raises BadInput if unreadable."""
        return kinds.load(run)

    def follow(self, run: Path) -> Iterator[JournalEntry]:
        """Yield journal entries of a run until it ends."""
        return journal.follow(run)

    def state(self, run: Path) -> journal.RunState:
        """Return the state of a run. Raises BadInput if its journal is unreadable."""
        return journal.state(run)

    def status(self, run: Path) -> progress_log.RunStatus:
        """Return the progress of a run, and the phase unless the record is damaged."""
        job, progress = run_control.job_of(run), progress_log.read_progress(run)
        try:
            return progress_log.RunStatus(progress, job.phase(run), job.power(run))
        except BadInput:
            return progress_log.RunStatus(progress)

    def next_commands(self, run: Path) -> job.NextCommands:
        """Return the commands that work on a run now, or why none does."""
        try:
            return run_control.job_of(run).working_commands(run, journal.state(run))
        except (DiskwrightError, OSError) as error:
            return job.NextCommands((), str(error))

    def closed(self, run: Path) -> str:
        """Return why a run that can otherwise be undone no longer can, or empty. Reads the drive."""
        window = run_control.job_of(run).rollback(run)
        return window.closed if window else ""

    def request_stop(self, run: Path) -> None:
        """Ask a run to stop before the next step."""
        process.request_stop(run)

    def keep(self, run: Path, secret: bytes | None = None) -> str:
        """Keep the result of a run. Return a confirmation. Raises as `run_control.keep` does."""
        return run_control.keep(run, secret)

    def undo(self, run: Path) -> None:
        """Undo a run, and verify the result. Raises as `run_control.undo` does."""
        run_control.undo(run)

    def writes_over(self, run: Path) -> bool:
        """Return True if resuming a run still overwrites data, so the tokens must be typed again. False
        without root."""
        return not os.geteuid() and bool(run_control.job_of(run).pending_writes(run).steps)

    def wants_secret(self, run: Path) -> bool:
        """Return True if resuming a run requires the encryption passphrase. False without root."""
        if os.geteuid() or not self.document(run).takes_passphrase:
            return False
        return run_control.job_of(run).wants_passphrase(run)

    def resume(self, run: Path, secret: bytes | None = None) -> None:
        """Resume an interrupted run. Raises Refused."""
        run_control.resume(run, secret)
