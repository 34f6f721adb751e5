"""This machine."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.layout.told.promise import ROOM_NOT_YET, WayBackRoom
from wizard.model.errors import DiskwrightError, Refused
from wizard.model.machine import Drive, Machine
from wizard.probe.host.sysfs import drive_names, node_of
from wizard.services.rules import Rules

if TYPE_CHECKING:
    from wizard.advise.missing import Missing
    from wizard.apply.engine.record import Phase
    from wizard.apply.root.ask import Way
    from wizard.apply.root.client import Elevated
    from wizard.apply.run.environment import Environment
    from wizard.apply.run.journal import RunState
    from wizard.apply.run.progress import StepProgress
    from wizard.layout.wishes.using import Usual
    from wizard.migrate.situation import Situation
    from wizard.model.carried import Carried
    from wizard.model.journal import Entry
    from wizard.model.migration import Migration, Prospect
    from wizard.model.plan import Plan
    from wizard.model.verdict import Verdict
    from wizard.services.session import Moving
    from wizard.trial.alignment import Progress

# The rooms are imported where they are called: the first list of drives is on the screen before they are
# loaded.


class RealServices(Rules):
    """This machine. `only` restricts it to some drives, as the demo does; `environment` and `journal_dir` go
    to `apply`.

    `mounts` is a folder of root's below which volumes are mounted instead of /srv.
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
        self._elevated: Elevated | None = None
        self._tried: tuple[Plan, WayBackRoom] | None = None
        # What is read to try a plan out would be in the way of measuring how fast the drive is.
        self._one_reads = threading.Lock()
        self.demo = only is not None

    @property
    def obstacle(self) -> str:
        """Root is needed, and to be this process: measuring is not handed on."""
        return "Only root can measure and write drives." if self.needs_root else ""

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
                f"{self.obstacle} Neither sudo, run0 nor pkexec is here to ask for it. Nothing was written."
            )
        from wizard.apply.root.client import Elevated

        self._elevated = Elevated(self._way)

    def install_offer(self, missing: Missing) -> str:
        """As the manager here tells a plain user, or root."""
        from wizard.apply.packages.install import cost, offer

        return str(offer(missing, cost(missing)))

    def install(self, missing: Missing, on_line: Callable[[str], None]) -> None:
        """Here as root, else by root's end."""
        from wizard.apply.packages.install import install

        if self.needs_root:
            self._asked_root.install(missing.programs, on_line)
        else:
            install(missing, on_line)

    @cached_property
    def _way(self) -> Way | None:
        """None for root, and for a machine that is restricted or has an fstab of its own: those are not
        handed on."""
        if not self.needs_root or self._only is not None or self._environment is not None:
            return None
        from wizard.apply.root.ask import way_to_root

        return way_to_root()

    @property
    def _root(self) -> Elevated | None:
        """Root's end, while it is there."""
        return self._elevated if self._elevated is not None and not self._elevated.gone else None

    @property
    def _asked_root(self) -> Elevated:
        """Root's end, asked for where it is not there yet; raises Refused where root is not given."""
        self.obtain_root()
        assert self._elevated is not None
        return self._elevated

    def _arrays(self) -> Sequence[str]:
        """As mdadm knows them."""
        from wizard.apply.steps.arrays import taken_arrays

        return taken_arrays()

    def usual(self) -> Usual:
        """By this system; in the folder given, nobody but root could reach what is mounted."""
        from wizard.apply.system.places import taken_places, usual_places
        from wizard.layout.wishes.using import Usual
        from wizard.model.writer import ROOT
        from wizard.probe.host.people import caller

        places = str(self._mounts) if self._mounts else usual_places()
        return Usual(ROOT if self._mounts else caller(), places, taken_places(places, self._place.fstab))

    def drive_paths(self) -> tuple[str, ...]:
        """From sysfs."""
        return self._only if self._only is not None else tuple(map(node_of, drive_names(all_devices=False)))

    def surroundings(self) -> Machine:
        """Without touching a drive."""
        if root := self._root:
            from wizard.probe.interpret import machine_of

            return machine_of(root.look(()))
        from wizard.probe.machine import probe_machine

        return probe_machine(())

    def probe(self, on_drive: Callable[[Drive], None]) -> Machine:
        """By workers, each with a time limit; once there is root, by root's, which tell of all drives
        together."""
        if root := self._root:
            from wizard.probe.interpret import machine_of

            machine = machine_of(root.look(self._only))
            for drive in machine.drives:
                on_drive(drive)
            return machine
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

        with self._one_reads:
            return run_alignment_trial(
                drive, write=write, on_progress=on_progress, stop=stop, assume_physical_bytes=physical_bytes
            )

    def why_direct(self, plan: Plan) -> str:
        """By trying what stand-ins are made of, which only root may."""
        if self.needs_root:
            from wizard.layout.rehearsed import direct_reason

            return direct_reason(plan)
        from wizard.apply.plan.start import why_direct
        from wizard.apply.run.runs import runs_folder

        return why_direct(plan, runs_folder(self._journal_dir))

    def tries_out(self, plan: Plan) -> bool:
        """On stand-ins, which only root can make."""
        return (not self.needs_root or self._root is not None) and not self.why_direct(plan)

    def way_back_room(self, plan: Plan) -> WayBackRoom:
        """In the folder where the run would lie. Where there was room for this plan, it is not tried out
        again."""
        if self.why_direct(plan):
            return WayBackRoom()
        if not self.tries_out(plan):
            return ROOM_NOT_YET
        with self._one_reads:
            if self._tried is None or self._tried[0] != plan:
                try:
                    room = self._tried_out(plan)
                except DiskwrightError as error:
                    return WayBackRoom(f"In doubt: how much room the way back takes is not known. {error}")
                if not room.fits:
                    return room
                self._tried = plan, room
            return self._tried[1]

    def _tried_out(self, plan: Plan) -> WayBackRoom:
        if root := self._root:
            return root.way_back_room(plan, self._journal_dir)
        from wizard.apply.plan.measure import way_back_room
        from wizard.apply.run.runs import runs_folder

        return way_back_room(plan, runs_folder(self._journal_dir), self._place)

    def journal_doubts(self) -> tuple[str, ...]:
        """Whether it outlives a power cut."""
        from wizard.apply.run.runs import STATE, doubts_about, runs_folder

        # Root's end knows nothing of a plain user's environment.
        folder = self._journal_dir or STATE / "runs" if self.needs_root else runs_folder(self._journal_dir)
        return () if self.demo else doubts_about(folder)

    def start(self, plan: Plan, tokens: Sequence[str], secret: bytes | None = None) -> Path:
        """By a detached process, which root begins."""
        if self.needs_root:
            return self._asked_root.start(plan, tokens, self._journal_dir, secret)
        from wizard.apply.plan.start import start_run

        return start_run(plan, *tokens, journal_dir=self._journal_dir, environment=self._place, secret=secret)

    @property
    def _place(self) -> Environment:
        """What `apply` works with here."""
        from wizard.apply.run.environment import Environment

        return self._environment or Environment(only=None if self._only is None else frozenset(self._only))

    def follow(self, run: Path, meanwhile: Callable[[], None] | None = None) -> Iterator[Entry]:
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
        from wizard.apply.run.begin import request_stop

        request_stop(run)

    def migration_prospect(self, drive: Drive, moving: Moving) -> tuple[Prospect, float]:
        """By looking into the filesystem, which only root can."""
        from wizard.migrate.told.offers import prospect_of

        situation = self._situation(moving)
        return prospect_of(situation), situation.manifest_seconds

    def plan_migration(self, drive: Drive, moving: Moving) -> Migration:
        """By looking once more."""
        from wizard.services.migrating import plan_for

        return plan_for(self._situation(moving), moving)

    def carry_migration(self, drive: Drive, moving: Moving) -> Carried:
        """By looking once more."""
        from wizard.services.migrating import carried_for

        return carried_for(self._situation(moving), moving)

    def _situation(self, moving: Moving) -> Situation:
        """How the filesystem stands, as root reads it."""
        if self.apply_obstacle:
            from wizard.services.migrating import command_for_root

            raise Refused(f"Only root can look into it. As root:  {command_for_root(moving.device)}")
        if self.needs_root:
            return self._asked_root.look_at_ext(
                moving.device, moving.folder, moving.target, self._journal_dir
            )
        from wizard.services.migrating import look_here

        return look_here(moving, self._journal_dir, self._place)

    def start_migration(self, migration: Migration, token: str) -> Path:
        """By a detached process, which root begins."""
        if self.needs_root:
            return self._asked_root.migrate(migration, token, self._journal_dir)
        from wizard.apply.begin_migration import start_told

        return start_told(migration, token, journal_dir=self._journal_dir, environment=self._place)

    def progress(self, run: Path) -> StepProgress | None:
        """From the run's folder, or as root tells it."""
        if self._elevated is not None:
            return self._elevated.progress
        from wizard.apply.run.progress import read_progress

        return read_progress(run)

    def power(self, run: Path) -> str:
        """By the run's phase, or as root tells it."""
        if self._elevated is not None:
            return self._elevated.power
        from wizard.apply.decide import power_told

        return power_told(run)

    def phase(self, run: Path) -> Phase | None:
        """From the run's folder, or as root tells it."""
        if self._elevated is not None:
            return self._elevated.phase
        from wizard.apply.decide import phase_told

        return phase_told(run)

    def closed(self, run: Path) -> str:
        """By the superblock; where only root may look, undoing tells."""
        if self._elevated is not None:
            return ""
        from wizard.apply.migration.way_back import closed_sentence

        return closed_sentence(run)

    def keep(self, run: Path, secret: bytes | None = None) -> str:
        """As root, which began the run."""
        if self._elevated is not None:
            return self._elevated.keep(secret)
        from wizard.apply.decide import keep

        return keep(run, secret)

    def undo(self, run: Path) -> None:
        """As root, which began the run."""
        if self._elevated is not None:
            self._elevated.undo()
            return
        from wizard.apply.decide import undo

        undo(run)
