"""The running machine."""

from __future__ import annotations

import os
import shlex
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from psutil import disk_io_counters

from wizard.host import services
from wizard.model.errors import DiskwrightError, Refused
from wizard.model.layout import ROOT
from wizard.model.said import Sentence, t
from wizard.plan.request.using import Usual
from wizard.plan.undo_policy import ROOM_NOT_YET, UndoSpace
from wizard.probe.host.sysfs import drive_names, node_of
from wizard.process.deferred import deferred

if TYPE_CHECKING:
    from wizard.advice.missing import Missing
    from wizard.apply import local_runs, packages
    from wizard.apply.copy import places
    from wizard.apply.copy.places import Source
    from wizard.apply.local_runs import LocalRuns, OpenRun
    from wizard.apply.plan import guard
    from wizard.apply.plan import job as plan_job
    from wizard.apply.privilege import ask, client
    from wizard.apply.privilege.ask import RootProgram
    from wizard.apply.run import backup_store, runs
    from wizard.apply.run.backup_store import Environment
    from wizard.apply.settings import existing_filesystem
    from wizard.apply.steps import arrays
    from wizard.apply.system import mounts
    from wizard.benchmark.candidates import partition
    from wizard.ext4.assessment import Situation
    from wizard.model.finding import Finding
    from wizard.model.layout import Writer
    from wizard.model.machine import Drive, Machine
    from wizard.plan.plan import Plan
    from wizard.plan.request.plan_request import Request
    from wizard.probe import interpret, pool
    from wizard.probe import machine as probe_machine
    from wizard.probe.host import environment
else:
    local_runs, packages, places = deferred("wizard.apply", "local_runs", "packages", "copy.places")
    ask, client, backup_store, runs = deferred(
        "wizard.apply", "privilege.ask", "privilege.client", "run.backup_store", "run.runs"
    )
    guard, plan_job, existing_filesystem, arrays, mounts = deferred(
        "wizard.apply",
        "plan.guard",
        "plan.job",
        "settings.existing_filesystem",
        "steps.arrays",
        "system.mounts",
    )
    (partition,) = deferred("wizard.benchmark.candidates", "partition")
    interpret, pool, probe_machine, environment = deferred(
        "wizard.probe", "interpret", "pool", "machine", "host.environment"
    )

OTHER_DRIVE = Sentence("{drive} is not the demo drive.")
AS_ROOT = t("Only root can inspect it. As root:")


class RealServices(services.Services):
    """This machine.

    `only` restricts it to some drives, as in the demo. `journal_dir` is the folder for runs. `mounts`: a
    folder owned by root for mount points, instead of /srv. `page_of` renders the report of a run.
    """

    def __init__(
        self,
        only: Sequence[str] | None = None,
        environment: Environment | None = None,
        journal_dir: Path | None = None,
        mounts: Path | None = None,
        page_of: Callable[[Path], str] | None = None,
    ) -> None:
        super().__init__()
        self.demo = only is not None
        self._only = None if only is None else tuple(only)
        # Restricted drives and another fstab are not passed to the privileged process.
        self._can_ask = only is None and environment is None
        everything = frozenset(only) if only is not None else None
        self._environment = environment or backup_store.Environment(only=everything)
        self.fstab = self._environment.fstab
        self._journal_dir = journal_dir
        self._mounts = mounts
        self._page_of = page_of
        self._elevated: client.Elevated | None = None
        self._tried: tuple[Plan, UndoSpace] | None = None
        self._direct: tuple[Plan, str] | None = None
        # Rehearsing a plan reads the drive, which would disturb speed measurements.
        self._one_reads = threading.Lock()

    @property
    def obstacle(self) -> str:
        """Measuring is not delegated, so this process itself must be root."""
        return str(t("Only root can measure and write drives.")) if self.needs_root else ""

    @property
    def needs_root(self) -> bool:
        return os.geteuid() != 0

    @property
    def apply_obstacle(self) -> str:
        return "" if self._elevated or self._root_program else self.obstacle

    @property
    def asks_for_root(self) -> bool:
        return self.needs_root and self._root is None and self._root_program is not None

    def obtain_root(self) -> None:
        if not self.needs_root or self._root is not None:
            return
        if self._root_program is None:
            raise Refused(
                t(
                    "{why} Neither sudo, run0 nor pkexec is available. Nothing was written.",
                    why=self.obstacle,
                )
            )
        self._elevated = client.Elevated(self._root_program, self._journal_dir)

    @cached_property
    def _root_program(self) -> RootProgram | None:
        return ask.find_root_program() if self.needs_root and self._can_ask else None

    @property
    def _root(self) -> client.Elevated | None:
        return self._elevated if self._elevated is not None and not self._elevated.gone else None

    @cached_property
    def _local_runs(self) -> LocalRuns:
        return local_runs.LocalRuns(self._environment, self._journal_dir)

    @property
    def runs(self) -> LocalRuns:
        """For an unprivileged user, the privileged process starts one run, and only knows that one."""
        return self._elevated or self._local_runs

    def as_root(self) -> LocalRuns:
        self.obtain_root()
        return self.runs

    def open_runs(self) -> tuple[OpenRun, ...]:
        return self._local_runs.open_runs()

    def install_offer(self, missing: Missing) -> str:
        """Ask the package manager for the cost, as an unprivileged user or as root."""
        return str(packages.offer(missing, packages.cost(missing)))

    def report(self, run: Path) -> str:
        return self._page_of(run) if self._page_of else super().report(run)

    def arrays(self) -> Sequence[str]:
        return arrays.taken_arrays()

    def plan(self, machine: Machine, drives: Sequence[Drive], request: Request) -> Plan:
        """Add the effects on fstab and crypttab."""
        plan = super().plan(machine, drives, request)
        guard.check_places(plan)
        return existing_filesystem.with_lines_left(plan, drives, self._environment)

    def absent_at_boot(self, machine: Machine) -> tuple[Finding, ...]:
        return () if self._only is not None else super().absent_at_boot(machine)

    def usual(self) -> Usual:
        """Return the defaults of this system. In `mounts`, volumes belong to root because no one else can
        reach them."""
        folder, fstab = str(self._mounts or mounts.usual_places()), self._environment.fstab
        return Usual(
            ROOT if self._mounts else environment.caller(),
            folder,
            mounts.taken_places(folder, fstab),
            mounts.fixed_fstab(fstab),
        )

    def writer_named(self, text: str) -> Writer:
        return environment.writer_named(text)

    def drive_paths(self) -> tuple[str, ...]:
        return self._only if self._only is not None else tuple(map(node_of, drive_names()))

    def surroundings(self) -> Machine:
        if root := self._root:
            return interpret.machine_of(root.look(()))
        return probe_machine.probe_machine(())

    def probe(self, on_drive: Callable[[Drive], None]) -> Machine:
        """Read drives in workers with a time limit, or in the privileged process, which reports all drives
        together."""
        if root := self._root:
            machine = interpret.machine_of(root.look(self._only))
            for drive in machine.drives:
                on_drive(drive)
            return machine
        if not self.needs_root:
            # Otherwise a partition left by a killed benchmark would look like user data.
            partition.sweep_all()
        return probe_machine.probe_machine(self._only, on_drive=on_drive)

    def changes(self, stop: threading.Event) -> Iterator[None]:
        return iter(()) if self._only is not None else pool.watch_drives(stop)

    def is_attached(self, drive: Drive) -> bool:
        return pool.is_attached(drive.path, drive.diskseq)

    def options_at_boot(self, drive: Drive, device: str) -> tuple[str, ...] | None:
        """Read fstab of this system, which requires no privileges."""
        return existing_filesystem.options_at_boot(drive, device, self._environment.fstab)

    def measure(
        self,
        drive: Drive,
        work: Callable[services.P, services.T],
        /,
        *arguments: services.P.args,
        **options: services.P.kwargs,
    ) -> services.T:
        if self._only is not None and drive.path not in self._only:
            raise Refused(OTHER_DRIVE(drive=drive.path))
        with self._one_reads:
            return work(*arguments, **options)

    def why_direct(self, plan: Plan) -> str:
        """Check the means to create a scratch copy, which requires root. Done once per plan."""
        if self.needs_root:
            return super().why_direct(plan)
        if self._direct is None or self._direct[0] is not plan:
            self._direct = plan, plan_job.why_direct(plan, runs.runs_folder(self._journal_dir))
        return self._direct[1]

    def rehearses(self, plan: Plan) -> bool:
        """See `Services.rehearses`. Only root can create scratch copies."""
        return (not self.needs_root or self._root is not None) and not self.why_direct(plan)

    def undo_space(self, plan: Plan) -> UndoSpace:
        """Determine the space in the run's future folder. After success, the same plan is not rehearsed
        again."""
        if self.why_direct(plan):
            return UndoSpace()
        if not self.rehearses(plan):
            return ROOM_NOT_YET
        with self._one_reads:
            if self._tried is None or self._tried[0] != plan:
                try:
                    room = self.runs.undo_space(plan)
                except DiskwrightError as error:
                    return UndoSpace(t("The space needed for undo is unknown. {why}", why=error))
                if not room.fits:
                    return room
                self._tried = plan, room
            return self._tried[1]

    def journal_doubts(self) -> tuple[str, ...]:
        # The privileged process does not see an unprivileged user's environment.
        own = self._journal_dir or runs.STATE / "runs"
        folder = own if self.needs_root else runs.runs_folder(self._journal_dir)
        return () if self.demo else runs.doubts_about(folder)

    def look_at_ext(self, device: str) -> Situation:
        if self.apply_obstacle:
            raise Refused(f"{AS_ROOT}  diskwright migrate {shlex.quote(device)}")
        return self.as_root().look_at_ext(device)

    def bring_sources(self, targets: Sequence[str]) -> tuple[Source, ...]:
        """Read the drives again, because volumes may have been created or mounted since."""
        found = super().bring_sources(targets)
        return (*places.homes_apart(found), *found)

    def free_bytes(self, place: str) -> int | None:
        try:
            status = os.statvfs(place)
        except OSError:
            return None
        return status.f_bavail * status.f_frsize

    def traffic(self, paths: Sequence[str]) -> int:
        counted = disk_io_counters(perdisk=True, nowrap=False)
        counters = (counted[name] for path in paths if (name := path.removeprefix("/dev/")) in counted)
        return sum(one.read_bytes + one.write_bytes for one in counters)
