"""Start, follow, keep and undo runs on this machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.host.services import Services
from wizard.host.session import OpenRun
from wizard.model.errors import BadInput, Refused
from wizard.model.said import t

if TYPE_CHECKING:
    from wizard.advice.missing import Missing
    from wizard.apply.engine.record import Phase
    from wizard.apply.privilege.ask import RootProgram
    from wizard.apply.privilege.client import Elevated
    from wizard.apply.run.backup_store import Environment
    from wizard.apply.run.journal import RunState
    from wizard.apply.run.progress_log import StepProgress
    from wizard.apply.run_control import NextCommands
    from wizard.model.requests import Wanted
    from wizard.model.run import JournalEntry
    from wizard.model.said import Message
    from wizard.plan.changes import Changes, RunDocument


# Packages are imported inside methods, so the first list of drives appears before they are loaded.


class WithRoot(Services):
    """Root privileges of this process, or the means to obtain them. `only` restricts the machine to some
    drives, as in the demo. `environment` and `journal_dir` are passed to `apply`."""

    def __init__(
        self,
        only: Sequence[str] | None = None,
        environment: Environment | None = None,
        journal_dir: Path | None = None,
    ) -> None:
        super().__init__()
        self._only = None if only is None else tuple(only)
        self._environment = environment
        self._journal_dir = journal_dir
        self._elevated: Elevated | None = None
        self.demo = only is not None

    @property
    def obstacle(self) -> str:
        """Measuring is not delegated, so this process itself must be root."""
        return str(t("Only root can measure and write drives.")) if self.needs_root else ""

    @property
    def needs_root(self) -> bool:
        """True if this process is not root."""
        return os.geteuid() != 0

    @property
    def apply_obstacle(self) -> str:
        """Empty if a program can request root privileges."""
        return "" if self._elevated or self._way else self.obstacle

    @property
    def asks_for_root(self) -> bool:
        """True until root privileges have been requested once."""
        return self.needs_root and self._root is None and self._way is not None

    def obtain_root(self) -> None:
        """Request root privileges by sudo, run0 or pkexec."""
        if not self.needs_root or self._root is not None:
            return
        if self._way is None:
            raise Refused(
                str(
                    t(
                        "{why} Neither sudo, run0 nor pkexec is available. Nothing was written.",
                        why=self.obstacle,
                    )
                )
            )
        from wizard.apply.privilege.client import Elevated

        self._elevated = Elevated(self._way)

    def install_offer(self, missing: Missing) -> str:
        """Ask the package manager for the cost, as an unprivileged user or as root."""
        from wizard.apply.packages import cost, offer

        return str(offer(missing, cost(missing)))

    def install(self, missing: Missing, on_line: Callable[[str], None]) -> None:
        """Install directly as root, else in the privileged process."""
        from wizard.apply.packages import install

        if self.needs_root:
            self._asked_root.install(missing.programs, on_line)
        else:
            install(missing, on_line)

    @cached_property
    def _way(self) -> RootProgram | None:
        """Return the program to request root privileges. None for root, and with restricted drives or another
        fstab, which are not passed on."""
        if not self.needs_root or self._only is not None or self._environment is not None:
            return None
        from wizard.apply.privilege.ask import find_root_program

        return find_root_program()

    @property
    def _root(self) -> Elevated | None:
        """Privileged process, or None if not running."""
        return self._elevated if self._elevated is not None and not self._elevated.gone else None

    @property
    def _asked_root(self) -> Elevated:
        """Privileged process, started if necessary. Raises Refused if root privileges are denied."""
        self.obtain_root()
        assert self._elevated is not None
        return self._elevated

    @property
    def _apply_environment(self) -> Environment:
        """Environment passed to `apply`."""
        from wizard.apply.run.backup_store import Environment

        return self._environment or Environment(only=None if self._only is None else frozenset(self._only))


class Running(WithRoot):
    """Runs on this machine. For an unprivileged user, the privileged process starts one run, and only knows
    that one."""

    def start(self, document: RunDocument, tokens: Sequence[str], secret: bytes | None = None) -> Path:
        """Start a detached process, as root."""
        if self.needs_root:
            return self._asked_root.start(document, tokens, self._journal_dir, secret)
        from wizard.apply.run.job import Start
        from wizard.apply.run_control import starting

        how = Start(tuple(tokens), self._journal_dir, self._apply_environment, secret)
        return starting(document).start_document(document, how)

    def follow(self, run: Path, meanwhile: Callable[[], None] | None = None) -> Iterator[JournalEntry]:
        """Read the journal's file, or ask the privileged process."""
        if self._elevated is not None:
            return self._elevated.follow(run, meanwhile)
        from wizard.apply.run.journal import follow

        return follow(run, meanwhile=meanwhile)

    def state(self, run: Path) -> RunState:
        """Read the journal and the run's lock, or ask the privileged process."""
        if self._elevated is not None:
            return self._elevated.state
        from wizard.apply.run.journal import state

        return state(run)

    def request_stop(self, run: Path) -> None:
        """Create a marker in the run's folder, as root."""
        if self._elevated is not None:
            self._elevated.request_stop()
            return
        from wizard.apply.run.job import request_stop

        request_stop(run)

    def progress(self, run: Path) -> StepProgress | None:
        """Read the run's folder, or ask the privileged process."""
        if self._elevated is not None:
            return self._elevated.progress
        from wizard.apply.run.progress_log import read_progress

        return read_progress(run)

    def power(self, run: Path) -> str:
        """Derive it from the run's phase, or ask the privileged process."""
        if self._elevated is not None:
            return self._elevated.power
        from wizard.apply.run_control import power_text

        return power_text(run)

    def phase(self, run: Path) -> Phase | None:
        """Read the run's folder, or ask the privileged process."""
        if self._elevated is not None:
            return self._elevated.phase
        from wizard.apply.run_control import phase_or_none

        return phase_or_none(run)

    def closed(self, run: Path) -> str:
        """Check the superblock. Empty for an unprivileged user; undo then reports the reason."""
        if self._elevated is not None:
            return ""
        from wizard.apply.conversion.rollback import closed_sentence

        return closed_sentence(run)

    def keep(self, run: Path, secret: bytes | None = None) -> str:
        """Keep the run, in the process that started it as root."""
        if self._elevated is not None:
            return self._elevated.keep(secret)
        from wizard.apply.run_control import keep

        return keep(run, secret)

    def undo(self, run: Path) -> None:
        """Undo the run, in the process that started it as root."""
        if self._elevated is not None:
            self._elevated.undo()
            return
        from wizard.apply.run_control import undo

        undo(run)

    def writes_over(self, run: Path) -> bool:
        """See `Services.writes_over`. False for an unprivileged user, since the command asks."""
        from wizard.plan.plan import Plan

        plan = None if self.needs_root else self.document(run)
        if not isinstance(plan, Plan):
            return False
        from wizard.apply.plan.run import still_writes_over

        return bool(still_writes_over(run, plan))

    def wants_secret(self, run: Path) -> bool:
        """See `Services.wants_secret`. False for an unprivileged user, since the command asks."""
        from wizard.apply.plan.rehearsed import wants_passphrase
        from wizard.plan.plan import Plan

        plan = None if self.needs_root else self.document(run)
        return isinstance(plan, Plan) and plan.takes_passphrase and wants_passphrase(run, plan)

    def resume(self, run: Path, secret: bytes | None = None) -> None:
        """Resume the run as root. Raises Refused for an unprivileged user, with the command to run."""
        from wizard.apply.run.runs import run_argument
        from wizard.apply.run_control import resume

        if self.needs_root:
            raise Refused(
                str(t("Only root can continue: sudo diskwright resume {run}", run=run_argument(run)))
            )
        resume(run, secret)

    def free_bytes(self, place: str) -> int | None:
        """Ask the filesystem."""
        try:
            status = os.statvfs(place)
        except OSError:
            return None
        return status.f_bavail * status.f_frsize

    def traffic(self, paths: Sequence[str]) -> int:
        """Add up the counters of psutil."""
        from psutil import disk_io_counters

        counted = disk_io_counters(perdisk=True, nowrap=False)
        counters = (counted[name] for path in paths if (name := path.removeprefix("/dev/")) in counted)
        return sum(one.read_bytes + one.write_bytes for one in counters)

    def work_out(self, device: str, wanted: Wanted) -> Changes:
        """Inspect the filesystem as root and plan the changes."""
        if self.needs_root:
            return self._asked_root.work_out(device, wanted)
        from wizard.apply.settings.start import changes_for

        return changes_for(device, wanted, self._apply_environment)

    def ready(self, changes: Changes) -> tuple[Message, ...]:
        """Describe the use of the folder where the filesystem is mounted."""
        from wizard.apply.settings.run import ready_message

        return ready_message(changes)

    def open_runs(self) -> tuple[OpenRun, ...]:
        """List the runs in the folder for runs. Empty if only root may read it."""
        from wizard.apply.run.runs import list_runs

        try:
            found = list_runs(self._journal_dir)
        except (Refused, BadInput):
            return ()
        opened = (self._open_run(run) for run in reversed(found))
        return tuple(run for run in opened if run is not None)

    def _open_run(self, run: Path) -> OpenRun | None:
        """Return None for a finished run or one with damaged files, which `diskwright status` reports."""
        from wizard.apply.run.journal import RunState, state
        from wizard.apply.run.load import load
        from wizard.apply.run_control import working_ways

        try:
            now = state(run)
            ways = working_ways(run, now)
            if now is not RunState.RUNNING and not ways.said(run):
                return None
            return OpenRun(run, now.value, load(run).devices, ways.names, str(ways.why_not))
        except BadInput:
            return None

    def next_commands(self, run: Path) -> NextCommands | None:
        """Evaluate the checks of each command."""
        from wizard.apply.run.journal import state
        from wizard.apply.run_control import working_ways

        try:
            return None if self.needs_root else working_ways(run, state(run))
        except BadInput:
            return None

    def document(self, run: Path) -> RunDocument:
        """Load the document from the run's folder."""
        from wizard.apply.run.load import load

        return load(run)
