"""Start, follow, keep and undo runs on this machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.host.rules import Rules
from wizard.host.session import OpenRun
from wizard.model.errors import BadInput, Refused
from wizard.model.said import t

if TYPE_CHECKING:
    from wizard.apply.engine.record import Phase
    from wizard.apply.run.journal import RunState
    from wizard.apply.run.progress_log import StepProgress
    from wizard.apply.run_control import NextCommands
    from wizard.model.changes import Changes, OneTokened, RunDocument, Wanted
    from wizard.model.ext import JournalEntry
    from wizard.model.plan import Plan
    from wizard.model.said import Message

if TYPE_CHECKING:
    from wizard.advice.missing import Missing
    from wizard.apply.privilege.ask import RootProgram
    from wizard.apply.privilege.client import Elevated
    from wizard.apply.run.backup_store import Environment


# The rooms are imported where they are called: the first list of drives is on the screen before they are
# loaded.


class WithRoot(Rules):
    """Whether this process is root, and what asks for it otherwise. `only` restricts the machine to some
    drives, as the demo does; `environment` and `journal_dir` go to `apply`."""

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
        """Root is needed, and to be this process: measuring is not handed on."""
        return str(t("Only root can measure and write drives.")) if self.needs_root else ""

    @property
    def needs_root(self) -> bool:
        """Whether this process lacks it."""
        return os.geteuid() != 0

    @property
    def apply_obstacle(self) -> str:
        """None where there is a program to ask for root."""
        return "" if self._elevated or self._way else self.obstacle

    @property
    def asks_for_root(self) -> bool:
        """Once."""
        return self.needs_root and self._root is None and self._way is not None

    def obtain_root(self) -> None:
        """By sudo, run0 or pkexec."""
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
        """As the manager here tells a plain user, or root."""
        from wizard.apply.packages import cost, offer

        return str(offer(missing, cost(missing)))

    def install(self, missing: Missing, on_line: Callable[[str], None]) -> None:
        """Here as root, else by the process that runs as root."""
        from wizard.apply.packages import install

        if self.needs_root:
            self._asked_root.install(missing.programs, on_line)
        else:
            install(missing, on_line)

    @cached_property
    def _way(self) -> RootProgram | None:
        """None for root, and for a machine that is restricted or has an fstab of its own: those are not
        handed on."""
        if not self.needs_root or self._only is not None or self._environment is not None:
            return None
        from wizard.apply.privilege.ask import way_to_root

        return way_to_root()

    @property
    def _root(self) -> Elevated | None:
        """The process that runs as root, while it is there."""
        return self._elevated if self._elevated is not None and not self._elevated.gone else None

    @property
    def _asked_root(self) -> Elevated:
        """The process that runs as root, begun where it is not there yet; raises Refused where root is not
        given."""
        self.obtain_root()
        assert self._elevated is not None
        return self._elevated

    @property
    def _place(self) -> Environment:
        """What `apply` works with here."""
        from wizard.apply.run.backup_store import Environment

        return self._environment or Environment(only=None if self._only is None else frozenset(self._only))


# The rooms are imported where they are called: the first list of drives is on the screen before they are
# loaded.


class Running(WithRoot):
    """What becomes of plans, changes and migrations here. For a plain user a process that runs as root begins
    a run, and knows that one alone."""

    def start(self, plan: Plan, tokens: Sequence[str], secret: bytes | None = None) -> Path:
        """By a detached process, which root begins."""
        if self.needs_root:
            return self._asked_root.start(plan, tokens, self._journal_dir, secret)
        from wizard.apply.plan.start import start_run

        return start_run(plan, *tokens, journal_dir=self._journal_dir, environment=self._place, secret=secret)

    def follow(self, run: Path, meanwhile: Callable[[], None] | None = None) -> Iterator[JournalEntry]:
        """From the journal's file, or as root tells it."""
        if self._elevated is not None:
            return self._elevated.follow(run, meanwhile)
        from wizard.apply.run.journal import follow

        return follow(run, meanwhile=meanwhile)

    def state(self, run: Path) -> RunState:
        """From the journal and the run's lock, or as root tells it."""
        if self._elevated is not None:
            return self._elevated.state
        from wizard.apply.run.journal import state

        return state(run)

    def request_stop(self, run: Path) -> None:
        """By a mark in the run's folder, which root sets."""
        if self._elevated is not None:
            self._elevated.request_stop()
            return
        from wizard.apply.run.job import request_stop

        request_stop(run)

    def begin(self, document: OneTokened, token: str) -> Path:
        """By a detached process, which root begins; bringing files, by root's own process alone."""
        from wizard.model.changes import Bring, Changes
        from wizard.model.migration import Migration, Moves

        where, place = self._journal_dir, self._place
        match document:
            case Bring() if self.needs_root:
                raise Refused(self.obstacle)
            case Changes() | Migration() | Moves() if self.needs_root:
                return self._asked_root.begin(document, token, where)
            case Changes():
                from wizard.apply.settings.start import start_told as start_changes

                return start_changes(document, token, journal_dir=where, environment=place)
            case Migration():
                from wizard.apply.conversion.guard import start_told as start_migration

                return start_migration(document, token, journal_dir=where, environment=place)
            case Moves():
                from wizard.apply.move.recover import start_moves

                return start_moves(document, token, journal_dir=where, environment=place)
            case Bring():
                from wizard.apply.copy.guard import start_bring

                return start_bring(document, token, journal_dir=where, environment=place)

    def progress(self, run: Path) -> StepProgress | None:
        """From the run's folder, or as root tells it."""
        if self._elevated is not None:
            return self._elevated.progress
        from wizard.apply.run.progress_log import read_progress

        return read_progress(run)

    def power(self, run: Path) -> str:
        """By the run's phase, or as root tells it."""
        if self._elevated is not None:
            return self._elevated.power
        from wizard.apply.run_control import power_told

        return power_told(run)

    def phase(self, run: Path) -> Phase | None:
        """From the run's folder, or as root tells it."""
        if self._elevated is not None:
            return self._elevated.phase
        from wizard.apply.run_control import phase_told

        return phase_told(run)

    def closed(self, run: Path) -> str:
        """By the superblock; where only root may look, undoing tells."""
        if self._elevated is not None:
            return ""
        from wizard.apply.conversion.rollback import closed_sentence

        return closed_sentence(run)

    def keep(self, run: Path, secret: bytes | None = None) -> str:
        """As root, which began the run."""
        if self._elevated is not None:
            return self._elevated.keep(secret)
        from wizard.apply.run_control import keep

        return keep(run, secret)

    def undo(self, run: Path) -> None:
        """As root, which began the run."""
        if self._elevated is not None:
            self._elevated.undo()
            return
        from wizard.apply.run_control import undo

        undo(run)

    def writes_over(self, run: Path) -> bool:
        """By what the run has done so far; where only root can go on with it, a command asks."""
        from wizard.apply.run.journal import RunState, state
        from wizard.model.migration import Means, Migration
        from wizard.model.plan import Plan

        if self.needs_root:
            return False
        match self.document(run):
            case Plan() as plan:
                from wizard.apply.plan.run import still_writes_over

                return bool(still_writes_over(run, plan))
            case Migration() as migration:
                return migration.means is Means.COPY and state(run) is not RunState.DONE
            case _:
                return False

    def wants_secret(self, run: Path) -> bool:
        """By how far it is; where only root can go on with it, a command asks."""
        from wizard.apply.plan.rehearsed import wants_passphrase
        from wizard.model.plan import Plan

        plan = None if self.needs_root else self.document(run)
        return isinstance(plan, Plan) and plan.takes_passphrase and wants_passphrase(run, plan)

    def resume(self, run: Path, secret: bytes | None = None, *, over_bad_sectors: bool = False) -> None:
        """As root; a plain user is refused, with the command that does it."""
        from wizard.apply.run.runs import run_argument
        from wizard.apply.run_control import resume

        if self.needs_root:
            raise Refused(
                str(t("Only root can continue: sudo diskwright resume {run}", run=run_argument(run)))
            )
        resume(run, secret, over_bad_sectors=over_bad_sectors)

    def traffic(self, paths: Sequence[str]) -> int:
        """By what psutil counts."""
        from psutil import disk_io_counters

        counted = disk_io_counters(perdisk=True, nowrap=False)
        mine = (counted[name] for path in paths if (name := path.removeprefix("/dev/")) in counted)
        return sum(one.read_bytes + one.write_bytes for one in mine)

    def work_out(self, device: str, wanted: Wanted) -> Changes:
        """By looking at what is there, as root."""
        if self.needs_root:
            return self._asked_root.work_out(device, wanted)
        from wizard.apply.settings.start import changes_for

        return changes_for(device, wanted, self._place)

    def ready(self, changes: Changes) -> tuple[Message, ...]:
        """By the folder that it is mounted at."""
        from wizard.apply.settings.run import ready_said

        return ready_said(changes)

    def open_runs(self) -> tuple[OpenRun, ...]:
        """Of the folder for runs; none where only root may look."""
        from wizard.apply.run.runs import list_runs

        try:
            found = list_runs(self._journal_dir)
        except (Refused, BadInput):
            return ()
        told = (self._open_run(run) for run in reversed(found))
        return tuple(run for run in told if run is not None)

    def _open_run(self, run: Path) -> OpenRun | None:
        """None for one that is over, or whose files are damaged: `diskwright status` tells of those."""
        from wizard.apply.run.journal import RunState, state
        from wizard.apply.run.load import outline
        from wizard.apply.run_control import working_ways

        try:
            now = state(run)
            ways = working_ways(run, now)
            if now is not RunState.RUNNING and not ways.said(run):
                return None
            return OpenRun(run, now.value, outline(run)[0], ways.names, str(ways.why_not))
        except BadInput:
            return None

    def next_commands(self, run: Path) -> NextCommands | None:
        """By each command's own checks."""
        from wizard.apply.run.journal import state
        from wizard.apply.run_control import working_ways

        try:
            return None if self.needs_root else working_ways(run, state(run))
        except BadInput:
            return None

    def document(self, run: Path) -> RunDocument:
        """As the run's folder has it."""
        from wizard.apply.run.runs import RunKind, kind_of, load_plan

        match kind_of(run):
            case RunKind.PLAN:
                return load_plan(run)
            case RunKind.CHANGES:
                from wizard.apply.run.load import load_changes

                return load_changes(run)
            case RunKind.MIGRATION:
                from wizard.apply.run.load import load_migration

                return load_migration(run)
            case RunKind.MOVE:
                from wizard.apply.run.load import load_moves

                return load_moves(run)
            case RunKind.BRING:
                from wizard.apply.run.load import load_bring

                return load_bring(run)
