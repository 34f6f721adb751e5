"""A recorded machine with simulated runs."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from wizard.apply.engine.record import Phase
from wizard.apply.local_runs import LocalRuns
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.job import NextCommands
from wizard.apply.run.journal import RunState
from wizard.apply.run.progress_log import RunStatus, StepProgress
from wizard.host.services import P, Services, T
from wizard.model.machine import Drive


class Simulated(Services, LocalRuns):
    """A machine and runs. Subclasses simulate single methods."""

    _environment, _journal_dir = Environment(), None

    @property
    def obstacle(self) -> str:
        return ""

    @property
    def runs(self) -> LocalRuns:
        return self

    def as_root(self) -> LocalRuns:
        return self.runs

    def measure(self, drive: Drive, work: Callable[P, T], /, *args: P.args, **how: P.kwargs) -> T:
        return cast(T, self.measurement(*args, **how))

    def measurement(self, *args: Any, **how: Any) -> object:  # noqa: ANN401 - like the measurement's
        """Return a result instead of measuring."""
        raise NotImplementedError

    def state(self, run: Path) -> RunState:
        return RunState.INTERRUPTED

    def status(self, run: Path) -> RunStatus:
        return RunStatus(self.progress(run), self.phase(run), self.power(run))

    def progress(self, run: Path) -> StepProgress | None:
        return None

    def phase(self, run: Path) -> Phase | None:
        return None

    def power(self, run: Path) -> str:
        return ""

    def next_commands(self, run: Path) -> NextCommands:
        early = (RunState.FAILED, RunState.STOPPED, RunState.INTERRUPTED)
        by_state = {RunState.WAITING: ("keep", "undo"), **dict.fromkeys(early, ("resume", "undo"))}
        return NextCommands(by_state.get(self.state(run), ()))

    def closed(self, run: Path) -> str:
        return ""

    def writes_over(self, run: Path) -> bool:
        return False

    def wants_secret(self, run: Path) -> bool:
        return False
