"""This machine."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.model.errors import Refused
from wizard.model.machine import Drive, Machine
from wizard.probe.sysfs import drive_names, node_of
from wizard.services.rules import Rules

if TYPE_CHECKING:
    from wizard.apply.environment import Environment
    from wizard.apply.journal import RunState
    from wizard.model.journal import Entry
    from wizard.model.plan import Plan
    from wizard.model.verdict import Verdict
    from wizard.trial.alignment import Progress

# The rooms are imported where they are called: the first list of drives is on the screen before they are loaded.


class RealServices(Rules):
    """This machine. `only` restricts it to some drives, as the demo does; `environment` and `journal_dir` go to `apply`.

    `mounts` is a folder below which volumes are proposed to be mounted.
    """

    def __init__(
        self,
        only: Sequence[str] | None = None,
        environment: Environment | None = None,
        journal_dir: Path | None = None,
        mounts: Path | None = None,
    ) -> None:
        super().__init__()
        self._mounts = mounts
        self._only = None if only is None else tuple(only)
        self._environment = environment
        self._journal_dir = journal_dir
        self.demo = only is not None

    @property
    def obstacle(self) -> str:
        """Root is needed."""
        return "Only root can measure and write drives." if self.needs_root else ""

    @property
    def needs_root(self) -> bool:
        """Whether this process lacks it."""
        return os.geteuid() != 0

    def mount_proposal(self, label: str) -> str | None:
        """Below the folder given."""
        return str(self._mounts / label) if self._mounts else None

    def drive_paths(self) -> tuple[str, ...]:
        """From sysfs."""
        return self._only if self._only is not None else tuple(map(node_of, drive_names(all_devices=False)))

    def surroundings(self) -> Machine:
        """Without touching a drive."""
        from wizard.probe.machine import probe_machine

        return probe_machine(())

    def probe(self, on_drive: Callable[[Drive], None]) -> Machine:
        """By workers, each with a time limit."""
        from wizard.probe.machine import probe_machine

        return probe_machine(self._only, on_drive=on_drive)

    def changes(self, stop: threading.Event) -> Iterator[None]:
        """Hotplug; none for a restricted machine."""
        from wizard.probe.watch import watch_drives

        return iter(()) if self._only is not None else watch_drives(stop)

    def is_attached(self, drive: Drive) -> bool:
        """By the kernel's number of attachment."""
        from wizard.probe.watch import is_attached

        return is_attached(drive.path, drive.diskseq)

    def measure(
        self,
        drive: Drive,
        *,
        write: bool,
        physical_bytes: int | None,
        on_progress: Callable[[Progress], None],
        stop: Callable[[], bool],
    ) -> Verdict:
        """On the drive itself."""
        if self._only is not None and drive.path not in self._only:
            raise Refused(f"{drive.path} is not the drive of this demo.")
        from wizard.trial.alignment import run_alignment_trial

        return run_alignment_trial(drive, write=write, on_progress=on_progress, stop=stop, assume_physical_bytes=physical_bytes)

    def journal_doubts(self) -> tuple[str, ...]:
        """Whether it outlives a power cut."""
        from wizard.apply.runs import doubts_about, runs_folder

        return () if self.demo else doubts_about(runs_folder(self._journal_dir))

    def start(self, plan: Plan, token: str) -> Path:
        """By a detached process."""
        from wizard.apply.environment import Environment
        from wizard.apply.start import start_run

        environment = self._environment or Environment(only=None if self._only is None else frozenset(self._only))
        return start_run(plan, token, journal_dir=self._journal_dir, environment=environment)

    def follow(self, run: Path) -> Iterator[Entry]:
        """From the journal's file."""
        from wizard.apply.journal import follow

        return follow(run)

    def state(self, run: Path) -> RunState:
        """From the journal and the run's lock."""
        from wizard.apply.journal import state

        return state(run)

    def request_stop(self, run: Path) -> None:
        """By a mark in the run's folder."""
        from wizard.apply.start import request_stop

        request_stop(run)
